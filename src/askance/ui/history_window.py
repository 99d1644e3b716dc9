"""Past conversations in a window of their own: a list to search, open, rename in place, export and forget.

It reads beside the window; opening a conversation is the overlay's.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFileDialog,
    QLineEdit,
    QMenu,
    QStyleOptionViewItem,
    QWidget,
)

from askance.config.private_files import replace_file
from askance.domain.errors import AskanceError, InputError
from askance.domain.history import ConversationSummary, SearchHit, TranscriptFormat
from askance.domain.messages import Message
from askance.domain.ports.storage import History
from askance.presentation.i18n import plural, short_moment, term, tr, translated
from askance.ui.bridge import Bridge, PendingCalls
from askance.ui.design import theme
from askance.ui.design.composing import (
    Button,
    Composite,
    LineField,
    column_of,
    row_of,
    single_shot_timer,
)
from askance.ui.design.controls import ConfirmButton
from askance.ui.design.focus import announce, closes, press_with_enter
from askance.ui.design.frame import Frame, bring_up, centred_in_upper_third, screen_of_pointer
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.lists import Index, LinePainter, ListLine, RowList, Rows
from askance.ui.design.theme import Look

PAGE = 100


class HistoryRows(Rows[ListLine]):
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
        # At once and not when it is stored: the old title would come back for a moment.
        if title != row.title:
            self.retitle(row.key, title or row.title)
            self.renamed.emit(int(row.key), title)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Return that a title can be edited."""
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def canFetchMore(self, parent: Index) -> bool:
        """Return whether older conversations are there."""
        return not parent.isValid() and self._has_more

    def fetchMore(self, parent: Index) -> None:  # noqa: ARG002 - Qt's interface
        """Ask for older conversations; they come later."""
        # Until they are there: Qt asks again at each step of the scroll bar.
        self._has_more = False
        self.more_wanted.emit()

    def show_rows(self, rows: Sequence[ListLine], *, has_more: bool = False) -> None:
        """Show these rows in the place of all others."""
        self._has_more = has_more
        super().show_rows(rows)

    def add_rows(self, rows: Sequence[ListLine], *, has_more: bool) -> None:
        """Show these rows below the others."""
        self._has_more = has_more
        if rows:
            last = len(self.shown)
            self.beginInsertRows(QModelIndex(), last, last + len(rows) - 1)
            self.shown += tuple(rows)
            self.endInsertRows()

    def retitle(self, key: str, title: str) -> None:
        """Show another title for a conversation."""
        # Of the places that a search has found, several may be of one conversation.
        renamed = [row.key == key for row in self.shown]
        self.shown = tuple(
            replace(row, title=title) if is_it else row
            for row, is_it in zip(self.shown, renamed, strict=True)
        )
        for number in (n for n, is_it in enumerate(renamed) if is_it):
            self.dataChanged.emit(self.index(number), self.index(number))


def row_of_summary(summary: ConversationSummary, today: date) -> ListLine:
    """Return the row of a conversation."""
    asked = plural("{n} question", "{n} questions", summary.exchanges)
    when = short_moment(summary.updated_at, today)
    return ListLine(summary.title, asked, when, key=str(summary.id))


def row_of_hit(hit: SearchHit, today: date) -> ListLine:
    """Return the row of a place that holds the words."""
    # Line ends become blanks one by one, or the places of the marks would move.
    below, when = " ".join(hit.excerpt.split("\n")), short_moment(hit.asked_at, today)
    return ListLine(hit.title, below, when, key=str(hit.conversation), marks=hit.marks)


class HistoryPainter(LinePainter):
    """Title and day, below them the questions or the words in their place; the title can be edited."""

    def createEditor(
        self,
        parent: QWidget,
        option: QStyleOptionViewItem,  # noqa: ARG002
        index: Index,  # noqa: ARG002
    ) -> QWidget:
        """Return a field for the title."""
        field = QLineEdit(parent)
        field.setFont(self.look.font(theme.BODY_TEXT - 1))
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
        side = self.look.px(theme.SPACE_XS)
        editor.setGeometry(area.adjusted(side, side, -side, -side))


ChooseFile = Callable[[QWidget, str, Callable[[str], None]], None]
_LONGEST = 60
# Accepts what is no letter, digit, underscore, hyphen or blank, such as `/`, `:` and `?`, which
# Windows refuses or takes for a folder.
_NO_NAME = re.compile(r"[^\w\- ]+")


