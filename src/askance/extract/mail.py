"""Text out of e-mail: all texts of a message in their order, those of messages within it, too."""

from __future__ import annotations

import email
import email.policy
import re
import struct
from collections.abc import Iterator
from datetime import datetime
from email.message import EmailMessage
from email.message import Message as MessagePart
from functools import lru_cache
from typing import Any, cast

from askance.domain.messages import NOTHING, Message
from askance.domain.web import PageReason
from askance.extract.decoding import decode_text, text_codec
from askance.extract.documents import markdown_heading, outcome
from askance.extract.extracted import Extracted, empty
from askance.extract.html import extract_html
from askance.extract.rtf import read_rtf
from askance.extract.text import word_counts

_HEADER_CHARACTERS = 1_000
_MOST_HEADERS = 64
_MOST_PARTS = 1_000
# Each line of a message is compared with the boundaries of all parts that it lies in.
_MOST_MULTIPARTS = 100
_MULTIPART = re.compile(rb"multipart/", re.IGNORECASE)
_DEEPEST = 50
_SHOWN_HEADERS = ("From", "To", "Cc", "Date")
# A plain part that lacks a greater share of the words of the HTML part does not stand for it.
_STUB_SHARE = 0.5
_MOST_NAMES = 50
_NAME_CHARACTERS = 200
# Of a page in a message all is read, as of one in a file.
_URL = "file:///message.html"
_ENRICHED = re.compile(r"</?[A-Za-z][A-Za-z-]{0,30}>")
_PAGES = frozenset({"text/html", "text/x-amp-html", "application/xhtml+xml"})
# Programs that declare plain ASCII write letters in another code page all the same.
_UNDECLARED = frozenset({"", "us-ascii", "ascii"})
_RTF = frozenset({"text/rtf", "application/rtf"})
_SIGNED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
_TNEF_TYPES = frozenset({"application/ms-tnef", "application/vnd.ms-tnef"})
_ENCRYPTED = "multipart/encrypted"
# How a message within another one is encoded as a whole, against the rules.
_ENCODED = frozenset({"base64", "quoted-printable"})
# What the library for e-mail raises where a header is against the rules.
_BROKEN = (LookupError, ValueError, TypeError, AttributeError)


class TooManyParts(Exception):
    """A message has more parts than the number that is given."""


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
            raise TooManyParts(_MOST_PARTS)
        return EmailMessage(policy)


def read_mail(data: bytes) -> Extracted:
    """Return the text of an e-mail, or why it has none. Of files in it the names are part of the text."""
    policy = cast("email.policy.EmailPolicy[EmailMessage]", _ShortHeaders())
    policy = policy.clone(message_factory=_Parts())
    message = _parsed(data, policy)
    is_encrypted = False
    for part in message.walk():
        _unwrap(part)
        kind = part.get_content_type()
        is_encrypted |= kind == _ENCRYPTED or (kind in _SIGNED and is_enveloped(_bytes_of(part)))
    texts = [text for text in _texts(message, 0) if text.strip()]
    if names := list(dict.fromkeys(_file_names(message)))[:_MOST_NAMES]:
        texts.append("\n".join(f"[{name}]" for name in names))
    subject = _header(message, "Subject")
    if not (texts or subject):
        return empty(PageReason.NO_TEXT, Message("The message has no text."))
    detail = Message("The text of the message is encrypted.") if is_encrypted else NOTHING
    return outcome(iter((_shown_headers(message), *texts)), subject, _date(message), detail)


def _parsed(data: bytes, policy: Any) -> MessagePart:
    if len(_MULTIPART.findall(data)) > _MOST_MULTIPARTS:
        raise TooManyParts(_MOST_MULTIPARTS)
    return email.message_from_bytes(data, policy=policy)


def _unwrap(part: MessagePart) -> None:
    """Put in the place of a part the message that it holds in a way of its own, if it does."""
    kind, inner = part.get_content_type(), _inner(part)
    coding = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
    if kind == "message/rfc822" and inner and coding in _ENCODED and not inner[0].keys():
        inner[0]["Content-Transfer-Encoding"] = coding
        data = _bytes_of(inner[0])
    elif kind in _SIGNED:
        data = signed_content(_bytes_of(part))
    elif kind == "application/octet-stream" and _file_name(part).lower().endswith(".eml"):
        data = _bytes_of(part)
    else:
        return
    if data:
        part.replace_header("Content-Type", "message/rfc822")
        part.set_payload([_parsed(data, part.policy)])


def _texts(part: MessagePart, depth: int) -> Iterator[str]:
    """Yield the texts of a part and of those within it, in their order."""
    if depth > _DEEPEST:
        raise TooManyParts(_DEEPEST)
    kind, inner = part.get_content_type(), _inner(part)
    has_other_form = any(one.get_content_type() in _TNEF_TYPES for one in inner)
    if inner and (kind == "multipart/alternative" or has_other_form):
        yield from _fullest([list(_texts(one, depth + 1)) for one in inner], inner)
    elif kind == "message/delivery-status":
        for one in inner:  # some write sentences where only fields should be
            yield "\n".join(f"{name}: {value}" for name, value in one.raw_items())
            yield _decoded(one)
    elif inner:
        for one in inner:
            if kind.startswith("message/"):
                yield markdown_heading(_header(one, "Subject"), 2)
                yield _shown_headers(one)
            yield from _texts(one, depth + 1)
    else:
        yield _text_of(part, kind)


