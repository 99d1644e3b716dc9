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
# So many pages are read ahead of the plan; the pictures of a run are taken while it reads those behind it.
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
# What may be asked next: in the field, then below the answer.
NEXT = (
    "Who paid for the light, and what did it cost?",
    "Why does the museum’s plate say 1861?",
    "What else did Abel Moss build?",
)
GIVEN_UP = "I could not find the answer in the sources."
_TITLES = {
    "history": "The history of Skarne Light",
    "model": "Object of the month: the model of Skarne Light",
    "moss": "Abel Moss, engineer",
}
_VERDICTS = (("partial", (GAP,)), ("sufficient", ()))
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
    sufficiency, gaps = _VERDICTS[min(number, len(_VERDICTS) - 1)]
    return json.dumps({"sufficiency": sufficiency, "gap_queries": gaps})


def answer(prompt: str) -> str:
    """Return the answer, with the numbers that its sources have in the prompt; it gives up where one is missing."""
    found = {
        name: re.search(rf"^\[(\d+)\] {re.escape(title)}", prompt, re.MULTILINE)
        for name, title in _TITLES.items()
    }
    numbers = {name: number[1] for name, number in found.items() if number}
    return ANSWER.format(**numbers) if len(numbers) == len(found) else GIVEN_UP
