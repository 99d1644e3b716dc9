"""Columns of a PDF page whose lines are drawn across all of them: they are put one after the other.

Programs as a rule draw one column and then the other, and PDFium reads what is drawn in its order. A row of a table is drawn across,
too, and must stay one; so only what is surely running text is moved: lines that were broken because the next word had no room.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pypdfium2_raw as api

_FEWEST_ROWS, _FEWEST_WORDS, _FEWEST_CONTINUED = 3, 3, 2
_MOST_TEXTS = 4_000
# As shares of the height of letters: texts of one line are no further apart, columns are, the next line is no further below,
# and lines of one column begin at one place.
_WITHIN_LINE, _BETWEEN_COLUMNS, _BELOW, _ASIDE = 1.0, 1.2, 4.0, 0.3
_ENDS = frozenset(".!?:;…")

Box = tuple[float, float, float, float]
"""Left, bottom, right and top of a text."""


@dataclass(slots=True)
class _Line:
    """Texts that stand beside each other and are drawn one after the other, with the box of all."""

    left: float
    bottom: float
    right: float
    top: float
    texts: list[Any]

    @property
    def height(self) -> float:
        return self.top - self.bottom


@dataclass(slots=True)
class _Columns:
    """Lines that follow each other on a page and begin at one of the same places, column by column."""

    sides: list[list[_Line]]
    rows: int = 1

    def add(self, line: _Line, last: _Line) -> bool:
        """Add the next line of a column, unless it is none."""
        is_beside = _are_beside(last, line)
        if is_beside and self.rows == 1:
            self.sides.append([line])
            return True
        for n, side in enumerate(self.sides):
            if abs(line.left - side[0].left) < _ASIDE * line.height:
                following = self.sides[n + 1 : n + 2]
                if following and line.right > following[0][0].left:
                    return False
                is_below = line.bottom < last.bottom and last.top - line.top < _BELOW * line.height
                if not (is_below or (n > 0 and is_beside)):
                    return False
                self.rows += is_below
                side.append(line)
                return True
        return False


def part_columns(page: Any, boxes: Sequence[tuple[Any, Box]], read: Callable[[Any], str]) -> bool:
    """Put lines of columns that are drawn row by row one column after the other; return whether there are any.

    `boxes` are the texts of the page in the order in which they are drawn; `read` returns the letters of one.
    """
    if len(boxes) > _MOST_TEXTS:
        return False
    found = [
        [text for side in columns.sides for line in side for text in line.texts]
        for columns in _columns(_lines(boxes))
        if all(_is_running(side, read) for side in columns.sides)
    ]
    if not found:
        return False
    objects = (api.FPDFPage_GetObject(page, n) for n in range(api.FPDFPage_CountObjects(page)))
    places = {_address(one): n for n, one in enumerate(objects)}
    for texts in found:
        # That of a form is no object of the page.
        if all(_address(text) in places for text in texts):
            for text in texts:
                api.FPDFPage_RemoveObject(page, text)
            first = min(places[_address(text)] for text in texts)
            for place, text in enumerate(texts, first):
                api.FPDFPage_InsertObjectAtIndex(page, text, place)
    return True


def _address(text: Any) -> int:
    return ctypes.addressof(text.contents)


def _lines(boxes: Sequence[tuple[Any, Box]]) -> Iterator[_Line]:
    """Yield the lines of a page in the order in which they are drawn."""
    line: _Line | None = None
    for text, (left, bottom, right, top) in boxes:
        if right <= left or top <= bottom:  # a space
            continue
        if (
            line is not None
            and _is_level(line, bottom, top)
            and -line.height < left - line.right < _WITHIN_LINE * line.height
        ):
            line.texts.append(text)
            line.right = max(line.right, right)
            line.bottom, line.top = min(line.bottom, bottom), max(line.top, top)
            continue
        if line is not None:
            yield line
        line = _Line(left, bottom, right, top, [text])
    if line is not None:
        yield line


def _is_level(line: _Line, bottom: float, top: float) -> bool:
    overlap = min(line.top, top) - max(line.bottom, bottom)
    return overlap > min(line.height, top - bottom) / 2


def _columns(lines: Iterable[_Line]) -> Iterator[_Columns]:
    """Yield stretches of a page in which lines stand at one height again and again, at the same places."""
    found: _Columns | None = None
    last: _Line | None = None
    for line in lines:
        if found is not None and last is not None and not found.add(line, last):
            yield found
            found = None
        if found is None and last is not None and _are_beside(last, line):
            found = _Columns([[last], [line]])
        last = line
    if found is not None:
        yield found


def _are_beside(one: _Line, other: _Line) -> bool:
    is_apart = other.left - one.right > _BETWEEN_COLUMNS * one.height
    return is_apart and _is_level(one, other.bottom, other.top)


def _is_running(lines: Sequence[_Line], read: Callable[[Any], str]) -> bool:
    """Whether lines are a text that was broken where the next word had no room, and goes on in small letters."""
    texts = [" ".join(" ".join(map(read, line.texts)).split()) for line in lines]
    if len(texts) < _FEWEST_ROWS or not all(texts):
        return False
    width = max(line.right - line.left for line in lines)
    continued = 0
    for (line, text), (_, following) in pairwise(zip(lines, texts, strict=True)):
        if text[-1] in _ENDS:
            continue
        used, first = line.right - line.left, following.split()[0]
        if len(text.split()) < _FEWEST_WORDS or (
            used + used / len(text) * (1 + len(first)) <= width
        ):
            return False
        continued += first[0].islower()
    return continued >= _FEWEST_CONTINUED
