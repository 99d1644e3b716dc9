"""How runs went, day by day, in words and numbers: a table, records for programs, and a picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta, tzinfo
from typing import Any

from askance.domain.statistics import PeriodStatistics, RunFigures, by_day, by_period, figures
from askance.presentation.charts import (
    Chart,
    ChartForm,
    Panel,
    Series,
    Tick,
    highest_of,
    share_ticks,
    value_ticks,
)
from askance.presentation.i18n import plural, spoken, term, tr

UNKNOWN = "–"
_Values = Mapping[str, Callable[[PeriodStatistics], float | None]]
_MOST_DATES = 4
# A picture has room for so many places; more days are taken together.
_MOST_PLACES = 62
_LENGTHS = (1, 7, 28)
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


def chart(runs: Sequence[RunFigures], zone: tzinfo | None = None) -> Chart:
    """Return the picture of runs: a place for each day, or for each week or four where there are many.

    What has no question is an empty place.
    """
    if not runs:
        return Chart(title=tr("Questions and answers"), subtitle=nothing_yet())
    known = {_day(row): row for row in by_day(runs, zone)}
    first, last = min(known), max(known)
    days = (last - first).days + 1
    length = next((n for n in _LENGTHS if days <= n * _MOST_PLACES), _LENGTHS[-1])
    if length > 1:
        known = {_day(row): row for row in by_period(runs, first, length, zone)}
    span = [first + timedelta(days=i) for i in range(0, days, length)]
    rows = [known.get(day) for day in span]
    together = figures(runs)
    period = first.isoformat() if first == last else f"{first.isoformat()} – {last.isoformat()}"
    questions: _Values = {
        tr("web"): lambda row: row.researched - row.local,
        tr("library or conversation"): lambda row: row.local,
        tr("memory, asked back, failed"): lambda row: row.questions - row.researched,
    }
    shares: _Values = {
        tr("complete"): lambda row: row.completeness,
        tr("local"): lambda row: row.local_share,
        tr("offered pages read"): lambda row: row.read_share,
    }
    tokens: _Values = {
        tr("prompts, cached or not"): lambda row: row.each(row.prompt_tokens),
        tr("written"): lambda row: row.each(row.output_tokens),
    }
    times: _Values = {
        tr("until the first token"): lambda row: row.first_token_s,
        tr("until the end"): lambda row: row.total_s,
    }
    return Chart(
        title=tr("Questions and answers, {period}", period=period),
        subtitle=" · ".join(_summary(together)),
        panels=(
            _panel(tr("Questions"), ChartForm.BARS, span, rows, questions),
            _panel(tr("Shares"), ChartForm.LINES, span, rows, shares, is_share=True),
            _panel(tr("Tokens a question"), ChartForm.BARS, span, rows, tokens),
            _panel(tr("Seconds, median"), ChartForm.LINES, span, rows, times),
        ),
    )


def _panel(
    title: str,
    form: ChartForm,
    span: Sequence[date],
    rows: Sequence[PeriodStatistics | None],
    values: _Values,
    *,
    is_share: bool = False,
) -> Panel:
    series = tuple(
        Series(name=name, values=tuple(None if row is None else of(row) for row in rows))
        for name, of in values.items()
    )
    return Panel(
        title=title,
        form=form,
        x=tuple(map(float, range(len(span)))),
        x_title=_place_name(span),
        x_ticks=_dates(span),
        y_ticks=share_ticks() if is_share else value_ticks(highest_of(series, form) or 1.0),
        series=series,
    )


def _place_name(span: Sequence[date]) -> str:
    apart = (span[1] - span[0]).days if len(span) > 1 else 1
    return tr("Day") if apart == 1 else tr("{n} days from", n=apart)


def _dates(span: Sequence[date]) -> tuple[Tick, ...]:
    """Return a few days at equal distances, the last one among them."""
    apart = -(-len(span) // _MOST_DATES)
    places = range(len(span) - 1, -1, -apart)
    return tuple(Tick(at=float(i), label=span[i].isoformat()) for i in reversed(places))


def _summary(together: PeriodStatistics) -> list[str]:
    texts = [plural("{n} question", "{n} questions", together.questions)]
    if together.completeness is not None:
        texts.append(tr("{share} complete", share=_share(together.completeness)))
    if together.local_share is not None:
        texts.append(tr("{share} local", share=_share(together.local_share)))
    if together.total_s is not None:
        texts.append(tr("{time} until the end, median", time=_seconds(together.total_s)))
    return texts


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


def _day(row: PeriodStatistics) -> date:
    assert row.day is not None
    return row.day


def _share(value: float | None) -> str:
    return UNKNOWN if value is None else tr("{n} %", n=round(100 * value))


def _seconds(value: float | None) -> str:
    return UNKNOWN if value is None else tr("{n} s", n=float(value))


def _number(value: float | None, decimals: int) -> str:
    return UNKNOWN if value is None else spoken().number(value, decimals)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
