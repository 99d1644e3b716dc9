"""The loop of search, reading and judging that gathers the evidence."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence

from askance.config.settings import Settings
from askance.domain.events import GapFound, Judging, WarningCode
from askance.domain.phases import Phase
from askance.domain.verdict import Plan, Sufficiency, Verdict
from askance.engine.budget import Governor
from askance.engine.calls import Calls
from askance.engine.judge import Judge
from askance.engine.ledger import Ledger
from askance.engine.names import is_nameable, named
from askance.engine.progress import Progress
from askance.engine.prompts import Prompts
from askance.engine.read import Reading
from askance.engine.search import Offer, Searching
from askance.engine.select import Selecting
from askance.ports.reader import PageReader
from askance.ports.search import WebSearch

# Evidence is measured with this context where no model tells its own.
CONTEXT_WITHOUT_MODEL = 8192
NONCE_BYTES = 4


class Research:
    """Gathers evidence for one question. `ledger` and `searching` hold what came of it."""

    def __init__(
        self,
        question: str,
        search: WebSearch,
        reader: PageReader,
        settings: Settings,
        progress: Progress,
        group: asyncio.TaskGroup,
    ) -> None:
        self._question = question
        self._settings = settings
        self._progress = progress
        self._group = group
        self.ledger = Ledger(secrets.token_hex(NONCE_BYTES))
        self.searching = Searching(search, settings.search, settings.ranking, progress)
        self._reading = Reading(reader, group, settings.reader, progress)
        self._selecting = Selecting(question, settings.evidence, self.ledger, progress)
        self._first: asyncio.Task[None] | None = None

    def look_ahead(self) -> None:
        """Search the question as it stands, and begin to read, while the plan is being made."""
        self._first = self._group.create_task(self._search_first())

    def stop(self) -> None:
        """Give up whatever is still under way."""
        if self._first is not None:
            self._first.cancel()
        self._reading.stop()

    async def investigate(self, plan: Plan, calls: Calls | None, prompts: Prompts) -> None:
        """Run the rounds until the evidence suffices or a limit is reached.

        Raises:
            ServiceError: every search failed.
        """
        judge = Judge(calls, prompts, self._progress, self._question) if calls else None
        verdict = await self._first_round(plan, judge, calls)
        round_number = 1
        while judge and verdict and (queries := self._gaps(verdict, round_number)):
            round_number += 1
            self._progress.emit(GapFound(tuple(queries), round_number))
            self._progress.move(Phase.SEARCHING)
            await self.searching.ask(queries, round_number)
            self._progress.move(Phase.RANKING)
            best = self.searching.ranked_in_turn(queries, round_number)
            self._request(best, self._settings.limits.later_pages_per_round, round_number)
            verdict = await self._read_and_judge(judge, calls, round_number)
        self.rounds = round_number
        self._reading.warn_if_poor()

    rounds = 1

    async def _search_first(self) -> None:
        await self.searching.ask(self._opening_queries(), 1)
        best = self.searching.ranked([self._question], 1)
        self._request(best, self._settings.limits.pages_per_round - 1, 1)

    def _opening_queries(self) -> list[str]:
        """The question, and what it names: searched beside it, names cost no time."""
        names = [name for name in named(self._question) if is_nameable(name)]
        return [self._question, " ".join(names)] if names else [self._question]

    async def _first_round(
        self, plan: Plan, judge: Judge | None, calls: Calls | None
    ) -> Verdict | None:
        self._progress.move(Phase.SEARCHING)
        planned = self._group.create_task(self.searching.ask(plan.queries, 1))
        if self._first is not None:
            await self._first
        if not self.searching.offers:
            await planned
        self._refuse_if_search_is_down()
        self._progress.move(Phase.RANKING)
        best = self.searching.ranked([self._question], 1)
        self.searching.warn_if_silent()
        if not best:
            return None
        self._list(best)
        if judge:
            self._progress.move(Phase.JUDGING_SNIPPETS)
            verdict = await judge.judge(self.ledger, Judging.SNIPPETS, 1)
            if verdict and verdict.sufficiency is Sufficiency.SUFFICIENT:
                return verdict
        await planned
        best = self.searching.ranked([self._question, *plan.queries], 1)
        self._request(best, self._settings.limits.pages_per_round, 1)
        return await self._read_and_judge(judge, calls, 1)

    async def _read_and_judge(
        self, judge: Judge | None, calls: Calls | None, round_number: int
    ) -> Verdict | None:
        self._progress.move(Phase.READING)
        await self._reading.until_enough(self._settings.limits.enough_pages)
        self._progress.move(Phase.SELECTING)
        governor = calls.governor if calls else Governor(CONTEXT_WITHOUT_MODEL, 0)
        messages = calls.messages(self.ledger.text, "") if calls else ()
        room = governor.room(messages)
        added = self._selecting.add(self._reading.take(), governor, room, round_number)
        if judge is None:
            return None
        if not added and round_number > 1:
            self._progress.warn(
                WarningCode.NO_PROGRESS,
                "Further searching brought nothing new; it was ended early.",
            )
            return None
        self._progress.move(Phase.JUDGING_PASSAGES)
        return await judge.judge(self.ledger, Judging.PASSAGES, round_number)

    def _request(self, best: Sequence[Offer], most: int, round_number: int) -> None:
        """Read the best pages that were not read yet, so that `most` are open or new."""
        room = max(0, most - self._reading.promising)
        self._reading.request(self._reading.unread(best)[:room], round_number)

    def _list(self, offers: Sequence[Offer]) -> None:
        self.ledger.add_snippets([offer.result for offer in offers])

    def _gaps(self, verdict: Verdict, round_number: int) -> list[str]:
        """The queries of the next round; none where the run should answer now."""
        if verdict.sufficiency is Sufficiency.SUFFICIENT:
            return []
        limits, progress = self._settings.limits, self._progress
        if round_number >= limits.rounds:
            progress.warn(
                WarningCode.ROUND_LIMIT,
                f"After {round_number} rounds the evidence may still be incomplete.",
            )
            return []
        if progress.tokens >= limits.model_tokens:
            progress.warn(
                WarningCode.TOKEN_LIMIT,
                f"The limit of {limits.model_tokens} model tokens was reached.",
            )
            return []
        queries = self.searching.unasked([*verdict.gap_queries, *named(self._question)])
        if not queries:
            progress.warn(
                WarningCode.NO_PROGRESS, "There was nothing left to search for; it was ended early."
            )
        return queries

    def _refuse_if_search_is_down(self) -> None:
        if self.searching.errors and not self.searching.offers:
            raise self.searching.errors[0]
