"""Reciprocal rank fusion, by its properties."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.text.ranking.scoring import fuse

_RANKING = st.permutations(list("abcdefgh")).flatmap(
    lambda keys: st.integers(0, len(keys)).map(lambda n: keys[:n])
)
_RANKINGS = st.lists(_RANKING, max_size=6)


@pytest.mark.parametrize(
    ("rankings", "fused"),
    [
        (["abc", "acb", "bac"], "abc"),
        # Two middling places beat one first place.
        (["ab", "cb"], "bac"),
        # Ties are settled by key.
        (["ba", "ab"], "ab"),
        (["z", "y", "x"], "xyz"),
        # A key counts once in a ranking.
        (["abbb", "a"], "ab"),
        (["baa", "b"], "ba"),
        (["", ""], ""),
        ([], ""),
    ],
)
def test_places_in_several_rankings_add_up(rankings: list[str], fused: str) -> None:
    assert fuse(rankings) == list(fused)


def test_equal_places_are_a_tie_in_whatever_order_they_were_won() -> None:
    rankings = ["a", "a", "xa", "yb", "b", "b"]
    assert fuse(rankings)[:2] == fuse(rankings[::-1])[:2] == ["a", "b"]


@given(_RANKINGS, st.integers(0, 2**32))
def test_the_order_of_the_rankings_does_not_matter(rankings: list[list[str]], seed: int) -> None:
    mixed = list(rankings)
    random.Random(seed).shuffle(mixed)  # noqa: S311 - no secret
    assert fuse(mixed) == fuse(rankings)


@given(_RANKINGS)
def test_every_key_stands_once_in_the_result(rankings: list[list[str]]) -> None:
    assert sorted(fuse(rankings)) == sorted({key for ranking in rankings for key in ranking})


@given(_RANKING)
def test_one_ranking_is_kept_as_it_is(ranking: list[str]) -> None:
    assert fuse([ranking]) == ranking


@given(st.lists(_RANKING.filter(lambda r: len(r) > 1), min_size=1, max_size=6), st.data())
def test_a_better_place_in_one_ranking_never_costs_a_key_its_place(
    rankings: list[list[str]], data: st.DataObject
) -> None:
    which = data.draw(st.integers(0, len(rankings) - 1))
    place = data.draw(st.integers(1, len(rankings[which]) - 1))
    key = rankings[which][place]
    better = [list(r) for r in rankings]
    better[which].insert(place - 1, better[which].pop(place))
    assert fuse(better).index(key) <= fuse(rankings).index(key)
