"""`askance chat` with scripted lines."""

from __future__ import annotations

import asyncio
import re
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from askance.adapters.storage.history import SqliteHistory
from askance.app.commands import COMMANDS
from askance.app.conversation import is_asked
from askance.app.library import folders_of, read_folders
from askance.cli.commands.asking import HELP, chat
from askance.domain.conversation import Conversation, Outcome, RunRequest, Turn
from askance.domain.errors import ServiceDown
from askance.domain.events import ClarifyAsked, Emit, Failed, RunEnd, Warned, WarningCode
from askance.domain.history import published_in, quoted_in
from askance.domain.messages import Message
from cli.fake_shell import FakeShell
from cli.runs import ANSWERED, RUN, TEXT

QUOTED = quoted_in(ANSWERED)
MEMORY = replace(ANSWERED, sources=(), citations=(), outcome=Outcome.MEMORY, rounds=0)


def hold(
    fake_shell: FakeShell, *lines: str | BaseException
) -> list[tuple[str, str, tuple[Turn, ...]]]:
    """Hold a conversation and return what the engine was asked, with the history it got."""
    fake_shell.lines = list(lines)
    assert chat(fake_shell.shell, {}) == 0
    assert fake_shell.app.closed == 1
    return [
        (how, text, conversation.turns) for how, text, conversation in fake_shell.app.engine.asked
    ]


def test_plain_text_searches_and_chat_talks_to_the_model(fake_shell: FakeShell) -> None:
    fake_shell.app.engine.runs = [RUN, [ANSWERED]]
    asked = hold(fake_shell, "When was it lit?", "", "/chat And who paid?")
    assert asked == [
        ("run", "When was it lit?", ()),
        (
            "chat",
            "And who paid?",
            (Turn("When was it lit?", TEXT, published_in("When was it lit?", ANSWERED), QUOTED),),
        ),
    ]


def test_the_prompt_says_what_plain_text_asks(fake_shell: FakeShell) -> None:
    fake_shell.app.engine.runs = [[MEMORY], RUN, [MEMORY]]
    asked = hold(fake_shell, "/chat", "one", "/search /think two", "three")
    assert [(how, text) for how, text, _ in asked] == [
        ("chat", "one"), ("run", "two"), ("chat", "three"),
    ]  # fmt: skip
    assert fake_shell.prompts == ["web> ", *["chat> "] * 4]


def test_the_setting_says_with_what_a_talk_begins(fake_shell: FakeShell) -> None:
    fake_shell.environment["ASKANCE_ASK__MODE"] = "chat"
    fake_shell.app.engine.runs = [[MEMORY]]
    assert hold(fake_shell, "one") == [("chat", "one", ())]


def test_an_answer_from_memory_says_so_and_is_searched_at_a_word(fake_shell: FakeShell) -> None:
    fake_shell.app.engine.runs = [[MEMORY], RUN, [MEMORY]]
    asked = hold(fake_shell, "/chat Who paid?", "/search", "/search", "/chat Why?")
    assert [(how, text) for how, text, _ in asked] == [
        ("chat", "Who paid?"), ("run", "Who paid?"), ("chat", "Why?"),
    ]  # fmt: skip
    assert fake_shell.printed.count("From memory, not checked") == 2


def test_a_question_is_asked_once(fake_shell: FakeShell) -> None:
    assert hold(fake_shell, "/search /chat Why?") == []
    assert "Use either /search or /chat." in fake_shell.printed


def test_only_finished_answers_enter_the_history(fake_shell: FakeShell) -> None:
    fake_shell.app.engine.runs = [
        [Failed(Message("It broke."), Message("Start it."), "SearXNG")],
        ServiceDown("Ollama", "http://x", "It is down."),
        [ANSWERED],
    ]
    asked = hold(fake_shell, "/search one", "/chat two", "/chat three", "/quit", "never")
    assert [turns for _, _, turns in asked] == [(), (), ()]
    assert fake_shell.errors == "SearXNG: It broke. Start it.\nOllama: It is down.\n"


def test_a_clarifying_question_is_answered_in_place(fake_shell: FakeShell) -> None:
    fake_shell.app.engine.runs = [[ClarifyAsked("Which lamp?")], RUN, [ANSWERED]]
    asked = hold(fake_shell, "/search When was it lit?", "The northern one.", "/chat Thanks.")
    both = "When was it lit? The northern one."
    assert asked[1][:2] == ("run", both)
    assert asked[2] == (
        "chat",
        "Thanks.",
        (Turn(both, TEXT, published_in(both, ANSWERED), QUOTED),),
    )


