"""What lies under and over the words of an answer: grounds of numbers, panels of code, doubts.

All of it is drawn beside the document, so that what a check finds out later changes no line of it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QTextBlock, QTextCursor, QTextDocument, QTextTable

from askance.domain.evidence import Support
from askance.ui.answer.answer_document import AnswerDocument
from askance.ui.answer.answer_formats import PAD
from askance.ui.design import tokens
from askance.ui.design.theme import Look
from askance.ui.model.markup import BULLET
from askance.ui.model.stream import MarkdownBlockKind

_MARKER_RADIUS = 3
_MARKER_ABOVE, _MARKER_BELOW = 12, 4
_UNDERLINE_DROP = 4.5
_BULLET, _BULLET_BEFORE, _BULLET_RISE = 4.5, 12, 5.5
_QUOTE_BAR = 2
_BESIDE = 2_000
_LINE = 300
_DASHES = {Support.WEAK: [3.0, 2.0], Support.UNSUPPORTED: [1.0, 2.0]}


@dataclass(frozen=True, slots=True)
class LineSegment:
    """A part of a line, in the coordinates of the document."""

    left: float
    right: float
    baseline: float


class LineGeometry:
    """Finds the parts of lines that words take. What is known of the last line is kept: whoever asks
    for all words that are seen asks in their order.
    """

    def __init__(self, document: QTextDocument) -> None:
        self._document = document
        self._start = self._end = 0
        self._block = QTextBlock()

    def stretches(self, start: int, length: int) -> Iterator[LineSegment]:
        """Yield the parts of lines that some words of one paragraph take."""
        end = start + length
        while start < end:
            if not self._start <= start < self._end and not self._go_to(start):
                return
            last = min(end, self._end)
            # PySide gives the place and the cursor's position; only the place is of use.
            left = _x(self._line.cursorToX(start - self._offset))
            right = _x(self._line.cursorToX(last - self._offset))
            # The blank at which a line breaks lies beyond its words.
            right = min(right, self._natural_right)
            yield LineSegment(self._left + left, self._left + right, self._baseline)
            start = last

    def _go_to(self, position: int) -> bool:
        if not self._block.contains(position):
            self._block = self._document.findBlock(position)
            self._offset = self._block.position()
            layout = self._document.documentLayout()
            self._origin = layout.blockBoundingRect(self._block).topLeft()
            self._left = self._origin.x()
        line = self._line = self._block.layout().lineForTextPosition(position - self._offset)
        if not line.isValid():
            self._start = self._end = 0
            return False
        self._start = self._offset + line.textStart()
        self._end = self._start + line.textLength()
        self._natural_right = line.naturalTextRect().right()
        self._baseline = self._origin.y() + line.y() + line.ascent()
        return self._start <= position < self._end


def stretches(document: QTextDocument, start: int, length: int) -> Iterator[LineSegment]:
    """Yield the parts of lines that some words of one paragraph take."""
    return LineGeometry(document).stretches(start, length)


def first_line(document: QTextDocument, start: int) -> Iterator[LineSegment]:
    """Yield what the words of a paragraph's first line take; nothing if it is not laid out yet."""
    block = document.findBlock(start)
    line = block.layout().lineAt(0)
    if line.isValid():
        origin = document.documentLayout().blockBoundingRect(block).topLeft()
        words = line.naturalTextRect()
        yield LineSegment(
            origin.x() + words.left(),
            origin.x() + words.right(),
            origin.y() + line.y() + line.ascent(),
        )


def _reads_from_left(document: QTextDocument, start: int) -> bool:
    direction = document.findBlock(start).textDirection()
    return direction is not Qt.LayoutDirection.RightToLeft


def _x(place: object) -> float:
    return float(place[0]) if isinstance(place, tuple) else float(place)  # type: ignore[arg-type]


def ground_of(stretch: LineSegment, look: Look) -> QRectF:
    """Return the ground behind a marker."""
    above, below = look.px(_MARKER_ABOVE), look.px(_MARKER_BELOW)
    return QRectF(
        stretch.left, stretch.baseline - above, stretch.right - stretch.left, above + below
    )


def panel_of(answer: AnswerDocument, index: int, look: Look, width: float) -> QRectF:
    """Return the panel behind a block of code."""
    shown = answer.shown[index]
    start = answer.start_of(index)
    layout = answer.document.documentLayout()
    first = layout.blockBoundingRect(answer.document.findBlock(start + shown.starts[0]))
    last = layout.blockBoundingRect(answer.document.findBlock(start + shown.starts[-1]))
    pad = look.px(PAD)
    return QRectF(0, first.top() - pad, width, last.bottom() - first.top() + 2 * pad)


