from __future__ import annotations

import itertools

import pytest

from askance.domain.phases import ENDS, MOVES, IllegalMove, Phase, advance
from sampled import each_row

# Written out a second time on purpose: the table changes nowhere by accident.
ALLOWED = {
    "planning": "clarifying recalling searching answering",
    "clarifying": "done",
    "recalling": "answering planning searching",
    "searching": "ranking answering",
    "ranking": "judging_snippets reading answering",
    "judging_snippets": "reading answering",
    "reading": "selecting answering",
    "selecting": "judging_passages searching answering",
    "judging_passages": "searching selecting answering",
    "answering": "planning selecting judging_passages checking",
    "checking": "done",
    "done": "",
    "cancelled": "",
    "failed": "",
}
PAIRS = list(itertools.product(Phase, Phase))


def may(start: Phase, to: Phase) -> bool:
    interrupted = to in ("cancelled", "failed") and start not in ("done", "cancelled", "failed")
    return to.value in ALLOWED[start].split() or interrupted


def test_every_phase_has_a_row() -> None:
    assert set(MOVES) == set(Phase)
    assert set(ALLOWED) == {phase.value for phase in Phase}


@each_row(("start", "to"), [pair for pair in PAIRS if may(*pair)])
def test_a_listed_move_is_made(start: Phase, to: Phase) -> None:
    assert advance(start, to) is to


@each_row(("start", "to"), [pair for pair in PAIRS if not may(*pair)])
def test_an_unlisted_move_raises(start: Phase, to: Phase) -> None:
    with pytest.raises(IllegalMove, match=f"from {start} to {to}"):
        advance(start, to)


def test_every_phase_is_reached_and_leads_to_an_end() -> None:
    reached, edge = {Phase.PLANNING}, {Phase.PLANNING}
    while edge:
        edge = {to for start in edge for to in MOVES[start]} - reached
        reached |= edge
    assert reached == set(Phase) - {Phase.CANCELLED, Phase.FAILED}
    assert {phase for phase in Phase if not MOVES[phase]} == ENDS
