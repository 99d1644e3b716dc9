"""The lighthouse of Larkmoor: a run with a bit of everything, and answers to draw."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from askance.domain.conversation import Outcome, ParsedCommand, Usage
from askance.domain.events import (
    Answered,
    CitationsChecked,
    GapFound,
    Judged,
    Judging,
    PageRead,
    PageRequested,
    PassagesSelected,
    Planned,
    RequestSent,
    ResultsFound,
    ResultsRanked,
    RunEvent,
    SearchStarted,
    Sending,
    SourcesReady,
    TokenArrived,
    Warned,
    WarningCode,
)
from askance.domain.evidence import Citation, Source, Support
from askance.domain.messages import NOTHING, Message
from askance.domain.phases import Action, Sufficiency
from askance.domain.web_pages import PageReason, PageStatus, UnresponsiveEngine
from askance.ui.overlay.answer.markup import Rendered, render
from askance.ui.overlay.conversation.exchange import ExchangeModel, ExchangeView
from askance.ui.overlay.conversation.sources_strip import SourceStrip, SourceTile

QUESTION = "When did the Larkmoor lighthouse move, and who paid for it?"
TIMES = "https://larkmoor-times.example/a"
TRUST = "https://harbour-archive.example/b"
FUND = "https://island-history.example/c"
VISIT = "https://visit-larkmoor.example/"
SOURCES = (
    Source(1, TIMES, "The lighthouse that walked", "larkmoor-times.example", "1981-05-12", False),
    Source(2, TRUST, "Minutes of the Trust", "harbour-archive.example", None, False),
    Source(3, FUND, "The 1928 fund", "island-history.example", "2014", False),
    Source(4, "https://ferry-gazette.example/l", "Letters", "ferry-gazette.example", None, True),
)
TEXT = (
    "The lighthouse was moved 140 metres inland in 1931. [1][2]\n\n"
    "The move cost £11,400. Two thirds came from the Harbour Trust [2] and the rest from a"
    " subscription. [3]\n\n"
    "A ferry company may have lent the rails [4], though only one newspaper says so."
)


def citation(text: str, n: int, words: str, support: Support, quote: str = "") -> Citation:
    start = text.index(words)
    return Citation(n, words, start, start + len(words), support, quote)


CITATIONS = (
    citation(TEXT, 1, "The lighthouse was moved 140 metres inland in 1931.", Support.SUPPORTED),
    citation(
        TEXT,
        2,
        "Two thirds came from the Harbour Trust [2]",
        Support.SUPPORTED,
        "the Trust meeting two thirds of the eleven thousand pounds",
    ),
    citation(TEXT, 3, "and the rest from a subscription.", Support.SUPPORTED),
    citation(TEXT, 4, "A ferry company may have lent the rails [4]", Support.WEAK, "the rails"),
)
USAGE = Usage(3, 4100, 230, 5, 20, 4)
NOTE = Warned(WarningCode.WEAK_SOURCES, Message("Sources disagree on the date."))
SEARCHED: tuple[tuple[float, RunEvent], ...] = (
    (0.0, SearchStarted(("larkmoor lighthouse",), 1)),
    (0.1, RequestSent(Sending.QUERY, "its engines", Message("SearXNG"), "larkmoor lighthouse")),
    (
        0.9,
        ResultsFound(
            "larkmoor lighthouse",
            20,
            20,
            (UnresponsiveEngine("owl", Message("timeout")),),
            NOTHING,
            900,
        ),
    ),
    (
        1.1,
        Planned(Action.PROCEED, Sufficiency.INSUFFICIENT, ("larkmoor lighthouse",), False, 1100),
    ),
    (2.0, ResultsRanked((TIMES, TRUST, VISIT), ("a", "b", "c"), 0, 1)),
    (3.0, Judged(Judging.SNIPPETS, Sufficiency.PARTIAL, (), NOTHING, 1, 1400)),
    (3.1, PageRequested(TIMES, 1)),
    (3.1, PageRequested(TRUST, 1)),
    (4.0, PageRead(TIMES, PageStatus.OK, PageReason.NONE, NOTHING, "t", 1204, 400)),
)
READ: tuple[tuple[float, RunEvent], ...] = (
    (4.4, PageRead(TRUST, PageStatus.OK, PageReason.NONE, NOTHING, "t", 3310, 400)),
    (4.9, PassagesSelected(6, 3, 812, 0, 2, 1)),
    (5.0, GapFound(("1928 subscription",), 2)),
    (8.0, SourcesReady(SOURCES)),
)
WRITTEN: tuple[tuple[float, RunEvent], ...] = tuple(
    (9.0, TokenArrived(TEXT[at : at + 40])) for at in range(0, len(TEXT), 40)
)
ENDED: tuple[tuple[float, RunEvent], ...] = (
    (13.0, CitationsChecked(TEXT, CITATIONS, 0, 0)),
    (13.0, NOTE),
    (14.0, Answered(TEXT, SOURCES, CITATIONS, Outcome.WEB, 2, USAGE, (), 14_000)),
)
WHOLE = (*SEARCHED, *READ, *WRITTEN, *ENDED)


def view_of(events: Sequence[tuple[float, RunEvent]], command: str = "search") -> ExchangeView:
    """Return what is shown once these events came."""
    model = ExchangeModel(ParsedCommand(command, QUESTION))
    for at_s, event in events:
        model.apply(event, at_s)
    return model.view


def rendered(text: str, citations: Sequence[Citation] = ()) -> Rendered:
    """Return an answer of the lighthouse's sources, ready to be drawn."""
    return render(text, {source.n for source in SOURCES}, citations)


def picture_of(widget: QWidget) -> QImage:
    """Return what a widget looks like."""
    return widget.grab().toImage()


def has_colour(picture: QImage, colour: str) -> bool:
    """Whether a colour stands somewhere in a picture, just as it is."""
    wanted = int(colour[1:], 16)
    return any(
        picture.pixel(x, y) & 0xFFFFFF == wanted
        for y in range(picture.height())
        for x in range(picture.width())
    )


def unfolded_rows_of(strip: SourceStrip) -> list[SourceTile]:
    """Return the rows of an unfolded strip."""
    return strip._rows


def tiles_of(strip: SourceStrip) -> list[SourceTile]:
    """Return the sources that are seen on the line of a strip."""
    return [tile for tile in strip._line.tiles if not tile.isHidden()]
