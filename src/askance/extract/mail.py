"""Text out of e-mail."""

from __future__ import annotations

import email
import email.policy
import re
from email.message import EmailMessage, MIMEPart
from functools import lru_cache
from typing import Any, cast

from askance.domain.messages import Message
from askance.domain.web import PageReason
from askance.extract.decoding import decode_text, text_codec
from askance.extract.document_text import outcome
from askance.extract.extracted import Extracted, empty
from askance.extract.html import extract_html

_HEADER_CHARACTERS = 1_000
_MOST_HEADERS = 64
_MOST_PARTS = 1_000
# Each line of a message is compared with the boundaries of all parts that it lies in.
_MOST_MULTIPARTS = 100
_MULTIPART = re.compile(rb"multipart/", re.IGNORECASE)


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
    """Return the text of an e-mail, or why it has none."""
    if len(_MULTIPART.findall(data)) > _MOST_MULTIPARTS:
        raise TooManyParts(_MOST_MULTIPARTS)
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
    return outcome(iter(("\n".join(named), text)), message["Subject"], date)


def _mail_text(part: MIMEPart) -> str:
    """Return what is in a part, read as it declares itself, or else as a page of the web is read."""
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    codec = text_codec(part.get_content_charset() or "")
    return data.decode(codec, "replace") if codec else decode_text(data, "")
