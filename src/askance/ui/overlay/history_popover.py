"""Past conversations above the window: by days, searched, opened, renamed in place, deleted with a way back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import partial
from itertools import groupby
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyleOptionViewItem, QWidget

from askance.domain.errors import AskanceError
from askance.domain.history import ConversationSummary, SearchHit
from askance.domain.ports.storage import History
from askance.presentation.i18n import day_group, day_of, local_moment, plural, term, tr, translated
from askance.ui.bridge import Bridge, PendingCalls
from askance.ui.design import theme
from askance.ui.design.composing import LineField, column_of, row_of, single_shot_timer
from askance.ui.design.drawing import draw_found, draw_keys, fill, write
from askance.ui.design.focus import announce, native_keys
from askance.ui.design.glyphs import ActionButton
from askance.ui.design.labels import StyledLabel, TextStyle, set_tip
from askance.ui.design.lists import ROW, Index, RowList, RowPainter, Rows, SearchField
from askance.ui.design.popover import Menu, Popover
from askance.ui.design.theme import Look
from askance.ui.overlay.conversation.exchange import ExchangeView, State
from askance.ui.overlay.deletions import UNDO_KEYS, Deletions
from askance.ui.overlay.overlay import Overlay

WIDTH = 430
FEW = 12
"""So many are shown at first, which is what most want: the others are a press away, or a few letters."""
# More than anybody has; their rows are made beside the window.
_MOST, _MOST_HITS = 20_000, 50
_CAPTION, _ROW, _PAD, _DOT = 26, 46, 9, 7
_TITLE_TOP, _TITLE, _BELOW_TOP, _BELOW = 5, 18, 24, 16
# In a column beside the text.
_SLIM, _SLIM_LEFT = 28, 16
_ALL_KEYS = "Ctrl+Shift+H"
# The list is so high at most, in pixels of the tokens, and higher where all are shown.
_LOW, _HIGH = 330, 560
# A search begins when the typing rests for so long.
_REST_MS = 150
_OFF = term("Conversations are not saved. Turn that on in the settings.")
_SAMPLE = term("Conversations about the sample web are not saved. /new leaves it.")
_NEWS = {
    State.ANSWERED: term("ready, not seen"),
    State.CLARIFYING: term("asks back, not seen"),
    State.FAILED: term("failed, not seen"),
}
_LONGEST_TITLE = 200
_BOLD = QFont.Weight.DemiBold
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
Marks = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """A conversation in the list; without a number it is the heading of those below it."""

    number: int
    title: str
    below: str = ""
    when: str = ""
    marks: Marks = ()
    below_marks: Marks = ()
    news: str = ""
    is_bad: bool = False
    is_deleted: bool = False
    exchange: int = 0
    """The exchange that holds what was searched; 0 where only the title does."""

    @property
    def spoken(self) -> str:
        """The row as a screen reader says it."""
        if self.is_deleted:
            return f"{_deleted(self)}, {tr('Undo')} {native_keys(UNDO_KEYS)}"
        return ", ".join(filter(None, (self.title, self.news, self.below, self.when)))


def rows_of(found: Sequence[ConversationSummary | SearchHit], today: date) -> list[HistoryRow]:
    """Return the rows of conversations, last used first, under headings of days."""
    dated = [(s.updated_at if isinstance(s, ConversationSummary) else s.asked_at, s) for s in found]
    dated.sort(key=lambda pair: pair[0], reverse=True)
    rows: list[HistoryRow] = []
    for group, members in groupby(dated, key=lambda pair: day_group(pair[0], today)):
        rows.append(HistoryRow(0, group))
        rows += [_row(moment, shown, today) for moment, shown in members]
    return rows


async def stored_rows(
    parts: Any, today: date, words: str = "", most: int = _MOST
) -> list[HistoryRow] | str:
    """Return the rows of what is stored, or of what holds these words; in the engine's thread. A sentence, where
    nothing is stored."""

    def read(history: History) -> list[HistoryRow]:
        if not words:
            return rows_of(history.conversations(most), today)
        hits = history.search(words, _MOST_HITS)
        # Of each conversation the best place alone, which comes first.
        best = {hit.conversation: hit for hit in reversed(hits)}
        return rows_of(list(best.values()), today)

    # The engine's thread alone knows whether a history is open: the sample web has none.
    if parts.history is None:
        return _SAMPLE if parts.settings.history.days else _OFF
    return await asyncio.to_thread(read, parts.history)


def _row(moment: str, shown: ConversationSummary | SearchHit, today: date) -> HistoryRow:
    at = local_moment(moment)
    # Of yesterday its heading says the day already.
    is_near = at is not None and (today - at.date()).days <= 1
    when = f"{at:%H:%M}" if at is not None and is_near else day_of(moment)
    if isinstance(shown, ConversationSummary):
        asked = plural("{n} question", "{n} questions", shown.exchanges)
        return HistoryRow(shown.id, shown.title, asked, when)
    # Line ends become blanks one by one, or the places of the marks would move.
    below = " ".join(shown.excerpt.split("\n"))
    if below == shown.title:
        return HistoryRow(shown.conversation, shown.title, "", when, shown.title_marks)
    exchange = shown.exchange if shown.marks else 0
    return HistoryRow(
        shown.conversation,
        shown.title,
        below,
        when,
        shown.title_marks,
        shown.marks,
        exchange=exchange,
    )


def _deleted(row: HistoryRow) -> str:
    return tr("“{title}” deleted", title=row.title)


class HistoryRows(Rows[HistoryRow]):
    """The rows. A heading cannot be chosen, and a title can be edited."""

    renamed = Signal(int, str)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a row for the delegate, its title for the editor, and all of it for readers."""
        is_edited = role == Qt.ItemDataRole.EditRole
        return super().data(index, Qt.ItemDataRole.DisplayRole if is_edited else role)

    def show_rows(self, rows: Sequence[HistoryRow]) -> None:
        """Show these rows; where they are the same conversations, readers stay where they are."""
        if [row.number for row in rows] != [row.number for row in self.shown]:
            super().show_rows(rows)
        elif rows:
            self.change_rows(rows)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take another title; an unchanged one changes nothing."""
        row, title = self.at(index.row()), " ".join(str(value).split())
        if role != Qt.ItemDataRole.EditRole or row is None:
            return False
        if title != row.title:
            # At once and not when it is stored: the old title would come back for a moment.
            changed = replace(row, title=title or row.title, marks=())
            self.shown = tuple(changed if one is row else one for one in self.shown)
            self.dataChanged.emit(index, index)
            self.renamed.emit(row.number, title)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return whether a row can be chosen, and its title edited."""
        row = self.at(index.row())
        if row is None or not row.number:
            return Qt.ItemFlag.NoItemFlags
        is_there = Qt.ItemFlag.NoItemFlags if row.is_deleted else Qt.ItemFlag.ItemIsEditable
        return super().flags(index) | is_there


