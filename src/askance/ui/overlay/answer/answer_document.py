"""The document of an answer: it becomes what is wanted step by step, and gives what is selected of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from PySide6.QtGui import QTextCharFormat, QTextCursor

from askance.presentation.answers import is_right_to_left
from askance.ui.design.labels import TypeSize
from askance.ui.design.theme import Look
from askance.ui.overlay.answer import answer_piece
from askance.ui.overlay.answer.answer_piece import (
    EMPTY_LINE,
    INDENT,
    NBSP,
    TABLE_GAP,
    TIGHT_GAP,
    WITHOUT_MARKS,
    AnswerFormats,
    DoubtAt,
    PieceMarker,
    PieceParagraph,
    SealedDocument,
    SetPiece,
    Setter,
    gap_above,
    reads_from_right,
)
from askance.ui.overlay.answer.markup import Piece
from askance.ui.overlay.answer.tex_formulas import SET_FORMULAS, FormulaPainter

_EXTEND = QTextCursor.MoveMode.KeepAnchor
# So many blocks tell from which side an answer is written.
_SAMPLED_BLOCKS = 3
_TYPED = str.maketrans({"\N{LINE SEPARATOR}": "\n", NBSP: " "}) | WITHOUT_MARKS


@dataclass(frozen=True, slots=True)
class PlacedBlock:
    """A block in the document: `starts` says where its paragraphs start, counted from its start."""

    piece: Piece
    gap: float
    is_from_right: bool
    set: SetPiece
    starts: tuple[int, ...]
    length: int
    unset: tuple[str, ...] = ()
    """The sources of formulas that stand there as they were written."""

    def is_of(self, piece: Piece, gap: float, is_from_right: bool) -> bool:
        """Whether it shows this block, so far below the one above it and from this side."""
        return (self.piece, self.gap, self.is_from_right) == (piece, gap, is_from_right)


class AnswerDocument:
    """Holds `document`, and what is known of the blocks in it.

    Every block of the answer owns a stretch of paragraphs. A step sets one block; where it looks as
    it did, the document is not touched, and otherwise only from the first paragraph on that differs.
    """

    def __init__(self, look: Look, size: TypeSize, pad: float) -> None:
        self._size, self._pad = size, pad
        self.document = SealedDocument()
        # Nobody edits it, and an undo stack would keep all that streamed through.
        self.document.setUndoRedoEnabled(False)
        self.document.setDocumentMargin(0)
        self._formulas = FormulaPainter(self.document)
        self._wanted: tuple[Piece, ...] = ()
        self._is_from_right = self._writes_from_right = False
        self.shown: list[PlacedBlock] = []
        self._done = 0
        self._starts: list[int] = []
        # Found as far as they are asked for; `_found` has how many there are before each block.
        self._places: list[tuple[int, PieceParagraph]] = []
        self._markers: list[tuple[int, PieceMarker]] = []
        self._doubts: list[tuple[int, DoubtAt]] = []
        self._found: list[tuple[int, int, int]] = []
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Set everything anew in another look; `step` brings it back."""
        self._formats = AnswerFormats(look, self._size)
        self._setter = Setter(self._formats)
        self.document.clear()
        self.document.setIndentWidth(look.px(INDENT))
        frame = self.document.rootFrame()
        room = frame.frameFormat()
        room.setTopMargin(look.px(self._pad))
        room.setBottomMargin(look.px(self._pad))
        frame.setFrameFormat(room)
        self.shown, self._done = [], 0
        self._forget_places()

    @property
    def is_done(self) -> bool:
        """Whether the document is what is wanted."""
        return self._done == len(self._wanted) == len(self.shown)

    def want(self, pieces: tuple[Piece, ...]) -> None:
        """Say what the document is to become."""
        same = 0
        for old, new in zip(self._wanted[: self._done], pieces, strict=False):
            # By identity, which costs nothing: a finished block stays the same object until the
            # check renders the answer anew.
            if old is not new:
                break
            same += 1
        self._wanted, self._done = pieces, same
        self._turn()

    def _turn(self) -> None:
        """Find out from which side the answer is read, also where it begins with a foreign word."""
        runs = (
            r for piece in self._wanted[:_SAMPLED_BLOCKS] for p in piece.paragraphs for r in p.runs
        )
        text = " ".join(run.text for run in runs)
        # A draft may begin with a Latin name, and turn out to be Arabic in its second sentence.
        if self._is_from_right != (is_from_right := is_right_to_left(text)):
            self._is_from_right = is_from_right
            self._done = 0

    def step(self) -> None:
        """Bring one block nearer to what is wanted."""
        if self.is_done:
            return
        i = self._done
        if i == len(self._wanted):
            self._cut(i)
            return
        piece = self._wanted[i]
        gap = gap_above(self._wanted[i - 1] if i else None, piece)
        is_from_right = reads_from_right(piece, in_answer_from_right=self._is_from_right)
        if i == len(self.shown) or not self.shown[i].is_of(piece, gap, is_from_right):
            self._put(i, piece, gap, is_from_right)
        self._done += 1

    @property
    def unset_formulas(self) -> tuple[str, ...]:
        """The sources of the formulas that are shown as they were written, and may yet be set."""
        found = (source for shown in self.shown for source in shown.unset)
        return tuple(dict.fromkeys(source for source in found if source not in SET_FORMULAS))

    def set_formulas(self) -> None:
        """Let `step` set those that are known by now."""
        for i, shown in enumerate(self.shown):
            if any(map(SET_FORMULAS.get, shown.unset)):
                # As if it had not been shown: what looks as it did is not touched.
                self.shown[i] = replace(shown, gap=-1)
                self._done = min(self._done, i)

    def start_of(self, index: int) -> int:
        """Return where a block starts."""
        starts = self._starts
        while len(starts) <= index:
            last = len(starts) - 1
            # One more for the end of the paragraph, which Qt counts as a character.
            starts.append(starts[last] + self.shown[last].length + 1 if starts else 0)
        return starts[index]

    def blocks_between(self, first: int, last: int) -> range:
        """Return the indices of the blocks that reach between two positions, and of those beside."""
        if not self.shown:
            return range(0)
        self.start_of(len(self.shown) - 1)
        start = bisect_right(self._starts, first) - 2
        return range(max(start, 0), min(bisect_right(self._starts, last) + 1, len(self.shown)))

    @property
    def markers(self) -> Sequence[tuple[int, PieceMarker]]:
        """The markers with their positions, in order."""
        self._find_places()
        return self._markers

    @property
    def doubts(self) -> Sequence[tuple[int, DoubtAt]]:
        """The doubtful words with their positions, in order."""
        self._find_places()
        return self._doubts

    @property
    def paragraphs(self) -> Sequence[tuple[int, PieceParagraph]]:
        """The paragraphs with their positions, in order."""
        self._find_places()
        return self._places

    @property
    def formulas(self) -> Iterator[tuple[int, str]]:
        """The sources of the formulas that are drawn, with their positions, in order."""
        for start, paragraph in self.paragraphs:
            yield from ((start + at, source) for at, source in paragraph.formulas)

    def marker_at(self, position: int) -> int | None:
        """Return the number, from 0, of the marker that holds a position."""
        return _holding(self.markers, position)

    def doubt_at(self, position: int) -> DoubtAt | None:
        """Return the doubtful words that hold a position."""
        i = _holding(self.doubts, position)
        return None if i is None else self.doubts[i][1]

    def _find_places(self) -> None:
        for i in range(len(self._found), len(self.shown)):
            self._found.append((len(self._places), len(self._markers), len(self._doubts)))
            shown, begin = self.shown[i], self.start_of(i)
            for offset, paragraph in zip(shown.starts, shown.set.paragraphs, strict=True):
                start = begin + offset
                self._places.append((start, paragraph))
                self._markers += [(start + found.start, found) for found in paragraph.markers]
                self._doubts += [(start + found.start, found) for found in paragraph.doubts]

    def _forget_places(self, index: int = 0) -> None:
        """Forget where things are in and behind a block."""
        del self._starts[index + 1 :]
        if index < len(self._found):
            places, markers, doubts = self._found[index]
            del self._places[places:], self._markers[markers:], self._doubts[doubts:]
            del self._found[index:]

    def _put(self, index: int, piece: Piece, gap: float, is_from_right: bool) -> None:
        made = self._setter.set(piece, gap, is_from_right=is_from_right)
        unset = tuple(source for source in piece.formulas if not SET_FORMULAS.get(source))
        new = made.paragraphs
        start = self.start_of(index)
        cursor = QTextCursor(self.document)
        self._writes_from_right = is_from_right
        # One change for the layout, which would otherwise be made anew behind each paragraph.
        cursor.beginEditBlock()
        if index == len(self.shown):
            cursor.movePosition(QTextCursor.MoveOperation.End)
            starts = self._write(cursor, new, start, in_place=index == 0)
        else:
            old = self.shown[index]
            common = _common(old.set.paragraphs, new)
            cursor.setPosition(start + old.length)
            starts = old.starts[:common]
            if grown := _grown(old.set.paragraphs, new):
                # Behind what stands there: a screen reader is given the new words, and not all of them again.
                for text, chars in grown:
                    cursor.insertText(text, chars)
                starts = old.starts
            elif common < max(len(new), len(old.set.paragraphs)):
                in_place = common < len(old.starts)
                if in_place:
                    cursor.setPosition(start + old.starts[common] if common else start, _EXTEND)
                    cursor.removeSelectedText()
                starts += self._write(cursor, new[common:], start, in_place=in_place)
        length = cursor.position() - start
        placed = PlacedBlock(piece, gap, is_from_right, made, starts, length, unset)
        self.shown[index : index + 1] = [placed]
        cursor.endEditBlock()
        self._forget_places(index)

    def _cut(self, index: int) -> None:
        """Take out all blocks from one on."""
        cursor = QTextCursor(self.document)
        # From the end of the paragraph before, or an empty one would be left.
        cursor.setPosition(max(self.start_of(index) - 1, 0))
        cursor.movePosition(QTextCursor.MoveOperation.End, _EXTEND)
        cursor.removeSelectedText()
        del self.shown[index:]
        self._forget_places(index)

    def _write(
        self,
        cursor: QTextCursor,
        paragraphs: Sequence[PieceParagraph],
        start: int,
        *,
        in_place: bool,
    ) -> tuple[int, ...]:
        """Write paragraphs and return where they start; the first into the paragraph that is there."""
        starts: list[int] = []
        for in_table, group in groupby(paragraphs, key=lambda p: p.cell is not None):
            if in_table:
                starts += self._write_table(cursor, list(group), start, in_place=in_place)
                in_place = False
                continue
            for paragraph in group:
                if in_place:
                    cursor.setBlockFormat(paragraph.format)
                else:
                    cursor.insertBlock(paragraph.format)
                in_place = False
                if paragraph.list is not None:
                    cursor.createList(paragraph.list)
                starts.append(cursor.position() - start)
                _write_runs(cursor, paragraph)
        return tuple(starts)

    def _write_table(
        self, cursor: QTextCursor, cells: Sequence[PieceParagraph], start: int, *, in_place: bool
    ) -> list[int]:
        """Write a table between two paragraphs that cannot be seen: Qt wants them there."""
        empty = self._formats.lines(EMPTY_LINE, TABLE_GAP)
        if in_place:
            cursor.setBlockFormat(empty)
            cursor.setBlockCharFormat(self._formats.empty)
        else:
            cursor.insertBlock(empty, self._formats.empty)
        places = [cell.cell for cell in cells if cell.cell is not None]
        rows, columns = (1 + max(place[axis] for place in places) for axis in (0, 1))
        formats = self._formats.table(is_from_right=self._writes_from_right)
        table = cursor.insertTable(rows, columns, formats)
        for cell, (row, column) in zip(cells, places, strict=True):
            at = table.cellAt(row, column)
            inside = at.firstCursorPosition()
            inside.setBlockFormat(cell.format)
            _write_runs(inside, cell)
            # Last, because Qt keeps the format of a cell in that of its first paragraph.
            at.setFormat(self._formats.cell(row, column))
        cursor.setPosition(table.lastPosition() + 1)
        cursor.setBlockFormat(self._formats.lines(EMPTY_LINE, 0))
        return [table.cellAt(*place).firstPosition() - start for place in places]


