from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.reader.network import MappedResolver, SystemResolver
from askance.adapters.storage import page_cache
from askance.adapters.storage.page_cache import CachingReader, PageCache
from askance.config.settings import ReaderSettings
from askance.domain.errors import ServiceDown
from askance.domain.events import RequestSent
from askance.domain.messages import Message
from askance.domain.ports.web import Sent
from askance.domain.web_pages import (
    WHOLE_WEB,
    Page,
    PageReason,
    PageStatus,
    SearchScope,
    Validators,
)
from fakes.outbound import ignore
from fakes.reader import ScriptedReader, page
from servers.loopback import Request, Wire, serve
from servers.site import HTML, article
from waiting import PATIENCE_S

URL = "http://site.example/harbour"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
VALIDATORS = Validators('"7"')


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


@dataclass
class Clock:
    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now


@dataclass
class Server:
    """A reader whose pages the test changes. It vouches for what is known while nothing changed."""

    clock: Clock
    text: str = "old"
    validators: Validators = VALIDATORS
    storable: bool = True
    fate: Page | Exception | None = None
    asked: list[tuple[str, Page | None]] = field(default_factory=list[tuple[str, Page | None]])

    async def read(
        self, url: str, *, sent: Sent, known: Page | None = None, scope: SearchScope = WHOLE_WEB
    ) -> Page:
        self.asked.append((url, known))
        if isinstance(self.fate, Exception):
            raise self.fate
        if self.fate is not None:
            return self.fate
        at = self.clock().isoformat(timespec="seconds")
        if known is not None and known.markdown == self.text:
            return replace(known, url=url, fetched_at=at, served_by="this program")
        return replace(
            page(url, self.text),
            fetched_at=at,
            validators=self.validators,
            storable=self.storable,
            served_by="this program",
            fallback="The reader service is gone.",
        )


@dataclass
class CachedReads:
    reader: CachingReader
    server: Server
    clock: Clock
    cache: PageCache
    troubles: list[str]

    async def read(self, url: str = URL, known: Page | None = None) -> Page:
        return await self.reader.read(url, sent=ignore, known=known)


@asynccontextmanager
async def cached_reads(folder: Path) -> AsyncIterator[CachedReads]:
    troubles: list[str] = []
    clock = Clock()
    server = Server(clock)
    cache = PageCache(folder / "pages.sqlite3", 1, troubles.append)
    async with CachingReader(server, cache, troubles.append, clock=clock) as reader:
        yield CachedReads(reader, server, clock, cache, troubles)


async def test_a_fresh_page_comes_out_of_the_cache(tmp_path: Path) -> None:
    async with cached_reads(tmp_path) as d:
        first = await d.read()
        d.clock.now += timedelta(minutes=59)
        second = await d.read()
        assert (first.served_by, first.fallback) == (
            "this program",
            "The reader service is gone.",
        )
        assert second == replace(
            first, served_by="the page cache", fallback="", elapsed_ms=second.elapsed_ms
        )
        assert d.server.asked == [(URL, None)]
        assert d.troubles == []


async def test_a_page_from_where_a_question_may_not_go_is_not_given_to_it(tmp_path: Path) -> None:
    async with cached_reads(tmp_path) as d:
        await d.read()
        elsewhere = SearchScope(("elsewhere.example",))
        await d.reader.read(URL, sent=ignore, scope=elsewhere)
        assert d.server.asked == [(URL, None), (URL, None)], "its reader has the last word"
        await d.reader.read(URL, sent=ignore, scope=SearchScope(excluded=("elsewhere.example",)))
        assert len(d.server.asked) == 2


async def test_an_old_page_is_asked_after_and_fresh_again_if_it_has_not_changed(
    tmp_path: Path,
) -> None:
    async with cached_reads(tmp_path) as d:
        first = await d.read()
        d.clock.now += timedelta(minutes=60)
        vouched = await d.read()
        (_, known) = d.server.asked[1]
        assert known is not None
        assert (known.markdown, known.validators) == ("old", VALIDATORS)
        assert (vouched.markdown, vouched.served_by) == (first.markdown, "this program")
        d.clock.now += timedelta(minutes=59)
        assert (await d.read()).fetched_at == vouched.fetched_at
        assert len(d.server.asked) == 2


