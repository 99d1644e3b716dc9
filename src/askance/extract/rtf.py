"""Text out of RTF, the format that all word processors exchange."""

from __future__ import annotations

import re

from askance.extract.decoding import text_codec
from askance.extract.document_text import outcome
from askance.extract.extracted import Extracted

_TOKEN = re.compile(
    rb"\\([A-Za-z]{1,32})(-?\d{1,10})? ?|\\'([0-9A-Fa-f]{2})|\\(.)|([{}])|([^\\{}\r\n]{1,4096})|[\r\n]{1,4096}",
    re.DOTALL,
)
# Groups that hold no text of the document.
_NO_TEXT = frozenset({
    b"fonttbl", b"colortbl", b"stylesheet", b"info", b"pict", b"object", b"objdata", b"themedata",
    b"colorschememapping", b"datastore", b"latentstyles", b"listtable", b"listoverridetable", b"rsidtbl",
    b"generator", b"xmlnstbl", b"fldinst", b"bkmkstart", b"bkmkend", b"filetbl", b"revtbl", b"pntext",
    b"pnseclvl", b"mmathPr", b"atnid", b"atnref", b"datafield", b"shppict", b"nonshppict", b"passwordhash",
    b"sn", b"sv", b"shprslt",
})  # fmt: skip
_STARRED_TEXT = frozenset({b"shpinst", b"shptxt", b"annotation", b"footnote", b"atnauthor"})
# Groups in the middle of a paragraph, or of a word, that are read after all others.
_APART = frozenset({b"shptxt", b"annotation", b"footnote", b"atnauthor"})
_SIGNS = {
    b"par": "\n\n", b"sect": "\n\n", b"page": "\n\n", b"row": "\n", b"line": "\n", b"tab": " ",
    b"cell": " | ", b"nestcell": " | ", b"nestrow": "\n", b"emdash": "—", b"endash": "–",
    b"lquote": "‘", b"rquote": "’", b"ldblquote": "“", b"rdblquote": "”", b"bullet": "•",
    b"emspace": " ", b"enspace": " ",
}  # fmt: skip
_CHARSETS = {
    0: "cp1252", 77: "mac-roman", 128: "cp932", 129: "cp949", 134: "gb18030", 136: "big5", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
    222: "cp874", 238: "cp1250",
}  # fmt: skip
_CODECS = {b"mac": "mac-roman", b"pc": "cp437", b"pca": "cp850"}
_NUMBERED = frozenset({b"ansicpg", b"f", b"fcharset", b"uc", b"v", b"deleted"})
_DEEPEST = 5_000


def read_rtf(data: bytes) -> Extracted:
    """Return the text of an RTF file: hidden text and what is made for programs is none."""
    return outcome(iter((_Text(data).read(),)), None, None)


class _Text:
    """A text as it is read: of each open group whether it is left out, its font, and how `\\u` is spelled besides."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._parts: list[str] = []
        self._bytes = bytearray()
        self._codec = "cp1252"
        self._fonts: dict[int, str] = {}
        self._font, self._named, self._skip = -1, -1, 1
        self._is_out = self._in_fonts = False
        self._groups: list[tuple[bool, bool, int, int, list[str]]] = []
        self._apart: list[list[str]] = []
        self._to_skip = 0
        self._starred = False
        self._begins = True

    def read(self) -> str:
        place = 0
        while token := _TOKEN.match(self._data, place):
            place = token.end()
            word, number, code, sign, brace, text = token.groups()
            if brace:
                self._brace(brace)
            elif word:
                if word == b"bin" and number:
                    place += max(int(number), 0)
                self._word(word, int(number) if number else None)
            elif code:
                self._byte(int(code, 16))
            elif sign:
                self._sign(sign)
            elif text:
                self._plain(text)
        self._flush()
        first = self._groups[0][-1] if self._groups else self._parts
        texts = ("".join(parts).strip() for parts in (first, *self._apart))
        return "\n\n".join(filter(None, texts))

    def _brace(self, brace: bytes) -> None:
        self._flush()
        self._to_skip = 0
        if brace == b"{":
            if len(self._groups) >= _DEEPEST:
                raise ValueError("its groups are nested too deep")
            self._groups.append((self._is_out, self._in_fonts, self._font, self._skip, self._parts))
        elif self._groups:
            self._is_out, self._in_fonts, self._font, self._skip, self._parts = self._groups.pop()
        self._starred, self._begins = False, brace == b"{"

    def _word(self, word: bytes, number: int | None) -> None:
        starred, self._starred = self._starred, False
        begins, self._begins = self._begins, False
        if word == b"u" and number is not None:
            self._unicode(number)
            return
        self._flush()
        if begins and (word in _NO_TEXT or (starred and word not in _STARRED_TEXT)):
            self._in_fonts = self._in_fonts or word == b"fonttbl"
            self._is_out = True
            return
        if begins and word in _APART:
            self._parts = list[str]()
            self._apart.append(self._parts)
        if number is not None and word in _NUMBERED:
            self._numbered(word, number)
        elif word in _SIGNS and not self._is_out:
            self._parts.append(_SIGNS[word])
        elif word in _CODECS:
            self._codec = _CODECS[word]
        elif word == b"plain":
            self._font = -1
        elif word in {b"v", b"deleted"}:
            self._is_out = True

    def _numbered(self, word: bytes, number: int) -> None:
        match word:
            case b"ansicpg":
                self._codec = text_codec(f"cp{number}") or self._codec
            case b"f":
                self._named = number if self._in_fonts else self._named
                self._font = number
            case b"fcharset" if self._in_fonts:
                self._fonts[self._named] = _CHARSETS.get(number, "")
            case b"uc":
                self._skip = max(number, 0)
            case b"v" | b"deleted":
                self._is_out = self._is_out or bool(number)
            case _:
                pass

    def _unicode(self, number: int) -> None:
        self._flush()
        if not self._is_out:
            self._parts.append(chr(number % 65_536))
        self._to_skip = self._skip

    def _byte(self, value: int) -> None:
        self._begins = False
        if self._to_skip:
            self._to_skip -= 1
        elif not self._is_out:
            self._bytes.append(value)

    def _sign(self, sign: bytes) -> None:
        if sign == b"*":
            self._starred = True
            return
        self._begins = False
        if sign in b"\\{}":
            self._byte(sign[0])
            return
        self._flush()
        if not self._is_out:
            self._parts.append(
                {b"~": "\xa0", b"_": "-", b"\n": "\n\n", b"\r": "\n\n"}.get(sign, "")
            )

    def _plain(self, text: bytes) -> None:
        self._begins = False
        skipped = min(self._to_skip, len(text))
        self._to_skip -= skipped
        if not self._is_out:
            self._bytes += text[skipped:]

    def _flush(self) -> None:
        if self._bytes:
            codec = self._fonts.get(self._font) or self._codec
            self._parts.append(self._bytes.decode(codec, "replace"))
            self._bytes.clear()
