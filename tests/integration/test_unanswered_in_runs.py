"""What a whole search left unanswered is not searched again at once: its evidence is there, and is said to be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.storage.library import SqliteLibrary
from askance.domain.conversation import Conversation, Outcome
from askance.domain.events import LibraryRecalled, SearchStarted, WarningCode
from askance.domain.library import Document, Origin
from askance.engine.local_library import question_key, stands_alone
from integration.order import assert_legal
from integration.test_follow_ups_in_runs import followed
from integration.test_recall_in_runs import BUILT, IN_1871, page, roles
from servers.faults import hangs_up
from servers.loopback import Handler, Request
from servers.model_script import ModelScript, plan, verdict
from servers.world import LIGHTHOUSE, QUESTION, WHITLOW, Told, always, where, world

HEIGHT = "How deep is the cellar of the Lindmouth lighthouse?"
TOLD = "The cellar of the Lindmouth lighthouse is nine metres deep. It was dug in 1902."
NOT_FOUND = "The sources do not say how deep the cellar is."
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
CELLAR = "http://cellars.example/deep"


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def library(tmp_path: Path, clock: Clock) -> Iterator[SqliteLibrary]:
    opened = SqliteLibrary(tmp_path / "library.sqlite3", 90, pytest.fail, clock)
    yield opened
    opened.close()


def script(*judge: object, answer: str = NOT_FOUND) -> ModelScript:
    return ModelScript(
        [plan("Lindmouth lighthouse cellar")],
        list(judge) or [verdict("insufficient", "cellar depth")] * 6,  # type: ignore[arg-type]
        [answer] * 2,
    )


async def unanswered(library: SqliteLibrary, clock: Clock, **settings: Any) -> Told:
    """Search for it once, in vain."""
    async with world(script(), library=library, now=clock, settings=settings) as w:
        told = await w.ask(HEIGHT)
    assert told.end.outcome is Outcome.INSUFFICIENT
    assert told.of(SearchStarted)
    return told


async def test_what_nothing_answered_is_told_at_once_from_what_was_found_then(
    library: SqliteLibrary, clock: Clock
):
    first = await unanswered(library, clock)
    clock.now += timedelta(minutes=5)
    async with world(script(), library=library, now=clock) as w:
        told = await w.ask(HEIGHT)
        assert w.servers["search"].requests == []
        assert w.servers["web"].requests == []
        assert roles(w) == ["answer"]
    assert_legal(told.events)
    assert (told.end.outcome, told.end.rounds) == (Outcome.INSUFFICIENT, 0)
    assert told.of(LibraryRecalled)
    assert WarningCode.SEARCHED_BEFORE in told.warned
    read = {source.url for source in first.end.sources if not source.snippet_only}
    assert {source.url for source in told.end.sources} == read


@pytest.mark.parametrize(
    ("minutes", "settings"),
    [(61, {}), (1, {"library.unanswered_minutes": 0}), (-5, {})],
    ids=["an hour later", "switched off", "a clock that went back"],
)
async def test_it_is_searched_again(
    library: SqliteLibrary, clock: Clock, minutes: int, settings: dict[str, Any]
):
    await unanswered(library, clock)
    clock.now += timedelta(minutes=minutes)
    async with world(script(), library=library, now=clock, settings=settings) as w:
        told = await w.ask(HEIGHT)
    assert told.of(SearchStarted)
    assert WarningCode.SEARCHED_BEFORE not in told.warned


async def test_who_retries_has_it_searched(library: SqliteLibrary, clock: Clock):
    await unanswered(library, clock)
    async with world(script(), library=library, now=clock) as w:
        w.engine = replace(w.engine).afresh()
        told = await w.ask(HEIGHT)
    assert told.of(SearchStarted)


@pytest.mark.parametrize(
    "other",
    [{"llm.model": "tiny:latest"}, {"llm.think": True}, {"limits.rounds": 5}],
    ids=["another model", "thinking", "more rounds"],
)
async def test_what_one_way_of_searching_did_not_find_another_may(
    library: SqliteLibrary, clock: Clock, other: dict[str, Any]
):
    await unanswered(library, clock)
    async with world(script(), library=library, now=clock, settings=other) as w:
        told = await w.ask(HEIGHT)
    assert told.of(SearchStarted)


async def test_the_present_is_asked_of_the_web_all_the_same(library: SqliteLibrary, clock: Clock):
    asked = "How deep is the cellar of the Lindmouth lighthouse today?"
    for _ in range(2):
        async with world(script(), library=library, now=clock) as w:
            told = await w.ask(asked)
        assert told.of(SearchStarted)


async def test_what_came_into_the_library_since_answers_it(library: SqliteLibrary, clock: Clock):
    await unanswered(library, clock)
    clock.now += timedelta(minutes=1)
    long_ago = (NOW - timedelta(days=80)).isoformat(timespec="seconds")
    library.add([Document(CELLAR, "Deep cellars", TOLD, Origin.WEB, fetched_at=long_ago)])
    finds = script(verdict("sufficient"), answer="The cellar is nine metres deep [1].")
    async with world(finds, library=library, now=clock) as w:
        told = await w.ask(HEIGHT)
        assert w.servers["search"].requests == []
    assert told.end.outcome is Outcome.LIBRARY
    assert CELLAR in {source.url for source in told.end.sources}


async def test_evidence_that_says_something_else_now_is_left_out(
    library: SqliteLibrary, clock: Clock
):
    await unanswered(library, clock)
    clock.now += timedelta(minutes=1)
    changed = "The keepers of another island grow cabbages in a row along the eastern wall."
    library.add([Document(LIGHTHOUSE, "Cabbages", changed, Origin.WEB)])
    async with world(script(), library=library, now=clock) as w:
        told = await w.ask(HEIGHT)
        assert w.servers["search"].requests == []
    assert LIGHTHOUSE not in {source.url for source in told.end.sources}


async def test_what_is_cleared_is_not_remembered(library: SqliteLibrary, clock: Clock):
    await unanswered(library, clock)
    library.clear()
    async with world(script(), library=library, now=clock) as w:
        told = await w.ask(HEIGHT)
    assert told.of(SearchStarted)


@pytest.mark.parametrize(
    ("said", "breaks"),
    [
        (verdict("insufficient", "cellar depth"), {"search": where("cellar+depth", hangs_up)}),
        (verdict("insufficient", "cellar depth"), {"web": always(hangs_up)}),
        ("no JSON", {}),
    ],
    ids=["a query failed", "no page was read", "the judge failed"],
)
async def test_a_search_that_was_not_whole_is_made_again(
    library: SqliteLibrary,
    clock: Clock,
    said: object,
    breaks: dict[str, Callable[[Request], Handler | None]],
):
    async with world(script(*[said] * 6), library=library, now=clock, breaks=breaks) as w:
        first = await w.ask(HEIGHT)
    assert first.end.outcome is Outcome.INSUFFICIENT
    async with world(script(), library=library, now=clock) as w:
        told = await w.ask(HEIGHT)
    assert told.of(SearchStarted)


async def test_no_results_at_all_are_no_answer_of_the_web(library: SqliteLibrary, clock: Clock):
    async with world(script(), hits=lambda _: [], library=library, now=clock) as w:
        first = await w.ask(HEIGHT)
    assert WarningCode.NO_RESULTS in first.warned
    async with world(script(), library=library, now=clock) as w:
        told = await w.ask(HEIGHT)
    assert told.of(SearchStarted)


async def test_an_answer_lifts_it_even_where_it_cannot_be_kept(
    library: SqliteLibrary, clock: Clock
):
    asked = "How deep is the cellar?"
    async with world(script(), library=library, now=clock) as w:
        await w.ask(asked)
    finds = script(verdict("sufficient"), answer="It is thirty metres high, of grey granite [1].")
    async with world(finds, library=library, now=clock) as w:
        w.engine = w.engine.afresh()
        turn = Conversation().with_turn("Who built the lighthouse?", "Clara Whitlow.")
        assert (await w.ask(asked, turn)).end.outcome is Outcome.WEB
    async with world(script(), library=library, now=clock) as w:
        told = await w.ask(asked)
    assert told.of(SearchStarted)
    assert WarningCode.SEARCHED_BEFORE not in told.warned


async def test_an_answer_of_which_a_part_is_gone_is_none(library: SqliteLibrary, clock: Clock):
    async with world(library=library, now=clock) as w:
        first = await w.ask()
    assert first.end.outcome is Outcome.WEB
    key = question_key(QUESTION)
    assert len({place.document for place in library.answers.places(key)}) == 2
    library.remove([library.find(WHITLOW)[0].id])
    assert library.answers.places(key) == ()


async def test_who_retries_while_the_web_is_down_has_the_library(
    library: SqliteLibrary, clock: Clock
):
    library.add([page(LIGHTHOUSE)])
    built = ModelScript([plan("x")], [verdict("sufficient")], [IN_1871])
    async with world(built, breaks={"search": always(hangs_up)}, library=library, now=clock) as w:
        w.engine = w.engine.afresh()
        told = await w.ask(BUILT)
    assert told.end.outcome is Outcome.LIBRARY
    assert WarningCode.LIBRARY_ALONE in told.warned


async def test_what_a_follow_up_meant_is_not_known_in_the_next_conversation(
    library: SqliteLibrary, clock: Clock
):
    asks = "When was it built?"
    built = ModelScript([plan("x")] * 2, [verdict("sufficient")] * 4, [IN_1871] * 2)
    async with world(built, library=library, now=clock) as w:
        first = await w.ask(BUILT)
        conversation = followed(Conversation(), BUILT, first)
        assert (await w.ask(asks, conversation)).end.outcome is not Outcome.INSUFFICIENT
    async with world(script(), library=library, now=clock) as w:
        told = await w.ask(asks)
    assert told.end.outcome is Outcome.INSUFFICIENT


@pytest.mark.parametrize(
    ("question", "alone"),
    [
        ("When was the lighthouse of Lindmouth built?", True),
        ("When was it built?", False),
        ("Did she plan the lighthouse of Lindmouth?", False),
        ("Who built the lighthouse?", False),
        ("What about Germany?", False),
        ("And in Germany?", False),
        ("Same for Berlin", False),
        ("How many were there in Berlin?", False),
        ("Wann wurde er in Lindmouth gebaut?", False),
        ("Wann wurde der Leuchtturm von Lindmouth gebaut?", True),
    ],
)
def test_a_question_stands_alone_that_names_its_subject(question: str, alone: bool):
    turns = Conversation().with_turn("Who?", "Nobody.").turns
    assert stands_alone(question, turns) is alone
    assert stands_alone(question, ())
    asked_before = Conversation().with_turn(question, "Nobody knows.").turns
    assert stands_alone(question, asked_before)
