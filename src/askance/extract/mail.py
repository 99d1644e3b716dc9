"""Text out of e-mail: all texts of a message in their order, those of messages within it, too."""

from __future__ import annotations

import email
import email.policy
import re
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
from askance.extract.mail_wrappings import is_enveloped, signed_content, tnef_contents
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
# A file as mail had it before MIME, and some programs still write it: "begin 644 boat.png", lines of 45 bytes, "end".
_UUENCODED = re.compile(
    r"^begin [0-7]{3,4} (?P<name>[^\r\n]{1,200})\r?\n(?P<first>[ -`]{2,63})\r?\n(?:[ -`]{0,63}\r?\n|)*+end[ \t]*\r?$",
    re.MULTILINE,
)
_PAGES = frozenset({"text/html", "text/x-amp-html", "application/xhtml+xml"})
# Programs that declare plain ASCII write letters in another code page all the same.
_UNDECLARED = frozenset({"", "us-ascii", "ascii"})
_RTF = frozenset({"text/rtf", "application/rtf"})
_SIGNED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
_TNEF = frozenset({"application/ms-tnef", "application/vnd.ms-tnef"})
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
    has_other_form = any(one.get_content_type() in _TNEF for one in inner)
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
        return _rtf_text(_bytes_of(part))
    if kind in _TNEF:
        plain, html, rtf, _ = tnef_contents(_bytes_of(part))
        return plain or _page_text(decode_text(html, "")) or _rtf_text(rtf)
    if kind in {"text/enriched", "text/richtext"}:
        return _ENRICHED.sub("", _decoded(part))
    # A message without parts that calls itself one of several is shown as it is.
    return _with_files_named(_decoded(part)) if kind.startswith(("text/", "multipart/")) else ""


def _with_files_named(text: str) -> str:
    """Return a text with the names of files that stand in it as lines of uuencode, in their place."""
    return _UUENCODED.sub(_name_of_uuencoded, text)


def _name_of_uuencoded(found: re.Match[str]) -> str:
    length = (ord(found["first"][0]) - 0x20) & 0x3F
    expected = 1 + 4 * -(-length // 3)
    # Some programs write a checksum behind each line, others leave out blanks at its end.
    is_line = expected - 3 <= len(found["first"]) <= expected + 1
    return f"[{found['name'].strip()}]" if is_line else found[0]


def _rtf_text(data: bytes) -> str:
    try:
        return read_rtf(data).markdown if data else ""
    except ValueError:  # nested too deep: that costs this part alone
        return ""


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
        *texts, names = tnef_contents(_bytes_of(part)) if kind in _TNEF else ([],)
        if any(texts) or names:
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
