"""Conversations that are kept: showing one again, and writing one into a file."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from askance.domain.errors import AskanceError
from askance.domain.history import ConversationRecord
from askance.domain.ports.history import History
from askance.presentation.i18n import tr
from askance.presentation.transcripts.forms import TranscriptFormat
from askance.ui.engine.bridge import Bridge
from askance.ui.engine.pending_calls import PendingCalls
from askance.ui.engine.session import Session
from askance.ui.history.exporting import choose_file, export, file_name
from askance.ui.model.exchange import ExchangeView, fold
from askance.ui.overlay.overlay import Overlay

if TYPE_CHECKING:
    from askance.app.container import App

_FORMS = {form.value: form for form in TranscriptFormat}


class StoredConversations(QObject):
    """What the overlay does with conversations of the history."""

    def __init__(self, bridge: Bridge, session: Session, overlay: Overlay) -> None:
        super().__init__(overlay)
        self._session, self._overlay = session, overlay
        self._calls = PendingCalls(bridge, self)

    def open(self, number: int) -> None:
        """Go on with a conversation; it looks as it did."""

        async def read(app: App) -> tuple[ConversationRecord, Sequence[ExchangeView]] | None:
            if app.history is None:
                return None
            return await asyncio.to_thread(_read, app.history, number)

        def shown(
            found: tuple[ConversationRecord, Sequence[ExchangeView]] | AskanceError | None,
        ) -> None:
            if isinstance(found, tuple):
                self._session.resume(*found)
            else:
                gone = tr("This conversation is not there any more.")
                self._overlay.complain(str(found or gone))
            self._overlay.summon()

        self._calls.ask("open", read, shown)

    def forget(self, number: int) -> None:
        """Leave a conversation that was deleted; 0 stands for all of them."""
        if number in {0, self._session.conversation}:
            self._session.begin_anew()

    def export(self) -> None:
        """Ask where the conversation in the window is to be kept as a file, and keep it."""
        number, views = self._session.conversation, self._session.views
        if number is None or not views:
            self._overlay.complain(tr("There is nothing to export yet."))
            return
        suggested = file_name(views[0].question, TranscriptFormat.MD)
        choose_file(self._overlay, suggested, lambda path: self._write(number, Path(path)))

    def _write(self, number: int, file: Path) -> None:
        form = _FORMS.get(file.suffix.removeprefix("."), TranscriptFormat.MD)

        async def write(app: App) -> str:
            if app.history is not None:
                await asyncio.to_thread(export, app.history, number, form, file)
            return tr("Saved to {file}.", file=str(file))

        self._calls.ask("export", write, lambda error: self._overlay.complain(str(error)))


def _read(
    history: History, number: int
) -> tuple[ConversationRecord, Sequence[ExchangeView]] | None:
    """Return a conversation, and its exchanges folded: of many that takes longer than a frame."""
    record = history.conversation(number)
    return None if record is None else (record, fold(record))
