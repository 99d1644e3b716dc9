"""Text out of e-mail: all texts of a message in their order, those of messages within it, too."""

from __future__ import annotations

import email
import email.policy
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from email.message import Message as MessagePart
from email.policy import Policy
from email.utils import parsedate_to_datetime
from functools import partial
from time import process_time
from typing import Any, cast
from urllib.parse import urljoin

from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import PageReason, PageStatus
from askance.extract.extracted import Extracted, empty, few_names, markdown_heading, outcome
from askance.extract.html.html_page import extract_html
from askance.extract.mail.calendars import contact_text, event_text
from askance.extract.mail.mail_texts import (
    decoded_as,
    from_base64_lines,
    is_enveloped,
    signed_content,
    tnef_contents,
    unflowed,
    with_files_named,
    with_whole_head,
    with_words_decoded,
)
from askance.extract.office.rtf import read_rtf
from askance.extract.text.characters import HAN_AND_KANA, strip_invisible, word_counts
from askance.extract.text.decoding import decode_text

# The standard library takes time quadratic in the length of a header with parameters.
_HEADER_CHARACTERS = 1_000
_SHOWN_CHARACTERS = 10_000
_MOST_PARTS = 1_000
# Each line of a message is compared with the boundaries of all parts that it lies in.
_MOST_MULTIPARTS = 100
_MULTIPART = re.compile(rb"multipart/", re.IGNORECASE)
_DEEPEST = 50
_SHOWN_HEADERS = ("From", "To", "Cc", "Bcc", "Date")
# Of two forms of one text, one that lacks a greater share of the words of the other does not stand for it.
_LACKING_SHARE = 0.1
_ADDRESS = re.compile(r"https?://\S+")
_HAN = re.compile(f"[{HAN_AND_KANA}]")
_MOST_NAMES = 1_000
_NAME_CHARACTERS = 200
# Of a page in a message all is read, as of one in a file.
_URL = "file:///message.html"
# A header that is longer than a line goes on behind a line end and a blank (RFC 5322, 2.2.3).
_FOLD = re.compile(r"\r?\n[ \t]")
_CODING = re.compile(r"^[\s\"']*+|[\s\"';(].*", re.DOTALL)
_SAVED = re.compile(r"<Saved by [^<>]*>")
_ENRICHED = re.compile(r"</?[A-Za-z][A-Za-z-]{0,30}>")
_PAGES = frozenset({"text/html", "text/x-amp-html", "application/xhtml+xml"})
_UNSEEN = frozenset({"text/css", "text/javascript"})
_RTF = frozenset({"text/rtf", "application/rtf"})
_SIGNED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
_TNEF = frozenset({"application/ms-tnef", "application/vnd.ms-tnef"})
_ENCRYPTED = "multipart/encrypted"
_ENCRYPTED_TEXT = "-----BEGIN PGP MESSAGE-----"
# Files that are a part of the text, or say nothing of it: signatures.
_SHOWN_KINDS = _PAGES | _RTF | _SIGNED | frozenset({
    "application/pgp-signature", "application/pgp-encrypted", "application/pgp-keys", "application/pkcs7-signature",
    "application/x-pkcs7-signature",
})  # fmt: skip
# So many files of a message are read, of so many bytes, while they take a part of the time that a message may.
_MOST_FILES, _MOST_FILE_BYTES, _FILES_CPU_S = 50, 64 * 1_048_576, 5.0
# What holds headers alone: what became of a message, and where a part lies.
_FIELDS = frozenset({
    "message/delivery-status", "message/disposition-notification", "message/feedback-report", "message/external-body",
})  # fmt: skip
# How a message within another one is encoded as a whole, against the rules.
_ENCODED = frozenset({"base64", "quoted-printable"})
# What the library for e-mail raises where a header is against the rules.
_BROKEN = (LookupError, ValueError, TypeError, AttributeError)


ReadFile = Callable[[str, str, bytes], Extracted | None]
"""Reads a file by its name, its content type and its bytes; None for one of a kind that is not read."""


class TooManyParts(Exception):
    """A message has more parts than the number that is given."""


