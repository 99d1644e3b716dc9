"""Emphasis in scripts that have no spaces between words is set where CommonMark alone would show its marks."""

from __future__ import annotations

import re

import pytest

from askance.domain.conversation import Outcome, Usage
from askance.domain.events import Answered
from askance.presentation.transcripts import answer_html
from askance.ui.overlay.answer.markup import Style, render

# As public reports of other programs have it: anomalyco/opencode#38490, earendil-works/pi#3353.
SET = (
    ("含**「重点」**内容", "「重点」"),
    ("**不变。**源码", "不变。"),
    ("前文**\uff08测试\uff09**后文", "\uff08测试\uff09"),
    ("- **注意\uff1a**正文", "注意\uff1a"),
    ("说**“引用”**了", "“引用”"),
    ("*「斜」*体", "「斜」"),
    ("~~削除。~~文", "削除。"),
    ("**괄호(括弧)**는", "괄호(括弧)"),
    ("**[値](https://a.example)**です", "値 (a.example)"),
)
UNSET = ("中 ** 中 ** 文", "__真\uff0c__她", "5*「三", "a * 「b」 * c", "\u3000**\u3000")


def styled(text: str) -> list[str]:
    return [
        run.text
        for piece in render(text, ()).pieces
        for paragraph in piece.paragraphs
        for run in paragraph.runs
        if run.style & (Style.BOLD | Style.ITALIC | Style.STRUCK)
    ]


@pytest.mark.parametrize(("text", "emphasised"), SET)
def test_marks_beside_letters_without_spaces_set_what_is_between_them(
    text: str, emphasised: str
) -> None:
    assert styled(text) == [emphasised]
    end = Answered(text, (), (), Outcome.WEB, 0, Usage(), (), 0)
    exported = answer_html(end, "")
    assert re.search(r"<(strong|em|s|del)>", exported)
    assert not re.search(r"[*~]", exported)


@pytest.mark.parametrize("text", UNSET)
def test_marks_between_spaces_and_underlines_within_words_are_signs(text: str) -> None:
    assert styled(text) == []
