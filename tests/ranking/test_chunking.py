"""Documents cut into passages that do not overlap."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.text.ranking.passages import PASSAGE_WORDS, Chunk, cut_document, spelled_out

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
