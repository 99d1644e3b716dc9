"""Follow-ups: the evidence of earlier answers is asked first, where the model's server still holds it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from askance.domain.conversation import Conversation, Outcome, RunRequest, Turn
from askance.domain.events import (
    Answered,
    Cancelled,
    CitationsChecked,
    Judged,
    Planned,
    RunEvent,
    SearchStarted,
    SourcesReady,
    TokenArrived,
)
from askance.domain.evidence import Support
from askance.domain.history import turn_of
from askance.domain.web_pages import SearchScope
from integration.order import assert_legal
from integration.test_cancellation import assert_nothing_is_left
from servers.faults import FAULTS, stalls
from servers.model_script import Call, ModelScript, Scripted, plan, verdict
from servers.world import (
    GAP,
    LIGHTHOUSE,
    PAGES,
    SHORT_RUN,
    TITLES,
    WHITLOW,
    RecordedEvents,
    World,
    world,
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
        cancelled = RecordedEvents()

        def on_event(event: RunEvent) -> None:
            if isinstance(event, kind):
                running.cancel()

        async with asyncio.TaskGroup() as group:
            asking = w.ask(FOLLOWING, conversation, is_reported=cancelled, on_event=on_event)
            running = group.create_task(asking)
        assert cancelled.ends == [Cancelled()]
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
