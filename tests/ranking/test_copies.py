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


def index_of(*texts: str, threshold: float = 0.8) -> CopyIndex:
    """Return an index that has seen some texts."""
    index = CopyIndex(threshold)
    for text in texts:
        index.add(text)
    return index


def test_containment_is_one_sided() -> None:
    assert containment(shingles(SNIPPET), shingles(LONG)) == 1.0
    assert 0 < containment(shingles(LONG), shingles(SNIPPET)) < 0.5


@pytest.mark.parametrize(
    ("seen", "threshold", "text", "is_copy"),
    [
        ([SNIPPET], 0.8, LONG, False),
        ([LONG], 0.8, SNIPPET, True),
        ([LONG], 1.0, LONG.upper().replace(",", " --"), True),
        ([LONG[:90], LONG[91:]], 0.7, LONG, True),
        ([LONG], 0.8, " ".join(reversed(LONG.split())), False),
        (["Built in 1867"], 0.8, "built in 1867.", True),
        (["Built in 1867"], 0.8, "built in 1868", False),
    ],
    ids=["passage", "snippet", "capitals", "pieces", "order", "short", "another year"],
)
def test_what_says_the_same_in_the_same_words_is_a_copy(
    seen: list[str], threshold: float, text: str, is_copy: bool
) -> None:
    assert index_of(*seen, threshold=threshold).is_copy(text) is is_copy


def test_a_text_without_words_is_no_copy() -> None:
    assert not index_of("", threshold=0.0).is_copy("")
    assert containment(shingles("…"), shingles(LONG)) == 0.0


@given(_TEXT, _TEXT)
def test_containment_is_a_share_and_whole_in_itself(one: str, other: str) -> None:
    assert 0 <= containment(shingles(one), shingles(other)) <= 1
    assert containment(shingles(one), shingles(one)) == (1.0 if one else 0.0)


@given(_TEXT.filter(bool), _TEXT, st.floats(0.1, 1.0))
def test_what_was_added_is_a_copy_whatever_came_after(
    text: str, later: str, threshold: float
) -> None:
    assert index_of(text, later, threshold=threshold).is_copy(text)


CHANGES = [
    ("built by Otto Kern", "built by Oda Brennik"),
    ("in 1871", "in 1817"),
    ("was opened", "was not opened"),
    ("was opened", "wasn't opened"),
    ("three lamps", "four lamps"),
    ("in May of", "in June of"),
    ("3.5 km", "3.8 km"),
]
STORY = (
    "The lighthouse on the northern cape was built by Otto Kern, a mason from the valley, and the road to it"
    " was opened in May of the year in 1871, when three lamps stood along its 3.5 km of bends and bridges"
    " above the harbour of the fishing town that had paid for all of it with its own money."
)


@pytest.mark.parametrize("is_first", [True, False], ids=["true first", "changed first"])
@pytest.mark.parametrize(("old", "new"), CHANGES, ids=[new for _, new in CHANGES])
def test_what_differs_in_a_name_a_number_a_date_or_a_negation_is_no_copy(
    old: str, new: str, is_first: bool
) -> None:
    changed = STORY.replace(old, new)
    assert changed != STORY
    one, other = (STORY, changed) if is_first else (changed, STORY)
    assert index_of(one).is_copy(one)
    assert not index_of(one).is_copy(other)


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
        assert not index_of(first, threshold=0.5).is_copy(second)


def test_another_common_word_or_mark_leaves_a_copy_a_copy() -> None:
    index = index_of(STORY)
    assert index.is_copy(STORY.replace("with its own money", "from its full purse"))
    assert index.is_copy(STORY.replace(",", ";"))
    assert index.is_copy(STORY[: len(STORY) // 2])


def test_a_text_that_joins_the_name_of_one_with_the_number_of_another_is_no_copy() -> None:
    other = STORY.replace("Otto Kern", "Oda Brennik").replace("1871", "1817")
    assert not index_of(STORY, other).is_copy(STORY.replace("1871", "1817"))
