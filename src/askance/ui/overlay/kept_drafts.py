"""Drafts: what stands in the field belongs to its conversation, and is there again after a restart."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QObject

from askance.ui.model.recall import Draft, Drafts
from askance.ui.overlay.draft_file import DraftFile
from askance.ui.overlay.overlay import Overlay
from askance.ui.talk.bridge import Bridge
from askance.ui.talk.calls import Calls
from askance.ui.talk.session import Session


class KeptDrafts(QObject):
    """Notes every change of the field, and writes the drafts when the window is hidden.

    `chores` is where the file is read and written.
    """

    def __init__(self, file: DraftFile, chores: Bridge, session: Session, overlay: Overlay) -> None:
        super().__init__(overlay)
        self._file, self._session, self._bar = file, session, overlay.ask_bar
        self._calls = Calls(chores, self)
        self._drafts = Drafts()
        self._is_kept = True
        self._conversation = session.conversation
        self._changes = self._written = 0
        self._writes = 0
        overlay.ask_bar.text_edited.connect(self._note)
        overlay.hidden.connect(self._write)
        session.changed.connect(self._follow)
        session.cleared.connect(self._leave)
        session.resumed.connect(self._come_to)

    def read(self) -> None:
        """Bring back what was kept, unless something else is being typed already."""

        async def work(_parts: object) -> dict[int | None, Draft]:
            return await asyncio.to_thread(self._file.read)

        def then(kept: dict[int | None, Draft]) -> None:
            if not self._is_kept:
                return
            # What was typed meanwhile is newer.
            self._drafts = Drafts({**kept, **self._drafts.kept})
            self._show()

        self._calls.ask("read", work, then)

    def keep(self, is_kept: bool) -> None:
        """Keep drafts in the file or, from now on, only for as long as the program runs."""
        self._is_kept = is_kept
        if not is_kept:
            self._delete()

    def forget(self, conversation: int) -> None:
        """Forget the draft of a conversation that was deleted; 0 stands for all of them."""
        if conversation:
            self._drafts.keep(conversation, Draft())
        else:
            self._drafts = Drafts()
        self._changes += 1
        self._write()

    def close(self) -> None:
        """Write what was not written yet. Blocks for a moment; for the end of the program."""
        if self._is_kept and self._changes != self._written:
            self._file.write(self._next(), self._drafts.kept)

    def _note(self) -> None:
        self._follow()
        self._drafts.keep(self._conversation, self._bar.draft)
        self._changes += 1

    def _follow(self) -> None:
        """Learn the number that the conversation got when it was first kept."""
        if self._conversation is None and (number := self._session.conversation) is not None:
            self._drafts.move(None, number)
            self._conversation = number

    def _leave(self) -> None:
        """Go to the conversation that has not begun. A draft without a conversation goes along."""
        if self._conversation is not None:
            self._conversation = None
            self._bar.set_draft(self._drafts.of(None))

    def _come_to(self) -> None:
        """Show the draft of an old conversation."""
        self._conversation = self._session.conversation
        self._bar.set_draft(self._drafts.of(self._conversation))

    def _show(self) -> None:
        draft = self._drafts.of(self._conversation)
        if self._bar.draft == Draft() and draft != Draft():
            self._bar.set_draft(draft)

    def _write(self) -> None:
        if not self._is_kept or self._changes == self._written:
            return
        number, drafts, changes = self._next(), self._drafts.kept, self._changes

        async def work(_parts: object) -> bool:
            return await asyncio.to_thread(self._file.write, number, drafts)

        def then(is_written: bool) -> None:
            self._written = changes
            if not is_written:
                self._drafts = Drafts()

        self._calls.ask("write", work, then)

    def _delete(self) -> None:
        number = self._next()

        async def work(_parts: object) -> None:
            await asyncio.to_thread(self._file.delete, number)

        self._calls.ask("write", work, lambda _: None)

    def _next(self) -> int:
        self._writes += 1
        return self._writes
