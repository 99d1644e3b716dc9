"""Text out of books in EPUB and FictionBook (FB2)."""

from __future__ import annotations

import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import chain
from typing import cast
from urllib.parse import unquote

from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import MOST_PAGE_BLOCKS, PageReason, PageStatus
from askance.extract.extracted import Extracted, about_file, empty, markdown_heading, outcome
from askance.extract.html.html_page import extract_html
from askance.extract.html.tree import TreeError, parse_loosely
from askance.extract.office.archives import (
    Archive,
    Element,
    end_of_part,
    markdown_row,
    unread_parts,
)
from askance.extract.text.characters import strip_invisible
from askance.extract.text.decoding import decode_text
from askance.extract.text.markdown_text import (
    LOWERED,
    RAISED,
    STRUCK_THROUGH,
    marks_as_text,
    picture_label,
    raised,
    with_marks,
)

# A book is read in parts that fit into a page.
_PART_CHARACTERS = 300_000
# A chapter has fewer pieces than this: the number of a chapter and that of a piece are one number.
_MOST_PIECES = 1_000
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_ANY_FILE = "file:///chapter"
_XHTML = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document"})
_FB2_LINES = frozenset({"p", "v", "text-author", "date", "image"})
_DEEPEST_FB2 = 100
_BINARY = re.compile(r"<binary\b[^<>]*+>[^<>]*+</binary>")
# In which the last sign of a book lies, whatever some program wrote behind it.
_END_CHARACTERS = 200
_FB2_MARKS = {"sup": RAISED, "sub": LOWERED, "strikethrough": STRUCK_THROUGH}


def read_epub(archive: Archive, first: int) -> Extracted:
    """Return the text of a book, as much as fits into a page; `first` says where to begin.

    Where some is left, `detail` says how many chapters are read by then, and as `next` where to go on.
    """
    place = _package_of(archive)
    package = _parsed(archive.read(place))
    chapters = _chapters(archive, package, place)
    if not _encrypted(archive).isdisjoint(chapters):
        return empty(PageReason.ENCRYPTED, Message("The book is encrypted."))
    title, date = (package.findtext(f".//{name}") for name in ("title", "date"))
    people, subjects = ((one.text for one in package.iter(name)) for name in ("creator", "subject"))
    about = about_file(people, subjects)
    sheet = cache(partial(_sheet, archive))
    texts = [about] if about and not first else list[str]()
    unread: list[str] = []
    number, begun = divmod(first, _MOST_PIECES)
    for done, name in enumerate(chapters[number:], number):
        text = _chapter(archive, name, sheet)
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
                return outcome(texts, title, date, left, is_tidy=True)
            texts.append(chapter)
        begun = 0
    # Earlier parts said only how far they went; what could not be read is named with the last.
    unread += [name for name in chapters[:number] if _data(archive, name) is None]
    return outcome(texts, title, date, unread_parts(unread), is_tidy=True)


def _package_of(archive: Archive) -> str:
    """Return the name of the member that says what is in a book; a book may be there in other forms, too."""
    files = _parsed(archive.read("META-INF/container.xml")).iter("rootfile")
    named = [_member(archive, "", file.get("full-path", "")) for file in files]
    return next((name for name in named if name.lower().endswith(".opf")), "".join(named[:1]))


def _chapters(archive: Archive, package: Element, place: str) -> list[str]:
    """Return the names of the chapters in the order in which a book is read."""
    items = {item.get("id", ""): item for item in package.iter("item")}
    files = {key: _member(archive, place, item.get("href", "")) for key, item in items.items()}
    pages = [files[key] for key, item in items.items() if _is_page(item)]
    # The spine has the order in which a book is read; the list of its files has none.
    spine = [ref.get("idref", "") for ref in package.iter("itemref")]
    chapters = list(dict.fromkeys(files.get(name, name) for name in spine if name)) or pages
    # Notes may lie in files of their own, to which links of chapters lead.
    if others := [name for name in dict.fromkeys(pages) if name not in set(chapters)]:
        read = b"\n".join(_data(archive, name) or b"" for name in chapters)
        chapters += [name for name in others if posixpath.basename(name).encode() in read]
    return chapters


def _is_page(item: Element) -> bool:
    return item.get("media-type") in _XHTML and "nav" not in item.get("properties", "").split()


def _member(archive: Archive, place: str, address: str) -> str:
    """Return the name of a member that a package at a place has an address of."""
    # Addresses are relative to the package, and may have signs in per cent; so may names, which are no addresses.
    plain = address.partition("#")[0]
    names = [
        posixpath.normpath(posixpath.join(posixpath.dirname(place), name))
        for name in (unquote(plain), plain, unquote(plain.partition("?")[0]))
    ]
    return next((name for name in names if archive.has(name)), names[0])


