"""Models that reason: more room, more time, no reasoning in the answer, and room for those that do it unasked."""

from __future__ import annotations

from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.llm.model_queue import SpeedFile
from askance.config.settings import AnswerSettings, LimitSettings, Settings
from askance.domain.conversation import Conversation, RunRequest, Turn
from askance.domain.events import Answered, RunEvent, TokenArrived, Warned, WarningCode
from askance.domain.evidence import Quote, Source
from askance.domain.messages import Message
from askance.domain.ports.model import (
    Finished,
    FinishReason,
    ModelInfo,
    Retracted,
    Speed,
    Text,
    Thought,
)
from askance.engine.context import THINKING_S, TimeBudget, wall_clock_s
from askance.engine.model_session import (
    MOST_THOUGHT_TOKENS,
    MalformedReply,
    ModelSession,
)
from askance.engine.model_speed import ModelSpeed
from askance.engine.prompts import SAFETY, THINKING_TOKENS, reply_tokens
from askance.engine.run import Engine
from askance.engine.run_progress import RunState
from engine.contexts import engine_of, session_of
from fakes.model import Reply, ScriptedModel
from servers.model_script import plan as the_plan

NOBODY = Conversation()


def capable(model: ScriptedModel, *capabilities: str) -> Engine:
    model._info = ModelInfo("wren:8b", 32_768, capabilities=capabilities)
    return engine_of(model)


@pytest.mark.parametrize("run_timeout_s", [0.0, 60.0])
async def test_thinking_has_time_of_its_own(run_timeout_s: float, progress: RunState) -> None:
    settings = Settings(limits=LimitSettings(run_timeout_s=run_timeout_s))
    TimeBudget(progress, ModelSpeed(), settings)
    ends_at, research_ends_at = progress.ends_at, progress.research_ends_at
    TimeBudget(progress, ModelSpeed(), settings, thinks=True)
    assert progress.ends_at == pytest.approx(ends_at + THINKING_S)
    assert progress.research_ends_at == pytest.approx(research_ends_at)


def test_a_reply_is_longer_where_the_model_reasons() -> None:
    answer = AnswerSettings(max_tokens=500)
    settings = Settings(answer=answer)
    assert reply_tokens(settings, think=False) == 500
    assert reply_tokens(settings, think=False, most=90) == 90
    assert reply_tokens(settings, think=False, most=900) == 500
    assert reply_tokens(settings, think=True) == 500 + THINKING_TOKENS


async def test_what_the_model_reasons_is_no_part_of_the_answer(events: list[RunEvent]) -> None:
    model = ScriptedModel([Thought("Hm. Let me see."), Text("Because.")])
    engine = capable(model, "completion", "thinking")
    end = await engine.chat(RunRequest("Why?", think=True), emit=events.append)
    assert isinstance(end, Answered)
    assert end.answer == "Because."
    assert events == [TokenArrived("Because."), end]
    assert model.calls[0].think
    assert model.calls[0].max_tokens == engine.settings.answer.max_tokens + THINKING_TOKENS


async def test_a_search_thinks_when_it_writes_and_not_when_it_plans(events: list[RunEvent]) -> None:
    plan = the_plan("lamp", history_sufficiency="sufficient")
    enough = {"sufficiency": "sufficient", "gap_queries": []}
    model = ScriptedModel.by_role(
        plan=[plan], judge=[enough], answer=[[Thought("Hm."), Text("Because.")]]
    )
    lamp = Source(1, "https://lamp.example", "The lamp", "lamp.example", None, snippet_only=False)
    quoted = (Quote(lamp, "It is a lamp."),)
    conversation = NOBODY.with_turn(Turn("What is it?", "A lamp.", (), quoted))
    engine = capable(model, "completion")
    await engine.run(RunRequest("Why?", conversation, think=True), emit=events.append)
    assert {(role, call.think) for role, call in zip(model.roles, model.calls, strict=True)} == {
        ("plan", False),
        ("judge", False),
        ("answer", True),
    }
    assert [e.code for e in events if isinstance(e, Warned)].count(WarningCode.NOT_REASONING) == 1


async def test_a_model_that_does_not_reason_is_told_of_only_where_that_was_asked_for(
    events: list[RunEvent],
) -> None:
    model = ScriptedModel("Because.", "Because.")
    engine = capable(model, "completion")
    end = await engine.chat(RunRequest("Why?", think=True), emit=events.append)
    text = "wren:8b is not a reasoning model: it answers without thinking first."
    assert events[0] == Warned(WarningCode.NOT_REASONING, Message.verbatim(text))
    # What a person is shown in the end says it too.
    assert isinstance(end, Answered)
    assert end.warnings == (text,)
    await engine.chat(RunRequest("Why?"), emit=events.append)
    assert sum(isinstance(event, Warned) for event in events) == 1


async def test_nothing_is_said_of_a_model_whose_server_does_not_tell(
    events: list[RunEvent],
) -> None:
    engine = capable(ScriptedModel("Because."))
    await engine.chat(RunRequest("Why?", think=True), emit=events.append)
    assert not any(isinstance(event, Warned) for event in events)