class _ShortHeaders(email.policy.Compat32):
    """Gives headers as they stand, and no more of them than has parameters."""

    def header_fetch_parse(self, name: str, value: str) -> str:
        """Return a header as it is asked for."""
        del name
        return value[:_HEADER_CHARACTERS]


class _Part(MessagePart):
    """A part whose parameters may be against the rules."""

    def get_param(
        self,
        param: str,
        failobj: Any = None,
        header: str = "content-type",
        unquote: bool = True,
    ) -> Any:
        """Return a parameter of a header, `failobj` where the library fails to read those that it has."""
        with suppress(*_BROKEN):
            return super().get_param(param, failobj, header, unquote)
        return failobj


class _Parts:
    """Makes the parts of one message, and no more than any real one has."""

    def __init__(self) -> None:
        self._left = _MOST_PARTS

    def __call__(self, *_: Any, policy: Any = None) -> MessagePart:
        self._left -= 1
        if self._left < 0:
            raise TooManyParts(_MOST_PARTS)
        return _Part(policy)


def read_mail(data: bytes, read_file: ReadFile | None = None) -> Extracted:
    """Return the text of an e-mail, or why it has none.

    `read_file` reads the files in it; of those that it does not read the names are part of the text.
    """
    return read_message(_parsed(data, mail_policy()), read_file)


def mail_policy() -> Policy[Any]:
    """Return how a message is made of its parts, of which there are no more than any real one has."""
    return _ShortHeaders().clone(message_factory=_Parts())


def read_message(message: MessagePart, read_file: ReadFile | None = None) -> Extracted:
    """Return what `read_mail` does of a message whose parts are known."""
    is_encrypted = False
    for part in message.walk():
        _unwrap(part)
        kind = part.get_content_type()
        is_encrypted |= kind == _ENCRYPTED or (kind in _SIGNED and is_enveloped(_bytes_of(part)))
    sheets = _sheets(message)
    texts = [text for text in _texts(message, 0, sheets) if text.strip()]
    is_encrypted |= any(text.startswith(_ENCRYPTED_TEXT) for text in texts)
    files = _Files(read_file)
    names = [name for name in dict.fromkeys(_file_names(message, files)) if name not in files.texts]
    texts += [f"{markdown_heading(name, 2)}\n\n{text}" for name, text in files.texts.items()]
    if names := names[:_MOST_NAMES]:
        texts.append("\n".join(f"[{name}]" for name in names))
    subject = _header(message, "Subject")
    if not (texts or subject):
        return empty(PageReason.NO_TEXT, Message("The message has no text."))
    detail = Message("The text of the message is encrypted.") if is_encrypted else NOTHING
    detail = Message.joined(detail, files.left_out)
    return outcome((_shown_headers(message), *texts), subject, _date(message), detail)


class _Files:
    """The files in one message that are no part of its text: `texts` by their names, and which were left out."""

    def __init__(self, read_file: ReadFile | None) -> None:
        self.texts: dict[str, str] = {}
        self._read_file = read_file
        self._left, self._bytes_left = _MOST_FILES, _MOST_FILE_BYTES
        self._unread = dict[str, None]()
        self._ends = process_time() + _FILES_CPU_S

    @property
    def left_out(self) -> Message:
        """Which files were not read, or only in part."""
        if not (n := len(self._unread)):
            return NOTHING
        names = few_names(self._unread)
        return Message("Attachments not read, or only in part: {n} ({names}).", n=n, names=names)

    def add(self, name: str, kind: str, data: bytes) -> None:
        """Read a file, while the message has so few of them that it takes no longer than it may."""
        self._left, self._bytes_left = self._left - 1, self._bytes_left - len(data)
        in_time = min(self._left, self._bytes_left) >= 0 and process_time() < self._ends
        found = self._read_file(name, kind, data) if self._read_file and in_time else None
        if found is not None and found.status is PageStatus.OK:
            before = self.texts.get(name)
            self.texts[name] = f"{before}\n\n{found.markdown}" if before else found.markdown
        if found is None or found.detail or found.status is not PageStatus.OK:
            self._unread[name] = None


def _parsed(data: bytes, policy: Any) -> MessagePart:
    if len(_MULTIPART.findall(data)) > _MOST_MULTIPARTS:
        raise TooManyParts(_MOST_MULTIPARTS)
    return email.message_from_bytes(with_whole_head(data), policy=policy)


