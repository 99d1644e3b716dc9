"""What windows draw by hand: a text that ends in an ellipsis, words that are marked, panels and hairlines."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

from PySide6.QtCore import QLineF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QPen,
    QTextCharFormat,
    QTextLayout,
    QTextLine,
)

from askance.ui.design import tokens
from askance.ui.design.theme import Look

Marks = Sequence[tuple[int, int]]
LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


def write(
    painter: QPainter,
    text: str,
    area: QRect | QRectF,
    font: QFont,
    colour: str,
    *,
    where: Qt.AlignmentFlag = LEFT,
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> None:
    """Write one line into an area; what has no room ends in an ellipsis, or has one in its middle."""
    painter.setFont(font)
    painter.setPen(QColor(colour))
    painter.drawText(area, where, QFontMetrics(font).elidedText(text, elide, int(area.width())))


def draw_marked(
    painter: QPainter, look: Look, text: str, marks: Marks, area: QRect, rows: int = 1
) -> None:
    """Draw text in an area, on so many rows at most; what has no room ends in an ellipsis.

    The marked words stand on the accent's soft colour. `marks` are their `(start, end)` in the text.
    """
    font = look.font(tokens.LABEL_TEXT)
    metrics = QFontMetrics(font)
    high = area.height() // rows
    painter.setPen(QColor(look.colours.ink_2))
    painter.setClipRect(area)
    start = 0
    for row in range(rows):
        rest = text[start:]
        shown = metrics.elidedText(rest, Qt.TextElideMode.ElideRight, area.width())
        if row < rows - 1 and shown != rest:
            shown = rest[: _first_line(rest, font, area.width())]
        layout = QTextLayout(shown.rstrip(), font)
        layout.setFormats([
            _marked(look, max(a - start, 0), b - start) for a, b in marks if b > start
        ])  # fmt: skip
        _lay_out(layout, area.width() * 2)
        layout.draw(painter, area.topLeft().toPointF())
        area = area.translated(0, high)
        start += len(shown)
        if start >= len(text):
            break
    painter.setClipping(False)


def fill(painter: QPainter, area: QRect | QRectF, colour: str, radius: float) -> None:
    """Fill an area with round corners, without an edge."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawRoundedRect(area, radius, radius)


def draw_panel(painter: QPainter, room: QRect, look: Look) -> None:
    """Draw a raised panel with a hairline around it."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(look.colours.line), 1))
    painter.setBrush(QColor(look.colours.raised))
    radius = look.px(tokens.PANEL_RADIUS)
    painter.drawRoundedRect(room.toRectF().adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)


def draw_hairline(painter: QPainter, colour: str, width: int, top: int = 0) -> None:
    """Draw a hairline over so many logical pixels. `top` is the first pixel that it covers."""
    pen = QPen(QColor(colour), max(1, floor(painter.device().devicePixelRatioF())))
    # In pixels of the screen: where a logical pixel is one and a half, lines would differ.
    pen.setCosmetic(True)
    painter.setPen(pen)
    painter.drawLine(QLineF(0, top + 0.5, width, top + 0.5))


def _first_line(text: str, font: QFont, width: int) -> int:
    """Return how many characters of a text stand on its first line."""
    layout = QTextLayout(text, font)
    return _lay_out(layout, width).textLength()


def _lay_out(layout: QTextLayout, width: int) -> QTextLine:
    """Lay out the first line, and return it; it is gone with its layout."""
    layout.beginLayout()
    line: QTextLine = layout.createLine()
    line.setLineWidth(width)
    layout.endLayout()
    return line


def _marked(look: Look, start: int, end: int) -> QTextLayout.FormatRange:
    marked = QTextLayout.FormatRange()
    marked.start, marked.length = start, end - start
    words = QTextCharFormat()
    words.setBackground(QColor(look.colours.accent_soft))
    words.setForeground(QColor(look.colours.accent))
    words.setFontWeight(QFont.Weight.DemiBold)
    marked.format = words
    return marked
