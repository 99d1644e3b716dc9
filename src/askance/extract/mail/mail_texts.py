"""The texts in an e-mail: its head, the words in it that are encoded, and texts as they are declared and encoded."""

from __future__ import annotations

import quopri
import re
from binascii import a2b_base64
from codecs import BOM_UTF8
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
