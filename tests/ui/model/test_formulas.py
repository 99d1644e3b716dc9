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
from askance.ui.overlay.answer.copying import AnswerText, with_sources
from askance.ui.overlay.answer.markup import Style, TextRun, render


def drawn(text: str) -> str:
    pieces = render(text, {1}).pieces
    return "\n".join(
        "".join(run.text for run in p.runs) for piece in pieces for p in piece.paragraphs
    )


def runs(text: str) -> list[TextRun]:
    pieces = render(text, {1}).pieces
    return [run for piece in pieces for paragraph in piece.paragraphs for run in paragraph.runs]


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


ONE = (
    r"$p=25.6\$$|$$\tag{1} x=1$$|"
    "$ax^2 + bx$|$x$|$f(x)$|$n-1$|$5x$|$x_{ij}$|$E=mc^2$|$$x=1$$|$O(n^2)$|$p=0.05$|$F = ma$"
)
NONE = (
    "$5 and $10|$5-$10|A$/B$|$/B$|$1=CA$ 1.3|($5m) and (US$)|US$5/US$10|5$ or 10$|$10$|$5k$|Bar A $$, B $$|$$ to $$$"
    "|$HOME_DIR:$PATH|$PATH$|$user_x$|$A_B:$C|a $ b $ c|$USD=1$|`$x$`|\\$x$|$\\color{white}{x}$|$x \\phantom{y}$|$x \\tag{see below}$"
)


def test_dollars_are_a_formula_only_where_nothing_else_can_be_meant() -> None:
    for text in ONE.split("|"):
        assert [run.style for run in runs(f"So {text} holds.")] == [
            Style.PLAIN,
            Style.FORMULA,
            Style.PLAIN,
        ]
    for text in NONE.split("|"):
        assert not any(run.style & Style.FORMULA for run in runs(f"So {text} holds.")), text


# As public reports of other programs have it: lobehub/lobehub#8553, danny-avila/LibreChat#7894,
# lmstudio-ai/lmstudio-bug-tracker#217.
PRICES = (
    "They pay **$1.50** for kale, her **Marginal Revenue (MR)**: for every bundle she makes $1.50.",
    "a **Casa FM** (R$ 12,29/metro), seguida pela **Polo** (R$ 15,83/metro) e a **Real** (R$ 18,60).",
    "**I** have $24000 and **you** have $40000, *not* $5.",
)


@pytest.mark.parametrize("text", PRICES)
def test_words_between_prices_keep_their_emphasis_and_are_no_formula(text: str) -> None:
    emphasised = [run.text for run in runs(text) if run.style]
    assert emphasised == [found.strip("*") for found in re.findall(r"\*\*?[^*]+\*\*?", text)]
    assert drawn(text) == text.replace("*", "")


def test_a_dollar_within_a_formula_does_not_end_it() -> None:
    # As a public report of another program has it: gwdg/chat-ai#144.
    text = r"The rate is \(e=5.2\frac{\$}{\text{EUR}}\), and the price is $p=25.6\$$."
    assert [run.text for run in runs(text) if run.style is Style.FORMULA] == [
        r"\(e=5.2\frac{\$}{\text{EUR}}\)",
        r"$p=25.6\$$",
    ]


def test_a_formula_of_its_own_line_gets_one_with_what_ends_its_sentence() -> None:
    text = "It is\n\\[\na = b\n\\].\nThen **$x$ is** it [1]."
    piece = render(text, {1}).pieces[0]
    lines = ["".join(run.text for run in paragraph.runs) for paragraph in piece.paragraphs]
    assert lines == ["It is", "\\[ a = b \\].", "Then $x$ is it. [1]"]
    assert runs(text)[4].style == Style.BOLD | Style.FORMULA
    cells = render("| a | b |\n|---|---|\n| $$x=1$$ | it is $$y=2$$ so |").pieces[0].paragraphs
    assert [cell.cell for cell in cells] == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_a_bracket_in_an_address_is_no_citation_and_one_behind_it_is() -> None:
    address = "https://data.example/find?a[1]=b&c=2"
    assert check_citations(f"See {address} now.", []).text == f"See `{address}` now."
    text = f"See {address} [1]."
    assert [(marker.start, marker.n) for marker in markers(text, {1})] == [(text.index("[1]."), 1)]
