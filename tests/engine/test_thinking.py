"""A question that the model is to reason about: more room, more time, and no reasoning in the answer."""

from __future__ import annotations

from datetime import date

import pytest

from askance.config.settings import AnswerSettings, LimitSettings, Settings
from askance.domain.conversation import Conversation, RunRequest, Turn
from askance.domain.events import Answered, RunEvent, TokenArrived, Warned, WarningCode
from askance.domain.evidence import Quote, Source
from askance.domain.messages import Message
from askance.domain.ports.model import Finished, FinishReason, ModelInfo, Text, Thought
from askance.engine.context import THINKING_S, TimeBudget
from askance.engine.model_speed import ModelSpeed
from askance.engine.prompts import THINKING_TOKENS, Prompts, reply_tokens
from askance.engine.run import Engine
from askance.engine.run_progress import RunState
from fakes.model import ScriptedModel
from fakes.reader import ScriptedReader
from fakes.search import ScriptedSearch
from servers.model_script import plan as the_plan

NOBODY = Conversation()


def engine_of(model: ScriptedModel, prompts: Prompts, *capabilities: str) -> Engine:
    model._info = ModelInfo("wren:8b", 32_768, capabilities=capabilities)
    return Engine(
        model,
        ScriptedSearch({}),
        ScriptedReader({}),
        prompts,
        Settings(),
        lambda: date(2026, 11, 22),
    )


@pytest.mark.parametrize("run_timeout_s", [0.0, 60.0])
async def test_thinking_has_time_of_its_own(run_timeout_s: float, progress: RunState) -> None:
    limits = LimitSettings(run_timeout_s=run_timeout_s)
    TimeBudget(progress, ModelSpeed(), limits)
    ends_at, research_ends_at = progress.ends_at, progress.research_ends_at
    TimeBudget(progress, ModelSpeed(), limits, thinks=True)
    assert progress.ends_at == pytest.approx(ends_at + THINKING_S)
    assert progress.research_ends_at == pytest.approx(research_ends_at)


def test_a_reply_is_longer_where_the_model_reasons() -> None:
    answer = AnswerSettings(max_tokens=500)
    settings = Settings(answer=answer)
    assert reply_tokens(settings, think=False) == 500
    assert reply_tokens(settings, think=False, most=90) == 90
    assert reply_tokens(settings, think=False, most=900) == 500
    assert reply_tokens(settings, think=True) == 500 + THINKING_TOKENS


async def test_what_the_model_reasons_is_no_part_of_the_answer(
    prompts: Prompts, events: list[RunEvent]
) -> None:
    model = ScriptedModel([Thought("Hm. Let me see."), Text("Because.")])
    engine = engine_of(model, prompts, "completion", "thinking")
    end = await engine.chat(RunRequest("Why?", think=True), emit=events.append)
    assert isinstance(end, Answered)
    assert end.answer == "Because."
    assert events == [TokenArrived("Because."), end]
    assert model.calls[0].think
    assert model.calls[0].max_tokens == engine.settings.answer.max_tokens + THINKING_TOKENS


async def test_a_search_thinks_when_it_writes_and_not_when_it_plans(
    prompts: Prompts, events: list[RunEvent]
) -> None:
    plan = the_plan("lamp", history_sufficiency="sufficient")
    enough = {"sufficiency": "sufficient", "reasoning": "", "gap_queries": []}
    model = ScriptedModel.by_role(
        plan=[plan], judge=[enough], answer=[[Thought("Hm."), Text("Because.")]]
    )
    lamp = Source(1, "https://lamp.example", "The lamp", "lamp.example", None, snippet_only=False)
    quoted = (Quote(lamp, "It is a lamp."),)
    conversation = NOBODY.with_turn(Turn("What is it?", "A lamp.", (), quoted))
    engine = engine_of(model, prompts, "completion")
    await engine.run(RunRequest("Why?", conversation, think=True), emit=events.append)
    assert {(role, call.think) for role, call in zip(model.roles, model.calls, strict=True)} == {
        ("plan", False),
        ("judge", False),
        ("answer", True),
    }
    assert [e.code for e in events if isinstance(e, Warned)].count(WarningCode.NOT_REASONING) == 1


async def test_a_model_that_does_not_reason_is_told_of_only_where_that_was_asked_for(
    prompts: Prompts, events: list[RunEvent]
) -> None:
    model = ScriptedModel("Because.", "Because.")
    engine = engine_of(model, prompts, "completion")
    end = await engine.chat(RunRequest("Why?", think=True), emit=events.append)
    text = "wren:8b is not a reasoning model: it answers without thinking first."
    assert events[0] == Warned(WarningCode.NOT_REASONING, Message.verbatim(text))
    # What a person is shown in the end says it too.
    assert isinstance(end, Answered)
    assert end.warnings == (text,)
    await engine.chat(RunRequest("Why?"), emit=events.append)
    assert sum(isinstance(event, Warned) for event in events) == 1


async def test_nothing_is_said_of_a_model_whose_server_does_not_tell(
    prompts: Prompts, events: list[RunEvent]
) -> None:
    engine = engine_of(ScriptedModel("Because."), prompts)
    await engine.chat(RunRequest("Why?", think=True), emit=events.append)
    assert not any(isinstance(event, Warned) for event in events)


async def test_a_talk_that_ran_out_of_room_says_so(
    prompts: Prompts, events: list[RunEvent]
) -> None:
    lost = [Thought("Hm."), Finished(FinishReason.LENGTH, 10, 900)]
    model = ScriptedModel(lost, lost)
    await engine_of(model, prompts).chat(RunRequest("Why?", think=True), emit=events.append)
    text = "The answer was cut at its length limit (answer.max_tokens)."
    assert events[0] == Warned(WarningCode.ANSWER_CUT, Message.verbatim(text))
