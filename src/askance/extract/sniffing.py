"""What a page's bytes are. Their first ones are believed before the header is."""

from __future__ import annotations

import re
from enum import StrEnum


class Kind(StrEnum):
    """How bytes are to be read."""

    HTML = "html"
    PDF = "pdf"
    MARKDOWN = "markdown"
    PLAIN = "plain"
    BINARY = "binary"


_SNIFFED_BYTES = 1024
# PDF readers accept the mark anywhere in the first kilobyte, and some servers put junk before it.
_PDF = b"%PDF-"
_BINARY = (
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b",
    b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!", b"\x7fELF", b"MZ", b"\xca\xfe\xba\xbe", b"ID3",
    b"OggS", b"fLaC", b"\x00\x00\x01\x00", b"\x1a\x45\xdf\xa3", b"wOFF", b"wOF2", b"\x00asm",
    b"\xd0\xcf\x11\xe0", b"SQLite format 3", b"%!PS", b"{\\rtf", b"\x28\xb5\x2f\xfd",
)  # fmt: skip
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_HTML = re.compile(rb"<(?:!doctype html|html|head|body|title|meta|script|div|p|h1|article|table)\b",
                   re.IGNORECASE)  # fmt: skip
_TEXT_TYPES = {
    "text/plain": Kind.PLAIN,
    "text/csv": Kind.PLAIN,
    "text/markdown": Kind.MARKDOWN,
    "text/x-markdown": Kind.MARKDOWN,
}
# Control bytes that no encoding of text uses; a few come from damage, many from a binary.
_CONTROL = bytes({*range(0x20)} - {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1B})
CONTROL_SHARE = 0.01


def kind_of(data: bytes, content_type: str) -> Kind:
    """Return what the bytes are, by their signature, and where they have none by the header."""
    start = data[:_SNIFFED_BYTES]
    if _PDF in start and not _HTML.search(start[: start.index(_PDF)]):
        return Kind.PDF
    media_type = content_type.partition(";")[0].strip().lower()
    if _is_binary(start) or media_type == "application/pdf":
        return Kind.BINARY
    return _TEXT_TYPES.get(media_type, Kind.HTML)


def _is_binary(start: bytes) -> bool:
    if start.startswith(_WIDE_MARKS):
        return False
    if start.lstrip().startswith(_BINARY):
        return True
    return len(start) - len(start.translate(None, _CONTROL)) > CONTROL_SHARE * len(start)
