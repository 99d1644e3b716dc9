"""Lists of rows: what a list shows, how high its rows are, and how it stands in a window; and a list of lines,
each with its state at the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from askance.ui.design import theme
from askance.ui.design.composing import Styled
from askance.ui.design.drawing import draw_box, draw_marked, write
from askance.ui.design.theme import Look

Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole
"""The role under which a model has its rows whole, for those who draw them."""
Row = TypeVar("Row")


class Rows(QAbstractListModel, Generic[Row]):
    """Rows that are shown all at once.

    `title` is what a row is called, `spoken` the row as a screen reader says it.
    """

    def __init__(
        self,
        title: Callable[[Row], str] = attrgetter("title"),
        spoken: Callable[[Row], str] = attrgetter("spoken"),
    ) -> None:
        super().__init__()
        self._title, self._spoken = title, spoken
        self.shown: tuple[Row, ...] = ()

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show these rows in the place of all others."""
        self.beginResetModel()
        self.shown = tuple(rows)
        self.endResetModel()

    def at(self, row: int) -> Row | None:
        """Return the row at a place, if there is one."""
        return self.shown[row] if 0 <= row < len(self.shown) else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's interface
        """Return how many rows there are."""
        # Qt asks for the rows below each row as well, as in a tree.
        return 0 if parent.isValid() else len(self.shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a row is called, what is said of it, or all of it."""
        row = self.at(index.row())
        match role:
            case _ if row is None:
                return None
            case Qt.ItemDataRole.DisplayRole:
                return self._title(row)
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._spoken(row)
            case _:
                return row if role == ROW else None


class RowPainter(QStyledItemDelegate):
    """Draws rows that are all `height` pixels of the tokens high."""

    def __init__(self, look: Look, height: float) -> None:
        super().__init__()
        self.look, self._height = look, height

    @property
    def height(self) -> int:
        """How high a row is, in logical pixels."""
        return self.look.px(self._height)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002 - Qt's interface
        """Return the height: a row is as wide as its list."""
        return QSize(0, self.height)


class RowList(Styled, QListView):
    """A list without a frame of its own, which is not scrolled sideways and not edited."""

    def __init__(
        self, rows: QAbstractListModel, painter: RowPainter, parent: QWidget | None
    ) -> None:
        super().__init__(painter.look, parent)
        self.painter = painter
        # A view owns neither its model nor its delegate: without a parent they would go with their
        # last reference in Python.
        for part in (rows, painter):
            part.setParent(self)
        self.setModel(rows)
        self.setItemDelegate(painter)
        self.setFrameShape(QFrame.Shape.NoFrame)
        # One row is measured for all of them: some lists have two thousand.
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)

    @property
    def row(self) -> int:
        """The row that is chosen, -1 for none."""
        return self.currentIndex().row()

    def _restyle(self) -> None:
        self.painter.look = self.look
        # Heights of rows are kept by Qt until it is told to measure anew.
        self.doItemsLayout()


_HEIGHT, _TITLE_TOP, _TITLE, _BELOW_TOP, _BELOW = 46, 5, 20, 24, 17
_LOW = 28


@dataclass(frozen=True, slots=True)
class ListLine:
    """What a row shows: a name and what is known of it, a state at the right, and whether that is bad.

    By its `key` it is known again when other rows are shown. `marks` are the `(start, end)` of words in `below`
    that were searched for.
    """

    title: str
    below: str = ""
    state: str = ""
    is_bad: bool = False
    key: str = ""
    marks: tuple[tuple[int, int], ...] = ()

    @property
    def spoken(self) -> str:
        """The row as a screen reader says it."""
        return ", ".join(filter(None, (self.title, self.state, self.below)))


class LineList(RowList):
    """A list that is as high as its rows, up to so many of them. `is_low`: all of them have one line."""

    chosen = Signal(int)
    """Another row is chosen; -1 if none is."""

    def __init__(self, look: Look, most: int, parent: QWidget, *, is_low: bool = False) -> None:
        self._lines, self._most = Rows[ListLine](), most
        super().__init__(self._lines, LinePainter(look, _LOW if is_low else _HEIGHT), parent)
        self.selectionModel().currentChanged.connect(self._emit_chosen)
        self._restyle()

    def _restyle(self) -> None:
        super()._restyle()
        self._fit()

    @property
    def lines(self) -> tuple[ListLine, ...]:
        """What is shown."""
        return self._lines.shown

    def count(self) -> int:
        """Return how many rows there are."""
        return len(self.lines)

    def show_lines(self, lines: Sequence[ListLine], *, or_first: bool = False) -> None:
        """Show these rows in the place of all others; the chosen one stays so, or the first is chosen then."""
        before, keys = self._lines.at(self.row), [line.key for line in lines]
        # By key and not by place: what was looked up anew may have other rows above it.
        row = keys.index(before.key) if before is not None and before.key in keys else -1
        # A reset takes the chosen row and the scroll bar back to the start.
        if tuple(lines) != self.lines:
            self._lines.show_rows(lines)
            self._fit()
        self.choose(0 if row < 0 and or_first else row)

    def choose(self, row: int) -> None:
        """Choose a row; none if there is no such row."""
        index = self._lines.index(row) if 0 <= row < self.count() else QModelIndex()
        self.setCurrentIndex(index)

    def _fit(self) -> None:
        rows = min(max(self.count(), 1), self._most)
        self.setFixedHeight(rows * self.painter.height + 2 * self.painter.look.px(4))

    def _emit_chosen(self, current: QModelIndex) -> None:
        self.chosen.emit(current.row() if current.isValid() else -1)


class LinePainter(RowPainter):
    """Draws a `ListLine`: its name and its state, below them what is known of it."""

    def __init__(self, look: Look, height: float = _HEIGHT) -> None:
        super().__init__(look, height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the row."""
        line: ListLine = index.data(ROW)
        c, px = self.look.colours, self.look.px
        area: QRect = option.rect
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # The edge says whether the keys go here: a chosen row without it is merely marked.
        if chosen:
            focused = option.state & QStyle.StateFlag.State_HasFocus
            edge, radius = c.accent if focused else c.accent_soft, px(theme.CONTROL_RADIUS) - 2
            draw_box(painter, area.adjusted(1, 1, -1, -1), c.accent_soft, edge, radius)
        inside = area.adjusted(px(theme.SPACE_S), 0, -px(theme.SPACE_S), 0)
        small, quiet = self.look.font(theme.LABEL_TEXT), c.ink_2 if chosen else c.ink_3
        room = QFontMetrics(small).horizontalAdvance(line.state)
        alone = (area.height() - px(_TITLE)) // 2
        top = area.top() + (px(_TITLE_TOP) if line.below else alone)

        def placed(left: int, top: int, width: int, height: int) -> QRect:
            # Mirrored in languages that are read from right to left.
            return QStyle.visualRect(option.direction, area, QRect(left, top, width, height))

        state = placed(inside.right() - room, top, room + 1, px(_TITLE))
        write(painter, line.state, state, small, c.red if line.is_bad else quiet)
        below = placed(inside.left(), area.top() + px(_BELOW_TOP), inside.width(), px(_BELOW))
        if line.marks:
            draw_marked(painter, self.look, line.below, line.marks, below)
        else:
            write(painter, line.below, below, small, quiet)
        font = self.look.font(theme.SMALL_TEXT, QFont.Weight.Medium)
        width = inside.width() - room - px(theme.SPACE_M)
        title = placed(inside.left(), top, width, px(_TITLE))
        # Of a path its end says more than its middle.
        write(painter, line.title, title, font, c.ink, elide=Qt.TextElideMode.ElideMiddle)
        painter.restore()
