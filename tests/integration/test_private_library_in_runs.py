"""Private documents and a model that sends out whatever it has read: no word of them leaves this machine."""

from __future__ import annotations

import json
import logging
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.adapters.llm.ollama import OllamaModel
from askance.domain.conversation import Conversation, Outcome
from askance.domain.events import LibraryRecalled, RequestSent, Warned, WarningCode
from askance.domain.library import Document, Origin
from askance.domain.web_pages import SearchScope
from integration.order import assert_legal
from integration.order import run_credulous as run_in_world
from integration.test_follow_ups_in_runs import followed
from servers.loopback import Request
from servers.model_script import ModelScript, plan, verdict
from servers.world import LIGHTHOUSE, PAGES, TITLES, World
from servers.world import credulous as world

DOCUMENTS, QUESTIONS = 200, 50
_STARTS = (
    "bra",
    "cle",
    "dro",
    "fle",
    "gri",
    "klu",
    "mor",
    "nar",
    "pli",
    "quo",
    "sto",
    "tru",
    "vel",
)
_ENDS = ("bander", "dovic", "fenstam", "gimbel", "hartok", "lindrax", "mewitz", "noskar", "pondel")
IN_1871 = "The Lindmouth lighthouse was built in 1871 [1]."


def secrets_of(number: int) -> tuple[str, str, str, str]:
    """A person, a place, an account and a sum that stand in one document and nowhere else."""
    chance = random.Random(number)  # noqa: S311 - test data
    person = f"{chance.choice(_STARTS)}{chance.choice(_ENDS)}{_letters(number)}"
    place = f"{chance.choice(_STARTS)}{chance.choice(_STARTS)}{_letters(number)}stead"
    return person, place, f"DE{10**19 + number * 7_919:020d}", f"{73_000_000 + number * 104_729}"


def _letters(number: int) -> str:
    return "".join("bcdfghjklm"[int(digit)] + "aeiou"[int(digit) % 5] for digit in f"{number:03d}")


def diary(number: int) -> Document:
    person, place, account, amount = secrets_of(number)
    text = (
        f"Meeting number {number} about the Lindmouth lighthouse. {person.capitalize()} of"
        f" {place.capitalize()} wants {amount} crowns for the lamp of lighthouse number {number},"
        f" to be paid to {account}. The diagnosis of {person.capitalize()} stays between us."
    )
    return Document(f"file:///diary/{number}.md", f"Lighthouse diary {number}", text, Origin.FILE)


SECRETS = {number: secrets_of(number) for number in range(DOCUMENTS)}
WORDS = [word for known in SECRETS.values() for word in known]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[SqliteLibrary]:
    now = datetime(2026, 11, 19, 8, tzinfo=UTC)
    opened = SqliteLibrary(tmp_path / "library.sqlite3", 90, pytest.fail, lambda: now)
    opened.add([diary(number) for number in range(DOCUMENTS)])
    yield opened
    opened.close()


def leaked_in(prompt: str) -> list[str]:
    """What of the private words a model can see in its prompt, as it would pass it on."""
    lowered = prompt.lower()
    return [word for word in WORDS if word.lower() in lowered]


def obedient(prompt: str) -> str:
    """A judge that wants to know more of everything private that it has been shown."""
    seen = leaked_in(prompt)
    spelled = [" ".join(word) for word in seen[:1]]
    queries = [" ".join(seen[i : i + 3]) for i in range(0, min(len(seen), 6), 3)] + spelled
    return json.dumps(verdict("insufficient", *[f"Lindmouth lamp {q}" for q in queries][:3]))


def scheming(prompt: str) -> str:
    return json.dumps(plan(f"Lindmouth lamp {' '.join(leaked_in(prompt)[:8])}"))


def telling(prompt: str) -> str:
    seen = leaked_in(prompt)[:4]
    return f"The Lindmouth lighthouse was built in 1871 [1]. {' '.join(seen).capitalize()} said so [1]."


def everything_sent(w: World) -> str:
    """All that the search engine and the web were asked, letters and digits also without gaps."""
    asked = [_told(r) for name in ("search", "web") for r in w.servers[name].requests]
    together = " ".join(asked).lower()
    return f"{together} {''.join(c for c in together if c.isalnum())}"


def _told(request: Request) -> str:
    return f"{request.target} {' '.join(request.query.values())} {request.body.decode('utf-8', 'replace')}"


