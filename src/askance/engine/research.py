"""The loop of search, reading and judging that gathers the evidence, and the pages that are read for it."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from askance.config.settings import ReaderSettings
from askance.domain.conversation import PageChoice
from askance.domain.errors import ServiceError, place_of
from askance.domain.events import (
    GapFound,
    Judging,
    PageRead,
    PageRequested,
    RequestSent,
    WarningCode,
)
from askance.domain.evidence import RememberedAnswer
from askance.domain.messages import NOTHING, Message
from askance.domain.phases import Phase, Plan, Sufficiency, Verdict
from askance.domain.ports.web import PageReader, WebSearch
from askance.domain.web_pages import CONCURRENT_PAGES, Page, PageReason, PageStatus
from askance.engine.context import RunContext
from askance.engine.evidence_set import EvidenceSet
from askance.engine.judge import Judge, choose_pages
from askance.engine.model_session import ModelSession
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
from askance.engine.run_progress import RunState, log_error
from askance.engine.search import SearchCandidate, SearchRun
from askance.text.message_parts import asked_in_story
from askance.text.ranking.scoring import FoundPage
from askance.text.ranking.urls import canonical, page_key

_log = logging.getLogger(__name__)

# The pages: read ahead of the judge, and no longer than it pays.

# Seconds for all pages of a round; what has come by then is used.
BATCH_TIMEOUT_S = 30.0
# How long a page is waited for, as a multiple of what the pages before it took: the network's own
# pace, not a constant, tells a slow page from a slow network.
PATIENCE_FOR_ENOUGH = 3.0
PATIENCE_FOR_MORE = 1.2
SHORTEST_PATIENCE_S = 0.2


@dataclass
class PageReads:
    """The pages of one run. A page is read once; late ones join the round that is open by then."""

    reader: PageReader
    group: asyncio.TaskGroup
    settings: ReaderSettings
    progress: RunState

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(CONCURRENT_PAGES)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._open: dict[str, float] = {}
        self._round = 0
        self._round_of: dict[str, int] = {}
        self._read: dict[str, tuple[Page, SearchCandidate]] = {}
        self._taken: set[str] = set()
        self._failed = 0
        self._durations_s: list[float] = []
        self._spare: list[SearchCandidate] = []
        self._enough = 0
        self._requested_at = asyncio.get_running_loop().time()
        self._changed = asyncio.Condition()

    def is_requested(self, url: str) -> bool:
        """Say whether the page of an address, as `page_key` has it, was requested."""
        return url in self._tasks

    def unread(self, offers: Sequence[SearchCandidate]) -> list[SearchCandidate]:
        """Return the offers whose pages were not requested yet."""
        return [o for o in offers if not self.is_requested(page_key(o.result.url))]

    def request(
        self,
        offers: Sequence[SearchCandidate],
        round_number: int,
        *,
        spare: Sequence[SearchCandidate] = (),
        enough: int = 0,
    ) -> None:
        """Begin to read pages; those already requested are passed over.

        Where pages fail, `spare` ones are read in their place while fewer than `enough` are promising.
        """
        self._requested_at = asyncio.get_running_loop().time()
        self._spare, self._enough = list(spare), enough
        for offer in self.unread(offers):
            self._begin(offer, round_number)

    @property
    def promising(self) -> int:
        """Pages of this round that are under way, or readable and not taken yet."""
        return len(self._of_this_round(self._open)) + self.waiting

    @property
    def waiting(self) -> int:
        """Readable pages of this round that were not taken yet."""
        return len(self._of_this_round(self._read.keys() - self._taken))

    @property
    def pages(self) -> list[Page]:
        """Every readable page so far."""
        return [page for page, _ in self._read.values()]

    async def is_soon(self, seconds: float) -> bool:
        """Wait so long for a readable page, and say whether there is one."""
        try:
            async with asyncio.timeout(seconds):
                await self._until(1, math.inf)
        except TimeoutError:
            pass
        return self.waiting > 0

    async def until_enough(self, enough: int) -> None:
        """Wait for so many new readable pages, and a little for those close behind them.

        Returns with what is there when nothing is under way any more, when those still under way
        take much longer than the others took, or at the batch's time limit.
        """
        await self._until(1, math.inf)
        # Going on before all pages are there took 11 to 12 s where waiting took 18, at the same
        # recall.
        await self._until(enough, PATIENCE_FOR_ENOUGH)
        await self._until(len(self._tasks), PATIENCE_FOR_MORE)

    def take_pages(self) -> list[FoundPage]:
        """Return every readable page so far; those that are new count as taken.

        Each comes with all queries that found it, and where they found it: a later search may tell of
        another place on a page that was read before.
        """
        self._taken |= set(self._read)
        return [FoundPage(p, tuple(o.queries), tuple(o.snippets)) for p, o in self._read.values()]

    def warn_if_poor(self) -> None:
        """Say when more than half of the pages could not be read."""
        done = len(self._tasks) - len(self._open)
        if done and not self._read:
            self.progress.warn(
                WarningCode.SNIPPETS_ONLY,
                Message("No page could be read; the answer rests on the search engine's snippets."),
            )
        elif self._failed > done / 2:
            self.progress.warn(
                WarningCode.MOST_PAGES_FAILED,
                Message("{done} of {n} pages could not be read.", done=self._failed, n=done),
            )

    def stop(self) -> None:
        """Give up what is still under way."""
        self._spare = []
        for task in self._tasks.values():
            task.cancel()

    def _begin(self, offer: SearchCandidate, round_number: int) -> None:
        key = page_key(offer.result.url)
        # A page of an earlier round that comes late is taken along, and none is waited for in its place.
        self._round = self._round_of[key] = round_number
        self._open[key] = asyncio.get_running_loop().time()
        self._tasks[key] = self.group.create_task(self._read_apart(offer))

    def _replace_failed(self) -> None:
        # A page that failed is made up for at once, and not when the round is over.
        while self._spare and self.promising < self._enough:
            self._spare = self.unread(self._spare)
            if self._spare:
                self._begin(self._spare.pop(0), self._round)

    def _of_this_round(self, keys: Iterable[str]) -> list[str]:
        return [key for key in keys if self._round_of[key] == self._round]

    async def _until(self, count: int, patience: float) -> None:
        async with self._changed:
            while self._of_this_round(self._open) and self.waiting < count:
                # Each page that settles may leave only pages behind that have had their time.
                try:
                    async with asyncio.timeout_at(self._deadline(patience)):
                        await self._changed.wait()
                except TimeoutError:
                    return

    def _deadline(self, patience: float) -> float:
        """When the last page under way will have had its fair time."""
        batch_ends = self._requested_at + BATCH_TIMEOUT_S
        # Pages that took no time at all must not make an endless patience none.
        if math.isinf(patience) or not self._durations_s:
            return batch_ends
        fair_s = max(SHORTEST_PATIENCE_S, patience * median(self._durations_s))
        # By the page that was begun last: it had to wait for a free slot.
        begun = [self._open[key] for key in self._of_this_round(self._open)]
        return min(batch_ends, max(begun, default=self._requested_at) + fair_s)

    async def _read_apart(self, offer: SearchCandidate) -> None:
        # A group passes on one cancellation of several. A second one would break into the closing
        # of the page's connection, and leave it open.
        async with asyncio.TaskGroup() as group:
            group.create_task(self._read_one(offer))

    async def _read_one(self, offer: SearchCandidate) -> None:
        url = offer.result.url
        async with self._slots:
            self.progress.emit(PageRequested(url, self._round_of[page_key(url)]))
            started = asyncio.get_running_loop().time()
            fetched = False

            def sent(request: RequestSent) -> None:
                nonlocal fetched
                fetched = True
                self.progress.sent(request)

            try:
                async with asyncio.timeout(self.settings.page_deadline_s):
                    page = await self.reader.read(url, sent=sent)
            # The reader has limits of its own; this one holds if they fail.
            except TimeoutError:
                page = _failed(url, PageReason.TIMED_OUT, Message("it took too long"))
            except ServiceError as exc:
                page = _failed(url, PageReason.NETWORK, exc.problem)
                log_error(exc)
                self.progress.warn(WarningCode.READER_UNAVAILABLE, exc.message)
            except Exception as exc:  # noqa: BLE001 - see below
                # A reader says what it expects as a page. A bug of it, to which foreign bytes may
                # have led, costs one page as well, and never the run.
                _log.error("A reader failed: %s", place_of(exc))
                page = _failed(url, PageReason.INTERNAL, NOTHING)
        took_ms = self.progress.ms_since(started)
        # A page out of the cache says nothing about the pace of the network.
        if fetched and page.status is PageStatus.OK:
            self._durations_s.append(took_ms / 1000)
        await self._settle(offer, page, took_ms)

    async def _settle(self, offer: SearchCandidate, page: Page, took_ms: int) -> None:
        if page.fallback:
            self.progress.warn(WarningCode.READER_FALLBACK, page.fallback)
        key = page_key(offer.result.url)
        async with self._changed:
            self._open.pop(key, None)
            # Counted under the lock: who waits for enough pages looks at the same moment.
            if page.status is PageStatus.OK:
                page = replace(
                    page,
                    title=page.title or offer.result.title,
                    published=page.published or offer.result.published,
                )
                self._read[key] = page, offer
                self.progress.pages_read += 1
            else:
                self._failed += 1
                self._replace_failed()
            self._changed.notify_all()
        self.progress.emit(
            PageRead(
                page.url,
                page.status,
                page.reason,
                page.detail,
                page.title,
                page.words,
                took_ms,
                page.served_by,
            )
        )


def _failed(url: str, reason: PageReason, detail: Message) -> Page:
    return Page(url, PageStatus.FAILED, reason, detail)


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
            if not (queries := await self._gaps(verdict)):
                # Pages that came while the judge thought may have what no search is left for.
                if verdict.sufficiency is Sufficiency.SUFFICIENT or not self._reading.waiting:
                    break
                progress.move(Phase.SELECTING)
                await self._select()
                self.verdict = verdict = await self._verdict(self.judge)
                continue
            self.rounds += 1
            self._run.time_budget.begin_round()
            progress.emit(GapFound(tuple(queries), self.rounds))
            progress.move(Phase.SEARCHING)
            await self.search_run.ask(queries, self.rounds)
            progress.move(Phase.RANKING)
            best = self.search_run.ranked_in_turn(queries, self.rounds)
            unread = self._reading.unread(best)
            # The same number twice: so many are read, and so many stand by for those that fail.
            self._read(await self._chosen(unread), PAGES_A_ROUND, PAGES_A_ROUND)
            self.verdict = verdict = await self._read_and_judge(unread)
        self._reading.warn_if_poor()

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

    async def _first_round(self, plan: Plan) -> Verdict | None:
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
            return None
        # The other half: the plan has said by now how to ask elsewhere, and its results are ranked with the rest.
        if self._is_foreign and not self._page_choice:
            self._request(best, PAGES_A_ROUND)
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
        self._request(await self._chosen(best), PAGES_A_ROUND)
        return await self._read_and_judge(best)

    async def _are_snippets_judged(self) -> bool:
        """Whether the snippets have their say: reading is slow, or forbidden."""
        if not self._run.time_budget.is_worth_judging_snippets():
            return False
        if self._page_choice is not None:  # nothing is being read that could be waited for
            return False
        # Pages that come soon say all that snippets do: 450 tokens of them would be evaluated for
        # nothing.
        return not await self._reading.is_soon(PAGES_SOON_S)

    async def _read_and_judge(self, offers: Sequence[SearchCandidate]) -> Verdict | None:
        judge = self.judge
        self._run.progress.move(Phase.READING)
        await self._reading.until_enough(ENOUGH_PAGES)
        self._run.time_budget.end_reading()
        self._run.progress.move(Phase.SELECTING)
        max_tokens = self._run.first_portion_tokens
        # Without a judge nothing decides between the portions: all enters at once.
        is_first = judge is not None and self.rounds == 1 and max_tokens > 0
        added = await self._select(max_tokens=max_tokens if is_first else math.inf)
        # Where no page could be read, what the search engine says of them is better than nothing.
        if not added or (self.rounds == 1 and not is_first):
            added += self.evidence.list(self.evidence.unread(offers))
        if judge is None:
            return None
        # What a round of searching did not bring, another one hardly will.
        if not added and self.rounds > 1:
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
        if has_rest and self._run.time_budget.has_time_for_round():
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
            if not self.evidence.withheld or not self._run.time_budget.has_time_for_round():
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

    async def _chosen(self, offers: Sequence[SearchCandidate]) -> Sequence[SearchCandidate]:
        """The offers to read: all by their rank, or those that the model finds promising."""
        choice = self._page_choice
        if choice is None:
            return offers
        return await choose_pages(self._run, choice, offers, self.evidence, self.rounds)

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

    def _request(self, best: Sequence[SearchCandidate], most: int) -> None:
        """Read the best pages that were not read yet, so that `most` are open or new."""
        unread = self._reading.unread(best)
        self._read(unread, max(0, most - self._reading.promising), most)

    def _read(self, unread: Sequence[SearchCandidate], now: int, most: int) -> None:
        """Read so many pages now, and the next best in place of those that fail."""
        first, spare = unread[:now], unread[now : now + most]
        self._reading.request(first, self.rounds, spare=spare, enough=most)

    async def _gaps(self, verdict: Verdict) -> list[str]:
        """The queries of the next round; none where the run should answer now."""
        if verdict.sufficiency is Sufficiency.SUFFICIENT:
            return []
        if not self._run.time_budget.allows_round(self.rounds + 1):
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
            or (self.search_run.promising(wanted, reworded=True) if self.rounds == 1 else [])
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
