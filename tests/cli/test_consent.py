"""Whether this program may ask public search engines itself: asked once, kept, never silently."""

from __future__ import annotations

import re
import socket
import tomllib
from threading import Thread
from typing import Any

import pytest

from askance.adapters.search.metasearch import STANDARD
from askance.app.checks.first_steps import explanation
from askance.cli.commands.asking import chat
from askance.cli.shell import settled, somebody_answers
from askance.config.settings import SearchSettings
from cli.fake_shell import FakeShell, FakeStream, run
from cli.runs import ANSWERED, RUN
from servers.faults import address_of_nobody
from waiting import PATIENCE_S

QUESTION = "Ask them directly from now on? [y/N] "


@pytest.fixture
def person(fake_shell: FakeShell) -> FakeShell:
    """Somebody at a terminal, who has no SearXNG."""
    fake_shell.stdin, fake_shell.out = FakeStream(terminal=True), FakeStream(terminal=True)
    fake_shell.environment = {"TERM": "dumb", "ASKANCE_SEARCH__URL": address_of_nobody()}
    return fake_shell


def saved(fake_shell: FakeShell) -> dict[str, Any]:
    file = fake_shell.shell.folders.settings_file
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def in_force(fake_shell: FakeShell) -> list[str]:
    """The consent with which the parts were opened, each time."""
    return [settings.search.in_process.value for settings, _ in fake_shell.app.opened]


@pytest.mark.parametrize(("answer", "kept"), [("y", "given"), ("YES ", "given"), ("n", "refused")])
def test_a_person_is_asked_once_and_the_answer_is_kept(
    person: FakeShell, answer: str, kept: str
) -> None:
    person.app.engine.runs = [RUN, RUN]
    person.lines = [answer]
    assert run(person, "ask", "q") == 0
    assert run(person, "ask", "q") == 0
    assert person.prompts == [QUESTION]
    assert saved(person) == {"search": {"in_process": kept}}
    assert in_force(person) == [kept, kept]
    other = "refused" if kept == "given" else "given"
    assert f"search.in_process is {kept} now; `askance config set search.in_process {other}`" in (
        person.printed
    )


def test_it_is_told_what_would_be_sent_and_the_other_way(person: FakeShell) -> None:
    person.app.engine.runs = [RUN]
    person.lines = [""]
    assert run(person, "ask", "q") == 0
    url = person.environment["ASKANCE_SEARCH__URL"]
    assert url in person.printed
    assert "`askance up`" in person.printed
    assert f"{', '.join(STANDARD)}." in person.printed
    assert in_force(person) == ["refused"]


def test_with_a_proxy_that_is_what_is_told_without_its_password() -> None:
    settings = SearchSettings(proxy="socks5h://me:secret@127.0.0.1:9050", engines="mojeek,arxiv")
    text = explanation(settings).replace("\n", " ")
    assert re.search(r" socks5h://127\.0\.0\.1:9050 .* mojeek\.", text)
    assert "secret" not in text


@pytest.mark.parametrize("blind", ["stdin", "out", "json"])
def test_who_cannot_be_asked_is_not_and_nothing_is_assumed(person: FakeShell, blind: str) -> None:
    person.app.engine.runs = [RUN]
    if blind != "json":
        setattr(person, blind, FakeStream())
    assert run(person, "ask", "q", *(["--json"] if blind == "json" else [])) == 0
    assert person.prompts == []
    assert (in_force(person), saved(person)) == (["unasked"], {})


@pytest.mark.parametrize("answer", ["given", "refused"])
def test_who_has_answered_is_never_asked_again(person: FakeShell, answer: str) -> None:
    person.app.engine.runs = [RUN, RUN]
    assert run(person, "config", "set", "search.in_process", answer) == 0
    assert run(person, "ask", "q") == 0
    person.lines = ["/search q"]
    assert chat(person.shell, {}) == 0
    assert person.prompts == ["web> ", "web> "]
    assert in_force(person) == [answer, answer]


