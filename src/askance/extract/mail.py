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

from askance.domain.messages import Message
from askance.domain.web import PageReason, PageStatus
from askance.extract.decoding import decode_text, text_codec
from askance.extract.document_text import markdown_heading, outcome
from askance.extract.extracted import Extracted, empty
from askance.extract.html import extract_html
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
    if len(_MULTIPART.findall(data)) > _MOST_MULTIPARTS:
        raise TooManyParts(_MOST_MULTIPARTS)
    policy = cast("email.policy.EmailPolicy[EmailMessage]", _ShortHeaders())
    policy = policy.clone(message_factory=_Parts())
    message = email.message_from_bytes(data, policy=policy)
    texts = [text for text in _texts(message, 0) if text.strip()]
    if names := list(dict.fromkeys(_file_names(message)))[:_MOST_NAMES]:
        texts.append("\n".join(f"[{name}]" for name in names))
    subject = _header(message, "Subject")
    if not (texts or subject):
        return empty(PageReason.NO_TEXT, Message("The message has no text."))
    return outcome(iter((_shown_headers(message), *texts)), subject, _date(message))


def _texts(part: MessagePart, depth: int) -> Iterator[str]:
    """Yield the texts of a part and of those within it, in their order."""
    if depth > _DEEPEST:
        raise TooManyParts(_DEEPEST)
    kind, inner = part.get_content_type(), _inner(part)
    if kind == "multipart/alternative" and inner:
        yield from _fullest([list(_texts(one, depth + 1)) for one in inner], inner)
    elif inner:
        for one in inner:
            if kind.startswith("message/"):
                yield markdown_heading(_header(one, "Subject"), 2)
                yield _shown_headers(one)
            yield from _texts(one, depth + 1)
    elif kind == "message/delivery-status" or kind.startswith("text/"):
        yield _text_of(part)


def _fullest(read: list[list[str]], parts: list[MessagePart]) -> list[str]:
    """Return the plain form of several of one text, and another one that says far more."""
    texts = ["\n".join(texts) for texts in read]
    plain = next((n for n, part in enumerate(parts) if part.get_content_type() == "text/plain"), 0)
    words = word_counts(texts[plain])
    for n, part in enumerate(parts):
        if n == plain or (words and part.get_content_type() == "text/calendar"):
            continue
        others = word_counts(texts[n])
        if (others - words).total() > _STUB_SHARE * others.total():
            return [*read[plain], *read[n]]
    return read[plain]


def _text_of(part: MessagePart) -> str:
    match part.get_content_subtype():
        case "html":
            html = _decoded(part).encode("utf-8", "replace")
            found = extract_html(html, _URL, "text/html; charset=utf-8")
            return found.markdown if found.status is PageStatus.OK else ""
        case "enriched" | "richtext":
            return _ENRICHED.sub("", _decoded(part))
        case _:
            return _decoded(part)


def _decoded(part: MessagePart) -> str:
    """Return what is in a part, read as it declares itself, or else as a page of the web is read."""
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    try:
        codec = text_codec(part.get_content_charset() or "")
    except _BROKEN:
        codec = ""
    return data.decode(codec, "replace") if codec else decode_text(data, "")


def _inner(part: MessagePart) -> list[MessagePart]:
    payload = part.get_payload()
    return cast("list[MessagePart]", payload) if isinstance(payload, list) else []


def _file_names(message: MessagePart) -> Iterator[str]:
    """Yield the names of the files in a message that are not read."""
    for part in message.walk():
        if part.get_content_maintype() in {"text", "multipart", "message"}:
            continue
        try:
            name = " ".join((part.get_filename() or "").split())[:_NAME_CHARACTERS]
        except _BROKEN:
            continue
        if name:
            yield name


def _shown_headers(message: MessagePart) -> str:
    found = ((name, _header(message, name)) for name in _SHOWN_HEADERS)
    return "\n".join(f"{name}: {value}" for name, value in found if value)


def _header(message: MessagePart, name: str) -> str:
    """Return a header as people read it; as it stands where it is against the rules."""
    try:
        return str(message[name] or "").strip()
    except _BROKEN:
        given = {key.lower(): value for key, value in reversed(list(message.raw_items()))}
        return str(given.get(name.lower(), ""))[:_HEADER_CHARACTERS].strip()


def _date(message: MessagePart) -> str | None:
    try:
        header: Any = message["Date"]
        sent: datetime | None = header.datetime if header else None
    except _BROKEN:
        return None
    return sent.date().isoformat() if sent else None
