"""How a run is shown: followed from its first event to its end, as text, JSON or rows of a trace; markers and footer."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TextIO, get_args

from askance.cli.exits import Output, OutputLost, write_line
from askance.domain.characters import clean_event, one_line
from askance.domain.conversation import SEARCH
from askance.domain.errors import AskanceError
from askance.domain.events import (
    Answered,
    Cancelled,
    ClarifyAsked,
    Emit,
    Failed,
    RunEnd,
    RunEvent,
    TokenArrived,
)
from askance.domain.history import to_record
from askance.presentation.answers import (
    LANGUAGES,
    SourceRow,
    as_of_text,
    cost_text,
    disagreement_lines,
    foreign_language,
    found_text,
    legend,
    listed,
    origin_note,
    source_rows,
    support_word,
)
from askance.presentation.i18n import duration, tr
from askance.presentation.steps import Cell, Trace, TraceRow

# What only an answer takes is imported once it is there: a run sends its first query before that.
# ruff: noqa: PLC0415

Clock = Callable[[], float]
Run = Callable[[Emit], Coroutine[Any, Any, RunEnd]]

_LABEL = 8
# Fast enough for a moving sign and for text that flows, slow enough for a terminal over a network.
_TICK_S = 0.08
_ENDS = get_args(RunEnd)
_TIME = 10


class Renderer(Protocol):
    """Takes the events of one run, in order."""

    def show(self, event: RunEvent) -> None:
        """Show one event. Raises OutputLost: the output cannot be written."""
        ...

    def tick(self) -> None:
        """Draw anew what moves with time, if anything does. Called several times a second."""

    def close(self) -> None:
        """Leave the terminal as it was found."""


class JsonFront(Renderer):
    """One JSON object a line, for other programs.

    Only ASCII is written: whatever a page holds stays escaped, and no encoding can fail.
    """

    def __init__(self, output: Output, clock: Clock = time.monotonic) -> None:
        self._output, self._clock = output, clock
        self._began = clock()

    def show(self, event: RunEvent) -> None:
        """Write the event's record."""
        self._output.line(json.dumps(to_record(event, self._clock() - self._began)))


class PlainFront(Renderer):
    """Plain text for files and pipes: the checked answer and its footer, once they are there."""

    def __init__(self, output: Output, command: str = SEARCH) -> None:
        self._output, self._command = output, command

    def show(self, event: RunEvent) -> None:
        """Write what belongs into a text."""
        match clean_event(event):
            case ClarifyAsked(question=question):
                self._output.line(question)
            case Answered() as end:
                from askance.presentation.transcripts import signed

                self._output.line(signed(end))
                for line in plain_lines(footer_of(end, self._command)):
                    self._output.line(line)
            case _:
                pass


class VerboseRenderer(Renderer):
    """Another view, with the whole trace on the error stream beside it."""

    def __init__(self, renderer: Renderer, stderr: TextIO) -> None:
        self._front, self._stderr = renderer, stderr
        self._began = time.monotonic()
        self._narration = Narration()

    def show(self, event: RunEvent) -> None:
        """Tell the event, then show it."""
        for line in self._narration.lines(event, time.monotonic() - self._began):
            write_line(self._stderr, line)
        self._front.show(event)

    def tick(self) -> None:
        """Pass on the time."""
        self._front.tick()

    def close(self) -> None:
        """Close the front."""
        self._front.close()


async def follow(renderer: Renderer, run: Run) -> RunEnd:
    """Show a run, and return its end. An expected error before its own end becomes that end.

    Raises:
        CancelledError: the run was cancelled; `Cancelled` was shown.
        OutputLost: the output cannot be written. The run was cancelled.
    """
    shown = _Shown(renderer)
    with contextlib.closing(renderer):
        async with asyncio.TaskGroup() as group:
            running = group.create_task(_settled(run, shown))
            shown.stop = running.cancel
            ticking = group.create_task(_tick(shown))
            # Ticking has no end of its own, and the group waits for it.
            running.add_done_callback(lambda _: ticking.cancel())
        # Raised outside of the group, which would wrap it.
        if shown.lost is not None:
            raise shown.lost
        return await running


def trace_lines(events: Iterable[tuple[float, RunEvent]]) -> Iterator[str]:
    """Tell a whole run: each step with how long it took, and at last what carries the answer."""
    trace, end = Trace(), None
    for at_s, event in events:
        trace.apply(event, at_s)
        end = event
    for row in trace.rows:
        yield from _row_lines(row, row.elapsed, map(_line, row.lines))
    match end:
        case Answered(usage=usage, elapsed_ms=ms):
            yield from _carried(end)
            yield cost_text(usage, ms)
        case ClarifyAsked(question=extra) | Failed(fix=extra) if extra:
            yield one_line(extra)
        case _:
            pass


