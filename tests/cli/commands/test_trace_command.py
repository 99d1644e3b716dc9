"""`askance trace` over real files."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from askance.adapters.storage.traces import TraceStore
from askance.cli.views import trace_lines
from askance.domain.events import RunEvent
from cli.fake_shell import FakeShell, run
from cli.runs import RUN

BEGAN = datetime(2024, 5, 1, 10, 30, tzinfo=UTC)
HERE = f"{BEGAN.astimezone():%Y-%m-%d %H:%M}"


def keep(
    fake_shell: FakeShell, question: str, *events: RunEvent, step_s: float = 0.5, later_s: int = 0
) -> str:
    """Keep a trace and return its id."""
    store = TraceStore(fake_shell.shell.folders.traces, 10, pytest.fail)
    with store.begin(question, BEGAN.replace(second=later_s)) as writer:
        for i, event in enumerate(events):
            writer.add(event, i * step_s)
    return store.summaries()[0].id


def test_runs_are_listed_with_their_outcome(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "trace", "list") == 0
    assert "`askance ask`" in fake_shell.printed
    trace = keep(fake_shell, "When was\nthe \x1b[2Jlamp lit?", *RUN)
    assert run(fake_shell, "trace", "list") == 0
    assert fake_shell.printed.splitlines()[1] == (
        f"{trace}  {HERE}  web              11.5 s  When was the [2Jlamp lit?"
    )


def test_a_damaged_file_is_listed_as_damaged(fake_shell: FakeShell) -> None:
    trace = keep(fake_shell, "q", *RUN)
    (file,) = fake_shell.shell.folders.traces.iterdir()
    file.write_text(file.read_text().splitlines()[0] + "\n{broken\n")
    assert run(fake_shell, "trace", "list") == 0
    assert fake_shell.printed.startswith(f"{trace}  {HERE}  damaged: ")
    assert run(fake_shell, "trace", "show", trace) == 2
    assert trace in fake_shell.errors


def test_a_trace_is_told_in_words(fake_shell: FakeShell) -> None:
    trace = keep(fake_shell, "When?", *RUN)
    assert run(fake_shell, "trace", "show", trace[:4]) == 0
    shown = fake_shell.printed.splitlines()
    assert shown[0] == f"{trace}  {HERE}  When?"
    assert shown[1:] == list(trace_lines((i / 2, event) for i, event in enumerate(RUN)))


def test_without_an_id_the_last_trace_is_told(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "trace", "show") == 2
    assert "There is no trace yet." in fake_shell.errors
    keep(fake_shell, "When?", *RUN)
    keep(fake_shell, "Where?", *RUN, later_s=9)
    assert run(fake_shell, "trace", "show") == 0
    assert fake_shell.printed.splitlines()[0].endswith("Where?")


def test_an_unknown_id_is_wrong_usage(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "trace", "show", "ffff") == 2
    assert fake_shell.errors.count("'ffff'") == 1
