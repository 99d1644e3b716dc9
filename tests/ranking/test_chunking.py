"""Markdown as paragraphs, and documents cut into passages that do not overlap."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.text.ranking.index_terms import count_words
from askance.text.ranking.passages import (
    LONGEST_PARAGRAPH_WORDS,
    PASSAGE_WORDS,
    Chunk,
    cut_document,
    spelled_out,
    split_paragraphs,
)
from sampled import examples

FENCED = """# Boats

The ferry leaves at nine.

```python
# not a heading

def leave():
    return 9
```

It comes back at ten.

## Prices

Four crowns.
"""
CODE = '''"""A module."""

import os
import re

LIMIT = 3


def first(path):
    """Open it."""
    found = os.open(path)
    for line in found:
        print(line)

    return found


class Second:
    def third(self):
        pass

    def fourth(self):
        pass
'''


def cut_text(text: str) -> list[Chunk]:
    return cut_document(text, is_code=False)


def cut_code(text: str) -> list[Chunk]:
    return cut_document(text, is_code=True)


def cut(text: str, chunks: list[Chunk]) -> list[str]:
    return [text[chunk.start : chunk.end] for chunk in chunks]


def test_neighbours_under_one_heading_are_one_passage() -> None:
    chunks = cut_text(FENCED)
    assert [chunk.heading for chunk in chunks] == ["Boats", "Prices"]
    first, second = cut(FENCED, chunks)
    assert first.startswith("The ferry")
    assert "# not a heading" in first
    assert first.endswith("at ten.")
    assert second == "Four crowns."


def test_a_long_section_gives_several_passages() -> None:
    text = "# All\n\n" + "\n\n".join("word " * 90 for _ in range(7))
    chunks = cut_text(text)
    assert len(chunks) == 4
    assert {chunk.heading for chunk in chunks} == {"All"}
    assert max(len(piece.split()) for piece in cut(text, chunks)) <= PASSAGE_WORDS


def test_a_text_of_more_paragraphs_than_a_page_has_is_cut_to_its_end() -> None:
    text = "\n\n".join(f"paragraph {i}" for i in range(20_000))
    pieces = cut(text, cut_text(text))
    assert pieces[-1].endswith("paragraph 19999")
    assert sum(piece.count("paragraph") for piece in pieces) == 20_000


def test_code_is_cut_where_something_begins() -> None:
    chunks = cut_code(CODE)
    assert [chunk.heading for chunk in chunks] == [
        "import os",
        "def first(path):",
        "class Second:",
    ]
    blocks = cut(CODE, chunks)
    assert blocks[1].rstrip().endswith("return found")
    assert "def fourth" in blocks[2]


def test_names_are_found_by_their_parts() -> None:
    assert spelled_out("openFile(x)") == "openFile(x) open File"
    assert spelled_out("open_file(x)") == "open_file(x)"


def test_what_has_no_text_has_one_passage_all_the_same() -> None:
    assert cut_text("") == cut_code("") == [Chunk(0, 0, "")]
    assert cut_text("\n \n") == cut_code("\n \n") == [Chunk(0, 3, "")]


@given(st.text(alphabet="ab #`~\n.\t", max_size=400))
def test_passages_stand_in_order_and_apart(text: str) -> None:
    for chunks in (cut_text(text), cut_code(text)):
        assert all(chunk.start < chunk.end <= len(text) for chunk in chunks if text)
        assert all(a.end <= b.start for a, b in pairwise(chunks))


@pytest.mark.exhaustive
def test_time_grows_with_the_text_alone() -> None:
    for shape in ("```\n", "# a\n", "\n", "x", "a\n\n", "~~~\n# b\n"):
        begun = time.thread_time()
        text = shape * (400_000 // len(shape))
        cut_text(text)
        cut_code(text)
        assert time.thread_time() - begun < 5.0, shape


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
