"""`askance history` over a real file."""

from __future__ import annotations

import errno
import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from askance.adapters.storage.history import SqliteHistory, packed
from askance.adapters.storage.traces import TraceStore
from askance.app.container import Container
from askance.cli.command_tree import app
from askance.cli.commands.maintenance import history_app
from askance.cli.exits import write_new
from askance.cli.views import trace_lines
from askance.config.settings import Settings
from askance.domain.characters import clean
from askance.domain.errors import StorageError
from askance.domain.events import Answered, Cancelled, ClarifyAsked, Failed, RunEvent
from askance.domain.history import TimedEvent
from askance.domain.messages import Message
from askance.presentation.i18n import moment_row
from cli.fake_shell import FakeShell, FakeStream, run
from cli.render.glass import Glass
from cli.runs import ANSWERED, RUN

AT = datetime(2024, 5, 1, 10, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "CET-1CEST")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def call(fake_shell: FakeShell, *arguments: str) -> int:
    """Call the command with the fake_shell's shell, and return the exit code."""
    result = CliRunner().invoke(history_app, list(arguments), obj=fake_shell.shell)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code


def keep(
    fake_shell: FakeShell,
    text: str,
    *events: RunEvent,
    command: str = "search",
    quote: str = "",
    conversation: int | None = None,
    at: datetime = AT,
) -> int:
    """Keep an exchange, unfinished without events, and return its conversation."""
    store = SqliteHistory(fake_shell.shell.folders.history, pytest.fail, lambda: at)
    key = store.begin_exchange(conversation, command, text, quote)
    if events:
        store.finish_exchange(key, [TimedEvent(i * 0.5, event) for i, event in enumerate(events)])
    store.close()
    return key.conversation


def test_without_a_conversation_it_says_so_and_makes_no_file(fake_shell: FakeShell) -> None:
    assert call(fake_shell) == 0
    assert call(fake_shell, "search", "lamp") == 0
    nothing, not_found = fake_shell.printed.splitlines()
    assert nothing
    assert "'lamp'" in not_found
    assert not fake_shell.shell.folders.history.exists()


def test_conversations_are_listed_last_used_first(fake_shell: FakeShell) -> None:
    first = keep(fake_shell, "When was\nthe \x1b[2Jlamp lit?", *RUN)
    keep(fake_shell, "Second", *RUN, at=AT + timedelta(hours=1))
    keep(fake_shell, "And why?", *RUN, conversation=first, at=AT + timedelta(hours=2))
    assert call(fake_shell) == 0
    assert fake_shell.printed.splitlines() == [
        "    1  2024-05-01 14:30  2 questions   When was the [2Jlamp lit?",
        "    2  2024-05-01 13:30  1 question    Second",
    ]


def test_a_long_list_says_that_there_is_more(fake_shell: FakeShell) -> None:
    for i in range(3):
        keep(fake_shell, str(i), *RUN)
    assert call(fake_shell, "list", "--limit", "2") == 0
    assert re.fullmatch(r".* --limit .* 2\.", "\n".join(fake_shell.printed.splitlines()[2:]))
    assert call(fake_shell, "list", "--limit", "3") == 0
    assert len(fake_shell.printed.splitlines()) == 6


def test_words_are_searched_and_shown_where_they_stand(fake_shell: FakeShell) -> None:
    keep(fake_shell, "When?", replace(ANSWERED, answer="The \x1b[2J lamp was lit."))
    keep(fake_shell, "Else", RUN[1], Failed(Message("x")))
    assert call(fake_shell, "search", "LAMP", "lit") == 0
    assert fake_shell.printed == "    1  2024-05-01 12:30  When?\n       The [2J lamp was lit.\n"
    fake_shell.out.terminal = True
    assert call(fake_shell, "search", "lamp") == 0
    assert fake_shell.printed.splitlines()[-1] == "       The [2J \x1b[1mlamp\x1b[22m was lit."


