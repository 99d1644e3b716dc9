"""The loop of search, reading and judging that gathers the evidence."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

from askance.domain.conversation import PageChoice
from askance.domain.events import GapFound, Judging, WarningCode
from askance.domain.evidence import RememberedAnswer
from askance.domain.messages import Message
from askance.domain.phases import Phase, Plan, Sufficiency, Verdict
from askance.domain.ports.web import PageReader, WebSearch
from askance.domain.web_pages import Page
from askance.engine.context import RunContext
from askance.engine.evidence_set import EvidenceSet
from askance.engine.judge import Judge, choose_pages
from askance.engine.model_session import ModelSession
from askance.engine.page_reads import PageReads
from askance.engine.queries import (
    compared,
    hint_query,
    holds,
    initial_queries,
    is_foreign,
    resolved,
    wanted_names,
    wordings,
)
from askance.engine.search import SearchCandidate, SearchRun
from askance.text.message_parts import asked_in_story
from askance.text.ranking.scoring import FoundPage
from askance.text.ranking.urls import canonical

# Readable pages after which a round goes on; later ones join the next round.
ENOUGH_PAGES = 3
PAGES_A_ROUND = 4
# So long the first page is waited for before the snippets are judged in its place: their verdict
# takes about as long.
PAGES_SOON_S = 3.0


class Research:
    """Gathers evidence for one question. `evidence`, `search_run` and `rounds` tell what came of it.

    `judge` is there once the model can be asked; without it all that is found enters unjudged.
    """

    def __init__(
        self, run: RunContext, search: WebSearch, reader: PageReader, group: asyncio.TaskGroup
    ) -> None:
        self._run = run
        self._group = group
        # A question about a text goes on from nothing.
        self._resolved = "" if run.about else resolved(run.question, run.turns, run.private.allows)
        self._parts = run.message
        # Names that somebody mentions in telling say nothing each by itself.
        self._asked = asked_in_story(run.question) if run.message.is_long else run.question
        self._published = 0
        self.evidence = EvidenceSet(run)
        self.search_run = SearchRun(
            search,
            run.request.size,
            run.progress,
            run.private,
            run.request.scope,
            run.question,
        )
        self._reading = PageReads(reader, group, run.settings.reader, run.progress)
        self.judge: Judge | None = None
        self.rounds = 1
        self.verdict: Verdict | None = None
        self._first: asyncio.Task[None] | None = None
        self._planned: asyncio.Task[int] | None = None
        self._snippet_gaps: tuple[str, ...] = ()
        self._is_foreign = is_foreign(run.question)
        self._elsewhere = ""

    @property
    def _page_choice(self) -> PageChoice | None:
        """How the model chooses pages; None where their rank decides."""
        return self._run.request.page_choice if self._run.calls else None

    def judged_by(self, calls: ModelSession, *, asks_model: bool) -> Judge:
        """Have the model judge the evidence, and begin with that of earlier turns, which it has in its prompts."""
        self.judge = Judge(self._run, calls, asks_model=asks_model)
        self.evidence.restore(calls.prompted)
        self._publish()
        return self.judge

    def look_ahead(self) -> None:
        """Search the question as it stands, and begin to read, while the plan is being made."""
        if self._first is None:
            self._first = self._group.create_task(self._search_first())

    async def enter(self, pages: Sequence[FoundPage], *, is_first: bool = True) -> int:
        """Enter the best passages of documents that are at hand, and return how many.

        The first batch is small; the rest is added only if code finds no plain answer in it. Both are of round 0.
        """
        evidence, judge = self.evidence, self.judge
        self._run.time_budget.begin_round()
        run = self._run
        later = run.settings.evidence.later_round_tokens
        most = run.first_portion_tokens if is_first else later
        max_tokens = (most if judge else 0) or math.inf
        added = await evidence.select(pages, 0, max_tokens=max_tokens)
        left = evidence.left if is_first and max_tokens < math.inf else 0
        if judge and left and not await judge.could_answer(evidence):
            added += await evidence.select(pages, 0, max_tokens=left, continue_round=True)
        self._publish()
        return added

    async def enter_unjudged(
        self, remembered: Sequence[RememberedAnswer], pages: Sequence[FoundPage]
    ) -> bool:
        """Enter all that is at hand, where nothing else can be had, and return whether it is anything."""
        if remembered:
            self.evidence.add_remembered(remembered, for_model=False)
            self._publish()
        if pages:
            self._run.time_budget.begin_round()
            await self.evidence.select(pages, 0, for_model=False)
            self._publish()
        return bool(self.evidence.entered)

    def enter_remembered(self, remembered: Sequence[RememberedAnswer]) -> bool:
        """Enter what has answered the question before; False where not all of it fits into the context."""
        fits = self.evidence.add_remembered(remembered)
        self._publish()
        return fits

    @property
    def pages(self) -> list[Page]:
        """The pages that were read."""
        return self._reading.pages

    def stop(self) -> None:
        """Give up whatever is still under way."""
        self.search_run.stop()
        # They are the group's: not cancelled, the run would wait for their replies.
        for task in (self._first, self._planned):
            if task is not None:
                task.cancel()
        self._reading.stop()

    async def salvage(self) -> None:
        """Enter what came before the time was up and no round has entered: it is there to be used."""
        # Pages before snippets: what was read says more than what the search showed of it.
        if self._reading.waiting:
            await self._select()
        if not self.evidence.entered and self.search_run.offers:
            self.evidence.list(self.search_run.ranked(self._wanted(), self.rounds))

    async def enter_unread(self) -> bool:
        """Enter what was found for the user to read, where none of it fits the model; False if nothing was."""
        if not (self._reading.pages or self.search_run.offers):
            return False
        if not await self._select(for_model=False):
            best = self.search_run.ranked(self._wanted(), self.rounds)
            self.evidence.list(best, for_model=False)
        return bool(self.evidence.extracts)

    async def investigate(self, plan: Plan) -> None:
        """Run the rounds until the evidence suffices or a limit is reached.

        Raises:
            ServiceError: every search failed, or engines were silent and no other found anything.
        """
        await self._pursue(await self._first_round(plan))

    async def go_on(self, judge: Judge) -> None:
        """Search for what the writer has not found in evidence that was held to be enough."""
        self._run.progress.move(Phase.JUDGING_PASSAGES)
        await self._pursue(await judge.judge_again(self.evidence, self.rounds))

    async def _pursue(self, verdict: Verdict | None) -> None:
        """Run rounds for what a verdict misses, until one is satisfied or a limit is reached."""
        progress = self._run.progress
        self.verdict = verdict
        while self.judge and verdict:
            if not (queries := await self._gaps(verdict, self.rounds)):
                # Pages that came while the judge thought may have what no search is left for.
                if verdict.sufficiency is Sufficiency.SUFFICIENT or not self._reading.waiting:
                    break
                progress.move(Phase.SELECTING)
                await self._select()
                self.verdict = verdict = await self._verdict(self.judge)
                continue
            self.rounds = round_number = self.rounds + 1
            self._run.time_budget.begin_round()
            progress.emit(GapFound(tuple(queries), round_number))
            progress.move(Phase.SEARCHING)
            await self.search_run.ask(queries, round_number)
            progress.move(Phase.RANKING)
            best = self.search_run.ranked_in_turn(queries, round_number)
            unread = self._reading.unread(best)
            # The same number twice: so many are read, and so many stand by for those that fail.
            most = PAGES_A_ROUND
            self._read(await self._chosen(unread, round_number), most, most, round_number)
            self.verdict = verdict = await self._read_and_judge(round_number, unread)
        self._reading.warn_if_poor()

    def _wanted(self, *queries: str) -> list[str]:
        """Return what results are ranked for: the question, what it goes on from, and some queries."""
        return [w for w in (self._run.question, self._resolved, *queries) if w]

    async def _search_first(self) -> None:
        await self.search_run.ask(initial_queries(self._parts, self._resolved), 1)
        best = self.search_run.ranked(self._wanted(), 1)
        # A page that the model is to choose is not read before it has. Where the plan may say how to ask
        # in the language of most pages, half are left to it.
        if not self._run.request.page_choice:
            pages = PAGES_A_ROUND
            self._request(best, (pages + 1) // 2 if self._is_foreign else pages, 1)

    async def _first_round(self, plan: Plan) -> Verdict | None:
        judge = self.judge
        self._run.time_budget.begin_round()
        self._run.progress.move(Phase.SEARCHING)
        most = self._run.request.size.queries
        queries, self._elsewhere = wordings(self._parts, plan.queries, most, self._resolved)
        # Beside the question's own search: what the plan adds is waited for only where it is ranked.
        self._planned = planned = self._group.create_task(self.search_run.ask(queries, 1))
        if self._first is not None:
            await self._first
        else:
            await self.search_run.ask(initial_queries(self._parts, self._resolved), 1)
        if self._elsewhere or not self.search_run.offers:
            await planned
        self.search_run.refuse_if_unheard()
        self._run.progress.move(Phase.RANKING)
        best = self.search_run.ranked(self._wanted(self._elsewhere), 1, first=self._elsewhere)
        if not best:
            return None
        pages = PAGES_A_ROUND
        # The other half: the plan has said by now how to ask elsewhere, and its results are ranked with the rest.
        if self._is_foreign and not self._page_choice:
            self._request(best, pages, 1)
        if judge and await self._are_snippets_judged():
            self.evidence.list(best)
            self._run.progress.move(Phase.JUDGING_SNIPPETS)
            verdict = await judge.judge(self.evidence, Judging.SNIPPETS, 1)
            if verdict and verdict.sufficiency is Sufficiency.SUFFICIENT:
                # Nothing more is read; what was read ahead is there, and better than snippets.
                await self.salvage()
                return verdict
            self._snippet_gaps = verdict.gap_queries if verdict else ()
        # Pages of the plan's queries count in the ranking even where those of the question are being read.
        await planned
        best = self.search_run.ranked(self._wanted(*plan.queries), 1)
        self._request(await self._chosen(best, 1), pages, 1)
        return await self._read_and_judge(1, best)

    async def _are_snippets_judged(self) -> bool:
        """Whether the snippets have their say: reading is slow, or forbidden."""
        if not self._run.time_budget.is_worth_judging_snippets():
            return False
        if self._page_choice is not None:  # nothing is being read that could be waited for
            return False
        # Pages that come soon say all that snippets do: 450 tokens of them would be evaluated for
        # nothing.
        return not await self._reading.is_soon(PAGES_SOON_S)

    async def _read_and_judge(
        self, round_number: int, offers: Sequence[SearchCandidate]
    ) -> Verdict | None:
        judge = self.judge
        self._run.progress.move(Phase.READING)
        await self._reading.until_enough(ENOUGH_PAGES)
        self._run.time_budget.end_reading()
        self._run.progress.move(Phase.SELECTING)
        max_tokens = self._run.first_portion_tokens
        # Without a judge nothing decides between the portions: all enters at once.
        is_first = judge is not None and round_number == 1 and max_tokens > 0
        added = await self._select(max_tokens=max_tokens if is_first else math.inf)
        # Where no page could be read, what the search engine says of them is better than nothing.
        if not added or (round_number == 1 and not is_first):
            added += self.evidence.list(self.evidence.unread(offers))
        if judge is None:
            return None
        # What a round of searching did not bring, another one hardly will.
        if not added and round_number > 1:
            self._run.progress.warn(
                WarningCode.NO_PROGRESS,
                Message("Searching further found nothing new, so it ended early."),
            )
            return None
        verdict = await self._judged(judge, offers if is_first else ())
        return await self._judged_again(judge, verdict)

    async def _judged(self, judge: Judge, rest: Sequence[SearchCandidate]) -> Verdict | None:
        """Judge what the round has brought; where that is a first portion, not without the rest.

        A verdict on it is asked for only where code finds the answer plain in it, and believed if it
        is "sufficient". Otherwise the rest enters unasked: each verdict is a chance to stop too soon.
        """
        verdict, evidence = None, self.evidence
        has_rest = rest and (evidence.left or evidence.unread(rest))
        if has_rest and self._has_time_for_round():
            if await judge.could_answer(self.evidence):
                verdict = await self._verdict(judge)
                if verdict and verdict.sufficiency is Sufficiency.SUFFICIENT:
                    return verdict
                self._run.progress.move(Phase.SELECTING)
            if not await self._add_rest(rest) and verdict:
                self._run.progress.move(Phase.JUDGING_PASSAGES)
                return verdict
        return await self._verdict(judge)

    async def _judged_again(self, judge: Judge, verdict: Verdict | None) -> Verdict | None:
        while verdict and verdict.sufficiency is not Sufficiency.SUFFICIENT:
            # On a slow machine a round brings little at a time: there is more where that came from.
            if not self.evidence.withheld or not self._has_time_for_round():
                break
            self._run.progress.move(Phase.SELECTING)
            if not await self._select(continue_round=True):
                self._run.progress.move(Phase.JUDGING_PASSAGES)
                break
            verdict = await self._verdict(judge)
        return verdict

    async def _verdict(self, judge: Judge) -> Verdict | None:
        self._run.progress.move(Phase.JUDGING_PASSAGES)
        return await judge.judge(self.evidence, Judging.PASSAGES, self.rounds)

    async def _chosen(
        self, offers: Sequence[SearchCandidate], round_number: int
    ) -> Sequence[SearchCandidate]:
        """The offers to read: all by their rank, or those that the model finds promising."""
        choice = self._page_choice
        if choice is None:
            return offers
        return await choose_pages(self._run, choice, offers, self.evidence, round_number)

    async def _add_rest(self, offers: Sequence[SearchCandidate]) -> int:
        """Enter the rest of the first round, and what is known of the pages that were not read."""
        added = 0
        if left := self.evidence.left:
            added = await self._select(max_tokens=left, continue_round=True)
        return added + self.evidence.list(self.evidence.unread(offers))

    async def _select(
        self,
        *,
        max_tokens: float = math.inf,
        continue_round: bool = False,
        for_model: bool = True,
    ) -> int:
        """Enter the best passages of what was read, and return how many."""
        pages = self._reading.take_pages()
        return await self.evidence.select(
            pages,
            self.rounds,
            max_tokens=max_tokens,
            continue_round=continue_round,
            for_model=for_model,
        )

    def _has_time_for_round(self) -> bool:
        return self._run.time_budget.has_time_for_round(
            self._run.settings.evidence.later_round_tokens
        )

    def _request(self, best: Sequence[SearchCandidate], most: int, round_number: int) -> None:
        """Read the best pages that were not read yet, so that `most` are open or new."""
        unread = self._reading.unread(best)
        self._read(unread, max(0, most - self._reading.promising), most, round_number)

    def _read(
        self, unread: Sequence[SearchCandidate], now: int, most: int, round_number: int
    ) -> None:
        """Read so many pages now, and the next best in place of those that fail."""
        first, spare = unread[:now], unread[now : now + most]
        self._reading.request(first, round_number, spare=spare, enough=most)

    async def _gaps(self, verdict: Verdict, round_number: int) -> list[str]:
        """The queries of the next round; none where the run should answer now."""
        if verdict.sufficiency is Sufficiency.SUFFICIENT:
            return []
        if not self._run.time_budget.allows_round(
            round_number + 1, self._run.settings.evidence.later_round_tokens
        ):
            return []
        self._publish()
        await asyncio.to_thread(self._run.private.prepare)
        # A verdict without queries still says that something is missing: what the question names is
        # asked.
        gaps = [*verdict.gap_queries, *self._snippet_gaps] or wanted_names(
            self._elsewhere or self._asked
        )
        wanted = [*gaps, *self._sides_without_page()]
        queries = (
            self.search_run.promising(wanted)
            or self.search_run.unexplored(wanted, self._reading.is_requested)
            # In later rounds the old question in other words found nothing in 10 of 11 cases
            # (decision 4).
            or (self.search_run.promising(wanted, reworded=True) if round_number == 1 else [])
        )
        if self._run.request.hints and len(queries) < self._run.request.size.queries:
            queries += await self._hints(queries)
        if not queries and not self._reading.waiting:
            self._run.progress.warn(
                WarningCode.NO_PROGRESS,
                Message("There was nothing left to search for, so it ended early."),
            )
        return queries

    async def _hints(self, queries: Sequence[str]) -> list[str]:
        """One more query, from what the pages of the web call their parts; none if they say nothing new."""
        # A heading of a private document would go out word by word.
        private = {canonical(source.url) for source in self.evidence.sources if source.is_private}
        pages = [page for page in self.pages if canonical(page.url) not in private]
        asked = [*self.search_run.asked, *queries]
        hint = await asyncio.to_thread(hint_query, self._run.question, pages, asked)
        return self.search_run.promising([hint]) if hint else []

    def _sides_without_page(self) -> list[str]:
        """What the question compares, and nothing was read about."""
        titles = [source.title for source in self.evidence.sources if not source.snippet_only]
        return [s for s in compared(self._asked) if not any(holds(t, s) for t in titles)]

    async def public_words(self, answer: str) -> tuple[str, ...]:
        """Return the words of an answer that what was searched or found has, too."""
        if not self.search_run.asked:
            return ()
        self._publish()
        return await asyncio.to_thread(self._run.private.public_words, answer)

    def _publish(self) -> None:
        """Let queries be made of what the judge read of the web, and not of what it read of the user's own."""
        sources = {source.n: source for source in self.evidence.sources}
        # Only what is new since: the words of each text are read once.
        new = [(e.text, sources[e.n]) for e in self.evidence.extracts[self._published :]]
        self._published = len(self.evidence.extracts)
        for text, source in (*new, *((f"{s.title} {s.host}", s) for s in sources.values())):
            if source.is_private:
                self._run.private.hold(text)
            else:
                self._run.private.publish(text)
