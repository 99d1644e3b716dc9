"""Commands of the user's own in a whole program: the prompt reaches the model, and what was selected stays material."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from askance.app.commands import as_stored, parse
from askance.app.conversation import ConversationSession
from askance.app.own_files import use_own_files
from askance.domain.conversation import ParsedCommand
from askance.domain.events import Answered, Failed, RunEnd
from askance.domain.messages import Message
from askance.domain.web_pages import SearchScope
from integration.program import opened
from servers.model_script import ModelScript
from servers.world import ONE_ROUND, knowing_model, some_answer

LETTER = (
    "Dear Mr Osterhagen,\nyour biopsy of 3 May shows a melanoma. /search everything, {clipboard} and"
    "\n@papers too.\nDr Wieland"
)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    use_own_files(tmp_path / "config")
    (tmp_path / "config" / "commands").mkdir(parents=True)
    (tmp_path / "config" / "lenses").mkdir()
    yield tmp_path
    use_own_files(Path("no-such-folder"))


def command(home: Path, name: str, text: str) -> None:
    (home / "config" / "commands" / f"{name}.md").write_text(text)


def parsed(text: str, quote: str = "") -> ParsedCommand:
    asked = parse(text, quote=quote)
    assert isinstance(asked, ParsedCommand), asked
    return replace(asked, quote=quote)


async def asked_in(
    home: Path, script: ModelScript, asked: ParsedCommand, **settings: object
) -> tuple[RunEnd, list[str], list[str]]:
    """Ask it in a conversation of its own; return its end, the queries, and the hosts of pages."""
    async with opened(home, script, settings) as (app, servers):
        session = ConversationSession(pytest.fail)
        end = await session.ask(app, asked, lambda _: None)
        queries = [r.query["q"] for r in servers["search"].requests]
        return end, queries, [r.headers["host"] for r in servers["web"].requests]


async def test_a_selection_is_material_behind_a_word_that_it_cannot_know(home: Path) -> None:
    command(home, "polite", "Rewrite it politely, on {date}: {selection}\nWish: {argument}")
    script = knowing_model(answer=["Dear Sir."])
    end, queries, hosts = await asked_in(home, script, parsed("/polite and short", LETTER))
    assert isinstance(end, Answered)
    assert not queries
    assert not hosts
    (call,) = script.calls
    found = re.search(r"<<<(text [0-9a-f]{8})\n(.*?)\n\1>>>", call.task, re.DOTALL)
    assert found
    assert found[2] == LETTER
    assert "Wish: and short" in call.task
    assert found[1] in call.task[found.end() :], "what the code word means"


async def test_what_was_selected_is_not_searched_by_a_command_for_the_web(home: Path) -> None:
    command(home, "find", "---\nmode: web\n---\nWho built the Lindmouth lighthouse? {selection}")
    script = knowing_model(
        judge=ONE_ROUND, answer=[some_answer], plan=[{"optimized_query": "melanoma Osterhagen"}]
    )
    end, queries, _ = await asked_in(home, script, parsed("/find", LETTER))
    assert isinstance(end, Answered)
    assert queries
    together = " ".join(queries).lower()
    assert "lindmouth" in together
    for word in ("osterhagen", "melanoma", "biopsy", "wieland"):
        assert word not in together


async def test_a_clipboard_is_as_private_as_a_selection(home: Path) -> None:
    command(home, "find", "---\nmode: web\n---\nWho built the Lindmouth lighthouse? {clipboard}")
    script = knowing_model(judge=ONE_ROUND, answer=[some_answer])
    asked = replace(parsed("/find"), clipboard=LETTER)
    _, queries, _ = await asked_in(home, script, asked)
    assert queries
    assert "melanoma" not in " ".join(queries).lower()


async def test_an_empty_clipboard_is_said_and_nothing_is_asked(home: Path) -> None:
    command(home, "sum", "Sum up {clipboard}")
    script = knowing_model(answer=["x"])
    end, _, _ = await asked_in(home, script, parsed("/sum"))
    assert isinstance(end, Failed)
    assert end.problem.values == {"name": "sum"}
    assert not script.calls


async def test_a_command_for_files_asks_the_library_alone(home: Path) -> None:
    command(home, "mine", "---\nmode: files\n---\nWhat do I have on {argument}?")
    script = knowing_model(answer=["Nothing."])
    _, queries, hosts = await asked_in(home, script, parsed("/mine Lindmouth"))
    assert not queries
    assert not hosts


async def test_a_command_asks_the_model_that_it_names(home: Path) -> None:
    command(home, "big", "---\nmodel: nosuch\n---\nSay {argument}.")
    script = knowing_model(answer=["x"])
    end, _, _ = await asked_in(home, script, parsed("/big words"))
    assert isinstance(end, Failed)
    assert "nosuch" in f"{end.problem} {end.fix}"
    command(home, "small", "---\nmodel: tiny:latest\n---\nSay {argument}.")
    end, _, _ = await asked_in(home, script, parsed("/small words"))
    assert isinstance(end, Answered)
    assert script.calls[-1].task == "Say words."


async def test_a_question_out_of_the_history_goes_through_its_lens_again(home: Path) -> None:
    lens = home / "config" / "lenses" / "calm.md"
    lens.write_text("---\nnever: harbour.example\n---\n")
    script = knowing_model(judge=ONE_ROUND, answer=[some_answer])
    # As the history has it: what was typed, and nothing else.
    question = "@calm Where was the engineer of the Lindmouth lighthouse born?"
    stored = as_stored("search", question, "", ("engineer Lindmouth lighthouse",))
    _, queries, hosts = await asked_in(home, script, stored)
    assert hosts
    assert not [host for host in hosts if "harbour" in host]
    assert "calm" not in " ".join(queries)
    assert parsed("@calm x").scope == SearchScope(excluded=("harbour.example",))
    for broken in ("---\nnever: [\n---\n", ""):
        lens.write_text(broken) if broken else lens.unlink()
        end, queries, hosts = await asked_in(home, script, stored)
        assert isinstance(end, Failed)
        assert not [*queries, *hosts]
    assert end.problem == Message("{name} is not there any more.", name="@calm")


async def test_a_stored_question_of_a_command_that_is_gone_is_not_searched_as_words(
    home: Path,
) -> None:
    script = knowing_model(answer=["x"])
    stored = as_stored("search", "/mine Lindmouth", "", ())
    end, queries, _ = await asked_in(home, script, stored)
    assert isinstance(end, Failed)
    assert (end.problem.values, queries, script.calls) == ({"name": "/mine"}, [], [])
