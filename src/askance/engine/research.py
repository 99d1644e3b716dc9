"""The loop of search, reading and judging that gathers the evidence, and the pages that are read for it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence

from askance.domain.conversation import PageChoice
from askance.domain.events import GapFound, Judging, WarningCode, ignore
from askance.domain.evidence import RememberedAnswer
from askance.domain.messages import Message
from askance.domain.phases import Phase, Plan, Sufficiency, Verdict
from askance.domain.ports.model import Defaults
from askance.domain.ports.web import PageReader, WebSearch
from askance.domain.web_pages import Page
from askance.engine.context import FIRST_STEP_TOKENS, RunContext
from askance.engine.evidence_set import EvidenceSet
from askance.engine.judge import PLAN_SCHEMA, Judge, choose_pages, has_more, is_enough
from askance.engine.model_session import ModelSession
from askance.engine.page_reads import PageReads
from askance.engine.queries import (
    asked_of,
    compared,
    hint_query,
    holds,
    initial_queries,
    is_date,
    is_foreign,
    resolved,
    wanted_names,
    wordings,
)
from askance.engine.search import SearchCandidate, SearchRun
from askance.text.languages.recognition import recognise
from askance.text.message_parts import asked_in_story
from askance.text.ranking.scoring import FoundPage
from askance.text.ranking.urls import canonical, page_key

# Readable pages after which a round goes on; later ones join the next round.
ENOUGH_PAGES = 3
PAGES_A_ROUND = 4
# A later round is for one thing, and what comes late is entered before the run gives up.
ENOUGH_LATER_PAGES = 2
# So long the first page is waited for before the snippets are judged in its place: their verdict
# takes about as long.
PAGES_SOON_S = 3.0
# So many pages whose titles a gap names are waited for longer than others.
MOST_WAITED_FOR = 2


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
        # Names that somebody mentions in telling say nothing each by itself.
        self._asked = asked_in_story(run.question) if run.message.is_long else run.question
        # What the question compares: of each side a page is wanted.
        self._sides = compared(self._asked)
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
        self._reading = PageReads(
            reader, group, run.settings.reader, run.progress, run.request.scope
        )
        self.judge: Judge | None = None
        self.rounds = 1
        self.verdict: Verdict | None = None
        """What the judge says of the evidence as it is now; None where it was not asked."""
        self.is_open = False
        """Whether more is to be had if the writer finds nothing in the evidence as it is now."""
        self._has_given_up = self._is_confirmed = False
        self._has_missing_page = False
        """Whether what has entered last has a page about what a verdict had named as missing."""
        self._asked_of = 0
        """Texts of which the writer or the judge was asked already."""
        self._is_exhausted = False
        self._missed: Verdict | None = None
        """What was missed before a round that brought nothing better; None where each brought something."""
        self._last_search: tuple[int, Verdict, Sequence[str]] | None = None
        """Texts before it, what was missed, and the queries, until it is known whether the search was in vain."""
        self._steps: list[float] = []
        self._rest: Sequence[SearchCandidate] = ()
        self._first: asyncio.Task[None] | None = None
        self._planned: asyncio.Task[int] | None = None
        self._early: asyncio.Task[None] | None = None
        self._searched_early: list[str] = []
        self._snippet_gaps: tuple[str, ...] = ()
        self._is_foreign = is_foreign(run.question)
        self._elsewhere = ""

    @property
    def _page_choice(self) -> PageChoice | None:
        """How the model chooses pages; None where their rank decides."""
        return self._run.request.page_choice if self._run.calls else None

    def judged_by(self, calls: ModelSession, defaults: Defaults) -> Judge:
        """Have the model judge the evidence, and begin with that of earlier turns, which it has in its prompts."""
        self.judge = Judge(self._run, calls, asks_model=defaults.judges is not False)
        self._run.is_doubted = bool(defaults.invents)
        self.evidence.restore(calls.prompted)
        self.publish_evidence()
        return self.judge

    def look_ahead(self) -> None:
        """Search the question as it stands, and begin to read, while the plan is being made."""
        if self._first is None:
            self._first = self._group.create_task(self._search_first())

    async def enter(self, pages: Sequence[FoundPage], *, is_first: bool = True) -> int:
        """Enter the best passages of documents that are at hand, and return how many.

        The first batch is small; the rest is added only if code finds no plain answer in it. Both are of round 0.
        """
        evidence, judge, run = self.evidence, self.judge, self._run
        run.time_budget.begin_round()
        later = run.settings.evidence.later_round_tokens
        most = run.first_portion_tokens if is_first else later
        max_tokens = (most if judge else 0) or math.inf
        added = await evidence.select(pages, 0, max_tokens=max_tokens)
        left = evidence.left if is_first and max_tokens < math.inf else 0
        if judge and left and not await judge.could_answer(evidence):
            added += await evidence.select(pages, 0, max_tokens=left, continue_round=True)
        self.publish_evidence()
        return added

    async def enter_unjudged(
        self, remembered: Sequence[RememberedAnswer], pages: Sequence[FoundPage]
    ) -> bool:
        """Enter all that is at hand, where nothing else can be had, and return whether it is anything."""
        if remembered:
            self.evidence.add_remembered(remembered, for_model=False)
            self.publish_evidence()
        if pages:
            self._run.time_budget.begin_round()
            await self.evidence.select(pages, 0, for_model=False)
            self.publish_evidence()
        return bool(self.evidence.entered)

    def enter_remembered(self, remembered: Sequence[RememberedAnswer]) -> bool:
        """Enter what has answered the question before; False where not all of it fits into the context."""
        fits = self.evidence.add_remembered(remembered)
        self.publish_evidence()
        return fits

    @property
    def pages(self) -> list[Page]:
        """The pages that were read."""
        return self._reading.pages

    def stop(self) -> None:
        """Give up whatever is still under way."""
        self.search_run.stop()
        # They are the group's: not cancelled, the run would wait for their replies.
        for task in (self._first, self._planned, self._early):
            if task is not None:
                task.cancel()
        self._reading.stop()
        if self._run.calls is not None:
            self._run.calls.stop()

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
        """Run the rounds until the writer is to be asked or a limit is reached.

        Raises:
            ServiceError: every search failed, or engines were silent and no other found anything.
        """
        if await self._first_round(plan):
            await self._advance()
        self._reading.warn_if_poor()

    async def is_at_end(self) -> bool:
        """Whether what the writer has not found is not to be had: the last round brought nothing better, and
        nothing that came late enters."""
        if self._steps or not (missed := await self._missed_in_vain()):
            return False
        if self._reading.untaken and await self._enter_in_time(FIRST_STEP_TOKENS):
            return False
        self._give_up()
        self.verdict = missed
        return True

    def _give_up(self) -> None:
        # Who has read the evidence to write from it is believed over a verdict (decision 24).
        if self.judge:
            self.judge.note_given_up(self.rounds)
            self._run.is_doubted |= is_enough(self.verdict)
        self._has_given_up, self.verdict = True, None

    async def go_on(self) -> bool:
        """Bring what the writer has not found; False where nothing more is to be had."""
        self._give_up()
        self._asked_of = len(self.evidence.extracts)
        await self._advance()
        self._reading.warn_if_poor()
        return self.is_open

    async def is_refuted(self) -> bool:
        """Whether the model still holds the evidence, from which it has answered all the same, to be too little."""
        if not (self.judge and self.verdict and self.verdict.gap_queries):
            return False
        again = await self._judged(self.judge, is_doubted=True)
        return again is not None and not is_enough(again)

    async def _advance(self) -> None:
        """Enter portions, ask the judge and search, until the writer is to be asked or nothing is left.

        The cheapest step comes first. Where code finds the answer plain the writer costs less than a verdict, and
        says as much: it answers, or gives up in five words that nobody sees. A verdict is asked for once the first
        round's steps are in, since less does not tell what to search for; what it misses is searched before the
        rest of these pages enters.
        """
        judge, self.is_open = self.judge, False
        while judge is not None:
            if await self._is_for_writer(judge):
                self.is_open = True
                return
            if self._steps:
                if not await self._ask_before_step(judge):
                    await self._enter_step(judge, self._steps.pop(0))
                continue
            if missed := await self._missed_in_vain():
                # Two rounds for nothing: the writer's word is the last, and late pages are all that is new to it.
                if self._reading.untaken:
                    await self._enter_in_time(FIRST_STEP_TOKENS)
                self.verdict = missed
                return
            if self.verdict is None and await self._ask_judge(judge):
                continue
            verdict = self.verdict
            if (
                await self._enter_withheld()
                or await self._enter_named()
                or await self._search_for_gaps()
            ):
                continue
            # What has entered last is for the writer alone, but where no verdict was to be had.
            if not await self._enter_last() or verdict is not None:
                self.verdict = verdict  # what it misses stays open
                return

    async def _ask_before_step(self, judge: Judge) -> bool:
        """Have what has entered judged in one word, and return whether it is enough: that costs a sixth of the step."""
        if self._has_given_up or self.rounds > 1 or not self.evidence.left:
            return False
        if not await judge.is_worth_asking(self.evidence, self._steps[0]):
            return False
        self._move(Phase.JUDGING_PASSAGES)
        verdict = await self._judged(judge, is_brief=True)
        # Nothing is plain: two opinions, since this one comes beside those on all of the round.
        if is_enough(verdict):
            verdict = await self._judged(judge, is_doubted=True)
        self._asked_of = len(self.evidence.extracts)
        self.verdict = verdict if is_enough(verdict) else None
        return self.verdict is not None

    async def _enter_step(self, judge: Judge, max_tokens: float) -> None:
        """Enter the next step of a round, in the first with pages that come late: one more costs less than a verdict."""
        if self.rounds > 1:
            if self._run.time_budget.has_time_for_round():
                await self._enter(max_tokens)
            return
        if self._reading.is_any_open:
            # The model would be idle while they are waited for.
            judge.calls.warm(self._group, PLAN_SCHEMA, self.evidence.text)
        if await self._reading.are_late() or self.evidence.left:
            await self._enter_in_time(max_tokens)

    async def _is_for_writer(self, judge: Judge) -> bool:
        """Whether the writer is to be asked next."""
        if self._has_given_up:
            return False
        if self.verdict is not None:
            return is_enough(self.verdict)
        # One that invents answers would never give up: of it a verdict is wanted in any case.
        if self._run.is_doubted:
            return False
        # The page that was missing is as good as a verdict. What did not answer the question before does not
        # because more has come.
        return self._has_missing_page or await judge.could_answer(
            self.evidence, self._asked_of, for_writer=True
        )

    async def _ask_judge(self, judge: Judge) -> bool:
        """Have the evidence judged; False where there is no verdict."""
        self._move(Phase.JUDGING_PASSAGES)
        evidence, verdict = self.evidence, None
        if not self._has_given_up:
            verdict = await self._judged(judge, on_gap=self._search_early)
            # Where much is asked, and nothing plain, one opinion is wrong too often; the writer's would be another.
            if is_enough(verdict) and not await judge.is_assured(evidence):
                again = await self._judged(judge, is_doubted=True)
                verdict, self._is_confirmed = again or verdict, True
        else:
            # A third opinion would be the second again: verdicts are asked for without temperature.
            if not self._is_confirmed:
                verdict = await self._judged(judge, is_doubted=True)
            if verdict is None or is_enough(verdict):
                judge.note_given_up(self.rounds)
                verdict = Verdict(Sufficiency.INSUFFICIENT)
        self.verdict, self._asked_of = verdict, len(evidence.extracts)
        return verdict is not None

    async def _judged(
        self,
        judge: Judge,
        *,
        is_doubted: bool = False,
        is_brief: bool = False,
        on_gap: Callable[[str], None] = ignore,
    ) -> Verdict | None:
        return await judge.judge(
            self.evidence,
            Judging.PASSAGES,
            self.rounds,
            is_doubted=is_doubted,
            is_brief=is_brief,
            on_gap=on_gap,
        )

    def _search_early(self, query: str) -> None:
        """Begin to search for the first thing that a verdict misses, while the model still writes the others."""
        if self._early is None and self.rounds < self._run.time_budget.most_rounds:
            self._early = self._group.create_task(self._ask_early(query))

    async def _ask_early(self, query: str) -> None:
        self.publish_evidence()
        await asyncio.to_thread(self._run.private.prepare)
        if not is_date(query, recognise(self._asked)):
            # A name of the question itself, which was searched in it, waits for what else is missed.
            queries = self.search_run.promising([query], beside=[query])
            self._searched_early = [*queries, *self._asked_of_name(queries)]
            await self.search_run.ask(self._searched_early, self.rounds + 1)

    def _asked_of_name(self, queries: Sequence[str]) -> list[str]:
        """Return what asks the first name among queries for what the question asks, unless it was searched before.

        A name alone finds a page about it, and not the one that says of it what is asked.
        """
        best = self.evidence.entered[0].text if self.evidence.entered else ""
        return self.search_run.unasked([asked_of(queries, self._elsewhere or self._asked, best)])

    async def _search_for_gaps(self) -> bool:
        """Run a round for what the verdict misses, and return whether it brought anything."""
        missed, before = self.verdict, len(self.evidence.extracts)
        if not (missed and (queries := await self._gaps(missed))):
            return False
        run, progress = self._run, self._run.progress
        self.rounds += 1
        run.time_budget.begin_round()
        progress.emit(GapFound(tuple(queries), self.rounds))
        progress.move(Phase.SEARCHING)
        await self.search_run.ask(queries, self.rounds)
        if self._early is not None:
            await self._early
            self._early = None
        progress.move(Phase.RANKING)
        best = self.search_run.ranked_in_turn(queries, self.rounds)
        unread = self._reading.unread(best)
        # The same number twice: so many are read, and so many stand by for those that fail.
        self._read(await self._chosen(unread), PAGES_A_ROUND, PAGES_A_ROUND, queries)
        await self._wait_for_pages()
        # The best of a page that is named so had what was missed in 26 of 26 cases.
        first, *rest = run.later_steps() if self._is_there(missed.gap_queries) else [math.inf]
        if await self._enter(first) or self._list(unread):
            self._steps = rest
            self._has_missing_page = self._brought_missing(before, missed)
            self._last_search = (before, missed, queries)
            return True
        progress.warn(
            WarningCode.NO_PROGRESS,
            Message("Searching further found nothing new, so it ended early."),
        )
        return False

    async def _missed_in_vain(self) -> Verdict | None:
        """Return what was missed before the last round, if that brought nothing better; None otherwise."""
        if self._last_search is not None:
            before, missed, queries = self._last_search
            self._last_search = None
            looked_at = (self._run.question, self.evidence.extracts, before, queries)
            # Where a verdict named nothing, the round says nothing of what is to be had.
            if missed.gap_queries and not await asyncio.to_thread(has_more, *looked_at):
                self._missed = missed
        return self._missed

    def _brought_missing(self, before: int, missed: Verdict) -> bool:
        """Whether a page whose title is what a verdict misses is among the extracts from a place on."""
        new = {extract.n for extract in self.evidence.extracts[before:]}
        titles = [s.title for s in self.evidence.sources if s.n in new and not s.snippet_only]
        return any(holds(title, gap) for title in titles for gap in missed.gap_queries)

    async def _wait_for_pages(self) -> None:
        self._run.progress.move(Phase.READING)
        await self._reading.until_enough(ENOUGH_PAGES if self.rounds == 1 else ENOUGH_LATER_PAGES)
        self._run.time_budget.end_reading()

    def _wanted(self, *queries: str) -> list[str]:
        """Return what results are ranked for: the question, what it goes on from, and some queries."""
        return [w for w in (self._run.question, self._resolved, *queries) if w]

    async def _search_first(self) -> None:
        await self.search_run.ask(initial_queries(self._run.message, self._resolved), 1)
        best = self.search_run.ranked(self._wanted(), 1)
        # A page that the model is to choose is not read before it has. Where the plan may say how to ask
        # in the language of most pages, half are left to it.
        if not self._run.request.page_choice:
            pages = PAGES_A_ROUND
            self._request(best, (pages + 1) // 2 if self._is_foreign else pages)

    async def _first_round(self, plan: Plan) -> bool:
        """Search, read and enter the first step; False where nothing was found."""
        judge = self.judge
        self._run.time_budget.begin_round()
        self._run.progress.move(Phase.SEARCHING)
        most = self._run.request.size.queries
        queries, self._elsewhere = wordings(self._run.message, plan.queries, most, self._resolved)
        # Beside the question's own search: what the plan adds is waited for only where it is ranked.
        self._planned = planned = self._group.create_task(self.search_run.ask(queries, 1))
        if self._first is not None:
            await self._first
        else:
            await self.search_run.ask(initial_queries(self._run.message, self._resolved), 1)
        if self._elsewhere or not self.search_run.offers:
            await planned
        self.search_run.refuse_if_unheard()
        self._run.progress.move(Phase.RANKING)
        best = self.search_run.ranked(self._wanted(self._elsewhere), 1, first=self._elsewhere)
        if not best:
            return False
        # The other half: the plan has said by now how to ask elsewhere, and its results are ranked with the rest.
        if self._is_foreign and not self._page_choice:
            self._request(best, PAGES_A_ROUND)
        if judge and await self._are_snippets_judged():
            self.evidence.list(best)
            self._run.progress.move(Phase.JUDGING_SNIPPETS)
            verdict = await judge.judge(self.evidence, Judging.SNIPPETS, 1)
            if is_enough(verdict):
                # Nothing more is read; what was read ahead is there, and better than snippets.
                await self.salvage()
                self.verdict = verdict
                return True
            self._snippet_gaps = verdict.gap_queries if verdict else ()
        # Pages of the plan's queries count in the ranking even where those of the question are being read.
        await planned
        best = self.search_run.ranked(self._wanted(*plan.queries), 1)
        self._request(await self._chosen(best), PAGES_A_ROUND)
        await self._wait_for_pages()
        # Without a judge nothing decides between the portions: all enters at once.
        first, *self._steps = self._run.steps() if judge else [math.inf]
        if not await self._enter(first) or first == math.inf:
            self._list(best)
        self._rest = best
        return True

    async def _are_snippets_judged(self) -> bool:
        """Whether the snippets have their say: reading is slow, or forbidden."""
        if not self._run.time_budget.is_worth_judging_snippets():
            return False
        if self._page_choice is not None:  # nothing is being read that could be waited for
            return False
        # Pages that come soon say all that snippets do: 450 tokens of them would be evaluated for
        # nothing.
        return not await self._reading.is_soon(PAGES_SOON_S)

    async def _chosen(self, offers: Sequence[SearchCandidate]) -> Sequence[SearchCandidate]:
        """The offers to read: all by their rank, or those that the model finds promising."""
        choice = self._page_choice
        if choice is None:
            return offers
        return await choose_pages(self._run, choice, offers, self.evidence, self.rounds)

    async def _enter(self, max_tokens: float, *, continue_round: bool = False) -> int:
        """Enter the best passages of what was read, and return how many. No verdict is on these yet."""
        self._move(Phase.SELECTING)
        if added := await self._select(max_tokens=max_tokens, continue_round=continue_round):
            self._reset_opinions()
        return added

    def _list(self, offers: Sequence[SearchCandidate]) -> int:
        """Enter what is known of pages that were not read, and return of how many."""
        if added := self.evidence.list(self.evidence.unread(offers)):
            self._reset_opinions()
        return added

    def _reset_opinions(self) -> None:
        self.verdict, self._has_given_up, self._is_confirmed = None, False, False
        self._has_missing_page = False

    async def _enter_in_time(self, max_tokens: float) -> int:
        """Enter more of a round that has brought some, if there is time for it."""
        if not self._run.time_budget.has_time_for_round():
            return 0
        return await self._enter(max_tokens, continue_round=True)

    async def _enter_withheld(self) -> int:
        """Enter what time had kept from the model: on a slow machine a round brings little at once."""
        return await self._enter_in_time(math.inf) if self.evidence.withheld else 0

    async def _enter_named(self) -> int:
        """Enter pages that came after their round was closed, where one is what the verdict misses: no search is needed."""
        gaps = [*(self.verdict.gap_queries if self.verdict else ()), *self._sides]
        is_there = self._is_there(gaps)
        return await self._enter(self._run.settings.evidence.later_round_tokens) if is_there else 0

    def _is_there(self, names: Sequence[str]) -> bool:
        """Whether a page that was read and has not entered has one of these names in its title."""
        return any(holds(page.title, name) for page in self._reading.untaken for name in names)

    async def _enter_last(self) -> int:
        """Enter what is left where no search is: of pages that came too late or were read, or of the only round."""
        if self._is_exhausted:
            return 0
        self._is_exhausted = True
        if await self._reading.are_late() or self.rounds > 1:
            return await self._enter_in_time(FIRST_STEP_TOKENS)
        added = await self._enter_in_time(left) if (left := self.evidence.left) else 0
        return added + self._list(self._rest)

    async def _select(
        self,
        *,
        max_tokens: float = math.inf,
        continue_round: bool = False,
        for_model: bool = True,
    ) -> int:
        pages = self._reading.take_pages()
        return await self.evidence.select(
            pages,
            self.rounds,
            max_tokens=max_tokens,
            continue_round=continue_round,
            for_model=for_model,
        )

    def _move(self, to: Phase) -> None:
        if self._run.progress.phase is not to:
            self._run.progress.move(to)

    def _request(self, best: Sequence[SearchCandidate], most: int) -> None:
        """Read the best pages that were not read yet, so that `most` are open or new."""
        unread = self._reading.unread(best)
        self._read(unread, max(0, most - self._reading.promising), most, self._sides)

    def _read(
        self,
        unread: Sequence[SearchCandidate],
        now: int,
        most: int,
        queries: Sequence[str] = (),
    ) -> None:
        """Read so many pages now, and the next best in place of those that fail; wait for those that queries name."""
        first, spare = unread[:now], unread[now : now + most]
        named = [page_key(o.result.url) for o in first if _is_named(o, queries)]
        self._reading.request(
            first, self.rounds, spare=spare, enough=most, named=named[:MOST_WAITED_FOR]
        )

    async def _gaps(self, verdict: Verdict) -> list[str]:
        """The queries of the next round; none where the run should answer now."""
        run, search = self._run, self.search_run
        if not run.time_budget.allows_round(self.rounds + 1):
            return []
        self.publish_evidence()
        await asyncio.to_thread(run.private.prepare)
        # A verdict without queries still says that something is missing: what the question names is
        # asked.
        names = wanted_names(self._elsewhere or self._asked)
        gaps = [*verdict.gap_queries, *self._snippet_gaps] or names
        # Beside another gap a day or a number alone finds nothing.
        code = recognise(self._asked)
        wanted = [*([g for g in gaps if not is_date(g, code)] or gaps), *self._sides_without_page()]
        # What is being searched may not be sent yet: then it is among the promising ones again.
        early, self._searched_early = self._searched_early, []
        queries = (
            [*early[:1], *search.promising(wanted, beside=early), *early[1:]]
            # Where the question is only worded anew, each of its names may have a page. In later rounds neither
            # found anything in 10 of 11 cases (decision 4).
            or (search.promising(names) if self.rounds == 1 else [])
            or (search.promising(wanted, reworded=True) if self.rounds == 1 else [])
        )
        queries += self._asked_of_name(queries)
        # What asks the name was searched beside it, and takes no gap's place.
        queries = list(dict.fromkeys(queries))[: run.request.size.queries + max(0, len(early) - 1)]
        if run.request.hints and len(queries) < run.request.size.queries:
            queries += await self._hints(queries)
        if not queries:
            run.progress.warn(
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
        return [s for s in self._sides if not any(holds(t, s) for t in titles)]

    async def public_words(self, answer: str) -> tuple[str, ...]:
        """Return the words of an answer that what was searched or found has, too."""
        if not self.search_run.asked:
            return ()
        self.publish_evidence()
        return await asyncio.to_thread(self._run.private.public_words, answer)

    def publish_evidence(self) -> None:
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


def _is_named(offer: SearchCandidate, queries: Sequence[str]) -> bool:
    return any(holds(offer.result.title, query) for query in queries)