def _unwrap(part: MessagePart) -> None:
    """Put in the place of a part the message that it holds in a way of its own, if it does."""
    kind, inner, coding = part.get_content_type(), _inner(part), _coding(part)
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


def _sheets(message: MessagePart) -> dict[str, str]:
    """Return the style sheets that are parts of a message by the addresses that its pages have of them."""
    found: dict[str, str] = {}
    for part in message.walk():
        if part.get_content_type() == "text/css":
            number = f"cid:{str(part.get('Content-ID', '')).strip(' <>')}"
            found[_location(part)] = found[number] = strip_invisible(_decoded(part))
    return found


def _sheet(sheets: Mapping[str, str], place: str, address: str) -> str:
    with suppress(ValueError):  # an address that is none
        return sheets.get(urljoin(place, address), "")
    return ""


def _location(part: MessagePart) -> str:
    return "".join(str(part.get("Content-Location", "")).split())


def _texts(part: MessagePart, depth: int, sheets: Mapping[str, str]) -> Iterator[str]:
    """Yield the texts of a part and of those within it, in their order."""
    if depth > _DEEPEST:
        raise TooManyParts(_DEEPEST)
    kind, inner = part.get_content_type(), _inner(part)
    has_other_form = any(one.get_content_type() in _TNEF for one in inner)
    if inner and (kind == "multipart/alternative" or has_other_form):
        yield from _fullest([list(_texts(one, depth + 1, sheets)) for one in inner], inner)
    elif kind in _FIELDS:
        for one in inner:  # some write sentences where only fields should be
            yield "\n".join(f"{name}: {_shown(value)}" for name, value in one.raw_items())
            yield _decoded(one)
    elif inner:
        for one in inner:
            if kind.startswith("message/"):
                yield markdown_heading(_header(one, "Subject"), 2)
                yield _shown_headers(one)
            yield from _texts(one, depth + 1, sheets)
    else:
        yield _text_of(part, kind, sheets)


def _fullest(read: list[list[str]], parts: list[MessagePart]) -> list[str]:
    """Return the plain form of several of one text, another one that says more, or both."""
    plain = next((n for n, part in enumerate(parts) if part.get_content_type() == "text/plain"), 0)
    texts = read[plain]
    words = _words_of("\n".join(texts))
    for n in range(len(parts)):
        for text in read[n] if n != plain else ():  # of files beside the other form, too
            others = _words_of(text)
            if _lacks(words, others):
                is_more = not _lacks(others, words)
                texts = [text] if is_more else [*texts, text]
                words = others if is_more else words | others
    return texts


def _words_of(text: str) -> Counter[str]:
    # Addresses of links are text in one form alone, and lines end elsewhere, within a word of scripts without spaces.
    return word_counts(_HAN.sub(r" \g<0> ", _ADDRESS.sub("", text)))


def _lacks(words: Counter[str], others: Counter[str]) -> bool:
    return (others - words).total() > _LACKING_SHARE * others.total()


def _text_of(part: MessagePart, kind: str, sheets: Mapping[str, str]) -> str:
    """Return the text of a part; empty for a file that is not read."""
    if kind in _PAGES:
        return _page_text(_decoded(part), partial(_sheet, sheets, _location(part)))
    if kind in _RTF:
        return _rtf_text(_bytes_of(part))
    if kind in _TNEF:
        plain, html, rtf, _ = tnef_contents(_bytes_of(part))
        return plain or _page_text(decode_text(html, "")) or _rtf_text(rtf)
    if kind in {"text/enriched", "text/richtext"}:
        return _ENRICHED.sub("", _decoded(part))
    if kind == "text/calendar":
        return event_text(_decoded(part))
    if kind in {"text/vcard", "text/x-vcard", "text/directory"}:
        return contact_text(_decoded(part))
    if kind in {"text/rfc822-headers", "message/rfc822-headers"}:
        return with_words_decoded(_FOLD.sub(" ", _decoded(part)))
    if kind == "text/plain" and str(part.get_param("format", "")).lower() == "flowed":
        is_glued = str(part.get_param("delsp", "")).lower() == "yes"
        return with_files_named(unflowed(_decoded(part), is_glued=is_glued))
    if kind in _UNSEEN:
        return ""
    # A message without parts that calls itself one of several is shown as it is.
    return with_files_named(_decoded(part)) if kind.startswith(("text/", "multipart/")) else ""


