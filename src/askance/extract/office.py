"""Text out of what word processors write, of books, and of e-mail.

The first two are archives of XML. Of an archive only what is needed is unpacked, and no more than a bound of it.
"""

from __future__ import annotations

import email
import email.policy
import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator
from email.message import EmailMessage, MIMEPart
from functools import lru_cache
from typing import Any, cast
from urllib.parse import unquote
from xml.etree import ElementTree

from askance.domain.messages import NOTHING, Message
from askance.domain.web import PageReason, PageStatus
from askance.extract.decoding import Kind, decode_text, first_of, text_codec
from askance.extract.extracted import Extracted, empty, failed
from askance.extract.html import extract_html
from askance.extract.lines import TITLE_CHARACTERS
from askance.extract.markdown import tidy_text
from askance.extract.text import count_words

MOST_UNPACKED_BYTES = 64 * 1_048_576
# A book is read in parts that fit into a page.
_PART_CHARACTERS = 300_000

_Element = ElementTree.Element
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_OPF = "{http://www.idpf.org/2007/opf}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"
_CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"
_DOCX_WRAPPERS = frozenset({"sdt", "sdtContent", "ins", "smartTag", "customXml"})
_HEADING = re.compile(r"heading ?([1-6])", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DEEPEST_HEADING = 6
_HEADER_CHARACTERS = 1_000
_MOST_HEADERS = 64
_MOST_PARTS = 1_000
# Each line of a message is compared with the boundaries of all parts that it lies in.
_MOST_MULTIPARTS = 100
_MULTIPART = re.compile(rb"multipart/", re.IGNORECASE)


# What no file of a kind is without; an archive of another kind has none of it.
_MARKS = {Kind.DOCX: "word/", Kind.ODT: "content.xml", Kind.EPUB: "META-INF/container.xml"}


class _OtherKind(Exception):
    """An archive is a file of another kind than its name says."""


class _TooLarge(Exception):
    """An archive unpacks to more than it may."""


class _TooManyParts(Exception):
    """A message has more parts than the number that is given."""


class _Archive:
    """A zip file of a kind, of which so many bytes are unpacked at the most.

    Raises:
        _OtherKind: it is a file of another kind.
    """

    def __init__(self, data: bytes, kind: Kind) -> None:
        self._zip = zipfile.ZipFile(io.BytesIO(data))
        if not any(name.startswith(_MARKS[kind]) for name in self._zip.namelist()):
            raise _OtherKind(kind.upper())
        self._left = MOST_UNPACKED_BYTES

    def read(self, name: str) -> bytes:
        """Return what is in a member; empty if there is none of that name."""
        try:
            member = self._zip.open(name)
        except KeyError:
            return b""
        with member:
            found = member.read(self._left + 1)
        self._left -= len(found)
        if self._left < 0:
            raise _TooLarge
        return found

    def xml(self, name: str) -> _Element:
        """Return a member that is XML. One that defines entities is refused: no such file needs any."""
        found = self.read(name)
        if b"<!ENTITY" in found:
            raise ValueError("it defines entities")
        return ElementTree.fromstring(found or b"<nothing/>")  # noqa: S314 - in a confined process


def extract_office(kind: Kind, data: bytes, content_type: str = "") -> Extracted:
    """Return the text of a Word file, an OpenDocument text, a book or an e-mail, or why it has none.

    Hidden and deleted text is none; attachments are not read. Of a book as many chapters are read as
    fit into a page: where some are left, `detail` says how many are read by then (`pages`), and a
    parameter `first` of the content type how many to pass over.
    """
    try:
        match kind:
            case Kind.DOCX:
                return _docx(_Archive(data, kind))
            case Kind.ODT:
                return _odt(_Archive(data, kind))
            case Kind.EPUB:
                return _epub(_Archive(data, kind), first_of(content_type) or 0)
            case _:
                return _mail(data)
    except _TooLarge:
        n = MOST_UNPACKED_BYTES // 2**20
        return failed(PageReason.TOO_LARGE, Message("It unpacks to more than {n} MiB.", n=n))
    except _TooManyParts as exc:
        return failed(
            PageReason.TOO_LARGE, Message("The message has more than {n} parts.", n=exc.args[0])
        )
    except _OtherKind as exc:
        return failed(
            PageReason.NOT_TEXT,
            Message("Not a {name} file: its content is something else.", name=exc),
        )
    except (zipfile.BadZipFile, zlib.error, ElementTree.ParseError, ValueError, KeyError, LookupError,
            RuntimeError, NotImplementedError, OSError, EOFError, TypeError,
            AttributeError) as exc:  # fmt: skip
        return failed(
            PageReason.EXTRACTION, Message("The file is damaged: {problem}.", problem=exc)
        )


def _docx(archive: _Archive) -> Extracted:
    body = archive.xml("word/document.xml").find(f"{_W}body")
    blocks = _docx_blocks(body) if body is not None else iter(())
    core = archive.xml("docProps/core.xml")
    return _outcome(blocks, core.findtext(f"{_DC}title"), core.findtext(f"{_TERMS}modified"))


def _docx_blocks(parent: _Element) -> Iterator[str]:
    for child in parent:
        match child.tag.removeprefix(_W):
            case "p":
                yield _docx_paragraph(child)
            case "tbl":
                yield "\n".join(
                    _row(" ".join(_docx_blocks(cell)) for cell in _docx_parts(row, "tc"))
                    for row in _docx_parts(child, "tr")
                )
            case tag if tag in _DOCX_WRAPPERS:
                yield from _docx_blocks(child)
            case _:
                pass


def _docx_parts(parent: _Element, name: str) -> Iterator[_Element]:
    """Yield the rows of a table or the cells of a row, and not those of tables within them."""
    for child in parent:
        tag = child.tag.removeprefix(_W)
        if tag == name:
            yield child
        elif tag in _DOCX_WRAPPERS:
            yield from _docx_parts(child, name)


def _docx_paragraph(paragraph: _Element) -> str:
    parts: list[str] = []
    for run in paragraph.iter(f"{_W}r"):
        if run.find(f"{_W}rPr/{_W}vanish") is not None:
            continue
        for piece in run:
            match piece.tag.removeprefix(_W):
                case "t":
                    parts.append(piece.text or "")
                case "tab":
                    parts.append(" ")
                case "br" | "cr":
                    parts.append("\n")
                case _:
                    pass
    text = "".join(parts)
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    named = style.get(f"{_W}val", "") if style is not None else ""
    if level := _HEADING.match(named):
        return _heading(text, int(level[1]))
    is_item = paragraph.find(f"{_W}pPr/{_W}numPr") is not None
    return f"- {text}" if is_item and text.strip() else text


def _odt(archive: _Archive) -> Extracted:
    body = archive.xml("content.xml").find(f"{_OFFICE}body/{_OFFICE}text")
    blocks = _odt_blocks(body) if body is not None else iter(())
    meta = archive.xml("meta.xml").find(f"{_OFFICE}meta")
    told = meta if meta is not None else _Element("nothing")
    return _outcome(blocks, told.findtext(f"{_DC}title"), told.findtext(f"{_DC}date"))


def _odt_blocks(parent: _Element) -> Iterator[str]:
    for child in parent:
        if child.tag == f"{_TEXT}h":
            yield _heading(_odt_text(child), int(child.get(f"{_TEXT}outline-level", "2")))
        elif child.tag == f"{_TEXT}p":
            yield _odt_text(child)
        elif child.tag == f"{_TEXT}list-item":
            yield "\n".join(f"- {text}" for text in _odt_blocks(child))
        elif child.tag == f"{_TABLE}table-row":
            yield _row(" ".join(_odt_blocks(cell)) for cell in child)
        elif child.tag != f"{_TEXT}tracked-changes":
            yield from _odt_blocks(child)


def _odt_text(element: _Element) -> str:
    parts = [element.text or ""]
    for child in element:
        if child.tag == f"{_TEXT}line-break":
            parts.append("\n")
        elif child.tag in {f"{_TEXT}s", f"{_TEXT}tab"}:
            parts.append(" ")
        elif child.tag != f"{_OFFICE}annotation":
            parts.append(_odt_text(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _epub(archive: _Archive, first: int) -> Extracted:
    root = archive.xml("META-INF/container.xml").find(f".//{_CONTAINER}rootfile")
    place = root.get("full-path", "") if root is not None else ""
    package = archive.xml(place)
    files = {
        item.get("id", ""): posixpath.join(posixpath.dirname(place), unquote(item.get("href", "")))
        for item in package.iter(f"{_OPF}item")
    }
    chapters = [files.get(ref.get("idref", ""), "") for ref in package.iter(f"{_OPF}itemref")]
    texts: list[str] = []
    done = first
    for name in chapters[first:]:
        read = extract_html(archive.read(posixpath.normpath(name)), "", "application/xhtml+xml")
        texts += [read.markdown] if read.status is PageStatus.OK else []
        done += 1
        if sum(map(len, texts)) > _PART_CHARACTERS:
            break
    title, date = (package.findtext(f".//{_DC}{name}") for name in ("title", "date"))
    found = _outcome(iter(texts), title, date)
    if found.status is not PageStatus.OK or done == len(chapters):
        return found
    left = Message(
        "Only the first {pages} of the {available} chapters are read.",
        pages=done,
        available=len(chapters),
    )
    return _outcome(iter(texts), title, date, left)


class _ShortHeaders(email.policy.EmailPolicy):
    """Parses the beginning of a header alone: the standard library takes time quadratic in its length."""

    def header_fetch_parse(self, name: str, value: str) -> Any:
        """Return a header as it is asked for."""
        return _parsed_header(name, value[:_HEADER_CHARACTERS])


@lru_cache(_MOST_HEADERS)
def _parsed_header(name: str, value: str) -> Any:
    """Parse a header once: the parser asks for the type of each part several times."""
    return email.policy.default.header_fetch_parse(name, value)


class _Parts:
    """Makes the parts of one message, and no more than any real one has."""

    def __init__(self) -> None:
        self._left = _MOST_PARTS

    def __call__(self, *_: Any, policy: Any = None) -> EmailMessage:
        self._left -= 1
        if self._left < 0:
            raise _TooManyParts(_MOST_PARTS)
        return EmailMessage(policy)


def _mail(data: bytes) -> Extracted:
    if len(_MULTIPART.findall(data)) > _MOST_MULTIPARTS:
        raise _TooManyParts(_MOST_MULTIPARTS)
    policy = cast("email.policy.EmailPolicy[EmailMessage]", _ShortHeaders())
    policy = policy.clone(message_factory=_Parts())
    message = email.message_from_bytes(data, policy=policy)
    named = [f"{name}: {message[name]}" for name in ("From", "To", "Cc", "Date") if message[name]]
    body = message.get_body(("plain", "html"))
    text = ""
    if body is not None and body.get_content_subtype() == "html":
        html = _mail_text(body).encode("utf-8", "replace")
        text = extract_html(html, "", "text/html; charset=utf-8").markdown
    elif body is not None:
        text = _mail_text(body)
    if not (text.strip() or message["Subject"]):
        return empty(PageReason.NO_TEXT, Message("The message has no text."))
    sent = message["Date"].datetime if message["Date"] else None
    date = sent.date().isoformat() if sent else None
    return _outcome(iter(("\n".join(named), text)), message["Subject"], date)


def _mail_text(part: MIMEPart) -> str:
    """Return what is in a part, read as it declares itself, or else as a page of the web is read."""
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    codec = text_codec(part.get_content_charset() or "")
    return data.decode(codec, "replace") if codec else decode_text(data, "")


def _outcome(
    blocks: Iterator[str], title: str | None, date: str | None, detail: Message = NOTHING
) -> Extracted:
    text = tidy_text("\n\n".join(block for block in blocks if block.strip()))
    line = " ".join(tidy_text(str(title or "")).split())[:TITLE_CHARACTERS]
    words = count_words(text)
    if not words:
        return empty(PageReason.NO_TEXT, Message("The file has no text."), title=line)
    day = _DATE.match(date or "")
    published = day.group() if day else None
    return Extracted(
        PageStatus.OK, detail=detail, title=line, markdown=text, words=words, published=published
    )


def _heading(text: str, level: int) -> str:
    line = " ".join(text.split())
    return f"{'#' * min(max(level, 1), _DEEPEST_HEADING)} {line}" if line else ""


def _row(cells: Iterator[str]) -> str:
    return f"| {' | '.join(' '.join(cell.split()).replace('|', '/') for cell in cells)} |"