def test_a_conversation_is_shown_again_as_it_was(fake_shell: FakeShell) -> None:
    number = keep(fake_shell, "When?", *RUN, quote="a quoted\n\x1b[2Jline")
    keep(
        fake_shell, "Which\none?", ClarifyAsked("Which lamp?"), command="chat", conversation=number
    )
    keep(
        fake_shell,
        "Why?",
        Failed(Message("It was down."), Message("Start it."), "SearXNG"),
        conversation=number,
    )
    keep(fake_shell, "Lost?", conversation=number)
    assert call(fake_shell, "show", str(number)) == 0
    lines = fake_shell.printed.splitlines()
    assert lines[:6] == [
        "    1  2024-05-01 12:30  4 questions   When?",
        "",
        "> /search When?",
        "  | a quoted",
        "  | [2Jline",
        "The lamp was first lit in 1887 [1].",
    ]
    assert "Note: Two rounds were not enough." in lines
    assert lines[-7:-1] == [
        "> Which one?",
        "Which lamp?",
        "",
        "> /search Why?",
        "",
        "> /search Lost?",
    ]
    assert lines[-1], "that it was not finished"
    assert fake_shell.errors == "askance: SearXNG: It was down. Start it.\n"


def test_the_steps_are_told_again_if_so_wished(fake_shell: FakeShell) -> None:
    number = keep(fake_shell, "When?", *RUN)
    assert call(fake_shell, "show", str(number), "--verbose") == 0
    assert "Verdict" in fake_shell.errors


def test_on_a_terminal_it_is_drawn_as_it_was(fake_shell: FakeShell) -> None:
    number = keep(fake_shell, "When?", *RUN)
    fake_shell.out.terminal = True
    fake_shell.environment |= {"TERM": "xterm", "COLUMNS": "100", "LINES": "40"}
    assert call(fake_shell, "show", str(number)) == 0
    glass = Glass(fake_shell.printed)
    assert "> /search When?\nThe lamp was first lit in 1887 [1].\n" in glass.text
    assert glass.text.endswith("Searched twice, read 7 pages · 12 s")


def test_what_cannot_be_read_any_more_says_so_in_its_place(fake_shell: FakeShell) -> None:
    number = keep(fake_shell, "When?", *RUN)
    keep(fake_shell, "Why?", *RUN, conversation=number)
    store = SqliteHistory(fake_shell.shell.folders.history, pytest.fail)
    store._database.write(lambda c: c.execute("UPDATE exchange SET events = 'x' WHERE id = 1"))
    store.close()
    assert call(fake_shell, "show", str(number)) == 0
    assert fake_shell.printed.splitlines()[1:3] == ["", "> /search When?"]
    assert fake_shell.printed.splitlines()[4:6] == ["", "> /search Why?"]
    assert "The lamp was first lit" in fake_shell.printed


@pytest.mark.parametrize(
    ("form", "beginning"), [("md", "# When?\n"), ("html", "<!doctype html>"), ("json", '{\n "for')]
)
def test_a_conversation_is_written_to_a_new_file_or_out(
    fake_shell: FakeShell, form: str, beginning: str
) -> None:
    number = keep(fake_shell, "When?", *RUN)
    assert call(fake_shell, "export", str(number), "--as", form) == 0
    document = fake_shell.printed
    assert document.startswith(beginning)
    file = fake_shell.home / f"talk.{form}"
    assert call(fake_shell, "export", str(number), "--as", form, "--out", str(file)) == 0
    assert fake_shell.printed == f"{document}Saved to {file}.\n"
    assert call(fake_shell, "export", str(number), "--as", form, "--out", "-") == 0
    assert fake_shell.printed == f"{document}Saved to {file}.\n{document}"
    assert file.read_text("utf-8") == document
    assert file.stat().st_mode & 0o777 == 0o600
    assert call(fake_shell, "export", str(number), "--as", form, "--out", str(file)) == 2
    assert (str(file) in fake_shell.errors, fake_shell.errors.count("\n")) == (True, 1)
    assert file.read_text("utf-8") == document


def test_markdown_is_written_unless_another_form_is_asked_for(fake_shell: FakeShell) -> None:
    assert call(fake_shell, "export", str(keep(fake_shell, "When?", *RUN))) == 0
    assert fake_shell.printed.startswith("# When?\n")
    assert call(fake_shell, "export", "1", "--as", "pdf") == 2


@pytest.mark.parametrize("form", ["md", "html", "json"])
def test_a_terminal_gets_nothing_to_obey_out_of_an_export(fake_shell: FakeShell, form: str) -> None:
    hostile = "\x1b]8;;file:///\x1b\\x\x1b]0;owned\x07 \x9b2J \u202ecod"
    number = keep(fake_shell, hostile, replace(ANSWERED, answer=f"{hostile} [1]"))
    assert call(fake_shell, "export", str(number), "--as", form) == 0
    piped = fake_shell.printed
    fake_shell.out = FakeStream(terminal=True)
    assert call(fake_shell, "export", str(number), "--as", form) == 0
    assert fake_shell.printed == clean(fake_shell.printed)
    assert fake_shell.printed == clean(piped)


