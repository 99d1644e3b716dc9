"""What row 2 of the window opens: the menu of the conversation's title, its history, the keys; and their keys."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from askance.domain.characters import clean
from askance.domain.errors import AskanceError
from askance.presentation.i18n import tr, translated
from askance.presentation.source_line import LineSource
from askance.ui.bridge import Bridge, PendingCalls
from askance.ui.design import theme
from askance.ui.design.composing import LineField
from askance.ui.design.focus import announce
from askance.ui.design.keys import bind_keys
from askance.ui.design.popover import Menu
from askance.ui.design.toast import Toast
from askance.ui.overlay.bar.tool_row import ToolRow
from askance.ui.overlay.conversation.exchange import ExchangeView
from askance.ui.overlay.conversation.session import Session
from askance.ui.overlay.deletions import Deletions
from askance.ui.overlay.overlay import Overlay
from askance.ui.overlay.stored import StoredConversations, StoredDrafts

if TYPE_CHECKING:
    from askance.ui.overlay.find_bar import FindBar
    from askance.ui.overlay.history_beside import HistoryBeside
    from askance.ui.overlay.history_popover import HistoryList, HistoryPopover
    from askance.ui.overlay.keys_card import KeysCard

# What is opened is made when it is first wanted: a start pays for none of it.
# ruff: noqa: PLC0415

RENAME, COPY, EXPORT, PRINT, SIDE, FIND, KEYS_CARD = (
    *("F2", "Ctrl+Shift+C", "Ctrl+S", "Ctrl+P", "Ctrl+B", "Ctrl+F", "F1"),
)
ALL = "Ctrl+Shift+H"


class TitleField(LineField):
    """The title, edited in its place: Enter and leaving it keep what was typed, Escape does not."""

    done = Signal(str)

    def __init__(self, tools: ToolRow, title: str) -> None:
        window = tools.window()
        assert isinstance(window, Overlay)
        # In a narrow window there is no title, and the field takes the whole row.
        button = tools.title_button
        anchor: QWidget = button if button.isVisible() else tools
        super().__init__(window.look, parent=window, name=tr("Title of the conversation"))
        self.setText(title)
        self.selectAll()
        place = anchor.rect().translated(anchor.mapTo(window, anchor.rect().topLeft()))
        least = window.look.px(_LEAST_TITLE)
        place.setLeft(min(place.left(), place.right() - least))
        if anchor is tools:
            place.adjust(window.look.px(theme.SPACE_XL), 0, -window.look.px(theme.SPACE_XL), 0)
        height = window.look.px(theme.CONTROL_HEIGHT)
        place.adjust(0, (place.height() - height) // 2, 0, 0)
        place.setHeight(height)
        self.setGeometry(place & window.paper)
        self.show()
        self.raise_()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.editingFinished.connect(lambda: self._end(self.text()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave the title as it was with Escape; Enter is no one's but the field's."""
        if event.key() == Qt.Key.Key_Escape:
            self._end(None)
        else:
            super().keyPressEvent(event)
            event.accept()

    def _end(self, title: str | None) -> None:
        if self.isHidden():
            return
        self.hide()
        self.deleteLater()
        if title is not None:
            self.done.emit(" ".join(title.split()))


_LEAST_TITLE = 240


