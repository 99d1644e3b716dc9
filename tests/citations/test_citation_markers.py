"""The forms in which models write markers, and the one in which they come out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askance.citations.check.checking import check_citations
from askance.domain.evidence import Extract, ExtractKind
from sampled import each_row

EXTRACTS = [Extract(n, ExtractKind.SNIPPET, "nothing to see") for n in range(1, 6)]


def checked(text: str) -> str:
    return check_citations(text, EXTRACTS).text


@each_row(
    ("written", "set_as"),
    [
        ("It was so [1].", "It was so [1]."),
        ("It was so[1].", "It was so [1]."),
        ("It was so. [1]", "It was so [1]."),
        ("It was so.[1] Then came more.", "It was so [1]. Then came more."),
        ("It was so. [1] Then came more.", "It was so [1]. Then came more."),
        ("It was so [1][2].", "It was so [1][2]."),
        ("It was so [1], [2].", "It was so [1][2]."),
        ("It was so [1, 2; 4].", "It was so [1][2][4]."),
        ("It was so [1-3].", "It was so [1][2][3]."),
        ("It was so [Sources 4–9].", "It was so [4][5]."),
        ("It was so [1] [1].", "It was so [1]."),
        ("It was so 【2】.", "It was so [2]."),
        ("It was so【2†source】.", "It was so [2]."),
        ("It was so[^3].", "It was so [3]."),
        ("It was so [Source 1].", "It was so [1]."),
        ("It was so (Sources 1 and 2).", "It was so [1][2]."),
        ("It was so ([1], [2]).", "It was so [1][2]."),
        ("It was so **[1]**.", "It was so [1]."),
        ("It was so<sup>[1]</sup>.", "It was so [1]."),
        (r"It was so \[1\].", "It was so [1]."),
        ("It was so [[1]](http://a.example/x).", "It was so [1]."),
        ("It was so [1](http://a.example/x).", "It was so [1]."),
        ("[1] It was so.", "It was so [1]."),
        ("- [1] It was so.\n- And so.", "- It was so [1].\n- And so."),
        ("It was so.\n[1][2]\n", "It was so [1][2].\n\n"),
        ("It was so [1]! And so [2]?", "It was so [1]! And so [2]?"),
        ("He lived in the U.S. [1] And so on.", "He lived in the U.S. [1] And so on."),
        ("So, [1] it was, and so [2] on.", "So [1], it was, and so [2] on."),
        ("**It was so.** [1]", "**It was so.** [1]"),
        ("“It was so.” [1]", "“It was so.” [1]"),
        (
            "| a | b [1] |\n|---|---|\n| [2] c | d [3] |",
            "| a | b [1] |\n|---|---|\n| [2] c | d [3] |",
        ),
        ("## So [1]\nIt.", "## So [1]\nIt."),
        ("事实如此。[1]", "事实如此[1]。"),
    ],
)
def test_every_form_becomes_one(written: str, set_as: str):
    assert checked(written) == set_as
    assert checked(set_as) == set_as


@pytest.mark.parametrize(
    "text",
    [
        "There are (1) one and (2) two ways.",
        "He came in [2019] and left.",
        "Use `list[1]` or ``a[99]`` here.",
        "```python\nx[1] = y[99]  # [2]\n```",
        "~~~\n[99]\n~~~\nDone.",
        "```\nopen fence [99]",
        "- [ ] to do\n- [x] done",
        "An array[i] is no marker, nor is [sic].",
    ],
)
def test_what_only_looks_like_a_marker_stays(text: str):
    assert checked(text) == text


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("See [the page](http://evil.example/?q=secret) now.", "See the page now."),
        ('See [the page](http://evil.example "title") now.', "See the page now."),
        ("See ![a picture](http://evil.example/p.png) now.", "See a picture now."),
        ("See ![1](p.png) now.", "See !\\[1](p.png) now."),
        ("See [![x](http://a.example)](http://b.example) now.", "See x now."),
        ("It is so [99](http://evil.example).", "It is so."),
        ("[foo]: http://evil.example", "[foo] `http://evil.example`"),
        ("[1]: http://evil.example", "[1] `http://evil.example`"),
    ],
)
def test_no_link_target_hides_behind_a_text(written: str, left: str):
    assert checked(written) == left


def test_counts_of_removed_markers_name_each_number_once():
    result = check_citations("It was so [8]. And so it was [Sources 9, 1, 10].", EXTRACTS)
    assert result.removed == 3


STYLES = json.loads(Path(__file__).with_name("citation_styles.json").read_text("utf-8"))
THREE = [Extract(n, ExtractKind.SNIPPET, "nothing to see") for n in range(1, 4)]


def test_there_are_enough_styles() -> None:
    assert len({written for written, _ in STYLES}) >= 147


@each_row(("written", "set_as"), STYLES)
def test_a_plain_citation_is_read(written: str, set_as: str) -> None:
    checked = check_citations(written, THREE)
    assert checked.text == set_as
    again = check_citations(set_as, THREE)
    assert (again.text, again.citations) == (set_as, checked.citations)
