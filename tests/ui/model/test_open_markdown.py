"""Whatever place an answer is cut at, what is drawn is the beginning of what the whole answer shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askance.domain.evidence import Source
from askance.ui.overlay.answer.answer_draft import AnswerDraft, closed
from askance.ui.overlay.answer.markdown_blocks import BlockStream
from askance.ui.overlay.answer.markup import Piece, render, render_draft
from sampled import examples

TABLE = "| a | b |\n|---|---|\n"

_WORDS = (
    "Yes.", "stars", "naïve,", "Größe", "Это", "тест.", "重点", "答案。", "كلمة", "नमस्ते", "คำ", "단어", "(so)",
)  # fmt: skip
_LITERAL = (
    "snake_case_names",
    "2 * 3 * 4",
    r"\*escaped\*",
    r"\_so\_",
    "`a*b`",
    "``x ` y``",
    "```z `` w```",
    "~5",
)
_word = st.sampled_from(_WORDS)
_words = st.lists(_word, min_size=1, max_size=3).map(" ".join)


def _set(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    marks = st.sampled_from(("**", "*", "_", "__", "~~", "***"))
    text = st.lists(inner | _word, min_size=1, max_size=3).map(" ".join)
    return st.tuples(marks, text).map(lambda pair: f"{pair[0]}{pair[1]}{pair[0]}")


_code = st.tuples(st.sampled_from(("`", "``", "```")), _words).map(lambda p: f"{p[0]}{p[1]}{p[0]}")
_link = _words.map(lambda words: f"[{words}](https://a.example/)")
_emphasis = _set(_word | _code)
_fragment = (
    _words | _emphasis | _set(_emphasis) | _code | _link | _set(_link) | st.sampled_from(_LITERAL)
)
_line = st.lists(_fragment, min_size=1, max_size=6).map(" ".join)
_heads = st.sampled_from(("", "- ", "* ", "1. ", "> ", "## ", "- a\n\n  ", f"{TABLE}| c | "))


def shown(pieces: Sequence[Piece]) -> str:
    """What a reader sees of pieces, without the blanks, and without what may become a link."""
    text = "".join(
        piece.code.text
        if piece.code
        else "".join(run.text for p in piece.paragraphs for run in p.runs)
        for piece in pieces
    )
    return re.sub(r"[\s\[\]]", "", text)


def cuts(head: str, line: str, sources: Sequence[Source] = ()) -> list[tuple[str, str]]:
    """The beginnings of a block, from its first word on, and what is shown of each as it streams."""
    drafting = AnswerDraft()
    drafting.know(sources)
    drafting.add(head)
    pairs: list[tuple[str, str]] = []
    for n, character in enumerate(line, 1):
        drafting.add(character)
        view = drafting.view
        pairs.append((head + line[:n], shown((*view.pieces, *view.tail)) if view else ""))
    return pairs


@examples(50)
@given(_heads, _line)
@example("", "**Yes.** It is")
@example("", "***both***, and")
@example("", "**Use `ls -l` here.** So")
@example("", "This is **very\nimportant.** And so")
@example(TABLE, "| **c** x | **d** y")
@example("", "这是**重点**内容")
@example("", "`` ` `` is a tick")
@example("", "~~a~~ b")
@pytest.mark.exhaustive
def test_wherever_it_is_cut_no_mark_is_shown_that_the_whole_answer_does_not_show(
    head: str, line: str
):
    whole = shown(render(head + line).pieces)
    for beginning, seen in cuts(head, line):
        assert whole.startswith(seen), beginning


def _both(text: str) -> tuple[str, str]:
    """What is shown of an open block as it is, and with what is open in it closed."""
    stream = BlockStream()
    stream.add(text)
    tail = stream.tail
    as_closed = replace(tail, text=closed(tail))
    return shown(render_draft(tail)), shown(render_draft(as_closed))


@examples(120)
@given(st.text("abé重 .*_~\n", max_size=24))
@example("**x *a**b")
@example("*a ***b* c")
@example("**b * ")
@example("a**b** *c")
@example("._._a_")
def test_closing_shows_no_mark_and_takes_no_letter(text: str):
    seen, as_closed = _both(text)
    assert _letters(as_closed) == _letters(seen)
    assert len(as_closed) <= len(seen)


@examples(120)
@given(st.text("ab1 .*_~`\\[]()<!|\n", max_size=24))
@example("`` ` ")
@example("`a[1")
@example("`[a](b")
@example(r"\[a](b")
@example("- a\n  ```\n  x = **k")
@example("a `b](c) [d](e")
def test_what_is_closed_shows_nothing_that_was_not_written(text: str):
    assert _is_within(_both(text)[1], text)


def _letters(text: str) -> str:
    return re.sub(r"[*_~]", "", text)


def _is_within(part: str, whole: str) -> bool:
    """Whether the characters of a text stand in another in the same order."""
    rest = iter(whole)
    return all(character in rest for character in part)
