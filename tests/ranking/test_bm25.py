"""BM25F against its formula, and against another implementation of BM25; reciprocal rank fusion by its properties."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from askance.text.ranking.scoring import K1, Bm25f, Collection, ScoredField, fuse

WORDS = [f"w{i}" for i in range(30)]
_DOCUMENTS = st.lists(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=25), min_size=1, max_size=15
)
_QUERY = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6, unique=True)
B = st.floats(0.0, 1.0)


def bm25(documents: Sequence[Sequence[str]], *, b: float = 0.75) -> Bm25f:
    """Plain BM25: BM25F with a single field."""
    return Bm25f([{"text": d} for d in documents], {"text": ScoredField(1.0, b)})


@given(_DOCUMENTS, _QUERY, B)
def test_one_field_agrees_with_another_implementation(
    documents: list[list[str]], query: list[str], b: float
) -> None:
    ours = bm25(documents, b=b)
    theirs = BM25Okapi(documents, k1=K1, b=b)
    theirs.idf = {word: ours.idf(word) for word in theirs.idf}
    expected = [score / (K1 + 1) for score in theirs.get_scores(query)]
    assert ours.scores(query) == pytest.approx(expected)


def test_two_fields_follow_the_published_formula() -> None:
    documents = [
        {"title": ["storm"], "body": ["a", "storm", "came"]},
        {"title": ["harbour"], "body": ["a", "calm"]},
    ]
    index = Bm25f(documents, {"title": ScoredField(2.0, 0.5), "body": ScoredField(1.0, 0.75)})
    idf = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    tf = 2.0 * 1 / (1 - 0.5 + 0.5 * 1 / 1) + 1.0 * 1 / (1 - 0.75 + 0.75 * 3 / 2.5)
    assert index.idf("storm") == pytest.approx(idf)
    assert index.scores(["storm"]) == pytest.approx([idf * tf / (K1 + tf), 0.0])


@given(_DOCUMENTS, _QUERY)
def test_no_score_is_negative_and_repeating_a_query_term_changes_nothing(
    documents: list[list[str]], query: list[str]
) -> None:
    index = bm25(documents)
    once = index.scores(query)
    assert all(score >= 0 for score in once)
    assert index.scores([*query, *query]) == once


@given(_DOCUMENTS, _QUERY, st.randoms(use_true_random=False))
def test_a_score_does_not_depend_on_the_order_of_the_documents(
    documents: list[list[str]], query: list[str], chance: object
) -> None:
    order = list(range(len(documents)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    scores = bm25(documents).scores(query)
    assert bm25([documents[i] for i in order]).scores(query) == [scores[i] for i in order]


@pytest.mark.parametrize(
    ("documents", "query", "scores"),
    [
        ([["a", "b"], ["b"]], "zebra", [0.0, 0.0]),
        ([], "a", []),
        ([[], []], "a", [0.0, 0.0]),
        ([[], ["a"]], "a", [0.0, pytest.approx(0.2236, abs=1e-4)]),
    ],
)
def test_unknown_words_and_empty_documents_score_nothing(
    documents: list[list[str]], query: str, scores: list[float]
) -> None:
    assert bm25(documents).scores([query]) == scores
    assert bm25([["a"]]).idf("zebra") == 0.0


def test_a_part_is_ranked_as_the_whole_would_be() -> None:
    fields = {"title": ScoredField(2.0), "text": ScoredField(1.0)}
    every = [
        {"title": ["boat"], "text": ["ferry", "boat", "nine"]},
        {"title": ["mill"], "text": ["mill", "fire", "nine", "nine"]},
        {"title": [], "text": ["sheep"]},
    ]
    whole = Bm25f(every, fields)
    frequencies = {"nine": 2, "boat": 1, "mill": 1}
    lengths = {"title": 2 / 3, "text": 8 / 3}
    part = Bm25f(every[:1], fields, collection=Collection(3, frequencies, lengths))
    query = ["nine", "boat", "mill"]
    assert part.scores(query) == pytest.approx(whole.scores(query)[:1])


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
