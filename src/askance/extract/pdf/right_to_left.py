"""Lines of a PDF page from right to left, in the order in which they are read.

A page has its letters where they are drawn. PDFium turns a line from right to left around, but neither words of Latin letters within it, nor a
word that begins with letters named for several glyphs. Here the letters of such a line are ordered by where they stand.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

_OF_NUMBERS = frozenset({"EN", "AN"})
_WITHIN_NUMBERS = frozenset({"EN", "AN", "ES", "CS", "ET"})
_OPENING, _CLOSING = "([{«‹", ")]}»›"  # noqa: RUF001 - quotes
MIRRORED = str.maketrans(_OPENING + _CLOSING, _CLOSING + _OPENING)
"""Brackets and quotes by those that a line from right to left shows in their place."""
# In a line whose texts are named by one letter each.
_BRACKETS = re.compile(r"\([^R()]*+\)")
# Cells of a row stand so many times as far apart as words do, at least.
_CELLS_APART = 15
# So many letters to the left for each one to the right are enough on a page of which most go to the left.
_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Drawn:
    """A letter, or several that are drawn together, and from where to where on a line they stand."""

    text: str
    left: float
    right: float


def in_reading_order(letters: Iterable[Drawn], space: float, *, is_page_right: bool) -> str:
    """Return the text of a line that has letters from right to left; a gap as wide as `space` parts words.

    Brackets are what they look like.
    The line begins at the right if most of its letters go to the left, or a part of them where most letters of its page do.
    """
    drawn = sorted(letters, key=_middle)
    cells: list[list[Drawn]] = [[]]
    right = float("inf")
    for letter in drawn:
        if letter.left - right >= _CELLS_APART * space:
            cells.append([])
        cells[-1].append(letter)
        right = letter.right
    share = _SHARE if is_page_right else 1
    texts = [_cell_in_order(cell, space, share) for cell in cells]
    is_right = _is_right(list(map(_direction, (letter.text for letter in drawn))), share)
    return " ".join(reversed(texts) if is_right else texts)


def _cell_in_order(drawn: Sequence[Drawn], space: float, share: float) -> str:
    texts = list(_numbers_together(_with_spaces(_with_marks(drawn), space)))
    directions = _directions(texts)
    base = "R" if _is_right(directions, share) else "L"
    resolved = list(_resolved(directions, base))
    runs = [
        (direction, [text for _, text in run])
        for direction, run in groupby(zip(resolved, texts, strict=True), key=lambda one: one[0])
    ]
    ordered = reversed(runs) if base == "R" else runs
    return "".join(
        "".join(text.translate(MIRRORED) for text in reversed(run))
        if direction == "R"
        else "".join(run)
        for direction, run in ordered
    )


def _is_right(directions: Sequence[str], share: float) -> bool:
    return directions.count("R") >= share * directions.count("L")


def as_drawn(line: str) -> str:
    """Return a line as PDFium gives it with its brackets as they look: in parts from right to left it turns them."""
    kinds = [_direction(sign) or _other_kind(sign) for sign in line]
    parts = [kind for kind, _ in groupby(kinds)]
    current = "R" if parts.count("R") >= parts.count("L") else "L"
    shown: list[str] = []
    for sign, kind in zip(line, kinds, strict=True):
        if kind in {"R", "L"}:
            current = kind
        shown.append(sign.translate(MIRRORED) if not kind and current == "R" else sign)
    return "".join(shown)


def _other_kind(sign: str) -> str:
    return "W" if unicodedata.bidirectional(sign) in {"NSM", "CS", "ES", "ET", "BN"} else ""


def _with_marks(drawn: Sequence[Drawn]) -> list[Drawn]:
    """Return letters with the marks that are drawn over or below them."""
    bases = [letter for letter in drawn if not _is_mark(letter)]
    letters = [n for n, base in enumerate(bases) if base.text != " "]
    middles = [_middle(bases[n]) for n in letters]
    for mark in filter(_is_mark, drawn) if letters else ():
        middle = _middle(mark)
        after = bisect_left(middles, middle)
        beside = range(max(after - 1, 0), min(after + 1, len(letters)))
        near = letters[min(beside, key=lambda n: abs(middles[n] - middle))]
        base = bases[near]
        bases[near] = Drawn(base.text + mark.text, base.left, base.right)
    return bases


def _middle(letter: Drawn) -> float:
    return (letter.left + letter.right) / 2


def _is_mark(letter: Drawn) -> bool:
    return all(unicodedata.category(sign) == "Mn" for sign in letter.text)


def _with_spaces(drawn: Iterable[Drawn], space: float) -> Iterator[str]:
    right = float("inf")
    for letter in drawn:
        if letter.left - right >= space:
            yield " "
        yield letter.text
        right = letter.right


def _numbers_together(texts: Iterable[str]) -> Iterator[str]:
    """Yield texts, numbers as one: these are written from left to right, signs within them included."""
    number: list[str] = []
    for text in texts:
        kinds = set(map(unicodedata.bidirectional, text))
        if kinds <= _OF_NUMBERS or (number and kinds <= _WITHIN_NUMBERS):
            number.append(text)
            continue
        yield from _number(number)
        number = []
        yield text
    yield from _number(number)


def _number(texts: Sequence[str]) -> Iterator[str]:
    end = len(texts)
    while end and not _OF_NUMBERS.issuperset(map(unicodedata.bidirectional, texts[end - 1])):
        end -= 1
    if end:
        yield "".join(texts[:end])
    yield from texts[end:]


def _directions(texts: Sequence[str]) -> list[str]:
    directions = [_direction(text) for text in texts]
    line = "".join(
        direction or ("(" if text in _OPENING else ")" if text in _CLOSING else "_")
        for direction, text in zip(directions, texts, strict=True)
    )
    for found in _BRACKETS.finditer(line):
        if "L" in found[0]:
            directions[found.start()] = directions[found.end() - 1] = "L"
    return directions


def _direction(text: str) -> str:
    """Return R or L for letters, N for numbers, and nothing for other signs."""
    for sign in text:
        match unicodedata.bidirectional(sign):
            case "R" | "AL":
                return "R"
            case "L":
                return "L"
            case "EN" | "AN":
                return "N"
            case _:
                pass
    return ""


def _resolved(directions: Sequence[str], base: str) -> Iterator[str]:
    """Yield the directions of all texts: signs have that of the letters on both sides, or that of the line."""
    # A number goes with the letters before it: "PDF 2".
    strong = [
        "L" if direction == "N" and left == "L" else direction
        for direction, left in zip(directions, _strong(directions, base), strict=True)
    ]
    before, after = _strong(strong, base), _strong(strong[::-1], base)[::-1]
    for left, right in zip(before, after, strict=True):
        yield left if left == right else base


def _strong(directions: Sequence[str], base: str) -> list[str]:
    """Return the direction of the last letter up to each place."""
    found: list[str] = []
    for direction in directions:
        base = direction if direction in {"R", "L"} else base
        found.append(base)
    return found
