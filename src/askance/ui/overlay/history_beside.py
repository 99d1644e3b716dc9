"""Past conversations in the first column of a wide window: the rows of the popover, the open one among them lit."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from PySide6.QtCore import QObject

from askance.domain.errors import AskanceError
from askance.ui.bridge import Bridge, PendingCalls
from askance.ui.design.composing import single_shot_timer
from askance.ui.design.focus import wants_ring
from askance.ui.overlay.conversation.exchange import ExchangeView
from askance.ui.overlay.conversation.session import Session
from askance.ui.overlay.deletions import Deletions
from askance.ui.overlay.history_popover import HistoryList, HistoryRow, stored_rows
from askance.ui.overlay.overlay import Overlay

# Older ones are found by a search: the column is for what one goes back to.
MOST = 200
# What is stored changes several times in a row, as when a conversation is left for another one.
_REST_MS = 150


class HistoryBeside(QObject):
    """Keeps the list in step with what is stored, while it is seen."""

    def __init__(
        self,
        overlay: Overlay,
        bridge: Bridge,
        session: Session,
        deletions: Deletions,
        past: HistoryList,
    ) -> None:
        super().__init__(overlay)
        self._session, self._calls = session, PendingCalls(bridge, self)
        self._found: list[HistoryRow] = []
        self.list = past
        wants_ring(self.list)
        overlay.columns.questions.show_history(self.list)
        self._rest = single_shot_timer(self, self._refresh, _REST_MS)
        session.titled.connect(self.refresh_soon)
        session.left_changed.connect(self.refresh_soon)
        session.changed.connect(self._note_end)
        deletions.changed.connect(self._show)
        deletions.deleted.connect(self.refresh_soon)
        overlay.summoned.connect(self.refresh_soon)

    def refresh_soon(self) -> None:
        """Look what is stored, once nothing more changes."""
        self._rest.start()

    def _note_end(self, _index: int, view: ExchangeView) -> None:
        # It is stored then, and comes to the top.
        if view.ended:
            self.refresh_soon()

    def _refresh(self) -> None:
        if not self.list.isVisible():
            return
        today = datetime.now().astimezone().date()

        async def work(parts: Any) -> list[HistoryRow] | str:
            return await stored_rows(parts, today, most=MOST)

        self._calls.ask("list", work, self._take)

    def _take(self, found: list[HistoryRow] | str | AskanceError) -> None:
        # Why there is none the popover says, which is asked for; here it would be in the way.
        self._found = found if isinstance(found, list) else []
        self._show()

    def _show(self) -> None:
        self.list.show_found(self._found)
        numbers = [row.number for row in self.list.rows.shown]
        here = self._session.conversation
        # A list without the focus shows which one is open; one with it, where the arrow keys are.
        if not self.list.hasFocus():
            row = numbers.index(here) if here is not None and here in numbers else -1
            self.list.choose(row)
