"""Lines of a PDF page from right to left, in the order in which they are read.

A page has its letters where they are drawn. PDFium turns a line from right to left around, but neither words of Latin letters within it, nor a
word that begins with letters named for several glyphs. Here the letters of such a line are ordered by where they stand.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

_OF_NUMBERS = frozenset({"EN", "AN"})
_WITHIN_NUMBERS = frozenset({"EN", "AN", "ES", "CS", "ET"})


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

    The line begins at the right if most of its letters go to the left, or a part of them where most letters of its page do.
    """
    drawn = sorted(letters, key=_middle)
    texts = list(_numbers_together(_with_spaces(_with_marks(drawn), space)))
    directions = [_direction(text) for text in texts]
    share = _SHARE if is_page_right else 1
    is_right = directions.count("R") >= share * directions.count("L")
    base = "R" if is_right else "L"
    resolved = list(_resolved(directions, base))
    runs = [
        (direction, [text for _, text in run])
        for direction, run in groupby(zip(resolved, texts, strict=True), key=lambda one: one[0])
    ]
    ordered = reversed(runs) if base == "R" else runs
    return "".join(
        "".join(reversed(run) if direction == "R" else run) for direction, run in ordered
    )


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