async def test_an_old_page_that_has_changed_is_replaced(tmp_path: Path) -> None:
    async with cached_reads(tmp_path) as d:
        await d.read()
        d.server.text = "new"
        assert (await d.read()).markdown == "old"
        d.clock.now += timedelta(minutes=61)
        assert (await d.read()).markdown == "new"
        assert (await d.read()).markdown == "new"
        assert len(d.server.asked) == 2


async def test_without_validators_an_old_page_is_read_anew(tmp_path: Path) -> None:
    async with cached_reads(tmp_path) as d:
        d.server.validators = Validators()
        await d.read()
        d.clock.now += timedelta(minutes=61)
        await d.read()
        assert d.server.asked == [(URL, None), (URL, None)]


async def test_a_failure_to_read_an_old_page_again_is_a_failure(tmp_path: Path) -> None:
    async with cached_reads(tmp_path) as d:
        await d.read()
        d.clock.now += timedelta(minutes=61)
        d.server.fate = Page(
            URL, PageStatus.FAILED, PageReason.HTTP_STATUS, Message("it answered 500")
        )
        assert await d.read() == d.server.fate
        d.server.fate = ServiceDown("reader", "http://127.0.0.1:1", "It is gone.")
        with pytest.raises(ServiceDown):
            await d.read()
        d.server.fate = None
        assert (await d.read()).markdown == "old"
        assert d.server.asked[-1][1] is not None


@pytest.mark.parametrize(
    "reason",
    [
        PageReason.HTTP_STATUS,
        PageReason.NETWORK,
        PageReason.TIMED_OUT,
        PageReason.TOO_LARGE,
        PageReason.EXTRACTION,
        PageReason.REFUSED_ADDRESS,
    ],
)
async def test_a_page_that_may_be_read_next_time_is_tried_again(
    tmp_path: Path, reason: PageReason
) -> None:
    async with cached_reads(tmp_path) as d:
        d.server.fate = Page(URL, PageStatus.FAILED, reason)
        await d.read()
        await d.read()
        assert len(d.server.asked) == 2


async def test_what_a_server_forbids_to_keep_is_not_kept_and_forgotten(tmp_path: Path) -> None:
    async with cached_reads(tmp_path) as d:
        await d.read()
        assert d.cache.contents().pages == 1
        d.clock.now += timedelta(minutes=61)
        d.server.text, d.server.storable = "secret", False
        assert (await d.read()).markdown == "secret"
        assert d.cache.contents().pages == 0
        assert (await d.read()).markdown == "secret"
        assert [known is None for _, known in d.server.asked] == [True, False, True]


async def test_a_page_from_the_future_is_asked_after(tmp_path: Path) -> None:
    async with cached_reads(tmp_path) as d:
        await d.read()
        d.clock.now -= timedelta(days=400)
        await d.read()
        assert [known is None for _, known in d.server.asked] == [True, False]


@pytest.mark.parametrize("moment", ["", "yesterday", "2026-03-01T12:00:00"])
async def test_a_page_of_an_unknown_time_is_asked_after(tmp_path: Path, moment: str) -> None:
    async with cached_reads(tmp_path) as d:
        d.server.fate = replace(page(URL, "old"), fetched_at=moment, validators=VALIDATORS)
        await d.read()
        d.server.fate = None
        await d.read()
        assert [known is None for _, known in d.server.asked] == [True, False]


async def test_a_caller_that_knows_the_page_has_it_asked_after(tmp_path: Path) -> None:
    async with cached_reads(tmp_path) as d:
        first = await d.read()
        await d.read(known=first)
        assert d.server.asked[1] == (URL, first)


