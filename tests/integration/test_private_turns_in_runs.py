"""Earlier turns that are private: no word of them reaches a model on another computer, or a search engine.

What is private is stored with a turn as what went into it. How its answer looks says nothing.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.adapters.llm.ollama import OllamaModel
from askance.adapters.storage.database import Database
from askance.adapters.storage.history import SCHEMA, SqliteHistory
from askance.domain.conversation import Conversation, Outcome, RunRequest, TextTask, TurnInput
from askance.domain.events import RunEvent, WarningCode
from askance.domain.history import TimedEvent, resumed, turn_of
from askance.domain.library import Document, Origin
from integration.order import run_credulous as run_in_world
from servers.model_script import ModelScript, plan, verdict
from servers.openai_endpoint import open_endpoint
from servers.world import (
    LIGHTHOUSE,
    ONE_ROUND,
    QUESTION,
    RecordedEvents,
    World,
    knowing_model,
)
from servers.world import (
    credulous as world,
)

ASKED = "What does the Lindmouth lighthouse lamp cost in crowns?"
PERSON, PLACE = "Grimewitzcehi", "Quostobdiastead"
DIARY = Document(
    "file:///diary/1.md",
    "Lighthouse diary",
    f"The Lindmouth lighthouse lamp cost 900 crowns. {PERSON} of {PLACE} paid for it.",
    Origin.FILE,
)
FORGED = f"{PERSON} of {PLACE} paid [1](https://other.example/a)."
BUILT = "The Lindmouth lighthouse was built in 1871 [1]."
LATER = "When was the Lindmouth lighthouse built?"
REMOTE = "models.example"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[SqliteLibrary]:
    now = datetime(2026, 11, 19, 8, tzinfo=UTC)
    with closing(SqliteLibrary(tmp_path / "l.sqlite3", 90, pytest.fail, lambda: now)) as opened:
        opened.add([DIARY])
        yield opened


@pytest.fixture
def move_model(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Say that the model is on another computer, from now on."""
    real = OllamaModel.info

    def move(host: str) -> None:
        async def info(self: OllamaModel) -> object:
            return replace(await real(self), host=host)

        monkeypatch.setattr(OllamaModel, "info", info)

    return move


def followed(
    conversation: Conversation, question: str, on_progress: RecordedEvents
) -> Conversation:
    """The conversation with a turn, as a front end goes on from it."""
    return conversation.with_turn(turn_of(question, on_progress.end))


def all_prompts(script: ModelScript) -> str:
    return " ".join(call.text for call in script.calls)


def queries(w: World) -> str:
    return " ".join(r.query.get("q", "") for r in w.servers["search"].requests)


def assert_no_private_word(text: str) -> None:
    assert PERSON.lower() not in text.lower()
    assert PLACE.lower() not in text.lower()


def obedient() -> ModelScript:
    """A model that asks the search engine for everybody it knows."""
    leak = f"{PERSON} {PLACE} Lindmouth lighthouse"
    return ModelScript(
        [plan(leak)], [verdict("partial", f"{PERSON} birthplace"), verdict("sufficient")], [BUILT]
    )


async def answered_here(
    library: SqliteLibrary, text: str = FORGED
) -> tuple[Conversation, RecordedEvents]:
    """A turn that the user's own documents answered, by a model on this computer."""
    script = ModelScript([], [verdict("sufficient")], [text])
    async with world(script, library=library) as w:
        reported = await w.ask(ASKED)
        assert PERSON in all_prompts(script)
    assert reported.end.outcome is Outcome.LIBRARY
    return followed(Conversation(), ASKED, reported), reported


@pytest.mark.parametrize(
    "said", [FORGED, f"{PERSON} of {PLACE} paid [1].", f"{PERSON} of {PLACE} paid."]
)
@pytest.mark.parametrize(
    "settings",
    [{}, {"library.recall": "only"}, {"library.recall": "never"}, {"search.enabled": False}],
    ids=["first", "library only", "no library", "no web"],
)
async def test_a_turn_from_own_documents_does_not_reach_a_model_elsewhere(
    library: SqliteLibrary,
    move_model: Callable[[str], None],
    said: str,
    settings: dict[str, object],
):
    turns, _ = await answered_here(library, said)
    move_model(REMOTE)
    script = obedient()
    async with world(script, settings=settings, library=library) as w:
        reported = await w.ask(LATER, turns)
        await w.engine.chat(RunRequest("Who paid?", turns), emit=reported.events.append)
        assert_no_private_word(queries(w))
    assert script.calls
    assert_no_private_word(all_prompts(script))
    assert ASKED not in all_prompts(script)
    assert WarningCode.HISTORY_WITHHELD in reported.warned


