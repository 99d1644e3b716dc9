"""Lists of the settings: folders, files, programs, each on one line or two, with its state at the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from askance.ui.design import tokens
from askance.ui.design.theme import Look

Index = QModelIndex | QPersistentModelIndex
_LINE = Qt.ItemDataRole.UserRole
_HEIGHT, _TITLE_TOP, _TITLE, _BELOW_TOP, _BELOW = 46, 5, 20, 24, 17
_LOW = 28
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


@dataclass(frozen=True, slots=True)
class Line:
    """What a row shows: a name and what is known of it, a state at the right, and whether that is bad."""

    title: str
    below: str = ""
    state: str = ""
    is_bad: bool = False

    @property
    def spoken(self) -> str:
        """The row as a screen reader says it."""
        return ", ".join(filter(None, (self.title, self.state, self.below)))


class _Lines(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.lines: tuple[Line, ...] = ()

    def show(self, lines: Sequence[Line]) -> None:
        self.beginResetModel()
        self.lines = tuple(lines)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's interface
        return 0 if parent.isValid() else len(self.lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        line = self.lines[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return line.title
            case Qt.ItemDataRole.AccessibleTextRole:
                return line.spoken
            case _:
                return line if role == _LINE else None


class LineList(QListView):
    """A list that is as high as its rows, up to so many of them. `is_low`: all of them have one line."""

    chosen = Signal(int)
    """Another row is chosen; -1 if none is."""

    def __init__(self, look: Look, most: int, parent: QWidget, *, is_low: bool = False) -> None:
        super().__init__(parent)
        self._most = most
        self._lines = _Lines(self)
        self._painter = _Painter(look, _LOW if is_low else _HEIGHT, self)
        self.setModel(self._lines)
        self.setItemDelegate(self._painter)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.selectionModel().currentChanged.connect(self._tell)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self._painter.look = look
        c = look.colours
        self.setStyleSheet(
            f"""QListView {{ background: {c.raised}; border: 1px solid {c.line};
            border-radius: {look.px(tokens.CONTROL_RADIUS)}px; padding: {look.px(3)}px; }}
            QListView:focus {{ border-color: {c.accent}; }}"""
        )
        self.doItemsLayout()
        self._fit()

    @property
    def row(self) -> int:
        """The row that is chosen, -1 for none."""
        return self.currentIndex().row()

    @property
    def lines(self) -> tuple[Line, ...]:
        """What is shown."""
        return self._lines.lines

    def count(self) -> int:
        """Return how many rows there are."""
        return len(self.lines)

    def show_lines(self, lines: Sequence[Line], chosen: int = -1) -> None:
        """Show these rows in the place of all others, one of them chosen."""
        if tuple(lines) != self.lines:
            self._lines.show(lines)
            self._fit()
        self.choose(chosen)

    def choose(self, row: int) -> None:
        """Choose a row; none if there is no such row."""
        index = self._lines.index(row) if 0 <= row < self.count() else QModelIndex()
        self.setCurrentIndex(index)

    def _fit(self) -> None:
        rows = min(max(self.count(), 1), self._most)
        self.setFixedHeight(rows * self._painter.height + 2 * self._painter.look.px(4))

    def _tell(self, current: QModelIndex) -> None:
        self.chosen.emit(current.row() if current.isValid() else -1)


class _Painter(QStyledItemDelegate):
    def __init__(self, look: Look, height: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.look, self._height = look, height

    @property
    def height(self) -> int:
        return self.look.px(self._height)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002
        return QSize(self.look.px(120), self.height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        line: Line = index.data(_LINE)
        c, px = self.look.colours, self.look.px
        area: QRect = option.rect
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            focused = option.state & QStyle.StateFlag.State_HasFocus
            painter.setBrush(QColor(c.accent_soft))
            painter.setPen(QPen(QColor(c.accent if focused else c.accent_soft), 1))
            radius = px(tokens.CONTROL_RADIUS) - 2
            painter.drawRoundedRect(area.adjusted(1, 1, -1, -1), radius, radius)
        inside = area.adjusted(px(tokens.SPACE_S), 0, -px(tokens.SPACE_S), 0)
        quiet = QColor(c.red if line.is_bad else c.ink_2 if chosen else c.ink_3)
        small = self.look.font(tokens.LABEL_TEXT)
        metrics = QFontMetrics(small)
        room = metrics.horizontalAdvance(line.state)
        alone = (area.height() - px(_TITLE)) // 2
        top = area.top() + (px(_TITLE_TOP) if line.below else alone)
        painter.setFont(small)
        painter.setPen(quiet)

        def placed(left: int, top: int, width: int, height: int) -> QRect:
            return QStyle.visualRect(option.direction, area, QRect(left, top, width, height))

        painter.drawText(
            placed(inside.right() - room, top, room + 1, px(_TITLE)), _LEFT, line.state
        )
        below = metrics.elidedText(line.below, Qt.TextElideMode.ElideRight, inside.width())
        painter.setPen(QColor(c.ink_2 if chosen else c.ink_3))
        painter.drawText(
            placed(inside.left(), area.top() + px(_BELOW_TOP), inside.width(), px(_BELOW)),
            _LEFT,
            below,
        )
        font = self.look.font(tokens.SMALL_TEXT, QFont.Weight.Medium)
        width = inside.width() - room - px(tokens.SPACE_M)
        # Of a path its end says more than its middle.
        title = QFontMetrics(font).elidedText(line.title, Qt.TextElideMode.ElideMiddle, width)
        painter.setFont(font)
        painter.setPen(QColor(c.ink))
        painter.drawText(placed(inside.left(), top, width, px(_TITLE)), _LEFT, title)
        painter.restore()
