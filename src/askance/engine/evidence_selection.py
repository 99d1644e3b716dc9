"""Selecting: the best passages of the pages read enter the ledger, as many as the context carries."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Sequence

from askance.config.settings import EvidenceSettings
from askance.domain.events import PassagesSelected, WarningCode
from askance.domain.library import DocumentKind
from askance.domain.messages import Message
from askance.domain.web import host_of
from askance.engine.context_budget import ContextBudget
from askance.engine.evidence_set import EvidenceSet
from askance.engine.local_library import RememberedAnswer
from askance.engine.progress import RunState
from askance.engine.transcript import PromptedTurn
from askance.text.ranking.selection import Budget, FoundPage, PassageSelector

# Tokens of a source's own line in the evidence.
HEAD_TOKENS = 16
# Share of a snippet, which is cut anywhere, that tells whether its place on the page has entered.
KNOWN_SNIPPET = 0.5


class EvidenceSelection:
    """Remembers what entered in earlier rounds."""

    def __init__(
        self, question: str, settings: EvidenceSettings, ledger: EvidenceSet, progress: RunState
    ) -> None:
        self._settings = settings
        self._ledger = ledger
        self._progress = progress
        self.withheld = False
        """Whether the last selection left passages out because there was no time for them."""
        self.left = 0
        """Tokens that the round still has for passages which the last selection left out."""
        self._entered = 0
        self._selector = PassageSelector(question)

    def restore(self, turns: Iterable[PromptedTurn]) -> None:
        """Take note of what stands in the ledger from earlier turns: no copy of it enters."""
        for turn in turns:
            hosts = {source.n: source.host for source in turn.sources}
            for extract in turn.extracts:
                self._selector.remember(extract.text, hosts[extract.n])

    def holds(self, snippet: str) -> bool:
        """Say whether what a snippet shows has entered, perhaps from another page that says the same."""
        return self._selector.share_known(snippet) >= KNOWN_SNIPPET

    def enter(self, remembered: Sequence[RememberedAnswer], tokens: int) -> None:
        """Enter passages of the library as they stood in the evidence of an earlier answer."""
        records = [known.record for known in remembered]
        passages = [passage for known in remembered for passage in known.passages]
        self._ledger.add_passages(
            passages,
            {record.url: record.published or None for record in records},
            {record.url: record.origin for record in records},
            {record.url for record in records if record.kind is DocumentKind.SNIPPET},
        )
        for passage in passages:
            self._selector.remember(passage.text, host_of(passage.url))
        self._progress.emit(PassagesSelected(len(passages), len(records), tokens, 0, 0, 0))

    async def add(
        self,
        pages: Sequence[FoundPage],
        context_budget: ContextBudget,
        room: int,
        round_number: int,
        in_time: float = math.inf,
        *,
        max_tokens: float = math.inf,
        continue_round: bool = False,
    ) -> int:
        """Enter the best passages into the ledger and return how many.

        `room` is what the context still holds, `in_time` what the model can take in before its time
        is up, both in tokens. No more than a `max_tokens` enters at once; `continue_round` goes on with the round.
        Many pages take seconds, so a thread chooses, on a copy of what was seen: one that is given up
        has changed nothing.
        """
        settings = self._settings
        whole = settings.first_round_tokens if round_number <= 1 else settings.later_round_tokens
        if not continue_round:
            self.left, self._entered = whole, 0
        # A round that goes on beyond its share does so because time had kept it from the model.
        wanted = int(min(self.left or settings.later_round_tokens, max_tokens))
        fitting = min(wanted, room)
        count = settings.max_passages and max(1, settings.max_passages - self._entered)
        budget = Budget(int(min(fitting, in_time)), count, settings.max_passages_per_host)
        selector = self._selector.copy()
        selection = await asyncio.to_thread(
            selector.select,
            pages,
            budget,
            lambda text: context_budget.cost(text) + HEAD_TOKENS,
            more=continue_round,
        )
        self._selector = selector
        published = {f.page.url: f.page.published for f in pages}
        before = context_budget.cost(self._ledger.text)
        origins = {f.page.url: f.library_origin for f in pages if f.library_origin is not None}
        self._ledger.add_passages(selection.passages, published, origins)
        tokens = context_budget.cost(self._ledger.text) - before
        self._entered += len(selection.passages)
        is_full = settings.max_passages and self._entered >= settings.max_passages
        has_more = selection.dropped > 0 and not is_full
        self.withheld = in_time < fitting and has_more
        self.left = max(0, self.left - tokens) if has_more else 0
        if room < wanted and selection.dropped:
            self._progress.warn(
                WarningCode.EVIDENCE_DROPPED,
                Message("{n} passages did not fit into the model's context.", n=selection.dropped),
            )
        self._progress.emit(
            PassagesSelected(
                len(selection.passages),
                len({p.url for p in selection.passages}),
                tokens,
                selection.dropped,
                selection.copies,
                round_number,
            )
        )
        return len(selection.passages)
