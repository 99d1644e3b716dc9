"""The rows of the history, and how each is drawn and renamed in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from PySide6.QtCore import QModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QLineEdit, QStyle, QStyleOptionViewItem, QWidget

from askance.domain.history import ConversationSummary, SearchHit
from askance.presentation.i18n import plural, tr
from askance.presentation.moments import short_moment
from askance.ui.design import tokens
from askance.ui.design.drawing import draw_marked, write
from askance.ui.design.lists import ROW, Index, RowPainter, Rows
from askance.ui.design.theme import Look

PAGE = 100


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """What a row shows. `marks` are the `(start, end)` of the searched words in `below`."""

    conversation: int
    title: str
    when: str
    below: str = ""
    marks: tuple[tuple[int, int], ...] = ()

    @property
    def spoken(self) -> str:
        """The row as a screen reader says it."""
        return ", ".join(filter(None, (self.title, self.when, self.below)))


class HistoryRows(Rows[HistoryRow]):
    """The rows, of which more are asked for as the list is scrolled."""

    more_wanted = Signal()
    renamed = Signal(int, str)
    """A conversation's number, and the title that was typed for it."""

    def __init__(self) -> None:
        super().__init__()
        self._has_more = False

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a row for the delegate, its title for the editor, and all of it for readers."""
        is_edited = role == Qt.ItemDataRole.EditRole
        return super().data(index, Qt.ItemDataRole.DisplayRole if is_edited else role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take another title; an unchanged one changes nothing."""
        row, title = self.at(index.row()), " ".join(str(value).split())
        if role != Qt.ItemDataRole.EditRole or row is None:
            return False
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
        self._has_more = has_more
        super().show_rows(rows)

    def add_rows(self, rows: Sequence[HistoryRow], *, has_more: bool) -> None:
        """Show these rows below the others."""
        self._has_more = has_more
        if rows:
            last = len(self.shown)
            self.beginInsertRows(QModelIndex(), last, last + len(rows) - 1)
            self.shown += tuple(rows)
            self.endInsertRows()

    def retitle(self, conversation: int, title: str) -> None:
        """Show another title for a conversation."""
        renamed = [row.conversation == conversation for row in self.shown]
        self.shown = tuple(
            replace(row, title=title) if is_it else row
            for row, is_it in zip(self.shown, renamed, strict=True)
        )
        for number in (n for n, is_it in enumerate(renamed) if is_it):
            self.dataChanged.emit(self.index(number), self.index(number))


def row_of_summary(summary: ConversationSummary, today: date) -> HistoryRow:
    """Return the row of a conversation."""
    asked = plural("{n} question", "{n} questions", summary.exchanges)
    return HistoryRow(summary.id, summary.title, short_moment(summary.updated_at, today), asked)


def row_of_hit(hit: SearchHit, today: date) -> HistoryRow:
    """Return the row of a place that holds the words."""
    shown = short_moment(hit.asked_at, today)
    return HistoryRow(hit.conversation, hit.title, shown, hit.excerpt, hit.marks)


_HEIGHT = 54
_TITLE_TOP, _TITLE_HEIGHT = 7, 21
_BELOW_TOP, _BELOW_HEIGHT = 28, 18


class HistoryPainter(RowPainter):
    """Title and day on one line; below them the questions, or the words in their place, marked."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, _HEIGHT)

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
        top, high = area.top() + px(_TITLE_TOP), px(_TITLE_HEIGHT)
        when = QRect(inside.right() - room, top, room + 1, high)
        # On the ground of a chosen row the quietest ink cannot be read.
        write(painter, row.when, when, small, c.ink_2 if chosen else c.ink_3)
        font = self.look.font(tokens.BODY_TEXT - 1, QFont.Weight.Medium)
        title = QRect(inside.left(), top, inside.width() - room - px(tokens.SPACE_M), high)
        write(painter, row.title, title, font, c.ink)
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
