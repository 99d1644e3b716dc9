"""Conversations: what a later turn sees of earlier ones, and their evidence, which is asked first."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from askance.domain.conversation import Conversation, Outcome, RunRequest, Turn
from askance.domain.events import (
    Answered,
    CitationsChecked,
    Judged,
    PageRead,
    Planned,
    RunEvent,
    SearchStarted,
    SourcesReady,
    TokenArrived,
)
from askance.domain.evidence import Quote, Source, Support
from askance.domain.history import turn_of
from askance.domain.phases import Sufficiency
from askance.domain.web_pages import SearchScope
from askance.engine.prompts import Transcript
from integration.order import assert_legal, cancelled_at
from integration.order import run_credulous as run_in_world
from integration.test_cancellation import assert_nothing_is_left
from servers.faults import FAULTS, address_of_nobody, fails, stalls
from servers.model_script import Call, ModelScript, Scripted, plan, verdict
from servers.world import (
    FIRST_GAP,
    GAP,
    LIGHTHOUSE,
    PAGES,
    QUESTION,
    SHORT_RUN,
    TITLES,
    WHITLOW,
    RecordedEvents,
    World,
    knowing_model,
    the_answer,
)
from servers.world import (
    credulous as world,
)

pytestmark = pytest.mark.usefixtures("waits_skipped")

FIRST = "When was the Lindmouth lighthouse built?"
FOLLOWING = "Is it of grey granite?"
BUILT = "The Lindmouth lighthouse was built in 1871 [1]."
FIRST_CALLS = 3
GRANITE = "It is thirty metres high, of grey granite [1]."


def script_of(*judge: Scripted, answer: Scripted = GRANITE) -> ModelScript:
    """A model that answers the first question after one round, and what follows as it is told."""
    return ModelScript(
        [plan("Lindmouth lighthouse")], [verdict("sufficient"), *judge], [BUILT, answer]
    )


async def begun(w: World) -> Conversation:
    """Ask the first question; what the model says later begins behind it."""
    first = await w.ask(FIRST)
    assert first.end.outcome is Outcome.WEB
    return followed(Conversation(), FIRST, first)


def followed(
    conversation: Conversation, question: str, on_progress: RecordedEvents
) -> Conversation:
    return conversation.with_turn(turn_of(question, on_progress.end))


def later(script: ModelScript) -> list[Call]:
    """The calls behind those of the first question."""
    return script.calls[FIRST_CALLS:]


async def follow_up(w: World, question: str = FOLLOWING) -> RecordedEvents:
    conversation = await begun(w)
    reported = await w.ask(question, conversation)
    await w.until_idle()
    assert_legal(reported.events)
    return reported


async def test_what_the_evidence_answers_is_not_searched_and_cites_its_page():
    script = script_of(verdict("sufficient"))
    async with world(script) as w:
        conversation = await begun(w)
        searched, read = list(w.searxng.heard), w.read()
        (written,) = script.of("answer")
        reported = await w.ask(FOLLOWING, conversation)
        await w.until_idle()
    assert_legal(reported.events)
    assert (w.searxng.heard, w.read()) == (searched, read)
    assert (reported.end.outcome, reported.end.rounds) == (Outcome.HISTORY, 0)
    (citation,) = reported.end.citations
    assert citation.support is Support.SUPPORTED
    assert citation.quote in PAGES[LIGHTHOUSE]
    assert [(s.n, s.url) for s in reported.end.sources] == [(citation.n, LIGHTHOUSE)]
    for call in later(script):
        assert call.messages[:2] == written.messages, "the server's cache begins so"
        assert call.messages[2] == {"role": "assistant", "content": BUILT}
        assert call.fenced == "", "nothing is sent a second time"
    assert [call.role for call in later(script)] == ["judge", "answer"]


async def test_a_follow_up_about_a_part_of_the_web_is_searched_there():
    script = script_of(verdict("sufficient"))
    async with world(script) as w:
        conversation = await begun(w)
        before = len(w.searxng.heard)
        await w.ask(FOLLOWING, conversation, narrowing=SearchScope(("gazette.example",)))
        await w.until_idle()
        received = w.searxng.heard[before:]
    assert received
    assert all(query.endswith(" site:gazette.example") for query in received)


async def test_without_a_usable_plan_a_follow_up_is_searched_with_what_it_is_about():
    script = ModelScript(
        [plan("Lindmouth lighthouse"), "I do not know."],
        [verdict("sufficient")] * 2,
        [BUILT, GRANITE],
    )
    async with world(script) as w:
        conversation = await begun(w)
        before = len(w.searxng.heard)
        reported = await w.ask("and its deepest anchorage?", conversation)
        await w.until_idle()
        received = w.searxng.heard[before:]
    assert "and its deepest anchorage?" in received
    assert any("Lindmouth" in query and "anchorage" in query for query in received)
    assert reported.end.outcome is Outcome.WEB


async def test_what_it_lacks_is_all_that_is_searched_and_numbers_go_on():
    def born(prompt: str) -> str:
        return "The engineer Clara Whitlow was born in the village of Orr in 1839 [4]."

    script = script_of(verdict("partial", GAP), verdict("sufficient"), answer=born)
    async with world(script) as w:
        reported = await follow_up(
            w, "Who was the engineer of the lighthouse, and where was she born?"
        )
        assert w.searxng.heard.count(GAP) == 1
    assert "plan" not in [call.role for call in later(script)]
    assert not reported.of(Planned)
    assert reported.end.outcome is Outcome.WEB
    numbers = {s.url: s.n for s in reported.of(SourcesReady)[0].sources}
    assert numbers[LIGHTHOUSE] == 1
    assert numbers[WHITLOW] == max(numbers.values())
    last = script.calls[-1]
    assert PAGES[LIGHTHOUSE][:60] in last.messages[1]["content"]
    assert PAGES[LIGHTHOUSE][:60] not in last.fenced
    assert f"[{numbers[WHITLOW]}] {TITLES[WHITLOW]}" in last.fenced


@pytest.mark.parametrize(
    "said",
    [verdict("insufficient"), "no verdict at all", FAULTS["fails"], ""],
    ids=["misses nothing it could name", "prose", "fails", "nothing"],
)
async def test_where_the_judge_names_no_gap_a_plan_is_made(said: Scripted):
    script = script_of(said, said, verdict("sufficient"))
    async with world(script) as w:
        reported = await follow_up(w)
    assert reported.of(Planned)
    assert reported.of(SearchStarted)
    assert reported.warned <= {"judge_failed", "no_progress"}
    assert reported.end.outcome is Outcome.WEB


@pytest.mark.parametrize(
    "question",
    [
        "Where was Clara Whitlow born?",
        "Was it painted green?",
        "Was it of grey granite in 1950?",
        "Is the Gullane one of grey granite?",
        "Why?",
    ],
)
async def test_a_judge_that_believes_all_is_not_asked_for_what_is_not_there(question: str):
    script = script_of(verdict("sufficient"), answer="I could not find it.")
    async with world(script) as w:
        reported = await follow_up(w, question)
    assert later(script)[0].role == "plan"
    assert reported.of(SearchStarted)
    assert reported.end.outcome is not Outcome.HISTORY


async def test_where_the_server_has_read_something_else_the_turns_stand_without_evidence():
    script = script_of(verdict("sufficient"))
    async with world(script, settings={"evidence.first_round_tokens": 200}) as w:
        conversation = await begun(w)
        await w.engine.chat(RunRequest("Tell me more."), emit=lambda _: None)
        reported = await w.ask(FOLLOWING, conversation)
    assert script.of("plan")[1].messages[1] == {"role": "user", "content": FIRST}
    assert reported.of(SearchStarted)


async def test_another_conversation_does_not_begin_with_it():
    script = script_of(verdict("sufficient"))
    async with world(script) as w:
        await begun(w)
        await w.ask(
            FOLLOWING, Conversation().with_turn(Turn("Who built it?", "Clara Whitlow did."))
        )
    assert PAGES[LIGHTHOUSE][:60] not in later(script)[0].text


async def test_a_long_conversation_overflows_no_context_and_cuts_no_evidence():
    small = {
        "llm.context_tokens": 1300,
        "evidence.first_round_tokens": 300,
        "answer.max_tokens": 150,
    }
    script = script_of(*(verdict("sufficient") for _ in range(8)))
    script.answer = [BUILT, GRANITE]
    script.context = 1300
    async with world(script, settings=small) as w:
        conversation = await begun(w)
        for question in [
            FOLLOWING,
            "Where was Clara Whitlow born?",
            FOLLOWING,
            "Who dredged it?",
        ] * 2:
            reported = await w.ask(question, conversation)
            assert_legal(reported.events)
            conversation = followed(conversation, question, reported)
            for call in script.calls:
                fences = sum(m["content"].count("<<<web ") for m in call.messages)
                assert fences == sum(m["content"].count("\nweb ") for m in call.messages)
    assert script.overflows == 0


@pytest.mark.parametrize(
    "kind", [Judged, SourcesReady, TokenArrived, CitationsChecked], ids=lambda kind: kind.__name__
)
async def test_a_follow_up_cancelled_after_any_event_leaves_nothing_and_can_be_asked_again(
    kind: type[RunEvent], tmp_path: Path
):
    script = script_of(verdict("sufficient"))
    async with world(script) as w:
        before = asyncio.all_tasks()
        conversation = await begun(w)
        await cancelled_at(
            kind, lambda emit: w.engine.run(RunRequest(FOLLOWING, conversation), emit=emit)
        )
        await assert_nothing_is_left(w, before)
        again = await w.ask(FOLLOWING, conversation)
    assert again.end.outcome is Outcome.HISTORY


async def test_a_judge_that_stalls_leaves_the_writer_what_is_in_hand():
    script = script_of(stalls)
    async with world(script, settings=SHORT_RUN) as w:
        reported = await follow_up(w)
    assert "time_limit" in reported.warned
    assert isinstance(reported.end, Answered)
    assert reported.end.outcome is Outcome.HISTORY
    assert "grey granite" in reported.end.answer


async def test_a_writer_that_fails_on_it_leaves_the_passages():
    script = script_of(verdict("sufficient"), answer=FAULTS["fails"])
    async with world(script) as w:
        reported = await follow_up(w)
    assert reported.end.outcome is Outcome.PASSAGES_ONLY
    assert "grey granite" in reported.end.answer


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
    reported = await run_in_world(script, "Who built the lighthouse again?", READ)
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
    reported = await run_in_world(script, QUESTION, EARLIER)
    assert reported.end.outcome is Outcome.WEB
    assert reported.end.sources
    assert all(citation.support is Support.SUPPORTED for citation in reported.end.citations)


@pytest.mark.parametrize("judged", ["insufficient", "sufficient"])
async def test_sources_of_before_that_do_not_answer_are_not_the_end_of_it(judged: str):
    """The judge says so, or says the contrary of what the quotes hold: they name no Gullane."""
    judge = [verdict(judged), *FIRST_GAP, verdict("sufficient")]
    script = knowing_model(plan=[ENOUGH], judge=judge, answer=["I could not find it."])
    reported = await run_in_world(script, "Who built the lighthouse of Gullane?", READ)
    assert reported.end.rounds > 0
    assert reported.of(PageRead)


async def test_without_a_conversation_its_sufficiency_is_not_believed():
    reported = await run_in_world(knowing_model(plan=[ENOUGH]))
    assert reported.of(Planned)[0].history_sufficiency is Sufficiency.INSUFFICIENT
    assert reported.end.outcome is Outcome.WEB


async def test_a_conversation_that_was_dropped_whole_is_not_sufficient_either():
    long = Conversation((Turn("Who built it?", "Clara Whitlow. " * 700),))
    reported = await run_in_world(knowing_model(plan=[ENOUGH]), QUESTION, long)
    assert "history_dropped" in reported.warned
    assert reported.end.outcome is Outcome.WEB


async def test_of_a_long_conversation_the_oldest_whole_turns_are_dropped():
    turns = tuple(Turn(f"Question {n}?", f"Answer {n}. " + "More of it. " * 70) for n in range(20))
    script = knowing_model()
    reported = await run_in_world(script, QUESTION, Conversation(turns))
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
    reported = await run_in_world(script, "Who built the lighthouse again?", READ)
    assert reported.end.outcome is Outcome.PASSAGES_ONLY
    assert TEXT.removesuffix(".") in reported.end.answer


async def test_a_cancelled_run_leaves_no_word_in_the_next_ones_prompts():
    script = knowing_model()
    script.answer = [script.after("Half an answer, never to be seen again.", stalls)]
    conversation = EARLIER
    async with world(script) as w:
        await cancelled_at(
            TokenArrived, lambda emit: w.engine.run(RunRequest(QUESTION, conversation), emit=emit)
        )
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
        await cancelled_at(
            TokenArrived, lambda emit: w.engine.chat(RunRequest("Hello!", EARLIER), emit=emit)
        )
        await w.until_idle()


async def test_a_chat_without_a_model_fails_and_names_it():
    address = address_of_nobody()
    async with world(settings={"llm.url": address}) as w:
        reported = RecordedEvents()
        await w.engine.chat(RunRequest("Hello!"), emit=reported.events.append)
    assert reported.end.service == "Ollama"
    assert reported.end.address == address
