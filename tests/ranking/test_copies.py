"""Near-copies: what says the same in the same words."""

from __future__ import annotations

import pytest
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


CHANGES = [
    ("en", "built by Otto Kern", "built by Oda Brennik"),
    ("en", "in 1871", "in 1817"),
    ("en", "was opened", "was not opened"),
    ("en", "was opened", "wasn't opened"),
    ("en", "three lamps", "four lamps"),
    ("en", "in May of", "in June of"),
    ("en", "3.5 km", "3.8 km"),
]
STORY = (
    "The lighthouse on the northern cape was built by Otto Kern, a mason from the valley, and the road to it"
    " was opened in May of the year in 1871, when three lamps stood along its 3.5 km of bends and bridges"
    " above the harbour of the fishing town that had paid for all of it with its own money."
)


@pytest.mark.parametrize("is_first", [True, False], ids=["true first", "changed first"])
@pytest.mark.parametrize(("_", "old", "new"), CHANGES, ids=[new for _, _, new in CHANGES])
def test_what_differs_in_a_name_a_number_a_date_or_a_negation_is_no_copy(
    _: str, old: str, new: str, is_first: bool
) -> None:
    changed = STORY.replace(old, new)
    assert changed != STORY
    one, other = (STORY, changed) if is_first else (changed, STORY)
    index = CopyIndex(0.8)
    index.add(one)
    assert index.is_copy(one)
    assert not index.is_copy(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Der Leuchtturm am Kap wurde nach einem langen Streit der Fischer mit der Verwaltung nicht gebaut und"
            " das Geld ging an die Schule und an das Hafenamt der kleinen Stadt zurück.",
            "nicht ",
        ),
        (
            "北の岬の灯台は山田太郎が漁師の組合のために建てたもので、その費用は町の人々がすべて負担したと伝えられている。",
            "山田太郎",
        ),
        (
            "بنى المهندس سامي منارة الميناء القديمة على الصخرة العالية فوق البحر بأموال الصيادين والتجار في المدينة كلها.",
            "سامي",
        ),
    ],
)
def test_a_change_is_seen_in_other_scripts_and_languages(one: str, other: str) -> None:
    changed = one.replace(
        other, {"nicht ": ""}.get(other, "田中花子" if other == "山田太郎" else "كريم")
    )
    for first, second in ((one, changed), (changed, one)):
        index = CopyIndex(0.5)
        index.add(first)
        assert not index.is_copy(second)


def test_another_common_word_or_mark_leaves_a_copy_a_copy() -> None:
    index = CopyIndex(0.8)
    index.add(STORY)
    assert index.is_copy(STORY.replace("with its own money", "from its full purse"))
    assert index.is_copy(STORY.replace(",", ";"))
    assert index.is_copy(STORY[: len(STORY) // 2])


def test_a_text_that_joins_the_name_of_one_with_the_number_of_another_is_no_copy() -> None:
    index = CopyIndex(0.8)
    index.add(STORY)
    index.add(STORY.replace("Otto Kern", "Oda Brennik").replace("1871", "1817"))
    assert not index.is_copy(STORY.replace("1871", "1817"))
