"""Every stretch of a page that may serve as a passage."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.text.ranking.passages import Candidate, cut_candidates, split_paragraphs
from sampled import examples

_SENTENCES = (
    "Kelhaven is the largest village of the island.",
    "It has a harbour that was dug in 1820.",
    "Abel Moss (born 1841) was a keeper of the lighthouse.",
    "In winter the ferry runs on three days of the week.",
    "# Fares",
    "- adults pay four crowns\n- dogs travel free",
    "However, the storm of 1866 destroyed the pier.",
    "The Good Intent was a brig.",
)
_LONG = "The harbour of Kelhaven was dug by hand and holds forty boats in summer. " * 9
_SHORT_PAGES = st.lists(st.sampled_from(_SENTENCES), max_size=40).map("\n\n".join)
_PAGES = _SHORT_PAGES | st.lists(st.sampled_from((*_SENTENCES, _LONG)), max_size=12).map(
    "\n\n".join
)
_SIZES = st.sampled_from([40, 80, 200])


@examples(60)
@given(_PAGES, _SIZES)
def test_every_candidate_is_made_of_whole_neighbouring_paragraphs(
    markdown: str, max_words: int
) -> None:
    paragraphs = split_paragraphs(markdown)
    for candidate in cut_candidates(markdown, max_words):
        end = candidate.first + len(candidate.paragraphs)
        assert list(candidate.paragraphs) == paragraphs[candidate.first : end]
        assert candidate.paragraphs
        assert candidate.offset == paragraphs[candidate.first].offset
        assert candidate.end == paragraphs[end - 1].end


@examples(60)
@given(_PAGES, _SIZES)
def test_a_candidate_is_bounded_unless_it_is_a_single_paragraph(
    markdown: str, max_words: int
) -> None:
    for candidate in cut_candidates(markdown, max_words):
        words = sum(p.words for p in candidate.paragraphs)
        assert words <= max_words or len(candidate.paragraphs) == 1


@examples(60)
@given(_PAGES, _SIZES)
def test_every_paragraph_stands_in_a_candidate(markdown: str, max_words: int) -> None:
    covered = {
        number
        for c in cut_candidates(markdown, max_words)
        for number in range(c.first, c.first + len(c.paragraphs))
    }
    assert covered == set(range(len(split_paragraphs(markdown))))


@examples(60)
@given(_PAGES, _SIZES)
def test_candidates_come_in_order_and_none_lies_in_the_one_before(
    markdown: str, max_words: int
) -> None:
    for one, next_one in pairwise(cut_candidates(markdown, max_words)):
        assert next_one.first > one.first
        assert next_one.first + len(next_one.paragraphs) > one.first + len(one.paragraphs)


def test_a_page_with_real_paragraphs_gives_one_candidate_a_paragraph() -> None:
    paragraphs = [f"{_LONG} Part {i}." for i in range(4)]
    found = cut_candidates("\n\n".join(paragraphs), 200)
    assert [c.text for c in found] == paragraphs


def test_broken_lines_under_one_heading_are_joined() -> None:
    lines = ["Kelhaven is a village.", "It has a harbour.", "It was dug in 1820."]
    found = cut_candidates("\n\n".join(lines), 200)
    assert [c.text for c in found] == ["\n\n".join(lines)]


def test_a_long_section_gives_windows_that_none_of_the_others_holds() -> None:
    lines = [
        f"It was painted again in {year}, by the people of the harbour."
        for year in range(1900, 1930)
    ]
    found = cut_candidates("\n\n".join(lines), 60)
    assert len(found) > 10
    assert all(30 < sum(p.words for p in c.paragraphs) <= 60 for c in found)
    assert found[0].first == 0
    assert [c.first + len(c.paragraphs) for c in found].count(len(lines)) == 1


def test_no_candidate_reaches_over_a_heading() -> None:
    page = "# Fares\n\nAdults pay four.\n\nDogs travel free.\n\n# Times\n\nIt leaves at noon."
    assert {c.heading: c.text for c in cut_candidates(page, 200)} == {
        "Fares": "Adults pay four.\n\nDogs travel free.",
        "Times": "It leaves at noon.",
    }


@pytest.mark.parametrize("page", ["", "# Only a heading", "\n \n"])
def test_a_page_without_text_gives_nothing(page: str) -> None:
    assert cut_candidates(page, 200) == []


def test_what_is_left_of_a_candidate_keeps_its_numbers() -> None:
    paragraphs = tuple(split_paragraphs("a\n\nb\n\nc\n\nd\n\ne"))
    runs = Candidate(3, paragraphs).runs(lambda number, p: number != 5 and p.text != "a")
    assert [(r.first, [p.text for p in r.paragraphs]) for r in runs] == [
        (4, ["b"]),
        (6, ["d", "e"]),
    ]
    assert Candidate(0, paragraphs).runs(lambda *_: True) == [Candidate(0, paragraphs)]
    assert Candidate(0, paragraphs).runs(lambda *_: False) == []
