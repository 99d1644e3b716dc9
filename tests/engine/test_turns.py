"""A run's turn at the model's server: what is told of it, and that waiting costs no time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from datetime import date
from typing import Any

import pytest

from askance.config.settings import Settings
from askance.domain.conversation import Conversation, RunRequest, TextTask, Turn
from askance.domain.events import (
    Answered,
    Cancelled,
    Dequeued,
    Queued,
    RunEvent,
    Warned,
    WarningCode,
)
from askance.domain.ports.model import Waiting
from askance.engine.prompts import Prompts
from askance.engine.run import Engine
from fakes.model import ScriptedModel
from fakes.reader import ScriptedReader
from fakes.search import ScriptedSearch
from servers.model_script import plan as the_plan

HISTORY = Conversation().with_turn(Turn("What is it?", "A lamp."))


class ScriptedQueue:
    """A queue in which a run waits behind so many others, until `free` is set."""

    def __init__(self, *ahead: int) -> None:
        self.ahead = ahead
        self.free = asyncio.Event()
        self.waits = asyncio.Event()
        self.turns = 0
        self.held = 0

    def is_free(self) -> bool:
        return not self.ahead

    @asynccontextmanager
    async def turn(self, waiting: Waiting) -> AsyncGenerator[None]:
        for ahead in self.ahead:
            waiting(ahead)
        self.waits.set()
        if self.ahead:
            await self.free.wait()
        self.turns += 1
        self.held += 1
        try:
            yield
        finally:
            self.held -= 1


def engine_of(prompts: Prompts, queue: ScriptedQueue) -> Engine:
    plan = the_plan("lamp", history_sufficiency="sufficient")
    model = ScriptedModel.by_role(plan=[plan], answer=["Because."])
    return Engine(
        model,
        ScriptedSearch({}),
        ScriptedReader({}),
        prompts,
        Settings(),
        lambda: date(2026, 11, 22),
        queue=queue,
    )


async def asked(engine: Engine, emit: Callable[[RunEvent], None]) -> object:
    return await engine.run(RunRequest("Why?", HISTORY), emit=emit)


async def talked(engine: Engine, emit: Callable[[RunEvent], None]) -> object:
    return await engine.chat(RunRequest("Why?", HISTORY), emit=emit)


async def reworked(engine: Engine, emit: Callable[[RunEvent], None]) -> object:
    return await engine.rework(TextTask.TLDR, "A lamp.", "", emit=emit)


Work = Callable[[Engine, Callable[[RunEvent], None]], Coroutine[Any, Any, object]]
every_work = pytest.mark.parametrize("work", [asked, talked, reworked])


@every_work
async def test_a_run_that_need_not_wait_tells_nothing_of_it(
    work: Work, prompts: Prompts, events: list[RunEvent]
) -> None:
    queue = ScriptedQueue()
    await work(engine_of(prompts, queue), events.append)
    assert not [e for e in events if isinstance(e, Queued | Dequeued)]
    assert isinstance(events[-1], Answered)
    assert (queue.turns, queue.held) == (1, 0)


@every_work
async def test_a_run_that_waits_says_so_before_all_else(
    work: Work, prompts: Prompts, events: list[RunEvent]
) -> None:
    queue = ScriptedQueue(2, 1)
    async with asyncio.TaskGroup() as group:
        group.create_task(work(engine_of(prompts, queue), events.append))
        await queue.waits.wait()
        assert events == [Queued(2), Queued(1)]
        queue.free.set()
    assert isinstance(events[2], Dequeued)
    assert isinstance(events[-1], Answered)
    assert queue.held == 0


@every_work
async def test_a_run_that_is_stopped_while_it_waits_ends_once(
    work: Work, prompts: Prompts, events: list[RunEvent]
) -> None:
    queue = ScriptedQueue(1)
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(work(engine_of(prompts, queue), events.append))
        await queue.waits.wait()
        waiting.cancel()
    assert events == [Queued(1), Cancelled()]
    assert (queue.turns, queue.held) == (0, 0)


async def test_waiting_takes_nothing_of_a_runs_time(
    prompts: Prompts, events: list[RunEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop's clock is put forward by an hour while the run waits."""
    queue = ScriptedQueue(1)
    loop = asyncio.get_running_loop()
    real, late = loop.time, 0.0
    monkeypatch.setattr(loop, "time", lambda: real() + late)
    async with asyncio.TaskGroup() as group:
        group.create_task(asked(engine_of(prompts, queue), events.append))
        await queue.waits.wait()
        late = 3600.0
        queue.free.set()
    end = events[-1]
    assert isinstance(end, Answered)
    codes = {event.code for event in events if isinstance(event, Warned)}
    assert not codes & {WarningCode.TIME_LIMIT, WarningCode.PLAN_FAILED}
    assert end.elapsed_ms < 600_000
    (reported,) = [e for e in events if isinstance(e, Dequeued)]
    assert reported.waited_ms >= 3_600_000
