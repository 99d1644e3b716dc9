"""The passages that the library found, as cards: what each is, where it stands, and why it was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem, QWidget

from askance.presentation.i18n import tr
from askance.presentation.library import FoundRow
from askance.ui.design import tokens
from askance.ui.design.drawing import draw_marked, write
from askance.ui.design.icons import pixmap
from askance.ui.design.lists import ROW, Index, RowList, RowPainter, Rows
from askance.ui.design.theme import Look

_TOP, _TITLE, _PLACE, _LINE, _LINES, _BOTTOM = 8, 20, 21, 18, 2, 8
_BOX, _BOX_ROOM = 16, 28
_TAG_PAD, _TAG_HEIGHT, _MOST_TAGS = 6, 16, 3
_KEYS = {
    *(Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End),
    *(Qt.Key.Key_PageUp, Qt.Key.Key_PageDown),
}


class FoundRows(Rows[FoundRow]):
    """The rows, and which of them are picked to be asked about."""

    def __init__(self) -> None:
        super().__init__()
        self.picked: set[int] = set()

    def show_rows(self, rows: Sequence[FoundRow]) -> None:
        """Show these rows in the place of all others; none is picked."""
        self.picked = set()
        super().show_rows(rows)

    def pick(self, row: int) -> None:
        """Pick a row, or take that back."""
        self.picked ^= {row}
        self.dataChanged.emit(self.index(row), self.index(row))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a row is called, what is said of it, all of it, and whether it is picked."""
        value, is_picked = super().data(index, role), index.row() in self.picked
        match role:
            case Qt.ItemDataRole.AccessibleTextRole if is_picked:
                return tr("Picked: {row}", row=value)
            case Qt.ItemDataRole.CheckStateRole if index.isValid():
                return Qt.CheckState.Checked if is_picked else Qt.CheckState.Unchecked
            case _:
                return value


