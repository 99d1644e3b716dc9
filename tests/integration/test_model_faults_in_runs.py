"""The model fails, in every way and at every moment of a run."""

from __future__ import annotations

import pytest

from askance.domain.conversation import Outcome
from askance.domain.events import Answered, Failed, Judged, Planned, SourcesReady, TokenArrived
from integration.order import run_credulous as run_in_world
from servers.faults import FAULTS, address_of_nobody, stalls
from servers.loopback import Request, Wire
from servers.model_script import ModelScript, Scripted, plan, verdict
from servers.world import (
    GAP,
    LIGHTHOUSE,
    TITLES,
    RecordedEvents,
    knowing_model,
    some_answer,
)
from servers.world import (
    credulous as world,
)

pytestmark = pytest.mark.usefixtures("waits_skipped")

IMPATIENT = {"llm.idle_timeout_s": 15.0, "llm.load_timeout_s": 15.0}
EACH_FAULT = pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
FIRST_ROUND = [verdict("partial", GAP)]


async def run(script: ModelScript, **settings: object) -> RecordedEvents:
    return await run_in_world(script, settings={**IMPATIENT, **settings})


def assert_quoted(on_progress: RecordedEvents) -> None:
    """The passages stand for the answer, each with its source."""
    end = on_progress.end
    assert isinstance(end, Answered)
    assert end.outcome is Outcome.PASSAGES_ONLY
    assert "model_unavailable" in on_progress.warned
    assert end.sources
    assert "built in 1871 by the engineer Clara Whitlow" in end.answer
    assert end.citations
    assert {c.n for c in end.citations} <= {s.n for s in end.sources}


@EACH_FAULT
async def test_a_model_that_fails_at_first_contact_leaves_the_passages(fault: Scripted):
    script = knowing_model()
    script.before = fault  # type: ignore[assignment]
    reported = await run(script)
    assert_quoted(reported)
    assert reported.end.answer.startswith("No model is available.")
    assert not script.calls


async def test_a_model_server_that_is_not_there_is_named_with_its_address_and_remedy():
    address = address_of_nobody()
    reported = await run(knowing_model(), **{"llm.url": address})
    assert_quoted(reported)
    assert address in reported.end.warnings[0]
    assert "ollama serve" in reported.end.warnings[0]


@EACH_FAULT
async def test_a_plan_that_fails_costs_only_the_plan(fault: Scripted):
    reported = await run(knowing_model(plan=[fault]))
    assert reported.end.outcome is Outcome.WEB
    assert "plan_failed" in reported.warned
    assert "Orr" in reported.end.answer


@pytest.mark.usefixtures("snippets_judged")
@EACH_FAULT
async def test_a_snippet_judge_that_fails_costs_only_its_opinion(fault: Scripted):
    # What may pass by itself is tried once more.
    again = [fault] if fault in (FAULTS["hangs_up"], FAULTS["fails"], FAULTS["breaks_off"]) else []
    script = knowing_model(judge=[fault, *again, verdict("partial", GAP), verdict("sufficient")])
    reported = await run(script)
    assert reported.end.outcome is Outcome.WEB
    assert reported.end.rounds == 2
    assert "judge_failed" in reported.warned
    assert [str(j.judging) for j in reported.of(Judged)] == ["passages", "passages"]


@EACH_FAULT
async def test_a_passage_judge_that_fails_lets_the_writer_use_what_is_there(fault: Scripted):
    script = knowing_model(judge=[fault], answer=[some_answer])
    reported = await run(script)
    assert reported.end.outcome is Outcome.WEB
    assert "judge_failed" in reported.warned
    assert TITLES[LIGHTHOUSE] in script.of("answer")[0].fenced


@EACH_FAULT
async def test_a_judge_that_fails_in_the_second_round_keeps_the_evidence_of_both(fault: Scripted):
    reported = await run(knowing_model(judge=[*FIRST_ROUND, fault]))
    assert reported.end.outcome is Outcome.WEB
    assert "Orr" in reported.end.answer
    assert "judge_failed" in reported.warned


@EACH_FAULT
async def test_a_writer_that_fails_leaves_the_passages(fault: Scripted):
    reported = await run(knowing_model(answer=[fault]))
    assert_quoted(reported)
    assert reported.end.answer.startswith("The language model gave no usable answer.")


async def test_an_answer_cut_in_mid_stream_keeps_its_whole_sentences():
    async def hang_up(request: Request, wire: Wire) -> None:
        wire.abort()

    script = knowing_model()
    script.answer = [script.after("She was born in Orr in 1839 [4]. And the light", hang_up)]
    reported = await run(script)
    assert reported.end.answer == "She was born in Orr in 1839 [4]."
    assert "answer_cut" in reported.warned
    assert reported.end.outcome is Outcome.WEB