def test_nobody_is_asked_where_searxng_is_there_and_no_byte_is_sent(person: FakeShell) -> None:
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def take() -> None:
            connection, _ = server.accept()
            with connection:
                received.append(connection.recv(1000))

        thread = Thread(target=take)
        thread.start()
        person.environment["ASKANCE_SEARCH__URL"] = f"http://127.0.0.1:{server.getsockname()[1]}"
        settings = person.shell.settings()
        assert settled(person.shell, settings) is settings
        thread.join(PATIENCE_S)
    assert received == [b""]
    assert person.prompts == []


@pytest.mark.parametrize("url", ["http://nowhere.invalid", f"http://{'a' * 70}.example"])
def test_a_name_that_nobody_knows_answers_nothing(url: str) -> None:
    assert not somebody_answers(url)


def test_an_unclear_answer_is_asked_again(person: FakeShell) -> None:
    person.app.engine.runs = [RUN]
    person.lines = ["maybe", "\x1b[A", "y"]
    assert run(person, "ask", "q") == 0
    assert person.prompts == [QUESTION] * 3
    assert in_force(person) == ["given"]


def test_who_closes_the_input_has_not_answered(person: FakeShell) -> None:
    person.app.engine.runs = [RUN, RUN]
    for _ in range(2):
        person.lines = [EOFError()]
        assert run(person, "ask", "q") == 0
    assert person.prompts == [QUESTION] * 2
    assert (in_force(person), saved(person)) == (["unasked", "unasked"], {})


def test_an_interrupt_at_the_question_stops_the_command(person: FakeShell) -> None:
    person.lines = [KeyboardInterrupt()]
    assert run(person, "ask", "q") == 130
    assert (person.app.opened, saved(person)) == ([], {})


def test_an_answer_that_cannot_be_kept_counts_for_now(person: FakeShell) -> None:
    person.app.engine.runs = [RUN]
    file = person.shell.folders.settings_file
    file.parent.mkdir(parents=True)
    file.symlink_to("/proc/nobody/settings.toml")  # not there, and cannot be made
    person.lines = ["y"]
    assert run(person, "ask", "q") == 0
    assert in_force(person) == ["given"]
    assert "settings.toml" in person.errors


def test_the_rest_of_the_settings_file_stays(person: FakeShell) -> None:
    person.app.engine.runs = [RUN]
    file = person.shell.folders.settings_file
    file.parent.mkdir(parents=True)
    file.write_text("# mine\n[search]\nsafesearch = 1 # few\n", encoding="utf-8")
    person.lines = ["y"]
    assert run(person, "ask", "q") == 0
    text = file.read_text(encoding="utf-8")
    assert text.startswith("# mine\n[search]\nsafesearch = 1 # few\n")
    assert saved(person)["search"] == {"safesearch": 1, "in_process": "given"}


def test_a_chat_asks_before_its_first_search_and_opens_the_parts_anew(person: FakeShell) -> None:
    person.app.engine.runs = [[ANSWERED], RUN, RUN]
    person.lines = ["/chat hello", "/search one", "y", "/search two"]
    assert chat(person.shell, {}) == 0
    assert person.prompts == ["web> ", "web> ", QUESTION, "web> ", "web> "]
    assert in_force(person) == ["unasked", "given"]
    assert person.app.closed == 2
    asked = [(how, text, len(talk.turns)) for how, text, talk in person.app.engine.asked]
    assert asked == [("chat", "hello", 0), ("run", "one", 1), ("run", "two", 2)]


def test_a_chat_that_was_refused_goes_on_with_what_it_has(person: FakeShell) -> None:
    person.app.engine.runs = [RUN, RUN]
    person.lines = ["/search one", "n", "/search two"]
    assert chat(person.shell, {}) == 0
    assert person.prompts == ["web> ", QUESTION, "web> ", "web> "]
    assert in_force(person) == ["unasked"]
    assert saved(person) == {"search": {"in_process": "refused"}}


def test_an_interrupt_at_the_question_of_a_chat_stops_only_that_search(person: FakeShell) -> None:
    person.app.engine.runs = [RUN]
    person.lines = ["/search one", KeyboardInterrupt(), "/chat hello"]
    assert chat(person.shell, {}) == 0
    assert [(how, text) for how, text, _ in person.app.engine.asked] == [("chat", "hello")]
    assert "Stopped.\n" in person.printed
    assert saved(person) == {}