class Narration:
    """Tells of each event what it adds to the trace, with the second of the run."""

    def __init__(self) -> None:
        self._trace = Trace()
        self._printed: dict[tuple[int, str], set[str]] = {}

    def lines(self, event: RunEvent, at_s: float) -> Iterator[str]:
        """Take in an event, and return the lines that were not printed before."""
        # A token adds no row, and many arrive in a second: no need to build all rows anew.
        if isinstance(event, TokenArrived):
            return
        self._trace.apply(event, at_s)
        for row in self._trace.rows:
            # Rows grow while their step goes on; a line that was printed cannot be replaced.
            printed = self._printed.setdefault((row.round, row.label), set())
            new = [line for line in map(_line, row.lines) if line not in printed]
            printed.update(new)
            yield from _row_lines(row, f"{at_s:.1f} s", new)


@dataclass(frozen=True, slots=True)
class Footer:
    """All of it, in the order in which it is shown. Empty parts are left out."""

    disagreements: tuple[str, ...]
    as_of: str
    sources: tuple[SourceRow, ...]
    uncited: str
    legend: str
    notes: tuple[str, ...]
    closing: str


def footer_of(end: Answered, command: str = SEARCH) -> Footer:
    """Return the footer of a finished answer to what was asked with a command."""
    rows = source_rows(end.sources, end.citations)
    shown = listed(rows)
    uncited = ", ".join(f"[{row.n}] {row.host}" for row in rows if row not in shown)
    return Footer(
        disagreement_lines(end),
        as_of_text(end),
        shown,
        tr("Not cited: {sources}", sources=uncited) if uncited else "",
        "   ".join(legend({citation.support for citation in end.citations})),
        # `dict.fromkeys`: a warning may be the same sentence as the note on the origin.
        tuple(filter(None, dict.fromkeys((*end.warnings, origin_note(end, command))))),
        " · ".join(filter(None, (found_text(end, command), duration(end.elapsed_ms)))),
    )


def about(row: SourceRow) -> str:
    """Return what stands behind a title: host and date, what to beware of, and whether others say the same."""
    return " · ".join(filter(None, (row.about, row.badge, row.origins)))


def plain_lines(footer: Footer) -> Iterator[str]:
    """Return the footer as lines of plain text."""
    if footer.disagreements:
        yield ""
        yield from footer.disagreements
    if footer.as_of:
        yield from ("", footer.as_of)
    if footer.sources:
        yield ""
        yield tr("Sources")
        for row in footer.sources:
            yield f"[{row.n}] {row.title} ({about(row)}) {row.address}"
    yield from filter(None, (footer.uncited, footer.legend))
    yield ""
    yield from (tr("Note: {text}", text=note) for note in footer.notes)
    yield footer.closing


def _carried(end: Answered) -> Iterator[str]:
    """Tell each source, then each citation with the words of its source that carry it."""
    for row in source_rows(end.sources, end.citations):
        yield f"[{row.n}] {row.label} <{row.address}>"
    for citation in end.citations:
        by = f": “{one_line(citation.quote)}”" if citation.quote else ""
        if code := foreign_language(citation.quote, citation.sentence):
            by += f" ({tr(LANGUAGES[code])})"
        note = f"“{one_line(citation.sentence)}” is {support_word(citation.support)}"
        yield f"[{citation.n}] {note}{by}"


def _row_lines(row: TraceRow, time: str, lines: Iterable[str]) -> Iterator[str]:
    head = f"{row.label:<{_LABEL}} {time:>{_TIME}}  "
    for line in lines:
        yield head + line
        head = " " * len(head)


def _line(cells: Sequence[Cell]) -> str:
    return one_line(" · ".join(f"{c.text} <{c.url}>" if c.url else c.text for c in cells))


class _Shown:
    """Hands events to the front end, and stops the run once nobody can see it any more."""

    def __init__(self, renderer: Renderer) -> None:
        self._front = renderer
        self.ended = False
        self.lost: OutputLost | None = None
        self.stop: Callable[[], object] = lambda: None

    def emit(self, event: RunEvent) -> None:
        self.ended = self.ended or isinstance(event, _ENDS)
        self._guarded(lambda: self._front.show(event))

    def tick(self) -> None:
        self._guarded(self._front.tick)

    def _guarded(self, draw: Callable[[], None]) -> None:
        if self.lost is not None:
            return
        try:
            draw()
        except OutputLost as exc:
            self.lost = exc
            self.stop()


async def _settled(run: Run, shown: _Shown) -> RunEnd:
    try:
        return await run(shown.emit)
    except AskanceError as exc:
        end = Failed.of(exc)
        shown.emit(end)
        return end
    except asyncio.CancelledError:
        # A run that was cancelled after its end has shown that end already.
        if not shown.ended:
            shown.emit(Cancelled())
        raise


async def _tick(shown: _Shown) -> None:
    while True:
        shown.tick()
        await asyncio.sleep(_TICK_S)
