"""A conversation of six turns over the sample web: what its follow-ups cost, and what they rest on."""

from __future__ import annotations

import pytest
from bench.conversation import IN_HAND, TURNS, Said, converse
from bench.costs import Speed

from askance.config.settings import Settings
from askance.domain.conversation import Outcome

MOST_EVALUATED = 340
MOST_MODEL_S = 2.0
FIRST = TURNS[0].id


@pytest.fixture(scope="module")
def said() -> dict[str, Said]:
    return {turn.question.id: turn for turn in converse(TURNS, Speed(300, 25), Settings())}


def test_what_was_read_for_earlier_turns_answers_without_a_search(said: dict[str, Said]) -> None:
    for name in IN_HAND:
        turn = said[name]
        assert turn.end.outcome is Outcome.HISTORY
        assert turn.end.usage.searches == turn.end.usage.pages_read == 0
        assert turn.evaluated <= MOST_EVALUATED
        assert turn.end.elapsed_ms <= 1000 * MOST_MODEL_S


def test_what_was_not_read_is_searched(said: dict[str, Said]) -> None:
    for name in said.keys() - IN_HAND:
        assert said[name].end.usage.searches > 0
    assert said["painter"].end.outcome is Outcome.INSUFFICIENT


def test_every_answer_cites_a_page_that_its_evidence_shows(said: dict[str, Said]) -> None:
    for turn in said.values():
        assert turn.shown.found == len(turn.question.gold)
        urls = {source.n: source.url for source in turn.end.sources}
        assert {urls[c.n] for c in turn.end.citations} == {gold.url for gold in turn.question.gold}


def test_a_judge_that_believes_all_is_asked_only_for_what_is_there() -> None:
    for turn in converse(TURNS, Speed(300, 25), Settings(), believes=True):
        is_recalled = turn.end.outcome is Outcome.HISTORY
        assert is_recalled == (turn.question.id in IN_HAND)


def test_a_follow_up_costs_a_fraction_of_what_it_costs_alone(said: dict[str, Said]) -> None:
    alone = {q.id: converse([q], Speed(300, 25), Settings())[0] for q in TURNS if q.id in IN_HAND}
    for name, turn in alone.items():
        assert said[name].evaluated < 0.6 * turn.evaluated
