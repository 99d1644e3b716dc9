"""Formulas and addresses with brackets keep every character in the window and in an exported page; prices are no formulas."""

from __future__ import annotations

import re
from html import unescape

import pytest

from askance.citations.check.checking import check_citations
from askance.citations.markdown.grammar import markers
from askance.domain.conversation import Outcome, Usage
from askance.domain.events import Answered
from askance.presentation.transcripts import answer_html
from askance.ui.overlay.answer.markup import AnswerText, render, with_sources


def drawn(text: str) -> str:
    pieces = render(text, {1}).pieces
    return "\n".join(
        "".join(run.text for run in p.runs) for piece in pieces for p in piece.paragraphs
    )


def exported(text: str) -> str:
    end = Answered(text, (), (), Outcome.WEB, 0, Usage(), (), 0)
    return unescape(re.sub("<[^>]*>", "", answer_html(end, ""))).strip()


@pytest.mark.parametrize(
    "text",
    [
        r"\( v = \frac{-u \pm \sqrt{u^2 - 3w}}{2w} \)",
        r"\[ F = ma^2 \]",
        r"So $\mathbf{a}_{k}^{*} + \mathbf{b}_{k}^{*} = 2$ holds.",
        r"$$\begin{aligned} p &= q \\ r &= s \end{aligned}$$",
        r"$\{3, 4\} \subset \mathbb{Z}$ and $2*3*4$ and \(a_1 * b_{2}\).",
        r"\begin{align} u_{i}^{*} &= w_{j}^{*} \end{align}",
        "See https://wiki.example/Mole_(harbour) here.",
        "See https://data.example/find?a[1]=b&c[]=2 here.",
    ],
)
def test_every_character_stays(text: str) -> None:
    assert drawn(text) == exported(text) == text
    assert with_sources(AnswerText(text)).strip() == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It costs $5 *or* $10.", "It costs $5 or $10."),
        ("From $5 *million* to 10 US$ each.", "From $5 million to 10 US$ each."),
        (r"\(see *below*\) and \[this\]", "(see below) and [this]"),
        ("`$a` *and* `b$`", "$a and b$"),
        (r"2\*3 and \_x\_", "2*3 and _x_"),
    ],
)
def test_what_is_no_formula_is_set_as_before(text: str, shown: str) -> None:
    assert drawn(text) == exported(text) == shown


def test_a_bracket_in_an_address_is_no_citation_and_one_behind_it_is() -> None:
    address = "https://data.example/find?a[1]=b&c=2"
    assert check_citations(f"See {address} now.", []).text == f"See `{address}` now."
    text = f"See {address} [1]."
    assert [(marker.start, marker.n) for marker in markers(text, {1})] == [(text.index("[1]."), 1)]
