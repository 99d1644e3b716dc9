"""Streaming Markdown, split into blocks that never change and a tail that may."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.ui.overlay.answer.markdown_blocks import (
    BlockStream,
    Code,
    MarkdownBlock,
    MarkdownBlockKind,
    split,
)
from askance.ui.overlay.answer.markup import render
from sampled import examples, sampled

pieces = st.sampled_from(
    [
        "word ", "a", "\n", "\n\n", "- ", "  ", "    ", "1. ", "2) ", "> ", "# ", "```", "```py\n", "~~~", "|", "|-|-|",
        "---", "***", "\t", "`x`", "**", " \n", "* ", "=", "[1]", "\r", "東",
    ]
)  # fmt: skip
texts = st.lists(pieces, max_size=24).map("".join)
K = MarkdownBlockKind


@examples(300)
@given(st.lists(texts, max_size=6))
def test_blocks_and_tail_are_the_text_and_a_finished_block_never_changes(written: list[str]):
    stream, seen = BlockStream(), ()
    for n, piece in enumerate(written, 1):
        stream.add(piece)
        blocks = stream.since(0)
        assert "".join(b.text for b in blocks) + stream.tail.text == "".join(written[:n])
        assert blocks[: len(seen)] == seen
        assert stream.since(len(seen)) == blocks[len(seen) :]
        assert stream.count == len(blocks)
        seen = blocks


@examples(200)
@given(texts)
def test_it_makes_no_difference_in_which_pieces_a_text_comes(text: str):
    at_once, by_character = BlockStream(), BlockStream()
    at_once.add(text)
    for character in text:
        by_character.add(character)
    assert by_character.since(0) == at_once.since(0)
    assert by_character.tail == at_once.tail


@examples(200)
@given(texts)
def test_the_blocks_of_a_finished_text_are_the_text(text: str):
    assert "".join(block.text for block in split(text)) == text


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("One.\nStill one.\n\nTwo.", [K.PARAGRAPH, K.PARAGRAPH]),
        ("Here:\n- a\n- b\n  more\n\n  still b\n- c", [K.PARAGRAPH, K.LIST, K.LIST, K.LIST]),
        ("- a\n  - under a\n  - too\n\nEnd", [K.LIST, K.PARAGRAPH]),
        ("It was in\n1987. Then more", [K.PARAGRAPH]),
        ("1. a\n2. b", [K.LIST, K.LIST]),
        ("# T\ntext\n## U", [K.HEADING, K.PARAGRAPH, K.HEADING]),
        ("a\n---\n---\nb\n===\nc", [K.HEADING, K.RULE, K.HEADING, K.PARAGRAPH]),
        ("text\n***\nmore", [K.PARAGRAPH, K.RULE, K.PARAGRAPH]),
        ("> a\nlazy\n> b\n\nc", [K.QUOTE, K.PARAGRAPH]),
        ("| a | b |\n|---|---|\n| 1 | 2 |\nafter", [K.TABLE]),
        ("a | b\n--|--\n1 | 2\n\nx", [K.TABLE, K.PARAGRAPH]),
        ("text\n```py\nx = 1\n\ny = 2\n```\nmore", [K.PARAGRAPH, K.CODE, K.PARAGRAPH]),
        ("```\nnever closed\n\n# no heading", [K.CODE]),
        ("- a\n\n  ```\n  x\n  ```\n\n  more of a", [K.LIST]),
        ("1. a\n\n   ```\n   x\n   ```\n   more\n2. b", [K.LIST, K.LIST]),
        ("> ```\n> x\nout of it", [K.QUOTE, K.PARAGRAPH]),
        ("a\n\n    code\n\n    too\n\nb", [K.PARAGRAPH, K.CODE, K.PARAGRAPH]),
        ("~~~\n```\n~~~\n```x``` inline", [K.CODE, K.PARAGRAPH]),
    ],
)  # fmt: skip
def test_a_text_falls_into_its_blocks(text: str, kinds: list[MarkdownBlockKind]):
    assert [block.kind for block in split(text)] == kinds


def test_a_block_is_finished_as_soon_as_it_cannot_grow():
    stream = BlockStream()
    stream.add("First.\n")
    assert stream.count == 0
    stream.add("\nSecond")
    assert stream.since(0) == (MarkdownBlock(K.PARAGRAPH, "First.\n\n"),)
    assert stream.tail == MarkdownBlock(K.PARAGRAPH, "Second")
    stream.add("\n```\nx\n```\n")
    assert [block.kind for block in stream.since(0)] == [K.PARAGRAPH, K.PARAGRAPH, K.CODE]
    assert stream.tail.text == ""


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("```python title=x\na\n\n  b\n```\n", Code("python", "a\n\n  b")),
        ("```\nopen", Code("", "open")),
        ("````c++\n```\n````", Code("c++", "```")),
        ("  ~~~\n    a\n  b\n  ~~~", Code("", "  a\nb")),
        ("> ```sh\n> ls -l\n> \n> \tx\n> ```", Code("sh", "ls -l\n\n\tx")),
        ("    indented\n      more", Code("", "indented\n  more")),
        ("```<script>\nx\n```", Code("", "x")),
        ("```\n```", Code("", "")),
    ],
)
def test_code_comes_without_its_fences(text: str, code: Code):
    (piece,) = render(text).pieces
    assert piece.kind is K.CODE
    assert piece.code == code


def test_a_long_text_in_small_pieces_takes_time_by_its_length_only():
    def seconds(words: int) -> float:
        stream = BlockStream()
        started = time.process_time()
        for _ in range(words):
            stream.add("word ")
        stream.add("\n\n")
        return time.process_time() - started

    seconds(2_000)
    assert seconds(80_000) < 60 * max(seconds(4_000), 0.001)


LONG = [
    "word " * 900 + "\n\nEnd",
    "- item\n" + "".join(f"  - sub {n} {'word ' * 20}\n" for n in range(40)) + "- last\n\nEnd",
    "1. do\n   ```py\n" + "   x = 1\n" * 2_000 + "   ```\n   then\n2. end\n",
    "> quoted words\n" * 300 + "\nEnd",
    "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 900 + "\nEnd",
    "```\n" + "x" * 13_000 + "\n" + "y\n" * 1_500 + "```\nEnd",
    "a\n" * 2_000 + "\n- b\n",
]


@pytest.mark.parametrize("text", sampled(LONG, every=3), ids=range(len(LONG)))
def test_a_long_block_is_parted_at_the_same_places_however_it_comes(text: str):
    at_once, in_pieces = BlockStream(), BlockStream()
    at_once.add(text)
    for at in range(0, len(text), 7):
        in_pieces.add(text[at : at + 7])
        if at % 70 == 0:
            assert len(in_pieces.tail.text) <= 12_007
    assert in_pieces.since(0) == at_once.since(0)
    assert in_pieces.tail == at_once.tail
    assert "".join(block.text for block in split(text)) == text
    words = "".join(
        "".join(run.text for p in piece.paragraphs for run in p.runs)
        + (piece.code.text if piece.code else "")
        for piece in render(text).pieces
    )
    letters = [character for character in text if character.isalnum()]
    assert [character for character in words if character.isalnum()].count("o") == letters.count(
        "o"
    )
