"""An answer that never ends its paragraph costs no more the longer it grows."""

from __future__ import annotations

import pytest

from askance.domain.evidence import Source
from askance.ui.overlay.conversation.exchange import AnswerDraft, DraftView
from call_counts import count_calls
from sampled import sampled

SOURCES = [
    Source(n, f"https://s{n}.example/", f"Source {n}", f"s{n}.example", None) for n in (1, 2)
]


def growing(unit: str, views: int, step: int = 1_490) -> list[int]:
    """The calls of each view of a paragraph that grows and grows, by `step` characters."""
    drafting = AnswerDraft()
    drafting.know(SOURCES)
    drafting.add("A ")
    calls: list[int] = []
    shown: list[DraftView | None] = []
    for _ in range(views):
        drafting.add(unit * (step // len(unit)))
        calls.append(count_calls(lambda: shown.append(drafting.view)))
    assert None not in shown
    return calls


@pytest.mark.parametrize(
    "unit",
    sampled(["**[1]**", "[", "![", "*", "|", "`", "<", "@", "[a](", "[1] ", "_"], every=11),
)
def test_an_open_paragraph_is_read_anew_only_as_far_as_a_paragraph_goes(unit: str) -> None:
    # Patterns are compiled at their first use, which is not of the text's making.
    growing(unit, 3, step=100)
    calls = growing(unit, 5)
    # From the third view on, each finds a block that is finished, and one that is open.
    assert max(calls[3:]) <= 1.1 * max(calls[:3])