async def test_a_page_that_is_being_read_is_not_fetched_twice(tmp_path: Path) -> None:
    hold = asyncio.Event()
    fetched_at = datetime.now(UTC).isoformat(timespec="seconds")
    shelf = {url: replace(page(url, "old"), fetched_at=fetched_at) for url in (URL, f"{URL}/2")}
    inner = ScriptedReader(shelf, holds={URL: hold})
    cache = PageCache(tmp_path / "pages.sqlite3", 1, pytest.fail)
    async with (
        CachingReader(inner, cache, pytest.fail) as reader,
        asyncio.TaskGroup() as group,
    ):
        reading = [group.create_task(reader.read(URL, sent=ignore)) for _ in range(3)]
        other = await reader.read(f"{URL}/2", sent=ignore)
        assert other.markdown == "old"
        hold.set()
        found = [await task for task in reading]
    assert sorted(p.served_by for p in found) == ["", "the page cache", "the page cache"]
    assert sorted(inner.requested) == [URL, f"{URL}/2"]


async def test_a_reader_that_is_stopped_leaves_the_page_to_the_next(tmp_path: Path) -> None:
    hold = asyncio.Event()
    inner = ScriptedReader({URL: "old"}, holds={URL: hold})
    cache = PageCache(tmp_path / "pages.sqlite3", 1, pytest.fail)
    async with (
        CachingReader(inner, cache, pytest.fail) as reader,
        asyncio.TaskGroup() as group,
    ):
        stopped = group.create_task(reader.read(URL, sent=ignore))
        await inner.tally.until_begun(1)
        waiting = group.create_task(reader.read(URL, sent=ignore))
        stopped.cancel()
        await inner.tally.until_begun(2)
        hold.set()
        assert (await waiting).markdown == "old"
    assert stopped.cancelled()


class HeldCache(PageCache):
    """A cache that keeps a page only when it is let."""

    def __init__(self, file: Path) -> None:
        super().__init__(file, 1, pytest.fail)
        self.begun, self.let = threading.Event(), threading.Event()

    def store(self, page: Page) -> None:
        self.begun.set()
        assert self.let.wait(PATIENCE_S)
        super().store(page)


async def test_a_page_that_is_being_kept_when_its_reader_is_stopped_is_kept_whole(
    tmp_path: Path,
) -> None:
    inner = ScriptedReader({URL: "old"})
    cache = HeldCache(tmp_path / "pages.sqlite3")
    async with CachingReader(inner, cache, pytest.fail) as reader:
        async with asyncio.TaskGroup() as group:
            reading = group.create_task(reader.read(URL, sent=ignore))
            await asyncio.to_thread(cache.begun.wait, 10)
            reading.cancel()
        assert reading.cancelled()
        cache.let.set()
    found = PageCache(tmp_path / "pages.sqlite3", 1, pytest.fail).find(URL)
    assert found is not None
    assert found.markdown == "old"


async def test_a_cache_that_cannot_be_used_costs_no_page_and_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file", encoding="ascii")
    async with cached_reads(tmp_path / "cache") as d:
        for i in range(5):
            assert (await d.read(f"{URL}/{i}")).markdown == "old"
        assert len(d.server.asked) == 5
        (reported,) = d.troubles
        assert reported.startswith("The page cache, ")


async def test_a_cache_in_trouble_is_tried_again_after_a_rest(tmp_path: Path) -> None:
    blocked = tmp_path / "cache"
    blocked.write_text("a file", encoding="ascii")
    async with cached_reads(blocked) as d:
        await d.read()
        blocked.unlink()
        await d.read()
        assert not blocked.exists()
        assert 0 < d.reader._rests_until - time.monotonic() <= page_cache.REST_S
        d.reader._rests_until = 0.0
        await d.read()
        assert (await d.read()).served_by == "the page cache"
        assert len(d.troubles) == 1


async def test_leaving_closes_the_file_once_all_is_written(tmp_path: Path) -> None:
    async with cached_reads(tmp_path) as d:
        await d.read()
        assert len(files(tmp_path)) == 3
    assert files(tmp_path) == [tmp_path / "pages.sqlite3"]


