"""What a page's bytes are, and from bytes to text, where neither the header nor the page can be trusted."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from enum import StrEnum

from charset_normalizer import from_bytes

from askance.extract.code_pages import code_page_of
from askance.extract.pdf_repair import has_objects


class DecodingKind(StrEnum):
    """How bytes are to be read."""

    HTML = "html"
    PDF = "pdf"
    MARKDOWN = "markdown"
    PLAIN = "plain"
    SOURCE = "source"
    DOCX = "docx"
    ODT = "odt"
    EPUB = "epub"
    PPTX = "pptx"
    XLSX = "xlsx"
    ODS = "ods"
    ODP = "odp"
    RTF = "rtf"
    FB2 = "fb2"
    NOTEBOOK = "ipynb"
    MAIL = "mail"
    BOOKMARKS = "bookmarks"
    BINARY = "binary"


_SNIFFED_BYTES = 1024
_FIRST = re.compile(r";\s?first=(\d{1,9})")
# PDF readers accept the mark anywhere in the first kilobyte, and some servers put junk before it.
_PDF = b"%PDF-"
_OLE = b"\xd0\xcf\x11\xe0"
_BINARY = (
    b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b",
    b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!", b"\x7fELF", b"MZ", b"\xca\xfe\xba\xbe", b"ID3",
    b"OggS", b"fLaC", b"\x00\x00\x01\x00", b"\x1a\x45\xdf\xa3", b"wOFF", b"wOF2", b"\x00asm",
    _OLE, b"SQLite format 3", b"%!PS", b"{\\rtf", b"\x28\xb5\x2f\xfd",
)  # fmt: skip
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_HTML = re.compile(rb"<(?:!doctype html|html|head|body|title|meta|script|div|p|h1|article|table)\b",
                   re.IGNORECASE)  # fmt: skip
_TEXT_TYPES = {
    "text/plain": DecodingKind.PLAIN,
    "text/csv": DecodingKind.PLAIN,
    "text/markdown": DecodingKind.MARKDOWN,
    "text/x-markdown": DecodingKind.MARKDOWN,
    "text/x-source": DecodingKind.SOURCE,
    "text/x-bookmarks": DecodingKind.BOOKMARKS,
}
_ARCHIVES = {
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": DecodingKind.DOCX,
    "application/vnd.oasis.opendocument.text": DecodingKind.ODT,
    "application/epub+zip": DecodingKind.EPUB,
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": DecodingKind.PPTX,
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": DecodingKind.XLSX,
    "application/vnd.oasis.opendocument.spreadsheet": DecodingKind.ODS,
    "application/vnd.oasis.opendocument.presentation": DecodingKind.ODP,
}
# What files of some kinds begin with, behind white space.
_BEGINNINGS = {
    "application/rtf": (DecodingKind.RTF, b"{\\rtf"),
    "application/x-fictionbook+xml": (DecodingKind.FB2, b"<"),
    "application/x-ipynb+json": (DecodingKind.NOTEBOOK, b"{"),
}
_ARCHIVE = b"PK\x03\x04"
_PDF_TYPE = "application/pdf"
_MAIL = "message/rfc822"
# In UTF-16, markup and Western text have an empty byte in every character; other scripts have none of those.
WIDE_SHARE = 0.3
# Control bytes that no encoding of text uses; a few come from damage, many from a binary.
_CONTROL = bytes({*range(0x20)} - {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1B})
CONTROL_SHARE = 0.01
# So many strayed into a text, however short it is.
STRAY_CONTROLS = 2
# Signatures that are words: a text may begin with them.
_WORDS = (b"GIF8", b"RIFF", b"BZh", b"Rar!", b"MZ", b"ID3", b"OggS", b"fLaC", b"wOFF", b"wOF2")

_DECLARED = re.compile(
    rb"""charset\s{0,20}=\s{0,20}["']?\s{0,20}([A-Za-z0-9_:.\-]+)""", re.IGNORECASE
)
_IN_HEADER = re.compile(
    r"""charset\s{0,20}=\s{0,20}["']?\s{0,20}([A-Za-z0-9_:.\-]+)""", re.IGNORECASE
)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Browsers read these labels as the larger set that pages really use (WHATWG Encoding, 4.2).
_READ_AS = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "tis-620": "cp874",
}
# Labels of code pages that Python has under their numbers alone.
_ALIAS = re.compile(r"^(?:windows|dos|ms|ibm)-?(\d{3,5})$")
# Codecs of names and of source code; that of domain names takes time quadratic in the length of a text.
_NO_CHARSETS = frozenset({"punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined"})
# How far into a page browsers look for a declaration is 1,024 bytes; pages with long comments at
# their head are common enough to look further.
DECLARATION_BYTES = 4096
# UTF-8 with one broken byte among so many good sequences is UTF-8 that was cut or pasted into.
BROKEN_SHARE = 0.02
# In Western text an accented letter stands alone between plain ones; in other scripts such bytes
# stand in runs.
WESTERN_RUN_SHARE = 0.5
# Fewer bytes may mean anything in the scripts whose letters take several.
FEW_LETTERS = 12
_HIGH = re.compile(rb"[\x80-\xff]")
# Escapes that change to Japanese letters.
_ISO_2022_JP = re.compile(rb"\x1b\$(?:[B@]|\([DOPQ])")
_HIGH_RUN = re.compile(rb"[\x80-\xff]{2,}")
# Enough for the detector to count letters in, little enough for it to take some milliseconds.
SAMPLE_BYTES = 8192


