"""A small run with something of everything, as the engine would tell it."""

from __future__ import annotations

from askance.domain.conversation import Outcome, Usage
from askance.domain.events import (
    Answered,
    CitationsChecked,
    CitationsVerified,
    GapFound,
    Judged,
    Judging,
    LibraryRecalled,
    PageRead,
    PageRequested,
    PagesChosen,
    PassagesSelected,
    Planned,
    RequestSent,
    ResultsFound,
    ResultsRanked,
    RunEvent,
    SearchStarted,
    Sending,
    SettingsFitted,
    SourcesReady,
    TokenArrived,
    Warned,
    WarningCode,
)
from askance.domain.evidence import Citation, Source, Support
from askance.domain.messages import NOTHING, Message
from askance.domain.phases import Action, Sufficiency
from askance.domain.web_pages import PageReason, PageStatus, UnresponsiveEngine

FERRY = "https://ferry.skarn.example/times"
GAZETTE = "https://gazette.skarn.example/lamp"
MIRROR = "https://mirror.skarn.example/lamp"

TEXT = "The lamp was first lit in 1887 [1].\n\n- It is **white** [2].\n- It may turn [2]."
CITATIONS = (
    Citation(1, "The lamp was first lit in 1887 [1].", 0, 35, Support.SUPPORTED, "lit in 1887", 4),
    Citation(2, "It is **white** [2].", 39, 59, Support.WEAK, "painted white"),
    Citation(2, "It may turn [2].", 62, 78, Support.UNSUPPORTED),
)
SOURCES = (
    Source(1, FERRY, "The lamp's year", "ferry.skarn.example", "2024-05-01T10:00:00", False),
    Source(2, GAZETTE, "Paint", "gazette.skarn.example"),
    Source(3, MIRROR, "A copy", "mirror.skarn.example"),
)
WARNED = Warned(WarningCode.ROUND_LIMIT, Message("Two rounds were not enough."))
ANSWERED = Answered(
    TEXT,
    SOURCES,
    CITATIONS,
    Outcome.WEB,
    2,
    Usage(5, 4100, 230, 3, 12, 7),
    (WARNED.message,),
    12_345,
)
RUN: tuple[RunEvent, ...] = (
    LibraryRecalled(2, Sufficiency.PARTIAL, 4),
    SettingsFitted(600, 120, False, True, True),
    SearchStarted(("when was the lamp lit", "skarn lamp"), 1),
    RequestSent(
        Sending.QUERY, "its engines", Message("SearXNG at http://127.0.0.1:25017"), "skarn lamp"
    ),
    Planned(Action.PROCEED, Sufficiency.INSUFFICIENT, ("skarn lamp",), False, 850),
    ResultsFound(
        "skarn lamp", 9, 7, (UnresponsiveEngine("owl", Message("timeout")),), NOTHING, 640
    ),
    ResultsFound("when was the lamp lit", 0, 0, (), Message("SearXNG was slow."), 20_000),
    ResultsRanked((FERRY, GAZETTE), ("The lamp's year", "Paint"), 1, 1),
    Judged(
        Judging.SNIPPETS,
        Sufficiency.PARTIAL,
        ("year",),
        Message("no 1887"),
        1,
        310,
    ),
    PagesChosen((FERRY,), (0.9,), 2, 1, 200),
    PageRequested(FERRY, 1),
    PageRead(FERRY, PageStatus.OK, PageReason.NONE, NOTHING, "The lamp's year", 1234, 410),
    PageRead(GAZETTE, PageStatus.EMPTY, PageReason.CONSENT_WALL, NOTHING, "", 0, 90),
    PageRead(
        MIRROR, PageStatus.FAILED, PageReason.NOT_FOUND, Message("it answered 404"), "", 0, 30
    ),
    PassagesSelected(4, 1, 812, 2, 1, 1),
    Judged(Judging.PASSAGES, Sufficiency.SUFFICIENT, (), NOTHING, 1, 290),
    GapFound(("lamp colour",), 1),
    SourcesReady(SOURCES),
    TokenArrived("The lamp was first lit in 1887 [1].\n\n- It is **wh"),
    TokenArrived("ite** [2].\n- It may turn [9]."),
    CitationsChecked(TEXT, CITATIONS, 1, 1),
    CitationsVerified(2, 1, 300, 220),
    WARNED,
    ANSWERED,
)