class HistoryPainter(RowPainter):
    """Draws headings, conversations, and what can be brought back. `is_slim`: of a conversation the title alone."""

    def __init__(self, look: Look, *, is_slim: bool = False) -> None:
        super().__init__(look, _SLIM if is_slim else _ROW)
        self._is_slim = is_slim

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002 - Qt's interface
        """Return the height of a row: headings are lower."""
        row: HistoryRow = index.data(ROW)
        return QSize(0, self.height if row.number else self.look.px(_CAPTION))

    def draw(
        self, painter: QPainter, option: QStyleOptionViewItem, row: HistoryRow, *, is_chosen: bool
    ) -> None:
        """Write a row."""
        c, px, font = self.look.colours, self.look.px, self.look.font(theme.SMALL_TEXT)
        side = px(_SLIM_LEFT if self._is_slim else _PAD)
        inside = option.rect.adjusted(side, 0, -px(_PAD), 0)
        if not row.number:
            write(painter, row.title, inside, self.look.font(theme.LABEL_TEXT, _BOLD), c.ink_3)
        elif row.is_deleted:
            self._paint_deleted(painter, row, inside)
        elif self._is_slim:
            inside = self._paint_news(painter, row, inside)
            ink = c.ink if row.news or is_chosen else c.ink_2
            write(painter, row.title, inside, font, ink)
        else:
            self._paint_conversation(painter, row, inside)

    def _paint_news(self, painter: QPainter, row: HistoryRow, inside: QRect) -> QRect:
        """Draw a dot at the end where there are news; return the room before it."""
        if not row.news:
            return inside
        c, size = self.look.colours, self.look.px(_DOT)
        top = inside.top() + (inside.height() - size) // 2
        dot = QRect(inside.right() - size, top, size, size)
        fill(painter, dot, c.red if row.is_bad else c.accent, size)
        return inside.adjusted(0, 0, -size - self.look.px(theme.SPACE_S), 0)

    def _paint_deleted(self, painter: QPainter, row: HistoryRow, inside: QRect) -> None:
        c, font = self.look.colours, self.look.font(theme.SMALL_TEXT)
        keys = [] if self._is_slim else [native_keys(UNDO_KEYS)]
        used = draw_keys(painter, self.look, keys, inside) if keys else 0
        rest = inside.adjusted(0, 0, -used, 0)
        write(painter, tr("Undo"), rest, font, c.accent, where=_RIGHT)
        room = painter.fontMetrics().horizontalAdvance(tr("Undo")) + self.look.px(theme.SPACE_M)
        write(painter, _deleted(row), rest.adjusted(0, 0, -room, 0), font, c.ink_2)

    def _paint_conversation(self, painter: QPainter, row: HistoryRow, inside: QRect) -> None:
        c, px = self.look.colours, self.look.px
        small, font = self.look.font(theme.LABEL_TEXT), self.look.font(theme.SMALL_TEXT)
        write(painter, row.when, inside, small, c.ink_3, where=_RIGHT)
        room = painter.fontMetrics().horizontalAdvance(row.when) + px(theme.SPACE_M)
        inside = self._paint_news(painter, row, inside.adjusted(0, 0, -room, 0))
        alone = (inside.height() - px(_TITLE)) // 2
        top = inside.top() + (px(_TITLE_TOP) if row.below or row.news else alone)
        title = QRect(inside.left(), top, inside.width(), px(_TITLE))
        draw_found(painter, row.title, row.marks, title, font, c.ink)
        below = QRect(inside.left(), inside.top() + px(_BELOW_TOP), inside.width(), px(_BELOW))
        quiet = f"{row.below} · " if row.news else row.below
        draw_found(painter, quiet, row.below_marks, below, small, c.ink_3)
        if row.news:
            used = QFontMetrics(small).horizontalAdvance(quiet)
            news = c.red if row.is_bad else c.accent
            write(painter, row.news, below.adjusted(used, 0, 0, 0), small, news)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:  # noqa: ARG002 - Qt's interface
        """Return a field for the title."""
        field = LineField(self.look, parent=parent, name=tr("Title of the conversation"))
        field.setMaxLength(_LONGEST_TITLE)
        return field

    def updateEditorGeometry(
        self,
        editor: QWidget,
        option: QStyleOptionViewItem,
        index: Index,  # noqa: ARG002
    ) -> None:
        """Lay the field over the row."""
        side = self.look.px(theme.SPACE_XS)
        editor.setGeometry(QRect(option.rect).adjusted(side, side, -side, -side))


