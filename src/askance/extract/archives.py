"""Archives of XML: of one only what is needed is unpacked, and no more than a bound of it."""

from __future__ import annotations

import io
import zipfile
import zlib
from xml.etree import ElementTree

from askance.extract.decoding import DecodingKind

MOST_UNPACKED_BYTES = 64 * 1_048_576
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

Element = ElementTree.Element


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
        names = self._zip.namelist()
        if not any(name.startswith(_MARKS[kind]) for name in names):
            raise OtherKind(kind.upper())
        # Some programs write other letters, or strokes, than they name a member by.
        self._names = {_plain_name(name): name for name in reversed(names)}
        self._left = MOST_UNPACKED_BYTES
        self.unread: list[str] = []

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all members."""
        return tuple(self._names.values())

    def read(self, name: str) -> bytes:
        """Return what is in a member; empty if there is none of that name."""
        stored = self._names.get(_plain_name(name))
        if stored is None:
            return b""
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
        if b"<!ENTITY" in found:
            raise ValueError("it defines entities")
        return ElementTree.fromstring(found or b"<nothing/>")  # noqa: S314 - in a confined process

    def part(self, name: str) -> Element:
        """Return a member that is XML; an empty element for one that is not there, or is damaged."""
        try:
            return self.xml(name)
        except DAMAGE:
            self.unread.append(name)
            return Element("nothing")


def _plain_name(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").casefold()
