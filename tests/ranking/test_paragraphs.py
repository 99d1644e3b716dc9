"""Markdown as paragraphs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.text.ranking.index_terms import count_words
from askance.text.ranking.passages import LONGEST_PARAGRAPH_WORDS, split_paragraphs
from sampled import examples


def test_headings_name_the_paragraphs_below_them() -> None:
    found = split_paragraphs("Lead.\n\n# Fares\n\nAdults 4.\n\nDogs free.\n\n### Times\n\nDaily.")
    assert [(p.text, p.heading) for p in found] == [
        ("Lead.", ""),
        ("Adults 4.", "Fares"),
        ("Dogs free.", "Fares"),
        ("Daily.", "Times"),
    ]


def test_a_list_and_a_table_stay_whole() -> None:
    found = split_paragraphs("Before.\n\n- one\n- two\n\n| a | b |\n| 1 | 2 |\n\nAfter.")
    assert [p.text for p in found] == ["Before.", "- one\n- two", "| a | b |\n| 1 | 2 |", "After."]


@pytest.mark.parametrize("blank", ["\n\n", "\n \t\n", "\r\n\r\n", "\n\n\n\n"])
def test_blank_lines_may_hold_spaces(blank: str) -> None:
    found = split_paragraphs(f"  One.{blank}Two.  ")
    assert [p.text for p in found] == ["One.", "Two."]


@pytest.mark.parametrize("text", ["", "\n\n", " \n ", "# Only a heading"])
def test_a_page_without_text_has_no_paragraphs(text: str) -> None:
    assert split_paragraphs(text) == []


@pytest.mark.parametrize(
    "unit", ["word ", "A sentence of five words. ", "| a | cell |\n", "- item\n"]
)
def test_an_overlong_block_is_cut_where_it_may_be_cut(unit: str) -> None:
    block = (unit * 1500).strip()
    parts = split_paragraphs(f"# Table\n\n{block}\n\nEnd.")
    *cut, end = parts
    assert end.text == "End."
    assert len(cut) > 1
    assert all(p.words <= LONGEST_PARAGRAPH_WORDS for p in cut)
    assert all(p.heading == "Table" for p in cut)
    assert "".join("".join(p.text.split()) for p in cut) == "".join(block.split())


def test_an_overlong_block_is_cut_between_its_rows() -> None:
    rows = [f"| harbour {i} | {i} boats |" for i in range(300)]
    cut = split_paragraphs("\n".join(rows))
    assert [row for p in cut for row in p.text.split("\n")] == rows


def test_a_page_of_blank_lines_is_passed_over_at_once() -> None:
    found = split_paragraphs("One.\n" + " \n" * 190_000 + "Two.")
    assert [p.text for p in found] == ["One.", "Two."]


_BLOCKS = st.lists(
    st.sampled_from(
        ["# Head", "One two.", "- a\n- b", "| x |\n| y |", "   ", "日本語。", "A\nB", "word " * 900]
    ),
    max_size=8,
).map("\n\n".join)


@examples(50)
@given(_BLOCKS | st.text(alphabet="ab#. \n\t-日", max_size=60))
def test_a_paragraph_stands_in_the_page_where_it_says(markdown: str) -> None:
    position = 0
    for paragraph in split_paragraphs(markdown):
        assert markdown[paragraph.offset : paragraph.end] == paragraph.text
        assert paragraph.offset >= position
        assert paragraph.words == count_words(paragraph.text)
        position = paragraph.end


def test_a_block_of_code_is_one_paragraph_unless_it_is_overlong() -> None:
    code = "```py\nx = 1\n\ny = 2\n```"
    text = f"Thus:\n{code}\n\nAnd so.\n\n{code}\nBehind it."
    assert [p.text for p in split_paragraphs(text)] == [
        f"Thus:\n{code}",
        "And so.",
        f"{code}\nBehind it.",
    ]
    long = "```py\n" + "x = 1\n\n" * 2_000 + "```\n\nAnd so."
    paragraphs = split_paragraphs(long)
    assert len(paragraphs) > 1_000
    assert all(long[p.offset : p.end] == p.text for p in paragraphs)
