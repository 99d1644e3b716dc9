"""A model that reasons although it was asked not to: room for that, one sentence, and what is remembered."""

from __future__ import annotations

from contextlib import aclosing
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.llm.model_queue import SpeedFile
from askance.config.settings import Settings
from askance.domain.conversation import RunRequest
from askance.domain.events import Answered, RunEvent, Warned, WarningCode
from askance.domain.ports.model import (
    Finished,
    FinishReason,
    Retracted,
    Speed,
    Text,
    Thought,
)
from askance.engine.context import wall_clock_s
from askance.engine.model_session import (
    MOST_THOUGHT_TOKENS,
    MalformedReply,
    ModelSession,
    SharedPrompt,
)
from askance.engine.model_speed import ModelSpeed
from askance.engine.prompts import SAFETY, THINKING_TOKENS, ContextBudget, Prompts
from askance.engine.run import Engine
from askance.engine.run_progress import RunState
from fakes.model import Reply, ScriptedModel
from fakes.reader import ScriptedReader
from fakes.search import ScriptedSearch

SCHEMA: dict[str, Any] = {"properties": {"one": {}}}
LONG = Thought("Let me see what the sources say. " * 60)
LOST: Reply = [LONG, Finished(FinishReason.LENGTH, 100, 50)]
HIDDEN: Reply = [Finished(FinishReason.LENGTH, 100, 50)]


def session(
    model: ScriptedModel,
    prompts: Prompts,
    progress: RunState,
    *,
    speed: ModelSpeed | None = None,
    context: int = 16_384,
) -> ModelSession:
    return ModelSession(
        model,
        ContextBudget(context, 300),
        prompts,
        progress,
        SharedPrompt("System.", "Why?"),
        model_speed=speed or ModelSpeed(),
    )


async def ask(calls: ModelSession) -> dict[str, Any]:
    return await calls.ask("", "Task.", SCHEMA, max_tokens=50, decided=lambda f: "one" in f)


async def write(calls: ModelSession) -> str:
    async with aclosing(calls.write("", "Task.", temperature=0.4)) as parts:
        found = [part async for part in parts]
    assert isinstance(found[-1], Finished)
    return "".join(part.text for part in found if isinstance(part, Text))


@pytest.mark.parametrize("lost", [LOST, HIDDEN], ids=["shown", "hidden"])
async def test_a_reply_of_reasoning_alone_is_asked_for_again_with_room(
    lost: Reply, prompts: Prompts, progress: RunState
) -> None:
    model = ScriptedModel(lost, {"one": 1})
    assert await ask(session(model, prompts, progress)) == {"one": 1}
    first, second = model.calls
    assert (first.max_tokens, second.max_tokens) == (50, 50 + MOST_THOUGHT_TOKENS)
    assert (first.reasons_unasked, second.reasons_unasked) == (False, True)
    assert first.messages == second.messages
    assert progress.usage.model_calls == 2
    assert not progress.warned


async def test_the_same_holds_for_prose(prompts: Prompts, progress: RunState) -> None:
    model = ScriptedModel(LOST, "Because.")
    assert await write(session(model, prompts, progress)) == "Because."
    assert len(model.calls) == 2


async def test_reasoning_that_nothing_ends_is_named_and_asked_for_no_third_time(
    prompts: Prompts, progress: RunState
) -> None:
    model = ScriptedModel(LOST, LOST, LOST, LOST)
    calls = session(model, prompts, progress)
    with pytest.raises(MalformedReply, match="used up its tokens by reasoning"):
        await ask(calls)
    assert len(model.calls) == 2
    assert await write(calls) == ""
    assert progress.warned == {WarningCode.ONLY_REASONED}
    assert len(progress.warnings) == 1


async def test_the_room_ends_with_the_context(prompts: Prompts, progress: RunState) -> None:
    model = ScriptedModel(LOST, {"one": 1})
    calls = session(model, prompts, progress, context=1024)
    await ask(calls)
    call = model.calls[1]
    assert call.max_tokens + SAFETY * calls.budget.prompt_cost(call.messages) <= 1024


