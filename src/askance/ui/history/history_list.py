"""The rows of the history: conversations, or the places that hold the words that were searched."""

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
    Qt,
    Signal,
)

from askance.domain.history import ConversationSummary, SearchHit
from askance.presentation.words import day_of, plural, tr

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
