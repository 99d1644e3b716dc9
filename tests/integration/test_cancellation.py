"""A run cancelled after each of its events: nothing of it is left."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.storage.traces import TraceStore
from askance.domain.conversation import RunRequest
from askance.domain.events import (
    Answered,
    Cancelled,
    CitationsChecked,
    GapFound,
    Judged,
    PageRead,
    PageRequested,
    PassagesSelected,
    Planned,
    ResultsFound,
    ResultsRanked,
    RunEvent,
    SearchStarted,
    SourcesReady,
    TokenArrived,
)
from integration.order import cancelled_at
from integration.program import opened
from servers.faults import address_of_nobody, stalls
from servers.loopback import Handler, Request, Wire
from servers.model_script import Role
from servers.world import QUESTION, RecordedEvents, World, knowing_model, where
from servers.world import credulous as world
from waiting import patience

EVENTS = [
    SearchStarted,
    ResultsFound,
    ResultsRanked,
    PageRequested,
    PageRead,
    Planned,
    PassagesSelected,
    Judged,
    GapFound,
    SourcesReady,
    TokenArrived,
    CitationsChecked,
]


async def cancelled_after(
    w: World,
    kind: type[RunEvent],
    nth: int,
    folder: Path,
    *,
    question: str = QUESTION,
    **wanted: Any,
) -> RecordedEvents | None:
    """Run, and cancel as soon as the nth event of a kind is told; None where there is no nth."""
    reported = RecordedEvents()
    seen = 0
    with TraceStore(folder, 10, pytest.fail).begin(QUESTION) as trace:

        def on_event(event: RunEvent) -> None:
            nonlocal seen
            trace.add(event, 0.0)
            seen += isinstance(event, kind)
            if isinstance(event, kind) and seen == nth:
                running.cancel()

        async with asyncio.TaskGroup() as group:
            running = group.create_task(
                w.ask(question, is_reported=reported, on_event=on_event, **wanted)
            )
    return reported if seen >= nth else None


def files_in(folder: Path) -> list[Path]:
    return list(folder.rglob("*"))


async def assert_nothing_is_left(w: World, before: set[asyncio.Task[object]]) -> None:
    await w.until_idle()
    for _ in range(20):  # the servers' own tasks end a few turns after their connections
        await asyncio.sleep(0)
    assert asyncio.all_tasks() == before


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
async def test_a_run_cancelled_after_any_event_leaves_nothing(kind: type[RunEvent], tmp_path: Path):
    async with world() as w:
        before = asyncio.all_tasks()
        nth = 1
        while reported := await cancelled_after(w, kind, nth, tmp_path):
            assert reported.ends == [Cancelled()], f"after {kind.__name__} number {nth}"
            assert reported.events[-1] == Cancelled()
            await assert_nothing_is_left(w, before)
            assert files_in(tmp_path) == []
            w.script.calls.clear()
            nth += 1
    assert nth > 1, f"a run of two rounds has no {kind.__name__}"


async def test_a_run_cancelled_in_its_first_moment_leaves_nothing():
    async with world() as w:
        before = asyncio.all_tasks()
        reported = RecordedEvents()
        async with asyncio.TaskGroup() as group:
            running = group.create_task(w.ask(is_reported=reported))
            await asyncio.sleep(0)
            running.cancel()
        assert running.cancelled()
        assert reported.ends == [Cancelled()]
        await assert_nothing_is_left(w, before)


async def test_a_run_cancelled_while_it_gives_up_its_last_page_leaves_nothing():
    # Without a model nothing is waited for between giving up the slow page and the end.
    nobody = {"llm.url": address_of_nobody()}
    breaks = {"web": where("harbour", stalls)}
    async with world(settings=nobody, breaks=breaks) as w:
        before = asyncio.all_tasks()
        await cancelled_at(
            CitationsChecked, lambda emit: w.engine.run(RunRequest(QUESTION), emit=emit)
        )
        await assert_nothing_is_left(w, before)


async def test_cancelling_at_the_very_end_reports_one_end():
    async with world() as w:
        reported = RecordedEvents()

        def on_event(event: RunEvent) -> None:
            if isinstance(event, Answered):
                running.cancel()

        async with asyncio.TaskGroup() as group:
            running = group.create_task(w.ask(is_reported=reported, on_event=on_event))
        assert len(reported.ends) == 1


def announced(reached: asyncio.Event) -> Handler:
    """Say that the request is there, and then nothing more."""

    async def handler(request: Request, wire: Wire) -> None:
        reached.set()
        await stalls(request, wire)

    return handler


async def cancel_at(w: World, reached: asyncio.Event) -> None:
    """Cancel a run at a moment in which a service owes it a reply, and look for what is left."""
    before = asyncio.all_tasks()
    reported = RecordedEvents()
    async with patience(), asyncio.TaskGroup() as group:
        running = group.create_task(w.ask(is_reported=reported))
        await reached.wait()
        running.cancel()
    assert running.cancelled()
    assert reported.ends == [Cancelled()]
    await assert_nothing_is_left(w, before)


@pytest.mark.parametrize("role", ["plan", "judge", "answer"])
async def test_a_run_cancelled_while_the_model_is_silent_closes_its_connection(role: Role):
    reached = asyncio.Event()
    async with world(knowing_model(**{role: [announced(reached)]})) as w:
        await cancel_at(w, reached)


@pytest.mark.parametrize(
    ("server", "part"),
    [("search", "q=Where"), ("search", "Clara"), ("web", "light"), ("web", "museum")],
    ids=["first search", "gap search", "first pages", "gap page"],
)
async def test_a_run_cancelled_while_a_service_is_silent_closes_its_connection(
    server: str, part: str
):
    reached = asyncio.Event()
    async with world(breaks={server: where(part, announced(reached))}) as w:
        await cancel_at(w, reached)


async def test_cancelling_ends_the_child_that_takes_a_page_apart(tmp_path: Path):
    async with opened(tmp_path) as (app, servers):
        app.prepare()
        before = asyncio.all_tasks()
        await cancelled_at(
            PageRequested, lambda emit: app.engine.run(RunRequest(QUESTION), emit=emit)
        )
        for server in servers.values():
            await server.until_idle()
        assert isinstance(app.reader, InProcessReader)
        children = app.reader.worker_pids
        assert asyncio.all_tasks() == before
    for child in children:
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)
