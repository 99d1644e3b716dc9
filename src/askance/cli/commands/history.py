"""`askance history`, `trace` and `stats`: past conversations and runs, listed, searched, shown again and counted."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from askance.cli.exits import Exit, marked, report_end, run_async, write_new
from askance.cli.shell import Shell
from askance.cli.views import follow, trace_lines
from askance.config.choices import ALL_DAYS
from askance.config.settings import Settings
from askance.domain.characters import clean, one_line
from askance.domain.errors import InputError
from askance.domain.events import Cancelled, Emit, RunEnd
from askance.domain.history import (
    ConversationRecord,
    ConversationSummary,
    Exchange,
    TraceSummary,
)
from askance.domain.ports.storage import History
from askance.presentation.i18n import counted, moment_row, plural, tr
from askance.presentation.statistics import (
    RunFigures,
    by_day,
    figures,
    figures_of,
    legend,
    merged,
    moment_of,
    nothing_yet,
    record,
    table,
)
from askance.presentation.transcripts import TranscriptFormat, document


def list_conversations(shell: Shell, limit: int) -> Exit:
    """List the conversations, last used first."""
    with _history(shell) as history:
        # One more than is shown tells whether there are more.
        found = history.conversations(limit + 1)
    for summary in found[:limit]:
        shell.stdout.line(row(summary))
    if not found:
        shell.stdout.line("No conversations are kept.")
    if len(found) > limit:
        shell.stdout.line(f"There are more; --limit shows more than {limit}.")
    return Exit.DONE


def search(shell: Shell, words: str, limit: int) -> Exit:
    """Show the questions that hold all the words, or words that begin so, best first."""
    with _history(shell) as history:
        hits = history.search(words, limit)
    for hit in hits:
        shell.stdout.line(
            f"{hit.conversation:>5}  {moment_row(hit.asked_at)}  {one_line(hit.title)}"
        )
        shell.stdout.line(f"       {marked(hit.excerpt, hit.marks, bold=shell.redraws)}")
    if not hits:
        shell.stdout.line(f"No conversation holds {one_line(words)!r}.")
    return Exit.DONE


def show(shell: Shell, number: int, *, verbose: bool = False) -> Exit:
    """Show a conversation again as it was shown."""
    record = _conversation(shell, number)
    shell.stdout.line(row(record.summary))

    async def shown() -> None:
        for exchange in record.exchanges:
            await _shown(shell, exchange, verbose=verbose)

    run_async(shown())
    return Exit.DONE


def export(shell: Shell, number: int, form: TranscriptFormat, out: Path | None = None) -> Exit:
    """Write a conversation as Markdown, HTML or JSON to a new file, or to the standard output.

    Raises:
        InputError: the file is there already, or cannot be written.
    """
    text = document(_conversation(shell, number), form)
    if out is None:
        # A terminal would obey what a page or a model wrote; a pipe gets it as it was.
        shell.stdout.write(clean(text) if shell.stdout.isatty() else text)
        return Exit.DONE
    write_new(out, [text])
    shell.stdout.line(f"Saved to {out}.")
    return Exit.DONE


def delete(shell: Shell, number: int) -> Exit:
    """Forget a conversation."""
    with _history(shell) as history:
        if not history.delete(number):
            raise _missing(number)
    shell.stdout.line("1 conversation forgotten.")
    return Exit.DONE


def clear(shell: Shell) -> Exit:
    """Forget all conversations, copies of their file, and what was typed and not sent."""
    with _history(shell) as history:
        gone = history.delete_all()
    with suppress(OSError):
        shell.folders.drafts.unlink(missing_ok=True)
    shell.stdout.line(f"{counted(gone, 'conversation')} forgotten.")
    return Exit.DONE


def row(summary: ConversationSummary) -> str:
    """Return a conversation on one line: number, when it was last used, questions, title."""
    asked = counted(summary.exchanges, "question")
    title = one_line(summary.title)
    return f"{summary.id:>5}  {moment_row(summary.updated_at)}  {asked:<12}  {title}"


async def _shown(shell: Shell, exchange: Exchange, *, verbose: bool) -> None:
    command = "" if exchange.command == "chat" else f"/{exchange.command} "
    shell.stdout.line()
    shell.stdout.line(one_line(f"> {command}{exchange.text}"))
    for line in clean(exchange.quote).splitlines():
        shell.stdout.line(f"  | {line}")
    for note in _notes(exchange):
        shell.stdout.line(note)
    # Of a run that was stopped, `answer` is what was written until then: decision 45.
    if (end := exchange.answer or exchange.end) is None:
        return

    async def run(emit: Emit) -> RunEnd:
        # The last stored event is the end of the run; `end` is shown instead of it.
        for timed in exchange.events[:-1]:
            emit(timed.event)
        emit(end)
        return end

    await follow(shell.front(verbose=verbose, command=exchange.command), run)
    report_end(end, shell.stderr)


def _notes(exchange: Exchange) -> Sequence[str]:
    if exchange.damage:
        return [one_line(exchange.damage)]
    if isinstance(exchange.end, Cancelled):
        return ["Stopped."]
    return [] if exchange.end else ["This run was not finished."]


def _conversation(shell: Shell, number: int) -> ConversationRecord:
    with _history(shell) as history:
        record = history.conversation(number)
    if record is None:
        raise _missing(number)
    return record


def _missing(number: int) -> InputError:
    return InputError(
        f"There is no conversation {number}.", fix="`askance history` shows all of them."
    )


@contextmanager
def _history(shell: Shell) -> Generator[History]:
    """Open the history. What was to be kept no longer is forgotten before anything is shown."""
    with shell.container() as parts:
        parts.history.prune(parts.settings.history.days)
        yield parts.history


# `askance trace` and `stats`: past runs, listed and counted.


def list_traces(shell: Shell) -> Exit:
    """List the traces, newest first."""
    summaries = shell.container().traces.summaries()
    for summary in summaries:
        shell.stdout.line(trace_row(summary))
    if not summaries:
        shell.stdout.line("There is no trace yet; every `askance ask` leaves one.")
    return Exit.DONE


def trace_row(summary: TraceSummary) -> str:
    """Return one trace on one line: id, start, outcome, seconds, question."""
    started = moment_row(summary.started)
    if summary.damage:
        return f"{summary.id}  {started:<16}  damaged: {one_line(summary.damage)}"
    took = f"{summary.seconds:6.1f} s"
    head = f"{summary.id}  {started:<16}  {summary.outcome:<13}  {took}"
    return f"{head}  {one_line(summary.question)}"


def show_trace(shell: Shell, prefix: str) -> Exit:
    """Tell a whole trace in words; the last one if none is named."""
    store = shell.container().traces
    trace = store.read(prefix) if prefix else store.last()
    started = moment_row(trace.started)
    shell.stdout.line(f"{trace.id}  {started}  {one_line(trace.question)}")
    for line in trace_lines(trace.events):
        shell.stdout.line(line)
    return Exit.DONE


def count(shell: Shell, days: int, *, as_json: bool = False) -> Exit:
    """Show what the last days came to: as a table, or as lines of JSON."""
    settings = shell.settings()
    # Days are those of the reader's clock, today among them; what is stored is in UTC.
    today = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    # Bounded: Python has no dates before the year 1.
    since = (today - timedelta(days=min(days, ALL_DAYS) - 1)).astimezone(UTC)
    traced, unreadable = _traced(shell, since)
    # Traces take precedence: only they have the moment of the first token.
    runs = merged(traced, _stored_runs(shell, since))
    rows, together = by_day(runs), figures(runs)
    notes = _left_out(settings, runs, unreadable)
    if as_json:
        for day in rows:
            shell.stdout.line(json.dumps(record(day)))
        shell.stdout.line(json.dumps(record(together) | {"missing": notes}))
    else:
        for line in (*table(rows, together), "", *legend()) if rows else (nothing_yet(),):
            shell.stdout.line(line)
        for note in notes:
            shell.stdout.line(note)
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


def _left_out(settings: Settings, runs: list[RunFigures], unreadable: int) -> list[str]:
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
