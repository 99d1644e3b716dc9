"""What readers of documents share: archives of XML and the relations of their parts, a frame that reads blocks
into Markdown, and the letters of fonts of signs.

Of an archive only what is needed is unpacked, and no more than a bound of it.
"""

from __future__ import annotations

import io
import posixpath
import re
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import unquote
from xml.etree import ElementTree

from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import MOST_PAGE_BLOCKS
from askance.extract.extracted import few_names
from askance.extract.text.decoding import DecodingKind

MOST_UNPACKED_BYTES = 64 * 1_048_576
_CHUNK_BYTES = 65_536
_ENTITY = b"<!ENTITY"
# What no file of a kind is without; an archive of another kind has none of it.
_MARKS = {
    DecodingKind.DOCX: ("word/", "_rels/.rels"),
    DecodingKind.ODT: "content.xml",
    DecodingKind.EPUB: "META-INF/container.xml",
    DecodingKind.PPTX: "ppt/",
    DecodingKind.XLSX: "xl/",
    DecodingKind.ODS: "content.xml",
    DecodingKind.ODP: "content.xml",
}

# Of the flags of a member (APPNOTE, 4.4.4).
_IS_UTF8 = 0x800

Element = ElementTree.Element


_TOO_LONG = 10  # digits
HIDDEN = " (hidden)"
"""Stands behind what a document has and its program does not show."""
# Seen on paper is what has a contrast of 1.1 and more, as #f4f4f4 has.
_WHITE = re.compile("(?:#|[fF]{2})?(?:[fF][5-9a-fA-F]){3}")


class OtherKind(Exception):
    """An archive is a file of another kind than its name says."""


class ArchiveTooLarge(Exception):
    """An archive unpacks to more than it may."""


DAMAGE = (ElementTree.ParseError, zipfile.BadZipFile, zlib.error, ValueError, KeyError, ArchiveTooLarge, OSError, EOFError,
          RuntimeError, NotImplementedError)  # fmt: skip
"""What is raised where a member of an archive cannot be read."""


class Archive:
    """A zip file of a kind, of which so many bytes are unpacked at the most; `unread` are the names of damaged parts.

    Raises:
        OtherKind: it is a file of another kind.
    """

    def __init__(self, data: bytes, kind: DecodingKind) -> None:
        self._zip = zipfile.ZipFile(io.BytesIO(data))
        names = [_shown_name(member) for member in self._zip.infolist()]
        if not any(name.startswith(_MARKS[kind]) for name in names):
            raise OtherKind(kind.upper())
        # Some programs write other letters, or strokes, than they name a member by.
        # Of two members with one name the first counts.
        stored = zip(names, self._zip.namelist(), strict=True)
        self._names = {_plain_name(name): member for name, member in reversed(list(stored))}
        self._left = MOST_UNPACKED_BYTES
        self.unread: list[str] = []

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all members."""
        return tuple(self._names.values())

    def has(self, name: str) -> bool:
        """Whether there is a member of that name."""
        return _plain_name(name) in self._names

    def read(self, name: str) -> bytes:
        """Return what is in a member; empty if there is none of that name."""
        stored = self._names.get(_plain_name(name))
        if stored is None:
            return b""
        # The size in the list of an archive is what its writer put there, so it is not asked.
        member = self._zip.open(stored)
        with member:
            found = member.read(self._left + 1)
        if len(found) > self._left:
            raise ArchiveTooLarge
        self._left -= len(found)
        return found

    def xml(self, name: str) -> Element:
        """Return a member that is XML. One that defines entities is refused: no such file needs any."""
        found = self.read(name)
        _refuse_entities(found)
        return ElementTree.fromstring(found or b"<nothing/>")  # noqa: S314 - in a confined process

    def elements(self, name: str, *wanted: str) -> Iterator[Element]:
        """Yield the elements of some names in a member that is XML, while it is read: each is emptied behind it.

        So what may have millions of them needs no more memory than one. Where a member is damaged, or too large, those
        before are yielded, and it is unread.
        """
        parser: ElementTree.XMLPullParser[Element] = ElementTree.XMLPullParser(("end",))
        try:
            for chunk in self._chunks(name):
                parser.feed(chunk)
                for _, element in cast("Iterator[tuple[str, Element]]", parser.read_events()):
                    if element.tag.endswith(wanted) and local_name(element) in wanted:
                        yield element
                        element.clear()
            parser.close()
        except DAMAGE:
            self.unread.append(name)

    def _chunks(self, name: str) -> Iterator[bytes]:
        stored = self._names.get(_plain_name(name))
        end = b""
        with self._zip.open(stored) if stored else io.BytesIO(b"<nothing/>") as member:
            while chunk := member.read(_CHUNK_BYTES):
                self._left -= len(chunk)
                if self._left < 0:
                    raise ArchiveTooLarge
                _refuse_entities(end + chunk)
                end = chunk[-2 * len(_ENTITY) :]
                yield chunk

    def part(self, name: str) -> Element:
        """Return a member that is XML; an empty element for one that is not there, or is damaged."""
        try:
            return self.xml(name)
        except DAMAGE:
            self.unread.append(name)
            return Element("nothing")


def _shown_name(member: zipfile.ZipInfo) -> str:
    """Return the name of a member, which many programs write in UTF-8 and do not say so."""
    if member.flag_bits & _IS_UTF8:
        return member.filename
    with suppress(UnicodeError):
        return member.filename.encode("cp437").decode("utf-8")
    return member.filename


def _refuse_entities(data: bytes) -> None:
    # Entities within entities make gigabytes of a kilobyte. In UTF-16 each letter has an empty byte.
    if _ENTITY in data.replace(b"\0", b""):
        raise ValueError("it defines entities")


def _plain_name(name: str) -> str:
    # macOS writes letters and their accents apart.
    return unicodedata.normalize("NFC", name.replace("\\", "/").lstrip("/").casefold())


# How the parts of an Office Open XML file (DOCX, XLSX, PPTX) name each other.


@dataclass(frozen=True, slots=True)
class Relation:
    """What a part says of another: the last word of its type, and the other part's name."""

    kind: str
    target: str


