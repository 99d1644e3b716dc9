"""The trace of a run: its steps as rows, lines and cells, in the order of the run's picture whatever order they came in.

The first search and the first pages run beside the plan and the judge; a row stands where a person expects it,
and grows while its step goes on. `Trace` folds the events; below it stands what each step says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from typing import assert_never

from askance.domain import events
from askance.domain.characters import one_line
from askance.domain.evidence import Support
from askance.domain.phases import Action, Sufficiency
from askance.domain.web_pages import PageReason, PageStatus, host_of
from askance.presentation.i18n import duration, plural, quoted, term, tr, translated

# A page, a service or a model may say as much as it wants; the window lays a row out at once.
_LONGEST_CELL = 250
_LONGEST_ROW = 800
_LONGEST_LINK = 2_000
# The round that rows behind all rounds are sorted by.
_BEHIND_ALL_ROUNDS = 1_000_000
_VERDICTS = {
    Sufficiency.SUFFICIENT: term("Enough"),
    Sufficiency.PARTIAL: term("Partial"),
    Sufficiency.INSUFFICIENT: term("Not enough"),
}
_REASONS = {
    PageReason.NONE: term("no reason given"),
    PageReason.SCRIPT_ONLY: term("shows nothing without its scripts"),
    PageReason.CONSENT_WALL: term("shows only a consent or sign-in form"),
    PageReason.NO_TEXT: term("holds no text worth reading"),
    PageReason.ONLY_IMAGES: term("holds images and no text"),
    PageReason.ENCRYPTED: term("it is encrypted"),
    PageReason.REFUSED_ADDRESS: term("its address is not allowed"),
    PageReason.NOT_FOUND: term("there is no such page"),
    PageReason.DENIED: term("its server refused"),
    PageReason.HTTP_STATUS: term("its server failed"),
    PageReason.REDIRECTS: term("it redirects too often"),
    PageReason.TOO_LARGE: term("it is too large"),
    PageReason.NOT_TEXT: term("it is no text"),
    PageReason.TIMED_OUT: term("it took too long"),
    PageReason.NETWORK: term("its server could not be reached"),
    PageReason.EXTRACTION: term("its text could not be extracted"),
    PageReason.INTERNAL: term("the reader failed over it"),
}


class Tone(StrEnum):
    """How a text is shown. Its words say the same: a tone is never the only sign."""

    PLAIN = "plain"
    GOOD = "good"
    AMBER = "amber"
    QUIET = "quiet"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Cell:
    """A text in one tone. `url` is opened by a click, if it is not empty."""

    text: str
    tone: Tone = Tone.PLAIN
    url: str = ""


_Cells = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One step of a run: its name, what came of it, and how long it took (empty if not known).

    The cells of a line follow each other, parted by a dot; in a row that `is_tabular` they stand in
    columns. `round` is 0 for what belongs to no round.
    """

    label: str
    lines: tuple[_Cells, ...]
    elapsed: str = ""
    round: int = 0
    is_tabular: bool = False

    @property
    def text(self) -> str:
        """What came of it, cell by cell."""
        return "\n".join(cell.text for line in self.lines for cell in line)

    @property
    def length(self) -> int:
        """How many characters its lines have."""
        return sum(len(cell.text) + 1 for line in self.lines for cell in line)


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


# In the order of the steps.
_LABELS = (
    *(term("Queue"), term("Settings"), term("Plan"), term("Library"), term("Round {round}")),
    *(term("Search"), term("Snippets"), term("Choice"), term("Read"), term("Passages")),
    *(term("Verdict"), term("Answer"), term("Check"), term("End"), term("Notes"), term("Sent")),
)