def _fullest(read: list[list[str]], parts: list[MessagePart]) -> list[str]:
    """Return the plain form of several of one text, and what others say that it does not."""
    plain = next((n for n, part in enumerate(parts) if part.get_content_type() == "text/plain"), 0)
    texts = read[plain]
    words = word_counts("\n".join(texts))
    for n, part in enumerate(parts):
        if n == plain or (words and part.get_content_type() == "text/calendar"):
            continue
        for text in read[n]:  # of files beside the other form, too
            others = word_counts(text)
            if (others - words).total() > _STUB_SHARE * others.total():
                texts = [*texts, text]
                words |= others
    return texts


def _text_of(part: MessagePart, kind: str) -> str:
    """Return the text of a part; empty for a file that is not read."""
    if kind in _PAGES:
        return _page_text(_decoded(part))
    if kind in _RTF:
        return read_rtf(_bytes_of(part)).markdown
    if kind in _TNEF_TYPES:
        plain, html, _ = tnef_contents(_bytes_of(part))
        return plain or _page_text(decode_text(html, ""))
    if kind in {"text/enriched", "text/richtext"}:
        return _ENRICHED.sub("", _decoded(part))
    # A message without parts that calls itself one of several is shown as it is.
    return _decoded(part) if kind.startswith(("text/", "multipart/")) else ""


def _page_text(html: str) -> str:
    data = html.encode("utf-8", "replace")
    return extract_html(data, _URL, "text/html; charset=utf-8").markdown


def _decoded(part: MessagePart) -> str:
    """Return what is in a part, read as it declares itself, or else as a page of the web is read."""
    data = _bytes_of(part)
    try:
        charset = part.get_content_charset() or ""
    except _BROKEN:
        charset = ""
    codec = "" if charset in _UNDECLARED else text_codec(charset)
    return data.decode(codec, "replace") if codec else decode_text(data, "")


def _bytes_of(part: MessagePart) -> bytes:
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _inner(part: MessagePart) -> list[MessagePart]:
    payload = part.get_payload()
    return cast("list[MessagePart]", payload) if isinstance(payload, list) else []


def _file_names(message: MessagePart) -> Iterator[str]:
    """Yield the names of the files in a message that are not read."""
    for part in message.walk():
        kind = part.get_content_type()
        text, html, names = tnef_contents(_bytes_of(part)) if kind in _TNEF_TYPES else ("", b"", [])
        if text or html or names:
            yield from (" ".join(name.split())[:_NAME_CHARACTERS] for name in names)
        elif not kind.startswith(("text/", "multipart/", "message/")) and (
            name := _file_name(part)
        ):
            yield name


def _file_name(part: MessagePart) -> str:
    try:
        return " ".join((part.get_filename() or "").split())[:_NAME_CHARACTERS]
    except _BROKEN:
        return ""


def _shown_headers(message: MessagePart) -> str:
    found = ((name, _header(message, name)) for name in _SHOWN_HEADERS)
    return "\n".join(f"{name}: {value}" for name, value in found if value)


def _header(message: MessagePart, name: str) -> str:
    """Return a header as people read it; as it stands where it is against the rules."""
    # Of two headers with one name the first counts, as where the library is asked by name.
    given = {key.lower(): value for key, value in reversed(list(message.raw_items()))}
    raw = str(given.get(name.lower(), ""))[:_HEADER_CHARACTERS].strip()
    try:
        shown = str(message[name] or "").strip()
    except _BROKEN:
        return raw
    # Letters that are not encoded, in a code page that is not named.
    is_broken = "\ufffd" in shown and not raw.isascii()
    # The library keeps bytes beyond ASCII as lone surrogates.
    return decode_text(raw.encode("utf-8", "surrogateescape"), "") if is_broken else shown


def _date(message: MessagePart) -> str | None:
    try:
        header: Any = message["Date"]
        sent: datetime | None = header.datetime if header else None
    except _BROKEN:
        return None
    return sent.date().isoformat() if sent else None


# What lies in parts of an e-mail that are no MIME within: signed ones of S/MIME, and `winmail.dat` of Outlook.
#
# The former are of RFC 5652, the content within the bytes of a signature; the latter of MS-OXTNEF.

# The type of plain content and behind it the tag of content that is there; encrypted content has another tag.
_CONTENT = bytes.fromhex("06092a864886f70d010701a0")
_ENVELOPED = (bytes.fromhex("2a864886f70d010703"), bytes.fromhex("2a864886f70d0109100117"))
_TYPE_WITHIN = 64
_OCTETS, _CHUNKS, _UNENDING = 0x04, 0x24, 0x80