def local_name(element: Element) -> str:
    """Return the name of an element without its namespace, of which there are two for each format."""
    tag = element.tag
    return tag[tag.rfind("}") + 1 :]


def attribute(element: Element | None, name: str, default: str = "") -> str:
    """Return an attribute by its name without its namespace; the default where there is no element, too."""
    # "Strict" files have the names of ECMA's standard in namespaces of their own.
    end = f"}}{name}"
    for key, value in element.items() if element is not None else ():
        if key == name or key.endswith(end):
            return value
    return default


def child_of(element: Element | None, *names: str) -> Element | None:
    """Return the first descendant on a path of names without namespaces."""
    found = element
    for name in names:
        if found is None:
            return None
        found = next((child for child in found if local_name(child) == name), None)
    return found


def value_of(element: Element | None, *names: str) -> str:
    """Return the value of a property on a path of names; empty where it is not there."""
    return attribute(child_of(element, *names), "val")


def parts_of(element: Element | None, *names: str) -> Iterable[Element]:
    """Return what stands in the first descendant on a path of names."""
    found = child_of(element, *names)
    return found if found is not None else ()


def number_in(text: str, otherwise: int = 0) -> int:
    """Return a whole number of nine digits at the most, what is given where a text is none."""
    is_number = text.isascii() and text.isdecimal() and len(text) < _TOO_LONG
    return int(text) if is_number else otherwise


def is_on(element: Element | None) -> bool:
    """Whether a property that may be switched off by its value is there, and on."""
    return element is not None and attribute(element, "val", "1") not in {"0", "false", "off"}


def is_white(colour: str) -> bool:
    """Whether a colour, in hexadecimal digits with or without a sign or an alpha before them, is that of paper."""
    return _WHITE.fullmatch(colour) is not None


def relations_of(archive: Archive, part: str) -> Mapping[str, Relation]:
    """Return the relations of a part by their numbers; those of the whole file for an empty name.

    What stands outside of the file is none of its parts.
    """
    folder, name = posixpath.split(part)
    found: dict[str, Relation] = {}
    for relation in archive.part(posixpath.join(folder, "_rels", f"{name}.rels")):
        if attribute(relation, "TargetMode") == "External":
            continue
        target = unquote(attribute(relation, "Target"))
        # From a root, so that no `..` leads out of the archive.
        place = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        kind = attribute(relation, "Type").rpartition("/")[2]
        found[attribute(relation, "Id")] = Relation(kind, place)
    return found


def target_of(relations: Mapping[str, Relation], kind: str, default: str = "") -> str:
    """Return the name of the first part of a kind."""
    return next((r.target for r in relations.values() if r.kind == kind), default)


