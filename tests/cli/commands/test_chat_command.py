"""`askance chat` with scripted lines."""

from __future__ import annotations

import asyncio
import re
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from askance.adapters.storage.history import SqliteHistory
from askance.app.library import folders_of, read_folders
from askance.cli.commands.asking import HELP, chat
from askance.domain.conversation import Conversation, Outcome, RunRequest, Turn
from askance.domain.errors import ServiceDown
from askance.domain.events import ClarifyAsked, Emit, Failed, RunEnd, Warned, WarningCode
from askance.domain.history import published_in, quoted_in
from askance.domain.messages import Message
from cli.desk import Desk
from cli.runs import ANSWERED, RUN, TEXT

QUOTED = quoted_in(ANSWERED)
MEMORY = replace(ANSWERED, sources=(), citations=(), outcome=Outcome.MEMORY, rounds=0)


def hold(desk: Desk, *lines: str | BaseException) -> list[tuple[str, str, tuple[Turn, ...]]]:
    """Hold a conversation and return what the engine was asked, with the history it got."""
    desk.lines = list(lines)
    assert chat(desk.shell, {}) == 0
    assert desk.app.closed == 1
    return [(how, text, conversation.turns) for how, text, conversation in desk.app.engine.asked]


def test_plain_text_searches_and_chat_talks_to_the_model(desk: Desk) -> None:
    desk.app.engine.runs = [RUN, [ANSWERED]]
    asked = hold(desk, "When was it lit?", "", "/chat And who paid?")
    assert asked == [
        ("run", "When was it lit?", ()),
        (
            "chat",
            "And who paid?",
            (Turn("When was it lit?", TEXT, published_in("When was it lit?", ANSWERED), QUOTED),),
        ),
    ]


def test_the_prompt_says_what_plain_text_asks(desk: Desk) -> None:
    desk.app.engine.runs = [[MEMORY], RUN, [MEMORY]]
    asked = hold(desk, "/chat", "one", "/search /think two", "three")
    assert [(how, text) for how, text, _ in asked] == [
        ("chat", "one"), ("run", "two"), ("chat", "three"),
    ]  # fmt: skip
    assert desk.prompts == ["web> ", *["chat> "] * 4]


def test_the_setting_says_with_what_a_talk_begins(desk: Desk) -> None:
    desk.environment["ASKANCE_ASK__MODE"] = "chat"
    desk.app.engine.runs = [[MEMORY]]
    assert hold(desk, "one") == [("chat", "one", ())]


def test_an_answer_from_memory_says_so_and_is_searched_at_a_word(desk: Desk) -> None:
    desk.app.engine.runs = [[MEMORY], RUN, [MEMORY]]
    asked = hold(desk, "/chat Who paid?", "/search", "/search", "/chat Why?")
    assert [(how, text) for how, text, _ in asked] == [
        ("chat", "Who paid?"), ("run", "Who paid?"), ("chat", "Why?"),
    ]  # fmt: skip
    assert desk.printed.count("From memory, not checked") == 2


def test_a_question_is_asked_once(desk: Desk) -> None:
    assert hold(desk, "/search /chat Why?") == []
    assert "Use either /search or /chat." in desk.printed


def test_only_finished_answers_enter_the_history(desk: Desk) -> None:
    desk.app.engine.runs = [
        [Failed(Message("It broke."), Message("Start it."), "SearXNG")],
        ServiceDown("Ollama", "http://x", "It is down."),
        [ANSWERED],
    ]
    asked = hold(desk, "/search one", "/chat two", "/chat three", "/quit", "never")
    assert [turns for _, _, turns in asked] == [(), (), ()]
    assert desk.told == "SearXNG: It broke. Start it.\nOllama: It is down.\n"


def test_a_clarifying_question_is_answered_in_place(desk: Desk) -> None:
    desk.app.engine.runs = [[ClarifyAsked("Which lamp?")], RUN, [ANSWERED]]
    asked = hold(desk, "/search When was it lit?", "The northern one.", "/chat Thanks.")
    both = "When was it lit? The northern one."
    assert asked[1][:2] == ("run", both)
    assert asked[2] == (
        "chat",
        "Thanks.",
        (Turn(both, TEXT, published_in(both, ANSWERED), QUOTED),),
    )


def test_another_search_forgets_the_clarifying_question(desk: Desk) -> None:
    desk.app.engine.runs = [[ClarifyAsked("Which lamp?")], [ANSWERED], [ANSWERED]]
    asked = hold(desk, "/search When?", "/search What is a lamp?", "/chat Plain.")
    assert [(how, text) for how, text, _ in asked[1:]] == [
        ("run", "What is a lamp?"),
        ("chat", "Plain."),
    ]


def test_words_that_were_held_back_are_searched_when_that_is_allowed(desk: Desk) -> None:
    held_back = Warned(WarningCode.WORDS_HELD_BACK, Message("Not searched."), ("Lisbon", "tram 28"))
    desk.app.engine.runs = [[held_back, ANSWERED], RUN, [ANSWERED]]
    asked = hold(desk, "/allow", "/search When does it run?", "/allow", "/allow")
    assert [text for _, text, _ in asked] == ["When does it run?"] * 2
    assert desk.app.engine.allowed == [("Lisbon", "tram 28")]
    assert desk.printed.count("/allow searches it again") == 1
    assert desk.printed.count("No words of the last question were held back.") == 2


