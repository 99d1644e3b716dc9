"""The pages of one run: read ahead of the judge, and waited for no longer than it pays."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from askance.config.settings import ReaderSettings
from askance.domain.errors import ServiceError, place_of
from askance.domain.events import PageRead, PageRequested, RequestSent, WarningCode
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.web import PageReader
from askance.domain.web_pages import (
    CONCURRENT_PAGES,
    WHOLE_WEB,
    Page,
    PageReason,
    PageStatus,
    SearchScope,
)
from askance.engine.run_progress import RunState, log_error
from askance.engine.search import SearchCandidate
from askance.text.ranking.scoring import FoundPage
from askance.text.ranking.urls import page_key

_log = logging.getLogger(__name__)

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
    scope: SearchScope = WHOLE_WEB

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
        self._named: set[str] = set()
        self._requested_at = asyncio.get_running_loop().time()
        self._changed = asyncio.Condition()

    def unread(self, offers: Sequence[SearchCandidate]) -> list[SearchCandidate]:
        """Return the offers whose pages were not requested yet."""
        return [o for o in offers if page_key(o.result.url) not in self._tasks]

    def request(
        self,
        offers: Sequence[SearchCandidate],
        round_number: int,
        *,
        spare: Sequence[SearchCandidate] = (),
        enough: int = 0,
        named: Collection[str] = (),
    ) -> None:
        """Begin to read pages; those already requested are passed over.

        Where pages fail, `spare` ones are read in their place while fewer than `enough` are promising. `named` are
        the keys of pages that the round is searched for: they are waited for longer than others.
        """
        self._requested_at = asyncio.get_running_loop().time()
        self._spare, self._enough, self._named = list(spare), enough, set(named)
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
    def is_any_open(self) -> bool:
        """Whether a page is under way, of whatever round."""
        return bool(self._open)

    @property
    def untaken(self) -> list[Page]:
        """Readable pages of whatever round that were not taken yet."""
        return [self._read[key][0] for key in self._read.keys() - self._taken]

    @property
    def pages(self) -> list[Page]:
        """Every readable page so far."""
        return [page for page, _ in self._read.values()]

    async def is_soon(self, seconds: float) -> bool:
        """Wait so long for a readable page, and say whether there is one."""
        try:
            async with asyncio.timeout(seconds):
                await self._until_one_waits()
        except TimeoutError:
            pass
        return self.waiting > 0

    async def until_enough(self, enough: int) -> None:
        """Wait for so many new readable pages, and a little for those close behind them.

        Returns with what is there when nothing is under way any more, when those still under way
        take much longer than the others took, or at the batch's time limit.
        """
        await self._until_one_waits()
        # Going on before all pages are there took 11 to 12 s where waiting took 18, at the same
        # recall.
        # One that was searched for by its name is what the others are read for.
        await self._until(
            lambda: (
                self.waiting >= enough
                or not self._of_this_round(self._open)
                or not self._named.isdisjoint(self._read)
            ),
            self._patiently,
        )
        # Those that are begun from now on, in place of others that fail, come for the next step.
        deadline = self._deadline(PATIENCE_FOR_MORE)
        await self._until(lambda: not self._of_this_round(self._open), lambda: deadline)
        await self._until(lambda: self._named.isdisjoint(self._open), self._patiently)

    async def are_late(self) -> bool:
        """Say whether pages came too late for their rounds; those under way have the time that a round gives them."""
        await self._until(lambda: not self._open, self._patiently)
        return bool(self.untaken)

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

    async def _until_one_waits(self) -> None:
        await self._until(
            lambda: self.waiting > 0 or not self._of_this_round(self._open),
            lambda: self._deadline(math.inf),
        )

    async def _until(self, is_done: Callable[[], bool], deadline: Callable[[], float]) -> None:
        async with self._changed:
            while not is_done():
                # Each page that settles may leave only pages behind that have had their time.
                try:
                    async with asyncio.timeout_at(deadline()):
                        await self._changed.wait()
                except TimeoutError:
                    return

    def _patiently(self) -> float:
        return self._deadline(PATIENCE_FOR_ENOUGH)

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
                    page = await self.reader.read(url, sent=sent, scope=self.scope)
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
