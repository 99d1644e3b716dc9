"""Letters of a PDF page that stand for several glyphs together (`ActualText`, ISO 32000-1, 14.9.4).

Chromium, Google Docs and Word name the letters of Arabic, of Indic scripts, of Thai and of emoji so: a span of glyphs, each of
them a text of its own to PDFium, has a text that takes their place. PDFium reads that text at the first glyph of a span, again where
another glyph lies between two of the span, and takes the way to the next letter from the first glyph as if it were the last. Letters
beyond the first 65,536 it leaves out. Here only one glyph of each span is left for PDFium, and the box of a span is that of all its glyphs.
"""

from __future__ import annotations

import codecs
import ctypes
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import pypdfium2_raw as api

from askance.extract.pdf.right_to_left import MIRRORED, Drawn, as_drawn, in_reading_order

_LONGEST, _MOST_MARKS, _MOST_LETTERS = 10_000, 10, 50_000
# PDFium leaves out all letters of a span beyond this one, which then stands for the text of the span.
_LAST_READ = "\ufffc"
# A glyph that is at least so high, as a share of the highest of a span, is no accent.
_HIGH = 0.5
_NO_WIDTH = 0.01
# Gaps that are so wide, as shares of the size of letters, part words: beside the shapes of a span, in a line from right to
# left, and there between the widths of letters.
_SPACE, _APART, _WIDTHS_APART = 0.2, 0.15, 0.1
# So does a space that is drawn where there is any gap; it begins so far within the shapes before it, at most.
_ANY, _WITHIN = 0.1, 0.3
_LINE = re.compile(r"[^\r\n]+")
# No ligature has an alef before a lam, or a mark before its letter.
_TURNED = re.compile(
    "\\A([\u0591-\u05c7\u0610-\u061a\u064b-\u065f]+|[\u0622\u0623\u0625\u0627](?=\u0644))(.)\\Z"
)
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


@dataclass(slots=True)
class Span:
    """The text of some glyphs with their heights, and from where to where on a line they stand."""

    text: str
    glyphs: list[tuple[Any, float]] = field(default_factory=list[tuple[Any, float]])
    left: float = float("inf")
    right: float = float("-inf")

    def add(self, glyph: Any, left: float, bottom: float, right: float, top: float) -> None:
        """Add a glyph with its box."""
        self.glyphs.append((glyph, top - bottom))
        self.left, self.right = min(self.left, left), max(self.right, right)


@dataclass(frozen=True, slots=True)
class Spans:
    """The spans of a page by the address of the only text of each that is left active, and where spaces are drawn."""

    by_text: dict[int, Span]
    spaces: dict[int, list[float]]
    """From where spaces stand, by the height of their line in whole points."""


def spans_of(file: Any, texts: Iterable[tuple[Any, tuple[float, float, float, float]]]) -> Spans:
    """Return the spans of a page, from all of its texts with their boxes (left, bottom, right, top)."""
    by_mark: dict[int, Span | None] = {}
    spaces: dict[int, list[float]] = {}
    for text, box in texts:
        left, bottom, right, _ = box
        if right - left < _NO_WIDTH:
            spaces.setdefault(round(bottom), []).append(left)
        marks = api.FPDFPageObj_CountMarks(text)
        for number in range(marks - 1, max(marks - _MOST_MARKS, 0) - 1, -1):
            mark = api.FPDFPageObj_GetMark(text, number)
            address = ctypes.addressof(mark.contents)
            if address not in by_mark:
                replaced = _actual_text(mark)
                by_mark[address] = Span(replaced) if replaced else None
                if replaced and max(replaced) > _LAST_READ:
                    stands = codecs.BOM_UTF16_BE + _LAST_READ.encode("utf-16-be")
                    api.FPDFPageObjMark_SetStringParam(file, text, mark, b"ActualText", stands)
            if (span := by_mark[address]) is not None:
                span.add(text, *box)
                break
    found: dict[int, Span] = {}
    for span in by_mark.values():
        if span is None:
            continue
        highest = max(height for _, height in span.glyphs)
        first = next(glyph for glyph, height in span.glyphs if height >= _HIGH * highest)
        for glyph, _ in span.glyphs:
            api.FPDFPageObj_SetIsActive(glyph, glyph is first)
        found[ctypes.addressof(first.contents)] = span
    return Spans(found, {row: sorted(places) for row, places in spaces.items()})


