"""`askance history`, `trace` and `stats`: past conversations and runs, listed, searched, shown again and counted."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from statistics import median
from typing import Any

from askance.cli.exits import Exit, marked, report_end, run_async, write_new
from askance.cli.shell import Shell
from askance.cli.views import follow, trace_lines
from askance.config.choices import ALL_DAYS
from askance.config.settings import Settings
from askance.domain.characters import clean, one_line
from askance.domain.conversation import Outcome, Usage
from askance.domain.errors import InputError
from askance.domain.events import (
    Answered,
    Cancelled,
    ClarifyAsked,
    Dequeued,
    DraftRetracted,
    Emit,
    Failed,
    Judged,
    LibraryRecalled,
    Planned,
    RunEnd,
    RunEvent,
    TokenArrived,
)
from askance.domain.history import (
    ConversationRecord,
    ConversationSummary,
    Exchange,
    TraceSummary,
    TranscriptFormat,
)
from askance.domain.phases import Sufficiency
from askance.domain.ports.storage import History
from askance.presentation.i18n import counted, moment_row, plural, spoken, term, tr


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


def export(shell: Shell, number: int, form: str, out: Path | None = None) -> Exit:
    """Write a conversation as Markdown, HTML or JSON to a new file, or to the standard output.

    Raises:
        InputError: the file is there already, or cannot be written.
    """
    # Imported here: markdown-it takes its time, and the other commands show no document.
    from askance.presentation.transcripts import document  # noqa: PLC0415

    text = document(_conversation(shell, number), TranscriptFormat(form))
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
            shell.stdout.line(json.dumps(statistics_record(day)))
        shell.stdout.line(json.dumps(statistics_record(together) | {"missing": notes}))
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


# What past runs were like: figures of a run, of a day, of all days, and the table of them.

FAILED = "failed"
CLARIFIED = "clarify_asked"
LOCAL = frozenset({Outcome.LIBRARY.value, Outcome.HISTORY.value})
"""Answers that needed no search of the web."""
# What was stored twice began within so many seconds: the history may wait for its file.
_SAME_RUN_S = 10.0

Timed = tuple[float, RunEvent]
"""An event, and its second in the run."""


@dataclass(frozen=True, slots=True)
class RunFigures:
    """What one run came to. `outcome` is that of the answer, or `FAILED` or `CLARIFIED`.

    `sufficiency` is the last verdict on what the answer rests on; None if there was none. Times are
    seconds since the run's turn came; None where they are not known.
    """

    question: str
    started: datetime
    outcome: str
    sufficiency: Sufficiency | None
    usage: Usage
    first_token_s: float | None
    total_s: float | None

    @property
    def is_complete(self) -> bool:
        """Whether the evidence was held to answer the question, and the answer did not deny it."""
        is_sufficient = self.sufficiency is Sufficiency.SUFFICIENT
        return is_sufficient and self.outcome not in {Outcome.INSUFFICIENT.value, FAILED}

    @property
    def is_researched(self) -> bool:
        """Whether it was answered, and from more than what the model knew or was given."""
        return self.outcome not in {
            FAILED,
            CLARIFIED,
            Outcome.MEMORY.value,
            Outcome.GIVEN.value,
        }


@dataclass(frozen=True, slots=True)
class PeriodStatistics:
    """What the runs of a day, or of all days, came to. `day` is None for all.

    `judged` are the runs with a verdict, `complete` those of them whose evidence was sufficient; `local` are answers that
    needed no search, `local_share` is theirs of those from more than the model's memory. Tokens of prompts count whole
    prompts, what the server still had included. Shares are 0 to 1, times medians in seconds; None is not known.
    """

    day: date | None
    questions: int
    failed: int
    from_memory: int
    judged: int
    complete: int
    completeness: float | None
    local: int
    local_complete: int
    local_share: float | None
    pages_offered: int
    pages_read: int
    read_share: float | None
    model_calls: int
    prompt_tokens: int
    output_tokens: int
    first_token_s: float | None
    total_s: float | None

    def each(self, sum_of_all: int) -> float | None:
        """Return how much of a sum falls to one question."""
        return _ratio(sum_of_all, self.questions)


def figures_of(question: str, started: datetime, events: Iterable[Timed]) -> RunFigures | None:
    """Return what a run came to; None if it has no end."""
    sufficiency: Sufficiency | None = None
    began_s, first_s = 0.0, None
    for at_s, event in events:
        match event:
            case Dequeued():
                began_s = at_s
            case Planned(
                history_sufficiency=Sufficiency.SUFFICIENT as own_sufficiency, fallback=False
            ):
                sufficiency = own_sufficiency
            case Judged(sufficiency=own_sufficiency) | LibraryRecalled(sufficiency=own_sufficiency):
                sufficiency = own_sufficiency
            case TokenArrived() if first_s is None:
                first_s = at_s - began_s
            case DraftRetracted():
                # What is taken back was reasoning: the answer has not begun.
                first_s = None
            case Answered(outcome=outcome, usage=usage, elapsed_ms=elapsed_ms):
                total_s = elapsed_ms / 1000
                return RunFigures(
                    question, started, outcome.value, sufficiency, usage, first_s, total_s
                )
            case ClarifyAsked(usage=usage):
                # No time: it would count among the times of answers.
                return RunFigures(question, started, CLARIFIED, None, usage, first_s, None)
            case Failed():
                return RunFigures(question, started, FAILED, sufficiency, Usage(), None, None)
            case _:
                pass
    return None


def merged(first: Sequence[RunFigures], second: Iterable[RunFigures]) -> list[RunFigures]:
    """Return the runs of two records, oldest first; one that stands in both counts once, as in the first."""
    unmatched: dict[tuple[str, str], list[RunFigures]] = {}
    for run in first:
        unmatched.setdefault((run.question, run.outcome), []).append(run)
    others: list[RunFigures] = []
    for run in second:
        twins = unmatched.get((run.question, run.outcome), [])
        # The same question may have been asked several times: the nearest in time is the same run.
        twin = min(twins, key=lambda t: _apart(t, run), default=None)
        if twin is not None and _apart(twin, run) <= _SAME_RUN_S:
            # A trace belongs to one exchange alone.
            twins.remove(twin)
        else:
            others.append(run)
    return sorted([*first, *others], key=lambda run: run.started)


def by_day(runs: Iterable[RunFigures], zone: tzinfo | None = None) -> list[PeriodStatistics]:
    """Return what each day came to that has runs, oldest first. `zone` is where days begin; None: here."""
    days: dict[date, list[RunFigures]] = {}
    for run in runs:
        days.setdefault(run.started.astimezone(zone).date(), []).append(run)
    return [figures(days[day], day) for day in sorted(days)]


def figures(runs: Sequence[RunFigures], day: date | None = None) -> PeriodStatistics:
    """Return what runs came to together."""
    judged = [run for run in runs if run.sufficiency is not None]
    complete = sum(run.is_complete for run in judged)
    researched = [run for run in runs if run.is_researched]
    local = [run for run in researched if run.outcome in LOCAL]
    usages = [run.usage for run in runs]
    offered, read = (sum(u.pages_offered for u in usages), sum(u.pages_read for u in usages))
    return PeriodStatistics(
        day=day,
        questions=len(runs),
        failed=sum(run.outcome == FAILED for run in runs),
        from_memory=sum(run.outcome == Outcome.MEMORY for run in runs),
        judged=len(judged),
        complete=complete,
        completeness=_ratio(complete, len(judged)),
        local=len(local),
        local_complete=sum(run.is_complete for run in local),
        local_share=_ratio(len(local), len(researched)),
        pages_offered=offered,
        pages_read=read,
        read_share=_ratio(read, offered),
        model_calls=sum(usage.model_calls for usage in usages),
        prompt_tokens=sum(usage.prompt_tokens for usage in usages),
        output_tokens=sum(usage.output_tokens for usage in usages),
        first_token_s=_median(run.first_token_s for run in runs),
        total_s=_median(run.total_s for run in runs),
    )


def _ratio(count: int, of: int) -> float | None:
    return count / of if of else None


def moment_of(stamp: str) -> datetime | None:
    """Return a moment in ISO 8601; None if it is none. One without a zone is UTC."""
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _apart(one: RunFigures, other: RunFigures) -> float:
    return abs((one.started - other.started).total_seconds())


def _median(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


UNKNOWN = "–"
_HEADINGS = (
    term("Day"),
    term("Questions"),
    term("Complete"),
    term("Local"),
    term("Pages read"),
    term("Calls"),
    term("Prompt"),
    term("Written"),
    term("First token"),
    term("Total"),
)


def nothing_yet() -> str:
    """Return what is said where there is no run."""
    return tr("Nothing to show yet: no question was asked in this time.")


def table(days: Sequence[PeriodStatistics], together: PeriodStatistics) -> list[str]:
    """Return the lines of a table: a row for each day, and one for all of them."""
    headings = [tr(heading) for heading in _HEADINGS]
    rows = [headings, *(_cells(row) for row in (*days, together))]
    widths = [max(len(row[i]) for row in rows) for i in range(len(headings))]
    return [
        "  ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def legend() -> tuple[str, ...]:
    """Return what the columns of the table mean."""
    return (
        tr(
            "Complete: the last verdict on the evidence was “sufficient”, of questions with a verdict."
        ),
        tr("Local: answered from the library or the conversation, without a search of the web."),
        tr(
            "Calls of the model, prompt tokens (whole prompts, cached or not) and tokens written: for each question."
        ),
        tr("Times are medians: until the first token, and until the end."),
    )


def statistics_record(row: PeriodStatistics) -> dict[str, Any]:
    """Return a row for other programs; null is not known."""
    fields = dataclasses.asdict(row) | {"day": row.day.isoformat() if row.day else None}
    rounded = {k: round(v, 3) if isinstance(v, float) else v for k, v in fields.items()}
    return {"type": "day" if row.day else "total", **rounded}


def _cells(row: PeriodStatistics) -> list[str]:
    read = tr("{n} of {all}", n=row.pages_read, all=row.pages_offered)
    return [
        row.day.isoformat() if row.day else tr("All"),
        spoken().number(row.questions, 0),
        _share(row.completeness),
        _share(row.local_share),
        read if row.pages_offered else UNKNOWN,
        _number(row.each(row.model_calls), 1),
        _number(row.each(row.prompt_tokens), 0),
        _number(row.each(row.output_tokens), 0),
        _seconds(row.first_token_s),
        _seconds(row.total_s),
    ]


def _share(value: float | None) -> str:
    return UNKNOWN if value is None else tr("{n} %", n=round(100 * value))


def _seconds(value: float | None) -> str:
    return UNKNOWN if value is None else tr("{n} s", n=float(value))


def _number(value: float | None, decimals: int) -> str:
    return UNKNOWN if value is None else spoken().number(value, decimals)