def _parsed(data: bytes) -> Element:
    """Return the root of a file of a book, its elements by their names alone, in small letters.

    Raises:
        ValueError: it is no XML.
    """
    try:
        root = parse_loosely(decode_text(data, ""))
    except TreeError as exc:
        raise ValueError("it is no XML") from exc
    if root is None:
        raise ValueError("it is no XML")
    for element in root.iter("*"):
        element.tag = element.tag.rpartition("}")[2].rpartition(":")[2].lower() or "unnamed"
    return cast("Element", root)


def _chapter(archive: Archive, name: str, sheet: Callable[[str], str]) -> str | None:
    """Return the text of a chapter, None for one that cannot be read; `sheet` reads a style sheet by its name."""
    # A picture alone may be a page of a book, and is no damaged part of it.
    if name.lower().endswith(_PICTURES):
        return ""
    if not (data := _data(archive, name)):
        return None
    read = extract_html(
        data, _ANY_FILE, "application/xhtml+xml", lambda place: sheet(_member(archive, name, place))
    )
    return None if read.status is PageStatus.FAILED else read.markdown


def _sheet(archive: Archive, name: str) -> str:
    return strip_invisible(decode_text(_data(archive, name) or b"", "text/css"))


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
    data = archive.read("META-INF/encryption.xml")
    listed = _parsed(data).iter("cipherreference") if data else ()
    return {posixpath.normpath(unquote(reference.get("URI", ""))) for reference in listed}


def read_fb2(data: bytes) -> Extracted:
    """Return the text of a book with its notes.

    Raises:
        ValueError: it is no XML, or nested too deep.
    """
    # Pictures stand in a book as letters and digits.
    text = _BINARY.sub("", decode_text(data, ""))
    root = _parsed(text.encode("utf-8", "replace"))
    for part in root.iter("image"):
        # So that a picture is a line of its words for whoever does not see it.
        part.text = picture_label(part.get("alt") or part.get("title") or "")
    title = root.findtext(".//book-title")
    # No page of a book has them: programs show them before its first.
    authors = ", ".join(map(_name_of, root.iterfind(".//title-info/author")))
    about = root.findall(".//annotation")[:1]
    bodies = root.findall("body")
    blocks = (block for part in (*about, *bodies) for block in _fb2_blocks(part, 1))
    is_whole = "fictionbook" in text[-_END_CHARACTERS:].rpartition("</")[2].lower()
    cut = Message("The file is damaged: {problem}.", problem="its end is missing")
    return outcome(chain((authors,), blocks), title, None, NOTHING if is_whole else cut)


def _name_of(author: Element) -> str:
    names = (author.findtext(name) for name in ("first-name", "middle-name", "last-name"))
    return " ".join(" ".join(filter(None, names)).split()) or author.findtext("nickname") or ""


def _fb2_blocks(parent: Element, depth: int) -> Iterator[str]:
    if depth > _DEEPEST_FB2:
        raise ValueError("it is nested too deep")
    for part in parent:
        match part.tag:
            case "title":
                yield markdown_heading(" ".join(map(_fb2_line, part)), depth)
            case "subtitle":
                yield markdown_heading(_fb2_line(part), depth + 1)
            case name if name in _FB2_LINES:
                yield " ".join(_fb2_line(part).split())
            case "tr":
                yield markdown_row(map(_fb2_line, part))
            case _:
                # Text beside paragraphs is against the rules, and shown.
                yield part.text or ""
                yield from _fb2_blocks(part, depth + 1)
        yield part.tail or ""


def _fb2_line(line: Element) -> str:
    return marks_as_text("".join(_fb2_texts(line, "", 0)))


def _fb2_texts(part: Element, marks: str, depth: int) -> Iterator[str]:
    if depth > _DEEPEST_FB2:
        raise ValueError("it is nested too deep")
    if part.tag == "a" and (part.get("type") == "note" or _is_number(part)):
        # Whatever stands before it, it is no power; and a link without brackets is no part of a word.
        yield raised("-", "".join(part.itertext()).strip(), "", is_note=True)
        return
    marks += _FB2_MARKS.get(part.tag, "")
    yield " " if part.tag == "br" else with_marks(part.text or "", marks)
    for child in part:
        yield from _fb2_texts(child, marks, depth + 1)
        yield with_marks(child.tail or "", marks)


def _is_number(link: Element) -> bool:
    return "".join(link.itertext()).strip().strip("[]()*").isdecimal()