class ConversationHeader(QObject):
    """Does what is asked of the conversation in the window, and shows the others."""

    def __init__(
        self,
        bridge: Bridge,
        session: Session,
        overlay: Overlay,
        stored: StoredConversations,
        drafts: StoredDrafts,
    ) -> None:
        super().__init__(overlay)
        self._bridge, self._session, self._overlay = bridge, session, overlay
        self._stored, self._drafts = stored, drafts
        self._tools = overlay.ask_bar.tools
        self.toast = Toast(overlay, overlay.ask_bar.tools)
        self.deletions = Deletions(bridge, overlay, self.toast)
        self.history: HistoryPopover | None = None
        self.find_bar: FindBar | None = None
        self.keys: KeysCard | None = None
        self._left_deleted = 0
        self._beside: HistoryBeside | None = None
        overlay.columns.questions.shown.connect(self._show_beside)
        overlay.follow_ups.deleted.connect(self.deletions.delete_exchange)
        self.deletions.exchange_undone.connect(session.bring_back)
        self.deletions.begun.connect(self._leave_deleted)
        self.deletions.deleted.connect(session.forget)
        self.deletions.deleted.connect(drafts.forget)
        self.deletions.undone.connect(self._bring_back)
        stored.saved.connect(self._show_saved)
        stored.copied.connect(lambda: self.toast.show_text(tr("Copied")))
        session.ended_unseen.connect(self._announce_end)
        session.left_changed.connect(lambda: self._tools.set_has_news(session.has_unseen))
        session.titled.connect(overlay.set_title)
        self._tools.title_requested.connect(self.show_menu)
        self._pages = PendingCalls(bridge, self)
        overlay.columns.sources.read_requested.connect(self._read_here)
        bind_keys(overlay, ((keys, then) for _, then, _, keys in self._rows))
        bind_keys(overlay, ((ALL, lambda: self.show_history(all_of_them=True)),))

    @property
    def _rows(self) -> tuple[tuple[str, Callable[[], object], str, str], ...]:
        """What can be done with the conversation: its name, what does it, its glyph and its keys."""
        stored = self._stored
        return (
            (tr("Rename"), self.rename, "edit", RENAME),
            (tr("Copy the conversation"), stored.copy, "copy", COPY),
            (tr("Export…"), stored.export, "download", EXPORT),
            (tr("Print…"), stored.print, "print", PRINT),
            (tr("Sources beside the text"), self._overlay.toggle_sources, "side", SIDE),
            (tr("Find"), self.find, "search", FIND),
        )

    def show_menu(self) -> None:
        """Show what can be done with the conversation, below its title."""
        menu = Menu(self._overlay.look, self._overlay)
        for name, then, glyph, keys in self._rows:
            menu.add(name, then, glyph=glyph, keys=keys)
        menu.addSeparator()
        menu.add(tr("Delete"), self.delete, glyph="trash")
        is_there = self._session.conversation is not None
        for action in menu.actions():
            action.setEnabled(is_there or action.text() == tr("Find"))
        title = self._tools.title_button
        menu.aboutToHide.connect(lambda: title.set_on(False))
        title.set_on(True)
        menu.open_below(title if title.isVisible() else self._tools.history_button)

    def show_history(self, words: str = "", *, all_of_them: bool = False) -> HistoryPopover:
        """Show past conversations below their button, or those that hold these words."""
        if self.history is None:
            from askance.ui.overlay.history_popover import HistoryPopover

            past = self._past_conversations()
            self.history = HistoryPopover(self._overlay, self._bridge, self.deletions, past)
            self.history.closed.connect(lambda: self._tools.history_button.set_on(False))
            self._serve(past)
        if not self._overlay.isVisible():
            self._overlay.summon()
        clock = self._tools.history_button
        clock.set_on(True)
        self.history.open_history(clock, words, all_of_them=all_of_them)
        return self.history

    def _past_conversations(self, *, is_slim: bool = False) -> HistoryList:
        from askance.ui.overlay.history_popover import HistoryList

        session, drafts = self._session, self._drafts
        return HistoryList(
            self._overlay.look,
            self.deletions,
            lambda: session.left_states,
            lambda: drafts.conversations,
            is_slim=is_slim,
        )

    def _serve(self, history: HistoryList) -> None:
        history.opened.connect(self._stored.open)
        history.renamed.connect(self._stored.rename)
        history.copy_requested.connect(self._stored.copy)
        history.export_requested.connect(self._stored.export)

    def _show_beside(self) -> None:
        """Show past conversations in the first column of a wide window, from the first time that it is there."""
        from askance.ui.overlay.history_beside import HistoryBeside

        if self._beside is None:
            past = self._past_conversations(is_slim=True)
            parts = (self._overlay, self._bridge, self._session, self.deletions, past)
            self._beside = HistoryBeside(*parts)
            self._serve(past)
        self._beside.refresh_soon()

    def _read_here(self, source: LineSource, words: str) -> None:
        """Show the text of a source as it was read, beside the answer; nothing is asked of the network for it."""

        async def work(app: Any) -> str:
            page = await asyncio.to_thread(app.page_cache.find, source.address)
            return "" if page is None else clean(page.markdown)

        def then(text: str | AskanceError) -> None:
            if isinstance(text, AskanceError):
                self._overlay.complain(translated(text))
            elif text:
                self._overlay.columns.sources.show_page(source, text, words)
            else:
                self.toast.show_text(tr("The text of this page is not stored any more."))

        self._pages.ask("page", work, then)

    def rename(self) -> None:
        """Edit the title in its place."""
        if (number := self._session.conversation) is not None:
            field = TitleField(self._tools, self._session.title)
            field.done.connect(partial(self._stored.rename, number))
            field.destroyed.connect(self._overlay.ask_bar.setFocus)

    def delete(self) -> None:
        """Delete the conversation in a while, and go to a new one; it can be brought back until then."""
        number, title = self._session.conversation, self._session.title
        if number is not None:
            self.deletions.delete(number, title)

    def find(self) -> None:
        """Look for words in the conversation."""
        if not self._overlay.conversation.isVisible():
            return
        if self.find_bar is None:
            from askance.ui.overlay.find_bar import FindBar

            self.find_bar = FindBar(self._overlay.look, self._overlay, self._session)
        self.find_bar.open_bar()

    def show_keys(self) -> None:
        """Show the keys and the commands over the window."""
        if self.keys is None:
            from askance.ui.overlay.keys_card import KeysCard

            self.keys = KeysCard(self._overlay.look, self._overlay)
            self.keys.command_chosen.connect(self._overlay.ask_bar.field.set_text)
        self.keys.open_card()

    def _leave_deleted(self, number: int) -> None:
        """Leave the conversation in the window: what is asked next must not go with it."""
        if number == self._session.conversation:
            self._left_deleted = number
            self._session.begin_anew()

    def _bring_back(self, number: int) -> None:
        if number == self._left_deleted:
            self._stored.open(number)

    def _show_saved(self, file: str) -> None:
        self.toast.show_text(tr("Saved to {file}.", file=file))

    def _announce_end(self, _number: int, view: ExchangeView) -> None:
        announce(self._overlay, f"{view.asked.text}: {tr('ready, not seen')}")
