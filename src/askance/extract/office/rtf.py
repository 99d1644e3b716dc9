"""Text out of RTF, the format that all word processors exchange."""

from __future__ import annotations

import re
from copy import copy
from dataclasses import dataclass

from askance.extract.extracted import Extracted, outcome
from askance.extract.office.archives import SIGN_FONTS, letters_of_signs
from askance.extract.text.decoding import text_codec
from askance.extract.text.markdown_text import (
    LOWERED,
    RAISED,
    STRUCK_THROUGH,
    marks_as_text,
    with_marks,
    without_marks,
)

_TOKEN = re.compile(
    rb"\\([A-Za-z]{1,32})(-?\d{1,10})? ?|\\'([0-9A-Fa-f]{2})|\\(.)|([{}])|([^\\{}\r\n]{1,4096})|[\r\n]{1,4096}",
    re.DOTALL,
)
# Groups that hold no text of the document.
_NO_TEXT = frozenset({
    b"fonttbl", b"colortbl", b"stylesheet", b"info", b"pict", b"objdata", b"themedata",
    b"colorschememapping", b"datastore", b"latentstyles", b"listtable", b"listoverridetable", b"rsidtbl",
    b"generator", b"xmlnstbl", b"fldinst", b"bkmkstart", b"bkmkend", b"filetbl", b"revtbl", b"xe", b"tc",
    b"tcn", b"pnseclvl", b"mmathPr", b"atnid", b"atnref", b"datafield", b"shppict", b"nonshppict", b"passwordhash",
    b"sn", b"sv", b"shprslt",
})  # fmt: skip
_STARRED_TEXT = frozenset({
    b"shpinst", b"shptxt", b"annotation", b"footnote", b"atnauthor", b"moMath", b"moMathPara", b"fldrslt", b"result",
})  # fmt: skip
# Parts of formulas: what stands before and behind them.
_MATHS = {b"mnum": ("(", ")"), b"mden": ("/(", ")"), b"mdeg": ("", "√("), b"mrad": ("", ")")}
_RAISED_MATHS = {b"msup": RAISED, b"msub": LOWERED}
_PROPERTIES_OF_MATHS = re.compile(rb"m[A-Za-z]{1,20}Pr")
# Groups in the middle of a paragraph, or of a word, that are read after all others; the latter stand in each section.
_APART = frozenset({b"shptxt", b"annotation", b"footnote", b"atnauthor"})
_OF_PAGES = frozenset({
    b"header", b"headerl", b"headerr", b"headerf", b"footer", b"footerl", b"footerr", b"footerf",
})  # fmt: skip
_PARAGRAPH = "\n\n"
_SIGNS = {
    b"par": _PARAGRAPH, b"sect": "\n\n", b"page": "\n\n", b"row": "\n", b"line": "\n", b"tab": " ",
    b"cell": " | ", b"nestcell": " | ", b"nestrow": "\n", b"emdash": "—", b"endash": "–",
    b"lquote": "‘", b"rquote": "’", b"ldblquote": "“", b"rdblquote": "”", b"bullet": "•",
    b"emspace": " ", b"enspace": " ", b"qmspace": " ", b"column": "\n\n", b"zwj": "\u200d", b"zwnj": "\u200c",
}  # fmt: skip
_ENDS = frozenset({b"par", b"sect", b"page", b"row", b"cell", b"nestcell", b"nestrow"})
_CHARSETS = {
    0: "cp1252", 77: "mac-roman", 78: "cp932", 79: "cp949", 80: "gb18030", 81: "big5", 84: "mac-arabic", 85: "mac-greek",
    86: "mac-turkish", 88: "mac-latin2", 89: "mac-cyrillic", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "big5", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
    222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
_CODECS = {b"mac": "mac-roman", b"pc": "cp437", b"pca": "cp850"}
_NUMBERED = frozenset({b"ansicpg", b"deff", b"f", b"fs", b"cf", b"fcharset", b"cpg", b"uc"})
# Of letters: hidden, and deleted by a change that is not accepted.
_UNSEEN = frozenset({b"v", b"webhidden", b"deleted"})
_DOT_HALF_POINTS = 2
# What may lie behind letters, beside white paper.
_PAINTED = re.compile(
    rb"\\(?:cbpat|clcbpat|chcbpat|highlight|cb|background|shp|trcbpat|chshdng)(?![a-z])"
)
_COLOURS = re.compile(rb"\{\\colortbl([^{}]{0,100000})")
_CHANNEL = re.compile(rb"\\(?:red|green|blue)(\d{1,3})(?!\d)")
_LEAST_WHITE = 245
_SCRIPTS = {b"super": RAISED, b"sub": LOWERED, b"nosupersub": "", b"up": RAISED, b"dn": LOWERED}
_STRIKES = frozenset({b"strike", b"striked"})
_OWN_SIGNS = 0xF000
_BEYOND_16_BITS = range(0x10000, 0x110000)
_DEEPEST = 5_000


def read_rtf(data: bytes) -> Extracted:
    """Return the text of an RTF file: hidden text and what is made for programs is none."""
    return outcome((_Text(data).read(),), None, None)


@dataclass(slots=True)
class _Group:
    """What holds until a group ends: where its text goes, whether it is left out, and how many letters repeat a `\\u`."""

    parts: list[str]
    is_out: bool = False
    in_fonts: bool = False
    unseen: frozenset[bytes] = frozenset()
    font: int = -1
    skip: int = 1
    marks: str = ""
    in_table: bool = False
    closing: str = ""


class _Text:
    """A text as it is read."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._now = _Group([])
        self._bytes = bytearray()
        self._codec = "cp1252"
        self._fonts: dict[int, str] = {}
        self._sign_fonts: dict[int, str] = {}
        self._usual_font, self._named = -1, -1
        self._groups: list[_Group] = []
        self._apart: list[list[str]] = []
        self._of_pages: list[list[str]] = []
        self._to_skip = 0
        self._starred = False
        self._begins = True
        self._white = _white_inks(data)

    def read(self) -> str:
        place = 0
        while token := _TOKEN.match(self._data, place):
            place = token.end()
            word, number, code, sign, brace, text = token.groups()
            if brace:
                self._brace(brace)
            elif word:
                # So many bytes of a picture follow, which may look like words and braces.
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
        first = (self._groups[0] if self._groups else self._now).parts
        texts = [_joined(parts) for parts in (first, *self._apart)]
        once = dict.fromkeys(map(_joined, self._of_pages))
        return "\n\n".join(filter(None, (*texts, *once)))

    def _brace(self, brace: bytes) -> None:
        self._flush()
        self._to_skip = 0
        if brace == b"{":
            if len(self._groups) >= _DEEPEST:
                raise ValueError("its groups are nested too deep")
            # The copy shares the list of parts: a group writes into the text that it stands in.
            self._groups.append(copy(self._now))
            self._now.closing = ""
        elif self._groups:
            closing = self._now.closing
            self._now = self._groups.pop()
            self._put(closing)
        self._starred, self._begins = False, brace == b"{"

    def _word(self, word: bytes, number: int | None) -> None:
        starred, self._starred = self._starred, False
        begins, self._begins = self._begins, False
        if word == b"u" and number is not None:
            self._unicode(number)
            return
        self._flush()
        if self._to_skip and word in _SIGNS:  # `\u8220\ldblquote`: a word may repeat it as well
            self._to_skip -= 1
            return
        # Only its first word says what a group is for.
        is_no_text = word in _NO_TEXT or _PROPERTIES_OF_MATHS.fullmatch(word)
        if begins and (is_no_text or (starred and word not in _STARRED_TEXT)):
            self._now.in_fonts = self._now.in_fonts or word == b"fonttbl"
            self._now.is_out = True
            return
        if begins and word in _APART | _OF_PAGES:
            self._now.parts, self._now.marks = list[str](), ""
            (self._apart if word in _APART else self._of_pages).append(self._now.parts)
        if number is not None and word in _NUMBERED:
            self._numbered(word, number)
        elif word in _SIGNS:
            self._put(_SIGNS[word], ends=word in _ENDS)
        elif begins and word in _MATHS:
            opening, self._now.closing = _MATHS[word]
            self._put(opening)
        else:
            self._letters(word, is_off=number == 0)

    def _letters(self, word: bytes, *, is_off: bool) -> None:
        """Take a property of letters or of a paragraph that is put on or off."""
        now = self._now
        if word == b"plain":
            now.font, now.unseen, now.marks = self._usual_font, frozenset[bytes](), ""
        elif word in _SCRIPTS:
            struck = STRUCK_THROUGH if STRUCK_THROUGH in now.marks else ""
            now.marks = struck if is_off else _SCRIPTS[word] + struck
        elif word in _RAISED_MATHS:
            now.marks = _RAISED_MATHS[word]
        elif word in _STRIKES:
            marks = now.marks.replace(STRUCK_THROUGH, "")
            now.marks = marks if is_off else marks + STRUCK_THROUGH
        elif word in _UNSEEN:
            now.unseen = now.unseen - {word} if is_off else now.unseen | {word}
        elif word in _CODECS:
            self._codec = _CODECS[word]
        elif word in {b"intbl", b"pard"}:
            now.in_table = word == b"intbl"

    def _numbered(self, word: bytes, number: int) -> None:
        match word:
            case b"ansicpg":
                self._codec = text_codec(f"cp{number}") or self._codec
            case b"deff":
                self._now.font = self._usual_font = number
            case b"f":
                self._named = number if self._now.in_fonts else self._named
                self._now.font = number
            case b"fs" | b"cf":
                is_unseen = (
                    number in self._white if word == b"cf" else 0 < number <= _DOT_HALF_POINTS
                )
                now = self._now
                now.unseen = now.unseen | {word} if is_unseen else now.unseen - {word}
            case b"fcharset" if self._now.in_fonts:
                self._fonts[self._named] = _CHARSETS.get(number, "")
            case b"cpg" if self._now.in_fonts:
                self._fonts[self._named] = text_codec(f"cp{number}") or ""
            case b"uc":
                self._now.skip = max(number, 0)
            case _:
                pass

    def _unicode(self, number: int) -> None:
        self._flush()
        # Numbers are signed, of 16 bits; some programs write the larger ones of Unicode as they are.
        code = number if number in _BEYOND_16_BITS else number % 65_536
        letter = without_marks(self._as_sign(chr(code)))
        self._put(with_marks(letter, self._now.marks))
        self._to_skip = self._now.skip

    def _as_sign(self, text: str) -> str:
        font = self._sign_fonts.get(self._now.font)
        return letters_of_signs(font, text) if font else text

    def _byte(self, value: int) -> None:
        self._begins = False
        if self._to_skip:
            self._to_skip -= 1
        elif not (self._now.is_out or self._now.unseen):
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
        if self._to_skip and sign in b"~_-":
            self._to_skip -= 1
            return
        self._put({b"~": "\xa0", b"_": "-", b"\n": _PARAGRAPH, b"\r": _PARAGRAPH}.get(sign, ""))

    def _plain(self, text: bytes) -> None:
        self._begins = False
        skipped = min(self._to_skip, len(text))
        self._to_skip -= skipped
        if self._now.in_fonts:
            name = text.decode("latin-1").strip(" ;")
            if name in SIGN_FONTS:
                self._sign_fonts[self._named] = name
        if not (self._now.is_out or self._now.unseen):
            self._bytes += text[skipped:]

    def _put(self, text: str, *, ends: bool = False) -> None:
        """Write a text; one that ends a paragraph or a cell, between hidden letters too."""
        if not self._now.is_out and (ends or not self._now.unseen):
            # The next paragraph of a cell is in its row, too.
            in_row = text == _PARAGRAPH and self._now.in_table
            self._now.parts.append(" " if in_row else text)

    def _flush(self) -> None:
        if self._bytes:
            if self._now.font in self._sign_fonts:
                # A letter of such a font has its number, or the one that Unicode has for private use.
                text = self._as_sign("".join(chr(_OWN_SIGNS + code) for code in self._bytes))
            else:
                # Bytes are gathered up to here, since a letter may take two of them: `\'82\'a0`.
                codec = self._fonts.get(self._now.font) or self._codec
                text = self._bytes.decode(codec, "replace")
            self._now.parts.append(with_marks(without_marks(text), self._now.marks))
            self._bytes.clear()


def _white_inks(data: bytes) -> set[int]:
    """Return the numbers of the colours that are white; none where anything but paper may lie behind letters."""
    table = _COLOURS.search(data)
    if table is None or _PAINTED.search(data):
        return set()
    inks = ([int(part) for part in _CHANNEL.findall(one)] for one in table[1].split(b";"))
    return {n for n, ink in enumerate(inks) if len(ink) == 3 and min(ink) >= _LEAST_WHITE}


def _joined(parts: list[str]) -> str:
    """Return a text of parts, in which the two halves of a sign beyond the first 65,536 may stand apart."""
    text = marks_as_text("".join(parts)).strip()
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