async def test_where_the_context_has_no_room_nothing_is_asked_again(
    prompts: Prompts, progress: RunState
) -> None:
    model = ScriptedModel(LOST)
    with pytest.raises(MalformedReply):
        await ask(session(model, prompts, progress, context=100))
    assert len(model.calls) == 1


async def test_the_next_calls_have_room_for_what_the_first_one_needed(
    prompts: Prompts, progress: RunState
) -> None:
    model = ScriptedModel([LONG, Text('{"one": 1}')], {"one": 2}, "Because.")
    calls = session(model, prompts, progress)
    before = calls.budget.room(())
    await ask(calls)
    assert calls.budget.room(()) < before
    await ask(calls)
    await write(calls)
    assert [call.max_tokens >= 50 + THINKING_TOKENS for call in model.calls] == [False, True, True]
    assert progress.warned == {WarningCode.REASONED_UNASKED}
    assert len(progress.warnings) == 1


async def test_reasoning_in_text_that_its_mark_closes_late_counts_as_well(
    prompts: Prompts, progress: RunState
) -> None:
    cut: Reply = [Text(LONG.text), Finished(FinishReason.LENGTH, 100, 50)]
    model = ScriptedModel(cut, [Text(LONG.text), Retracted(), Text('{"one": 1}')])
    assert await ask(session(model, prompts, progress)) == {"one": 1}
    assert model.calls[1].max_tokens > 50 + THINKING_TOKENS


async def test_the_room_makes_no_answer_longer(prompts: Prompts, progress: RunState) -> None:
    speed = ModelSpeed()
    speed.saw_thought(500)
    words = [Text("word ")] * 2_000
    model = ScriptedModel([LONG, *words])
    text = await write(session(model, prompts, progress, speed=speed))
    assert 250 <= len(text.split()) <= 350


async def test_a_model_that_does_not_reason_is_asked_as_before(
    prompts: Prompts, progress: RunState
) -> None:
    model = ScriptedModel({"one": 1}, [Thought(" "), Text("Because.")])
    calls = session(model, prompts, progress)
    await ask(calls)
    await write(calls)
    assert [(c.max_tokens, c.reasons_unasked) for c in model.calls] == [(50, False), (300, False)]


async def test_what_a_model_reasons_is_remembered_and_fades_but_for_a_trace(tmp_path: Path) -> None:
    file = SpeedFile(tmp_path / "speeds.json")
    speed = ModelSpeed(file, "here")
    await speed.recall("owl")
    speed.saw_thought(600)
    await speed.remember()
    later = ModelSpeed(file, "here")
    await later.recall("owl")
    assert later.speed.thought_tokens == 600
    for _ in range(40):
        later.saw_thought(0)
    assert later.speed.thought_tokens == 1
    other = ModelSpeed(file, "here")
    await other.recall("wren")
    other.saw_thought(3)
    assert other.speed == Speed()


def test_a_run_has_time_for_the_reasoning_that_is_known() -> None:
    speed = ModelSpeed()
    speed.speed = Speed(prompt_tps=400, reply_tps=40)
    plain_s, call_s = wall_clock_s(speed), speed.call_s(100, 50)
    speed.saw_thought(1_500)
    assert wall_clock_s(speed) > plain_s
    assert speed.call_s(100, 50) == pytest.approx(call_s + 1_500 / 40)


async def test_a_talk_has_room_and_a_sentence_as_well(prompts: Prompts) -> None:
    model, events = ScriptedModel(LOST, [LONG, Text("Because.")]), list[RunEvent]()
    engine = Engine(
        model,
        ScriptedSearch({}),
        ScriptedReader({}),
        prompts,
        Settings(),
        lambda: date(2026, 11, 22),
    )
    end = await engine.chat(RunRequest("Why?"), emit=events.append)
    assert isinstance(end, Answered)
    assert (end.answer, end.usage.model_calls) == ("Because.", 2)
    codes = [event.code for event in events if isinstance(event, Warned)]
    assert codes == [WarningCode.REASONED_UNASKED]
