"""Entering: what of a round stands in the evidence, as far as the context and the time allow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from askance.config.settings import EvidenceSettings
from askance.domain.events import WarningCode
from askance.domain.messages import Message
from askance.domain.web import SearchResult
from askance.engine.context_budget import ContextBudget
from askance.engine.evidence_selection import HEAD_TOKENS, EvidenceSelection
from askance.engine.evidence_set import EvidenceSet
from askance.engine.local_library import RememberedAnswer
from askance.engine.model_session import ModelSession
from askance.engine.progress import RunState
from askance.engine.search import SearchCandidate
from askance.engine.time_budget import TimeBudget
from askance.engine.transcript import PromptedTurn
from askance.text.ranking.selection import FoundPage
from askance.text.ranking.urls import page_key

# Evidence is measured with this context where no model tells its own.
CONTEXT_WITHOUT_MODEL = 8192
# The longest task text that stands behind the evidence, the question in it aside.
TASK_TOKENS = 200
# What is left of a round is no portion of its own below this.
SMALLEST_PORTION_TOKENS = 200
# Long snippets in a small context must not leave the passages without room.
SNIPPET_SHARE = 0.5


class EvidenceBuilder:
    """Enters passages and snippets into one ledger. `settings` may be set anew."""

    def __init__(
        self,
        question: str,
        settings: EvidenceSettings,
        ledger: EvidenceSet,
        progress: RunState,
        time_budget: TimeBudget,
    ) -> None:
        self.settings = settings
        self._question = question
        self._ledger = ledger
        self._progress = progress
        self._time_budget = time_budget
        self._selection = EvidenceSelection(question, settings, ledger, progress)
        self._listed: set[str] = set()

    @property
    def withheld(self) -> bool:
        """Whether the last selection left passages out because there was no time for them."""
        return self._selection.withheld

    @property
    def left(self) -> int:
        """Tokens that the round has for passages which were left out; 0 if they are too few to matter."""
        return self._selection.left if self._selection.left >= SMALLEST_PORTION_TOKENS else 0

    def restore(self, turns: Iterable[PromptedTurn]) -> None:
        """Take note of what stands in the ledger from earlier turns."""
        self._selection.restore(turns)

    def enter(self, remembered: Sequence[RememberedAnswer], calls: ModelSession | None) -> bool:
        """Enter what has answered the question before, all of it or nothing, and say which."""
        budget, room = self._room(calls)
        texts = [passage.text for known in remembered for passage in known.passages]
        tokens = sum(budget.cost(text) for text in texts) + HEAD_TOKENS * len(remembered)
        if tokens > room:
            return False
        self._selection.enter(remembered, tokens)
        return True

    async def select(
        self,
        pages: Sequence[FoundPage],
        round_number: int,
        calls: ModelSession | None,
        *,
        max_tokens: float = math.inf,
        continue_round: bool = False,
    ) -> int:
        """Enter the best passages of some pages, at most a portion, and return how many.

        `continue_round` says that the round has already brought some.
        """
        budget, room = self._room(calls)
        in_time = math.inf
        if calls is not None:
            first = round_number <= 1 and not continue_round
            settings = self.settings
            wanted = settings.first_round_tokens if first else settings.later_round_tokens
            fresh = calls.fresh_tokens(self._ledger.text, "")
            in_time = self._time_budget.evidence_tokens(
                fresh, int(min(wanted, max_tokens)), first=first
            )
        return await self._selection.add(
            pages,
            budget,
            room,
            round_number,
            in_time,
            max_tokens=max_tokens,
            continue_round=continue_round,
        )

    def list(self, offers: Sequence[SearchCandidate], calls: ModelSession | None) -> int:
        """Enter new snippets, as many as leave room for the passages, and return how many."""
        offers = [offer for offer in offers if offer.result.url not in self._listed]
        budget, room = self._room(calls)
        room = round(SNIPPET_SHARE * room)
        in_time = self._time_budget.snippet_tokens(room)
        retained: list[SearchResult] = []
        for offer in offers:
            cost = budget.cost(offer.result.title + offer.result.snippet) + HEAD_TOKENS
            room, in_time = room - cost, in_time - cost
            if in_time < 0 <= room:
                break
            if room < 0:
                self._progress.warn(
                    WarningCode.EVIDENCE_DROPPED,
                    Message(
                        "{n} snippets did not fit into the model's context.",
                        n=len(offers) - len(retained),
                    ),
                )
                break
            retained.append(offer.result)
        self._listed |= {result.url for result in retained}
        self._ledger.add_snippets(retained)
        return len(retained)

    def unread(self, offers: Sequence[SearchCandidate]) -> Sequence[SearchCandidate]:
        """The offers of which nothing stands in the evidence, nor what their snippets say."""
        known = {page_key(s.url) for s in self._ledger.sources if not s.is_private}
        return [
            offer
            for offer in offers
            if page_key(offer.result.url) not in known
            and not self._selection.holds(offer.result.snippet)
        ]

    def holds(self, text: str) -> bool:
        """Say whether most of a text has entered, perhaps from another page that says the same."""
        return self._selection.holds(text)

    def has_rest(self, offers: Sequence[SearchCandidate]) -> bool:
        """Whether the first round has more than its first portion."""
        return bool(self.left or self.unread(offers))

    def _room(self, calls: ModelSession | None) -> tuple[ContextBudget, int]:
        """What measures tokens, and how many the evidence may still fill before the task."""
        if calls is None:
            budget = ContextBudget(CONTEXT_WITHOUT_MODEL, 0)
            return budget, budget.room(())
        room = calls.budget.room(calls.messages(self._ledger.text, ""))
        task = TASK_TOKENS + calls.budget.cost(self._question)
        return calls.budget, max(0, room - task)