def _holding(found: Sequence[tuple[int, PieceMarker | DoubtAt]], position: int) -> int | None:
    """Return the index of what holds a position, of things in order that never overlap."""
    i = bisect_right(found, position, key=lambda item: item[0]) - 1
    return i if i >= 0 and position < found[i][0] + found[i][1].length else None


def plain_text(answer: AnswerDocument, selection: QTextCursor) -> str:
    """Return the selected words: numbers as `[1]`, items with what stands before them.

    Blocks stand a line apart, the cells of a table a tab.
    """
    start, end = selection.selectionStart(), selection.selectionEnd()
    text = ""
    at = 0
    for shown in answer.shown:
        pairs = list(zip(shown.starts, shown.set.paragraphs, strict=True))
        if shown.is_from_right:
            # Columns were mirrored for Qt, which does not do it; a copy has them as they were
            # written.
            pairs.sort(key=lambda pair: _as_read(pair[1]))
        row = -1
        for i, (offset, paragraph) in enumerate(pairs):
            first = at + offset
            if first > end or first + paragraph.length < start:
                continue
            if text:
                is_apart = i == 0 and shown.gap > TIGHT_GAP
                same_row = paragraph.cell is not None and paragraph.cell[0] == row
                text += "\t" if same_row else "\n\n" if is_apart else "\n"
            row = paragraph.cell[0] if paragraph.cell is not None else -1
            if first >= start:
                text += paragraph.sign
            text += _words(paragraph, max(start - first, 0), end - first)
        at += shown.length + 1
    return text.translate(_TYPED).strip("\n")


