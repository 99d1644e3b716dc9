"""Selecting: the best passages of the pages read enter the ledger, as many as the context carries."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

from askance.config.settings import EvidenceSettings
from askance.domain.events import PassagesSelected, WarningCode
from askance.domain.messages import Message
from askance.engine.budget import Governor
from askance.engine.ledger import Ledger
from askance.engine.progress import Progress
from askance.ranking.selection import Budget, Found, Selector

# Tokens of a source's own line in the evidence.
HEAD_TOKENS = 16


class Selecting:
    """Remembers what entered in earlier rounds."""

    def __init__(
        self, question: str, settings: EvidenceSettings, ledger: Ledger, progress: Progress
    ) -> None:
        self._settings = settings
        self._ledger = ledger
        self._progress = progress
        self.withheld = False
        """Whether the last selection left passages out because there was no time for them."""
        self._selector = Selector(question)

    async def add(
        self,
        pages: Sequence[Found],
        governor: Governor,
        room: int,
        round_number: int,
        in_time: float = math.inf,
    ) -> int:
        """Enter the best passages into the ledger and return how many.

        `room` is what the context still holds, `in_time` what the model can take in before its time
        is up, both in tokens. Many pages take seconds, so a thread
        chooses, on a copy of what was seen: one that is given up has changed nothing.
        """
        settings = self._settings
        wanted = settings.first_round_tokens if round_number == 1 else settings.later_round_tokens
        fitting = min(wanted, room)
        budget = Budget(
            int(min(fitting, in_time)), settings.max_passages, settings.max_passages_per_host
        )
        selector = self._selector.copy()
        selection = await asyncio.to_thread(
            selector.select, pages, budget, lambda text: governor.cost(text) + HEAD_TOKENS
        )
        self._selector = selector
        self.withheld = in_time < fitting and selection.dropped > 0
        published = {f.page.url: f.page.published for f in pages}
        before = governor.cost(self._ledger.text)
        self._ledger.add_passages(selection.passages, published)
        if room < wanted and selection.dropped:
            self._progress.warn(
                WarningCode.EVIDENCE_DROPPED,
                Message("{n} passages did not fit into the model's context.", n=selection.dropped),
            )
        self._progress.emit(
            PassagesSelected(
                len(selection.passages),
                len({p.url for p in selection.passages}),
                governor.cost(self._ledger.text) - before,
                selection.dropped,
                selection.copies,
                round_number,
            )
        )
        return len(selection.passages)