class Trace:
    """Folds events into rows; the same events give the same rows, with or without the tokens."""

    def __init__(self) -> None:
        self._rows: dict[tuple[int, _Step], TraceRow] = {}
        self._round = 1
        self._round_began_s: float | None = None
        self._searches: dict[int, _Searches] = {}
        self._readings: dict[int, _PageReadings] = {}
        self._round_of: dict[str, int] = {}
        self._outbound = Outbound()
        self._notes: list[_Cells] = []
        self._writing = _Span()

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
                self._put(_Step.PLAN, _plan_lines(event), duration(event.elapsed_ms), 0)
            case events.LibraryRecalled():
                self._put(_Step.LIBRARY, (_library_cells(event),), duration(event.elapsed_ms), 0)
            case events.RequestSent():
                self._outbound.add(event)
                self._put(_Step.SENT, self._outbound.lines)
            case events.SearchStarted() | events.ResultsFound() | events.ResultsRanked():
                self._search(event, at_s)
            case events.Judged():
                step = _Step.SNIPPETS if event.judging is events.Judging.SNIPPETS else _Step.VERDICT
                self._put(step, _verdict_lines(event), duration(event.elapsed_ms), event.round)
                if step is _Step.VERDICT:
                    self._end_round(at_s)
            case events.PagesChosen():
                lines = _choice_lines(event)
                self._put(_Step.CHOICE, lines, duration(event.elapsed_ms), event.round)
            case events.PageRequested() | events.PageRead():
                self._read(event, at_s)
            case events.PassagesSelected():
                self._put(_Step.PASSAGES, (_passage_cells(event),), "", event.round)
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
                # The row is there: `CitationsChecked` always comes first.
                row = self._rows[_BEHIND_ALL_ROUNDS, _Step.CHECK]
                checked = (*row.lines[0], _verified_cell(event))
                self._put(_Step.CHECK, (checked,), duration(event.elapsed_ms))
            case events.Warned(message=message):
                if text := one_line(translated(message)):
                    self._notes.append((Cell(text, Tone.AMBER),))
                    # Each round may warn of the same thing again.
                    self._put(_Step.NOTES, tuple(dict.fromkeys(self._notes)))
            case events.Failed(problem=problem):
                self._end(Cell(one_line(translated(problem)), Tone.BAD))
            case events.Cancelled():
                self._end(Cell(tr("Stopped"), Tone.QUIET))
            case events.ClarifyAsked():
                self._end(Cell(tr("Clarification needed")))
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
        lines: tuple[_Cells, ...],
        elapsed: str = "",
        round_: int | None = None,
    ) -> None:
        shown = round_ or 0
        # What is of no round stands before the first one (0), or behind the last (None).
        place = _BEHIND_ALL_ROUNDS if round_ is None else round_
        name = tr(_LABELS[step], round=shown)
        tabular = step in (_Step.READ, _Step.SENT)
        self._rows[place, step] = TraceRow(name, _bounded_lines(lines), elapsed, shown, tabular)

    def _search(
        self, event: events.SearchStarted | events.ResultsFound | events.ResultsRanked, at_s: float
    ) -> None:
        match event:
            case events.SearchStarted(queries=queries, round=round_):
                self._round_of |= dict.fromkeys(queries, round_)
            case events.ResultsFound(query=query):
                # It may come when the next round has begun, and belongs to that of its query.
                round_ = self._round_of.get(query, self._round)
            case events.ResultsRanked(round=round_):
                pass
        searches = self._searches.setdefault(round_, _Searches(round_))
        searches.apply(event, at_s)
        self._put(_Step.SEARCH, searches.lines, searches.span.text, round_)

    def _read(self, event: events.PageRequested | events.PageRead, at_s: float) -> None:
        if isinstance(event, events.PageRequested):
            # `PageRead` names no round, and may come when the next round has begun.
            self._round_of[event.url] = event.round
        round_ = self._round_of.get(event.url, self._round)
        readings = self._readings.setdefault(round_, _PageReadings())
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
        self._put(_Step.CHECK, (_citation_cells(event),))

    def _end(self, cell: Cell) -> None:
        self._give_up_reading()
        self._put(_Step.END, ((cell,),))


@dataclass(slots=True)
class _Span:
    """The time from the first to the last thing that happened, in seconds of the run."""

    first_s: float | None = None
    last_s: float | None = None

    def reach(self, at_s: float) -> None:
        """Note that something happened."""
        self.first_s = at_s if self.first_s is None else self.first_s
        self.last_s = at_s

    @property
    def text(self) -> str:
        """The span in words; empty while nothing but its beginning is known."""
        if self.first_s is None or self.last_s is None or self.last_s == self.first_s:
            return ""
        return duration(1000 * (self.last_s - self.first_s))


