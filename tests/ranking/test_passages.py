"""Every stretch of a page that may serve as a passage, the piece of one that says why it was found, and blocks of code."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.domain.file_formats import _NAMES, _SYNTAXES, is_known, known_syntaxes, syntax_named
from askance.text.ranking.passages import (
    SNIPPET_CHARACTERS,
    Candidate,
    cut_candidates,
    fenced_blocks,
    snippet,
    split_paragraphs,
    syntaxes_within,
)
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


@examples(100)
@given(_PAGES, _SIZES)
def test_candidates_are_bounded_runs_of_paragraphs_in_order_and_leave_none_out(
    markdown: str, max_words: int
) -> None:
    paragraphs = split_paragraphs(markdown)
    candidates = cut_candidates(markdown, max_words)
    covered: set[int] = set()
    for candidate in candidates:
        end = candidate.first + len(candidate.paragraphs)
        assert list(candidate.paragraphs) == paragraphs[candidate.first : end]
        assert candidate.paragraphs
        assert candidate.offset == paragraphs[candidate.first].offset
        assert candidate.end == paragraphs[end - 1].end
        # A single paragraph may be longer than a candidate of several.
        words = sum(p.words for p in candidate.paragraphs)
        assert words <= max_words or len(candidate.paragraphs) == 1
        covered |= set(range(candidate.first, end))
    assert covered == set(range(len(paragraphs)))
    for one, other in pairwise(candidates):
        assert other.first > one.first
        assert other.first + len(other.paragraphs) > one.first + len(one.paragraphs)


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


def test_what_is_left_of_a_candidate_keeps_its_numbers() -> None:
    paragraphs = tuple(split_paragraphs("a\n\nb\n\nc\n\nd\n\ne"))
    runs = Candidate(3, paragraphs).runs(lambda number, p: number != 5 and p.text != "a")
    assert [(r.first, [p.text for p in r.paragraphs]) for r in runs] == [
        (4, ["b"]),
        (6, ["d", "e"]),
    ]
    assert Candidate(0, paragraphs).runs(lambda *_: True) == [Candidate(0, paragraphs)]
    assert Candidate(0, paragraphs).runs(lambda *_: False) == []


def marked(text: str, weights: dict[str, float], code: str = "") -> list[str]:
    shown = snippet(text, weights, code)
    return [shown.text[start:end] for start, end in shown.marks]


def test_fences_of_code_are_not_shown() -> None:
    text = "The ferry so:\n\n```py\nferry(9)\n```\n\nIt leaves."
    shown = snippet(text, {"ferri": 1.0}, "en").text
    assert shown == "The ferry so: ferry(9) It leaves."
    assert snippet("ferry(9)\n```\nIt leaves.", {}, "en").text == "ferry(9) It leaves."


def test_words_are_marked_by_their_stems() -> None:
    assert marked("Ferries leave; the ferry left.", {"ferri": 1.0}) == ["Ferries", "ferry"]


def test_the_piece_with_most_of_the_words_is_shown() -> None:
    text = f"The mill. {'Nothing here. ' * 60}The mill burned in winter.{' More.' * 60}"
    shown = snippet(text, {"mill": 1.0, "burn": 1.0, "winter": 1.0})
    assert "mill burned in winter" in shown.text
    assert shown.text.startswith("…")
    assert shown.text.endswith("…")
    assert len(shown.text) <= SNIPPET_CHARACTERS + 2


def test_a_text_without_the_words_is_shown_from_its_beginning() -> None:
    shown = snippet("One\n\ntwo   three.", {"four": 1.0})
    assert shown.text == "One two three."
    assert shown.marks == ()


def test_scripts_without_spaces_are_marked_by_pairs() -> None:
    assert marked("東京の人口は多い", {"人口": 1.0}, "ja") == ["人口"]
    assert marked("東京都", {"東京": 1.0, "京都": 1.0}, "ja") == ["東京都"]


def test_words_of_another_language_are_read_in_it() -> None:
    assert marked("Die Häuser am Hafen", {"haus": 1.0}, "de") == ["Häuser"]


def blocks(text: str) -> list[tuple[str, str]]:
    return [(text[b.start : b.end], b.syntax) for b in fenced_blocks(text)]


@pytest.mark.parametrize(
    ("called", "name"),
    [
        ("py", "python"), ("Python3", "python"), ("js", "javascript"), ("sh", "shell"),
        ("bash", "shell"), ("console", "shell"), ("cpp", "c++"), ("C++", "c++"), ("cs", "c#"),
        ("golang", "go"), ("brainfuck", "brainfuck"), ("text", ""), ("none", ""), ("", ""), ("!", ""),
    ],
)  # fmt: skip
def test_a_language_has_one_name(called: str, name: str) -> None:
    assert syntax_named(called) == name


def test_source_files_have_the_names_of_the_vocabulary() -> None:
    named = {*_SYNTAXES, *_NAMES.values()}
    assert {"python", "c++", "shell", "make"} < named <= known_syntaxes()
    assert all(is_known(name) and syntax_named(name) == name for name in named)


@pytest.mark.parametrize(
    ("info", "name"),
    [
        ("python", "python"), (" py title=a.py", "python"), ("{.python .numberLines}", "python"),
        ("rust,ignore", "rust"), ("js{1,3}", "javascript"), ("", ""), ("text", ""),
    ],
)  # fmt: skip
def test_the_language_stands_behind_the_fence(info: str, name: str) -> None:
    assert blocks(f"Thus:\n\n```{info}\nx\n```\n") == [(f"```{info}\nx\n```", name)]


def test_fences_end_with_their_like_and_may_stand_in_lists() -> None:
    text = "- Thus:\n  ```py\n  x\n  ```\n\n````md\n```js\ny\n```\n````\n\n~~~sh\n```\n~~~\n\n```go\nnever closed"
    assert [name for _, name in blocks(text)] == ["python", "markdown", "shell"]


def test_a_passage_has_the_languages_of_all_that_lies_in_it() -> None:
    text = "```py\n0123456789\n```\n\n```js\ny\n```\n"
    found = list(fenced_blocks(text))
    assert syntaxes_within(found, [(0, 10), (10, 25), (25, len(text)), (len(text), 99)]) == [
        ("python",),
        ("javascript", "python"),
        ("javascript",),
        (),
    ]
