"""Entering: what of a round stands in the evidence, as far as the context and the time allow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from askance.config.settings import EvidenceSettings
from askance.domain.events import WarningCode
from askance.domain.messages import Message
from askance.domain.web import SearchResult
from askance.engine.budget import Governor
from askance.engine.calls import Calls
from askance.engine.ledger import Ledger
from askance.engine.local_library import Remembered
from askance.engine.progress import Progress
from askance.engine.schedule import Schedule
from askance.engine.search import Offer
from askance.engine.selecting import HEAD_TOKENS, Selecting
from askance.engine.transcript import PromptedTurn
from askance.ranking.selection import Found
from askance.ranking.urls import page_key

# Evidence is measured with this context where no model tells its own.
CONTEXT_WITHOUT_MODEL = 8192
# The longest task text that stands behind the evidence, the question in it aside.
TASK_TOKENS = 200
# What is left of a round is no portion of its own below this.
SMALLEST_PORTION_TOKENS = 200
# Long snippets in a small context must not leave the passages without room.
SNIPPET_SHARE = 0.5


class Entering:
    """Enters passages and snippets into one ledger. `settings` may be set anew."""

    def __init__(
        self,
        question: str,
        settings: EvidenceSettings,
        ledger: Ledger,
        progress: Progress,
        schedule: Schedule,
    ) -> None:
        self.settings = settings
        self._question = question
        self._ledger = ledger
        self._progress = progress
        self._schedule = schedule
        self._selecting = Selecting(question, settings, ledger, progress)
        self._listed: set[str] = set()

    @property
    def withheld(self) -> bool:
        """Whether the last selection left passages out because there was no time for them."""
        return self._selecting.withheld

    @property
    def left(self) -> int:
        """Tokens that the round has for passages which were left out; 0 if they are too few to matter."""
        return self._selecting.left if self._selecting.left >= SMALLEST_PORTION_TOKENS else 0

    def keep(self, turns: Iterable[PromptedTurn]) -> None:
        """Take note of what stands in the ledger from earlier turns."""
        self._selecting.keep(turns)

    def enter(self, remembered: Sequence[Remembered], calls: Calls | None) -> bool:
        """Enter what has answered the question before, all of it or nothing, and say which."""
        governor, room = self._room(calls)
        texts = [passage.text for known in remembered for passage in known.passages]
        tokens = sum(governor.cost(text) for text in texts) + HEAD_TOKENS * len(remembered)
        if tokens > room:
            return False
        self._selecting.enter(remembered, tokens)
        return True

    async def select(
        self,
        pages: Sequence[Found],
        round_number: int,
        calls: Calls | None,
        *,
        portion: float = math.inf,
        more: bool = False,
    ) -> int:
        """Enter the best passages of some pages, at most a portion, and return how many.

        `more` says that the round has already brought some.
        """
        governor, room = self._room(calls)
        in_time = math.inf
        if calls is not None:
            first = round_number <= 1 and not more
            settings = self.settings
            wanted = settings.first_round_tokens if first else settings.later_round_tokens
            fresh = calls.fresh_tokens(self._ledger.text, "")
            in_time = self._schedule.evidence_tokens(fresh, int(min(wanted, portion)), first=first)
        return await self._selecting.add(
            pages, governor, room, round_number, in_time, portion=portion, more=more
        )

    def list(self, offers: Sequence[Offer], calls: Calls | None) -> int:
        """Enter new snippets, as many as leave room for the passages, and return how many."""
        offers = [offer for offer in offers if offer.result.url not in self._listed]
        governor, room = self._room(calls)
        room = round(SNIPPET_SHARE * room)
        in_time = self._schedule.snippet_tokens(room)
        kept: list[SearchResult] = []
        for offer in offers:
            cost = governor.cost(offer.result.title + offer.result.snippet) + HEAD_TOKENS
            room, in_time = room - cost, in_time - cost
            if in_time < 0 <= room:
                break
            if room < 0:
                self._progress.warn(
                    WarningCode.EVIDENCE_DROPPED,
                    Message(
                        "{n} snippets did not fit into the model's context.",
                        n=len(offers) - len(kept),
                    ),
                )
                break
            kept.append(offer.result)
        self._listed |= {result.url for result in kept}
        self._ledger.add_snippets(kept)
        return len(kept)

    def unread(self, offers: Sequence[Offer]) -> Sequence[Offer]:
        """The offers of which nothing stands in the evidence, nor what their snippets say."""
        known = {page_key(s.url) for s in self._ledger.sources if not s.is_private}
        return [
            offer
            for offer in offers
            if page_key(offer.result.url) not in known
            and not self._selecting.holds(offer.result.snippet)
        ]

    def holds(self, text: str) -> bool:
        """Say whether most of a text has entered, perhaps from another page that says the same."""
        return self._selecting.holds(text)

    def has_rest(self, offers: Sequence[Offer]) -> bool:
        """Whether the first round has more than its first portion."""
        return bool(self.left or self.unread(offers))

    def _room(self, calls: Calls | None) -> tuple[Governor, int]:
        """What measures tokens, and how many the evidence may still fill before the task."""
        if calls is None:
            governor = Governor(CONTEXT_WITHOUT_MODEL, 0)
            return governor, governor.room(())
        room = calls.governor.room(calls.messages(self._ledger.text, ""))
        task = TASK_TOKENS + calls.governor.cost(self._question)
        return calls.governor, max(0, room - task)
