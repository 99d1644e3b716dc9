"""Where the focus stops in the overlay that the tests of its keys look at, by what is called there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtWidgets import QWidget

from askance.domain.events import Answered, Failed
from askance.domain.messages import Message, Remedy
from ui.keyboard import Desk, label
from ui.widgets.lighthouse import ENDED, QUESTION

SEARCH = f"/search {QUESTION}"
FIELD, SWITCH, CAP = "Question", "Web", "Close"
NUMBERS = [f"Answer [{n}]#{i}" for i, n in enumerate((1, 2, 2, 3, 4))]
STATUS = "Searched twice, read 4 pages"
SOURCES = [
    "Source 1: The lighthouse that walked, larkmoor-times.example, 12 May 1981",
    "Source 2: Minutes of the Trust, harbour-archive.example",
    "Source 3: The 1928 fund, island-history.example, 2014",
    "Source 4: Letters, ferry-gazette.example, snippet only",
]
ACTIONS = ["Copy with sources", "Retry", "Without the web"]
LIGHTS = ["wren:8b, The model is there", "SearXNG, It does not answer"]
EXCHANGE = [STATUS, *NUMBERS, *SOURCES, *ACTIONS]
AT = "2026-03-02T10:00:00+00:00"
DOWN = Failed(
    Message("SearXNG is not running."),
    Remedy("`{command}` starts it.", command="askance up"),
    "SearXNG",
    "x",
)


def called(name: str) -> Callable[[QWidget], bool]:
    return lambda widget: label(widget) == name


def scrolled(desk: Desk) -> int:
    return desk.conversation.verticalScrollBar().value()


def is_seen(desk: Desk, widget: QWidget) -> bool:
    view = desk.conversation.viewport()
    top = widget.mapTo(view, widget.rect().topLeft()).y()
    return top >= 0 and top + widget.height() <= view.height()


def answered(text: str) -> tuple[float, Answered]:
    end = ENDED[-1][1]
    assert isinstance(end, Answered)
    return 14.0, replace(end, answer=text, citations=())