@pytest.mark.parametrize("name", ["no/such/folder.md", "", "x" * 300])
def test_a_file_that_cannot_be_written_is_told(fake_shell: FakeShell, name: str) -> None:
    number = keep(fake_shell, "When?", *RUN)
    assert call(fake_shell, "export", str(number), "--out", str(fake_shell.home / name)) == 2
    assert fake_shell.errors.startswith(
        f"askance: {'There is' if not name else str(fake_shell.home / name)}"
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full: run it on Linux")
def test_a_full_disk_leaves_no_half_of_a_file(
    fake_shell: FakeShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = keep(fake_shell, "When?", *RUN)
    file = fake_shell.home / "talk.md"
    real = os.open

    def full(path: Path, flags: int, mode: int = 0o777) -> int:
        os.close(real(path, flags, mode))
        return real("/dev/full", os.O_WRONLY)

    monkeypatch.setattr(os, "open", full)
    assert call(fake_shell, "export", str(number), "--out", str(file)) == 2
    assert fake_shell.errors.startswith(f"askance: {file} ")
    assert os.strerror(errno.ENOSPC) in fake_shell.errors
    assert not file.exists()


@pytest.mark.parametrize("failure", [StorageError("damaged"), KeyboardInterrupt()])
def test_what_breaks_off_leaves_no_half_of_a_file(tmp_path: Path, failure: BaseException) -> None:
    """Neither is it taken for whole, nor in the way of the next try."""

    def pieces() -> Iterator[str]:
        yield "the first half"
        raise failure

    with pytest.raises(type(failure)):
        write_new(tmp_path / "talk.md", pieces())
    assert not list(tmp_path.iterdir())


def test_conversations_are_forgotten_one_by_one_or_all(fake_shell: FakeShell) -> None:
    for i in range(4):
        keep(fake_shell, str(i), *RUN)
    assert call(fake_shell, "delete", "2") == 0
    assert call(fake_shell, "clear") == 0
    assert call(fake_shell) == 0
    assert re.findall(r"^\d+", fake_shell.printed, re.MULTILINE) == ["1", "3"]
    assert len(fake_shell.printed.splitlines()) == 3


def test_with_all_conversations_what_was_not_sent_is_forgotten(fake_shell: FakeShell) -> None:
    drafts = fake_shell.shell.folders.drafts
    drafts.parent.mkdir(parents=True, exist_ok=True)
    drafts.write_text("{}")
    assert call(fake_shell, "clear") == 0
    assert not drafts.exists()
    assert call(fake_shell, "clear") == 0


@pytest.mark.parametrize("command", ["show", "export", "delete"])
def test_a_number_that_is_not_there_is_wrong_usage(fake_shell: FakeShell, command: str) -> None:
    keep(fake_shell, "When?", *RUN)
    assert call(fake_shell, command, "9") == 2
    assert re.fullmatch(r"askance: .* 9\. `askance history` .*\n", fake_shell.errors)
    assert call(fake_shell, command, "9" * 30) == 2
    assert call(fake_shell, command, "x") == 2
    assert call(fake_shell) == 0
    assert len(fake_shell.printed.splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("--show", "1", "--delete", "1"),
        ("--clear", "--show", "1"),
        ("--clear", "lamp"),
        ("--show", "1", "lamp"),
        ("--out", "x.md"),
        ("clear", "lamp"),
        ("show", "1", "lamp"),
        ("delete",),
        ("search",),
    ],
)
def test_two_things_at_once_are_wrong_usage_and_neither_is_done(
    fake_shell: FakeShell, arguments: tuple[str, ...]
) -> None:
    keep(fake_shell, "lamp", *RUN)
    assert call(fake_shell, *arguments) == 2
    assert call(fake_shell) == 0
    assert fake_shell.printed.endswith("1 question    lamp\n")


def test_the_help_names_the_commands() -> None:
    text = CliRunner().invoke(history_app, ["--help"]).output
    assert all(f"\n  {name} " in text for name in ("list", "search", "show", "export", "clear"))


def test_a_wrong_option_is_told_under_the_name_that_people_type(fake_shell: FakeShell) -> None:
    text = CliRunner().invoke(app, ["history", "--list"]).output
    assert "Usage: askance history [OPTIONS]" in text
    assert "Try 'askance history -h'" in text
    assert "[WORDS] [" not in text


def test_what_is_older_than_the_settings_allow_is_forgotten_before_it_is_listed(
    fake_shell: FakeShell,
) -> None:
    keep(fake_shell, "old", *RUN)
    keep(fake_shell, "new", *RUN, at=datetime.now(UTC))
    fake_shell.environment["ASKANCE_HISTORY__DAYS"] = "30"
    assert call(fake_shell) == 0
    assert fake_shell.printed.endswith("new\n")
    assert len(fake_shell.printed.splitlines()) == 1
    del fake_shell.environment["ASKANCE_HISTORY__DAYS"]
    assert call(fake_shell, "show", "1") == 2


def test_a_damaged_file_is_told_and_kept_aside(fake_shell: FakeShell) -> None:
    file = fake_shell.shell.folders.history
    file.parent.mkdir(parents=True)
    file.write_bytes(b"nonsense" * 1000)
    assert call(fake_shell) == 0
    assert len(fake_shell.printed.splitlines()) == 1
    assert str(fake_shell.shell.folders.history.parent) in fake_shell.errors
    assert len(list(file.parent.glob("history.damaged-*"))) == 1


def test_a_file_that_cannot_be_used_is_told_in_one_sentence(fake_shell: FakeShell) -> None:
    fake_shell.shell.folders.history.mkdir(parents=True)
    assert call(fake_shell) == 2
    assert fake_shell.errors.startswith("askance: The history of conversations, ")
    assert fake_shell.errors.count("\n") == 1


def test_a_stopped_run_of_an_older_file_is_told(fake_shell: FakeShell) -> None:
    number = keep(fake_shell, "When?")
    blob = packed([TimedEvent(1.0, Cancelled())])
    store = SqliteHistory(fake_shell.shell.folders.history, pytest.fail)
    store._database.write(lambda c: c.execute("UPDATE exchange SET ended=1, events=?", (blob,)))
    store.close()
    assert call(fake_shell, "show", str(number)) == 0
    assert "Stopped." in fake_shell.printed


def test_a_moment_that_is_none_is_shown_as_it_is() -> None:
    assert moment_row("yester\nday") == "yester day"


# `askance trace` over real files.

# In Berlin.
HERE = "2024-05-01 12:30"


def trace_of(
    fake_shell: FakeShell, question: str, *events: RunEvent, step_s: float = 0.5, later_s: int = 0
) -> str:
    """Keep a trace and return its id."""
    store = TraceStore(fake_shell.shell.folders.traces, 10, pytest.fail)
    with store.begin(question, AT.replace(second=later_s)) as writer:
        for i, event in enumerate(events):
            writer.add(event, i * step_s)
    return store.summaries()[0].id


def test_runs_are_listed_with_their_outcome(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "trace", "list") == 0
    assert "`askance ask`" in fake_shell.printed
    trace = trace_of(fake_shell, "When was\nthe \x1b[2Jlamp lit?", *RUN)
    assert run(fake_shell, "trace", "list") == 0
    assert fake_shell.printed.splitlines()[1] == (
        f"{trace}  {HERE}  web              11.5 s  When was the [2Jlamp lit?"
    )


def test_a_damaged_file_is_listed_as_damaged(fake_shell: FakeShell) -> None:
    trace = trace_of(fake_shell, "q", *RUN)
    (file,) = fake_shell.shell.folders.traces.iterdir()
    file.write_text(file.read_text().splitlines()[0] + "\n{broken\n")
    assert run(fake_shell, "trace", "list") == 0
    assert fake_shell.printed.startswith(f"{trace}  {HERE}  damaged: ")
    assert run(fake_shell, "trace", "show", trace) == 2
    assert trace in fake_shell.errors


def test_a_trace_is_told_in_words(fake_shell: FakeShell) -> None:
    trace = trace_of(fake_shell, "When?", *RUN)
    assert run(fake_shell, "trace", "show", trace[:4]) == 0
    shown = fake_shell.printed.splitlines()
    assert shown[0] == f"{trace}  {HERE}  When?"
    assert shown[1:] == list(trace_lines((i / 2, event) for i, event in enumerate(RUN)))


def test_without_an_id_the_last_trace_is_told(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "trace", "show") == 2
    assert "There is no trace yet." in fake_shell.errors
    trace_of(fake_shell, "When?", *RUN)
    trace_of(fake_shell, "Where?", *RUN, later_s=9)
    assert run(fake_shell, "trace", "show") == 0
    assert fake_shell.printed.splitlines()[0].endswith("Where?")


def test_an_unknown_id_is_wrong_usage(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "trace", "show", "ffff") == 2
    assert fake_shell.errors.count("'ffff'") == 1


# `askance stats` over real traces and a real history.

NOW = datetime.now(UTC)


def trace(fake_shell: FakeShell, question: str, started: datetime = NOW) -> None:
    store = TraceStore(fake_shell.shell.folders.traces, 100, pytest.fail)
    with store.begin(question, started) as writer:
        for i, event in enumerate(RUN):
            writer.add(event, i / 2)


def exchange_of(fake_shell: FakeShell, question: str, events: Sequence[RunEvent] = RUN) -> None:
    with closing(Container(Settings(), fake_shell.shell.folders).history) as history:
        key = history.begin_exchange(None, "search", question)
        history.finish_exchange(key, [TimedEvent(i / 2, event) for i, event in enumerate(events)])


def records(fake_shell: FakeShell, *arguments: str) -> list[dict[str, Any]]:
    fake_shell.out = FakeStream()
    assert run(fake_shell, "stats", "--json", *arguments) == 0, fake_shell.errors
    return [json.loads(line) for line in fake_shell.printed.splitlines()]


def test_runs_of_traces_and_conversations_are_counted_once(fake_shell: FakeShell) -> None:
    trace(fake_shell, "When was the lamp lit?", datetime.now(UTC))
    exchange_of(fake_shell, "When was the lamp lit?")
    exchange_of(fake_shell, "Where does it stand?")
    *days, total = records(fake_shell)
    assert (total["type"], total["questions"]) == ("total", 2)
    assert sum(day["questions"] for day in days) == 2
    assert (total["completeness"], total["local_share"]) == (1.0, 0.0)
    assert (total["pages_read"], total["pages_offered"]) == (14, 24)
    assert (total["model_calls"], total["prompt_tokens"], total["output_tokens"]) == (10, 8200, 460)
    first_s = next(i / 2 for i, event in enumerate(RUN) if "Token" in type(event).__name__)
    assert (total["first_token_s"], total["total_s"]) == (first_s, ANSWERED.elapsed_ms / 1000)
    # That of the conversation alone has no tokens as they arrived.
    assert len(total["missing"]) == 1
    assert "trace.keep" in total["missing"][0]


def test_a_person_sees_a_table(fake_shell: FakeShell) -> None:
    trace(fake_shell, "When?")
    assert run(fake_shell, "stats") == 0
    heading, day, together, *_ = fake_shell.printed.splitlines()
    assert len(heading) == len(day) == len(together)
    assert day.split()[:2] == [f"{NOW.astimezone():%Y-%m-%d}", "1"]
    assert "7 of 12" in day


def test_older_days_are_looked_at_on_demand(fake_shell: FakeShell) -> None:
    trace(fake_shell, "When?", NOW - timedelta(days=40))
    assert records(fake_shell)[-1]["questions"] == 0
    assert records(fake_shell, "--days", "60")[-1]["questions"] == 1


def test_without_a_run_there_is_nothing_to_show(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "stats") == 0
    assert fake_shell.printed.splitlines()[0].startswith("Nothing to show yet")


def test_what_is_switched_off_is_said(fake_shell: FakeShell) -> None:
    for name, value in {"trace.keep": "0", "history.days": "0"}.items():
        fake_shell.environment["ASKANCE_" + name.upper().replace(".", "__")] = value
    assert [name in note for name, note in zip(
        ("trace.keep", "history.days"), records(fake_shell)[-1]["missing"], strict=True
    )] == [True, True]  # fmt: skip


def test_a_damaged_trace_is_counted_and_costs_nothing_else(fake_shell: FakeShell) -> None:
    trace(fake_shell, "When?")
    broken = fake_shell.shell.folders.traces / f"{NOW:%Y%m%dT%H%M%S%f}Z-00000000.jsonl"
    broken.write_text("{broken\n")
    total = records(fake_shell)[-1]
    assert total["questions"] == 1
    assert "`askance trace list`" in total["missing"][0]


def test_runs_of_one_moment_that_differ_both_count(fake_shell: FakeShell) -> None:
    other = Answered("No.", (), (), ANSWERED.outcome, 1, ANSWERED.usage, (), 5)
    exchange_of(fake_shell, "When?")
    exchange_of(fake_shell, "When?", [other])
    assert records(fake_shell)[-1]["questions"] == 2
