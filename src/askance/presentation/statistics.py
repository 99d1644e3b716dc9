"""What past runs were like: figures of a run, of a day, of all days, and the table of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from statistics import median
from typing import Any

from askance.domain.conversation import Outcome, Usage
from askance.domain.events import (
    Answered,
    ClarifyAsked,
    Dequeued,
    DraftRetracted,
    Failed,
    Judged,
    LibraryRecalled,
    Planned,
    RunEvent,
    TokenArrived,
)
from askance.domain.phases import Sufficiency
from askance.presentation.i18n import spoken, term, tr

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

    `judged` are the runs with a verdict, `complete` those of them whose evidence was sufficient;
    `researched` those that were answered from more than the model's memory, `local` those of them
    that needed no search. Tokens of prompts count whole prompts, what the server still had included.
    Times are medians, in seconds, of the runs for which they are known.
    """

    day: date | None
    questions: int
    failed: int
    from_memory: int
    judged: int
    complete: int
    researched: int
    local: int
    local_complete: int
    pages_offered: int
    pages_read: int
    model_calls: int
    prompt_tokens: int
    output_tokens: int
    first_token_s: float | None
    total_s: float | None

    @property
    def completeness(self) -> float | None:
        """The share of verdicts that were "sufficient"."""
        return self.complete / self.judged if self.judged else None

    @property
    def local_share(self) -> float | None:
        """The share of researched answers that needed no search."""
        return self.local / self.researched if self.researched else None

    @property
    def read_share(self) -> float | None:
        """The share of offered pages that were read."""
        return self.pages_read / self.pages_offered if self.pages_offered else None

    def each(self, sum_of_all: int) -> float | None:
        """Return how much of a sum falls to one question."""
        return sum_of_all / self.questions if self.questions else None


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
    researched = [run for run in runs if run.is_researched]
    local = [run for run in researched if run.outcome in LOCAL]
    return PeriodStatistics(
        day=day,
        questions=len(runs),
        failed=sum(run.outcome == FAILED for run in runs),
        from_memory=sum(run.outcome == Outcome.MEMORY for run in runs),
        judged=len(judged),
        complete=sum(run.is_complete for run in judged),
        researched=len(researched),
        local=len(local),
        local_complete=sum(run.is_complete for run in local),
        pages_offered=sum(run.usage.pages_offered for run in runs),
        pages_read=sum(run.usage.pages_read for run in runs),
        model_calls=sum(run.usage.model_calls for run in runs),
        prompt_tokens=sum(run.usage.prompt_tokens for run in runs),
        output_tokens=sum(run.usage.output_tokens for run in runs),
        first_token_s=_median(run.first_token_s for run in runs),
        total_s=_median(run.total_s for run in runs),
    )


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


def record(row: PeriodStatistics) -> dict[str, Any]:
    """Return a row for other programs. Shares are 0 to 1, times seconds; null is not known."""
    return {
        "type": "day" if row.day else "total",
        "day": row.day.isoformat() if row.day else None,
        "questions": row.questions,
        "failed": row.failed,
        "from_memory": row.from_memory,
        "judged": row.judged,
        "complete": row.complete,
        "completeness": _rounded(row.completeness),
        "local": row.local,
        "local_complete": row.local_complete,
        "local_share": _rounded(row.local_share),
        "pages_offered": row.pages_offered,
        "pages_read": row.pages_read,
        "read_share": _rounded(row.read_share),
        "model_calls": row.model_calls,
        "prompt_tokens": row.prompt_tokens,
        "output_tokens": row.output_tokens,
        "first_token_s": _rounded(row.first_token_s),
        "total_s": _rounded(row.total_s),
    }


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


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