def kind_of(data: bytes, content_type: str) -> DecodingKind:
    """Return what the bytes are: their signature is believed before the header is."""
    start = data[:_SNIFFED_BYTES]
    media_type = content_type.partition(";")[0].strip().lower()
    if _TEXT_TYPES.get(media_type) is DecodingKind.SOURCE and not _is_binary(start):
        return DecodingKind.SOURCE  # code may well speak of a mark
    if media_type in _ARCHIVES:
        return _ARCHIVES[media_type] if start.startswith(_ARCHIVE) else DecodingKind.BINARY
    if known := _BEGINNINGS.get(media_type):
        begin = start.removeprefix(codecs.BOM_UTF8).lstrip()
        return known[0] if begin.startswith(known[1]) else DecodingKind.BINARY
    if media_type == _MAIL:
        return DecodingKind.MAIL
    if _PDF in start and not _HTML.search(start[: start.index(_PDF)]):
        return DecodingKind.PDF
    if media_type == _PDF_TYPE and has_objects(data):
        return DecodingKind.PDF
    if media_type in _TEXT_TYPES and b"\0" in start and _is_holed(data):
        start = data.translate(None, b"\0")[:_SNIFFED_BYTES]
    if _is_binary(start) or media_type == _PDF_TYPE:
        return DecodingKind.BINARY
    if media_type.startswith("text/x-") and not _HTML.search(start):
        return _TEXT_TYPES.get(media_type, DecodingKind.PLAIN)  # the code of some language
    return _TEXT_TYPES.get(media_type, DecodingKind.HTML)


def first_of(content_type: str) -> int | None:
    """Return how many pages, chapters, characters … are to be passed over; None for a file as a whole."""
    asked = _FIRST.search(content_type)
    return int(asked[1]) if asked else None


def format_name(content_type: str) -> str:
    """Return what people call a file of a content type that says what its bytes begin with; empty for others."""
    media_type = content_type.partition(";")[0].strip().lower()
    known = {
        **_ARCHIVES,
        _PDF_TYPE: DecodingKind.PDF,
        **{name: kind for name, (kind, _) in _BEGINNINGS.items()},
    }
    return str(known.get(media_type, "")).upper()


def is_ole(data: bytes) -> bool:
    """Whether a file is a container of OLE: what Word wrote before 2007, and what it encrypts."""
    return data.startswith(_OLE)