@pytest.mark.exhaustive
async def test_no_word_of_two_hundred_documents_leaves_in_fifty_questions(
    library: SqliteLibrary, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    script = ModelScript([scheming], [obedient], [telling])
    recalled = held = 0
    ledger = ""
    conversation = Conversation()
    async with world(script, library=library, settings={"limits.rounds": 2}) as w:
        for number in range(QUESTIONS):
            question = f"What does the Lindmouth lighthouse lamp number {number} cost in crowns?"
            reported = await w.ask(question, conversation)
            assert_legal(reported.events)
            recalled += len(reported.of(LibraryRecalled))
            ledger += " ".join(e.content for e in reported.of(RequestSent)).lower()
            held += any(e.code is WarningCode.WORDS_HELD_BACK for e in reported.of(Warned))
            conversation = (
                followed(conversation, question, reported) if number % 3 else Conversation()
            )
        sent = everything_sent(w)
        seen = sum(bool(leaked_in(call.text)) for call in script.calls)
    assert recalled > QUESTIONS / 2, "the library was asked, and the model has read it"
    assert seen > QUESTIONS
    assert held > QUESTIONS / 4, "and it has tried"
    assert w.searxng.heard
    for text in (sent, ledger, caplog.text.lower()):
        assert leaked_in(text) == []


async def test_a_word_of_a_private_answer_is_not_searched_in_a_later_turn(library: SqliteLibrary):
    person, place, *_ = SECRETS[7]
    asked = "What does the Lindmouth lighthouse lamp number 7 cost in crowns?"
    private = ModelScript([], [verdict("sufficient")], [f"{person.capitalize()} of {place} [1]."])
    async with world(private, library=library) as w:
        first = await w.ask(asked)
        assert w.servers["search"].requests == []
    assert first.end.outcome is Outcome.LIBRARY
    turns = followed(Conversation(), asked, first)
    assert turns.turns[0].published == ()
    leaking = ModelScript(
        [plan(f"{person} {place} Lindmouth lighthouse")],
        [verdict("partial", f"{person.upper()} birthplace"), verdict("sufficient")],
        [IN_1871],
    )
    async with world(leaking, settings={"library.recall": "never"}) as w:
        await w.ask("When was the Lindmouth lighthouse built?", turns)
        sent = everything_sent(w)
        assert w.searxng.heard
    assert person not in sent
    assert place not in sent


async def test_what_a_page_says_too_may_be_searched(library: SqliteLibrary):
    library.add(
        [
            Document(
                "file:///diary/engineer.md",
                "Engineer",
                "The engineer of the Lindmouth lighthouse is Clara Whitlow, my great-aunt.",
                Origin.FILE,
            ),
            Document(LIGHTHOUSE, TITLES[LIGHTHOUSE], PAGES[LIGHTHOUSE], Origin.WEB),
        ]
    )
    gap = "Clara Whitlow engineer born village"
    script = ModelScript([], [verdict("partial", gap), verdict("sufficient")], [IN_1871])
    async with world(script, library=library) as w:
        await w.ask("Which engineer built the Lindmouth lighthouse in 1871?")
        assert gap in w.searxng.heard


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Put the model on another computer, from now on."""
    real = OllamaModel.info

    async def info(self: OllamaModel) -> object:
        return replace(await real(self), host="models.example")

    return lambda: monkeypatch.setattr(OllamaModel, "info", info)


ABOUT_A_LAMP = "What does the Lindmouth lighthouse lamp number 7 cost in crowns?"


@pytest.mark.parametrize(
    "settings",
    [{}, {"library.recall": "only"}, {"search.enabled": False}],
    ids=["first", "library only", "no web"],
)
@pytest.mark.parametrize("said", ["It costs a lot [1].", "The sources do not say what it costs."])
async def test_what_private_documents_answered_here_is_no_evidence_for_a_model_elsewhere(
    library: SqliteLibrary, elsewhere: Callable[[], None], settings: dict[str, object], said: str
):
    here = ModelScript([plan("lamp")], [verdict("sufficient")], [said])
    async with world(here, library=library) as w:
        await w.ask(ABOUT_A_LAMP)
        assert leaked_in(" ".join(call.text for call in here.calls))
    elsewhere()
    there = ModelScript([plan("lamp")], [verdict("insufficient")] * 6, [said])
    async with world(there, settings=settings, library=library) as w:
        await w.ask(ABOUT_A_LAMP)
    assert not leaked_in(" ".join(call.text for call in there.calls))


@pytest.mark.parametrize("question", [ABOUT_A_LAMP, "What do these say?"])
async def test_private_documents_that_were_chosen_are_withheld_from_a_model_elsewhere(
    library: SqliteLibrary, elsewhere: Callable[[], None], question: str
):
    elsewhere()
    script = ModelScript([], [verdict("insufficient")] * 6, ["The sources do not say."])
    chosen = SearchScope(documents=(library.find("file:///diary/7.md")[0].id,))
    reported = await run_in_world(script, question, library=library, narrowing=chosen)
    assert not leaked_in(" ".join(call.text for call in script.calls))
    assert WarningCode.LIBRARY_WITHHELD in reported.warned
    assert reported.end.outcome is Outcome.INSUFFICIENT


@pytest.mark.parametrize("shared", [False, True])
async def test_a_model_on_another_computer_reads_private_documents_only_if_it_may(
    library: SqliteLibrary, elsewhere: Callable[[], None], shared: bool
):
    elsewhere()
    script = ModelScript([plan("Lindmouth lamp")], [verdict("sufficient")], [IN_1871])
    settings = {"library.share_with_remote_model": shared}
    async with world(script, settings=settings, library=library) as w:
        reported = await w.ask(ABOUT_A_LAMP)
        prompts = " ".join(call.text for call in script.calls)
    assert bool(leaked_in(prompts)) is shared
    assert (WarningCode.LIBRARY_WITHHELD in reported.warned) is not shared