def _rtf_text(data: bytes) -> str:
    try:
        return read_rtf(data).markdown if data else ""
    except ValueError:  # nested too deep: that costs this part alone
        return ""


def _page_text(html: str, sheet_of: Callable[[str], str] | None = None) -> str:
    data = html.encode("utf-8", "replace")
    return extract_html(data, _URL, "text/html; charset=utf-8", sheet_of).markdown


def _decoded(part: MessagePart) -> str:
    """Return what is in a part, read as it declares itself, or else as a page of the web is read."""
    data = _bytes_of(part)
    payload = part.get_payload() if _coding(part) == "base64" else ""
    if isinstance(payload, str) and payload:
        data = from_base64_lines(payload)
    try:
        charset = part.get_content_charset() or ""
    except _BROKEN:
        charset = ""
    return decoded_as(data, charset)


def _coding(part: MessagePart) -> str:
    """Return how a part is encoded, also where that is quoted, or has more behind it."""
    return _CODING.sub("", str(part.get("Content-Transfer-Encoding", "")).lower())


def _bytes_of(part: MessagePart) -> bytes:
    if part.is_multipart():
        return b""
    if "Content-Transfer-Encoding" in part:
        part.replace_header("Content-Transfer-Encoding", _coding(part))
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _inner(part: MessagePart) -> list[MessagePart]:
    return cast("list[MessagePart]", part.get_payload()) if part.is_multipart() else []


def _file_names(message: MessagePart, files: _Files) -> Iterator[str]:
    """Yield the names of the files in a message, and have those read that are no part of its text."""
    for part in message.walk():
        kind = part.get_content_type()
        *texts, inner = tnef_contents(_bytes_of(part)) if kind in _TNEF else ([],)
        if any(texts) or inner:
            for raw, data in inner:
                name = " ".join(raw.split())[:_NAME_CHARACTERS]
                files.add(name, "", data)
                yield name
        elif not kind.startswith(("multipart/", "message/")) and (name := _file_name(part)):
            if not (kind.startswith("text/") or kind in _SHOWN_KINDS or _is_shown_in_text(part)):
                files.add(name, kind, _bytes_of(part))
            yield name


def _is_shown_in_text(part: MessagePart) -> bool:
    """Whether a part is a picture that a page in the message shows."""
    is_medium = part.get_content_maintype() in {"image", "audio", "video"}
    return is_medium and part.get_content_disposition() != "attachment"


def _file_name(part: MessagePart) -> str:
    """Return the name of a file in a message; its kind for one that has none; empty for what is no file."""
    try:
        name = _shown(part.get_filename() or "")[:_NAME_CHARACTERS]
        is_file = part.get_content_disposition() == "attachment"
    except _BROKEN:
        return ""
    return name or (part.get_content_type() if is_file else "")


def _shown_headers(message: MessagePart) -> str:
    found = ((name, _header(message, name)) for name in _SHOWN_HEADERS)
    # A browser that saves a page as a mail names itself.
    return "\n".join(f"{n}: {value}" for n, value in found if value and not _SAVED.match(value))


def _header(message: MessagePart, name: str) -> str:
    """Return a header as people read it."""
    # Of two headers with one name the first counts, as where the library is asked by name.
    given = {key.lower(): value for key, value in reversed(list(message.raw_items()))}
    return _shown(str(given.get(name.lower(), "")))


def _shown(raw: str) -> str:
    """Return a header on one line, its words decoded; letters that are not encoded are in a code page that is not named."""
    # The library keeps bytes beyond ASCII as lone surrogates.
    text = decode_text(raw[:_SHOWN_CHARACTERS].encode("utf-8", "surrogateescape"), "")
    return with_words_decoded(" ".join(text.split()))


def _date(message: MessagePart) -> str | None:
    try:
        return parsedate_to_datetime(_header(message, "Date")).date().isoformat()
    except _BROKEN:
        return None