class FoundList(RowList):
    """The cards. Arrows go through them, Enter opens one, Space picks it."""

    opened = Signal(int)
    """The row that is to be opened."""
    picked = Signal()
    """Other rows are picked now."""
    left_above = Signal()
    """An arrow up from the first row."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        self.rows, self._cards = FoundRows(), _Cards(look)
        super().__init__(self.rows, self._cards, parent)
        self.setMouseTracking(True)
        self.setStyleSheet("QListView { background: transparent; border: none; }")
        self.setAccessibleName(tr("Passages found in the library"))
        self.doubleClicked.connect(self._open)

    def _restyle(self) -> None:
        super()._restyle()
        self.setAccessibleName(tr("Passages found in the library"))

    @property
    def content_height(self) -> int:
        """How high all cards are, in pixels."""
        return self.rows.rowCount() * self._cards.height

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the keys of a list; letters belong to the field."""
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if plain and self.row >= 0:
                self.opened.emit(self.row)
            case Qt.Key.Key_Space if plain and self.row >= 0:
                self._pick(self.row)
            case Qt.Key.Key_Up if plain and self.row <= 0:
                self.left_above.emit()
            case key if plain and key in _KEYS:
                super().keyPressEvent(event)
            case _:
                event.ignore()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Pick the card whose box was clicked."""
        super().mouseReleaseEvent(event)
        at = event.position().toPoint()
        index = self.indexAt(at)
        if event.button() is Qt.MouseButton.LeftButton and index.isValid():
            rect: QRect = self.visualRect(index)
            if self._cards.box_of(rect).adjusted(-4, -4, 4, 4).contains(at):
                self._pick(index.row())

    def _open(self, index: QModelIndex) -> None:
        self.opened.emit(index.row())

    def _pick(self, row: int) -> None:
        self.rows.pick(row)
        self.picked.emit()


class _Cards(RowPainter):
    """Title and day; where it stands and its tags; two lines of the passage, its words marked."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, _TOP + _TITLE + _PLACE + _LINES * _LINE + _BOTTOM)

    def box_of(self, card: QRect) -> QRect:
        """Return where the box of a card is, by which it is picked."""
        px = self.look.px
        size = px(_BOX)
        top = card.top() + px(_TOP) + (px(_TITLE) - size) // 2
        return QRect(card.left() + px(tokens.SPACE_S), top, size, size)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: FoundRow = index.data(ROW)
        is_picked = index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
        c, px = self.look.colours, self.look.px
        card: QRect = option.rect
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            focused = option.state & QStyle.StateFlag.State_HasFocus
            painter.setBrush(QColor(c.accent_soft if focused else c.raised))
            painter.setPen(QPen(QColor(c.accent if focused else c.line), 1))
            radius = px(tokens.CONTROL_RADIUS)
            painter.drawRoundedRect(QRectF(card).adjusted(0.5, 1.5, -0.5, -1.5), radius, radius)
        self._draw_box(painter, self.box_of(card), is_picked=is_picked)
        left = card.left() + px(tokens.SPACE_S) + px(_BOX_ROOM)
        inside = QRect(left, card.top(), card.right() - px(tokens.SPACE_M) - left, card.height())
        top = card.top() + px(_TOP)
        quiet = c.ink_2 if chosen else c.ink_3
        self._draw_title(painter, row, QRect(inside.left(), top, inside.width(), px(_TITLE)), quiet)
        top += px(_TITLE)
        self._draw_place(
            painter, row, QRect(inside.left(), top, inside.width(), px(_TAG_HEIGHT)), quiet
        )
        top += px(_PLACE)
        area = QRect(inside.left(), top, inside.width(), _LINES * px(_LINE))
        draw_marked(painter, self.look, row.snippet, row.marks, area, _LINES)
        painter.restore()

    def _draw_box(self, painter: QPainter, box: QRect, *, is_picked: bool) -> None:
        c = self.look.colours
        painter.setPen(QPen(QColor(c.accent if is_picked else c.edge), 1))
        painter.setBrush(QColor(c.accent if is_picked else c.raised))
        painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        if is_picked:
            size = box.width() - 4
            tick = pixmap("check", c.paper, size, painter.device().devicePixelRatioF())
            painter.drawPixmap(box.left() + 2, box.top() + 2, tick)

    def _draw_title(self, painter: QPainter, row: FoundRow, area: QRect, quiet: str) -> None:
        small = self.look.font(tokens.LABEL_TEXT)
        date = QFontMetrics(small).horizontalAdvance(row.date)
        write(painter, row.date, area.adjusted(area.width() - date, 0, 1, 0), small, quiet)
        font = self.look.font(tokens.BODY_TEXT - 1, QFont.Weight.Medium)
        room = area.adjusted(0, 0, -date - self.look.px(tokens.SPACE_M), 0)
        write(painter, row.title, room, font, self.look.colours.ink)

    def _draw_place(self, painter: QPainter, row: FoundRow, area: QRect, quiet: str) -> None:
        px = self.look.px
        right = area.right() + 1
        font = self.look.font(tokens.KEY_TEXT)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        for tag in reversed(row.tags[:_MOST_TAGS]):
            words = metrics.elidedText(tag, Qt.TextElideMode.ElideRight, area.width() // 5)
            width = metrics.horizontalAdvance(words) + 2 * px(_TAG_PAD)
            top = area.top() + (area.height() - px(_TAG_HEIGHT)) // 2
            pill = QRect(right - width, top, width, px(_TAG_HEIGHT))
            painter.setPen(QPen(QColor(self.look.colours.line), 1))
            painter.setBrush(QColor(self.look.colours.paper))
            painter.drawRoundedRect(QRectF(pill).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
            painter.setPen(QColor(quiet))
            painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, words)
            right -= width + px(tokens.SPACE_XS)
        room = QRect(area.topLeft(), area.size())
        room.setWidth(right - area.left() - px(tokens.SPACE_S))
        write(painter, row.place, room, self.look.font(tokens.LABEL_TEXT), quiet)