class _Searches:
    """The searches of one round. What a later one adds to those before it is what counts."""

    def __init__(self, round_: int) -> None:
        self._is_first = round_ == 1
        self.span = _Span()
        self._queries: dict[str, events.ResultsFound | None] = {}
        self._ranked: events.ResultsRanked | None = None

    def apply(
        self, event: events.SearchStarted | events.ResultsFound | events.ResultsRanked, at_s: float
    ) -> None:
        """Take in one event of the round."""
        match event:
            case events.SearchStarted(queries=queries):
                self._queries |= {query: self._queries.get(query) for query in queries}
                self.span.reach(at_s)
            case events.ResultsFound(query=query):
                self._queries[query] = event
                self.span.reach(at_s)
            case events.ResultsRanked():
                self._ranked = event

    @property
    def lines(self) -> tuple[_Cells, ...]:
        """The sum of all first, then each query."""
        found = [f for f in self._queries.values() if f]
        summary: list[Cell] = []
        if found:
            n = sum(f.new for f in found)
            text = (
                plural("{n} result", "{n} results", n)
                if self._is_first
                else plural("{n} new result", "{n} new results", n)
            )
            summary.append(Cell(text))
        if self._ranked is not None:
            if self._is_first:
                summary.append(Cell(tr("{n} kept", n=len(self._ranked.urls))))
            if n := self._ranked.copies:
                summary.append(Cell(plural("{n} near-copy aside", "{n} near-copies aside", n)))
        silent = dict.fromkeys(e.name for f in found for e in f.silent_engines)
        if silent:
            names = one_line(", ".join(silent))
            summary.append(Cell(tr("{names} did not answer", names=names), Tone.AMBER))
        queries = tuple(_query(query, came) for query, came in self._queries.items())
        return (tuple(summary), *queries) if summary else queries


class _PageReadings:
    """The pages of one round."""

    def __init__(self) -> None:
        self.span = _Span()
        self._pages: dict[str, events.PageRead | None] = {}
        self._is_over = False

    def apply(self, event: events.PageRequested | events.PageRead, at_s: float) -> None:
        """Take in one event of the round."""
        self.span.reach(at_s)
        match event:
            case events.PageRequested(url=url):
                self._pages.setdefault(url, None)
            case events.PageRead(url=url):
                self._pages[url] = event

    def give_up(self) -> None:
        """Note that nothing is waited for any more."""
        self._is_over = True

    @property
    def lines(self) -> tuple[_Cells, ...]:
        """A line for each page: how it ended, and where it is."""
        return tuple(self._page(url, page) for url, page in self._pages.items())

    def _page(self, url: str, page: events.PageRead | None) -> _Cells:
        host = host_of(url)
        # The window opens a link at a click, so no other scheme is let through.
        link = url if url.startswith(("http://", "https://")) else ""
        if page is None:
            waiting = tr("not waited for") if self._is_over else tr("reading")
            return Cell(waiting, Tone.QUIET), Cell(host, Tone.QUIET, link)
        by = (Cell(one_line(translated(page.served_by)), Tone.QUIET),) if page.served_by else ()
        if page.status is PageStatus.OK:
            words = plural("{n} word", "{n} words", page.words)
            cut = (Cell(one_line(translated(page.detail)), Tone.AMBER),) if page.detail else ()
            return Cell(words, Tone.GOOD), Cell(host, Tone.QUIET, link), *cut, *by
        outcome = tr("empty") if page.status is PageStatus.EMPTY else tr("failed")
        why = tr("{host}: {why}", host=host, why=one_line(why_unread(page)))
        return Cell(outcome, Tone.AMBER), Cell(why, Tone.QUIET, link), *by


