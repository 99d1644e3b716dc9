"""Lists of the settings: folders, files, programs, each on one line or two, with its state at the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem, QWidget

from askance.ui.design import tokens
from askance.ui.design.drawing import write
from askance.ui.design.lists import ROW, Index, RowList, RowPainter, Rows
from askance.ui.design.theme import Look

_HEIGHT, _TITLE_TOP, _TITLE, _BELOW_TOP, _BELOW = 46, 5, 20, 24, 17
_LOW = 28


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


class LineList(RowList):
    """A list that is as high as its rows, up to so many of them. `is_low`: all of them have one line."""

    chosen = Signal(int)
    """Another row is chosen; -1 if none is."""

    def __init__(self, look: Look, most: int, parent: QWidget, *, is_low: bool = False) -> None:
        self._lines, self._most = Rows[Line](), most
        super().__init__(self._lines, _Lines(look, _LOW if is_low else _HEIGHT), parent)
        self.selectionModel().currentChanged.connect(self._tell)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        super().set_look(look)
        c = look.colours
        self.setStyleSheet(
            f"""QListView {{ background: {c.raised}; border: 1px solid {c.line};
            border-radius: {look.px(tokens.CONTROL_RADIUS)}px; padding: {look.px(3)}px; }}
            QListView:focus {{ border-color: {c.accent}; }}"""
        )
        self._fit()

    @property
    def lines(self) -> tuple[Line, ...]:
        """What is shown."""
        return self._lines.shown

    def count(self) -> int:
        """Return how many rows there are."""
        return len(self.lines)

    def show_lines(self, lines: Sequence[Line], chosen: int = -1) -> None:
        """Show these rows in the place of all others, one of them chosen."""
        if tuple(lines) != self.lines:
            self._lines.show_rows(lines)
            self._fit()
        self.choose(chosen)

    def choose(self, row: int) -> None:
        """Choose a row; none if there is no such row."""
        index = self._lines.index(row) if 0 <= row < self.count() else QModelIndex()
        self.setCurrentIndex(index)

    def _fit(self) -> None:
        rows = min(max(self.count(), 1), self._most)
        self.setFixedHeight(rows * self.painter.height + 2 * self.painter.look.px(4))

    def _tell(self, current: QModelIndex) -> None:
        self.chosen.emit(current.row() if current.isValid() else -1)


class _Lines(RowPainter):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        line: Line = index.data(ROW)
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
        small, quiet = self.look.font(tokens.LABEL_TEXT), c.ink_2 if chosen else c.ink_3
        room = QFontMetrics(small).horizontalAdvance(line.state)
        alone = (area.height() - px(_TITLE)) // 2
        top = area.top() + (px(_TITLE_TOP) if line.below else alone)

        def placed(left: int, top: int, width: int, height: int) -> QRect:
            return QStyle.visualRect(option.direction, area, QRect(left, top, width, height))

        state = placed(inside.right() - room, top, room + 1, px(_TITLE))
        write(painter, line.state, state, small, c.red if line.is_bad else quiet)
        below = placed(inside.left(), area.top() + px(_BELOW_TOP), inside.width(), px(_BELOW))
        write(painter, line.below, below, small, quiet)
        font = self.look.font(tokens.SMALL_TEXT, QFont.Weight.Medium)
        width = inside.width() - room - px(tokens.SPACE_M)
        title = placed(inside.left(), top, width, px(_TITLE))
        # Of a path its end says more than its middle.
        write(painter, line.title, title, font, c.ink, elide=Qt.TextElideMode.ElideMiddle)
        painter.restore()
