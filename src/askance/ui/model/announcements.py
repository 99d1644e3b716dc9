"""What a screen reader says of a run by itself: how it ended, in a breath."""

from __future__ import annotations

import re

from askance.citations.grammar import MARKER
from askance.presentation.i18n import plural, tr
from askance.ranking.tokens import sentences
from askance.ui.model.exchange import ExchangeView, State
from askance.ui.model.quote import plain

_MARKERS = re.compile(rf"(?:(?:(?<!\s)\s++)?+{MARKER.pattern})+")


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
            told = (failure.problem, failure.fix.replace("`", "")) if failure else ()
            return " ".join(filter(None, told)) or view.status.text
        case State.STOPPED:
            return view.status.text


def _answer(view: ExchangeView) -> str:
    counts: list[str] = []
    if view.sources:
        counts.append(plural("{n} source", "{n} sources", len(view.sources)))
    if view.notes:
        counts.append(plural("{n} note", "{n} notes", len(view.notes)))
    start = _start(view.text)
    told = tr("Answer: {sentence}", sentence=start) if start else tr("Answer")
    return " ".join([told, ", ".join(counts)]).rstrip()


def _start(text: str) -> str:
    """Return the first sentence as it is read out; an ellipsis says that there is more."""
    told = filter(None, (plain(_MARKERS.sub("", sentence)) for sentence in sentences(text)))
    first = next(told, "")
    if next(told, ""):
        return first.rstrip(".") + "…"
    return f"{first}." if first[-1:].isalnum() else first
