"""The answer while it is written."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.domain.evidence import Citation, Source, Support
from askance.ui.overlay.answer.answer_draft import AnswerDraft, DraftView, closed
from askance.ui.overlay.answer.markdown_blocks import MarkdownBlock, MarkdownBlockKind
from askance.ui.overlay.answer.markup import Piece, render
from call_counts import count_calls
from sampled import examples, sampled
from ui.model.drawn import drawn

SOURCES = [Source(1, "https://a.example/", "A", "a.example")]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("a **bol", "a **bol**"),
        ("a **bold ", "a **bold** "),
        ("a **bold*", "a **bold**"),
        ("a **", "a"),
        ("a **b *c", "a **b *c***"),
        ("a **bold** b", "a **bold** b"),
        ("2 * 3 and snake_case", "2 * 3 and snake_case"),
        ("5*3", "5*3"),
        ("run `ls -l", "run `ls -l`"),
        ("run `", "run"),
        ("`**x` **y", "`**x` **y**"),
        ("~~gone", "~~gone~~"),
        ("It was lit [1", "It was lit"),
        ("It was lit [", "It was lit"),
        ("see [sic", "see [sic"),
        ("see [site](http://a.exa", "see site"),
        ("done **here**\nand *now", "done **here**\nand *now*"),
        ("ends.\n", "ends.\n"),
    ],
)
def test_what_is_open_is_closed_for_the_eye(written: str, shown: str):
    assert closed(MarkdownBlock(MarkdownBlockKind.PARAGRAPH, written)) == shown


def test_open_code_is_left_as_it_is():
    assert closed(MarkdownBlock(MarkdownBlockKind.CODE, "```\na **b [1")) == "```\na **b [1"


def test_finished_blocks_stay_the_same_objects_and_the_tail_follows():
    drafting = AnswerDraft()
    drafting.know(SOURCES)
    drafting.add("First [1].\n\nSec")
    first = drafting.view
    assert first
    assert drawn(first.pieces) == "First. [[1]]"
    assert drawn(first.tail) == "Sec"
    drafting.add("ond [2].\n\n```py\nx = [1]\n```\n")
    later = drafting.view
    assert later
    assert later.pieces[0] is first.pieces[0]
    assert drawn(later.pieces[1:]) == "Second.\n\n```py\nx = [1]\n```"
    assert later.pieces[2].code
    assert later.pieces[2].code.text == "x = [1]"
    assert later.tail == ()


@pytest.mark.parametrize(
    "odd",
    sampled(
        ["`", "[", "[a", "![x](", "<", "\\", "- ", "> ", "*", "_a", "http://", "|-", " \t", "[1]", "`a``b```c", "a_"],
        every=5,
    ),
)  # fmt: skip
def test_a_long_line_of_anything_is_shown_in_time(odd: str):
    text = odd * (12_000 // len(odd)) + "x"
    started = time.process_time()
    drafting = AnswerDraft()
    drafting.know(SOURCES)
    drafting.add(text)
    assert drafting.view
    assert render(text, {1}, [Citation(1, text, 0, len(text), Support.WEAK)]).pieces
    assert time.process_time() - started < 3


def test_nothing_is_shown_while_nothing_is_written():
    drafting = AnswerDraft()
    drafting.add(" \n")
    assert drafting.view is None


@examples(200)
@given(st.text("ab *_`~[]()1!\n", max_size=40))
def test_whatever_is_written_what_was_drawn_once_stays_as_it_is(text: str):
    drafting = AnswerDraft()
    drafting.know(SOURCES)
    drawn: tuple[Piece, ...] = ()
    for n, character in enumerate(text, 1):
        drafting.add(character)
        view = drafting.view
        if view is None:
            assert not text[:n].strip(" \n[1!") or not drawn
            continue
        assert view.pieces[: len(drawn)] == drawn
        drawn = view.pieces


TWO_SOURCES = [
    Source(n, f"https://s{n}.example/", f"Source {n}", f"s{n}.example", None) for n in (1, 2)
]


def growing(unit: str, views: int, step: int = 1_490) -> list[int]:
    """The calls of each view of a paragraph that grows and grows, by `step` characters."""
    drafting = AnswerDraft()
    drafting.know(TWO_SOURCES)
    drafting.add("A ")
    calls: list[int] = []
    shown: list[DraftView | None] = []
    for _ in range(views):
        drafting.add(unit * (step // len(unit)))
        calls.append(count_calls(lambda: shown.append(drafting.view)))
    assert None not in shown
    return calls


@pytest.mark.parametrize(
    "unit",
    sampled(["**[1]**", "[", "![", "*", "|", "`", "<", "@", "[a](", "[1] ", "_"], every=11),
)
def test_an_open_paragraph_is_read_anew_only_as_far_as_a_paragraph_goes(unit: str) -> None:
    # Patterns are compiled at their first use, which is not of the text's making.
    growing(unit, 3, step=100)
    calls = growing(unit, 5)
    # From the third view on, each finds a block that is finished, and one that is open.
    assert max(calls[3:]) <= 1.1 * max(calls[:3])
