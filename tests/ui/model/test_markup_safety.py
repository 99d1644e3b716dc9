"""Whatever a model writes: no picture, no tag, and no link but to the web or to a source."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from askance.domain.evidence import Citation, Support
from askance.ui.model.markup import Piece, joined, render, render_draft
from askance.ui.model.stream import split

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
SCHEMES = ("http://", "https://", "cite:")
PARSERS = [
    MarkdownIt("commonmark", {"html": False}),
    MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"]),
    MarkdownIt("commonmark"),
]
for lenient in PARSERS:
    # What a parser would refuse by itself must not come to it in the first place.
    setattr(lenient, "validateLink", lambda url: True)  # noqa: B010 - a method of its instances


def tokens_of(parser: MarkdownIt, text: str) -> Iterator[Token]:
    for token in parser.parse(text):
        yield token
        yield from token.children or ()


def assert_harmless(markdown: str) -> None:
    for parser in PARSERS:
        for token in tokens_of(parser, markdown):
            assert token.type not in ("image", "html_inline", "html_block")
            if token.type == "link_open":
                assert str(token.attrs["href"]).lower().startswith(SCHEMES)


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


@settings(max_examples=500, deadline=None)
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
    assert_harmless(rendered.markdown)
    for piece in rendered.pieces:
        assert_harmless(piece.markdown)


@settings(max_examples=300, deadline=None)
@given(texts, st.sampled_from([frozenset(), frozenset({1, 2})]))
def test_a_draft_is_harmless_block_by_block(text: str, numbers: frozenset[int]):
    pieces: list[Piece] = [render_draft(block, numbers) for block in split(text)]
    assert_harmless(joined(pieces))
    for piece in pieces:
        assert_harmless(piece.markdown)


@pytest.mark.parametrize("hostile", HOSTILE[:12])
def test_what_is_made_harmless_here_was_not_before(hostile: str):
    text = f"{hostile}\n\n[r]\n\n[r]: javascript:y"
    with pytest.raises(AssertionError):
        assert_harmless(text)
    assert_harmless(render(text).markdown)
