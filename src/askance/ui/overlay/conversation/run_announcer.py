"""What a screen reader says by itself of a run: how it goes on, and how it ended."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from time import monotonic

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from askance.citations.markdown.grammar import MARKER
from askance.presentation.i18n import plural, tr
from askance.text.languages.sentences import sentences
from askance.ui.design.composing import single_shot_timer
from askance.ui.design.focus import announce
from askance.ui.overlay.answer.citation_links import plain
from askance.ui.overlay.conversation.exchange import ExchangeView, State
from askance.ui.overlay.conversation.session import Session

PAUSE_MS = 1500
"""Stages are announced so far apart at least; of those that pass meanwhile, the last. An end waits for
nothing."""


class RunAnnouncer(QObject):
    """Tells a screen reader how a run goes on, seldom enough to be listened to, and how it ended, in a breath;
    only while the window is seen."""

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._index = -1
        self._announced = self._next = ""
        # As if a pause had just ended: the first stage waits for nothing.
        self._announced_s = -PAUSE_MS / 1000
        self.pause = single_shot_timer(self, self._announce_next)
        session.began.connect(self._begin)
        session.changed.connect(self._follow)
        session.cleared.connect(self._end)

    def _begin(self, index: int, view: ExchangeView) -> None:
        if view.state is State.WAITING:
            self._speak(view.status.text)  # the run before it goes on
            return
        self._index, self._announced = index, ""
        self._stage(view.status.spoken)

    def _follow(self, index: int, view: ExchangeView) -> None:
        if index != self._index:
            if view.state is State.RUNNING:
                self._begin(index, view)  # it has waited until now
            return
        if not view.ended:
            self._stage(view.status.spoken)
            return
        self._end()
        # The language of an answer is recognised for its first sentence, by a model that takes most of a second to load.
        self._speak(partial(spoken_end, view))

    def _end(self) -> None:
        self._index, self._next = -1, ""
        self.pause.stop()

    def _stage(self, stage: str) -> None:
        # The last one that came counts: what is announced late must still be true.
        self._next = stage if stage != self._announced else ""
        if self._next and not self.pause.isActive():
            waited_ms = 1000 * (monotonic() - self._announced_s)
            self.pause.start(max(0, round(PAUSE_MS - waited_ms)))

    def _announce_next(self) -> None:
        if self._next:
            self._announced, self._next, self._announced_s = self._next, "", monotonic()
            self._speak(self._announced)

    def _speak(self, text: str | Callable[[], str]) -> None:
        # Nobody asked to hear of a window that was put away; the tray and a notification tell of
        # its end.
        if self._window.isVisible():
            announce(self._window, text)


# Accepts one marker or several with the blanks before them, as in ` [1] [2]`. The blanks are taken
# whole, or a long run of them would be tried from each of its places (decision 13).
_MARKERS = re.compile(rf"(?:(?>(?<!\s)\s++|){MARKER.pattern})+")


def spoken_end(view: ExchangeView) -> str:
    """Return how an exchange ended: the start of its answer, a question, a failure and its remedy."""
    match view.state:
        case State.WAITING | State.RUNNING:
            return ""
        case State.ANSWERED:
            return _answer(view)
        case State.CLARIFYING:
            return view.clarify
        case State.FAILED:
            failure = view.failure
            parts = (failure.problem, failure.fix.replace("`", "")) if failure else ()
            return " ".join(filter(None, parts)) or view.status.text
        case State.STOPPED:
            return view.status.text


def _answer(view: ExchangeView) -> str:
    counts: list[str] = []
    if view.sources:
        counts.append(plural("{n} source", "{n} sources", len(view.sources)))
    if view.notes:
        counts.append(plural("{n} note", "{n} notes", len(view.notes)))
    start = _start(view.text)
    text = tr("Answer: {sentence}", sentence=start) if start else tr("Answer")
    return " ".join([text, ", ".join(counts)]).rstrip()


def _start(text: str) -> str:
    """Return the first sentence as it is read out; an ellipsis says that there is more."""
    sentences_left = filter(
        None, (plain(_MARKERS.sub("", sentence)) for sentence in sentences(text))
    )
    first = next(sentences_left, "")
    if next(sentences_left, ""):
        return first.rstrip(".") + "…"
    return f"{first}." if first[-1:].isalnum() else first
