"""Most ways to hide a text are seen through, and what only looks like hiding is read."""

from __future__ import annotations

import pytest
from bench.hidden_text import Way, load_ways, render, try_way

HIDDEN = load_ways("hidden")
SEEN = load_ways("seen")
PASSING = 26


def names(ways: list[Way]) -> list[str]:
    return [way.name for way in ways]


@pytest.mark.parametrize("way", [w for w in HIDDEN if not w.passes], ids=lambda way: way.name)
def test_a_text_that_a_person_does_not_see_does_not_arrive(way: Way) -> None:
    outcome = try_way(way)
    assert outcome.has_article
    assert not outcome.has_canary


@pytest.mark.parametrize("way", [w for w in HIDDEN if w.passes], ids=lambda way: way.name)
def test_a_way_that_is_named_as_passing_does_pass(way: Way) -> None:
    assert try_way(way).has_canary


@pytest.mark.parametrize("way", [w for w in SEEN if not w.passes], ids=lambda way: way.name)
def test_a_text_that_a_person_sees_arrives(way: Way) -> None:
    outcome = try_way(way)
    assert outcome.has_article
    assert outcome.has_words


def test_no_more_ways_pass_than_are_named() -> None:
    assert len(HIDDEN) >= 235
    assert len(SEEN) >= 25
    assert sum(bool(way.passes) for way in SEEN) <= 1
    assert sum(bool(way.passes) for way in HIDDEN) <= PASSING
    assert len(set(names(HIDDEN + SEEN))) == len(HIDDEN + SEEN)


def test_the_measured_page_names_what_passes_and_what_is_lost() -> None:
    passing = next(way for way in HIDDEN if way.passes)
    page = render([try_way(passing)], [try_way(SEEN[0])])
    assert f"**{passing.name}**: {passing.passes}" in page
    assert "## What is seen and lost\n\nNone." in page
