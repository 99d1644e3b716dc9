"""A writer that does not find what the judge held to be there: the search goes on, and nothing was told."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from askance.domain.conversation import Conversation, Outcome, Turn
from askance.domain.events import Answered, Cancelled, GapFound, Judged, SourcesReady, TokenArrived
from integration.order import assert_legal
from integration.test_cancellation import assert_nothing_is_left
from servers.faults import FAULTS, stalls
from servers.model_script import ModelScript, Scripted, plan, verdict
from servers.world import (
    GAP,
    LIGHTHOUSE,
    QUESTION,
    SHORT_RUN,
    WHITLOW,
    RecordedEvents,
    the_answer,
    world,
)

pytestmark = pytest.mark.usefixtures("waits_skipped")

ENOUGH = verdict("sufficient")
MISSING = verdict("partial", GAP)
NOT_FOUND = "I could not find where she was born. The sources tell only who built it [1]."
BUILT = "The Lindmouth lighthouse was built in 1871 [1]."
PLAIN = "When was the Lindmouth lighthouse built?"


def script_of(judge: tuple[Scripted, ...], *answer: Scripted) -> ModelScript:
    return ModelScript([plan("Lindmouth lighthouse engineer")], judge, answer)


async def asked(script: ModelScript, question: str = QUESTION, **settings: Any) -> RecordedEvents:
    async with world(script, settings=settings) as w:
        reported = await w.ask(question)
        await w.until_idle()
    assert_legal(reported.events)
    assert isinstance(reported.end, Answered)
    return reported


def written(on_progress: RecordedEvents) -> str:
    return "".join(event.text for event in on_progress.of(TokenArrived))


async def test_what_the_writer_misses_is_searched_and_the_reader_sees_one_answer():
    """Two opinions hold it to be enough: no third one is asked, the names of the question are searched."""
    script = script_of((ENOUGH, ENOUGH, ENOUGH), NOT_FOUND, BUILT)
    reported = await asked(script, QUESTION, FIRST_PORTION_TOKENS=0)
    assert [call.role for call in script.calls].count("answer") == 2
    assert "could not" not in written(reported)
    assert len(reported.of(SourcesReady)) == 1


async def test_a_second_opinion_says_what_to_search_for():
    script = script_of((ENOUGH, MISSING, ENOUGH), NOT_FOUND, the_answer)
    reported = await asked(script, PLAIN)
    assert [call.role for call in script.calls][1:] == [
        "judge",
        "answer",
        "judge",
        "judge",
        "answer",
    ]
    assert "held to be enough" in script.of("judge")[1].task
    assert [gap.queries for gap in reported.of(GapFound)] == [(GAP,)]
    assert {LIGHTHOUSE, WHITLOW} <= {source.url for source in reported.end.sources}
    assert reported.end.outcome is Outcome.WEB
    assert reported.end.rounds == 2
    assert "could not" not in written(reported)


async def test_where_it_is_held_to_be_there_again_the_writer_is_believed():
    script = script_of((ENOUGH, ENOUGH), NOT_FOUND)
    reported = await asked(script, PLAIN)
    assert reported.end.outcome is Outcome.INSUFFICIENT
    assert written(reported).strip() == NOT_FOUND
    assert not reported.of(GapFound)


@pytest.mark.parametrize("said", ["no verdict", FAULTS["fails"]], ids=["prose", "fails"])
async def test_a_second_opinion_that_fails_is_none_for_it(said: Scripted):
    reported = await asked(script_of((ENOUGH, said, said), NOT_FOUND), PLAIN)
    assert [str(j.sufficiency) for j in reported.of(Judged)][:2] == ["sufficient", "insufficient"]
    assert reported.end.outcome is Outcome.INSUFFICIENT


async def test_at_the_last_round_the_answer_stands():
    reported = await asked(script_of((ENOUGH, MISSING), NOT_FOUND), PLAIN, **{"limits.rounds": 1})
    assert reported.end.outcome is Outcome.INSUFFICIENT
    assert reported.end.rounds == 1
    assert "round_limit" in reported.warned


@pytest.mark.parametrize(
    "answer",
    [
        "Yes.",
        "It was built in 1871 [1].",
        "The Lindmouth lighthouse was built in 1871, long ago [1].",
    ],
)
async def test_no_word_of_an_opening_is_lost(answer: str):
    reported = await asked(script_of((ENOUGH,), answer), PLAIN)
    assert written(reported) == answer
    first = next(e for e in reported.events if isinstance(e, SourcesReady | TokenArrived))
    assert isinstance(first, SourcesReady)


async def test_a_second_opinion_that_stalls_leaves_the_writer_its_word_at_the_limit():
    reported = await asked(script_of((ENOUGH, stalls), NOT_FOUND), PLAIN, **SHORT_RUN)
    assert "time_limit" in reported.warned
    assert reported.end.outcome is Outcome.INSUFFICIENT


async def test_a_writer_that_stalls_in_its_opening_ends_at_the_limit():
    script = script_of((ENOUGH,))
    script.answer = [script.after("The light", stalls)]
    reported = await asked(script, PLAIN, **SHORT_RUN)
    assert "answer_cut" in reported.warned


async def test_a_follow_up_that_the_evidence_does_not_answer_after_all_is_searched():
    script = script_of((ENOUGH, ENOUGH, ENOUGH), BUILT, NOT_FOUND, "It is of grey granite [1].")
    async with world(script) as w:
        first = await w.ask(PLAIN)
        searched = len(w.searxng.heard)
        conversation = Conversation().with_turn(Turn(PLAIN, first.end.answer))
        reported = await w.ask("Is it of grey granite?", conversation)
        await w.until_idle()
        assert len(w.searxng.heard) > searched
    assert_legal(reported.events)
    assert reported.end.outcome is Outcome.WEB
    assert reported.end.rounds > 0
    assert "could not" not in written(reported)


async def test_a_run_cancelled_while_it_searches_on_leaves_nothing():
    script = script_of((ENOUGH, MISSING, ENOUGH), NOT_FOUND, the_answer)
    async with world(script) as w:
        before = asyncio.all_tasks()
        reported = RecordedEvents()

        def on_event(event: object) -> None:
            if isinstance(event, GapFound):
                running.cancel()

        async with asyncio.TaskGroup() as group:
            running = group.create_task(w.ask(PLAIN, is_reported=reported, on_event=on_event))
        assert reported.ends == [Cancelled()]
        await assert_nothing_is_left(w, before)