async def test_the_evidence_of_a_private_turn_stays_where_the_engine_still_has_its_prompt(
    library: SqliteLibrary, move_model: Callable[[str], None]
):
    script = ModelScript([plan("lamp")], [verdict("sufficient")], [f"{PERSON} paid [1].", BUILT])
    async with world(script, library=library) as w:
        turns = followed(Conversation(), ASKED, await w.ask(ASKED))
        before = len(script.calls)
        move_model(REMOTE)
        await w.ask("Who paid for the lamp in crowns?", turns)
    assert script.calls[before:]
    assert_no_private_word(" ".join(call.text for call in script.calls[before:]))


async def test_what_was_answered_in_sight_of_a_private_turn_is_private_too(
    library: SqliteLibrary, move_model: Callable[[str], None]
):
    turns, _ = await answered_here(library)
    script = ModelScript([plan("lighthouse")], ONE_ROUND, [f"{BUILT} {PERSON} knows."])
    async with world(script, settings={"library.recall": "never"}) as w:
        reported = await w.ask(LATER, turns)
        assert reported.end.outcome is Outcome.WEB
        turns = followed(turns, LATER, reported)
    assert TurnInput.EARLIER in turns.turns[1].inputs
    move_model(REMOTE)
    there = obedient()
    async with world(there, settings={"library.recall": "never"}) as w:
        await w.ask("How high is the lighthouse?", turns)
    assert_no_private_word(all_prompts(there))


async def test_texts_of_the_user_that_a_turn_was_about_stay_here_too(
    move_model: Callable[[str], None],
):
    events: list[RunEvent] = []
    about = f"A letter by {PERSON} of {PLACE}."
    here = knowing_model(judge=ONE_ROUND, answer=["It says little [1].", "It says little."])
    async with world(here) as w:
        run = await w.engine.run(RunRequest(QUESTION, about=about), emit=events.append)
        chat = await w.engine.chat(RunRequest(f"I am {PERSON}."), emit=events.append)
        text = await w.engine.rework(TextTask.TLDR, about, "", emit=events.append)
    ends = [RecordedEvents([end]) for end in (run, chat, text)]
    assert [TurnInput.TEXT in report.end.inputs for report in ends] == [True, False, True]
    turns = Conversation()
    for item in ends:
        turns = followed(turns, about, item)
    move_model(REMOTE)
    script = obedient()
    async with world(script) as w:
        await w.ask(QUESTION, turns)
    assert_no_private_word(all_prompts(script))


async def test_a_turn_of_the_web_alone_is_read_by_every_model(move_model: Callable[[str], None]):
    script = ModelScript([plan("Lindmouth lighthouse")], ONE_ROUND, [BUILT])
    async with world(script) as w:
        reported = await w.ask(LATER)
        turns = followed(Conversation(), LATER, reported)
        assert set(reported.end.inputs) == {TurnInput.QUERY, TurnInput.WEB}
        move_model(REMOTE)
        later = await w.ask("How high is it?", turns)
    assert LATER in script.calls[-1].text
    assert WarningCode.HISTORY_WITHHELD not in later.warned


async def test_a_model_elsewhere_goes_on_from_what_it_has_said_itself(
    move_model: Callable[[str], None],
):
    move_model(REMOTE)
    script = ModelScript([], [], ["Hello, Anna."])
    async with world(script) as w:
        reported = RecordedEvents()
        await w.engine.chat(RunRequest("I am Anna."), emit=reported.events.append)
        turns = followed(Conversation(), "I am Anna.", reported)
        await w.engine.chat(RunRequest("Who am I?", turns), emit=reported.events.append)
        assert "I am Anna." in script.calls[-1].text
        move_model("elsewhere.example")
        await w.engine.chat(RunRequest("Who am I?", turns), emit=reported.events.append)
        assert "Anna" not in script.calls[-1].text


async def test_a_model_elsewhere_reads_private_turns_where_the_user_lets_it(
    library: SqliteLibrary, move_model: Callable[[str], None]
):
    turns, _ = await answered_here(library)
    move_model(REMOTE)
    script = obedient()
    settings = {"library.share_with_remote_model": True, "library.recall": "never"}
    async with world(script, settings=settings) as w:
        reported = await w.ask(LATER, turns)
        assert_no_private_word(queries(w))
    assert PERSON in all_prompts(script)
    assert WarningCode.HISTORY_WITHHELD not in reported.warned


def stored(file: Path, on_progress: RecordedEvents, *, is_old: bool) -> Conversation:
    """A conversation as it comes back from the history's file; an old one without the record of what went into it."""
    with closing(SqliteHistory(file, pytest.fail)) as history:
        key = history.begin_exchange(None, "search", ASKED)
        history.finish_exchange(key, [TimedEvent(1.0, on_progress.end)])
    if is_old:
        with closing(Database(file, SCHEMA, pytest.fail, busy_timeout_s=1.0)) as database:
            ((blob,),) = database.rows("SELECT events FROM exchange", ())
            records = json.loads(zlib.decompress(blob))
            for record in records:
                del record["inputs"], record["model_host"]
            older = zlib.compress(json.dumps(records).encode())
            database.write(lambda c: c.execute("UPDATE exchange SET events = ?", (older,)))
    with closing(SqliteHistory(file, pytest.fail)) as history:
        record = history.conversation(key.conversation)
        assert record is not None
        return resumed(record)


