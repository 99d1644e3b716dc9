"""The trace of a run as lines of plain text: all of it, or each step as it comes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from askance.domain.events import Answered, ClarifyAsked, Failed, RunEvent, TokenArrived
from askance.presentation.answers import cost_text, source_rows, support_word
from askance.presentation.cells import Cell, TraceRow
from askance.presentation.cleaning import one_line
from askance.presentation.trace import Trace

_LABEL = 8
_TIME = 10


def trace_lines(events: Iterable[tuple[float, RunEvent]]) -> Iterator[str]:
    """Tell a whole run: each step with how long it took, and at last what carries the answer."""
    trace, end = Trace(), None
    for at_s, event in events:
        trace.apply(event, at_s)
        end = event
    for row in trace.rows:
        yield from _told(row, row.elapsed, map(_line, row.lines))
    match end:
        case Answered(usage=usage, elapsed_ms=ms):
            yield from _carried(end)
            yield cost_text(usage, ms)
        case ClarifyAsked(question=told) | Failed(fix=told) if told:
            yield one_line(told)
        case _:
            pass


class Narration:
    """Tells of each event what it adds to the trace, with the second of the run."""

    def __init__(self) -> None:
        self._trace = Trace()
        self._told: dict[tuple[int, str], set[str]] = {}

    def lines(self, event: RunEvent, at_s: float) -> Iterator[str]:
        """Take in an event, and return the lines that were not told before."""
        if isinstance(event, TokenArrived):  # it adds nothing, many times a second
            return
        self._trace.apply(event, at_s)
        for row in self._trace.rows:
            told = self._told.setdefault((row.round, row.label), set())
            new = [line for line in map(_line, row.lines) if line not in told]
            told.update(new)
            yield from _told(row, f"{at_s:.1f} s", new)


def _carried(end: Answered) -> Iterator[str]:
    """Tell each source, then each citation with the words of its source that carry it."""
    for row in source_rows(end.sources, end.citations):
        yield f"[{row.n}] {row.told} <{row.address}>"
    for citation in end.citations:
        by = f": “{one_line(citation.quote)}”" if citation.quote else ""
        said = f"“{one_line(citation.sentence)}” is {support_word(citation.support)}"
        yield f"[{citation.n}] {said}{by}"


def _told(row: TraceRow, time: str, lines: Iterable[str]) -> Iterator[str]:
    head = f"{row.label:<{_LABEL}} {time:>{_TIME}}  "
    for line in lines:
        yield head + line
        head = " " * len(head)


def _line(cells: Sequence[Cell]) -> str:
    return one_line(" · ".join(f"{c.text} <{c.url}>" if c.url else c.text for c in cells))