def unrelated_parts(
    archive: Archive, part: str, relations: Mapping[str, Relation], kinds: Container[str]
) -> dict[str, Relation]:
    """Return the parts beside one that no relation names, where what they are usually called is one of `kinds`."""
    folder = posixpath.dirname(part)
    known = {relation.target for relation in relations.values()}
    found: dict[str, Relation] = {}
    for name in archive.names:
        # What such parts are usually called: `header1.xml`, `footnotes.xml`.
        kind = posixpath.splitext(posixpath.basename(name))[0].rstrip("0123456789")
        if posixpath.dirname(name) == folder and kind in kinds and name not in known:
            found[name] = Relation(kind, name)
    return found


# What documents of all formats come to: Markdown of blocks, with a title and a date.


def title_and_day(about: Element, day: str) -> tuple[str, str]:
    """Return the title of a document, and a day of it by its name, as the part about it has them."""
    values = {local_name(field): field.text or "" for field in about.iter()}
    return values.get("title", ""), values.get(day, "")


_BETWEEN_BLOCKS = re.compile(r"\n\n")
DEEPEST = 300
"""So many elements within each other are read one by one; what is deeper, as one text."""
# Fonts of signs have these for their own.
_PRIVATE_USE = range(0xE000, 0xF900)
SIGN_FONTS = frozenset({"Symbol", "Wingdings", "Wingdings 2"})
"""Fonts of which it is known what their letters show."""
# What people type: Word makes arrows of "-->" and a face of ":-)", and offers ticks and boxes; forms have those of both.
_WINGDINGS = {
    0x28: "\u260e", 0x2A: "\u2709", 0x46: "\u261e", 0x6C: "\u25cf", 0x6E: "\u25a0", 0x71: "\u2751", 0x76: "\u2756", 0x78: "\u2612",
    0xA7: "\u25aa", 0xD8: "\u27a2", 0x4A: "\u263a", 0x4C: "\u2639", 0x6F: "\u2610", 0xA8: "\u2610", 0xDF: "\u2190", 0xE0: "\u2192", 0xE1: "\u2191",
    0xE2: "\u2193", 0xE8: "\u2794", 0xFB: "\u2718", 0xFC: "\u2714", 0xFD: "\u2612", 0xFE: "\u2611",
}  # fmt: skip
_WINGDINGS_2 = {
    0x4F: "\u2717", 0x50: "\u2713", 0x51: "\u2612", 0x52: "\u2611", 0x53: "\u2612", 0x54: "\u2612", 0xA2: "\u25a0", 0xA3: "\u2610",
    0xAE: "\u2610",
}  # fmt: skip
_NAMES_OF_CHARTS = frozenset({"strCache", "multiLvlStrCache", "strDim"})
_SIGNS = {"Wingdings": _WINGDINGS, "Wingdings 2": _WINGDINGS_2}
_LINES = frozenset({"p", "h", "tab", "br", "tc", "table-cell"})


def markdown_row(cells: Iterator[str]) -> str:
    """Return a row of a table on one line."""
    return f"| {' | '.join(' '.join(cell.split()) for cell in cells)} |"


def comment_label(author: str) -> str:
    """Return what a comment begins with: it is a quote of who wrote it."""
    name = " ".join(author.split())
    return f"> {name}:" if name else ">"


def drop_repeated(out: list[str], start: int, seen: set[str]) -> None:
    """Drop those of the blocks that were added which are among those seen before, and remember the others."""
    out[start:] = [text for text in out[start:] if text not in seen]
    seen.update(out[start:])


def letters_of_signs(font: str, text: str) -> str:
    """Return the letters that a text shows in a font of signs, whose own are for private use; none where they are not known."""
    return "".join(
        _letter_of_sign(font, letter) if ord(letter) in _PRIVATE_USE else letter for letter in text
    )


def _letter_of_sign(font: str, letter: str) -> str:
    number = ord(letter) & 0xFF
    if font == "Symbol":
        from pypdf._codecs import charset_encoding  # noqa: PLC0415 - few files have such letters

        found = charset_encoding["/Symbol"][number]
        return "" if ord(found) in _PRIVATE_USE or found < " " else found
    return _SIGNS.get(font, {}).get(number, "")


@dataclass(slots=True)
class DocumentLine:
    """A paragraph as it is read: its text, and the blocks that hang on it."""

    parts: list[str] = field(default_factory=list[str])
    blocks: list[Element] = field(default_factory=list[Element])