@pytest.mark.parametrize("is_old", [False, True])
async def test_a_private_turn_stays_private_in_the_history(
    library: SqliteLibrary, move_model: Callable[[str], None], tmp_path: Path, is_old: bool
):
    _, reported = await answered_here(library)
    turns = stored(tmp_path / "history.sqlite3", reported, is_old=is_old)
    assert turns.turns[0].answer == reported.end.answer
    assert (turns.turns[0].inputs == ()) is is_old
    move_model(REMOTE)
    script = obedient()
    async with world(script, settings={"library.recall": "never"}) as w:
        await w.ask(LATER, turns)
        assert_no_private_word(queries(w))
    assert_no_private_word(all_prompts(script))


async def test_an_old_turn_of_which_nothing_is_known_is_no_turn_for_a_model_elsewhere(
    move_model: Callable[[str], None], tmp_path: Path
):
    script = ModelScript([plan("Lindmouth lighthouse")], ONE_ROUND, [BUILT])
    reported = await run_in_world(script, LATER)
    turns = stored(tmp_path / "history.sqlite3", reported, is_old=True)
    async with world(script) as w:
        here = await w.ask("How high is it?", turns)
        assert ASKED in script.calls[-1].text
        move_model(REMOTE)
        there = await w.ask("How high is it?", turns)
        assert ASKED not in script.calls[-1].text
    assert WarningCode.HISTORY_WITHHELD not in here.warned
    assert WarningCode.HISTORY_WITHHELD in there.warned


PRIVATE_QUESTION = f"Does {PERSON} of {PLACE} have diabetes?"
HANDED_IN = [
    {"role": "user", "content": PRIVATE_QUESTION},
    {"role": "assistant", "content": "She has [1](https://other.example/a)."},
    {"role": "user", "content": LATER},
]


@pytest.mark.parametrize("link", ["[1](https://other.example/a)", f"[1]({LIGHTHOUSE})≈", ""])
async def test_no_link_in_a_conversation_that_is_handed_in_makes_its_question_public(
    tmp_path: Path, link: str
):
    handed_in = [HANDED_IN[0], {"role": "assistant", "content": f"She has {link}."}, HANDED_IN[2]]
    leak = f"{PERSON} {PLACE} diabetes Lindmouth lighthouse"
    script = ModelScript([plan(leak)], ONE_ROUND, [BUILT])
    async with open_endpoint(tmp_path, script) as endpoint:
        await endpoint.client.chat.completions.create(model="askance", messages=handed_in)  # type: ignore[arg-type]
        assert endpoint.searched
        assert_no_private_word(queries(endpoint.world))
        assert "diabetes" not in queries(endpoint.world)


@pytest.mark.parametrize("model", ["askance", "askance-chat"])
async def test_a_conversation_that_is_handed_in_does_not_reach_a_model_elsewhere(
    tmp_path: Path, move_model: Callable[[str], None], model: str
):
    move_model(REMOTE)
    script = ModelScript([plan("lighthouse")], ONE_ROUND, [BUILT])
    job = f'Write a title of 3 words for the chat. JSON: {{"title": ""}}\n<chat>\nUSER: {PERSON}\n</chat>'
    async with open_endpoint(tmp_path, script) as endpoint:
        await endpoint.client.chat.completions.create(model=model, messages=HANDED_IN)  # type: ignore[arg-type]
        asked = [{"role": "user", "content": job}]
        text = await endpoint.client.chat.completions.create(model=model, messages=asked)  # type: ignore[arg-type]
    assert list(json.loads(text.choices[0].message.content or "")) == ["title"]
    assert script.calls
    assert_no_private_word(all_prompts(script))


async def test_what_the_door_has_answered_from_the_web_goes_on_with_a_model_elsewhere(
    tmp_path: Path, move_model: Callable[[str], None]
):
    move_model(REMOTE)
    script = ModelScript([plan("lighthouse")], ONE_ROUND, [BUILT])
    async with open_endpoint(tmp_path, script) as endpoint:
        first = [HANDED_IN[2]]
        text = await endpoint.client.chat.completions.create(model="askance", messages=first)  # type: ignore[arg-type]
        answer = {"role": "assistant", "content": text.choices[0].message.content}
        more = [*first, answer, {"role": "user", "content": "How high is the lighthouse?"}]
        await endpoint.client.chat.completions.create(model="askance", messages=more)
    assert LATER in script.calls[-1].text