async def test_a_page_is_given_though_its_use_cannot_be_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askance.adapters.storage.page_cache.BUSY_TIMEOUT_S", 0.02)
    async with cached_reads(tmp_path) as d:
        await d.read()
        other = sqlite3.connect(tmp_path / "pages.sqlite3", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        assert (await d.read()).served_by == "the page cache"
        other.close()
        assert str(tmp_path) in d.troubles[0]


async def test_two_readers_share_one_file(tmp_path: Path) -> None:
    async with cached_reads(tmp_path) as one, cached_reads(tmp_path) as two:
        await one.read()
        assert (await two.read()).served_by == "the page cache"
        assert two.server.asked == []


async def test_a_real_site_is_asked_whether_a_page_has_changed(tmp_path: Path) -> None:
    async def site(request: Request, wire: Wire) -> None:
        if request.path == "/moved":
            await wire.send(b"", 302, {"Location": "/harbour"})
        elif request.headers.get("if-none-match") == '"7"':
            await wire.send(b"", 304, {"ETag": '"7"'})
        else:
            await wire.send(article(), headers={**HTML, "ETag": '"7"'})

    notes: list[RequestSent] = []
    later = timedelta(0)
    cache = PageCache(tmp_path / "pages.sqlite3", 1, pytest.fail)
    async with serve(site) as server:
        resolver = MappedResolver({"site.example": ("127.0.0.1", server.port)}, SystemResolver())
        settings = ReaderSettings()
        async with (
            InProcessReader(settings, workers=1, resolver=resolver) as inner,
            CachingReader(
                inner, cache, pytest.fail, clock=lambda: datetime.now(UTC) + later
            ) as reader,
        ):
            url = "http://site.example/moved"
            first = await reader.read(url, sent=notes.append)
            stored = await reader.read(url, sent=notes.append)
            assert len(notes) == len(server.requests) == 2
            later = timedelta(hours=2)
            vouched = await reader.read(url, sent=notes.append)
            assert [r.headers.get("if-none-match") for r in server.requests] == [
                None,
                None,
                None,
                '"7"',
            ]
    assert first.status is PageStatus.OK
    assert first.final_url == URL
    assert stored == replace(first, served_by="the page cache", elapsed_ms=stored.elapsed_ms)
    assert (vouched.markdown, vouched.content_hash) == (first.markdown, first.content_hash)
    assert vouched.served_by == "this program"
    assert len(notes) == 4


UNREADABLE = [
    Page(URL, PageStatus.EMPTY, PageReason.SCRIPT_ONLY, Message("Only scripts: {n}.", n=3)),
    Page(URL, PageStatus.EMPTY, PageReason.CONSENT_WALL, Message("Only a form.")),
    Page(URL, PageStatus.EMPTY, PageReason.NO_TEXT),
    Page(URL, PageStatus.FAILED, PageReason.NOT_TEXT, Message.verbatim("It is image/png.")),
    Page(URL, PageStatus.FAILED, PageReason.REDIRECTS, Message("It goes in a circle.")),
    Page(URL, PageStatus.FAILED, PageReason.NOT_FOUND, Message("The server answered 404.")),
    Page(URL, PageStatus.FAILED, PageReason.DENIED, Message("The server answered 403.")),
]


@pytest.mark.parametrize("fate", UNREADABLE, ids=lambda page: page.reason)
async def test_a_page_that_holds_nothing_to_read_is_not_fetched_again_for_a_while(
    tmp_path: Path, fate: Page
) -> None:
    async with cached_reads(tmp_path) as d:
        d.server.fate = replace(fate, final_url=URL, fetched_at=d.clock().isoformat())
        await d.read()
        again = await d.read()
        assert len(d.server.asked) == 1
        assert (again.status, again.reason, again.detail) == (fate.status, fate.reason, fate.detail)
        assert again.detail.to_record() == fate.detail.to_record()
        assert again.served_by == "the page cache"
        assert d.cache.contents().pages == 0
        d.clock.now += page_cache.LASTING[fate.reason]
        d.server.fate = None
        assert (await d.read()).markdown == "old"
        assert d.server.asked[-1] == (URL, None)
        assert d.cache.contents().pages == 1


async def test_what_was_read_once_is_not_given_up_for_a_reading_that_found_nothing(
    tmp_path: Path,
) -> None:
    async with cached_reads(tmp_path) as d:
        await d.read()
        d.clock.now += timedelta(minutes=61)
        d.server.fate = replace(UNREADABLE[0], fetched_at=d.clock().isoformat())
        assert (await d.read()).status is PageStatus.EMPTY
        d.server.fate = None
        assert (await d.read()).markdown == "old"
        assert d.server.asked[-1][1] is not None