def test_text_commands_work_on_what_stands_behind_them(desk: Desk) -> None:
    desk.app.engine.runs = [[ANSWERED]]
    asked = hold(desk, "/translate Der Hafen schläft.", "/todos", "/tidy up")
    assert asked == [("translate", "Der Hafen schläft.", ())]
    assert re.search(r"/todos\..*/tidy", desk.printed, re.DOTALL)


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
    desk: Desk, tmp_path: Path, line: str, how: str, command: str
) -> None:
    desk.app.history = SqliteHistory(tmp_path / "history.sqlite3", lambda _: None)
    desk.app.engine.runs = [[ANSWERED]]
    assert hold(desk, line, "/think", "/think /search ") == [(how, "Why?", ())]
    assert desk.app.engine.thought == 1
    assert re.search(r"/think\..*/search\.", desk.printed, re.DOTALL)
    shown = desk.app.history.conversation(desk.app.history.conversations(limit=1)[0].id)
    assert [(e.command, e.text) for e in shown.exchanges] == [(command, "Why?")]
    desk.app.history.close()


def test_new_forgets_everything(desk: Desk) -> None:
    desk.app.engine.runs = [RUN, [ANSWERED]]
    asked = hold(desk, "/search one", "/new", "/sources", "/chat two")
    assert asked[1] == ("chat", "two", ())
    assert desk.app.engine.forgotten == 1
    assert "A new conversation.\nThere is no answer yet.\n" in desk.printed


def test_sources_are_shown_again(desk: Desk) -> None:
    desk.app.engine.runs = [RUN]
    hold(desk, "/search one", "/sources")
    assert desk.printed.count("[1] The lamp's year (ferry.skarn.example · 1 May 2024)") == 2


def test_help_and_what_is_not_a_command(desk: Desk) -> None:
    assert hold(desk, "/help", "/nonsense", "/search /think", "/search  /think ") == []
    assert HELP in desk.printed
    text = desk.printed.partition(HELP)[2]
    assert "/nonsense" in text
    assert re.findall(r"after (/\w+)", text) == ["/search", "/search"]


@pytest.mark.parametrize("leaving", [EOFError(), KeyboardInterrupt()])
def test_the_end_of_input_and_an_interrupt_at_the_prompt_leave(
    desk: Desk, leaving: BaseException
) -> None:
    assert hold(desk, leaving, "never") == []


def test_an_interrupt_stops_the_run_and_the_conversation_goes_on(desk: Desk) -> None:
    class Interrupted:
        asked: list[tuple[str, str, Conversation]] = []  # noqa: RUF012
        stopped = 0

        async def run(self, request: RunRequest, *, emit: Emit) -> RunEnd:
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

    desk.app.engine = Interrupted()
    before = signal.getsignal(signal.SIGINT)
    asked = hold(desk, "/search one", "/chat two")
    assert asked == [("run", "one", ()), ("chat", "two", ())]
    assert desk.app.engine.stopped == 1
    assert "Stopped.\n" in desk.printed
    assert signal.getsignal(signal.SIGINT) is before
    retained = list(desk.shell.folders.traces.glob("*"))
    assert len(retained) == 1  # that of the second run


def test_what_was_answered_is_kept_as_one_conversation(desk: Desk, tmp_path: Path) -> None:
    troubles: list[str] = []
    desk.app.history = SqliteHistory(tmp_path / "history.sqlite3", troubles.append)
    desk.app.engine.runs = [RUN, [ANSWERED], [Failed(Message("It broke."))], [ANSWERED]]
    hold(desk, "/search When was it lit?", "/chat And who paid?", "/search one", "/new", "Hello.")
    stored = desk.app.history.conversations(limit=10)
    assert [(c.title, c.exchanges) for c in stored] == [("Hello.", 1), ("When was it lit?", 3)]
    shown = desk.app.history.conversation(stored[1].id)
    assert [(e.command, e.text) for e in shown.exchanges] == [
        ("search", "When was it lit?"),
        ("chat", "And who paid?"),
        ("search", "one"),
    ]
    assert not troubles
    desk.app.history.close()


def test_a_history_that_cannot_be_written_is_told_once_and_costs_no_answer(
    desk: Desk, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("in the way")
    desk.app.history = SqliteHistory(tmp_path / "file" / "history.sqlite3", lambda _: None)
    desk.app.engine.runs = [[ANSWERED], [ANSWERED]]
    assert len(hold(desk, "one", "two")) == 2
    assert desk.told.count("This conversation is not kept") == 1
    desk.app.history.close()


def test_the_library_is_searched_without_a_model(desk: Desk, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "mill.md").write_text("The tide mill of Skarne ran until 1931.\n", "utf-8")
    assert hold(desk, "/library tide mill") == []
    assert "askance library add" in desk.printed
    with desk.shell.container() as parts:
        asyncio.run(read_folders(parts, folders_of([str(notes)], ()), lambda _: None))
    desk.app.closed = 0
    assert hold(desk, "/library tide mill", "/library") == []
    assert str(notes / "mill.md") in desk.printed
    assert "/library" in HELP


def test_a_path_is_asked_about_and_an_unknown_command_only_said(desk: Desk) -> None:
    desk.app.engine.runs = [RUN, RUN]
    path = "/tmp is full, what now?"  # noqa: S108 - what somebody asked
    asked = hold(desk, path, "/qqq x", "//qqq x", "/search /qqq x")
    assert [(how, text) for how, text, _ in asked] == [
        ("run", path),
        ("run", "/qqq x"),
    ]
    assert "/search /qqq x" in desk.printed


def test_a_path_answers_what_was_asked_back(desk: Desk) -> None:
    desk.app.engine.runs = [[ClarifyAsked("Which file?")], RUN]
    asked = hold(desk, "/search What is in it?", "/etc/hosts")
    assert asked[1][1] == "What is in it? /etc/hosts"
