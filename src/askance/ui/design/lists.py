"""Lists of rows: what a list shows, how high its rows are, and how it stands in a window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

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


class RowList(QListView):
    """A list without a frame of its own, which is not scrolled sideways and not edited."""

    def __init__(
        self, rows: QAbstractListModel, painter: RowPainter, parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self.painter = painter
        for part in (rows, painter):
            part.setParent(self)
        self.setModel(rows)
        self.setItemDelegate(painter)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)

    @property
    def row(self) -> int:
        """The row that is chosen, -1 for none."""
        return self.currentIndex().row()

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self.painter.look = look
        self.doItemsLayout()
