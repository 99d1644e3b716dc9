"""The rows of the history, and how each is drawn and renamed in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
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
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QPen,
)
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from askance.domain.history import ConversationSummary, SearchHit
from askance.presentation.i18n import day_of, plural, tr
from askance.ui.design import tokens
from askance.ui.design.marked_text import draw_marked
from askance.ui.design.theme import Look

Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole
PAGE = 100


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """What a row shows. `marks` are the `(start, end)` of the searched words in `below`."""

    conversation: int
    title: str
    when: str
    below: str = ""
    marks: tuple[tuple[int, int], ...] = ()


class HistoryRows(QAbstractListModel):
    """The rows, of which more are asked for as the list is scrolled."""

    more_wanted = Signal()
    renamed = Signal(int, str)
    """A conversation's number, and the title that was typed for it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[HistoryRow] = []
        self._has_more = False

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's interface
        """Return how many rows there are."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a row for the delegate, its title for the editor, and all of it for readers."""
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return row.title
            case Qt.ItemDataRole.AccessibleTextRole:
                return ", ".join(filter(None, (row.title, row.when, row.below)))
            case _:
                return row if role == ROW else None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take another title; an unchanged one changes nothing."""
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        row, title = self._rows[index.row()], " ".join(str(value).split())
        if title != row.title:
            self.retitle(row.conversation, title or row.title)
            self.renamed.emit(row.conversation, title)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return that a title can be edited."""
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def canFetchMore(self, parent: Index) -> bool:
        """Return whether older conversations are there."""
        return not parent.isValid() and self._has_more

    def fetchMore(self, parent: Index) -> None:  # noqa: ARG002 - Qt's interface
        """Ask for older conversations; they come later."""
        self._has_more = False
        self.more_wanted.emit()

    def show_rows(self, rows: Sequence[HistoryRow], *, has_more: bool = False) -> None:
        """Show these rows in the place of all others."""
        self.beginResetModel()
        self._rows, self._has_more = list(rows), has_more
        self.endResetModel()

    def add_rows(self, rows: Sequence[HistoryRow], *, has_more: bool) -> None:
        """Show these rows below the others."""
        self._has_more = has_more
        if rows:
            last = len(self._rows)
            self.beginInsertRows(QModelIndex(), last, last + len(rows) - 1)
            self._rows += rows
            self.endInsertRows()

    def retitle(self, conversation: int, title: str) -> None:
        """Show another title for a conversation."""
        for number, row in enumerate(self._rows):
            if row.conversation == conversation:
                self._rows[number] = replace(row, title=title)
                self.dataChanged.emit(self.index(number), self.index(number))


def row_of_summary(summary: ConversationSummary, today: date) -> HistoryRow:
    """Return the row of a conversation."""
    asked = plural("{n} question", "{n} questions", summary.exchanges)
    return HistoryRow(summary.id, summary.title, when(summary.updated_at, today), asked)


def row_of_hit(hit: SearchHit, today: date) -> HistoryRow:
    """Return the row of a place that holds the words."""
    shown = when(hit.asked_at, today)
    return HistoryRow(hit.conversation, hit.title, shown, hit.excerpt, hit.marks)


def when(iso: str, today: date) -> str:
    """Return a kept moment as short as a list wants it: the time of today, else the day."""
    try:
        moment = datetime.fromisoformat(iso).astimezone()
    except (ValueError, OverflowError):
        return iso
    if moment.date() == today:
        return f"{moment:%H:%M}"
    if (today - moment.date()).days == 1:
        return tr("yesterday")
    return day_of(moment.date().isoformat())


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
        text = " ".join(row.below.split("\n"))
        draw_marked(painter, self.look, text, row.marks, below)
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
