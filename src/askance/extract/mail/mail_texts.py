"""The texts in an e-mail: its head, encoded words and parts, and what lies in parts that are no MIME within."""

from __future__ import annotations

import quopri
import re
import struct
from binascii import a2b_base64
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import suppress

from askance.extract.text.decoding import BROKEN_SHARE, decode_text, iso_2022_jp, text_codec

# A file as mail had it before MIME, and some programs still write it: "begin 644 boat.png", lines of 45 bytes, "end".
_UUENCODED = re.compile(
    r"^begin [0-7]{3,4} (?P<name>[^\r\n]{1,200})\r?\n(?P<first>[ -`]{2,63})\r?\n(?:[ -`]{0,63}\r?\n|)*+end[ \t]*\r?$",
    re.MULTILINE,
)
# Programs that declare plain ASCII write letters in another code page all the same.
_UNDECLARED = frozenset({"", "us-ascii", "ascii"})
# Several bytes a letter, which may by chance be a few letters of UTF-8.
_WIDE_CODECS = frozenset(
    {"gb18030", "cp950", "big5hkscs", "cp932", "euc_jis_2004", "cp949", "johab"}
)
_FEW_LETTERS = 6
# `=?utf-8?q?Gr=C3=BC=C3=9Fe?=` in a header (RFC 2047), some with blanks in it and longer than it may be.
_ENCODED_WORD = re.compile(
    r"=\?([^?*\s]{1,40})(?:\*[^?\s]{0,20})?\?([bBqQ])\?((?:[^?]|\?(?!=)){0,1500})\?="
)
# Apple Mail writes how long a message is before it, and its own marks behind it.
_COUNT = re.compile(rb"(\d{1,9})[ \t]{0,20}\r?\n")
_KNOWN_HEADER = re.compile(
    rb"(?:content-|mime-|x-|received:|return-path:|message-id:|from:|to:|subject:|date:)",
    re.IGNORECASE,
)
_HEADER_LINE = re.compile(rb"[!-9;-~]{1,200}+:|[ \t]|From ")
_LOOSE_HEADER = re.compile(rb"([!-9;-~]{1,200}+)[ \t]{1,20}+:")
_BLANK_LINE = re.compile(rb"\r?\n\r?\n|\r\r")
_BASE64_LINE = re.compile(r"[A-Za-z0-9+/]{1,10000}={0,2}[ \t\r]*+|[ \t\r]*+")
_BASE64 = re.compile(r"[A-Za-z0-9+/]+")


def with_whole_head(data: bytes) -> bytes:
    """Return a message whose head begins with its first line and has headers alone: the parser would take the rest for text."""
    if counted := _COUNT.match(data):
        data = data[counted.end() :][: int(counted[1])]
    data = data.removeprefix(BOM_UTF8).lstrip(b"\r\n")
    end = blank.start() if (blank := _BLANK_LINE.search(data)) else len(data)
    lines = data[:end].splitlines(keepends=True)
    if all(_HEADER_LINE.match(line) for line in lines):
        return data
    last = max((n for n, line in enumerate(lines) if _KNOWN_HEADER.match(line)), default=0)
    for n, line in enumerate(lines[:last]):
        if not _HEADER_LINE.match(line):
            # What is no header goes on with the one before it.
            loose = _LOOSE_HEADER.match(line)
            lines[n] = loose[1] + b":" + line[loose.end() :] if loose else b" " + line
    return b"".join(lines) + data[end:]


def decoded_as(data: bytes, charset: str) -> str:
    """Return a text in a charset, which may be declared wrongly; as a page of the web is read where that is so."""
    codec = "" if charset.lower() in _UNDECLARED else text_codec(charset)
    if not codec or (codec.startswith("utf-16") and b"\0" not in data):
        return decode_text(data, "")
    if codec.startswith("iso2022_jp") and b"\x1b" in data:
        return iso_2022_jp(data)
    least = _FEW_LETTERS if codec in _WIDE_CODECS else 1
    # Programs that declare another charset write UTF-8 all the same, and the other way round.
    with suppress(UnicodeDecodeError):
        text = data.decode()
        if sum(not letter.isascii() for letter in text) >= least:
            return text
    text = data.decode(codec, "replace")
    broken = text.count("\ufffd")
    if broken > BROKEN_SHARE * (len(text) - len(text.encode("ascii", "ignore"))):
        return decode_text(data, f"charset={charset}")
    return text


def with_words_decoded(text: str) -> str:
    """Return a text with its encoded words as people read them (RFC 2047)."""
    parts: list[str] = []
    data, charset, end = b"", "", 0
    for word in _ENCODED_WORD.finditer(text):
        between = text[end : word.start()]
        # A letter may begin in a word and end in the next; blanks between two words are none.
        if between.strip() or word[1].lower() != charset or not end:
            parts += (decoded_as(data, charset), between if between.strip() or not end else "")
            data = b""
        charset, end = word[1].lower(), word.end()
        is_quoted = word[2] in "qQ"
        data += (
            quopri.decodestring(word[3].encode("utf-8", "replace"), header=True)
            if is_quoted
            else _from_base64(word[3])
        )
    return "".join((*parts, decoded_as(data, charset), text[end:]))


