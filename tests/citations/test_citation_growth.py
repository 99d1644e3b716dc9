"""The check of an answer twice as long takes twice the calls, whatever the model wrote."""

from __future__ import annotations

import sys

import pytest

from askance.citations.checking import check_citations
from askance.domain.evidence import Extract, ExtractKind
from sampled import sampled

LINEAR = 2.3
CHARACTERS = 4_000
EXTRACTS = [
    Extract(
        n, ExtractKind.PASSAGE, "The lighthouse was built in 1871 by Clara Whitlow. " * 8, "", 0
    )
    for n in (1, 2, 3)
]
UNITS = (
    "x [1] ",
    "[1], ",
    "a\n",
    "1. ",
    "- a\n",
    "`a` ",
    "`a`\n",
    "[",
    "![",
    "**[1]**",
    "[1](",
    "<sup>1</sup>",
    "| a | b [1] |\n",
    "> ",
    "A. ",
    "1,000 ",
    "not ",
    "The lighthouse was built in 1871 [2]. ",
)


def calls_of(text: str) -> int:
    """How many functions are called, those of the interpreter included: the same on every machine."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        check_citations(text, EXTRACTS)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.exhaustive
@pytest.mark.parametrize("unit", sampled(UNITS, every=3))
def test_twice_the_answer_takes_twice_the_calls(unit: str) -> None:
    calls_of(unit)  # what is made once is made now
    once = calls_of(unit * (CHARACTERS // len(unit)))
    twice = calls_of(unit * (2 * CHARACTERS // len(unit)))
    assert twice <= LINEAR * once + 500, (once, twice)
