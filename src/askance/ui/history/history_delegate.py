"""How a row of the history is drawn, and its title edited in place."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
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
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from askance.presentation.words import tr
from askance.ui.design import tokens
from askance.ui.design.theme import Look
from askance.ui.history.history_list import ROW, HistoryRow

Index = QModelIndex | QPersistentModelIndex
_HEIGHT = 54
_TITLE_TOP, _TITLE_HEIGHT = 7, 21
_BELOW_TOP, _BELOW_HEIGHT = 28, 18


class HistoryDelegate(QStyledItemDelegate):
    """Title and day on one line; below them the questions, or the words in their place, marked."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.look = look

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002
        """Return two lines."""
        return QSize(self.look.px(200), self.look.px(_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the row."""
        row: HistoryRow = index.data(ROW)
        c, px = self.look.colours, self.look.px
        area: QRect = option.rect.adjusted(1, 1, -1, -1)
        state = option.state
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            painter.setBrush(QColor(c.accent_soft))
            focused = state & QStyle.StateFlag.State_HasFocus
            painter.setPen(QPen(QColor(c.accent if focused else c.accent_soft), 2))
            painter.drawRoundedRect(area, px(tokens.CONTROL_RADIUS), px(tokens.CONTROL_RADIUS))
        inside = area.adjusted(px(tokens.SPACE_M), 0, -px(tokens.SPACE_M), 0)
        small = self.look.font(tokens.LABEL_TEXT)
        room = QFontMetrics(small).horizontalAdvance(row.when)
        top = area.top() + px(_TITLE_TOP)
        centred = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(small)
        # On the ground of a chosen row the quietest ink cannot be read.
        painter.setPen(QColor(c.ink_2 if chosen else c.ink_3))
        painter.drawText(
            QRect(inside.right() - room, top, room + 1, px(_TITLE_HEIGHT)), centred, row.when
        )
        font = self.look.font(tokens.BODY_TEXT - 1, QFont.Weight.Medium)
        width = inside.width() - room - px(tokens.SPACE_M)
        title = QFontMetrics(font).elidedText(row.title, Qt.TextElideMode.ElideRight, width)
        painter.setFont(font)
        painter.setPen(QColor(c.ink))
        painter.drawText(QRect(inside.left(), top, width, px(_TITLE_HEIGHT)), centred, title)
        below = QRect(inside.left(), area.top() + px(_BELOW_TOP), inside.width(), px(_BELOW_HEIGHT))
        self._draw_below(painter, row, below)
        painter.restore()

    def createEditor(
        self,
        parent: QWidget,
        option: QStyleOptionViewItem,  # noqa: ARG002
        index: Index,  # noqa: ARG002
    ) -> QWidget:
        """Return a field for the title."""
        field = QLineEdit(parent)
        field.setFont(self.look.font(tokens.BODY_TEXT - 1))
        field.setAccessibleName(tr("Title of the conversation"))
        return field

    def updateEditorGeometry(
        self,
        editor: QWidget,
        option: QStyleOptionViewItem,
        index: Index,  # noqa: ARG002
    ) -> None:
        """Lay the field over the row."""
        area: QRect = option.rect
        side = self.look.px(tokens.SPACE_XS)
        editor.setGeometry(area.adjusted(side, side, -side, -side))

    def _draw_below(self, painter: QPainter, row: HistoryRow, area: QRect) -> None:
        """Draw one line of text, its marked words on the accent's soft colour."""
        c, font = self.look.colours, self.look.font(tokens.LABEL_TEXT)
        layout = QTextLayout(_cut(row, QFontMetrics(font), area.width()), font)
        formats: list[QTextLayout.FormatRange] = []
        for start, end in row.marks:
            marked = QTextLayout.FormatRange()
            marked.start, marked.length = start, end - start
            words = QTextCharFormat()
            words.setBackground(QColor(c.accent_soft))
            words.setForeground(QColor(c.accent))
            words.setFontWeight(QFont.Weight.DemiBold)
            marked.format = words
            formats.append(marked)
        layout.setFormats(formats)
        layout.beginLayout()
        line: QTextLine = layout.createLine()
        line.setLineWidth(area.width() * 2)
        layout.endLayout()
        painter.setPen(QColor(c.ink_2))
        painter.setClipRect(area)
        layout.draw(painter, area.topLeft().toPointF())


def _cut(row: HistoryRow, metrics: QFontMetrics, width: int) -> str:
    """Return the text below, ended by an ellipsis where it has no room."""
    text = " ".join(row.below.split("\n"))
    return metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