class HistoryList(RowList):
    """Past conversations, each with what can be done with it.

    `states` are the conversations that were left and go on, or have ended unseen, and `drafts` those with one.
    """

    opened = Signal(int, int)
    """A conversation, and the exchange in it that was found; 0 for none."""
    renamed = Signal(int, str)
    """A conversation is to have another title."""
    copy_requested = Signal(int)
    export_requested = Signal(int, str)

    def __init__(
        self,
        look: Look,
        deletions: Deletions,
        states: Callable[[], Mapping[int, ExchangeView]],
        drafts: Callable[[], Collection[int | None]],
        *,
        is_slim: bool = False,
    ) -> None:
        self.rows = HistoryRows()
        super().__init__(self.rows, HistoryPainter(look, is_slim=is_slim), None)
        self._deletions, self._states, self._drafts = deletions, states, drafts
        self.setAccessibleName(tr("Past conversations"))
        self.setUniformItemSizes(False)
        # Of thousands of rows those that are seen are measured first.
        self.setLayoutMode(RowList.LayoutMode.Batched)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.viewport().setMouseTracking(True)
        self.rows.renamed.connect(self.renamed)
        self.clicked.connect(self.open_row)
        self.customContextMenuRequested.connect(self._show_menu)

    @property
    def chosen(self) -> HistoryRow | None:
        """The conversation that is chosen, unless it is deleted."""
        row = self.rows.at(self.row)
        return row if row is not None and row.number and not row.is_deleted else None

    def choose(self, row: int) -> None:
        """Choose a row; with the first of all its heading is seen."""
        super().choose(row)
        if row == 1:
            self.scrollToTop()

    def show_found(self, found: Sequence[HistoryRow]) -> None:
        """Show rows as they stand now."""
        states, drafts = self._states(), self._drafts()
        self.rows.show_rows([self._marked(row, states, drafts) for row in found])

    def open_row(self, index: Index) -> None:
        """Open a conversation, or bring it back where it is deleted."""
        row = self.rows.at(index.row())
        if row is None or not row.number:
            return
        if row.is_deleted:
            self._deletions.undo(row.number)
        else:
            self.opened.emit(row.number, row.exchange)

    def delete_chosen(self) -> None:
        """Delete the conversation that is chosen; its row brings it back."""
        if (row := self.chosen) is not None:
            self._deletions.delete(row.number, row.title, shows_line=False)
            announce(self, self.rows.shown[self.row].spoken)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Do with the chosen conversation what the menu offers."""
        match event.key():
            # The field over a row leaves its keys to the list, too.
            case _ if self.state() is QAbstractItemView.State.EditingState:
                super().keyPressEvent(event)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.open_row(self.currentIndex())
            case Qt.Key.Key_F2 if self.chosen is not None:
                self.edit(self.currentIndex())
            case Qt.Key.Key_Delete if self.chosen is not None:
                self.delete_chosen()
            case _:
                super().keyPressEvent(event)

    def _marked(
        self, row: HistoryRow, states: Mapping[int, ExchangeView], drafts: Collection[int | None]
    ) -> HistoryRow:
        if not row.number:
            return row
        view = states.get(row.number)
        if view is not None and view.ended:
            news, is_bad = tr(_NEWS[view.state]), view.state is State.FAILED
            row = replace(row, news=news, is_bad=is_bad)
        elif view is not None:
            row = replace(row, below=view.status.text or row.below, below_marks=())
        elif row.number in drafts and not row.below_marks:
            row = replace(row, below=f"{row.below} · {tr('draft')}")
        return replace(row, is_deleted=row.number in self._deletions.pending)

    def _show_menu(self, at: QPoint) -> None:
        index = self.indexAt(at)
        self.setCurrentIndex(index)
        if (row := self.chosen) is None:
            return
        menu = Menu(self.look, self)
        menu.add(tr("Open"), partial(self.open_row, index), glyph="open")
        menu.add(tr("Rename"), partial(self.edit, index), glyph="edit", keys="F2")
        copy = partial(self.copy_requested.emit, row.number)
        menu.add(tr("Copy the conversation"), copy, glyph="copy")
        export = partial(self.export_requested.emit, row.number, row.title)
        menu.add(tr("Export…"), export, glyph="download")
        menu.addSeparator()
        menu.add(tr("Delete"), self.delete_chosen, glyph="trash", keys="Del")
        menu.open_at(self.viewport().mapToGlobal(at))


class HistoryPopover(Popover):
    """The list and the field above it, which keeps the keyboard."""

    def __init__(
        self, overlay: Overlay, bridge: Bridge, deletions: Deletions, past: HistoryList
    ) -> None:
        look = overlay.look
        super().__init__(look, overlay, WIDTH)
        self._deletions = deletions
        self._calls = PendingCalls(bridge, self)
        self._today = lambda: datetime.now().astimezone().date()
        self._found: list[HistoryRow] = []
        self._shows_all = False
        self.setAccessibleName(tr("History"))
        self.search = SearchField(look, tr("Search conversations"), self)
        self.search.installEventFilter(self)
        self.setFocusProxy(self.search)
        self.list, self.rows = past, past.rows
        self.state = StyledLabel(look, TextStyle.HELP, parent=self, margins=(_PAD, 6, _PAD, 6))
        self.all_of_them = ActionButton(look, then=self._show_all, parent=self)
        self._rest = single_shot_timer(self, self.refresh, _REST_MS)
        self._lay_out()
        self._connect()

    def open_history(self, anchor: QWidget, words: str = "", *, all_of_them: bool = False) -> None:
        """Show past conversations below a part of the window, or those that hold these words."""
        self._shows_all = all_of_them
        self.search.setText(words)
        self.open_below(anchor, at_right=True)
        self.refresh()

    def refresh(self) -> None:
        """Show what is stored now: all conversations, or those that hold the words."""
        self._rest.stop()
        words, today = self.search.text().strip(), self._today()

        async def work(parts: Any) -> list[HistoryRow] | str:
            return await stored_rows(parts, today, words)

        self._calls.ask("list", work, self._show_found)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go through the list, and do with its rows what their menu offers."""
        if not self._take_key(event):
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the keys that go through the list before the field does."""
        if watched is self.search and isinstance(event, QKeyEvent):
            is_press = event.type() is QEvent.Type.KeyPress
            return is_press and self._take_key(event)
        return super().eventFilter(watched, event)

    def _take_key(self, event: QKeyEvent) -> bool:
        at_end = self.search.cursorPosition() == len(self.search.text())
        is_plain = not self.search.hasSelectedText()
        match event.key():
            case Qt.Key.Key_Down | Qt.Key.Key_Up as key:
                self.list.step(1 if key == Qt.Key.Key_Down else -1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_F2:
                self.list.keyPressEvent(event)
            # At the end of what was typed there is nothing that the field could delete.
            case Qt.Key.Key_Delete if at_end and is_plain:
                self.list.keyPressEvent(event)
            case _ if event.matches(QKeySequence.StandardKey.Undo) and self._deletions.pending:
                self._deletions.undo()
            case _ if QKeySequence(event.keyCombination()) == QKeySequence(_ALL_KEYS):
                self._show_all()
            case _:
                return False
        return True

    def _show_found(self, found: list[HistoryRow] | str | AskanceError) -> None:
        self._found = found if isinstance(found, list) else []
        self._show_rows()
        nothing = tr("Nothing matches") if self.search.text() else tr("No conversations yet.")
        match found:
            case AskanceError():
                self.state.show_text(translated(found), TextStyle.PROBLEM)
            case str():
                self.state.show_text(tr(found), TextStyle.NOTE)
            case _:
                self.state.show_text("" if found else nothing, TextStyle.HELP)
        self._fit()
        if self.search.text() and isinstance(found, list):
            several = plural("{n} conversation", "{n} conversations", _count(found))
            announce(self, several if found else nothing)

    def _show_rows(self) -> None:
        """Show what was found as it stands now; the chosen row stays chosen, else it is the first."""
        before, at = self.rows.at(self.list.row), self.list.row
        count, is_cut = _count(self._found), not (self._shows_all or self.search.text())
        shown = _first(self._found, FEW) if is_cut else self._found
        self.list.show_found(shown)
        numbers = [row.number for row in self.rows.shown]
        # Where it is gone, what has come into its place: so several can be deleted without a pointer.
        place = numbers.index(before.number) if before and before.number in numbers else max(1, at)
        self.list.choose(min(place, len(numbers) - 1))
        self.all_of_them.setText(tr("Show all {n}", n=count))
        self.all_of_them.setVisible(is_cut and count > FEW)
        self._fit()

    def _show_all(self) -> None:
        self._shows_all = True
        self._show_rows()
        self.search.setFocus()

    def _lay_out(self) -> None:
        view = self.list
        view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        set_tip(self.all_of_them, native_keys(_ALL_KEYS))
        foot = row_of(self.look, self.all_of_them, None, margins=(0, 0, 0, 0))
        pads = (6, 6, 6, 6)
        parts = (self.search, view, self.state, foot)
        self.contents.addLayout(column_of(self.look, *parts, gap=2, margins=pads))

    def _fit(self) -> None:
        """Make the list as high as its rows, within bounds."""
        self.list.setVisible(bool(self.rows.shown))
        self.list.fit(self.look.px(_HIGH if self._shows_all else _LOW))
        self.refit()

    def _connect(self) -> None:
        self.search.textChanged.connect(self._rest.start)
        # Closed first, for this is connected first: what is done may open something of its own.
        for done in (self.list.opened, self.list.copy_requested, self.list.export_requested):
            done.connect(self.close)
        self.list.painter.closeEditor.connect(self.search.setFocus)
        self._deletions.changed.connect(self._follow)
        self._deletions.deleted.connect(self._follow_deleted)

    def _follow(self) -> None:
        if self.isVisible():
            self._show_rows()

    def _follow_deleted(self) -> None:
        if self.isVisible():
            self.refresh()


def _count(rows: Sequence[HistoryRow]) -> int:
    return sum(1 for row in rows if row.number)


def _first(rows: Sequence[HistoryRow], most: int) -> list[HistoryRow]:
    """Return the first conversations with their headings."""
    shown: list[HistoryRow] = []
    for row in rows:
        if _count(shown) == most:
            break
        shown.append(row)
    return shown