async def test_an_answer_that_stalls_in_mid_stream_keeps_its_whole_sentences():
    script = knowing_model()
    script.answer = [script.after("She was born in Orr in 1839 [4]. And the light", stalls)]
    reported = await run(script)
    assert reported.end.answer == "She was born in Orr in 1839 [4]."
    assert "answer_cut" in reported.warned


@pytest.mark.parametrize("prose", ["I think we should search.", '{"action": "dance"}', "{", ""])
async def test_a_plan_in_prose_is_asked_for_once_more_and_then_done_without(prose: str):
    script = knowing_model(plan=[prose])
    reported = await run(script)
    assert len(script.of("plan")) == 2
    assert reported.of(Planned)[0].fallback
    assert "plan_failed" in reported.warned
    assert "Orr" in reported.end.answer


async def test_a_second_plan_that_can_be_read_is_taken():
    script = knowing_model(plan=["Sure! Let me think.", plan("lighthouse of Lindmouth builder")])
    reported = await run(script)
    assert reported.of(Planned)[0].queries == ("lighthouse of Lindmouth builder",)
    assert "exactly the keys action" in script.of("plan")[1].task
    assert reported.warned == set()


async def test_a_judge_that_talks_in_prose_is_asked_once_more_and_then_done_without():
    script = knowing_model(judge=["It looks fine to me."], answer=[some_answer])
    reported = await run(script)
    assert len(script.of("judge")) == 2
    assert "judge_failed" in reported.warned
    assert reported.end.outcome is Outcome.WEB


async def test_a_missing_model_leaves_the_passages_and_the_command_that_fetches_it():
    reported = await run(knowing_model(), **{"llm.model": "wren:8b"})
    assert_quoted(reported)
    assert "model_unavailable" in reported.warned
    (warning,) = reported.end.warnings
    assert "`ollama pull wren:8b`" in warning


async def test_a_server_without_any_model_leaves_the_passages_as_one_that_is_down_does():
    script = knowing_model()
    script.ollama.tags = []
    reported = await run(script)
    assert_quoted(reported)
    (warning,) = reported.end.warnings
    assert "`ollama pull " in warning


async def test_a_model_that_is_deleted_in_the_middle_of_a_run_leaves_the_passages():
    script = knowing_model()

    async def gone(request: Request, wire: Wire) -> None:
        script.ollama.tags = []
        status, body = script.ollama.missing("tiny:latest")
        await wire.send(body, status)

    script.plan = script.judge = script.answer = [gone]
    reported = await run(script)
    assert_quoted(reported)
    assert {"plan_failed", "judge_failed"} <= reported.warned
    assert "`ollama pull " in reported.end.warnings[-1]


async def test_a_model_in_a_cloud_is_refused_before_the_question_reaches_it():
    script = knowing_model()
    reported = await run(script, **{"llm.model": "wren:480b-cloud"})
    assert_quoted(reported)
    assert "wren:480b-cloud" in reported.end.warnings[0]
    assert not script.calls


async def test_a_question_longer_than_the_context_ends_in_a_sentence():
    script = knowing_model()
    script = ModelScript(script.plan, script.judge, script.answer, context=1024)
    reported = await run_in_world(
        script, "Who built the Lindmouth lighthouse? " + "Tell me more of it. " * 300
    )
    assert isinstance(reported.end, Failed)
    assert "The question is too long" in reported.end.problem
    assert "llm.context_tokens" in reported.end.fix
    assert not script.calls


async def test_an_answer_of_thoughts_alone_leaves_the_passages():
    script = knowing_model(answer=["<think>I should look at the lighthouse first.</think>"])
    reported = await run(script)
    assert_quoted(reported)
    assert not reported.of(TokenArrived)
    assert "I should look" not in reported.end.answer


async def test_thoughts_before_a_plan_never_become_a_query():
    thinking = '<think>{"optimized_query": "secret thoughts", "action": "proceed"}</think>'
    script = knowing_model(plan=[thinking + '{"optimized_query": "lamp", "action": "proceed"}'])
    async with world(script) as w:
        await w.ask()
    assert "lamp" in w.searxng.heard
    assert "secret thoughts" not in w.searxng.heard


async def test_sources_are_told_even_where_no_model_can_answer():
    reported = await run(knowing_model(), **{"llm.url": address_of_nobody()})
    assert reported.of(SourcesReady)[0].sources == reported.end.sources