def choose_file(parent: QWidget, suggested: str, then: Callable[[str], None]) -> None:
    """Let a person say where a file is to be; `then` gets its path."""
    dialog = QFileDialog(parent, tr("Export"), suggested)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(then)
    # Not `exec`, whose own event loop would keep the program from ending.
    dialog.open()


def file_name(title: str, form: TranscriptFormat) -> str:
    """Return a name for the file of a conversation that every system takes."""
    name = " ".join(_NO_NAME.sub(" ", title).split())[:_LONGEST].strip() or "conversation"
    return f"{name}.{form.value}"


def export(history: History, number: int, form: TranscriptFormat, file: Path) -> None:
    """Write a conversation into a file, which is replaced whole or not at all. Blocks.

    Raises:
        InputError: there is no such conversation, or the file cannot be written.
        StorageError: the history cannot be read.
    """
    # Imported here: markdown-it takes its time, and the window is to be there within a blink.
    from askance.presentation.transcripts import document  # noqa: PLC0415

    record = history.conversation(number)
    if record is None:
        raise InputError(Message("This conversation is not there any more."))
    try:
        # A lone surrogate, as a model may write it, has no form in UTF-8.
        replace_file(file, document(record, form).encode("utf-8", "replace"))
    except OSError as exc:
        raise InputError(
            Message("{file} cannot be written: {problem}.", file=file, problem=exc)
        ) from exc


# A search begins when the typing rests for so long.
_REST_MS = 150
_LIST = "list"
_OFF = term("Conversations are not saved. Turn that on in the settings.")
_SAMPLE = term("Conversations about the sample web are not saved. /new leaves it.")
_KINDS = {
    TranscriptFormat.MD: "Markdown",
    TranscriptFormat.HTML: "HTML",
    TranscriptFormat.JSON: "JSON",
}


