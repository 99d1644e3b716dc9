"""`askance stats` over real traces and a real history."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from askance.adapters.storage.traces import TraceStore
from askance.app.container import Container
from askance.config.settings import Settings
from askance.domain.events import Answered, RunEvent
from askance.domain.history import TimedEvent
from cli.fake_shell import FakeShell, FakeStream, run
from cli.runs import ANSWERED, RUN

NOW = datetime.now(UTC)


def trace(fake_shell: FakeShell, question: str, started: datetime = NOW) -> None:
    store = TraceStore(fake_shell.shell.folders.traces, 100, pytest.fail)
    with store.begin(question, started) as writer:
        for i, event in enumerate(RUN):
            writer.add(event, i / 2)


def keep(fake_shell: FakeShell, question: str, events: Sequence[RunEvent] = RUN) -> None:
    with closing(Container(Settings(), fake_shell.shell.folders).history) as history:
        key = history.begin_exchange(None, "search", question)
        history.finish_exchange(key, [TimedEvent(i / 2, event) for i, event in enumerate(events)])


def records(fake_shell: FakeShell, *arguments: str) -> list[dict[str, Any]]:
    fake_shell.out = FakeStream()
    assert run(fake_shell, "stats", "--json", *arguments) == 0, fake_shell.errors
    return [json.loads(line) for line in fake_shell.printed.splitlines()]


def test_runs_of_traces_and_conversations_are_counted_once(fake_shell: FakeShell) -> None:
    trace(fake_shell, "When was the lamp lit?", datetime.now(UTC))
    keep(fake_shell, "When was the lamp lit?")
    keep(fake_shell, "Where does it stand?")
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
    keep(fake_shell, "When?")
    keep(fake_shell, "When?", [other])
    assert records(fake_shell)[-1]["questions"] == 2
