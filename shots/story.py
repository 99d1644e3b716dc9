"""The story of the pictures: a question, what the model says to it, and how long each step takes."""

from __future__ import annotations

import json
import re
from typing import Any

from askance.domain.events import (
    Answered,
    Judged,
    PageRead,
    Planned,
    ResultsFound,
    RunEvent,
    TokenArrived,
)

QUESTION = "Who designed Skarne Light, and when was it first lit?"
PLANNED = "Skarne Light designer first lit date"
GAP = "Skarne Light 1861 1863 first lighting"
# The reader has so many pages in the first round; the pictures of a run are taken in the second.
FIRST_PAGES = 4
# Where the answer stops flowing while its picture is taken.
HELD_AT = "According to the plate on the builder’s"
ANSWER = (
    "Skarne Light was designed by the engineer Abel Moss, who had built the Kelhaven breakwater"
    " eight years before. [{history}] He spent a whole winter at Skarne Point in a tent to learn"
    " where the seas broke, and lost the tent twice. [{moss}]\n\n"
    "It was first lit on 2 October 1863. [{history}] According to the plate on the builder’s model"
    " in the museum, it was lit for the first time on 14 October 1861. [{model}]\n\n"
    "The model itself may have shone from the gallery for a night, in a power failure of 1954,"
    " [{model}] though only the museum tells of it."
)
_TITLES = {
    "history": "The history of Skarne Light",
    "model": "Object of the month: the model of Skarne Light",
    "moss": "Abel Moss, engineer",
}
_VERDICTS = (
    ("partial", "the designer is there, the year is not sure", ()),
    ("partial", "two sources, two years: 1863 and 1861", (GAP,)),
    ("sufficient", "no other page gives a date; both can be told", ()),
)
# Milliseconds that the steps seem to take.
_PACE: dict[type[Any], int] = {
    Planned: 900,
    ResultsFound: 350,
    Judged: 1400,
    PageRead: 210,
    TokenArrived: 24,
    Answered: 300,
}


def pace_ms(event: RunEvent) -> int:
    """Return for how long nothing was told before this event."""
    return _PACE.get(type(event), 0)


def plan() -> str:
    """Return the plan."""
    fields = {
        "action": "proceed",
        "history_sufficiency": "insufficient",
        "optimized_query": PLANNED,
        "clarifying_question": "",
    }
    return json.dumps(fields)


def verdict(number: int) -> str:
    """Return a verdict; `number` counts from 0, and the last one is repeated."""
    sufficiency, reasoning, gaps = _VERDICTS[min(number, len(_VERDICTS) - 1)]
    fields = {"sufficiency": sufficiency, "reasoning": reasoning, "gap_queries": gaps}
    return json.dumps(fields)


def answer(prompt: str) -> str:
    """Return the answer, with the numbers that its sources have in the prompt."""
    return ANSWER.format(**{name: _number(prompt, title) for name, title in _TITLES.items()})


def _number(prompt: str, title: str) -> str:
    found = re.search(rf"^\[(\d+)\] {re.escape(title)}", prompt, re.MULTILINE)
    assert found, f"{title!r} is no source of this prompt"
    return found[1]
