"""Text out of books in EPUB and FictionBook (FB2)."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from urllib.parse import unquote
from xml.etree import ElementTree

from askance.domain.messages import Message
from askance.domain.web import MOST_PAGE_BLOCKS, PageReason, PageStatus
from askance.extract.documents import (
    Archive,
    Element,
    end_of_part,
    local_name,
    markdown_heading,
    markdown_row,
    outcome,
    unread_parts,
)
from askance.extract.extracted import Extracted, empty
from askance.extract.html import extract_html
from askance.extract.inline_formatting import (
    LOWERED,
    RAISED,
    STRUCK_THROUGH,
    marks_as_text,
    raised,
    with_marks,
)

# A book is read in parts that fit into a page.
_PART_CHARACTERS = 300_000
# A chapter has fewer pieces than this: the number of a chapter and that of a piece are one number.
_MOST_PIECES = 1_000
_PICTURES = (".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp")
_ANY_FILE = "file:///chapter"
_ENCRYPTION = "{http://www.w3.org/2001/04/xmlenc#}"
_OPF = "{http://www.idpf.org/2007/opf}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"
_FB2_LINES = frozenset({"p", "v", "text-author", "date", "image"})
_DEEPEST_FB2 = 100
_FB2_MARKS = {"sup": RAISED, "sub": LOWERED, "strikethrough": STRUCK_THROUGH}


def read_epub(archive: Archive, first: int) -> Extracted:
    """Return the text of a book, as much as fits into a page; `first` says where to begin.

    Where some is left, `detail` says how many chapters are read by then, and as `next` where to go on.
    """
    root = archive.xml("META-INF/container.xml").find(f".//{_CONTAINER}rootfile")
    place = root.get("full-path", "") if root is not None else ""
    package = archive.xml(place)
    files = {
        item.get("id", ""): _name_in(place, item.get("href", ""))
        for item in package.iter(f"{_OPF}item")
    }
    # The spine has the order in which a book is read; the list of its files has none.
    named = (files.get(ref.get("idref", ""), "") for ref in package.iter(f"{_OPF}itemref"))
    chapters = list(dict.fromkeys(named))
    if not _encrypted(archive).isdisjoint(chapters):
        return empty(PageReason.NO_TEXT, Message("The book is encrypted."))
    title, date = (package.findtext(f".//{_DC}{name}") for name in ("title", "date"))
    texts: list[str] = []
    unread: list[str] = []
    number, begun = divmod(first, _MOST_PIECES)
    for done, name in enumerate(chapters[number:], number):
        text = _chapter(archive, name)
        if text is None:
            unread.append(name)
        for piece, chapter in list(enumerate(_pieces(text or "")))[begun:]:
            if texts and not _fit([*texts, chapter]):
                left = Message(
                    "Only the first {pages} of the {available} chapters are read.",
                    pages=done,
                    available=len(chapters),
                    next=done * _MOST_PIECES + piece,
                )
                return outcome(iter(texts), title, date, left, is_tidy=True)
            texts.append(chapter)
        begun = 0
    # Earlier parts said only how far they went; what could not be read is named with the last.
    unread += [name for name in chapters[:number] if _data(archive, name) is None]
    return outcome(iter(texts), title, date, unread_parts(unread), is_tidy=True)


def _name_in(place: str, address: str) -> str:
    """Return the name of a member that a package at a place has an address of."""
    # Addresses are relative to the package, and may have signs in per cent.
    joined = posixpath.join(posixpath.dirname(place), unquote(address.partition("#")[0]))
    return posixpath.normpath(joined)


def _chapter(archive: Archive, name: str) -> str | None:
    """Return the text of a chapter, None for one that cannot be read."""
    # A picture alone may be a page of a book, and is no damaged part of it.
    if name.lower().endswith(_PICTURES):
        return ""
    if not (data := _data(archive, name)):
        return None
    read = extract_html(data, _ANY_FILE, "application/xhtml+xml")
    return None if read.status is PageStatus.FAILED else read.markdown


def _data(archive: Archive, name: str) -> bytes | None:
    """Return what is in a member, None for one that is damaged."""
    try:
        return archive.read(name)
    # A damaged chapter costs only itself; a book that unpacks to too much is given up as a whole.
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError):
        return None


def _pieces(text: str) -> list[str]:
    """Return a text in pieces of paragraphs, each of which fits into a page."""
    pieces: list[str] = []
    while text and len(pieces) < _MOST_PIECES - 1:
        end = end_of_part(text, _PART_CHARACTERS)
        pieces.append(text[:end])
        text = text[end:].lstrip("\n")
    return [*pieces, text] if text else pieces


def _fit(texts: list[str]) -> bool:
    blocks = sum(text.count("\n\n") + 1 for text in texts)
    return sum(map(len, texts)) <= _PART_CHARACTERS and blocks < MOST_PAGE_BLOCKS


def _encrypted(archive: Archive) -> set[str]:
    """Return the names of encrypted members: a book may have its fonts so, and be read."""
    listed = archive.xml("META-INF/encryption.xml").iter(f"{_ENCRYPTION}CipherReference")
    return {posixpath.normpath(unquote(reference.get("URI", ""))) for reference in listed}


def read_fb2(data: bytes) -> Extracted:
    """Return the text of a book with its notes.

    Raises:
        ValueError: it defines entities, or is nested too deep.
    """
    # Entities within entities make gigabytes of a kilobyte, and no book needs any.
    if b"<!ENTITY" in data:
        raise ValueError("it defines entities")
    root = ElementTree.fromstring(data)  # noqa: S314 - in a confined process
    for part in root.iter():
        if local_name(part) == "image":
            # So that a picture is a line of its words for whoever does not see it.
            part.text = part.get("alt") or part.get("title")
    title = next((part.text for part in root.iter() if local_name(part) == "book-title"), None)
    bodies = [part for part in root if local_name(part) == "body"]
    about = [part for part in root.iter() if local_name(part) == "annotation"][:1]
    blocks = (block for part in (*about, *bodies) for block in _fb2_blocks(part, 1))
    return outcome(blocks, title, None)


def _fb2_blocks(parent: Element, depth: int) -> Iterator[str]:
    if depth > _DEEPEST_FB2:
        raise ValueError("it is nested too deep")
    for part in parent:
        match local_name(part):
            case "title":
                yield markdown_heading(" ".join(map(_fb2_line, part)), depth)
            case "subtitle":
                yield markdown_heading(_fb2_line(part), depth + 1)
            case name if name in _FB2_LINES:
                yield " ".join(_fb2_line(part).split())
            case "tr":
                yield markdown_row(map(_fb2_line, part))
            case _:
                yield from _fb2_blocks(part, depth + 1)


def _fb2_line(line: Element) -> str:
    return marks_as_text("".join(_fb2_texts(line, "", 0)))


def _fb2_texts(part: Element, marks: str, depth: int) -> Iterator[str]:
    if depth > _DEEPEST_FB2:
        raise ValueError("it is nested too deep")
    if local_name(part) == "a" and part.get("type") == "note":
        # Whatever stands before it, it is no power; and a link without brackets is no part of a word.
        yield raised("-", "".join(part.itertext()).strip(), "", is_note=True)
        return
    marks += _FB2_MARKS.get(local_name(part), "")
    yield with_marks(part.text or "", marks)
    for child in part:
        yield from _fb2_texts(child, marks, depth + 1)
        yield with_marks(child.tail or "", marks)
