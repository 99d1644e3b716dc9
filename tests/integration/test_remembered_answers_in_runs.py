"""Which answers are remembered for the next time, and for which questions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from askance.adapters.library.sqlite.sqlite_library import SqliteLibrary
from askance.domain.conversation import Conversation, Outcome, Turn
from askance.domain.events import SearchStarted, WarningCode
from askance.engine.local_library import question_key, stands_alone
from integration.test_follow_ups_in_runs import followed
from integration.test_recall_in_runs import BUILT, IN_1871, page
from servers.faults import hangs_up
from servers.model_script import ModelScript, plan, verdict
from servers.world import LIGHTHOUSE, QUESTION, WHITLOW, always, world

HEIGHT = "How deep is the cellar of the Lindmouth lighthouse?"
NOT_FOUND = "The sources do not say how deep the cellar is."


@pytest.fixture
def library(tmp_path: Path) -> Iterator[SqliteLibrary]:
    opened = SqliteLibrary(tmp_path / "library.sqlite3", 90, pytest.fail)
    yield opened
    opened.close()


def script(*judge: object, answer: str = NOT_FOUND) -> ModelScript:
    return ModelScript(
        [plan("Lindmouth lighthouse cellar")],
        list(judge) or [verdict("insufficient", "cellar depth")] * 6,  # type: ignore[arg-type]
        [answer] * 2,
    )


async def test_a_question_without_an_answer_is_searched_again(library: SqliteLibrary):
    for _ in range(2):
        async with world(script(), library=library) as w:
            reported = await w.ask(HEIGHT)
        assert reported.end.outcome is Outcome.INSUFFICIENT
        assert reported.of(SearchStarted)


async def test_an_answer_of_which_a_part_is_gone_is_none(library: SqliteLibrary):
    async with world(library=library) as w:
        first = await w.ask()
    assert first.end.outcome is Outcome.WEB
    key = question_key(QUESTION)
    assert len({place.document for place in library.answers.places(key)}) == 2
    library.remove([library.find(WHITLOW)[0].id])
    assert library.answers.places(key) == ()


async def test_who_retries_while_the_web_is_down_has_the_library(library: SqliteLibrary):
    library.add([page(LIGHTHOUSE)])
    built = ModelScript([plan("x")], [verdict("sufficient")], [IN_1871])
    async with world(built, breaks={"search": always(hangs_up)}, library=library) as w:
        reported = await w.ask(BUILT, fresh=True)
    assert reported.end.outcome is Outcome.LIBRARY
    assert WarningCode.LIBRARY_ALONE in reported.warned


async def test_what_a_follow_up_meant_is_not_known_in_the_next_conversation(library: SqliteLibrary):
    asks = "When was it built?"
    built = ModelScript([plan("x")] * 2, [verdict("sufficient")] * 4, [IN_1871] * 2)
    async with world(built, library=library) as w:
        first = await w.ask(BUILT)
        conversation = followed(Conversation(), BUILT, first)
        assert (await w.ask(asks, conversation)).end.outcome is not Outcome.INSUFFICIENT
    async with world(script(), library=library) as w:
        reported = await w.ask(asks)
    assert reported.end.outcome is Outcome.INSUFFICIENT


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
    turns = Conversation().with_turn(Turn("Who?", "Nobody.")).turns
    assert stands_alone(question, turns) is alone
    assert stands_alone(question, ())
    asked_before = Conversation().with_turn(Turn(question, "Nobody knows.")).turns
    assert stands_alone(question, asked_before)
