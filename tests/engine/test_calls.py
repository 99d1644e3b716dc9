"""Calling the model: strict once, never deaf, always counted, and closed when enough was said."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any

import pytest

from askance.domain.conversation import Turn
from askance.domain.errors import PromptTooLong, ServiceDown, ServiceProtocolError
from askance.domain.events import RunEvent, WarningCode
from askance.domain.ports.model import (
    Finished,
    FinishReason,
    Retracted,
    Speed,
    Text,
    Thought,
    Timing,
)
from askance.engine.model_session import MalformedReply, ModelSession
from askance.engine.model_speed import ModelSpeed
from askance.engine.prompts import ContextBudget, PromptedTurn, Prompts, build_messages
from askance.engine.run_progress import RunState
from engine.contexts import session_of
from fakes.model import OUTPUT_TOKENS, PROMPT_TOKENS, Reply, ScriptedModel

SCHEMA: dict[str, Any] = {"properties": {"one": {}, "two": {}}}


async def ask(calls: ModelSession, wanted: str = "one") -> dict[str, Any]:
    return await calls.ask(
        "Evidence.", "Task.", SCHEMA, max_tokens=50, decided=lambda f: wanted in f
    )


async def write(calls: ModelSession) -> list[Text | Retracted | Finished]:
    async with aclosing(calls.write("Evidence.", "Task.", temperature=0.4)) as parts:
        return [part async for part in parts]


async def test_a_question_for_an_object_is_cold_bounded_and_bound_to_its_schema(
    progress: RunState,
) -> None:
    model = ScriptedModel({"one": 1})
    assert await ask(session_of(progress, model, think=True)) == {"one": 1}
    (call,) = model.calls
    assert (call.schema, call.max_tokens, call.temperature, call.think) == (SCHEMA, 50, 0.0, False)
    assert call.messages[-1].content == "Question: Why?\n\nEvidence.\n\nTask."


async def test_the_stream_is_closed_as_soon_as_enough_was_said(progress: RunState) -> None:
    never = asyncio.Event()
    model = ScriptedModel(['{"one": "yes", ', never])
    assert await ask(session_of(progress, model)) == {"one": "yes"}
    assert model.open_replies == 0
    assert model.left_early == 1


async def test_a_malformed_reply_is_asked_for_once_more_and_more_strictly(
    prompts: Prompts, progress: RunState
) -> None:
    model = ScriptedModel("Certainly!", {"one": 1})
    assert await ask(session_of(progress, model)) == {"one": 1}
    first, second = (call.messages[-1].content for call in model.calls)
    assert second == f"{first}\n\n{prompts.render('retry', keys='one, two')}"
    assert model.calls[0].messages[:-1] == model.calls[1].messages[:-1]


async def test_a_second_malformed_reply_is_the_last(progress: RunState) -> None:
    model = ScriptedModel("No.", '{"other": 1}')
    with pytest.raises(MalformedReply):
        await ask(session_of(progress, model))
    assert len(model.calls) == 2


async def test_a_reply_that_ends_too_early_is_malformed(progress: RunState) -> None:
    cut: Reply = ['{"one": "y', Finished(FinishReason.LENGTH, 100, 50)]
    with pytest.raises(MalformedReply):
        await ask(session_of(progress, ScriptedModel(cut, list(cut))))


async def test_reasoning_is_never_read_as_a_reply(progress: RunState) -> None:
    model = ScriptedModel([Thought('{"one": "thought"}'), '{"one": "said"}'])
    assert await ask(session_of(progress, model)) == {"one": "said"}
    model = ScriptedModel([Thought("Let me see."), "It is so."])
    parts = await write(session_of(progress, model, think=True))
    assert parts[0] == Text("It is so.")
    assert isinstance(parts[-1], Finished)
    assert len(parts) == 2
    assert model.calls[0].think


async def test_prose_has_no_schema_and_the_room_kept_for_answers(progress: RunState) -> None:
    model = ScriptedModel("Because.")
    await write(session_of(progress, model))
    (call,) = model.calls
    assert (call.schema, call.max_tokens, call.temperature) == (None, 900, 0.4)


async def test_what_the_server_counts_is_what_is_counted(progress: RunState) -> None:
    model = ScriptedModel("One.", "Two.")
    calls = session_of(progress, model)
    await write(calls)
    await write(calls)
    assert progress.usage.model_calls == 2
    assert progress.usage.prompt_tokens == 2 * PROMPT_TOKENS
    assert progress.usage.output_tokens == 2 * OUTPUT_TOKENS


async def test_a_reply_that_was_cut_off_is_counted_by_estimate(progress: RunState) -> None:
    model = ScriptedModel([Thought("thinking " * 20), '{"one": 1, ', "more"])
    calls = session_of(progress, model)
    await ask(calls)
    usage = progress.usage
    assert usage.prompt_tokens == calls.budget.prompt_cost(model.calls[0].messages)
    assert usage.output_tokens == calls.budget.cost("thinking " * 20 + '{"one": 1, ')


async def test_a_server_that_counts_nothing_is_counted_by_estimate(progress: RunState) -> None:
    model = ScriptedModel(["An answer of some words.", Finished(FinishReason.STOP)])
    calls = session_of(progress, model)
    await write(calls)
    assert progress.usage.prompt_tokens == calls.budget.prompt_cost(model.calls[0].messages)
    assert progress.usage.output_tokens == calls.budget.cost("An answer of some words.")


async def test_the_governor_learns_from_every_counted_prompt(progress: RunState) -> None:
    model = ScriptedModel(["Yes.", Finished(FinishReason.STOP, 3000, 2)])
    calls = session_of(progress, model, question="why " * 400)
    before = calls.budget.cost("word " * 100)
    await write(calls)
    assert calls.budget.cost("word " * 100) > before


async def test_the_governor_learns_from_a_prompt_whose_reply_is_cut_short(
    progress: RunState,
) -> None:
    model = ScriptedModel([Timing(prompt_tokens=3000), '{"one": 1, ', "more"])
    calls = session_of(progress, model, question="why " * 400)
    before = calls.budget.cost("word " * 100)
    await ask(calls)
    assert model.left_early == 1
    assert calls.budget.cost("word " * 100) > before


@pytest.mark.parametrize(
    "reply", [ServiceDown("m", "", "Down."), ["Half", ServiceDown("m", "", "Down.")]]
)
async def test_a_server_that_fails_is_not_asked_again(reply: Reply, progress: RunState) -> None:
    model = ScriptedModel(reply)
    with pytest.raises(ServiceDown):
        await ask(session_of(progress, model))
    assert len(model.calls) == 1
    assert progress.usage.prompt_tokens > 0
    assert model.open_replies == 0


@pytest.mark.parametrize("reply", [KeyError("a secret"), ["Half", KeyError("a secret")]])
async def test_an_error_of_ours_is_logged_and_ends_the_call_as_a_servers_would(
    reply: Reply, progress: RunState, caplog: pytest.LogCaptureFixture
) -> None:
    model = ScriptedModel(reply)
    with pytest.raises(ServiceProtocolError):
        await ask(session_of(progress, model))
    assert model.open_replies == 0
    assert "KeyError" in caplog.text
    assert "secret" not in caplog.text
    caplog.clear()


async def test_cancelling_closes_the_stream(progress: RunState) -> None:
    begun, never = asyncio.Event(), asyncio.Event()
    model = ScriptedModel(["Half a ", never])
    calls = session_of(progress, model)

    async def read() -> None:
        async with aclosing(calls.write("", "Task.", temperature=0)) as parts:
            async for _ in parts:
                begun.set()

    async with asyncio.TaskGroup() as group:
        task = group.create_task(read())
        await begun.wait()
        task.cancel()
    assert task.cancelled()
    assert model.open_replies == 0


async def test_a_history_that_does_not_fit_loses_its_oldest_turns_in_sight(
    progress: RunState, events: list[RunEvent]
) -> None:
    turns = tuple(Turn(f"Question {i}?", "An answer. " * 40) for i in range(10))
    calls = session_of(progress, turns=turns, context=2048)
    retained = [m.content for m in calls.messages("", "")[1:-1:2]]
    assert 0 < len(retained) < 10
    assert retained == [t.question for t in turns[-len(retained) :]]
    assert calls.has_history
    assert progress.warned == {WarningCode.HISTORY_DROPPED}
    assert f"{10 - len(retained)} turns" in progress.warnings[0]


async def test_a_history_that_fits_is_kept_in_silence(progress: RunState) -> None:
    calls = session_of(progress, turns=(Turn("Q?", "A."),))
    assert calls.has_history
    assert not progress.warned
    assert not session_of(progress).has_history


async def test_a_question_longer_than_the_context_is_refused_before_any_call(
    progress: RunState,
) -> None:
    model = ScriptedModel()
    with pytest.raises(PromptTooLong):
        session_of(progress, model, question="why " * 5000, context=2048)
    assert model.calls == []


async def test_a_question_must_fit_twice_as_the_writer_reads_it_again_behind_the_evidence(
    progress: RunState,
) -> None:
    question = "Why was it so? " * 130
    governor = ContextBudget(1024, 300)
    room = governor.context_tokens - governor.answer_tokens
    assert governor.cost(question) < room < 2 * governor.cost(question)
    with pytest.raises(PromptTooLong, match="The question is too long"):
        session_of(progress, context=1024, question=question)
    session_of(progress, context=2048, question=question)


BIG = PromptedTurn("Question: One?\n\n" + "evidence of the first question " * 100, "One.")
SMALL = PromptedTurn("Question: Two?\n\n" + "evidence of the second one " * 12, "Two.")
TURNS = (Turn("One?", "One."), Turn("Two?", "Two."))


@pytest.mark.parametrize(
    ("context", "evidence_tokens", "retained"),
    [
        pytest.param(4096, 1000, (BIG, SMALL), id="there is room for both"),
        pytest.param(1600, 820, (SMALL,), id="the oldest leaves"),
        pytest.param(1600, 60, (BIG, SMALL), id="less is wanted for what comes"),
        pytest.param(1024, 720, (), id="both leave"),
    ],
)
async def test_evidence_that_does_not_fit_leaves_whole_and_in_sight(
    progress: RunState,
    context: int,
    evidence_tokens: int,
    retained: tuple[PromptedTurn, ...],
) -> None:
    pace = ModelSpeed()
    pace.held = "".join(
        f"\0{m.role}\0{m.content}" for m in build_messages("System.", (BIG, SMALL), "", "", "")
    )
    calls = session_of(
        progress,
        question="Three?",
        turns=TURNS,
        prompted=(BIG, SMALL),
        answer=200,
        context=context,
        model_speed=pace,
        evidence_tokens=evidence_tokens,
    )
    assert calls.prompted == retained
    assert (WarningCode.EVIDENCE_DROPPED in progress.warned) == (len(retained) < 2)


async def test_what_the_server_would_have_to_take_in_again_is_left_out_without_a_word(
    progress: RunState,
) -> None:
    calls = session_of(
        progress,
        question="Three?",
        turns=TURNS,
        prompted=(BIG, SMALL),
        answer=200,
        context=4096,
        evidence_tokens=300,
    )
    assert calls.prompted == ()
    assert not progress.warned


async def test_a_verdict_is_read_from_behind_the_reasoning(progress: RunState) -> None:
    model = ScriptedModel(
        [Text('I think {"one": 1, "two": 2}.'), Retracted(), Text('{"one": "b"}')]
    )
    assert await ask(session_of(progress, model)) == {"one": "b"}


async def test_an_object_behind_other_words_is_not_taken_before_the_reply_ends(
    progress: RunState,
) -> None:
    model = ScriptedModel([Text('Maybe {"one": "a"}? '), Text('No: {"one": "b"}')])
    assert await ask(session_of(progress, model)) == {"one": "b"}
    assert len(model.calls) == 1


@pytest.mark.parametrize(
    "reply", ["{'one': 'a'}", '{"plan": {"one": "a"}}', '{/* x */ "one": "a"}']
)
async def test_almost_json_is_not_asked_for_twice(progress: RunState, reply: str) -> None:
    model = ScriptedModel(reply)
    assert await ask(session_of(progress, model)) == {"one": "a"}


async def test_a_slow_model_evaluates_no_evidence_that_a_stop_would_leave_it_busy_with(
    progress: RunState,
) -> None:
    speed, model = ModelSpeed(), ScriptedModel("{", "{", "Because.")
    speed.speed = Speed(prompt_tps=20, reply_tps=5)
    calls = session_of(progress, model, model_speed=speed)
    async with asyncio.TaskGroup() as group:
        # What every prompt begins with has to be evaluated in any case, and loads the model.
        calls.warm(group, SCHEMA)
    async with asyncio.TaskGroup() as group:
        calls.warm(group, SCHEMA, "A long text. " * 100)
    assert [call.max_tokens for call in model.calls] == [0]
    speed.speed = Speed(prompt_tps=2000, reply_tps=50)
    async with asyncio.TaskGroup() as group:
        calls.warm(group, SCHEMA, "A long text. " * 100)
    assert "A long text." in model.calls[1].messages[-1].content
