"""Markers become links, doubts are marked where they are, and everything else stays as written."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askance.domain.evidence import Citation, Support
from askance.ui.overlay.answer.citation_links import Doubt, MarkerTarget, target_of
from askance.ui.overlay.answer.markdown_blocks import split
from askance.ui.overlay.answer.markup import render, render_draft
from sampled import each_row
from ui.model.drawn import drawn

W, U, S = Support.WEAK, Support.UNSUPPORTED, Support.SUPPORTED


def cited(text: str, sentence: str, n: int, support: Support) -> Citation:
    start = text.index(sentence)
    return Citation(n, sentence, start, start + len(sentence), support, "a quote")


@each_row(
    ("text", "markdown"),
    [
        ("Lit in 1887 [1][2].", "Lit in 1887. [[1]][[2]]"),
        ("No such [7].", "No such [7]."),
        ("`a[1]` and [1]", "`a[1]` and [[1]]"),
        ("``` `` ```[1]", "````[[1]]"),
        ("```py\na[1]\n```", "```py\na[1]\n```"),
        ("```py\na[1]", "```py\na[1]\n```"),
        ("~~~\n```\n~~~", "```\n```\n```"),
        (r"\[1\] is written", "[1] is written"),
        ("Look ![a picture](http://e.example/p.png) here", "Look a picture here"),
        ("[site](https://a.example/x_(y))", "[site](https://a.example/x_%28y%29)"),
        ('[site](<https://a.example/a b> "title")', "[site](https://a.example/a%20b)"),
        ("[x](javascript:alert)", "x"),
        ("[C:\\\\](https://a.example)", "[C:\\](https://a.example)"),
        ("C:\\dir and\\\nmore", "C:\\dir and\nmore"),
        ("See https://a.example/b_c.", "See [https://a.example/b_c](https://a.example/b_c)."),
        ("xhttps://a.example, (https://b.example/(c)).", "xhttps://a.example, ([https://b.example/(c)](https://b.example/%28c%29))."),
        ("<https://a.example>", "[https://a.example](https://a.example)"),
        ("a@b.example <i> http:// x", "a@b.example <i> http:// x"),
        ("Wow![1]", "Wow![[1]]"),
        ("- [x] done [1]\n- [ ] open", "- [x] done [[1]]\n- [ ] open"),
        ("a<br>b", "a b"),
        ("---\ntitle: x", "***\n\ntitle: x"),
        ("- a\n- b\n\n- c\n\ntext", "- a\n- b\n\n- c\n\ntext"),
        ("1. a\n\n   ```\n   x\n   ```\n\n   more\n2. b", "1. a\n\n```\nx\n```\n\nmore\n2. b"),
        ("> ```\n> x\nout of it", "```\nx\n```\n\nout of it"),
        ("2) a\n   - b\n\n     c", "2) a\n  - b\n  c"),
        ("| `a | b` |\n|---|---|", "| **`a** | **b`** |"),
        ("| `[a \\| b` |\n|---|\n| c\\|d [1]. |", "| `**[a | b**` |\n| c|d. [[1]] |"),
        ("***a** b* ~~c~~", "***a**** b* ~~c~~"),
    ],
)  # fmt: skip
def test_an_answer_is_drawn_as_it_is_meant(text: str, markdown: str):
    assert drawn(render(text, {1, 2}).pieces) == markdown


@pytest.mark.parametrize(
    ("text", "sentence", "n", "shown"),
    [
        ("So it was. It may be so [1].", "It may be so [1].", 1, "So it was. <It may be so>. [[1/0]]"),
        ("It [1], they say.", "It [1], they say.", 1, "<It> [[1/0]], they say."),
        ("[1] It may be.", "[1] It may be.", 1, "[[1/0]] <It may be.>"),
        (r"\[a\] so [1].", r"[a\] so [1].", 1, "<[a] so>. [[1/0]]"),
        ("**Bold start** ends [1].", "Bold start** ends [1].", 1, "<**Bold start** ends>. [[1/0]]"),
        ("**All of it** [1]", "**All of it** [1]", 1, "<**All of it**> [[1/0]]"),
        ("- item `a[1]` here [1]", "item `a[1]` here [1]", 1, "- <item `a[1]` here> [[1/0]]"),
        ("| a | b |\n|---|---|\n| a | said [1] |", "| a | said [1] |", 1, "| **a** | **b** |\n| a | <said> [[1/0]] |"),
        ("A link [x](http://a.example) [2]", "A link [x](http://a.example) [2]", 2, "<A link [x](http://a.example)> [[2/0]]"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("support", [W, U])
def test_words_that_no_source_carries_are_marked_up_to_the_marker(
    text: str, sentence: str, n: int, shown: str, support: Support
):
    rendered = render(text, {1, 2}, [cited(text, sentence, n, support)])
    assert drawn(rendered.pieces) == shown
    assert [doubt.support for doubt in rendered.doubts] == [support]


def test_supported_words_are_not_marked():
    text = "It is so [1]."
    rendered = render(text, {1}, [cited(text, text, 1, S)])
    assert rendered.doubts == ()
    assert drawn(rendered.pieces) == "It is so. [[1/0]]"


def test_one_source_that_carries_the_words_is_enough_for_a_group():
    text = "It is so [1][2]. And this too [1][2]."
    first, second = "It is so [1][2].", "And this too [1][2]."
    citations = [
        cited(text, first, 1, W),
        cited(text, first, 2, S),
        cited(text, second, 1, U),
        cited(text, second, 2, W),
    ]
    (doubt,) = render(text, {1, 2}, citations).doubts
    assert doubt == Doubt(17, 29, W)
    assert text[doubt.start : doubt.end] == "And this too"


def test_each_marker_names_its_own_citation_where_a_source_is_cited_twice():
    text = "First [2] and then [2]. Later [2]."
    one, two = "First [2] and then [2].", "Later [2]."
    citations = [cited(text, one, 2, S), cited(text, one, 2, W), cited(text, two, 2, S)]
    rendered = render(text, {2}, citations)
    assert drawn(rendered.pieces) == "First [[2/0]] <and then>. [[2/1]] Later. [[2/2]]"
    (doubt,) = rendered.doubts
    assert text[doubt.start : doubt.end] == "and then"


def test_a_marker_far_from_every_citation_names_its_source_alone():
    rendered = render("It is so [1].\n\nElsewhere it stands again [1].", {1}, [
        Citation(1, "It is so [1].", 0, 13, S)
    ])  # fmt: skip
    assert drawn(rendered.pieces) == "It is so. [[1/0]]\n\nElsewhere it stands again. [[1]]"


@example("https://a.example [b](c) x\r[1]", 0, 0)
@given(st.text("ab `*_[1]|\n-> #\r\0\t\\", max_size=30), st.integers(0, 30), st.integers(0, 30))
def test_every_run_knows_where_its_words_stand(text: str, a: int, b: int):
    start, end = sorted((min(a, len(text)), min(b, len(text))))
    rendered = render(text, {1}, [Citation(1, text[start:end], start, end, W)])
    for piece in rendered.pieces:
        for run in (run for paragraph in piece.paragraphs for run in paragraph.runs):
            assert 0 <= run.start <= run.end <= len(text)
            if run.n:
                assert text[run.start : run.end] == "[1]"
            assert run.doubt is None or run.doubt in rendered.doubts
            assert run.doubt is None or run.start < run.doubt.end


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("cite:3", MarkerTarget(3)),
        ("cite:12/4", MarkerTarget(12, 4)),
        ("cite:x", None),
        ("cite:1/", None),
        ("https://a.example/cite:1", None),
    ],
)
def test_a_link_is_known_by_what_it_names(link: str, target: MarkerTarget | None):
    assert target_of(link) == target


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("It was lit [1, 2] then【2】.", "It was lit [[1]][[2]] then. [[2]]"),
        ("Lit [9].", "Lit."),
        ("`a[9]`", "`a[9]`"),
        ("```\n[9]", "```\n[9]\n```"),
    ],
)
def test_a_draft_shows_its_markers_as_the_answer_will(text: str, markdown: str):
    (block,) = split(text)
    assert drawn(render_draft(block, {1, 2})) == markdown


def test_a_chat_has_no_markers_to_take_out():
    (block,) = split("An array: [9] or [1].")
    assert drawn(render_draft(block)) == "An array: [9] or [1]."


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("[the timetable](https://evil.example/x)", "[the timetable (evil.example)](https://evil.example/x)"),
        ("[a bank](https://bank.example@evil.example/)", "[a bank (evil.example)](https://bank.example@evil.example/)"),
        ("[*your* account](<https://evil.example>)", "[*your*](https://evil.example)[ account (evil.example)](https://evil.example)"),
        ("[evil.example](https://evil.example/x)", "[evil.example](https://evil.example/x)"),
        ("<https://evil.example>", "[https://evil.example](https://evil.example)"),
    ],
)  # fmt: skip
def test_a_link_of_an_answer_without_sources_says_where_it_leads(text: str, markdown: str):
    assert drawn(render(text).pieces) == markdown
    assert "".join(drawn(render_draft(block)) for block in split(text)) == markdown


def test_a_link_to_a_source_keeps_its_words():
    url = "https://one.example/page"
    assert drawn(render(f"[the page]({url})", {1}, (), {url}).pieces) == f"[the page]({url})"