class AnswerPaint:
    """Draws around the words, in the coordinates of the document."""

    def __init__(self, answer: AnswerDocument, look: Look) -> None:
        self._answer = answer
        self._look = look

    def under(self, painter: QPainter, clip: QRectF, focused: int | None) -> None:
        """Draw what lies under the words. `focused` is the marker that has the focus."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paragraphs, seen = self._seen(clip)
        self._panels(painter, clip, *paragraphs)
        painter.setPen(Qt.PenStyle.NoPen)
        self._bullets(painter, *paragraphs)
        lines = LineGeometry(self._answer.document)
        markers = self._answer.markers
        painter.setBrush(QColor(self._look.colours.accent_soft))
        for i in _within(markers, *seen):
            position, marker = markers[i]
            for stretch in lines.stretches(position, marker.length):
                self._marker(painter, ground_of(stretch, self._look), is_focused=i == focused)
        doubts = self._answer.doubts
        for i in _within(doubts, *paragraphs):
            position, found = doubts[i]
            for stretch in lines.stretches(position, found.length):
                self._underline(painter, stretch, found.doubt.support)

    def _bullets(self, painter: QPainter, first: int, last: int) -> None:
        painter.setBrush(QColor(self._look.colours.ink_2))
        radius, rise = self._look.px(_BULLET) / 2, self._look.px(_BULLET_RISE)
        paragraphs = self._answer.paragraphs
        for i in _within(paragraphs, first, last):
            position, paragraph = paragraphs[i]
            if paragraph.sign != BULLET:
                continue
            for stretch in first_line(self._answer.document, position):
                before = self._look.px(_BULLET_BEFORE)
                is_left = _reads_from_left(self._answer.document, position)
                place = stretch.left - before if is_left else stretch.right + before
                painter.drawEllipse(QPointF(place, stretch.baseline - rise), radius, radius)

    def _seen(self, clip: QRectF) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return where the first paragraph starts, and the last ends, that is seen in part; and the
        same of the lines.
        """
        document = self._answer.document
        layout = document.documentLayout()
        fuzzy = Qt.HitTestAccuracy.FuzzyHit
        # To look for a place takes milliseconds in a document of many tables.
        top, end = layout.hitTest(clip.topLeft(), fuzzy), layout.hitTest(clip.bottomRight(), fuzzy)
        first, last = document.findBlock(top), document.findBlock(end)
        # In a table the cells beside the one that was hit are seen as well.
        paragraphs = first.position() - _BESIDE, last.position() + last.length() + _BESIDE
        tables: list[QTextTable | None] = [QTextCursor(b).currentTable() for b in (first, last)]
        if any(table is not None for table in tables):
            return paragraphs, paragraphs
        # Where a line runs from right to left, the corner that was hit is its other end.
        return paragraphs, (top - _LINE, end + _LINE)

    def _panels(self, painter: QPainter, clip: QRectF, first: int, last: int) -> None:
        colours = self._look.colours
        for i in self._answer.blocks_between(first, last):
            shown = self._answer.shown[i]
            if shown.set.kind not in (
                MarkdownBlockKind.CODE,
                MarkdownBlockKind.QUOTE,
                MarkdownBlockKind.RULE,
            ):
                continue
            panel = panel_of(self._answer, i, self._look, self._answer.document.textWidth())
            if not panel.intersects(clip):
                continue
            if shown.set.kind is MarkdownBlockKind.CODE:
                painter.setPen(QPen(QColor(colours.line), 1))
                painter.setBrush(QColor(colours.raised))
                radius = self._look.px(tokens.CONTROL_RADIUS)
                painter.drawRoundedRect(panel.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
                continue
            inside = panel.adjusted(0, self._look.px(PAD), 0, -self._look.px(PAD))
            if shown.set.kind is MarkdownBlockKind.QUOTE:
                if shown.is_from_right:
                    inside.setLeft(inside.right() - _QUOTE_BAR)
                inside.setWidth(_QUOTE_BAR)
            else:
                inside = QRectF(0, round(inside.center().y()), panel.width(), 1)
            painter.fillRect(inside, QColor(colours.line))

    def _marker(self, painter: QPainter, ground: QRectF, *, is_focused: bool) -> None:
        if is_focused:
            painter.setPen(QPen(QColor(self._look.colours.accent), 1.5))
        painter.drawRoundedRect(ground, _MARKER_RADIUS, _MARKER_RADIUS)
        if is_focused:
            painter.setPen(Qt.PenStyle.NoPen)

    def _underline(self, painter: QPainter, stretch: LineSegment, support: Support) -> None:
        colours = self._look.colours
        pen = QPen(QColor(colours.amber if support is Support.WEAK else colours.red), 1.2)
        pen.setDashPattern(_DASHES[support])
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        y = round(stretch.baseline + self._look.px(_UNDERLINE_DROP)) + 0.5
        painter.drawLine(QPointF(stretch.left, y), QPointF(stretch.right, y))
        painter.setPen(Qt.PenStyle.NoPen)


def _within(found: Sequence[tuple[int, object]], first: int, last: int) -> range:
    """Return the indices of what starts between two positions."""
    start = bisect_left(found, first, key=lambda item: item[0])
    return range(start, bisect_left(found, last, key=lambda item: item[0]))