class HistoryPanel(Composite):
    """The list is read beside the window; while it is, the rows that are there stay."""

    opened = Signal(int)
    """The number of a conversation that is to be shown."""
    deleted = Signal(int)
    """A conversation that is no more; 0 stands for all of them."""
    dismissed = Signal()

    def __init__(
        self,
        look: Look,
        bridge: Bridge,
        parent: QWidget | None = None,
        *,
        choose: ChooseFile = choose_file,
    ) -> None:
        super().__init__(look, parent)
        self._calls = PendingCalls(bridge, self)
        self._choose = choose
        self._today = lambda: datetime.now().astimezone().date()
        self._last: ConversationSummary | None = None
        prompt = tr("Search past conversations")
        self.search = LineField(look, prompt, self, size=theme.BODY_TEXT)
        self.search.setClearButtonEnabled(True)
        self._rest = single_shot_timer(self, self.refresh, _REST_MS)
        self.rows = HistoryRows()
        self.list = RowList(self.rows, HistoryPainter(look), self)
        self.state = StyledLabel(look, TextStyle.HELP, parent=self)
        self.open_it = Button(look, tr("Open"), self, self._open)
        self.rename = Button(look, tr("Rename"), self, self._edit)
        self.export = Button(look, tr("Export"), self)
        self.menu = QMenu(self)
        self.delete = ConfirmButton(
            look, tr("Delete…"), tr("Delete permanently?"), tr("Delete"), self
        )
        self.delete_all = ConfirmButton(
            look,
            tr("Delete all…"),
            tr("Delete all conversations permanently?"),
            tr("Delete all"),
            self,
        )
        self._lay_out()
        self._connect()
        self._enable()

    def refresh(self) -> None:
        """Show what is stored now: all conversations, or those that hold the words."""
        self._rest.stop()
        words = self.search.text().strip()
        if words:
            self._ask(lambda history: history.search(words), self._show_hits)
        else:
            # One more than are shown tells whether there are others.
            self._ask(lambda history: history.conversations(PAGE + 1), self._show_first)

    def showEvent(self, event: Any) -> None:
        """Look at what is stored when the panel comes up."""
        super().showEvent(event)
        self.search.setFocus()
        self.refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open, forget, go into the list and back to the search, or leave."""
        taken = self._leave(event) or self._walk(event) or press_with_enter(self.window(), event)
        if not taken:
            super().keyPressEvent(event)

    def _leave(self, event: QKeyEvent) -> bool:
        # The first Escape clears the search, the second one leaves.
        is_escape = event.key() == Qt.Key.Key_Escape
        if is_escape and self.search.text():
            self.search.clear()
        elif is_escape or closes(event):
            self.dismissed.emit()
        else:
            return False
        return True

    def _walk(self, event: QKeyEvent) -> bool:
        match event.key():
            case Qt.Key.Key_F if event.matches(QKeySequence.StandardKey.Find):
                self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
                self.search.selectAll()
            case Qt.Key.Key_Down if self.search.hasFocus():
                self.list.setFocus()
                if not self.list.currentIndex().isValid():
                    self.list.setCurrentIndex(self.rows.index(0))
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if self._is_in_list:
                if self._chosen() is None:
                    self.list.setCurrentIndex(self.rows.index(0))
                self._open()
            case Qt.Key.Key_Delete if self.list.hasFocus() and self._chosen():
                self.delete.offer.click()
            case _:
                return False
        return True

    @property
    def _is_in_list(self) -> bool:
        return self.search.hasFocus() or self.list.hasFocus()

    def _ask(
        self, work: Callable[[History], Any], then: Callable[[Any], None], name: str = _LIST
    ) -> None:
        async def beside(parts: Any) -> Any:
            # The engine's thread alone knows whether a history is open: the sample web has none.
            if parts.history is None:
                return _SAMPLE if parts.settings.history.days else _OFF
            return await asyncio.to_thread(work, parts.history)

        def arrived(result: Any) -> None:
            if isinstance(result, AskanceError):
                self.state.show_text(translated(result), TextStyle.PROBLEM)
            elif isinstance(result, str):
                self.rows.show_rows(())
                self.state.show_text(tr(result), TextStyle.NOTE)
            else:
                then(result)
            self._enable()

        self._calls.ask(name, beside, arrived)

    def _show_first(self, found: tuple[ConversationSummary, ...]) -> None:
        shown = self._summaries(found)
        self._show_rows(shown, has_more=len(found) > PAGE)
        self.state.show_text("" if shown else tr("No conversations yet."), TextStyle.HELP)

    def _show_rows(self, shown: list[ListLine], *, has_more: bool = False) -> None:
        """Show rows; the chosen conversation stays chosen, or what has come into its place."""
        before, at = self._chosen(), self.list.row
        self.rows.show_rows(shown, has_more=has_more)
        # Nothing was chosen: the list must not choose for anybody.
        if before is None or not shown:
            return
        keys = [row.key for row in shown]
        # Where it is gone its neighbour is chosen, so that several can be deleted without a pointer.
        place = keys.index(before.key) if before.key in keys else min(at, len(shown) - 1)
        self.list.setCurrentIndex(self.rows.index(place))

    def _show_more(self, found: tuple[ConversationSummary, ...]) -> None:
        self.rows.add_rows(self._summaries(found), has_more=len(found) > PAGE)

    def _summaries(self, found: tuple[ConversationSummary, ...]) -> list[ListLine]:
        first_page = found[:PAGE]
        self._last = first_page[-1] if first_page else None
        return [row_of_summary(summary, self._today()) for summary in first_page]

    def _show_hits(self, found: tuple[Any, ...]) -> None:
        self._show_rows([row_of_hit(hit, self._today()) for hit in found])
        text = plural("{n} place", "{n} places", len(found)) if found else tr("No matches.")
        self.state.show_text(text, TextStyle.HELP)
        announce(self, text)

    def _fetch_more(self) -> None:
        last = self._last
        self._ask(lambda history: history.conversations(PAGE + 1, last), self._show_more)

    def _chosen(self) -> ListLine | None:
        return self.rows.at(self.list.row)

    def _open(self) -> None:
        if (row := self._chosen()) is not None:
            self.opened.emit(int(row.key))

    def _rename(self, number: int, title: str) -> None:
        def work(history: History) -> None:
            history.rename(number, title)

        self._ask(work, lambda _: self.refresh(), f"rename {number}")

    def _delete(self) -> None:
        if (row := self._chosen()) is None:
            return
        number = int(row.key)

        def then(_there_was: bool) -> None:
            self.refresh()
            self.deleted.emit(number)

        self._ask(lambda history: history.delete(number), then, f"delete {number}")

    def _delete_all(self) -> None:
        def then(gone: int) -> None:
            self.refresh()
            announce(
                self, plural("{n} conversation forgotten", "{n} conversations forgotten", gone)
            )
            self.deleted.emit(0)

        self._ask(lambda history: history.delete_all(), then, "delete all")

    def _export(self, form: TranscriptFormat) -> None:
        if (row := self._chosen()) is None:
            return

        def chosen(path: str) -> None:
            file, number = Path(path), int(row.key)

            def then(_result: object) -> None:
                self.state.show_text(tr("Saved to {file}.", file=str(file)), TextStyle.HELP)
                announce(self, self.state.text())

            self._ask(lambda history: export(history, number, form, file), then, "export")

        self._choose(self, file_name(row.title, form), chosen)

    def _enable(self) -> None:
        chosen = self._chosen() is not None
        for part in (self.open_it, self.rename, self.export, self.delete):
            part.setEnabled(chosen)
        self.delete_all.setEnabled(self.rows.rowCount() > 0)

    def _turn(self, current: QModelIndex) -> None:
        """Ask about nothing that is not chosen any more."""
        if current.isValid():
            # A list that gets the focus goes to a row without selecting it, and shows nothing.
            choose = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.list.selectionModel().select(current, choose)
        self.delete.withdraw()
        self._enable()

    def _show_menu(self, at: QPoint) -> None:
        if self._chosen() is not None:
            self.menu.popup(self.list.viewport().mapToGlobal(at))

    def _lay_out(self) -> None:
        view = self.list
        view.setAccessibleName(tr("Past conversations"))
        view.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        forms = QMenu(self)
        for form, name in _KINDS.items():
            forms.addAction(name).triggered.connect(lambda _=False, form=form: self._export(form))
        self.export.setMenu(forms)
        self.menu.addAction(tr("Open")).triggered.connect(self._open)
        self.menu.addAction(tr("Rename")).triggered.connect(self._edit)
        exports = self.menu.addMenu(tr("Export"))
        exports.addActions(forms.actions())
        self.menu.addAction(tr("Delete…")).triggered.connect(self.delete.offer.click)
        of_one = (self.open_it, self.rename, self.export, self.delete)
        buttons = row_of(self.look, *of_one, None, self.delete_all)
        parts = (self.search, view, self.state, buttons)
        m = theme.SPACE_M
        self.setLayout(column_of(self.look, *parts, wide=view, margins=(m, m, m, m)))

    def _edit(self) -> None:
        self.list.setFocus()
        self.list.edit(self.list.currentIndex())

    def _connect(self) -> None:
        self.search.textChanged.connect(self._rest.start)
        self.rows.more_wanted.connect(self._fetch_more)
        self.rows.renamed.connect(self._rename)
        self.list.selectionModel().currentChanged.connect(self._turn)
        self.list.doubleClicked.connect(self._open)
        self.list.customContextMenuRequested.connect(self._show_menu)
        self.delete.confirmed.connect(self._delete)
        self.delete_all.confirmed.connect(self._delete_all)


_HEIGHT = 520
_ROOM = 16_777_215  # what Qt takes for no bound


class HistoryWindow(Frame):
    """A card with the history panel; Escape closes it."""

    def __init__(self, look: Look, bridge: Bridge) -> None:
        super().__init__(look)
        self.setWindowTitle(tr("History"))
        self.panel = HistoryPanel(look, bridge, self)
        self.panel.dismissed.connect(self.hide)
        self.panel.opened.connect(self.hide)
        self.contents.addWidget(self.panel)
        self._fit()

    def _restyle(self) -> None:
        self._fit()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Take a close by the desktop for Escape."""
        super().closeEvent(event)
        self.panel.dismissed.emit()

    def summon(self, words: str = "") -> None:
        """Show the window, and look for these words."""
        area = screen_of_pointer().availableGeometry()
        self._fit(area.height())
        # Where the paper of the overlay lies, which shadows are no part of.
        self.move(centred_in_upper_third(self.paper, area) - self.paper.topLeft())
        bring_up(self)
        self.panel.search.setText(words)
        self.panel.search.setFocus()

    def _fit(self, room: int = _ROOM) -> None:
        margins = self.shadow_margins
        width = self.look.px(theme.WINDOW_WIDTH) + margins.left() + margins.right()
        # At large text sizes that is higher than a screen of 800 points: `room` bounds it.
        height = self.look.px(_HEIGHT) + margins.top() + margins.bottom()
        self.resize(width, min(height, room))