class Outbound:
    """Adds up the requests of a run."""

    def __init__(self) -> None:
        self._requests: list[events.RequestSent] = []

    def add(self, request: events.RequestSent) -> None:
        """Take in one request.

        SearXNG tells whom it asked only afterwards: then it is the same query again, under names.
        """
        if request.sending is events.Sending.QUERY:
            self._requests = [r for r in self._requests if _sending(r) != _sending(request)]
        self._requests.append(request)

    @property
    def lines(self) -> tuple[_Cells, ...]:
        """The summary first, then a line for each receiver; nothing where nothing was sent."""
        if not self._requests:
            return ()
        receivers = dict.fromkeys((r.sending, r.to, r.through) for r in self._requests)
        return (
            self._summary(),
            *(
                (
                    Cell(one_line(to), Tone.QUIET),
                    Cell(
                        tr("through {carrier}", carrier=one_line(translated(through))), Tone.QUIET
                    ),
                )
                for _, to, through in receivers
            ),
        )

    def _summary(self) -> _Cells:
        queries = self._of(events.Sending.QUERY)
        pages = self._of(events.Sending.PAGE)
        # Each model server once: a run calls its model many times.
        models = dict.fromkeys(r.to for r in self._of(events.Sending.MODEL))
        cells: list[Cell] = []
        if queries:
            n = len(queries)
            cells.append(Cell(plural("{n} query", "{n} queries", n), Tone.QUIET))
        if pages:
            hosts = len({r.to for r in pages})
            asked = plural("{n} page asked for", "{n} pages asked for", len(pages))
            of = plural("at {n} host", "at {n} hosts", hosts)
            cells.append(Cell(f"{asked} {of}", Tone.QUIET))
        cells += [
            Cell(
                tr("the question and what was found, to the model at {host}", host=one_line(host)),
                Tone.AMBER,
            )
            for host in models
        ]
        return tuple(cells)

    def _of(self, sending: events.Sending) -> list[events.RequestSent]:
        return [request for request in self._requests if request.sending is sending]


def _plan_lines(event: events.Planned) -> tuple[_Cells, ...]:
    """Tell what the plan says."""
    if event.fallback:
        text = tr("none usable; the question is searched as it is")
        return ((Cell(text, Tone.AMBER),),)
    if event.action is Action.CLARIFY:
        return ((Cell(tr("the question is not clear yet")),),)
    if event.history_sufficiency is Sufficiency.SUFFICIENT:
        return ((Cell(tr("the conversation holds the answer")),),)
    if not event.queries:
        return ((Cell(tr("search the question as it is")),),)
    return ((Cell(one_line(quoted(event.queries))),),)


def _verdict_lines(event: events.Judged) -> tuple[_Cells, ...]:
    """Return a verdict, and why it was not believed if it was not."""
    lines: list[_Cells] = [(Cell(tr(_VERDICTS[event.sufficiency])),)]
    why = one_line(translated(event.doubt))
    if event.by_code:
        lines.append((Cell(tr("the model was not asked"), Tone.QUIET),))
        if why:
            lines.append((Cell(why, Tone.AMBER),))
    elif why:
        doubt = tr("overruled: {why}", why=why)
        lines.append((Cell(doubt, Tone.AMBER),))
    if event.gap_queries:
        missing = tr("missing: {queries}", queries=one_line(quoted(event.gap_queries)))
        lines.append((Cell(missing, Tone.QUIET),))
    return tuple(lines)


def _choice_lines(event: events.PagesChosen) -> tuple[_Cells, ...]:
    """Tell how many of the results the model wants read, and how promising each is."""
    text = tr("{n} of {offered} results chosen", n=len(event.urls), offered=event.offered)
    rows = zip(event.urls, event.scores, strict=True)
    scored = [
        (Cell(f"{score:.2f}", Tone.QUIET), Cell(one_line(host_of(url)))) for url, score in rows
    ]
    return ((Cell(text),), *scored)


def _library_cells(event: events.LibraryRecalled) -> _Cells:
    """Tell what the library had, and how far that answers."""
    n, documents = event.passages, event.documents
    if not n:
        return (Cell(tr("nothing that speaks of it"), Tone.QUIET),)
    cells = [Cell(plural("{n} passage", "{n} passages", n))]
    if documents:
        cells.append(Cell(plural("of {n} document", "of {n} documents", documents), Tone.QUIET))
    if event.threshold:
        text = tr("{n}% complete", n=round(100 * event.completeness))
        cells.append(Cell(text, Tone.QUIET))
    return tuple(cells)


