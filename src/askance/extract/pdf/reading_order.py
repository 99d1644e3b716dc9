"""Texts of a PDF page in the order in which they are read: columns, letters named for several glyphs, right to left."""

from __future__ import annotations

import codecs
import ctypes
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import Any

import pypdfium2_raw as api

# Columns whose lines are drawn across all of them: they are put one after the other.
#
# Programs as a rule draw one column and then the other, and PDFium reads what is drawn in its order. A row of a table is
# drawn across, too, and must stay one; so only what is surely running text is moved: lines that were broken because the
# next word had no room.

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


# Letters that stand for several glyphs together (`ActualText`, ISO 32000-1, 14.9.4).
#
# Chromium, Google Docs and Word name the letters of Arabic, of Indic scripts, of Thai and of emoji so: a span of glyphs,
# each of them a text of its own to PDFium, has a text that takes their place. PDFium reads that text at the first glyph of
# a span, again where another glyph lies between two of the span, and takes the way to the next letter from the first glyph
# as if it were the last. Letters beyond the first 65,536 it leaves out. Here only one glyph of each span is left for
# PDFium, and the box of a span is that of all its glyphs.

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
_TEXT_LINE = re.compile(r"[^\r\n]+")
# No ligature has an alef before a lam, or a mark before its letter.
_TURNED = re.compile(
    "\\A([\u0591-\u05c7\u0610-\u061a\u064b-\u065f]+|[\u0622\u0623\u0625\u0627](?=\u0644))(.)\\Z"
)
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
"""Letters that are written from right to left."""


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


def spans_of(file: Any, texts: Iterable[tuple[Any, Box]]) -> Spans:
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
    if len(text) > _MOST_LETTERS or (text.isascii() and not spans.by_text):
        return
    right_to_left = sum(1 for _ in RIGHT_TO_LEFT.finditer(text))
    is_page_right = 2 * right_to_left >= sum(map(str.isalpha, text))
    for line in _TEXT_LINE.finditer(text) if spans.by_text or right_to_left else ():
        is_turned = RIGHT_TO_LEFT.search(line[0]) is not None
        if not (is_turned or spans.by_text):
            continue
        shown = as_drawn(line[0]) if is_turned else line[0]
        pieces = list(_line_pieces(letters, shown, line.span(), spans.by_text))
        size = size_of(letters, line.start())
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


def _line_pieces(
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


def size_of(letters: Any, place: int) -> float:
    """Return the size of a letter on the page, 0 for one that is turned."""
    number = api.FPDFText_GetCharIndexFromTextIndex(letters, place)
    matrix = api.FS_MATRIX()
    api.FPDFText_GetMatrix(letters, number, matrix)
    return 0.0 if matrix.b else api.FPDFText_GetFontSize(letters, number) * abs(matrix.d)


def _row(letters: Any, place: int) -> int:
    """Return the height of the line of a letter in whole points."""
    return round(origin_of(letters, place)[1])


def origin_of(letters: Any, place: int) -> tuple[float, float]:
    """Return where on the page a letter of the text begins, on its base line."""
    number = api.FPDFText_GetCharIndexFromTextIndex(letters, place)
    x, y = ctypes.c_double(), ctypes.c_double()
    api.FPDFText_GetCharOrigin(letters, number, x, y)
    return x.value, y.value


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


# Lines from right to left, in the order in which they are read.
#
# A page has its letters where they are drawn. PDFium turns a line from right to left around, but neither words of Latin
# letters within it, nor a word that begins with letters named for several glyphs. Here the letters of such a line are
# ordered by where they stand.

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
