"""Whom a run waits for, told by the events that have come. Both front ends say it after a silence."""

from __future__ import annotations

from enum import Enum, auto

from askance.domain.events import (
    Dequeued,
    GapFound,
    Judged,
    Judging,
    PageRead,
    PageRequested,
    PassagesSelected,
    Planned,
    Queued,
    ResultsRanked,
    RunEvent,
    SearchStarted,
    SourcesReady,
    Warned,
    WarningCode,
)
from askance.domain.verdict import Sufficiency
from askance.domain.web import host_of

SILENCE_S = 10.0
"""After so long without an event it is said what is waited for."""


class Stage(Enum):
    """What the run cannot go on without. Searching and reading may go on beside the first three."""

    PLAN = auto()
    RESULTS_VERDICT = auto()
    PASSAGES_VERDICT = auto()
    RESULTS = auto()
    PAGES = auto()
    ANSWER = auto()


_MODEL = {Stage.PLAN, Stage.RESULTS_VERDICT, Stage.PASSAGES_VERDICT, Stage.ANSWER}


class Stages:
    """Follows a run. `searches` says that it is one; otherwise the model is asked alone."""

    def __init__(self, *, searches: bool = True) -> None:
        self.stage = Stage.PLAN if searches else Stage.ANSWER
        self._has_model = True
        self.is_queued = False
        """Whether other questions have the model first."""
        self._open: dict[str, None] = {}
        self.read: dict[str, None] = {}
        """The hosts of the pages that were read, in the order in which they came."""

    def apply(self, event: RunEvent) -> None:
        """Take in one event."""
        match event:
            case Queued():
                self.is_queued = True
            case Dequeued():
                self.is_queued = False
            case Warned(code=WarningCode.MODEL_UNAVAILABLE) if self.stage is Stage.PLAN:
                self._has_model, self.stage = False, Stage.RESULTS
            case PageRequested(url=url):
                self._open[url] = None
            case PageRead(url=url, words=words):
                self._open.pop(url, None)
                if words:
                    self.read[host_of(url)] = None
            case _ if self.stage is not Stage.ANSWER:
                self.stage = self._after(event)
            case _:
                pass

    @property
    def open_hosts(self) -> tuple[str, ...]:
        """The hosts of the pages that are being read, the one that was asked first before others."""
        return tuple(dict.fromkeys(map(host_of, self._open)))

    @property
    def awaits_model(self) -> bool:
        """Whether the model is what is waited for."""
        return self.stage in _MODEL

    def _after(self, event: RunEvent) -> Stage:
        match event:
            case Planned(history_sufficiency=Sufficiency.SUFFICIENT):
                return Stage.PASSAGES_VERDICT
            case Planned() | GapFound():
                return Stage.RESULTS
            case SearchStarted() if self.stage is Stage.PASSAGES_VERDICT:
                return Stage.RESULTS
            case ResultsRanked(round=round_) if self.stage is Stage.RESULTS:
                return Stage.RESULTS_VERDICT if self._has_model and round_ == 1 else Stage.PAGES
            case Judged(judging=Judging.SNIPPETS):
                return Stage.PAGES
            case PassagesSelected():
                return Stage.PASSAGES_VERDICT if self._has_model else Stage.ANSWER
            case Judged(judging=Judging.PASSAGES):
                return Stage.RESULTS
            case SourcesReady():
                return Stage.ANSWER
            case _:
                return self.stage
