"""The steps of a run in rows, in the order of the run's picture whatever order they came in.

The first search and the first pages run beside the plan and the judge; a row stands where a person
expects it, and grows while its step goes on.
"""

from __future__ import annotations

from enum import IntEnum
from typing import assert_never

from askance.domain import events
from askance.presentation.i18n import duration, plural, quoted, term, tr, translated
from askance.presentation.sanitizing import one_line
from askance.presentation.steps import (
    Cell,
    Outbound,
    PageReadings,
    Searches,
    Span,
    Tone,
    TraceRow,
    bounded,
    choice_lines,
    citation_cells,
    library_cells,
    passage_cells,
    plan_lines,
    verdict_lines,
    verified_cell,
)

_BEHIND_ALL_ROUNDS = 1_000_000


class _Step(IntEnum):
    """The steps in the order in which they are shown within a round."""

    QUEUE = 0
    SETTINGS = 1
    PLAN = 2
    LIBRARY = 3
    ROUND = 4
    SEARCH = 5
    SNIPPETS = 6
    CHOICE = 7
    READ = 8
    PASSAGES = 9
    VERDICT = 10
    ANSWER = 11
    CHECK = 12
    END = 13
    NOTES = 14
    SENT = 15


_LABELS = {
    _Step.QUEUE: term("Queue"),
    _Step.SETTINGS: term("Settings"),
    _Step.PLAN: term("Plan"),
    _Step.LIBRARY: term("Library"),
    _Step.ROUND: term("Round {round}"),
    _Step.SEARCH: term("Search"),
    _Step.SNIPPETS: term("Snippets"),
    _Step.CHOICE: term("Choice"),
    _Step.READ: term("Read"),
    _Step.PASSAGES: term("Passages"),
    _Step.VERDICT: term("Verdict"),
    _Step.ANSWER: term("Answer"),
    _Step.CHECK: term("Check"),
    _Step.END: term("End"),
    _Step.NOTES: term("Notes"),
    _Step.SENT: term("Sent"),
}