def test_another_search_forgets_the_clarifying_question(fake_shell: FakeShell) -> None:
    fake_shell.app.engine.runs = [[ClarifyAsked("Which lamp?")], [ANSWERED], [ANSWERED]]
    asked = hold(fake_shell, "/search When?", "/search What is a lamp?", "/chat Plain.")
    assert [(how, text) for how, text, _ in asked[1:]] == [
        ("run", "What is a lamp?"),
        ("chat", "Plain."),
    ]


def test_words_that_were_held_back_are_searched_when_that_is_allowed(fake_shell: FakeShell) -> None:
    held_back = Warned(WarningCode.WORDS_HELD_BACK, Message("Not searched."), ("Lisbon", "tram 28"))
    fake_shell.app.engine.runs = [[held_back, ANSWERED], RUN, [ANSWERED]]
    asked = hold(fake_shell, "/allow", "/search When does it run?", "/allow", "/allow")
    assert [text for _, text, _ in asked] == ["When does it run?"] * 2
    assert fake_shell.app.engine.allowed == [("Lisbon", "tram 28")]
    assert fake_shell.printed.count("/allow searches it again") == 1
    assert fake_shell.printed.count("No words of the last question were held back.") == 2


def test_text_commands_work_on_what_stands_behind_them(fake_shell: FakeShell) -> None:
    fake_shell.app.engine.runs = [[ANSWERED]]
    asked = hold(fake_shell, "/translate Der Hafen schläft.", "/todos", "/tidy up")
    assert asked == [("translate", "Der Hafen schläft.", ())]
    assert re.search(r"/todos\..*/tidy", fake_shell.printed, re.DOTALL)


@pytest.mark.parametrize(
    ("line", "how", "command"),
    [
        ("/think Why?", "run", "search /think"),
        ("/chat /think Why?", "chat", "think"),
        ("/search /think Why?", "run", "search /think"),
        ("/think  /search Why?", "run", "search /think"),
    ],
)
def test_the_model_may_be_told_to_think(
    fake_shell: FakeShell, tmp_path: Path, line: str, how: str, command: str
) -> None:
    fake_shell.app.history = SqliteHistory(tmp_path / "history.sqlite3", lambda _: None)
    fake_shell.app.engine.runs = [[ANSWERED]]
    assert hold(fake_shell, line, "/think", "/think /search ") == [(how, "Why?", ())]
    assert fake_shell.app.engine.thought == 1
    assert re.search(r"/think\..*/search\.", fake_shell.printed, re.DOTALL)
    shown = fake_shell.app.history.conversation(fake_shell.app.history.conversations(limit=1)[0].id)
    assert [(e.command, e.text) for e in shown.exchanges] == [(command, "Why?")]
    fake_shell.app.history.close()


def test_new_forgets_everything(fake_shell: FakeShell) -> None:
    fake_shell.app.engine.runs = [RUN, [ANSWERED]]
    asked = hold(fake_shell, "/search one", "/new", "/sources", "/chat two")
    assert asked[1] == ("chat", "two", ())
    assert fake_shell.app.engine.forgotten == 1
    assert "A new conversation.\nThere is no answer yet.\n" in fake_shell.printed


def test_sources_are_shown_again(fake_shell: FakeShell) -> None:
    fake_shell.app.engine.runs = [RUN]
    hold(fake_shell, "/search one", "/sources")
    assert fake_shell.printed.count("[1] The lamp's year (ferry.skarn.example · 1 May 2024)") == 2


def test_help_and_what_is_not_a_command(fake_shell: FakeShell) -> None:
    assert hold(fake_shell, "/help", "/nonsense", "/search /think", "/search  /think ") == []
    assert HELP in fake_shell.printed
    text = fake_shell.printed.partition(HELP)[2]
    assert "/nonsense" in text
    assert re.findall(r"after (/\w+)", text) == ["/search", "/search"]


def test_help_names_each_command_that_is_asked_or_works_on_a_text() -> None:
    rows = [line.split()[0] for line in HELP.splitlines() if line.startswith("/")]
    assert len(rows) == len(set(rows))
    asked = {f"/{command.name}" for command in COMMANDS if is_asked(command.name)}
    assert asked | {"/new", "/library", "/allow", "/sources", "/help", "/quit"} == set(rows)


