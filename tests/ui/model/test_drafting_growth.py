"""An answer that never ends its paragraph costs no more the longer it grows."""

from __future__ import annotations

import gc
import sys

import pytest

from askance.domain.evidence import Source
from askance.ui.model.exchange import AnswerDraft
from sampled import sampled

SOURCES = [
    Source(n, f"https://s{n}.example/", f"Source {n}", f"s{n}.example", None) for n in (1, 2)
]


def calls_of_view(drafting: AnswerDraft) -> int:
    """How many functions one view calls, those of the interpreter included."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    # Collecting garbage calls functions, too, whenever it happens to be due.
    gc.disable()
    sys.setprofile(note)
    try:
        assert drafting.view is not None
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


def growing(unit: str, views: int) -> list[int]:
    """The calls of each view of a paragraph that grows and grows."""
    drafting = AnswerDraft()
    drafting.know(SOURCES)
    drafting.add("A ")
    calls: list[int] = []
    for _ in range(views):
        drafting.add(unit * (1_490 // len(unit)))
        calls.append(calls_of_view(drafting))
    return calls


@pytest.mark.parametrize(
    "unit",
    sampled(["[", "![", "*", "|", "`", "<", "@", "[a](", "[1] ", "**[1]**", "_"], every=6),
)
def test_an_open_paragraph_is_read_anew_only_as_far_as_a_paragraph_goes(unit: str) -> None:
    growing(unit, 3)  # patterns are compiled at their first use, which is not of the text's making
    calls = growing(unit, 8)
    # From the third view on, each finds a block that is finished, and one that is open.
    assert max(calls[3:]) <= 1.1 * max(calls[:3])