def decode_text(data: bytes, content_type: str) -> str:
    """Return the text of a page: by its byte order mark, as UTF-8, as declared, or as guessed."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace")
    if name := _wide_codec(data):
        return data.decode(name, "replace")
    if _ISO_2022_JP.search(data, 0, DECLARATION_BYTES):
        with suppress(UnicodeDecodeError):
            return data.decode("iso2022_jp_ext")
    with suppress(UnicodeDecodeError):
        return data.decode("utf-8")
    if _mostly_utf8(data):
        return data.decode("utf-8", "replace")
    for name in _declared(data, content_type):
        try:
            return data.decode(name)
        except UnicodeDecodeError:
            continue
    return data.decode(_guess(data), "replace")


def _wide_codec(data: bytes) -> str:
    """Return the codec of a page in UTF-16 that has no mark of it; empty for another text."""
    start = data[:_SNIFFED_BYTES]
    start = start[: len(start) // 2 * 2]
    if b"\0" not in start or start.startswith((*_WIDE_MARKS, *_BINARY)):
        return ""
    for name, upper, lower in (("utf-16-le", 1, 0), ("utf-16-be", 0, 1)):
        zeros, others = start[upper::2].count(0), start[lower::2].count(0)
        if not others and zeros >= WIDE_SHARE * len(start) / 2:
            text = start.decode(name, "ignore")
            if text.lstrip()[:1] == "<" or "".join(text.split()).isprintable():
                return name
    return ""


def _is_holed(data: bytes) -> bool:
    """Whether a text has zeros in it, as a log has that was being written when the power failed."""
    try:
        text = data.translate(None, b"\0").decode("utf-8")
    except UnicodeDecodeError:
        return False
    return bool(text) and not _wide_codec(data)


def _is_binary(start: bytes) -> bool:
    if start.startswith(_WIDE_MARKS) or _wide_codec(start):
        return False
    controls = len(start) - len(start.translate(None, _CONTROL))
    begin = start.lstrip()
    if begin.startswith(_BINARY) and (controls or not begin.startswith(_WORDS)):
        return True
    return controls > max(STRAY_CONTROLS, CONTROL_SHARE * len(start))


def _mostly_utf8(data: bytes) -> bool:
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    good = len(text) - len(text.encode("ascii", "ignore")) - broken
    return broken <= BROKEN_SHARE * good


def _declared(data: bytes, content_type: str) -> list[str]:
    """Return the codecs named by the header, then by the page. UTF-8 was ruled out before."""
    labels = _IN_HEADER.findall(content_type)
    labels += [label.decode("ascii") for label in _DECLARED.findall(data[:DECLARATION_BYTES])]
    names: list[str] = []
    for label in labels:
        name = text_codec(label)
        if name and name not in {"utf-8", "utf-16", "utf-16-le", "utf-16-be"}:
            names.append(name)
    return names


def text_codec(label: str) -> str:
    """Return the codec that a text is declared to be in, as browsers read the label; empty for one of no text."""
    for name in (label, _ALIAS.sub(r"cp\1", label.lower().removeprefix("x-"))):
        try:
            # Codecs that make no text of bytes, such as `zlib`, are not decoded with.
            b"a".decode(name or "?", "ignore")
            codec = codecs.lookup(name).name
        except (LookupError, ValueError):
            continue
        return "" if codec in _NO_CHARSETS else _READ_AS.get(codec, codec)
    return ""


def _guess(data: bytes) -> str:
    if found := code_page_of(data):
        return found
    high = len(_HIGH.findall(data))
    in_runs = sum(map(len, _HIGH_RUN.findall(data)))
    if in_runs < WESTERN_RUN_SHARE * high or high < FEW_LETTERS:
        return "cp1252"
    first = next(_HIGH.finditer(data)).start()
    best = from_bytes(data[first : first + SAMPLE_BYTES]).best()
    return best.encoding if best else "cp1252"
