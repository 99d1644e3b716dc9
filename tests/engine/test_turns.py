"""The model of a run: its turn, which costs no time, its warm-up before a question, another one in its place."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from askance.domain.conversation import Conversation, RunRequest, TextTask, Turn
from askance.domain.errors import ServiceDown
from askance.domain.events import (
    Answered,
    Cancelled,
    Dequeued,
    Queued,
    RunEvent,
    TokenArrived,
    Warned,
    WarningCode,
)
from askance.domain.messages import Message
from askance.domain.ports.model import ModelChanged, ModelInfo, Role, Text, Timing, Waiting
from askance.engine.model_session import ReplyOpener
from askance.engine.prompts import ContextBudget, prompted
from askance.engine.run import Engine
from engine.contexts import engine_of
from fakes.model import Reply, ScriptedModel
from servers.model_script import plan
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


def queued(queue: ScriptedQueue) -> Engine:
    plan = the_plan("lamp", history_sufficiency="sufficient")
    model = ScriptedModel.by_role(plan=[plan], answer=["Because."])
    return engine_of(model, queue=queue)


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
    work: Work, events: list[RunEvent]
) -> None:
    queue = ScriptedQueue()
    await work(queued(queue), events.append)
    assert not [e for e in events if isinstance(e, Queued | Dequeued)]
    assert isinstance(events[-1], Answered)
    assert (queue.turns, queue.held) == (1, 0)


@every_work
async def test_a_run_that_waits_says_so_before_all_else(work: Work, events: list[RunEvent]) -> None:
    queue = ScriptedQueue(2, 1)
    async with asyncio.TaskGroup() as group:
        group.create_task(work(queued(queue), events.append))
        await queue.waits.wait()
        assert events == [Queued(2), Queued(1)]
        queue.free.set()
    assert isinstance(events[2], Dequeued)
    assert isinstance(events[-1], Answered)
    assert queue.held == 0


@every_work
async def test_a_run_that_is_stopped_while_it_waits_ends_once(
    work: Work, events: list[RunEvent]
) -> None:
    queue = ScriptedQueue(1)
    async with asyncio.TaskGroup() as group:
        waiting = group.create_task(work(queued(queue), events.append))
        await queue.waits.wait()
        waiting.cancel()
    assert events == [Queued(1), Cancelled()]
    assert (queue.turns, queue.held) == (0, 0)


async def test_waiting_takes_nothing_of_a_runs_time(
    events: list[RunEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop's clock is put forward by an hour while the run waits."""
    queue = ScriptedQueue(1)
    loop = asyncio.get_running_loop()
    real, late = loop.time, 0.0
    monkeypatch.setattr(loop, "time", lambda: real() + late)
    async with asyncio.TaskGroup() as group:
        group.create_task(asked(queued(queue), events.append))
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


STAYS_S = 1800.0
DOWN = ServiceDown("Ollama", "http://127.0.0.1:1", Message("It does not answer."))


class DistantModel(ScriptedModel):
    """A model on another machine."""

    async def info(self) -> ModelInfo:
        return replace(await super().info(), host="gpu.example")


async def test_the_text_that_all_prompts_begin_with_is_taken_in_once() -> None:
    model = ScriptedModel("", plan("lamp", history_sufficiency="sufficient"), "Because.")
    engine = engine_of(model)
    await engine.warm_up(STAYS_S)
    await engine.warm_up(STAYS_S)
    (call,) = model.calls
    assert (call.max_tokens, model.open_replies) == (0, 0)
    await engine.run(
        RunRequest("Why?", Conversation().with_turn(Turn("What is it?", "A lamp."))),
        emit=lambda _: None,
    )
    assert model.calls[1].messages[0] == call.messages[0]
    assert call.messages[0].role is Role.SYSTEM


async def test_what_was_taken_in_is_not_expected_to_be_taken_in_again() -> None:
    model = ScriptedModel("", plan("lamp", history_sufficiency="sufficient"), "Because.")
    engine = engine_of(model)
    await engine.warm_up(STAYS_S)
    asking = ReplyOpener(model, engine.model_speed, ContextBudget(8192, 900))
    (call,) = model.calls
    question = (call.messages[0], prompted(Role.USER, "Why?"))
    assert asking.fresh_tokens(question) < 10
    engine.model_speed.held = ""
    assert asking.fresh_tokens(question) > 70


async def test_what_a_token_is_worth_is_known_to_the_next_question() -> None:
    counted: Reply = [Timing(prompt_tokens=1000), json.dumps(plan("lamp"))]
    model = ScriptedModel(counted, *["Because."] * 8)
    engine = engine_of(model)
    await engine.run(RunRequest("Why? " * 100), emit=lambda _: None)
    assert engine.model_speed.token_factor > 1.5


async def test_after_a_question_the_cache_is_left_alone_until_the_model_may_be_gone() -> None:
    model = ScriptedModel("Hello.", "")
    engine = engine_of(model)
    await engine.chat(RunRequest("Hi"), emit=lambda _: None)
    await engine.warm_up(STAYS_S)
    assert len(model.calls) == 1
    await engine.warm_up(0.0)
    assert len(model.calls) == 2


@pytest.mark.parametrize("ahead", [(), (1,)], ids=["free", "in use"])
async def test_others_who_use_the_model_are_not_disturbed(ahead: tuple[int, ...]) -> None:
    model = ScriptedModel("")
    await engine_of(model, queue=ScriptedQueue(*ahead)).warm_up(STAYS_S)
    assert len(model.calls) == (0 if ahead else 1)


async def test_nothing_goes_to_another_machine_before_it_is_asked() -> None:
    model = DistantModel()
    await engine_of(model).warm_up(STAYS_S)
    assert model.calls == []


@pytest.mark.parametrize("failure", ["info", "reply"])
async def test_why_it_fails_is_left_for_the_question(failure: str) -> None:
    replies: list[Reply] = [DOWN] if failure == "reply" else []
    model = ScriptedModel(*replies, info_error=DOWN if failure == "info" else None)
    await engine_of(model).warm_up(STAYS_S)
    assert model.open_replies == 0


async def test_a_server_that_does_not_count_is_left_at_its_first_token() -> None:
    model = ScriptedModel(["Well", ", there", " once was"])
    await engine_of(model).warm_up(STAYS_S)
    assert (model.left_early, model.open_replies) == (1, 0)


async def test_another_model_in_place_of_a_deleted_one_is_told_of_once(
    events: list[RunEvent],
) -> None:
    engine = engine_of(ScriptedModel([ModelChanged("wren:8b", "robin:4b"), Text("Because.")]))
    end = await engine.chat(RunRequest("Why?"), emit=events.append)
    text = "The model wren:8b is gone; robin:4b was asked instead."
    assert events == [
        Warned(WarningCode.MODEL_CHANGED, Message.verbatim(text)),
        TokenArrived("Because."),
        end,
    ]


async def test_a_search_tells_of_another_model_among_its_warnings(events: list[RunEvent]) -> None:
    plan = the_plan("lamp", history_sufficiency="sufficient")
    change = ModelChanged("wren:8b", "robin:4b")
    model = ScriptedModel.by_role(plan=[[change, Text(json.dumps(plan))]], answer=["Because."])
    engine = engine_of(model)
    conversation = Conversation().with_turn(Turn("What is it?", "A lamp."))
    end = await engine.run(RunRequest("Why?", conversation), emit=events.append)
    assert isinstance(end, Answered)
    text = "The model wren:8b is gone; robin:4b was asked instead."
    assert end.warnings.count(text) == 1