def _passage_cells(event: events.PassagesSelected) -> _Cells:
    """Tell what entered the evidence, and what did not."""
    passages = plural("{n} passage kept", "{n} passages kept", event.passages)
    cells = [Cell(f"{passages} {plural('of {n} page', 'of {n} pages', event.pages)}")]
    if event.copies:
        n = event.copies
        cells.append(Cell(plural("{n} near-copy dropped", "{n} near-copies dropped", n)))
    cells.append(Cell(plural("{n} token", "{n} tokens", event.tokens), Tone.QUIET))
    if event.dropped:
        n = event.dropped
        text = plural("{n} left out for want of room", "{n} left out for want of room", n)
        cells.append(Cell(text, Tone.QUIET))
    return tuple(cells)


def _citation_cells(event: events.CitationsChecked) -> _Cells:
    """Tell how many citations are carried by their sources."""
    counts = dict.fromkeys(Support, 0)
    for citation in event.citations:
        counts[citation.support] += 1
    cells = [Cell(tr("{n} supported", n=counts[Support.SUPPORTED]), Tone.GOOD)]
    if n := counts[Support.WEAK]:
        cells.append(Cell(tr("{n} in part", n=n), Tone.AMBER))
    if n := counts[Support.UNSUPPORTED]:
        cells.append(Cell(tr("{n} not supported", n=n), Tone.BAD))
    if event.added:
        cells.append(Cell(tr("{n} added", n=event.added), Tone.QUIET))
    if event.removed:
        cells.append(Cell(tr("{n} removed", n=event.removed), Tone.QUIET))
    return tuple(cells)


def _verified_cell(event: events.CitationsVerified) -> Cell:
    """Tell what the model said of the sentences that the check could not decide, and what it cost."""
    text = tr("the model verified {n} of {asked}", n=event.supported, asked=event.asked)
    cost = plural("{n} token", "{n} tokens", event.tokens)
    return Cell(f"{text}, {cost}" if event.tokens else text, Tone.QUIET)


def _fitted_cells(event: events.SettingsFitted) -> _Cells:
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


def why_unread(page: events.PageRead) -> str:
    """Say why a page gave nothing: in the reader's own words where it had some."""
    return translated(page.detail) or tr(_REASONS[page.reason])


def shortened(text: str, characters: int = _LONGEST_CELL) -> str:
    """Return a text, or its beginning and an ellipsis where it is longer."""
    return text if len(text) <= characters else f"{text[: characters - 1].rstrip()}…"


def _bounded_lines(lines: Sequence[_Cells]) -> tuple[_Cells, ...]:
    """Return the lines of a row as far as they are shown, their texts as long as they may be.

    A link that is longer than any that a person follows is left out.
    """
    retained: list[_Cells] = []
    room = _LONGEST_ROW
    for line in lines:
        if room <= 0:
            return (*retained, (Cell("…", Tone.QUIET),))
        retained.append(tuple(map(_bounded, line)))
        room -= sum(len(cell.text) + 1 for cell in retained[-1])
    return tuple(retained)


def _query(query: str, found: events.ResultsFound | None) -> _Cells:
    asked = Cell(quoted((one_line(query),)), Tone.QUIET)
    if found is None:
        return asked, Cell(tr("asked"), Tone.QUIET)
    if found.error:
        return asked, Cell(one_line(translated(found.error)), Tone.AMBER)
    # The row of what was sent has its address.
    by = one_line(translated(found.served_by).partition(" at ")[0])
    text = tr("{all} found, {new} new", all=found.results, new=found.new)
    return (asked, Cell(text, Tone.QUIET), *([Cell(by, Tone.QUIET)] if by else []))


def _bounded(cell: Cell) -> Cell:
    url = cell.url if len(cell.url) <= _LONGEST_LINK else ""
    return replace(cell, text=shortened(cell.text), url=url)


def _sending(request: events.RequestSent) -> tuple[events.Sending, str, str]:
    return request.sending, request.through, request.content