def from_base64_lines(payload: str) -> bytes:
    """Return the bytes of a text in base64, and what stands behind it as it is: some lists add their address to each message."""
    lines = payload.splitlines(keepends=True)
    end = next(
        (n for n, line in enumerate(lines) if not _BASE64_LINE.fullmatch(line.rstrip("\n"))),
        len(lines),
    )
    rest = "".join(lines[end:]).encode("utf-8", "surrogateescape")
    data = _from_base64("".join("".join(lines[:end]).split()))
    return data + b"\n" + rest if rest else data


def _from_base64(text: str) -> bytes:
    """Return the bytes of a text in base64, of several ones behind each other, and of one that is cut."""
    found = (part[: len(part) - (len(part) % 4 == 1)] for part in _BASE64.findall(text))
    return b"".join(a2b_base64(part + "=" * (-len(part) % 4)) for part in found)


def unflowed(text: str, *, is_glued: bool) -> str:
    """Return a text whose lines were cut to go on with the next (RFC 3676), where nothing stands between letters if it is `glued`."""
    parts: list[str] = []
    before: str | None = None  # the signs of a quote before the line that goes on
    for line in text.splitlines():
        content = line.lstrip(">")
        quote, content = line[: len(line) - len(content)], content.removeprefix(" ")
        if quote != before:
            parts.append(f"\n{quote} " if quote else "\n")
        goes_on = content.endswith(" ") and content != "-- "
        before = quote if goes_on else None
        parts.append(content[:-1] if goes_on and is_glued else content)
    return "".join(parts).removeprefix("\n")


def with_files_named(text: str) -> str:
    """Return a text with the names of files that stand in it as lines of uuencode, in their place."""
    return _UUENCODED.sub(_name_of_uuencoded, text)


