"""One run from its first event to its end, whatever befalls it."""

from __future__ import annotations

import asyncio

import pytest

from askance.cli.exits import Output, OutputLost
from askance.cli.views import JsonFront, follow
from askance.domain.errors import ServiceDown
from askance.domain.events import Cancelled, Emit, Failed, PageRequested, RunEnd, RunEvent
from askance.domain.messages import Message
from cli.fake_shell import FakeStream
from cli.runs import ANSWERED, RUN


class Recorder:
    """A front that keeps what it was shown."""

    def __init__(self) -> None:
        self.events: list[RunEvent] = []
        self.ticked = asyncio.Event()
        self.closed = 0

    def show(self, event: RunEvent) -> None:
        self.events.append(event)

    def tick(self) -> None:
        self.ticked.set()

    def close(self) -> None:
        self.closed += 1


async def test_every_event_is_shown_and_the_end_returned() -> None:
    front = Recorder()

    async def run(emit: Emit) -> RunEnd:
        for event in RUN:
            emit(event)
        return ANSWERED

    assert await follow(front, run) is ANSWERED
    assert front.events == list(RUN)
    assert front.closed == 1


async def test_the_front_is_ticked_while_the_run_waits() -> None:
    front = Recorder()

    async def run(emit: Emit) -> RunEnd:
        await front.ticked.wait()
        front.ticked.clear()
        await front.ticked.wait()
        return ANSWERED

    assert await follow(front, run) is ANSWERED


async def test_a_service_that_fails_before_the_run_ends_it_as_failed() -> None:
    front = Recorder()

    async def run(emit: Emit) -> RunEnd:
        raise ServiceDown("SearXNG", "http://x", "It is down.", fix="Start it.")

    end = await follow(front, run)
    assert end == Failed(Message("It is down."), Message("Start it."), "SearXNG", "http://x")
    assert front.events == [end]


async def test_a_cancelled_run_is_shown_as_cancelled_once_and_passes_on() -> None:
    for emits_itself in (False, True):
        front, started = Recorder(), asyncio.Event()

        async def run(
            emit: Emit, started: asyncio.Event = started, itself: bool = emits_itself
        ) -> RunEnd:
            started.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                if itself:
                    emit(Cancelled())
                raise
            raise AssertionError

        async with asyncio.TaskGroup() as group:
            task = group.create_task(follow(front, run))
            await started.wait()
            task.cancel()
        assert task.cancelled()
        assert front.events == [Cancelled()]
        assert front.closed == 1


async def test_an_output_that_breaks_stops_the_run() -> None:
    class Full(FakeStream):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    stopped = False

    async def run(emit: Emit) -> RunEnd:
        nonlocal stopped
        emit(PageRequested("https://a.example/", 1))
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped = True
            raise
        raise AssertionError

    with pytest.raises(OutputLost, match="No space left"):
        await follow(JsonFront(Output(Full())), run)
    assert stopped


async def test_a_bug_keeps_its_stack_trace() -> None:
    async def run(emit: Emit) -> RunEnd:
        raise ZeroDivisionError

    with pytest.raises(ExceptionGroup) as caught:
        await follow(Recorder(), run)
    assert caught.group_contains(ZeroDivisionError)
