"""What goes on from an answer: questions that are suggested, the same in other words or none of it any more, and which
other models there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from PySide6.QtCore import QObject, Qt, Signal

from askance.app.commands import as_typed, mode_of
from askance.domain.conversation import ParsedCommand, QuoteOrigin, asks_files
from askance.presentation.i18n import tr
from askance.ui.design.composing import single_shot_timer
from askance.ui.overlay.bar.ask_bar import AskBar
from askance.ui.overlay.conversation.conversation_view import ConversationView
from askance.ui.overlay.conversation.exchange import ExchangeAction, ExchangeView, State
from askance.ui.overlay.conversation.exchange_view import ExchangeWidget
from askance.ui.overlay.conversation.field import Chip, Draft
from askance.ui.overlay.conversation.session import Session


class FollowUps(QObject):
    """Lies in the overlay, between its bar, its conversation and the session."""

    deleted = Signal(object)
    """A `GoneExchange`: deleted by hand, or replaced by an edited question that was answered."""

    def __init__(
        self, bar: AskBar, conversation: ConversationView, session: Session, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._bar, self._conversation, self._session = bar, conversation, session
        conversation.requested.connect(self._request)
        bar.edit_last_requested.connect(self._edit_last)
        # An empty field edits nothing any more; one that was sent is empty, too, and is taken first.
        self._emptied = single_shot_timer(self, self._stop_editing)
        bar.text_edited.connect(self._emptied.start)
        conversation.services.models = self._name_models
        session.changed.connect(self._suggest)
        session.replaced.connect(self.deleted)
        # The grey question belongs to what was left.
        for left in (session.cleared, session.resumed, session.removed):
            left.connect(lambda: bar.set_suggestion(""))

    def _request(self, widget: ExchangeWidget, action: ExchangeAction, words: str) -> None:
        view, index_of = widget.view, self._conversation.index_of
        match action:
            case ExchangeAction.ASK:
                self._session.submit(words, mode=self._bar.switch.mode)
            case ExchangeAction.REWORD if view is not None:
                self._session.take(view.reworded(words))
            case ExchangeAction.ADD_SOURCES if view is not None and view.cited_pages:
                self._bar.add_requested.emit(view.cited_pages)
            case ExchangeAction.EDIT if view is not None:
                self.put_into_field(view.asked)
                self._session.edit(index_of(widget))
            case ExchangeAction.DELETE if gone := self._session.take_out(index_of(widget)):
                # The button that was pressed is gone.
                self._bar.setFocus(Qt.FocusReason.OtherFocusReason)
                self.deleted.emit(gone)
            case _:
                pass  # the overlay does it

    def _stop_editing(self) -> None:
        if not self._bar.field.text:
            self._session.edit(None)

    def _edit_last(self) -> None:
        bar, views = self._bar, self._session.views
        if views:
            self.put_into_field(views[-1].asked)
            self._session.edit(len(views) - 1)
        elif text := bar.recall.up(""):
            # In a conversation that has not begun: what was asked in the one before.
            self._recall(text, bar.chips.chips)

    def put_into_field(self, asked: ParsedCommand) -> None:
        """Let a question be asked once more in other words: with all that it was asked with, and in its own mode."""
        chip = Chip(asked.origin, asked.quote, documents=asked.documents)
        # What was asked of the model alone is not to be searched for because another mode is in front by now.
        if mode := mode_of(asked.command):
            self._bar.switch.set_mode(mode)
        is_of_files = asks_files(asked.command) or asked.origin is QuoteOrigin.ATTACHED
        self._recall(as_typed(asked), (chip,) if asked.quote and not is_of_files else ())
        if is_of_files and not self._session.files.attachments:
            self._bar.show_message(tr("No file is attached any more."))

    def _recall(self, text: str, chips: tuple[Chip, ...]) -> None:
        self._bar.set_draft(Draft(text, len(text), chips))
        self._bar.field.recall(text)
        self._bar.setFocus(Qt.FocusReason.OtherFocusReason)

    def _name_models(self, then: Callable[[Sequence[str]], None]) -> None:
        def name(found: Any) -> None:
            # Its server may not answer: then there is no other to be offered.
            is_error = isinstance(found, Exception)
            then([] if is_error else [choice.name for choice in cast("Sequence[Any]", found)])

        self._session.ask_models(name)

    def _suggest(self, _index: int, view: ExchangeView) -> None:
        """Look for questions that go on from an answer, once it is there and nothing else is asked."""
        if view.state is not State.ANSWERED or self._session.running is not None:
            return

        def show(found: Any) -> None:
            # Meanwhile something else may have been asked, or another conversation opened.
            is_last = self._session.views[-1:] == [view]
            if found and not isinstance(found, Exception) and is_last:
                # What a lens leaves out is not asked for by what goes on from its answer either.
                through = f"@{view.asked.lens} " if view.asked.lens else ""
                first, *others = (f"{through}{text}" for text in cast("Sequence[str]", found))
                self._bar.set_suggestion(first)
                self._conversation.set_suggestions(others)

        self._session.suggest(show)