class BlockReader:
    """Reads the parts of one file into blocks of Markdown, `out`. What each element is a format says."""

    def __init__(self, archive: Archive) -> None:
        self.out: list[str] = []
        self._archive = archive
        self._tables = 0

    def _block(self, element: Element, depth: int) -> None:
        """Read what stands between paragraphs, whatever holds it."""
        raise NotImplementedError

    def _children(self, parent: Iterable[Element], depth: int) -> None:
        for child in parent:
            self._block(child, depth + 1)

    def _labelled(self, label: str, element: Iterable[Element]) -> None:
        """Read a note or a comment behind what it is called by."""
        start = len(self.out)
        self._children(element, 0)
        texts = [text for text in self.out[start:] if text.strip()]
        self.out[start:] = [f"{label} {texts[0].lstrip()}", *texts[1:]] if texts else []

    def _put_table(self, rows: Iterable[Iterable[Element | None]], depth: int) -> None:
        """Add a table. None is a place that another cell covers: what stands behind it stays below the head of its column.

        A table of one column, or with tables in it, is made for how a page looks: its cells are text as any other.
        Each block is so written into a row once, however deep it stands.
        """
        out, start = self.out, len(self.out)
        # By this count a table tells that another was read within it, however deep.
        self._tables = tables = self._tables + 1
        is_layout = True
        spans: list[list[tuple[int, int]]] = []
        for row in rows:
            cells: list[tuple[int, int]] = []
            count = covered = 0
            for cell in row:
                if cell is None:
                    covered += 1
                    continue
                begin = len(out)
                self._children(cell, depth + 1)
                # A covered place is an empty cell, unless nothing stands behind it in its row.
                cells += [(begin, begin)] * covered
                cells.append((begin, len(out)))
                count, covered = count + 1, 0
            is_layout &= count < 2
            spans.append(cells)
        if self._tables > tables or is_layout:
            return
        shown = [row for row in spans if any(text.strip() for a, b in row for text in out[a:b])]
        lines = [markdown_row(" ".join(out[a:b]) for a, b in row) for row in shown]
        out[start:] = ["\n".join(lines)]


def inner_parts(
    parent: Element, names: Container[str], is_passed: Callable[[str], bool], depth: int = 0
) -> Iterator[Element]:
    """Yield the rows of a table or the cells of a row, and not those of tables within them."""
    for child in parent:
        found = local_name(child)
        if found in names:
            yield child
        elif depth < DEEPEST and not is_passed(found):
            yield from inner_parts(child, names, is_passed, depth + 1)


def flat_text(element: Element) -> str:
    """Return all text within an element of Word or OpenDocument, its lines apart."""
    parts: list[str] = []
    for part in element.iter():
        name = part.tag.rpartition("}")[2]
        if name in _LINES:
            parts.append(" ")
        if name == "t":
            parts.append(part.text or "")
    return " ".join("".join(parts).split())


def drawn_texts(drawing: Element) -> Iterator[str]:
    """Yield the words of a drawing, a diagram or a chart, and the names of a chart's series and categories."""
    for part in drawing.iter():
        name = local_name(part)
        if name == "p":
            pieces = ((local_name(t), t.text or "") for t in part.iter())
            yield "".join(" " if of == "br" else text for of, text in pieces if of in {"t", "br"})
        elif name in _NAMES_OF_CHARTS:
            # In charts of Office 2016 and later a point has no element for its value.
            values = (v.text or "" for v in part.iter() if local_name(v) in {"v", "pt"})
            yield " | ".join(value for value in values if value.strip())


def drop_fallbacks(root: Element) -> Element:
    """Return what is drawn without what older programs draw in place of what they do not know: the same, or an excuse."""
    for both in [part for part in root.iter() if local_name(part) == "AlternateContent"]:
        names = {local_name(part) for part in both[0].iter()} if len(both) > 1 else set[str]()
        if "graphicFrame" in names or any(t.text for t in both[0].iter() if local_name(t) == "t"):
            both[1:] = []
    return root


def unread_parts(names: Sequence[str]) -> Message:
    """Return that parts of a file could not be read; nothing if there are none."""
    if not names:
        return NOTHING
    return Message("Parts of the file could not be read: {names}.", names=few_names(names))


def end_of_part(text: str, most: int) -> int:
    """Return where a text is cut so that the first part has so many characters and blocks at the most."""
    end = min(len(text), most)
    if end < len(text) and (between := text.rfind("\n\n", end // 2, end)) > 0:
        end = between
    for blocks, found in enumerate(_BETWEEN_BLOCKS.finditer(text, 0, end), start=1):
        if blocks == MOST_PAGE_BLOCKS - 1:
            return found.start()
    return end
