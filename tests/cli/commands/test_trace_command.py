"""`askance trace` over real files."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from askance.adapters.storage.traces import TraceStore
from askance.cli.render.views import trace_lines
from askance.domain.events import Failed, RunEvent
from askance.domain.messages import Message
from cli.desk import Desk, run
from cli.render.glass import Glass
from cli.runs import RUN

BEGAN = datetime(2024, 5, 1, 10, 30, tzinfo=UTC)
HERE = f"{BEGAN.astimezone():%Y-%m-%d %H:%M}"


def keep(
    desk: Desk, question: str, *events: RunEvent, step_s: float = 0.5, later_s: int = 0
) -> str:
    """Keep a trace and return its id."""
    store = TraceStore(desk.shell.folders.traces, 10, pytest.fail)
    with store.begin(question, BEGAN.replace(second=later_s)) as writer:
        for i, event in enumerate(events):
            writer.add(event, i * step_s)
    return store.summaries()[0].id


def test_runs_are_listed_with_their_outcome(desk: Desk) -> None:
    assert run(desk, "trace", "list") == 0
    assert "`askance ask`" in desk.printed
    trace = keep(desk, "When was\nthe \x1b[2Jlamp lit?", *RUN)
    assert run(desk, "trace", "list") == 0
    assert desk.printed.splitlines()[1] == (
        f"{trace}  {HERE}  web              11.5 s  When was the [2Jlamp lit?"
    )


def test_a_damaged_file_is_listed_as_damaged(desk: Desk) -> None:
    trace = keep(desk, "q", *RUN)
    (file,) = desk.shell.folders.traces.iterdir()
    file.write_text(file.read_text().splitlines()[0] + "\n{broken\n")
    assert run(desk, "trace", "list") == 0
    assert desk.printed.startswith(f"{trace}  {HERE}  damaged: ")
    assert run(desk, "trace", "show", trace) == 2
    assert trace in desk.told


def test_a_trace_is_told_in_words(desk: Desk) -> None:
    trace = keep(desk, "When?", *RUN)
    assert run(desk, "trace", "show", trace[:4]) == 0
    shown = desk.printed.splitlines()
    assert shown[0] == f"{trace}  {HERE}  When?"
    assert shown[1:] == list(trace_lines((i / 2, event) for i, event in enumerate(RUN)))


def test_without_an_id_the_last_trace_is_told(desk: Desk) -> None:
    assert run(desk, "trace", "show") == 2
    assert "There is no trace yet." in desk.told
    keep(desk, "When?", *RUN)
    keep(desk, "Where?", *RUN, later_s=9)
    assert run(desk, "trace", "show") == 0
    assert desk.printed.splitlines()[0].endswith("Where?")


def test_a_replay_ends_like_the_run_did(desk: Desk) -> None:
    trace = keep(desk, "When?", *RUN)
    assert run(desk, "trace", "replay", trace, "--speed", "0") == 0
    assert desk.printed.startswith("> When?\nThe lamp was first lit in 1887 [1].\n")


def test_a_replay_on_a_terminal_goes_through_the_live_front(desk: Desk) -> None:
    trace = keep(desk, "When?", *RUN)
    desk.out.terminal = True
    desk.environment |= {"TERM": "xterm", "COLUMNS": "100", "LINES": "40"}
    assert run(desk, "trace", "replay", trace, "--speed", "1000") == 0
    glass = Glass(desk.printed)
    assert glass.text.startswith("> When?\nThe lamp was first lit in 1887 [1].\n")
    assert glass.text.endswith("Searched twice, read 7 pages · 12 s")
    assert "Starting" in desk.printed


def test_a_replay_keeps_the_old_pace(desk: Desk) -> None:
    trace = keep(desk, "When?", *RUN, step_s=0.02)
    began = time.monotonic()
    assert run(desk, "trace", "replay", trace, "--speed", "2") == 0
    assert time.monotonic() - began >= 0.01 * (len(RUN) - 1)


def test_a_replayed_failure_is_told_and_is_no_failure_of_the_replay(desk: Desk) -> None:
    trace = keep(desk, "When?", Failed(Message("It was down."), Message("Start it."), "SearXNG"))
    assert run(desk, "trace", "replay", trace) == 0
    assert desk.told == "askance: SearXNG: It was down. Start it.\n"


def test_an_unknown_id_is_wrong_usage(desk: Desk) -> None:
    assert run(desk, "trace", "show", "ffff") == 2
    assert run(desk, "trace", "replay", "ffff") == 2
    assert desk.told.count("'ffff'") == 2