async def test_a_talk_that_ran_out_of_room_says_so(events: list[RunEvent]) -> None:
    lost = [Thought("Hm."), Finished(FinishReason.LENGTH, 10, 900)]
    model = ScriptedModel(lost, lost)
    await capable(model).chat(RunRequest("Why?", think=True), emit=events.append)
    text = "The answer was cut at its length limit (answer.max_tokens)."
    assert events[0] == Warned(WarningCode.ANSWER_CUT, Message.verbatim(text))


SCHEMA: dict[str, Any] = {"properties": {"one": {}}}
LONG = Thought("Let me see what the sources say. " * 60)
LOST: Reply = [LONG, Finished(FinishReason.LENGTH, 100, 50)]
HIDDEN: Reply = [Finished(FinishReason.LENGTH, 100, 50)]


async def ask(calls: ModelSession) -> dict[str, Any]:
    return await calls.ask("", "Task.", SCHEMA, max_tokens=50, decided=lambda f: "one" in f)


async def write(calls: ModelSession) -> str:
    async with aclosing(calls.write("", "Task.", temperature=0.4)) as parts:
        found = [part async for part in parts]
    assert isinstance(found[-1], Finished)
    return "".join(part.text for part in found if isinstance(part, Text))


@pytest.mark.parametrize("lost", [LOST, HIDDEN], ids=["shown", "hidden"])
async def test_a_reply_of_reasoning_alone_is_asked_for_again_with_room(
    lost: Reply, progress: RunState
) -> None:
    model = ScriptedModel(lost, {"one": 1})
    assert await ask(session_of(progress, model)) == {"one": 1}
    first, second = model.calls
    assert (first.max_tokens, second.max_tokens) == (50, 50 + MOST_THOUGHT_TOKENS)
    assert (first.reasons_unasked, second.reasons_unasked) == (False, True)
    assert first.messages == second.messages
    assert progress.usage.model_calls == 2
    assert not progress.warned


async def test_the_same_holds_for_prose(progress: RunState) -> None:
    model = ScriptedModel(LOST, "Because.")
    assert await write(session_of(progress, model)) == "Because."
    assert len(model.calls) == 2


async def test_reasoning_that_nothing_ends_is_named_and_asked_for_no_third_time(
    progress: RunState,
) -> None:
    model = ScriptedModel(LOST, LOST, LOST, LOST)
    calls = session_of(progress, model)
    with pytest.raises(MalformedReply, match="used up its tokens by reasoning"):
        await ask(calls)
    assert len(model.calls) == 2
    assert await write(calls) == ""
    assert progress.warned == {WarningCode.ONLY_REASONED}
    assert len(progress.warnings) == 1


async def test_the_room_ends_with_the_context(progress: RunState) -> None:
    model = ScriptedModel(LOST, {"one": 1})
    calls = session_of(progress, model, context=1024)
    await ask(calls)
    call = model.calls[1]
    assert call.max_tokens + SAFETY * calls.budget.prompt_cost(call.messages) <= 1024


async def test_where_the_context_has_no_room_nothing_is_asked_again(progress: RunState) -> None:
    model = ScriptedModel(LOST)
    with pytest.raises(MalformedReply):
        await ask(session_of(progress, model, context=100))
    assert len(model.calls) == 1


async def test_the_next_calls_have_room_for_what_the_first_one_needed(progress: RunState) -> None:
    model = ScriptedModel([LONG, Text('{"one": 1}')], {"one": 2}, "Because.")
    calls = session_of(progress, model)
    before = calls.budget.room(())
    await ask(calls)
    assert calls.budget.room(()) < before
    await ask(calls)
    await write(calls)
    assert [call.max_tokens >= 50 + THINKING_TOKENS for call in model.calls] == [False, True, True]
    assert progress.warned == {WarningCode.REASONED_UNASKED}
    assert len(progress.warnings) == 1


async def test_reasoning_in_text_that_its_mark_closes_late_counts_as_well(
    progress: RunState,
) -> None:
    cut: Reply = [Text(LONG.text), Finished(FinishReason.LENGTH, 100, 50)]
    model = ScriptedModel(cut, [Text(LONG.text), Retracted(), Text('{"one": 1}')])
    assert await ask(session_of(progress, model)) == {"one": 1}
    assert model.calls[1].max_tokens > 50 + THINKING_TOKENS


async def test_the_room_makes_no_answer_longer(progress: RunState) -> None:
    speed = ModelSpeed()
    speed.saw_thought(500)
    words = [Text("word ")] * 2_000
    model = ScriptedModel([LONG, *words])
    text = await write(session_of(progress, model, model_speed=speed, answer=300))
    assert 250 <= len(text.split()) <= 350


async def test_a_model_that_does_not_reason_is_asked_as_before(progress: RunState) -> None:
    model = ScriptedModel({"one": 1}, [Thought(" "), Text("Because.")])
    calls = session_of(progress, model)
    await ask(calls)
    await write(calls)
    assert [(c.max_tokens, c.reasons_unasked) for c in model.calls] == [(50, False), (900, False)]


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


async def test_a_talk_has_room_and_a_sentence_as_well() -> None:
    model, events = ScriptedModel(LOST, [LONG, Text("Because.")]), list[RunEvent]()
    engine = engine_of(model)
    end = await engine.chat(RunRequest("Why?"), emit=events.append)
    assert isinstance(end, Answered)
    assert (end.answer, end.usage.model_calls) == ("Because.", 2)
    codes = [event.code for event in events if isinstance(event, Warned)]
    assert codes == [WarningCode.REASONED_UNASKED]
