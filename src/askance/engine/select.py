"""Selecting: the best passages of the pages read enter the ledger, as many as the context carries."""

from __future__ import annotations

from collections.abc import Sequence

from askance.config.settings import EvidenceSettings
from askance.domain.events import PassagesSelected, WarningCode
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
        self._selector = Selector(
            question, max_words=settings.passage_words, near_copy=settings.near_copy
        )

    def is_known(self, text: str) -> bool:
        """Say whether a text says nothing that the evidence does not say in the same words."""
        return self._selector.is_known(text)

    def add(self, pages: Sequence[Found], governor: Governor, room: int, round_number: int) -> int:
        """Enter the best passages into the ledger and return how many.

        `room` is what the context still holds, in tokens.
        """
        settings = self._settings
        wanted = settings.first_tokens if round_number == 1 else settings.later_tokens
        budget = Budget(min(wanted, room), settings.passages, settings.per_page, settings.per_host)
        selection = self._selector.select(
            pages, budget, lambda text: governor.cost(text) + HEAD_TOKENS
        )
        published = {f.page.url: f.page.published for f in pages}
        before = governor.cost(self._ledger.text)
        self._ledger.add_passages(selection.passages, published)
        if room < wanted and selection.dropped:
            self._progress.warn(
                WarningCode.EVIDENCE_DROPPED,
                f"{selection.dropped} passages did not fit into the model's context.",
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
