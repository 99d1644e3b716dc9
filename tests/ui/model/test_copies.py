"""What the clipboard gets of an answer in each way, of its tables, and what two versions of a text have changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.domain.evidence import Citation, Source, Support
from askance.ui.overlay.answer.copying import AnswerText, CopyKind, copy_of, table_cells
from askance.ui.overlay.answer.markdown_blocks import MarkdownBlockKind
from askance.ui.overlay.answer.markup import render
from askance.ui.overlay.answer.word_changes import Change, changed_words

SOURCES = (
    Source(1, "https://log.example/a", "The log", "log.example", "1999-02-03", False),
    Source(2, "https://ferry.example/b", "Ferries", "ferry.example", None, False),
)
TEXT = (
    "# Light\n\nIt was **lit** in *1863* [1]. See `lamp.sh` and [the log](https://log.example/a).\n\n"
    "1. First [1]\n2. Second\n   - inner\n\n- [x] done\n\n> Quoted words.\n\n"
    "| Lamp | Year |\n|---|---|\n| Oil \\| gas | 1863 [1] |\n| | 1931 |\n\n```sh\nmake **lamp**\n```\n"
)
CITATIONS = (Citation(1, "It was lit in 1863 [1].", 0, 10, Support.SUPPORTED, "lit in 1863"),)
ANSWER = AnswerText(TEXT, SOURCES, CITATIONS)
PIECES = render(TEXT, {1, 2}, CITATIONS).pieces


def test_text_only_has_no_sign_of_markdown_and_no_number():
    text, page = copy_of(CopyKind.WORDS, ANSWER, PIECES)
    assert page == ""
    assert text == (
        "Light\n\nIt was lit in 1863. See lamp.sh and the log.\n\n"
        "1. First\n2. Second\n  - inner\n\n- done\n\nQuoted words.\n\n"
        "Lamp\tYear\nOil | gas\t1863\n\t1931\n\nmake **lamp**\n"
    )


def test_the_list_of_citations_has_those_that_are_cited_and_links_them():
    text, page = copy_of(CopyKind.CITATIONS, ANSWER, PIECES)
    address = "https://log.example/a#:~:text=lit%20in%201863"
    assert text == f"- [1] The log, log.example, 3 February 1999\n  {address}\n"
    assert page.startswith('<ul><li>[1] <a href="https://log.example/a#')
    assert "Ferries" not in text + page


def test_html_is_pasted_as_its_source_where_words_are_wanted():
    text, page = copy_of(CopyKind.HTML, ANSWER, PIECES)
    assert text == page
    assert "<strong>lit</strong>" in page


def test_text_with_sources_comes_as_markdown_and_as_html():
    text, page = copy_of(CopyKind.WITH_SOURCES, ANSWER, PIECES)
    assert "**lit**" in text
    assert "https://log.example/a" in text
    assert "<strong>lit</strong>" in page


def test_the_cells_of_a_table_come_with_tabs_and_as_html():
    (table,) = (piece for piece in PIECES if piece.kind is MarkdownBlockKind.TABLE)
    text, page = table_cells(table)
    assert text == "Lamp\tYear\nOil | gas\t1863\n\t1931\n"
    assert page == (
        "<table><tr><td>Lamp</td><td>Year</td></tr>"
        "<tr><td>Oil | gas</td><td>1863</td></tr><tr><td></td><td>1931</td></tr></table>"
    )


@pytest.mark.parametrize(
    "hostile", ["<img src=x onerror=alert(1)>", "=HYPERLINK(1)", "a\tb", "<script>"]
)
def test_a_cell_is_text_whatever_stands_in_it(hostile: str):
    (table,) = render(f"| A |\n|---|\n| `{hostile}` |\n").pieces
    text, page = table_cells(table)
    assert text.splitlines()[1].count("\t") == 0
    assert "<img" not in page
    assert "<script" not in page


def test_changes_are_told_word_by_word():
    assert list(changed_words("It were lit  late.", "It was lit late at night.")) == [
        (Change.SAME, "It "),
        (Change.REMOVED, "were "),
        (Change.ADDED, "was "),
        (Change.SAME, "lit "),
        (Change.REMOVED, "late. "),
        (Change.ADDED, "late at night."),
    ]


@given(st.text(max_size=80), st.text(max_size=80))
def test_what_stayed_and_what_came_in_is_the_new_text(before: str, after: str):
    changes = list(changed_words(before, after))
    now = "".join(words for change, words in changes if change is not Change.REMOVED)
    assert now.split() == after.split()
    then = "".join(words for change, words in changes if change is not Change.ADDED)
    assert then.split() == before.split()