@pytest.mark.parametrize("leaving", [EOFError(), KeyboardInterrupt()])
def test_the_end_of_input_and_an_interrupt_at_the_prompt_leave(
    fake_shell: FakeShell, leaving: BaseException
) -> None:
    assert hold(fake_shell, leaving, "never") == []


def test_an_interrupt_stops_the_run_and_the_conversation_goes_on(fake_shell: FakeShell) -> None:
    class Interrupted:
        asked: list[tuple[str, str, Conversation]] = []  # noqa: RUF012
        stopped = 0

        async def run(self, request: RunRequest, *, emit: Emit, **_: object) -> RunEnd:
            self.asked.append(("run", request.question, request.conversation))
            signal.raise_signal(signal.SIGINT)
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.stopped += 1
                raise
            raise AssertionError

        async def chat(self, request: RunRequest, *, emit: Emit) -> RunEnd:
            self.asked.append(("chat", request.question, request.conversation))
            emit(ANSWERED)
            return ANSWERED

    fake_shell.app.engine = Interrupted()
    before = signal.getsignal(signal.SIGINT)
    asked = hold(fake_shell, "/search one", "/chat two")
    assert asked == [("run", "one", ()), ("chat", "two", ())]
    assert fake_shell.app.engine.stopped == 1
    assert "Stopped.\n" in fake_shell.printed
    assert signal.getsignal(signal.SIGINT) is before
    retained = list(fake_shell.shell.folders.traces.glob("*"))
    assert len(retained) == 1  # that of the second run


def test_what_was_answered_is_kept_as_one_conversation(
    fake_shell: FakeShell, tmp_path: Path
) -> None:
    troubles: list[str] = []
    fake_shell.app.history = SqliteHistory(tmp_path / "history.sqlite3", troubles.append)
    fake_shell.app.engine.runs = [RUN, [ANSWERED], [Failed(Message("It broke."))], [ANSWERED]]
    hold(
        fake_shell,
        "/search When was it lit?",
        "/chat And who paid?",
        "/search one",
        "/new",
        "Hello.",
    )
    stored = fake_shell.app.history.conversations(limit=10)
    assert [(c.title, c.exchanges) for c in stored] == [("Hello.", 1), ("When was it lit?", 3)]
    shown = fake_shell.app.history.conversation(stored[1].id)
    assert [(e.command, e.text) for e in shown.exchanges] == [
        ("search", "When was it lit?"),
        ("chat", "And who paid?"),
        ("search", "one"),
    ]
    assert not troubles
    fake_shell.app.history.close()


def test_a_history_that_cannot_be_written_is_told_once_and_costs_no_answer(
    fake_shell: FakeShell, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    fake_shell.app.history = SqliteHistory(tmp_path / "file" / "history.sqlite3", lambda _: None)
    fake_shell.app.engine.runs = [[ANSWERED], [ANSWERED]]
    assert len(hold(fake_shell, "one", "two")) == 2
    assert fake_shell.errors.count("This conversation is not kept") == 1
    fake_shell.app.history.close()


def test_the_library_is_searched_without_a_model(fake_shell: FakeShell, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "mill.md").write_text("The tide mill of Skarne ran until 1931.\n", "utf-8")
    assert hold(fake_shell, "/library tide mill") == []
    assert "askance library add" in fake_shell.printed
    with fake_shell.shell.container() as parts:
        asyncio.run(read_folders(parts, folders_of([str(notes)], ()), lambda _: None))
    fake_shell.app.closed = 0
    assert hold(fake_shell, "/library tide mill", "/library") == []
    assert str(notes / "mill.md") in fake_shell.printed


def test_a_path_is_asked_about_and_an_unknown_command_only_said(fake_shell: FakeShell) -> None:
    fake_shell.app.engine.runs = [RUN, RUN]
    path = "/tmp is full, what now?"  # noqa: S108 - what somebody asked
    asked = hold(fake_shell, path, "/qqq x", "//qqq x", "/search /qqq x")
    assert [(how, text) for how, text, _ in asked] == [
        ("run", path),
        ("run", "/qqq x"),
    ]
    assert "/search /qqq x" in fake_shell.printed


def test_a_path_answers_what_was_asked_back(fake_shell: FakeShell) -> None:
    fake_shell.app.engine.runs = [[ClarifyAsked("Which file?")], RUN]
    asked = hold(fake_shell, "/search What is in it?", "/etc/hosts")
    assert asked[1][1] == "What is in it? /etc/hosts"
