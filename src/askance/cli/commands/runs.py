"""`askance trace` and `stats`: past runs, listed, replayed and counted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from askance.cli.exits import Exit, report_end, run_async
from askance.cli.render.output import write_chart
from askance.cli.render.views import Renderer, follow, trace_lines
from askance.cli.shell import Shell
from askance.config.settings import Settings
from askance.domain.characters import clean, one_line
from askance.domain.errors import InputError
from askance.domain.events import Emit, RunEnd
from askance.domain.history import StoredTrace, TraceSummary
from askance.presentation.i18n import moment_row, plural, tr
from askance.presentation.statistics import (
    RunFigures,
    by_day,
    chart,
    figures,
    figures_of,
    legend,
    merged,
    moment_of,
    nothing_yet,
    record,
    table,
)

_LONGEST_DAYS = 36_500


def list_all(shell: Shell) -> Exit:
    """List the traces, newest first."""
    summaries = shell.container().traces.summaries()
    for summary in summaries:
        shell.stdout.line(row(summary))
    if not summaries:
        shell.stdout.line("There is no trace yet; every `askance ask` leaves one.")
    return Exit.DONE


def row(summary: TraceSummary) -> str:
    """Return one trace on one line: id, start, outcome, seconds, question."""
    started = moment_row(summary.started)
    if summary.damage:
        return f"{summary.id}  {started:<16}  damaged: {one_line(summary.damage)}"
    took = f"{summary.seconds:6.1f} s"
    head = f"{summary.id}  {started:<16}  {summary.outcome:<13}  {took}"
    return f"{head}  {one_line(summary.question)}"


def show(shell: Shell, prefix: str) -> Exit:
    """Tell a whole trace in words; the last one if none is named."""
    store = shell.container().traces
    trace = store.read(prefix) if prefix else store.last()
    started = moment_row(trace.started)
    shell.stdout.line(f"{trace.id}  {started}  {one_line(trace.question)}")
    for line in trace_lines(trace.events):
        shell.stdout.line(line)
    return Exit.DONE


def replay(shell: Shell, prefix: str, speed: float, *, verbose: bool = False) -> Exit:
    """Show a run again through the front end of `ask`, `speed` times as fast; 0 does not wait."""
    trace = shell.container().traces.read(prefix)

    async def titled() -> RunEnd:
        # Inside the loop: Ctrl-C while a loop is being made leaves half of one behind.
        shell.stdout.line(one_line(f"> {trace.question}"))
        return await replayed(trace, shell.front(verbose=verbose), speed)

    report_end(run_async(titled()), shell.stderr)
    return Exit.DONE


async def replayed(trace: StoredTrace, renderer: Renderer, speed: float) -> RunEnd:
    """Give the events of a trace to a front end at their old pace.

    Raises:
        InputError: the trace holds no event.
    """

    async def run(emit: Emit) -> RunEnd:
        last_s, end = 0.0, None
        for at_s, event in trace.events:
            if speed > 0:
                await asyncio.sleep(max(at_s - last_s, 0.0) / speed)
            last_s = at_s
            emit(event)
            end = event
        if isinstance(end, RunEnd):
            return end
        raise InputError(f"The trace {trace.id} has no end.")

    return await follow(renderer, run)


def count(shell: Shell, days: int, *, as_json: bool = False, png: Path | None = None) -> Exit:
    """Show what the last days came to: as a table, as lines of JSON, and as a picture."""
    settings = shell.settings()
    today = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    since = (today - timedelta(days=min(days, _LONGEST_DAYS) - 1)).astimezone(UTC)
    traced, unreadable = _traced(shell, since)
    runs = merged(traced, _stored_runs(shell, since))
    rows, together = by_day(runs), figures(runs)
    notes = _missing(settings, runs, unreadable)
    if as_json:
        for day in rows:
            shell.stdout.line(json.dumps(record(day)))
        shell.stdout.line(json.dumps(record(together) | {"missing": notes}))
    else:
        for line in (*table(rows, together), "", *legend()) if rows else (nothing_yet(),):
            shell.stdout.line(line)
        for note in notes:
            shell.stdout.line(note)
    if png is not None:
        write_chart(chart(runs), png)
        if not as_json:
            shell.stdout.line(clean(tr("The chart is in {file}.", file=str(png))))
    return Exit.DONE


def _traced(shell: Shell, since: datetime) -> tuple[list[RunFigures], int]:
    """Return the runs that have a trace, and how many traces cannot be read."""
    runs: list[RunFigures] = []
    unreadable = 0
    for trace in shell.container().traces.since(since):
        started = None if isinstance(trace, TraceSummary) else moment_of(trace.started)
        if isinstance(trace, TraceSummary) or started is None:
            unreadable += 1
        elif run := figures_of(trace.question, started, trace.events):
            runs.append(run)
    return runs, unreadable


def _stored_runs(shell: Shell, since: datetime) -> Iterator[RunFigures]:
    """Yield the runs of conversations, which keep no tokens as they arrived."""
    with shell.container() as parts:
        for asked in parts.history.asked_since(since):
            started = moment_of(asked.asked_at)
            events = ((timed.at_s, timed.event) for timed in asked.events)
            if started and (run := figures_of(asked.text, started, events)):
                yield run


def _missing(settings: Settings, runs: list[RunFigures], unreadable: int) -> list[str]:
    """Return what is not in the figures, and how it comes in."""
    notes: list[str] = []
    if not settings.trace.keep:
        notes.append(
            tr(
                "Traces are switched off: questions of `askance ask` are missing, and all times until the "
                "first token. `askance config set trace.keep 200` switches them on."
            )
        )
    if not settings.history.days:
        notes.append(
            tr(
                "Conversations are not kept: of older questions only the newest {n} traces are counted. "
                "`askance config set history.days 36500` keeps them.",
                n=settings.trace.keep,
            )
        )
    untimed = sum(run.is_researched and run.first_token_s is None for run in runs)
    if untimed and settings.trace.keep:
        notes.append(
            plural(
                "The time until the first token is not known of {n} answer: its trace is gone, or nothing was "
                "written. `trace.keep` says how many traces are kept.",
                "The time until the first token is not known of {n} answers: their traces are gone, or nothing "
                "was written. `trace.keep` says how many traces are kept.",
                untimed,
            )
        )
    if unreadable:
        notes.append(
            plural(
                "{n} trace cannot be read; `askance trace list` says why.",
                "{n} traces cannot be read; `askance trace list` says why.",
                unreadable,
            )
        )
    return notes
