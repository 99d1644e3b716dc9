"""A question in another language than English: asked in two languages, answered in its own."""

from __future__ import annotations

from typing import Any

from askance.domain.conversation import Conversation, SearchSize, Turn
from askance.domain.events import GapFound, PageRequested, SearchStarted
from integration.order import assert_legal
from servers.model_script import ModelScript, plan, verdict
from servers.searxng import Hit
from servers.world import (
    GAZETTE,
    HARBOUR,
    LIGHTHOUSE,
    WHITLOW,
    RecordedEvents,
    found,
    world,
)

GERMAN = "Wo wurde die Ingenieurin geboren, die den Leuchtturm von Lindmouth gebaut hat?"
OPENED = (GERMAN, "Ingenieurin geboren Leuchtturm Lindmouth gebaut")
ENGLISH = "Where was the engineer of the Lindmouth lighthouse born?"
ANSWER = "Clara Whitlow wurde 1839 in Orr geboren [1]."


def script_of(*queries: str, judge: tuple[Any, ...] = (verdict("sufficient"),)) -> ModelScript:
    return ModelScript([plan("\n".join(queries))], list(judge), [ANSWER])


def by_language(query: str) -> list[Hit]:
    """Nothing that helps is found by German words."""
    return found(WHITLOW, LIGHTHOUSE) if "engineer" in query else found(HARBOUR, GAZETTE)


async def asked(
    script: ModelScript,
    question: str = GERMAN,
    *,
    settings: dict[str, Any] | None = None,
    **wanted: Any,
) -> RecordedEvents:
    async with world(script, hits=by_language, settings=settings) as w:
        reported = await w.ask(question, **wanted)
        await w.until_idle()
    assert_legal(reported.events)
    return reported


def searched(on_progress: RecordedEvents) -> list[str]:
    return [query for event in on_progress.of(SearchStarted) for query in event.queries]


async def test_both_languages_go_out_in_the_first_round_and_no_more_than_it_may_send() -> None:
    reported = await asked(script_of(ENGLISH, "Lindmouth", "Leuchtturm Lindmouth"))
    assert searched(reported) == [*OPENED, ENGLISH]
    reported = await asked(script_of("Leuchtturm Lindmouth", ENGLISH))
    assert searched(reported) == [*OPENED, ENGLISH], "the other language comes first"
    reported = await asked(script_of(ENGLISH, "Lindmouth", "Whitlow"), size=SearchSize(queries=4))
    assert searched(reported) == [*OPENED, ENGLISH, "Lindmouth"]


async def test_pages_of_the_first_search_leave_room_for_those_of_the_plan() -> None:
    limits = {"PAGES_A_ROUND": 2}
    reported = await asked(script_of(ENGLISH), settings=limits)
    read = [event.url for event in reported.of(PageRequested)]
    assert len(read) == 2
    assert read[0] in (HARBOUR, GAZETTE)
    assert read[1] in (WHITLOW, LIGHTHOUSE)


async def test_where_the_plan_stays_in_the_language_all_pages_of_the_first_search_are_read() -> (
    None
):
    reported = await asked(script_of(GERMAN), settings={"PAGES_A_ROUND": 2})
    assert {event.url for event in reported.of(PageRequested)} == {HARBOUR, GAZETTE}


async def test_a_question_in_english_is_searched_as_before() -> None:
    reported = await asked(
        script_of("Leuchtturm und Ingenieurin von Lindmouth"),
        ENGLISH,
        settings={"PAGES_A_ROUND": 2},
    )
    assert len({event.url for event in reported.of(PageRequested)}) == 2
    assert searched(reported)[:2] == [ENGLISH, "engineer Lindmouth lighthouse born"]


async def test_what_a_judge_misses_without_a_query_is_looked_for_in_the_language_of_the_plan() -> (
    None
):
    reported = await asked(
        script_of(
            "Where was Clara Whitlow born, the engineer of Lindmouth?", judge=(verdict("partial"),)
        )
    )
    first, *_ = reported.of(GapFound)
    assert first.queries == ("Clara Whitlow", "Lindmouth")


async def test_prompts_name_the_language_and_a_question_in_english_names_none() -> None:
    script = script_of(ENGLISH)
    await asked(script)
    assert "alone, in German (quotes as" in script.of("answer")[0].task
    assert "in the language of most pages about it" in script.of("plan")[0].task
    assert "in the language of most pages about it" in script.of("judge")[0].task
    script = script_of(ENGLISH)
    await asked(script, ENGLISH)
    assert "alone, in its own language." in script.of("answer")[0].task
    assert "language of most pages" not in "".join(call.text for call in script.calls)
    script = script_of(ENGLISH)
    await asked(script, ENGLISH, settings={"answer.language": "fr"})
    assert "alone, in French (quotes as" in script.of("answer")[0].task


async def test_a_follow_up_is_answered_in_the_language_of_the_conversation() -> None:
    script = script_of(ENGLISH)
    async with world(script, hits=by_language) as w:
        await w.ask("1839?", Conversation((Turn(GERMAN, ANSWER),)))
    assert "alone, in German (quotes as" in script.of("answer")[0].task