def _name_of_uuencoded(found: re.Match[str]) -> str:
    length = (ord(found["first"][0]) - 0x20) & 0x3F
    expected = 1 + 4 * -(-length // 3)
    # Some programs write a checksum behind each line, others leave out blanks at its end.
    is_line = expected - 3 <= len(found["first"]) <= expected + 1
    return f"[{found['name'].strip()}]" if is_line else found[0]


# What lies in parts of an e-mail that are no MIME within: signed ones of S/MIME, and `winmail.dat` of Outlook.
#
# The former are of RFC 5652, the content within the bytes of a signature; the latter of MS-OXTNEF, with its RTF packed as
# MS-OXRTFCP says.

# The type of plain content and behind it the tag of content that is there; encrypted content has another tag.
_CONTENT = bytes.fromhex("06092a864886f70d010701a0")
_ENVELOPED = (bytes.fromhex("2a864886f70d010703"), bytes.fromhex("2a864886f70d0109100117"))
_TYPE_WITHIN = 64
_OCTETS, _CHUNKS, _UNENDING = 0x04, 0x24, 0x80

_TNEF = bytes.fromhex("789f3e22")
_BODY, _FIELDS, _FILE_TITLE, _FILE_FIELDS, _CODE_PAGE = 0x2800C, 0x69003, 0x18010, 0x69005, 0x69007
_FILE_BEGINS, _FILE_DATA = 0x69002, 0x6800F
_PLAIN, _RTF, _HTML, _LONG_NAME = 0x1000, 0x1009, 0x1013, 0x3707
_STRING, _WIDE_STRING, _OBJECT, _BYTES = 0x1E, 0x1F, 0x0D, 0x102
_SIZES = {2: 4, 3: 4, 4: 4, 0xA: 4, 0xB: 4, 5: 8, 6: 8, 7: 8, 0x14: 8, 0x40: 8, 0x48: 16}
# A type of several values, which their number stands before.
_MANY = 0x1000
_FIRST_NAMED = 0x8000

_PACKED, _PLAIN_RTF = b"LZFu", b"MELA"
_HEADER_OF_RTF = 16
# What each file begins with is in the dictionary before anything is read (MS-OXRTFCP).
_DICTIONARY = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor "
    rb"MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
_ROOM = 4096
# Texts are shorter; a packed byte may give eight.
_MOST_RTF = 5_000_000


def is_enveloped(data: bytes) -> bool:
    """Whether a part of S/MIME is encrypted."""
    return any(kind in data[:_TYPE_WITHIN] for kind in _ENVELOPED)


def signed_content(data: bytes) -> bytes:
    """Return what was signed, where it lies in the signature; empty where it does not, or is encrypted."""
    # Not all of ASN.1 is parsed: this stands before the content of every signature (RFC 5652, 5.2).
    if (found := data.find(_CONTENT)) < 0:
        return b""
    try:
        _, place = _length(data, found + len(_CONTENT))
        kind = data[place]
        size, place = _length(data, place + 1)
        if kind == _OCTETS:
            return data[place : place + size]
        end = len(data) if size < 0 else place + size
        parts: list[bytes] = []
        while kind == _CHUNKS and place < end and data[place] == _OCTETS:
            size, place = _length(data, place + 1)
            parts.append(data[place : place + size])
            place += size
        return b"".join(parts)
    except IndexError:
        return b""


def _length(data: bytes, place: int) -> tuple[int, int]:
    """Return how long a value is, -1 where that is marked by its end, and where it begins."""
    size = data[place]
    # X.690, 8.1.3: up to 127 in this byte, or in so many bytes behind it; 0x80 for no length.
    if size < _UNENDING:
        return size, place + 1
    if size == _UNENDING:
        return -1, place + 1
    begin = place + 1 + size - _UNENDING
    return int.from_bytes(data[place + 1 : begin]), begin


def tnef_contents(data: bytes) -> tuple[str, bytes, bytes, list[tuple[str, bytes]]]:
    """Return the plain text of a `winmail.dat`, those in HTML and in RTF, and the files in it with their names."""
    plain, html, packed, files = b"", b"", b"", [("", b"")]
    codec = "cp1252"
    for kind, value in _attributes(data):
        fields = dict(_fields(value, codec)) if kind in {_FIELDS, _FILE_FIELDS} else {}
        if kind == _CODE_PAGE:
            codec = text_codec(f"cp{int.from_bytes(value[:4], 'little')}") or codec
        elif kind == _BODY:
            plain = value
        elif kind == _FIELDS:
            plain, html = plain or fields.get(_PLAIN, b""), fields.get(_HTML, b"")
            packed = fields.get(_RTF, b"")
        elif kind == _FILE_TITLE:
            files += [("", b"")] if files[-1][0] else []
            files[-1] = _unended_text(value, codec), files[-1][1]
        elif kind == _FILE_DATA:
            files += [("", b"")] if files[-1][1] else []
            files[-1] = files[-1][0], value
        elif kind == _FILE_BEGINS:
            files.append(("", b""))
        elif _LONG_NAME in fields:
            files[-1] = _unended_text(fields[_LONG_NAME], codec), files[-1][1]
    # Once, for the last of them: a megabyte takes a tenth of a second.
    return (
        _unended_text(plain, codec),
        html,
        unpacked_rtf(packed),
        [file for file in files if file[0]],
    )


def unpacked_rtf(data: bytes) -> bytes:
    """Return the RTF that Outlook packed; as much of it as is whole, and nothing where it is packed in another way."""
    kind, size = data[8:12], int.from_bytes(data[4:8], "little")
    if kind == _PLAIN_RTF:
        return data[_HEADER_OF_RTF:][:size]
    if kind != _PACKED:
        return b""
    made = bytearray(_DICTIONARY)
    most = len(made) + min(size, _MOST_RTF)
    place = _HEADER_OF_RTF
    while place < len(data) and len(made) < most:
        flags, place = data[place], place + 1
        for bit in range(8):
            if not flags >> bit & 1:
                made += data[place : place + 1]
                place += 1
                continue
            token, place = int.from_bytes(data[place : place + 2]), place + 2
            # How far back it lies in a ring of 4,096 bytes; what begins where the next byte goes is the end.
            back = (len(made) - (token >> 4)) % _ROOM
            if place > len(data) or not 0 < back <= len(made):
                most = len(made)
                break
            for _ in range((token & 0xF) + 2):  # byte by byte: it may reach into what it writes
                made.append(made[-back])
    return bytes(made[len(_DICTIONARY) : most])


def _unended_text(value: bytes, codec: str) -> str:
    return value.rstrip(b"\0").decode(codec, "replace")


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    place = 6
    # Behind the mark stands a key of two bytes, behind each value a check sum of two.
    while data.startswith(_TNEF) and place + 9 <= len(data):
        _, kind, size = struct.unpack_from("<BII", data, place)
        place += 9
        yield kind, data[place : place + size]
        place += size + 2


def _fields(data: bytes, codec: str) -> Iterator[tuple[int, bytes]]:
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
            if (one := kind & ~_MANY) in _SIZES:
                values = struct.unpack_from("<I", data, place)[0] if kind & _MANY else 1
                place += 4 * bool(kind & _MANY) + _SIZES[one] * values
                continue
            if one not in {_STRING, _WIDE_STRING, _OBJECT, _BYTES}:
                return
            (values,) = struct.unpack_from("<I", data, place)
            place += 4
            for _ in range(values):
                (size,) = struct.unpack_from("<I", data, place)
                value = data[place + 4 : place + 4 + size]
                if one == _WIDE_STRING:
                    value = value.decode("utf-16-le", "replace").encode(codec, "replace")
                yield name, value
                place += 4 + -(-size // 4) * 4
    except struct.error:
        return