_TNEF_MARK = bytes.fromhex("789f3e22")
_BODY, _FIELDS, _FILE_TITLE, _FILE_FIELDS, _CODE_PAGE = 0x2800C, 0x69003, 0x18010, 0x69005, 0x69007
_PLAIN, _HTML, _LONG_NAME = 0x1000, 0x1013, 0x3707
_STRING, _WIDE_STRING, _OBJECT, _BYTES = 0x1E, 0x1F, 0x0D, 0x102
_SIZES = {2: 4, 3: 4, 4: 4, 0xA: 4, 0xB: 4, 5: 8, 6: 8, 7: 8, 0x14: 8, 0x40: 8, 0x48: 16}
_FIRST_NAMED = 0x8000


def is_enveloped(data: bytes) -> bool:
    """Whether a part of S/MIME is encrypted."""
    return any(kind in data[:_TYPE_WITHIN] for kind in _ENVELOPED)


def signed_content(data: bytes) -> bytes:
    """Return what was signed, where it lies in the signature; empty where it does not, or is encrypted."""
    # Not all of ASN.1 is parsed: this stands before the content of every signature (RFC 5652, 5.2).
    if (found := data.find(_CONTENT)) < 0:
        return b""
    try:
        _, place = _asn1_length(data, found + len(_CONTENT))
        kind = data[place]
        size, place = _asn1_length(data, place + 1)
        if kind == _OCTETS:
            return data[place : place + size]
        end = len(data) if size < 0 else place + size
        parts: list[bytes] = []
        while kind == _CHUNKS and place < end and data[place] == _OCTETS:
            size, place = _asn1_length(data, place + 1)
            parts.append(data[place : place + size])
            place += size
        return b"".join(parts)
    except IndexError:
        return b""


def _asn1_length(data: bytes, place: int) -> tuple[int, int]:
    """Return how long a value is, -1 where that is marked by its end, and where it begins."""
    size = data[place]
    # X.690, 8.1.3: up to 127 in this byte, or in so many bytes behind it; 0x80 for no length.
    if size < _UNENDING:
        return size, place + 1
    if size == _UNENDING:
        return -1, place + 1
    begin = place + 1 + size - _UNENDING
    return int.from_bytes(data[place + 1 : begin]), begin


def tnef_contents(data: bytes) -> tuple[str, bytes, list[str]]:
    """Return the plain text of a `winmail.dat`, that in HTML, and the names of the files in it."""
    plain, html, names = b"", b"", list[str]()
    codec = "cp1252"
    for kind, value in _tnef_attributes(data):
        fields = dict(_tnef_fields(value, codec)) if kind in {_FIELDS, _FILE_FIELDS} else {}
        if kind == _CODE_PAGE:
            codec = text_codec(f"cp{int.from_bytes(value[:4], 'little')}") or codec
        elif kind == _BODY:
            plain = value
        elif kind == _FIELDS:
            plain, html = plain or fields.get(_PLAIN, b""), fields.get(_HTML, b"")
        elif kind == _FILE_TITLE:
            names.append(_tnef_text(value, codec))
        elif names and _LONG_NAME in fields:
            names[-1] = _tnef_text(fields[_LONG_NAME], codec)
    return _tnef_text(plain, codec), html, names


def _tnef_text(value: bytes, codec: str) -> str:
    return value.rstrip(b"\0").decode(codec, "replace")


def _tnef_attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    place = 6
    # Behind the mark stands a key of two bytes, behind each value a check sum of two.
    while data.startswith(_TNEF_MARK) and place + 9 <= len(data):
        _, kind, size = struct.unpack_from("<BII", data, place)
        place += 9
        yield kind, data[place : place + size]
        place += size + 2


def _tnef_fields(data: bytes, codec: str) -> Iterator[tuple[int, bytes]]:
    """Yield the fields of a message or a file that are texts or bytes, as far as they are whole."""
    place = 4
    try:
        for _ in range(int.from_bytes(data[:4], "little")):
            kind, name = struct.unpack_from("<HH", data, place)
            place += 4
            # A named property: 16 bytes of its set, then a number or a text, padded to four.
            if name >= _FIRST_NAMED:
                (is_text,) = struct.unpack_from("<I", data, place + 16)
                (size,) = struct.unpack_from("<I", data, place + 20)
                place += 24 + (-(-size // 4) * 4 if is_text else 0)
            # Sizes of fixed types are not written down (MS-OXCDATA, 2.11.1).
            if kind in _SIZES:
                place += _SIZES[kind]
                continue
            if kind not in {_STRING, _WIDE_STRING, _OBJECT, _BYTES}:
                return
            (values,) = struct.unpack_from("<I", data, place)
            place += 4
            for _ in range(values):
                (size,) = struct.unpack_from("<I", data, place)
                value = data[place + 4 : place + 4 + size]
                if kind == _WIDE_STRING:
                    value = value.decode("utf-16-le", "replace").encode(codec, "replace")
                yield name, value
                place += 4 + -(-size // 4) * 4
    except struct.error:
        return
