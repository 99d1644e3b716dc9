"""Two megabytes of every shape that costs a reader most, beside the pages that answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest
import pytest_asyncio
from bench.hostile_shapes import SHAPES, shape
from bench.loop_probe import Kept, keeping

from askance.adapters.reader.workers import WorkerPool
from askance.domain.events import PageRead, RunEvent
from askance.domain.web_pages import PageReason
from integration.order import assert_legal
from servers.loopback import Handler, Request, Wire
from servers.world import HARBOUR, LIGHTHOUSE, WHITLOW, RecordedEvents, the_web
from servers.world import credulous as world

PROCESSES = 2
LONGEST_MS = 100
"""The event loop belongs to the window's engine, too: a stop and a token wait behind a callback."""
PAGE_TIMEOUT_S = 8.0
GOOD_AFTER_S = 4.0
"""The good pages come behind the hostile one, or after this time: or no round would wait for it."""
RUN_S = 90.0
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool() -> AsyncIterator[WorkerPool]:
    """The processes that take pages apart, as the program has them."""
    async with WorkerPool(PROCESSES, 1024) as pool:
        yield pool


async def come_up(pool: WorkerPool) -> None:
    """Wait until all of its processes are there: one that was ended over a page is started anew."""
    async with asyncio.TaskGroup() as tasks:
        for _ in range(PROCESSES):
            tasks.create_task(pool.extract(b"A page.", "http://first.example/", "text/plain"))


def hostile(name: str) -> Handler:
    """Answer with a page of a shape."""
    content_type, text = shape(name)
    body = text.encode("utf-8", "replace")

    async def answer(_: Request, wire: Wire) -> None:
        await wire.send(body, headers={"Content-Type": content_type})

    return answer


def behind(read: asyncio.Event) -> Handler:
    """Answer as the web does, once the hostile page was read."""

    async def answer(request: Request, wire: Wire) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(GOOD_AFTER_S):
                await read.wait()
        await the_web(request, wire)

    return answer


async def run_with(name: str, pool: WorkerPool) -> tuple[RecordedEvents, Kept]:
    """Ask a question whose search offers a page of this shape beside those that answer."""
    await come_up(pool)
    read = asyncio.Event()
    bad, good = hostile(name), behind(read)

    def page_of(request: Request) -> Handler:
        return bad if "harbour" in request.headers.get("host", "") else good

    def note(event: RunEvent) -> None:
        if isinstance(event, PageRead) and event.url == HARBOUR:
            read.set()

    settings = {"reader.page_timeout_s": PAGE_TIMEOUT_S}
    async with world(breaks={"web": page_of}, settings=settings) as w:
        w.reader._workers = pool
        with keeping() as stored:
            async with asyncio.timeout(RUN_S):
                reported = await w.ask(on_event=note)
    return reported, stored


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SHAPES)
async def test_a_page_of_any_shape_keeps_the_loop_no_longer_than_a_tenth_of_a_second(
    name: str, pool: WorkerPool
) -> None:
    reported, stored = await run_with(name, pool)
    assert stored.longest_ms <= LONGEST_MS, stored
    assert_legal(reported.events)
    reasons = {page.reason for page in reported.of(PageRead) if page.url == HARBOUR}
    assert PageReason.TOO_LARGE not in reasons
    assert "Orr" in reported.end.answer
    assert {LIGHTHOUSE, WHITLOW} <= {s.url for s in reported.end.sources if not s.snippet_only}
