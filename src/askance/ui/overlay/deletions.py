"""Conversations, and exchanges of one, that are about to be deleted: each can be brought back until its time is over
or the window hides.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence

from askance.domain.errors import AskanceError
from askance.presentation.i18n import tr, translated
from askance.presentation.steps import shortened
from askance.ui.bridge import Bridge
from askance.ui.design.composing import single_shot_timer
from askance.ui.design.toast import UNDO_MS, Toast
from askance.ui.overlay.conversation.session import GoneExchange
from askance.ui.overlay.overlay import Overlay

UNDO_KEYS = "Ctrl+Z"
_LONGEST = 32


class Deletions(QObject):
    """Deletes conversations a little later. Until then nothing is changed: a crash brings all of them back.

    The file is written when the time is over, when the window hides, or when the program ends.
    """

    changed = Signal()
    """`pending` is another now."""
    deleted = Signal(int)
    """A conversation is no more."""
    begun = Signal(int)
    """A conversation is about to go: whoever shows it leaves it."""
    undone = Signal(int)
    exchange_undone = Signal(object)
    """A `GoneExchange` is to be put back."""

    def __init__(self, bridge: Bridge, overlay: Overlay, toast: Toast) -> None:
        super().__init__(overlay)
        self._bridge, self._overlay, self._toast = bridge, overlay, toast
        self.pending: dict[int, str] = {}
        """The titles by the numbers, the last one at the end. Exchanges have numbers below zero."""
        self._exchanges: dict[int, GoneExchange] = {}
        # What is typed after a deletion is what Ctrl+Z takes back first.
        self._is_latest = False
        overlay.hidden.connect(self.commit)
        overlay.ask_bar.text_edited.connect(self._note_typing)
        overlay.ask_bar.field.installEventFilter(self)

    def delete(self, number: int, title: str, *, shows_line: bool = True) -> None:
        """Let a conversation go, and offer to bring it back: below the window, if it `shows_line`."""
        # First: what it leaves changes the field, which counts as typing.
        self.begun.emit(number)
        self._delete(number, title, shows_line=shows_line)

    def delete_exchange(self, gone: GoneExchange) -> None:
        """Let an exchange go that was taken out of its conversation, and offer to bring it back."""
        number = min(0, *self.pending) - 1 if self.pending else -1
        self._exchanges[number] = gone
        self._delete(number, gone.question)

    def _delete(self, number: int, title: str, *, shows_line: bool = True) -> None:
        self.pending[number] = title
        timer = single_shot_timer(self, partial(self._commit, number), UNDO_MS)
        timer.setObjectName(str(number))
        timer.start()
        self._is_latest = True
        self.changed.emit()
        if shows_line:
            text = tr("“{title}” deleted", title=shortened(title, _LONGEST))
            self._toast.show_text(text, undo=tr("Undo"), keys=UNDO_KEYS, then=self.undo)

    def undo(self, number: int | None = None) -> None:
        """Bring a conversation back; the last one if none is named."""
        number = next(reversed(self.pending), None) if number is None else number
        if number is not None and self._forget(number):
            self._toast.withdraw()
            self.changed.emit()
            if gone := self._exchanges.pop(number, None):
                self.exchange_undone.emit(gone)
            else:
                self.undone.emit(number)

    def commit(self) -> None:
        """Delete all of them now."""
        for number in tuple(self.pending):
            self._commit(number)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: ARG002 - Qt's interface
        """Undo the deletion by the key that undoes what was typed, where it was the last that was done."""
        if not (self.pending and self._is_latest and isinstance(event, QKeyEvent)):
            return False
        is_undo = event.matches(QKeySequence.StandardKey.Undo)
        if is_undo and event.type() is QEvent.Type.KeyPress:
            self.undo()
        return is_undo

    def _note_typing(self) -> None:
        self._is_latest = False

    def _forget(self, number: int) -> bool:
        timer = self.findChild(QObject, str(number))
        if timer is not None:
            timer.setParent(None)
            timer.deleteLater()
        return self.pending.pop(number, None) is not None

    def _commit(self, number: int) -> None:
        if not self._forget(number):
            return
        gone = self._exchanges.pop(number, None)
        key = gone.key if gone else (number,)

        async def work(app: Any) -> None:
            from askance.app.past_conversations import delete  # noqa: PLC0415 - once it is needed

            if app.history is not None and key is not None:
                await delete(app.history, *key)

        def then(result: AskanceError | None) -> None:
            if isinstance(result, AskanceError):
                self._overlay.complain(translated(result))
                self.changed.emit()
            elif gone is None:
                self.deleted.emit(number)

        self._bridge.call(work, then)
