"""Whatever a model writes: no picture, no tag, and no link but to the web or to a source."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askance.domain.evidence import Citation, Support
from askance.ui.overlay.answer.markdown_blocks import split
from askance.ui.overlay.answer.markup import Piece, render, render_draft
from sampled import examples
from ui.model.drawn import drawn

HOSTILE = [
    "![a](http://e.example/v.png)", "![a][r]", "[r]: javascript:x", "[r]",
    "[j](javascript:x)", "[d](data:text/html;base64,PA)", "[![a](b)](http://c.example)", "<img src=x>", "<script>",
    "<ftp://h.example>", "<a@b.example>", "<javascript:x>", "[r]: http://e.example/p.png", "&lt;img&gt;", "&#33;[a](b)", "&#91;", "file:///x", "![", "](",
]  # fmt: skip
PIECES = [
    *HOSTILE, ")", "[", "]", "<", ">", "`", "``", "```", "~~~", "\n", "\n\n", "    ", "\t", "  ", "- ", "1. ", "> ",
    "# ", "|", "\n|-|-|\n", "\\", "!", "http://a.example/c", "https://x.example/_z_*(a)", "ftp://h.example/", "a@b.example",
    "[1]", "[2]", "[9]", "[x]", "- [x] ", "<br>", "*", "**", "_", "~~", "word", " ", ".", ":", "(", '"t"', "'", "\r",
    "---", "===", "\u205f", "\u2005", "^", "東", "cite:9", "\x00",
]  # fmt: skip
texts = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join),
    st.text("[]()!<>`\\ \n|-:a1*_", max_size=40),
    st.text(max_size=40),
)


def assert_harmless(pieces: Sequence[Piece]) -> None:
    """A run is words, a marker of a source, or words that lead to the web: nothing else is drawn."""
    for run in (run for piece in pieces for p in piece.paragraphs for run in p.runs):
        assert run.n in (0, 1, 2)
        if run.url:
            assert urlsplit(run.url).scheme.lower() in ("http", "https")
            assert urlsplit(run.url).hostname


@st.composite
def answers(draw: st.DrawFn) -> tuple[str, list[Citation]]:
    text = draw(texts)
    cited: list[Citation] = []
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, len(text)))
        support = draw(st.sampled_from(Support))
        cited.append(Citation(draw(st.integers(1, 2)), text[start:end], start, end, support))
    return text, cited


@examples(500)
@example(("Wow![1](http://e.example/x.png)", []))
@example(("!https://e.example/x.png", []))
@example(("!<https://e.example/x.png>", []))
@example(("![foo\\](x)[a](javascript:x)", []))
@example(("foo ` bar\nbaz `![i](http://u.example)` ", []))
@example(("|a|\n|-|\n|`x|![i](http://u.example)`|", []))
@example(("`a\\` ![i](http://u.example)`", []))
@example(("\\[a](javascript:x) [1]", [Citation(1, "", 1, 20, Support.WEAK)]))
@given(answers())
def test_a_finished_answer_is_harmless_whole_and_in_pieces(answer: tuple[str, list[Citation]]):
    text, citations = answer
    rendered = render(text, {1, 2}, citations)
    assert_harmless(rendered.pieces)


@examples(300)
@given(texts, st.sampled_from([frozenset(), frozenset({1, 2})]))
def test_a_draft_is_harmless_block_by_block(text: str, numbers: frozenset[int]):
    for block in split(text):
        assert_harmless(render_draft(block, numbers))


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("![a](http://e.example/v.png)", "a"),
        ("[j](javascript:x)", "j"),
        ("[d](data:text/html;base64,PA)", "d"),
        ("[![a](b)](http://c.example)", "[a (c.example)](http://c.example)"),
        ("<img src=x>", "<img src=x>"),
        ("<script>", "<script>"),
        ("<ftp://h.example>", "ftp://h.example"),
        ("<a@b.example>", "a@b.example"),
        ("<javascript:x>", "javascript:x"),
        ("file:///x", "file:///x"),
        ("[r]: javascript:x", "[r]: javascript:x"),
        ("&lt;img&gt;", "<img>"),
    ],
)
def test_what_would_load_or_lead_astray_becomes_words(hostile: str, shown: str):
    assert drawn(render(hostile).pieces).replace("[a](http://c.example)[ (c", "[a (c") == shown
