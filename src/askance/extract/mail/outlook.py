"""Messages that Outlook saved as files (.msg, MS-OXMSG): their parts in the form of an e-mail, which `mail` reads."""

from __future__ import annotations

import io
import struct
from base64 import b64encode
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from email.message import Message as MailMessage
from email.policy import Policy
from email.utils import format_datetime
from typing import Any, cast

from askance.extract.extracted import Extracted
from askance.extract.mail.email_message import ReadFile, mail_policy, read_message
from askance.extract.mail.mail_texts import unpacked_rtf
from askance.extract.text.decoding import text_codec

# What each property is is written in its number (MS-OXPROPS).
_SUBJECT, _PLAIN, _RTF, _HTML = 0x0037, 0x1000, 0x1009, 0x1013
_SENDER, _SENDER_ADDRESSES, _SENT, _CODE_PAGE = 0x0C1A, (0x5D01, 0x0C1F), (0x0039, 0x0E06), 0x3FFD
_NAME, _ADDRESSES, _RECIPIENT_KIND = 0x3001, (0x39FE, 0x3003), 0x0C15
_FILE, _FILE_NAMES, _FILE_TYPE, _CONTENT_ID = 0x3701, (0x3707, 0x3704, 0x3001), 0x370E, 0x3712
_HEADERS = {1: "To", 2: "Cc", 3: "Bcc"}
_STREAM, _ATTACHED, _RECIPIENT = "__substg1.0_", "__attach_version1.0_", "__recip_version1.0_"
_FIXED, _INNER = "__properties_version1.0", f"{_STREAM}3701000D"
_WIDE = 0x1F
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_DEEPEST = 5
_MOST_PARTS = 500

_Path = tuple[str, ...]


def read_outlook(data: bytes, read_file: ReadFile | None = None) -> Extracted:
    """Return the text of a message of Outlook, as `read_mail` does that of an e-mail.

    Raises:
        ImportError: olefile is not installed.
        OSError, ValueError: it is no such file, or is damaged.
    """
    import olefile  # noqa: PLC0415 - few files need it

    file = cast("Any", olefile).OleFileIO(io.BytesIO(data))
    return read_message(_Reader(file, mail_policy()).message((), 0), read_file)


class _Reader:
    """Reads the storages of one file."""

    def __init__(self, file: Any, policy: Policy[Any]) -> None:
        self._file, self._policy = file, policy
        self._inner: defaultdict[_Path, dict[str, None]] = defaultdict(dict)
        for path in file.listdir():
            for n, name in enumerate(path):
                self._inner[tuple(path[:n])][name] = None
        self._codec = "cp1252"
        self._left = _MOST_PARTS

    def message(self, place: _Path, depth: int) -> MailMessage:
        """Return the message in a storage, with those that are attached to it."""
        numbers, values = self._properties(place, 24 if depth else 32)
        self._codec = text_codec(f"cp{numbers.get(_CODE_PAGE, 0)}") or self._codec
        message = self._part("multipart/mixed")
        if sent := next((numbers[key] for key in _SENT if numbers.get(key)), 0):
            message["Date"] = _date(sent)
        message["From"] = self._person(values, _SENDER, _SENDER_ADDRESSES)
        message["Subject"] = self._text(values, _SUBJECT)
        for name in self._named(place, _RECIPIENT):
            kind, person = self._properties((*place, name), 8)
            line = _HEADERS.get(kind.get(_RECIPIENT_KIND, 1), "To")
            before = message[line]
            shown = self._person(person, _NAME, _ADDRESSES)
            del message[line]
            message[line] = f"{before}, {shown}" if before else shown
        body = self._part("multipart/alternative")
        if plain := self._text(values, _PLAIN):
            body.attach(self._part("text/plain; charset=utf-8", plain.encode("utf-8", "replace")))
        if _HTML in values:
            body.attach(self._part("text/html", self._bytes(values, _HTML)))
        if not body.get_payload() and _RTF in values:
            body.attach(self._part("application/rtf", unpacked_rtf(self._bytes(values, _RTF))))
        message.attach(body)
        for name in self._named(place, _ATTACHED):
            message.attach(self._attached((*place, name), depth))
        return message

    def _attached(self, place: _Path, depth: int) -> MailMessage:
        _, values = self._properties(place, 8)
        if _INNER in self._inner[place] and depth < _DEEPEST:
            part = self._part("message/rfc822")
            part.attach(self.message((*place, _INNER), depth + 1))
            return part
        kind = self._text(values, _FILE_TYPE).partition(";")[0] or "application/octet-stream"
        part = self._part(kind, self._bytes(values, _FILE))
        name = next(filter(None, (self._text(values, key) for key in _FILE_NAMES)), "")
        inline = self._text(values, _CONTENT_ID)
        part.add_header("Content-Disposition", "inline" if inline else "attachment", filename=name)
        return part

    def _part(self, kind: str, data: bytes | None = None) -> MailMessage:
        part = MailMessage(self._policy)
        part["Content-Type"] = kind
        if data is not None:
            part["Content-Transfer-Encoding"] = "base64"
            part.set_payload(b64encode(data).decode())
        return part

    def _named(self, place: _Path, start: str) -> list[str]:
        found = [name for name in self._inner[place] if name.startswith(start)][: self._left]
        self._left -= len(found)
        return found

    def _properties(self, place: _Path, head: int) -> tuple[dict[int, int], dict[int, _Path]]:
        """Return the numbers of a storage by what they are, and where its texts and bytes lie."""
        data = self._stream((*place, _FIXED)) if _FIXED in self._inner[place] else b""
        whole = len(data) - (len(data) - head) % 16
        rows = struct.iter_unpack("<2xH4xQ", data[head:whole]) if whole > head else ()
        # A long number has a half that means nothing: none that is read here has 64 bits but times.
        numbers = {key: value if key in _SENT else value & 0xFFFF_FFFF for key, value in rows}
        streams = [name for name in self._inner[place] if name.startswith(_STREAM)]
        values = {int(name[12:16], 16): (*place, name) for name in streams if len(name) == 20}
        return numbers, values

    def _person(self, values: dict[int, _Path], named: int, addresses: tuple[int, ...]) -> str:
        name = self._text(values, named)
        found = (self._text(values, key) for key in addresses)
        # Within a company an address is a path in its directory.
        address = next((text for text in found if "@" in text), "")
        return f"{name} <{address}>" if name and address and address != name else name or address

    def _text(self, values: dict[int, _Path], key: int) -> str:
        if key not in values:
            return ""
        codec = "utf-16-le" if int(values[key][-1][-4:], 16) == _WIDE else self._codec
        return self._stream(values[key]).decode(codec, "replace").replace("\0", "").strip()

    def _bytes(self, values: dict[int, _Path], key: int) -> bytes:
        # A page may be stored as a text, too.
        is_wide = key in values and values[key][-1].endswith("001F")
        if is_wide:
            return self._text(values, key).encode("utf-8", "replace")
        return self._stream(values[key]) if key in values else b""

    def _stream(self, place: _Path) -> bytes:
        return self._file.openstream(list(place)).read()


def _date(ticks: int) -> str:
    # FILETIME: tenths of microseconds.
    try:
        return format_datetime(_EPOCH + timedelta(microseconds=ticks // 10))
    except OverflowError:
        return ""
