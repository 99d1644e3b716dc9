"""How far a run is: the thin line under the field, and the one sentence of what happens now."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import assert_never

from askance.domain import events
from askance.domain.conversation import CHAT, CHECK, asks_files, searches, thinks
from askance.domain.phases import Sufficiency
from askance.domain.web_pages import host_of
from askance.presentation.i18n import plural, quoted, tr

SILENCE_S = 10.0
"""After so long without an event it is said what is waited for."""


class _Stage(Enum):
    """What the run cannot go on without. Searching and reading may go on beside the first three."""

    PLAN = auto()
    RESULTS_VERDICT = auto()
    PASSAGES_VERDICT = auto()
    RESULTS = auto()
    PAGES = auto()
    ANSWER = auto()


_MODEL = {_Stage.PLAN, _Stage.RESULTS_VERDICT, _Stage.PASSAGES_VERDICT, _Stage.ANSWER}


# Research takes most of a run's time, the writing the rest.
_RESEARCH = 0.8
_CHECKED = 0.95
# How much of the way that is left a round takes: nobody knows how many rounds there will be.
_ROUND = 0.6
# Of a round, in the order of its phases: results are there, pages are read, passages, a verdict.
_RANKED, _READ, _SELECTED = 0.15, 0.85, 0.9
_HOSTS = 3


@dataclass(frozen=True, slots=True)
class Status:
    """What happens now. `detail` is said more quietly: a host, a query.

    `stage` is what of it is worth saying aloud, where that is less than `text`. `waits` is said in
    the place of `detail` once nothing has happened for a while. `beside` is the part of `detail` for
    who shows the hosts and the time apart from it.
    """

    text: str = ""
    detail: str = ""
    stage: str = field(default="", compare=False)
    waits: str = field(default="", compare=False)
    beside: str = field(default="", compare=False)

    @property
    def spoken(self) -> str:
        """What a screen reader says: the same for as long as the same goes on."""
        return self.stage or self.text

    @property
    def silent(self) -> Status:
        """The same after a silence."""
        return replace(self, detail=self.waits, beside=self.waits) if self.waits else self


def _listed(hosts: tuple[str, ...]) -> str:
    """Return what was read so far, the newest first, as much as a line holds."""
    shown = ", ".join(reversed(hosts[-_HOSTS:]))
    return f"{shown} …" if len(hosts) > _HOSTS else shown


class RunProgress:
    """Follows a run. `fraction` is None until the number of pages is known, and never falls.

    `command` tells what kind of run it is, and whether the model reasons before it writes.
    """

    def __init__(self, command: str = CHAT) -> None:
        self._thinks = thinks(command)
        gathers = searches(command) or asks_files(command)
        self._stage = _Stage.PLAN if gathers else _Stage.ANSWER
        # Texts are checked without a model.
        self._is_check = command == CHECK
        self._has_model = not self._is_check
        if self._is_check:
            self._stage = _Stage.RESULTS
        # Whether other questions have the model first.
        self._is_queued = False
        self._open: dict[str, None] = {}
        # The hosts of the pages that were read, in the order in which they came.
        self._hosts: dict[str, None] = {}
        self._results = 0
        talks = self._thinks and not gathers
        self._first = Status(tr("Thinking") if talks else tr("Starting"))
        self.status = self._first
        self._sources, self._are_pages = 0, False
        self.fraction: float | None = None
        self.round = 1
        self._rounds: dict[str, int] = {}
        self._settled: set[str] = set()
        self._failed: set[str] = set()
        self._is_reading = False
        self._expected = ""
        self.expected_s = 0
        """What runs with this model take here; 0 where that is not known."""

    def apply(self, event: events.RunEvent) -> None:
        """Take in one event."""
        self._advance(event)
        self._follow(event)
        self.status = replace(self.status, waits=self._waits)

    def _advance(self, event: events.RunEvent) -> None:
        """Note what the run waits for, and what it has read."""
        match event:
            case events.Queued():
                self._is_queued = True
            case events.Dequeued():
                self._is_queued = False
            case events.Warned(code=events.WarningCode.MODEL_UNAVAILABLE) if (
                self._stage is _Stage.PLAN
            ):
                # There is no plan to wait for, and no verdict later.
                self._has_model, self._stage = False, _Stage.RESULTS
            case events.PageRequested(url=url):
                self._open[url] = None
            case events.PageRead(url=url, words=words):
                self._open.pop(url, None)
                # A page without words is not listed as read.
                if words:
                    self._hosts[host_of(url)] = None
                else:
                    self._failed.add(url)
            case _ if self._stage is not _Stage.ANSWER:
                self._stage = self._after(event)
            case _:
                pass

    def _after(self, event: events.RunEvent) -> _Stage:
        match event:
            case events.Planned(history_sufficiency=Sufficiency.SUFFICIENT):
                return _Stage.PASSAGES_VERDICT
            case events.Planned() | events.GapFound():
                return _Stage.RESULTS
            case events.SearchStarted() if self._stage is _Stage.PASSAGES_VERDICT:
                return _Stage.RESULTS
            case events.ResultsRanked(round=round_) if self._stage is _Stage.RESULTS:
                # The judge sees the snippets of the first round alone.
                return _Stage.RESULTS_VERDICT if self._has_model and round_ == 1 else _Stage.PAGES
            case events.Judged(judging=events.Judging.SNIPPETS):
                return _Stage.PAGES
            case events.PassagesSelected():
                return _Stage.PASSAGES_VERDICT if self._has_model else _Stage.ANSWER
            case events.Judged(judging=events.Judging.PASSAGES):
                return _Stage.RESULTS
            case events.SourcesReady() if not self._is_check:
                return _Stage.ANSWER
            case _:
                return self._stage

    def _follow(self, event: events.RunEvent) -> None:  # noqa: C901 - one row an event
        match event:
            case events.Queued(ahead=n):
                self._wait(n)
            case events.Dequeued():
                self.status = self._first
            case events.TimeExpected(seconds=seconds):
                self.expected_s = seconds
                self._expected = tr("about {n} s here", n=seconds)
                self._show(self.status.text)
            case events.LibraryRecalled(passages=n):
                self._show(
                    plural(
                        "Found {n} passage in the library", "Found {n} passages in the library", n
                    )
                )
            case events.SearchStarted(queries=queries, round=round_):
                self._search(queries, round_)
            case events.ResultsFound(query=query, error=error):
                if error and not self._reads:
                    self._show(tr("A search failed"), quoted((query,)))
            case events.ResultsRanked(urls=urls, round=round_):
                self._rank(len(urls), round_)
            case events.Judged():
                self._judge(event)
            case events.PageRequested(url=url, round=round_):
                # A page that is requested again stays in its first round.
                self._rounds.setdefault(url, round_)
                self.round = max(self.round, round_)
                self._is_reading = True
                self._read()
            case events.PageRead(url=url):
                self._settled.add(url)
                if self._is_reading:
                    self._read()
            # Round 0 is the library, before anything is searched.
            case events.PassagesSelected(passages=n, round=0):
                found = plural("{n} passage", "{n} passages", n)
                self._show(tr("Looking in the library"), found)
            case events.PassagesSelected(passages=n, pages=pages):
                self._is_reading = False
                self._show(
                    plural("Checking {n} passage", "Checking {n} passages", n),
                    plural("from {n} page", "from {n} pages", pages),
                )
                self._reach(_SELECTED)
            case events.GapFound(queries=queries, round=round_):
                self.round = max(self.round, round_)
                self._show(tr("Searching again"), quoted(queries))
            case events.SourcesReady() | events.CitationsChecked() if self._is_check:
                if isinstance(event, events.CitationsChecked):
                    n = len({citation.start for citation in event.citations})
                    self._show(plural("Checked {n} claim", "Checked {n} claims", n))
            case events.SourcesReady(sources=sources):
                self._expected = ""
                self._is_reading = False
                self._sources = len(sources)
                self._are_pages = all(s.host and not s.snippet_only for s in sources)
                self._raise(_RESEARCH)
                if self._thinks:
                    self._think()
                else:
                    self._write(tr("Preparing the answer"))
            case events.TokenArrived():
                # Once is enough: hundreds of tokens arrive.
                if self.status.text != tr("Writing"):
                    self._write(tr("Writing"))
            case events.DraftRetracted():
                self._think()
            case events.CitationsChecked(citations=citations):
                self._raise(_CHECKED)
                n = len(citations)
                self._show(plural("Checked {n} citation", "Checked {n} citations", n))
            case events.Planned():
                if self._stage is _Stage.PASSAGES_VERDICT:
                    self._show(tr("Checking earlier sources"))
            case (
                events.RequestSent()
                | events.PagesChosen()
                | events.CitationsVerified()
                | events.SettingsFitted()
                | events.Warned()
                | events.ClarifyAsked()
                | events.Answered()
                | events.Failed()
                | events.Cancelled()
            ):
                pass
            case _:
                assert_never(event)

    def _show(
        self, text: str, detail: str = "", stage: str = "", beside: str | None = None
    ) -> None:
        shown_detail = " · ".join(part for part in (detail, self._expected) if part)
        beside = detail if beside is None else beside
        self.status = Status(text, shown_detail, stage, beside=beside)

    def _wait(self, n: int) -> None:
        others = plural("Waiting for {n} other question", "Waiting for {n} other questions", n)
        self._show(tr("Waiting for another question") if n == 1 else others)

    def _search(self, queries: tuple[str, ...], round_: int) -> None:
        self.round = max(self.round, round_)
        if not self._reads:
            again = round_ > 1
            self._show(tr("Searching again") if again else tr("Searching"), quoted(queries))

    def _rank(self, n: int, round_: int) -> None:
        self.round = max(self.round, round_)
        self._reach(_RANKED)
        self._results = n
        if not self._reads:
            self._look()

    def _look(self) -> None:
        n = self._results
        read = _listed(tuple(self._hosts))
        text = plural("Looking at {n} result", "Looking at the best {n} results", n)
        self._show(text, read, beside="")

    def _judge(self, event: events.Judged) -> None:
        enough = event.sufficiency is Sufficiency.SUFFICIENT
        if event.judging is events.Judging.PASSAGES:
            self._reach(1.0)
            self._show(tr("Preparing the answer") if enough else tr("Something is missing"))
        elif enough:
            self._show(tr("The snippets are enough"))
        elif not self._reads:
            self._show(tr("The snippets are not enough"))

    def _read(self) -> None:
        asked = [url for url, round_ in self._rounds.items() if round_ == self.round]
        open_ = [url for url in asked if url not in self._settled]
        # Of this round alone: pages still open from the round before are not waited for.
        done, n = len(asked) - len(open_), len(asked)
        if self.fraction is None:
            self.fraction = 0.0
        self._reach(_RANKED + (_READ - _RANKED) * done / max(n, 1))
        read = _listed(tuple(self._hosts))
        match self._stage:
            # Whatever was asked for is there: it is read no more.
            case _Stage.PLAN if not open_:
                self._show(tr("Planning the search"), read, beside="")
                return
            case _Stage.RESULTS_VERDICT if not open_ and self._results:
                self._look()
                return
            case _:
                pass
        failed = sum(url in self._failed for url in asked)
        stage = plural("Reading {n} page", "Reading {n} pages", n) if open_ else ""
        if failed:
            text = plural(
                "Read {k} of {n} page, {f} failed",
                "Read {k} of {n} pages, {f} failed",
                n,
                k=done - failed,
                f=failed,
            )
        elif open_ and done:
            text = plural("Read {k} of {n} page", "Read {k} of {n} pages", n, k=done)
        else:
            text = stage or plural("Read {n} page", "Read {n} pages", n)
        self._show(text, host_of(open_[0]) if open_ else read, stage, beside="")

    @property
    def _reads(self) -> bool:
        """Whether a page is being read that counts."""
        return self._is_reading and bool(self._open)

    @property
    def _waits(self) -> str:
        """Return who is waited for. Who is before this run in a queue is said by the status itself."""
        if self._is_queued:
            return ""
        if self._stage in _MODEL:
            return tr("Waiting for the model")
        # The one that was asked first before others.
        if self._stage is _Stage.PAGES and self._open:
            return tr("Waiting for {host}", host=host_of(next(iter(self._open))))
        return tr("Waiting for the search")

    def _write(self, text: str) -> None:
        n = self._sources
        if self._are_pages:
            found = plural("from {n} page", "from {n} pages", n)
        else:
            found = plural("from {n} source", "from {n} sources", n)
        self._show(text, found if n else "")

    def _think(self) -> None:
        n = self._sources
        self._show(tr("Thinking"), plural("about {n} source", "about {n} sources", n) if n else "")

    def _reach(self, share: float) -> None:
        """Note that so much of the round is done."""
        # Each round takes its share of what is left, so that any number of them stays below the whole.
        begun = 1 - (1 - _ROUND) ** (self.round - 1)
        self._raise(_RESEARCH * (begun + share * _ROUND * (1 - begun)))

    def _raise(self, fraction: float) -> None:
        if self.fraction is not None:
            self.fraction = max(self.fraction, fraction)
