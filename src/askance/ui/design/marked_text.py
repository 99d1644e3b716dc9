"""A few lines of text in which the words that were searched for are marked, as lists show them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QTextCharFormat,
    QTextLayout,
    QTextLine,
)

from askance.ui.design import tokens
from askance.ui.design.theme import Look

Marks = Sequence[tuple[int, int]]


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
        layout.beginLayout()
        line: QTextLine = layout.createLine()
        line.setLineWidth(area.width() * 2)
        layout.endLayout()
        layout.draw(painter, area.topLeft().toPointF())
        area = area.translated(0, high)
        start += len(shown)
        if start >= len(text):
            break
    painter.setClipping(False)


def _first_line(text: str, font: QFont, width: int) -> int:
    """Return how many characters of a text stand on its first line."""
    layout = QTextLayout(text, font)
    layout.beginLayout()
    line: QTextLine = layout.createLine()
    line.setLineWidth(width)
    layout.endLayout()
    return line.textLength()


def _marked(look: Look, start: int, end: int) -> QTextLayout.FormatRange:
    marked = QTextLayout.FormatRange()
    marked.start, marked.length = start, end - start
    words = QTextCharFormat()
    words.setBackground(QColor(look.colours.accent_soft))
    words.setForeground(QColor(look.colours.accent))
    words.setFontWeight(QFont.Weight.DemiBold)
    marked.format = words
    return marked
