"""Conversations: what a later turn sees of the earlier ones."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from askance.domain.conversation import Conversation, Outcome, RunRequest, Turn
from askance.domain.events import Answered, Cancelled, PageRead, Planned, RunEvent, TokenArrived
from askance.domain.evidence import Quote, Source, Support
from askance.domain.phases import Sufficiency
from askance.engine.prompts import Transcript
from integration.order import assert_legal
from servers.faults import address_of_nobody, fails, stalls
from servers.model_script import ModelScript, plan, verdict
from servers.world import (
    FIRST_GAP,
    LIGHTHOUSE,
    QUESTION,
    TITLES,
    RecordedEvents,
    knowing_model,
    the_answer,
    world,
)

ENOUGH = plan(history_sufficiency="sufficient")
EARLIER = Conversation((Turn("Who built it?", "Clara Whitlow built it in 1871 [1]."),))


async def test_a_second_turn_sees_the_question_and_the_answer_of_the_first():
    script = knowing_model()
    async with world(script) as w:
        first = await w.ask()
        conversation = Conversation().with_turn(Turn(QUESTION, first.end.answer))
        script.calls.clear()
        w.engine = replace(w.engine, transcript=Transcript())  # as after a restart
        await w.ask("Is the lighthouse of Lindmouth lit?", conversation)
    for call in script.calls:
        assert [m["role"] for m in call.messages] == ["system", "user", "assistant", "user"]
        assert call.messages[1]["content"] == QUESTION
        assert call.messages[2]["content"] == first.end.answer


STORED = Source(3, LIGHTHOUSE, TITLES[LIGHTHOUSE], "lindmouth.example", None, False)
TEXT = "The Lindmouth lighthouse was built in 1871 by the engineer Clara Whitlow."
READ = Conversation(
    (Turn("Who built it?", "Clara Whitlow did [3].", (), (Quote(STORED, TEXT, 0),)),)
)
ANSWER = "Clara Whitlow built the Lindmouth lighthouse in 1871 [1]."


async def test_what_was_read_before_answers_again_with_its_source():
    script = knowing_model(plan=[ENOUGH], judge=[verdict("sufficient")], answer=[ANSWER])
    async with world(script) as w:
        reported = await w.ask("Who built the lighthouse again?", READ)
        await w.until_idle()
    assert_legal(reported.events)
    assert reported.end.outcome is Outcome.HISTORY
    assert reported.end.rounds == 0
    assert [source.url for source in reported.end.sources] == [LIGHTHOUSE]
    (citation,) = reported.end.citations
    assert citation.support is Support.SUPPORTED
    assert citation.quote == TEXT
    assert TEXT in script.of("answer")[0].fenced


async def test_a_model_that_claims_to_know_from_a_conversation_without_sources_searches():
    """A tiny model says `sufficient` to any question below any answer."""
    script = knowing_model(plan=[ENOUGH])
    async with world(script) as w:
        reported = await w.ask(QUESTION, EARLIER)
    assert_legal(reported.events)
    assert reported.end.outcome is Outcome.WEB
    assert reported.end.sources
    assert all(citation.support is Support.SUPPORTED for citation in reported.end.citations)


@pytest.mark.parametrize("judged", ["insufficient", "sufficient"])
async def test_sources_of_before_that_do_not_answer_are_not_the_end_of_it(judged: str):
    """The judge says so, or says the contrary of what the quotes hold: they name no Gullane."""
    judge = [verdict(judged), *FIRST_GAP, verdict("sufficient")]
    script = knowing_model(plan=[ENOUGH], judge=judge, answer=["I could not find it."])
    async with world(script) as w:
        reported = await w.ask("Who built the lighthouse of Gullane?", READ)
    assert_legal(reported.events)
    assert reported.end.rounds > 0
    assert reported.of(PageRead)


async def test_without_a_conversation_its_sufficiency_is_not_believed():
    async with world(knowing_model(plan=[ENOUGH])) as w:
        reported = await w.ask()
    assert reported.of(Planned)[0].history_sufficiency is Sufficiency.INSUFFICIENT
    assert reported.end.outcome is Outcome.WEB


async def test_a_conversation_that_was_dropped_whole_is_not_sufficient_either():
    long = Conversation((Turn("Who built it?", "Clara Whitlow. " * 700),))
    async with world(knowing_model(plan=[ENOUGH])) as w:
        reported = await w.ask(QUESTION, long)
    assert "history_dropped" in reported.warned
    assert reported.end.outcome is Outcome.WEB


async def test_of_a_long_conversation_the_oldest_whole_turns_are_dropped():
    turns = tuple(Turn(f"Question {n}?", f"Answer {n}. " + "More of it. " * 70) for n in range(20))
    script = knowing_model()
    async with world(script) as w:
        reported = await w.ask(QUESTION, Conversation(turns))
    assert_legal(reported.events)
    assert "history_dropped" in reported.warned
    for call in script.calls:
        shown = call.messages[1:-1]
        stored = len(shown) // 2
        assert 0 < stored < 20
        expected = [text for turn in turns[-stored:] for text in (turn.question, turn.answer)]
        assert [m["content"] for m in shown] == expected
    assert script.overflows == 0


@pytest.mark.parametrize("fault", [fails, ""], ids=["fails", "is silent"])
async def test_a_writer_that_fails_on_what_was_read_before_leaves_its_words(fault: object):
    script = ModelScript([ENOUGH], [verdict("sufficient")], [fault])  # type: ignore[list-item]
    async with world(script) as w:
        reported = await w.ask("Who built the lighthouse again?", READ)
    assert_legal(reported.events)
    assert reported.end.outcome is Outcome.PASSAGES_ONLY
    assert TEXT.removesuffix(".") in reported.end.answer


async def test_a_cancelled_run_leaves_no_word_in_the_next_ones_prompts():
    script = knowing_model()
    script.answer = [script.after("Half an answer, never to be seen again.", stalls)]
    conversation = EARLIER
    async with world(script) as w:
        reported = RecordedEvents()

        def on_event(event: RunEvent) -> None:
            if isinstance(event, TokenArrived):
                running.cancel()

        async with asyncio.TaskGroup() as group:
            running = group.create_task(
                w.ask(QUESTION, conversation, is_reported=reported, on_event=on_event)
            )
        assert reported.ends == [Cancelled()]
        assert conversation == EARLIER
        script.calls.clear()
        script.answer = [the_answer]
        later = await w.ask("Where was Clara Whitlow of the Lindmouth lighthouse born?", EARLIER)
    assert isinstance(later.end, Answered)
    assert script.calls
    for call in script.calls:
        assert "Half an answer" not in call.text
        assert QUESTION not in call.text


async def test_a_chat_about_a_text_says_that_it_is_from_the_text():
    script = knowing_model(answer=["It is void."])
    async with world(script) as w:
        reported = RecordedEvents()
        text = "The seventh clause is void."
        end = await w.engine.chat(RunRequest("And now?", about=text), emit=reported.events.append)
        await w.until_idle()
    assert isinstance(end, Answered)
    assert end.outcome is Outcome.GIVEN
    assert script.calls[0].messages[-1]["content"] == f"And now?\n\n{text}"


async def test_a_chat_speaks_to_the_model_alone():
    script = knowing_model(answer=["Hello there."])
    async with world(script) as w:
        reported = RecordedEvents()
        end = await w.engine.chat(RunRequest("Hello!", EARLIER), emit=reported.events.append)
        await w.until_idle()
    assert isinstance(end, Answered)
    assert end.answer == "Hello there."
    assert end.outcome is Outcome.MEMORY
    assert "".join(event.text for event in reported.of(TokenArrived)) == "Hello there."
    assert not w.servers["search"].requests
    assert not w.servers["web"].requests
    assert script.calls[0].messages[1]["content"] == "Who built it?"


@pytest.mark.parametrize("said", ["The sea is salty. ", "Salt comes from rocks.\n"])
async def test_a_chat_that_repeats_itself_without_end_is_stopped_and_says_so(said: str):
    script = knowing_model()
    script.answer = [script.after("It is old. " + 60 * said, stalls)]
    async with world(script) as w:
        reported = RecordedEvents()
        end = await w.engine.chat(RunRequest("Why is it salty?"), emit=reported.events.append)
        await w.until_idle()
    assert isinstance(end, Answered)
    assert end.answer == f"It is old. {said.strip()}"
    assert reported.warned == {"answer_cut"}
    written = "".join(event.text for event in reported.of(TokenArrived))
    assert len(written) < 3000


async def test_a_chat_that_is_cancelled_reports_it_once_and_closes_its_connection():
    script = knowing_model()
    script.answer = [script.after("Hello", stalls)]
    async with world(script) as w:
        reported = RecordedEvents()

        def emit(event: RunEvent) -> None:
            reported.events.append(event)
            if isinstance(event, TokenArrived):
                running.cancel()

        async with asyncio.TaskGroup() as group:
            running = group.create_task(w.engine.chat(RunRequest("Hello!", EARLIER), emit=emit))
        assert running.cancelled()
        assert reported.ends == [Cancelled()]
        await w.until_idle()


async def test_a_chat_without_a_model_fails_and_names_it():
    address = address_of_nobody()
    async with world(settings={"llm.url": address}) as w:
        reported = RecordedEvents()
        await w.engine.chat(RunRequest("Hello!"), emit=reported.events.append)
    assert reported.end.service == "Ollama"
    assert reported.end.address == address
