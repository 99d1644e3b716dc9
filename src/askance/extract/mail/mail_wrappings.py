"""What lies in parts of an e-mail that are no MIME within: signed ones of S/MIME, and `winmail.dat` of Outlook.

The former are of RFC 5652, the content within the bytes of a signature; the latter of MS-OXTNEF, with its RTF packed as
MS-OXRTFCP says.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from askance.extract.text.decoding import text_codec

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
            files[-1] = _text(value, codec), files[-1][1]
        elif kind == _FILE_DATA:
            files += [("", b"")] if files[-1][1] else []
            files[-1] = files[-1][0], value
        elif kind == _FILE_BEGINS:
            files.append(("", b""))
        elif _LONG_NAME in fields:
            files[-1] = _text(fields[_LONG_NAME], codec), files[-1][1]
    # Once, for the last of them: a megabyte takes a tenth of a second.
    return _text(plain, codec), html, unpacked_rtf(packed), [file for file in files if file[0]]


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


def _text(value: bytes, codec: str) -> str:
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