class Trace:
    """Folds events into rows; the same events give the same rows, with or without the tokens."""

    def __init__(self) -> None:
        self._rows: dict[tuple[int, _Step], TraceRow] = {}
        self._round = 1
        self._round_began_s: float | None = None
        self._searches: dict[int, Searches] = {}
        self._readings: dict[int, PageReadings] = {}
        self._round_of: dict[str, int] = {}
        self._outbound = Outbound()
        self._notes: list[tuple[Cell, ...]] = []
        self._writing = Span()

    @property
    def rows(self) -> tuple[TraceRow, ...]:
        """The rows in order."""
        return tuple(self._rows[key] for key in sorted(self._rows))

    def apply(self, event: events.RunEvent, at_s: float) -> None:  # noqa: C901 - one row an event
        """Take in an event that came at this second of the run."""
        match event:
            case events.Dequeued(waited_ms=ms):
                self._put(
                    _Step.QUEUE, ((Cell(tr("Waited for other questions")),),), duration(ms), 0
                )
            case events.SettingsFitted():
                self._put(_Step.SETTINGS, (_fitted_cells(event),), "", 0)
            case events.Planned():
                self._put(_Step.PLAN, plan_lines(event), duration(event.elapsed_ms), 0)
            case events.LibraryRecalled():
                self._put(_Step.LIBRARY, (library_cells(event),), duration(event.elapsed_ms), 0)
            case events.RequestSent():
                self._outbound.add(event)
                self._put(_Step.SENT, self._outbound.lines)
            case events.SearchStarted() | events.ResultsFound() | events.ResultsRanked():
                self._search(event, at_s)
            case events.Judged():
                step = _Step.SNIPPETS if event.judging is events.Judging.SNIPPETS else _Step.VERDICT
                self._put(step, verdict_lines(event), duration(event.elapsed_ms), event.round)
                if step is _Step.VERDICT:
                    self._end_round(at_s)
            case events.PagesChosen():
                lines = choice_lines(event)
                self._put(_Step.CHOICE, lines, duration(event.elapsed_ms), event.round)
            case events.PageRequested() | events.PageRead():
                self._read(event, at_s)
            case events.PassagesSelected():
                self._put(_Step.PASSAGES, (passage_cells(event),), "", event.round)
            case events.GapFound():
                self._begin_round(event, at_s)
            case events.SourcesReady(sources=sources):
                self._end_round(at_s)
                self._give_up_reading()
                self._writing.reach(at_s)
                text = plural("from {n} source", "from {n} sources", len(sources))
                self._put(_Step.ANSWER, ((Cell(text),),))
            case events.CitationsChecked():
                self._check(event, at_s)
            case events.CitationsVerified():
                row = self._rows[_BEHIND_ALL_ROUNDS, _Step.CHECK]
                checked = (*row.lines[0], verified_cell(event))
                self._put(_Step.CHECK, (checked,), duration(event.elapsed_ms))
            case events.Warned(message=message):
                self._notes.append((Cell(one_line(translated(message)), Tone.AMBER),))
                self._put(_Step.NOTES, tuple(dict.fromkeys(self._notes)))
            case events.Failed(problem=problem):
                self._end(Cell(one_line(translated(problem)), Tone.BAD))
            case events.Cancelled():
                self._end(Cell(tr("Stopped"), Tone.QUIET))
            case events.ClarifyAsked():
                self._end(Cell(tr("Asked back")))
            case events.Answered():
                self._give_up_reading()
            case (
                events.Queued()
                | events.TokenArrived()
                | events.DraftRetracted()
                | events.TimeExpected()
            ):
                pass
            case _:
                assert_never(event)

    def _put(
        self,
        step: _Step,
        lines: tuple[tuple[Cell, ...], ...],
        elapsed: str = "",
        round_: int | None = None,
    ) -> None:
        label = _LABELS[step]
        shown = round_ or 0
        place = _BEHIND_ALL_ROUNDS if round_ is None else round_
        name = tr(label, round=shown) if step is _Step.ROUND else tr(label)
        tabular = step in (_Step.READ, _Step.SENT)
        self._rows[place, step] = TraceRow(name, bounded(lines), elapsed, shown, tabular)

    def _search(
        self, event: events.SearchStarted | events.ResultsFound | events.ResultsRanked, at_s: float
    ) -> None:
        match event:
            case events.SearchStarted(queries=queries, round=round_):
                self._round_of |= dict.fromkeys(queries, round_)
            case events.ResultsFound(query=query):
                round_ = self._round_of.get(query, self._round)
            case events.ResultsRanked(round=round_):
                pass
        searches = self._searches.setdefault(round_, Searches(round_))
        searches.apply(event, at_s)
        self._put(_Step.SEARCH, searches.lines, searches.span.text, round_)

    def _read(self, event: events.PageRequested | events.PageRead, at_s: float) -> None:
        if isinstance(event, events.PageRequested):
            self._round_of[event.url] = event.round
        round_ = self._round_of.get(event.url, self._round)
        readings = self._readings.setdefault(round_, PageReadings())
        readings.apply(event, at_s)
        self._put(_Step.READ, readings.lines, readings.span.text, round_)

    def _give_up_reading(self) -> None:
        """Nothing is read any more once the answer is being written."""
        for round_, readings in self._readings.items():
            readings.give_up()
            self._put(_Step.READ, readings.lines, readings.span.text, round_)

    def _begin_round(self, event: events.GapFound, at_s: float) -> None:
        self._end_round(at_s)
        self._round, self._round_began_s = event.round, at_s
        self._put(_Step.ROUND, ((Cell(one_line(quoted(event.queries))),),), "", event.round)

    def _end_round(self, at_s: float) -> None:
        row = self._rows.get((self._round, _Step.ROUND))
        if row is not None and self._round_began_s is not None:
            took = duration(1000 * (at_s - self._round_began_s))
            self._put(_Step.ROUND, row.lines, took, self._round)
            self._round_began_s = None

    def _check(self, event: events.CitationsChecked, at_s: float) -> None:
        self._writing.reach(at_s)
        row = self._rows.get((_BEHIND_ALL_ROUNDS, _Step.ANSWER))
        if row is not None:
            self._put(_Step.ANSWER, row.lines, self._writing.text)
        self._put(_Step.CHECK, (citation_cells(event),))

    def _end(self, cell: Cell) -> None:
        self._give_up_reading()
        self._put(_Step.END, ((cell,),))


def _fitted_cells(event: events.SettingsFitted) -> tuple[Cell, ...]:
    """Tell which settings were measured to fit the model."""
    cells = [Cell(tr("as measured by the evaluation of this model"))]
    if n := event.first_portion_tokens:
        text = plural("first portion {n} token", "first portion {n} tokens", n)
        cells.append(Cell(text, Tone.QUIET))
    if n := event.run_timeout_s:
        cells.append(Cell(tr("time limit {n} s", n=n), Tone.QUIET))
    if event.judges is False:
        cells.append(Cell(tr("verdicts by the program alone"), Tone.AMBER))
    if event.verifies is not None:
        text = tr("verification on") if event.verifies else tr("verification off")
        cells.append(Cell(text, Tone.QUIET))
    if event.is_small:
        cells.append(Cell(tr("asked in few words"), Tone.QUIET))
    return tuple(cells)
