"""Words of a PDF page that PDFium runs together although a gap, or another line, is seen between them.

PDFium tells words apart by the widths of letters; it misses gaps in tight headings, in fonts without widths, and where
letters are placed one by one. Here a gap counts that is clearly wider than the usual one of its line.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

import pypdfium2_raw as api

from askance.text.languages.scripts import CJK_RUN

# Short pages are looked at letter by letter (slides, labels, covers, forms), and those that have too few spaces.
_FEW_LETTERS, _MOST_LETTERS = 800, 20_000
_LETTERS_A_SPACE = 12
# Words that were run together show where a name, a bracket or a quote stands within one: "theFederal", ")then".
_RUN_TOGETHER = re.compile(r"[^\W\d_A-Z][A-Z][^\W\d_A-Z]|[)\]\u201d][^\W\d_]{2}")
_FEWEST_RUN_TOGETHER, _RUN_TOGETHER_SHARE = 3, 0.01
# Shares of the height of a line. A gap between words is so much wider than the usual one, both between the letters
# as they are drawn and between the widths that their font gives them.
_WIDER = 0.1
# Letters that overlap are drawn in another font than the one that they are placed for.
_OVERLAP = 0.06
# So far apart two letters are of two lines; less where the second one begins further left.
_LINE_APART, _BACK_APART = 0.5, 0.3
_OTHER_HEIGHT = 1.25
_STRAIGHT, _TURNED = 0.01, 0.04
# What a hyphen parts is put together elsewhere; PDFium names one at the end of a line by a number.
_HYPHENS = frozenset("-\u00ad\u2010\x02")


@dataclass(frozen=True, slots=True)
class _Letter:
    """A letter, its box as it is drawn, and the edges of the box that its font gives it."""

    number: int
    sign: str
    left: float
    right: float
    bottom: float
    top: float
    begin: float
    end: float
    floor: float
    ceiling: float

    @property
    def height(self) -> float:
        return self.ceiling - self.floor


def breaks(letters: Any, count: int, text: str) -> dict[int, str]:
    """Return the places in the text of a page before which a space or the end of a line is missing, and which."""
    if not _is_asked(count, text):
        return {}
    found: dict[int, str] = {}
    for line in _lines(letters, count):
        found |= _line_ends(letters, line)
        found |= _spaces(letters, line)
    places = {api.FPDFText_GetTextIndexFromCharIndex(letters, n): n for n in found}
    return {place: found[n] for place, n in places.items() if place > 0}


def _is_asked(count: int, text: str) -> bool:
    if count > _MOST_LETTERS or max(text) > "\uffff":
        return False
    if count <= _FEW_LETTERS:
        return True
    words = len(text.split())
    run_together = sum(1 for _ in _RUN_TOGETHER.finditer(text))
    are_glued = run_together >= max(_FEWEST_RUN_TOGETHER, _RUN_TOGETHER_SHARE * words)
    return (words * _LETTERS_A_SPACE < len(text) or are_glued) and not CJK_RUN.search(text)


def _lines(letters: Any, count: int) -> Iterator[list[list[_Letter]]]:
    """Yield the lines of a page as PDFium has them, each as words of letters."""
    words: list[list[_Letter]] = [[]]
    edges, room = [ctypes.c_double() for _ in range(4)], api.FS_RECTF()
    for n in range(count):
        sign = chr(api.FPDFText_GetUnicode(letters, n) % 0x110000)
        if sign in "\r\n":
            yield words
            words = [[]]
        elif sign.isspace() or api.FPDFText_IsGenerated(letters, n) == 1:
            words.append([])
        else:
            api.FPDFText_GetCharBox(letters, n, *edges)
            api.FPDFText_GetLooseCharBox(letters, n, room)
            left, right, bottom, top = (edge.value for edge in edges)
            given = room.left, room.right, room.bottom, room.top
            words[-1].append(_Letter(n, sign, left, right, bottom, top, *given))
    yield words


def _line_ends(letters: Any, line: Sequence[Sequence[_Letter]]) -> dict[int, str]:
    """Return the letters that stand in another line than the one before them."""
    return {
        b.number: "\n"
        for word in line
        for a, b in pairwise(word)
        if _is_below(a, b)
        and a.sign not in _HYPHENS
        and not CJK_RUN.match(b.sign)
        and _is_straight(letters, a, b)
    }


def _is_below(one: _Letter, other: _Letter) -> bool:
    height = max(one.height, other.height)
    if max(one.floor - other.ceiling, other.floor - one.ceiling) > _LINE_APART * height:
        return True
    apart = max(one.bottom - other.top, other.bottom - one.top)
    return other.right <= one.left and apart > _BACK_APART * height


def _is_straight(letters: Any, *given: _Letter) -> bool:
    return all(abs(_angle(letters, letter)) < _STRAIGHT for letter in given)


def _angle(letters: Any, letter: _Letter) -> float:
    return api.FPDFText_GetCharAngle(letters, letter.number)


def _spaces(letters: Any, line: Sequence[Sequence[_Letter]]) -> dict[int, str]:
    """Return the letters before which there is a gap that is wider than the usual one of a line."""
    pairs = [
        (a, b, max(a.height, b.height))
        for word in line
        for a, b in pairwise(word)
        if max(a.height, b.height) > 0 and not _is_below(a, b)
    ]
    if not pairs:
        return {}
    drawn = [(b.left - a.right) / height for a, b, height in pairs]
    given = [(b.begin - a.end) / height for a, b, height in pairs]
    usual_drawn, usual_given = median(drawn), median(given)
    are_placed = sorted(drawn)[len(drawn) // 4] >= -_OVERLAP
    return {
        b.number: " "
        for (a, b, _), gap, room in zip(pairs, drawn, given, strict=True)
        if _are_letters(a, b)
        and (
            (
                are_placed
                and min(gap, gap - usual_drawn, room - usual_given) >= _WIDER
                and _is_straight(letters, a, b)
            )
            or _is_turned(letters, a, b)
        )
    }


def _are_letters(*given: _Letter) -> bool:
    return all(letter.sign.isalnum() and not CJK_RUN.match(letter.sign) for letter in given)


def _is_turned(letters: Any, one: _Letter, other: _Letter) -> bool:
    """Whether two letters are of texts at two angles."""
    low, high = sorted((one.height, other.height))
    return high > _OTHER_HEIGHT * low and (
        abs(_angle(letters, one) - _angle(letters, other)) > _TURNED
    )
