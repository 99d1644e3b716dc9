"""The check of an answer twice as long takes twice the calls, whatever the model wrote."""

from __future__ import annotations

import pytest

from askance.citations.check.checking import check_citations
from askance.domain.evidence import Extract, ExtractKind
from call_counts import count_calls
from sampled import sampled

LINEAR = 2.1
"""At most 2.02 was counted."""
CHARACTERS = 2_000
DEEP = ("1. ", "> ")
"""Units that are nested: only four thousand characters, and twice as many, go as deep as is allowed."""
EXTRACTS = [
    Extract(
        n, ExtractKind.PASSAGE, "The lighthouse was built in 1871 by Clara Whitlow. " * 8, "", 0
    )
    for n in (1, 2, 3)
]
UNITS = (
    "x [1] ", "[1], ", "a\n", "1. ", "- a\n", "`a` ", "`a`\n", "[", "![", "**[1]**", "[1](", "<sup>1</sup>", "| a | b [1] |\n",
    "> ", "A. ", "1,000 ", "not ", "The lighthouse was built in 1871 [2]. ", "[1", "[a](", "[[1](a)", "**", "`", "a`", "U.S.", "é",
    "東", "(", "Ab ", "|",
)  # fmt: skip


def calls_of(text: str) -> int:
    return count_calls(lambda: check_citations(text, EXTRACTS))


@pytest.mark.exhaustive
@pytest.mark.parametrize("unit", sampled(UNITS, every=3))
def test_twice_the_answer_takes_twice_the_calls(unit: str) -> None:
    characters = 2 * CHARACTERS if unit in DEEP else CHARACTERS
    calls_of(unit)  # what is made once is made now
    once = calls_of(unit * (characters // len(unit)))
    twice = calls_of(unit * (2 * characters // len(unit)))
    assert twice <= LINEAR * once + 500, (once, twice)
