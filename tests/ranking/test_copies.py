"""Near-copies: what says the same in the same words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from askance.text.ranking.scoring import CopyIndex, containment, shingles

LONG = (
    "The lighthouse at Kelhaven was built in 1867 after the loss of the brig Good Intent, and was"
    " kept by three families until the lamp was made automatic in 1988."
)
SNIPPET = "The lighthouse at Kelhaven was built in 1867 after the loss of the brig"
_TEXT = st.lists(st.sampled_from("abcdefg"), max_size=30).map(" ".join)


def test_containment_is_one_sided() -> None:
    assert containment(shingles(SNIPPET), shingles(LONG)) == 1.0
    assert 0 < containment(shingles(LONG), shingles(SNIPPET)) < 0.5


def test_a_snippet_seen_before_does_not_throw_its_passage_out() -> None:
    index = CopyIndex(0.8)
    index.add(SNIPPET)
    assert not index.is_copy(LONG)


def test_a_passage_seen_before_throws_its_snippet_out() -> None:
    index = CopyIndex(0.8)
    index.add(LONG)
    assert index.is_copy(SNIPPET)


def test_case_and_punctuation_do_not_hide_a_copy() -> None:
    index = CopyIndex(1.0)
    index.add(LONG)
    assert index.is_copy(LONG.upper().replace(",", " --"))


def test_a_text_pieced_together_from_two_others_is_a_copy() -> None:
    index = CopyIndex(0.7)
    first, second = LONG[:90], LONG[91:]
    index.add(first)
    index.add(second)
    assert index.is_copy(LONG)


def test_the_same_words_in_another_order_are_no_copy() -> None:
    index = CopyIndex(0.8)
    index.add(LONG)
    assert not index.is_copy(" ".join(reversed(LONG.split())))


def test_a_text_shorter_than_a_run_must_be_the_same_text() -> None:
    index = CopyIndex(0.8)
    index.add("Built in 1867")
    assert index.is_copy("built in 1867.")
    assert not index.is_copy("built in 1868")


def test_a_text_without_words_is_no_copy() -> None:
    index = CopyIndex(0.0)
    index.add("")
    assert not index.is_copy("")
    assert containment(shingles("…"), shingles(LONG)) == 0.0


@given(_TEXT, _TEXT)
def test_containment_is_a_share_and_whole_in_itself(one: str, other: str) -> None:
    assert 0 <= containment(shingles(one), shingles(other)) <= 1
    assert containment(shingles(one), shingles(one)) == (1.0 if one else 0.0)


@given(_TEXT.filter(bool), _TEXT, st.floats(0.1, 1.0))
def test_what_was_added_is_a_copy_whatever_came_after(
    text: str, later: str, threshold: float
) -> None:
    index = CopyIndex(threshold)
    index.add(text)
    index.add(later)
    assert index.is_copy(text)
