"""What lies under and over the words of an answer: grounds of numbers, panels of code, doubts.

All of it is drawn beside the document, so that what a check finds out later changes no line of it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QTextDocument

from askance.domain.evidence import Support
from askance.ui.look import tokens
from askance.ui.look.theme import Look
from askance.ui.model.stream import BlockKind
from askance.ui.widgets.answer_document import AnswerDocument
from askance.ui.widgets.answer_formats import PAD
from askance.ui.widgets.answer_piece import BULLET

_MARKER_RADIUS = 3
_MARKER_ABOVE, _MARKER_BELOW = 12, 4
_UNDERLINE_DROP = 4.5
_BULLET, _BULLET_BEFORE, _BULLET_RISE = 4.5, 12, 5.5
_QUOTE_BAR = 2
_BESIDE = 2_000
_DASHES = {Support.WEAK: [3.0, 2.0], Support.UNSUPPORTED: [1.0, 2.0]}


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a line, in the coordinates of the document."""

    left: float
    right: float
    baseline: float


def stretches(document: QTextDocument, start: int, length: int) -> Iterator[Stretch]:
    """Yield the parts of lines that some words of one paragraph take."""
    block = document.findBlock(start)
    layout = block.layout()
    origin = document.documentLayout().blockBoundingRect(block).topLeft()
    first, end = start - block.position(), start - block.position() + length
    while first < end:
        line = layout.lineForTextPosition(first)
        if not line.isValid():
            return
        last = min(end, line.textStart() + line.textLength())
        if last <= first:
            return
        # PySide gives the place and the cursor's position; only the place is of use.
        left, right = (_x(line.cursorToX(at)) for at in (first, last))
        # The blank at which a line breaks lies beyond its words.
        right = min(right, line.naturalTextRect().right())
        baseline = origin.y() + line.y() + line.ascent()
        yield Stretch(origin.x() + left, origin.x() + right, baseline)
        first = last


def first_line(document: QTextDocument, start: int) -> Iterator[Stretch]:
    """Yield where the first line of a paragraph begins; nothing if it is not laid out yet."""
    block = document.findBlock(start)
    line = block.layout().lineAt(0)
    if line.isValid():
        origin = document.documentLayout().blockBoundingRect(block).topLeft()
        left = origin.x() + line.x()
        yield Stretch(left, left, origin.y() + line.y() + line.ascent())


def _x(place: object) -> float:
    return float(place[0]) if isinstance(place, tuple) else float(place)  # type: ignore[arg-type]


def ground_of(stretch: Stretch, look: Look) -> QRectF:
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
        self._panels(painter, clip)
        painter.setPen(Qt.PenStyle.NoPen)
        self._bullets(painter, clip)
        first, last = self._seen(clip)
        markers = self._answer.markers
        for i in _within(markers, first, last):
            position, marker = markers[i]
            for stretch in stretches(self._answer.document, position, marker.length):
                self._marker(painter, ground_of(stretch, self._look), is_focused=i == focused)
        doubts = self._answer.doubts
        for i in _within(doubts, first, last):
            position, found = doubts[i]
            for stretch in stretches(self._answer.document, position, found.length):
                self._underline(painter, stretch, found.doubt.support)

    def _bullets(self, painter: QPainter, clip: QRectF) -> None:
        painter.setBrush(QColor(self._look.colours.ink_2))
        radius, rise = self._look.px(_BULLET) / 2, self._look.px(_BULLET_RISE)
        first, last = self._seen(clip)
        for position, paragraph in self._answer.paragraphs:
            if paragraph.sign != BULLET or not first <= position <= last:
                continue
            for stretch in first_line(self._answer.document, position):
                left = stretch.left - self._look.px(_BULLET_BEFORE)
                painter.drawEllipse(QPointF(left, stretch.baseline - rise), radius, radius)

    def _seen(self, clip: QRectF) -> tuple[int, int]:
        """Return where the first paragraph starts, and the last ends, that is seen in part."""
        document = self._answer.document
        layout = document.documentLayout()
        fuzzy = Qt.HitTestAccuracy.FuzzyHit
        first = document.findBlock(layout.hitTest(clip.topLeft(), fuzzy))
        last = document.findBlock(layout.hitTest(clip.bottomRight(), fuzzy))
        # In a table the cells beside the one that was hit are seen as well.
        return first.position() - _BESIDE, last.position() + last.length() + _BESIDE

    def _panels(self, painter: QPainter, clip: QRectF) -> None:
        colours = self._look.colours
        for i, shown in enumerate(self._answer.shown):
            if shown.set.kind not in (BlockKind.CODE, BlockKind.QUOTE, BlockKind.RULE):
                continue
            panel = panel_of(self._answer, i, self._look, self._answer.document.textWidth())
            if not panel.intersects(clip):
                continue
            if shown.set.kind is BlockKind.CODE:
                painter.setPen(QPen(QColor(colours.line), 1))
                painter.setBrush(QColor(colours.raised))
                radius = self._look.px(tokens.CONTROL_RADIUS)
                painter.drawRoundedRect(panel.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
                continue
            inside = panel.adjusted(0, self._look.px(PAD), 0, -self._look.px(PAD))
            if shown.set.kind is BlockKind.QUOTE:
                inside.setWidth(_QUOTE_BAR)
            else:
                inside = QRectF(0, round(inside.center().y()), panel.width(), 1)
            painter.fillRect(inside, QColor(colours.line))

    def _marker(self, painter: QPainter, ground: QRectF, *, is_focused: bool) -> None:
        painter.setBrush(QColor(self._look.colours.accent_soft))
        if is_focused:
            painter.setPen(QPen(QColor(self._look.colours.accent), 1.5))
        painter.drawRoundedRect(ground, _MARKER_RADIUS, _MARKER_RADIUS)
        painter.setPen(Qt.PenStyle.NoPen)

    def _underline(self, painter: QPainter, stretch: Stretch, support: Support) -> None:
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