def _write_runs(cursor: QTextCursor, paragraph: PieceParagraph) -> None:
    # An empty line takes its height from the format of its paragraph's end.
    cursor.setBlockCharFormat(paragraph.runs[0][1] if paragraph.runs else cursor.charFormat())
    for text, chars in paragraph.runs:
        cursor.insertText(text, chars)


def _common(old: Sequence[PieceParagraph], new: Sequence[PieceParagraph]) -> int:
    """Return how many paragraphs at the start may stay; all of them only if nothing differs."""
    # Most of what is set again looks as before: a draft that was checked, with other markers.
    if tuple(old) == tuple(new):
        return len(new)
    # The cells of a table are in a frame of Qt's, which is taken out and made anew as a whole.
    if any(paragraph.cell is not None for paragraph in (*old, *new)):
        return 0
    same = 0
    for before, after in zip(old, new, strict=False):
        if before != after:
            break
        same += 1
    return min(same, len(new) - 1)


def _grown(
    old: Sequence[PieceParagraph], new: Sequence[PieceParagraph]
) -> Sequence[tuple[str, QTextCharFormat]]:
    """Return what came to the end of the last paragraph, where nothing else changed; else nothing."""
    if len(old) != len(new) or tuple(old[:-1]) != tuple(new[:-1]):
        return ()
    before, after = old[-1], new[-1]
    is_alike = replace(after, runs=before.runs) == before and before.cell is None
    last = len(before.runs) - 1
    if not is_alike or last < 0 or len(after.runs) <= last:
        return ()
    text, chars = before.runs[last]
    now, its = after.runs[last]
    is_behind = after.runs[:last] == before.runs[:last] and chars == its and now.startswith(text)
    if not is_behind or not text or after.runs == before.runs:
        return ()
    rest = ((now[len(text) :], its),) if len(now) > len(text) else ()
    return (*rest, *after.runs[last + 1 :])


def _as_read(paragraph: PieceParagraph) -> tuple[int, int]:
    """Return the place of a cell in its table as it is read from right to left; others stay in order."""
    return (paragraph.cell[0], -paragraph.cell[1]) if paragraph.cell is not None else (0, 0)


def _words(paragraph: PieceParagraph, start: int, end: int) -> str:
    """Return a part of a paragraph, its numbers in brackets."""
    text = answer_piece.split("".join(words for words, _ in paragraph.runs))
    parts: list[str] = []
    done = start
    # The gap before a number belongs to it.
    signs = [(m.start, m.length, NBSP, f"[{m.n}]") for m in paragraph.markers]
    signs += [(at, 1, "", source) for at, source in paragraph.formulas]
    for at, length, before, words in sorted(signs):
        if at + length <= start or at >= end:
            continue
        parts += [text[done : max(at, done)].removesuffix(before), words]
        done = at + length
    parts.append(text[done:end])
    return answer_piece.join("".join(parts))