def _actual_text(mark: Any) -> str:
    """Return the text that a mark gives its glyphs; empty where it gives none."""
    size = ctypes.c_ulong()
    if not api.FPDFPageObjMark_GetParamBlobValue(mark, b"ActualText", None, 0, size):
        return ""
    room = (ctypes.c_ubyte * min(size.value, _LONGEST))()
    if not api.FPDFPageObjMark_GetParamBlobValue(mark, b"ActualText", room, len(room), size):
        return ""
    data = bytes(room)[: size.value]
    if data.startswith(codecs.BOM_UTF16_BE):
        return data[2:].decode("utf-16-be", "replace")
    return data.decode("latin-1")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A letter of a line, or the letters of a span, and from where to where in the text they stand."""

    start: int
    end: int
    drawn: Drawn
    is_made: bool
    span: Span | None


def mend_spans(
    letters: Any, text: str, spans: Spans, gone: set[int], added: dict[int, str]
) -> None:
    """Add to the places of a text that are none, and to what stands before a place, what the spans of a page change.

    Lines from right to left are ordered anew as a whole.
    """
    if len(text) > _MOST_LETTERS:
        return
    right_to_left = sum(1 for _ in _RIGHT_TO_LEFT.finditer(text))
    is_page_right = 2 * right_to_left >= sum(map(str.isalpha, text))
    for line in _LINE.finditer(text) if spans.by_text or right_to_left else ():
        is_turned = _RIGHT_TO_LEFT.search(line[0]) is not None
        if not (is_turned or spans.by_text):
            continue
        shown = as_drawn(line[0]) if is_turned else line[0]
        pieces = list(_pieces(letters, shown, line.span(), spans.by_text))
        size = _size(letters, line.start())
        if not (is_turned and size):
            row = spans.spaces.get(_row(letters, line.start()), [])
            _mend_line(text, pieces, size, row, gone, added)
            continue
        share = _APART if any(piece.span for piece in pieces) else _WIDTHS_APART
        lines: list[list[Drawn]] = [[]]
        for piece in pieces:
            if added.get(piece.start) == "\n":
                lines.append([])
            if not piece.is_made and piece.start not in gone:
                lines[-1].append(_mirrored(piece) if piece.span else piece.drawn)
        for place in range(*line.span()):
            added.pop(place, None)
            gone.add(place)
        added[line.start()] = "\n".join(
            in_reading_order(each, share * size, is_page_right=is_page_right) for each in lines
        )


def _mend_line(
    text: str,
    pieces: Sequence[_Piece],
    size: float,
    spaces: Sequence[float],
    gone: set[int],
    added: dict[int, str],
) -> None:
    for place in _places_within_words(pieces, size, spaces):
        if added.get(place) == " ":
            del added[place]
        elif text[place] == " ":
            gone.add(place)
    for piece in pieces:
        if piece.span is not None and max(piece.span.text) > _LAST_READ:
            gone.update(range(piece.start, piece.end))
            added[piece.start] = added.get(piece.start, "") + piece.span.text


def _mirrored(piece: _Piece) -> Drawn:
    """Return a span with a bracket as it looks."""
    return replace(piece.drawn, text=piece.drawn.text.translate(MIRRORED))


def _pieces(
    letters: Any, shown: str, places: tuple[int, int], spans: dict[int, Span]
) -> Iterator[_Piece]:
    """Yield the pieces of a line that is shown as given, and stands at these places in the text."""
    room = api.FS_RECTF()
    seen: set[int] = set()
    place, end = places
    while place < end:
        start = place
        number = api.FPDFText_GetCharIndexFromTextIndex(letters, start)
        address = _text_at(letters, number)
        api.FPDFText_GetLooseCharBox(letters, number, room)
        left, right = room.left, room.right
        span = spans.get(address)
        place += 1
        while (
            place < end
            and address
            and _text_at(letters, following := number + place - start) == address
        ):
            api.FPDFText_GetLooseCharBox(letters, following, room)
            if span is None and (room.left, room.right) != (left, right):
                break
            place += 1
        if span is None:
            # Letters with one place are a ligature, which PDFium turns around as it does a line.
            drawn = Drawn(
                _TURNED.sub(r"\2\1", shown[start - places[0] : place - places[0]]), left, right
            )
        elif address in seen:
            # In a line from right to left PDFium takes a span apart where a mark follows a letter.
            continue
        else:
            seen.add(address)
            drawn = Drawn(span.text, span.left, span.right)
        is_made = shown[start - places[0]] == " " and drawn.right - drawn.left < _NO_WIDTH
        yield _Piece(start, place, drawn, is_made, span)


def _text_at(letters: Any, number: int) -> int:
    """Return the address of the text of a letter, 0 for one that PDFium made."""
    text = api.FPDFText_GetTextObject(letters, number)
    return ctypes.addressof(text.contents) if text else 0


def _size(letters: Any, place: int) -> float:
    """Return the size of a letter on the page, 0 for one that is turned."""
    number = api.FPDFText_GetCharIndexFromTextIndex(letters, place)
    matrix = api.FS_MATRIX()
    api.FPDFText_GetMatrix(letters, number, matrix)
    return 0.0 if matrix.b else api.FPDFText_GetFontSize(letters, number) * abs(matrix.d)


def _row(letters: Any, place: int) -> int:
    """Return the height of the line of a letter in whole points."""
    number = api.FPDFText_GetCharIndexFromTextIndex(letters, place)
    x, y = ctypes.c_double(), ctypes.c_double()
    api.FPDFText_GetCharOrigin(letters, number, x, y)
    return round(y.value)


def _places_within_words(
    pieces: Sequence[_Piece], size: float, spaces: Sequence[float]
) -> Iterator[int]:
    """Yield the places of spaces that PDFium made beside a span, and of letters, where neither a space nor a gap is seen."""
    shown = [piece for piece in pieces if not piece.is_made]
    for a, b in pairwise(shown):
        left, right = a.drawn.right, b.drawn.left
        is_space = " " in {a.drawn.text, b.drawn.text}
        if is_space or not (a.span or b.span) or right - left >= _SPACE * size:
            continue
        near = bisect_left(spaces, left - _WITHIN * size)
        if right - left < _ANY * size or near == len(spaces) or spaces[near] > right:
            yield from range(a.end, b.start + 1)
