"""Letters of a PDF page by where they stand: those that are printed twice, and spaces that are none.

A text that is set wide has gaps between its letters; PDFium takes some of them for spaces. The second print of
a shadow, or of fake bold, goes where PDFium leaves it.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

import pypdfium2_raw as api

# Pages are looked at letter by letter where so many of their words are single letters, or one is doubled.
_FEWEST_SINGLE, _SINGLE_SHARE = 3, 0.1
_SINGLE = re.compile(r"(?<!\S)[^\W\d_](?!\S)")
_DOUBLED = re.compile(r"(?<!\w)\w{0,3}?(?:([^\W\d_])\1){3}")
_MOST_LETTERS = 20_000
# The middles of two prints of a letter are so near, as a share of its width, or of its height.
_NEAR_OF_WIDTH, _NEAR_OF_HEIGHT = 0.35, 0.08
_REMEMBERED = 12
# Letters that are set wide stand so far apart, as a share of their height; a space is that much wider.
_WIDE, _SPACE = 0.15, 1.6
_FEWEST_GAPS = 4
_CLOSING = frozenset(".,;:)!?'’")


@dataclass(frozen=True, slots=True)
class _Letter:
    """A letter, where it stands in the text, and its box on the page; a space that PDFium made has none."""

    sign: str
    place: int
    is_made: bool
    left: float
    right: float
    bottom: float
    top: float


def mended(letters: Any, count: int, text: str) -> str:
    """Return the text of a page without letters that are printed twice, and without spaces that are none."""
    is_doubled = _DOUBLED.search(text) is not None
    if not (is_doubled or _has_single_letters(text)) or count > _MOST_LETTERS or max(text) > "\uffff":
        return text
    lines = list(_lines(letters, count))
    gone: set[int] = set()
    if is_doubled:
        gone.update(_printed_again(letter for line in lines for letter in line))
        lines = [[letter for letter in line if letter.place not in gone] for line in lines]
    for line in lines:
        gone.update(_no_spaces(line))
    return "".join(sign for place, sign in enumerate(text) if place not in gone)


def _has_single_letters(text: str) -> bool:
    single = sum(1 for _ in _SINGLE.finditer(text))
    return single >= _FEWEST_SINGLE and single >= _SINGLE_SHARE * len(text.split())


def _lines(letters: Any, count: int) -> Iterator[list[_Letter]]:
    line: list[_Letter] = []
    edges = [ctypes.c_double() for _ in range(4)]
    for n in range(count):
        place = api.FPDFText_GetTextIndexFromCharIndex(letters, n)
        if place < 0:
            continue
        sign = chr(api.FPDFText_GetUnicode(letters, n) % 0x110000)
        if sign in "\r\n":
            if line:
                yield line
            line = []
            continue
        api.FPDFText_GetCharBox(letters, n, *edges)
        made = api.FPDFText_IsGenerated(letters, n) == 1
        line.append(_Letter(sign, place, made, *(edge.value for edge in edges)))
    if line:
        yield line


def _printed_again(letters: Iterable[_Letter]) -> Iterator[int]:
    """Yield the places of letters that stand upon the same letter."""
    before: dict[str, list[_Letter]] = {}
    for letter in letters:
        if letter.sign.isspace():
            continue
        known = before.setdefault(letter.sign, [])
        if any(_is_near(letter, other) for other in known):
            yield letter.place
        known.append(letter)
        del known[:-_REMEMBERED]


def _is_near(one: _Letter, other: _Letter) -> bool:
    width = min(one.right - one.left, other.right - other.left)
    height = min(one.top - one.bottom, other.top - other.bottom)
    aside = abs(one.left + one.right - other.left - other.right) / 2
    above = abs(one.bottom + one.top - other.bottom - other.top) / 2
    near = max(_NEAR_OF_WIDTH * width, _NEAR_OF_HEIGHT * height)
    return aside <= near and above <= near


def _no_spaces(line: Sequence[_Letter]) -> Iterator[int]:
    """Yield the places of spaces that PDFium made where letters stand as far apart as all others of a line."""
    shown = [letter for letter in line if not letter.is_made]
    parted = {b.place for a, b in pairwise(line) if a.is_made and not b.is_made}
    gaps = [
        b.left - a.right
        for a, b in pairwise(shown)
        if b.place not in parted and a.sign.isalnum() and b.sign.isalnum() and b.left > a.left
    ]
    if len(gaps) < _FEWEST_GAPS:
        return
    usual = median(gaps)
    if usual < _WIDE * median(letter.top - letter.bottom for letter in shown if letter.sign.isalnum()):
        return
    for a, space, b in zip(line, line[1:], line[2:], strict=False):
        is_between = space.is_made and a.sign.isalnum() and (b.sign.isalnum() or b.sign in _CLOSING)
        if is_between and 0 < b.left - a.right <= _SPACE * usual:
            yield space.place
