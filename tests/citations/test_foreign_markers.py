"""No marker of a page can become a citation of ours, in whatever spelling it is copied."""

from __future__ import annotations

import re
import unicodedata
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.citations.check.checking import check_citations
from askance.citations.markdown.answer_markers import lift_markers
from askance.citations.markdown.foreign_markers import clean_text, round_foreign_markers, seen_text
from askance.citations.markdown.quoting import quote_passages
from askance.domain.evidence import Extract, ExtractKind, Source
from sampled import each_row, examples

SPELLINGS = Path(__file__).with_name("foreign_markers.txt").read_text("utf-8").splitlines()
KNOWN = frozenset(range(1, 1000))
EXTRACTS = [Extract(n, ExtractKind.SNIPPET, "nothing to see") for n in range(1, 20)]
PLACES = ("It was so {}.", "{} It was so", "so{} it was", "({})", "> {}", "- {}: so", "10 m{}")


def test_there_are_enough_spellings():
    assert len(SPELLINGS) == len(set(SPELLINGS)) > 75


@each_row("spelling", SPELLINGS)
def test_a_pages_marker_is_none_in_an_answer_that_copies_it(spelling: str):
    for place in PLACES:
        copied = clean_text(place.format(spelling))
        assert lift_markers(copied, KNOWN).anchors == ()
        checked = check_citations(copied, EXTRACTS)
        assert checked.citations == ()
        assert clean_text(copied) == copied


UNTIDY = (
    "[_1_]", "[`1`]", "[<b>1</b>]", "[1\n]", "[\n1]", "[\U0001d7cf]", "[\u2460]", "[\\1]", "[1\u2003]",
    "[\u20031]", "[1,\n2]", "[1,\u20032]", "&#0091;1&#0093;", "&#91 1&#93",
)  # fmt: skip


@pytest.mark.parametrize("spelling", UNTIDY)
def test_a_pages_marker_is_none_in_an_answer_that_tidies_it_up(spelling: str):
    copied = clean_text(f"It was so {spelling}. And more.")
    for tidied in (
        unescape(copied),
        unicodedata.normalize("NFKC", copied),
        re.sub(r"<[^>]*>|[*_`~\\]", "", copied),
        " ".join(copied.split()),
    ):
        assert lift_markers(tidied, KNOWN).anchors == ()


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("It was so [3], [Source 3], [^3] and 【3†x】.", "It was so (3), (3), (3) and (3)."),
        ("It was so [1 and 2], [1-3], [1][2]", "It was so (1, 2), (1-3), (1)(2)"),
        ("It was so [S3] [cite:3] [Ref. 3]", "It was so (3) (3) (3)"),
        ("It was low<sup>3</sup>, and high³.", "It was low^3, and high^3."),
        ("10<sup>3</sup> m, x², H₂O, y³", None),
        ("It was low [2], <sup>3</sup>He sank.", "It was low (2), <sup>3</sup>He sank."),
        ("HTTP says [404] here, and [503].", None),
        ("[2019], [sic], [a], [], array[i], [12:30], [x] done", None),
        ("- [ ] to do (1) one (2019)", None),
    ],
)
def test_what_a_marker_said_stays_and_other_brackets_too(text: str, clean: str | None):
    assert round_foreign_markers(text) == (text if clean is None else clean)


@examples(400)
@given(
    st.lists(
        st.one_of(
            st.sampled_from([*SPELLINGS, "[", "]", "\\", "(", ")", " ", "1"]), st.text(max_size=4)
        ),
        max_size=8,
    ).map("".join)
)
def test_no_text_of_a_page_becomes_a_marker(text: str):
    assert lift_markers(clean_text(text), KNOWN).anchors == ()


def test_quoted_passages_keep_their_notes_as_text():
    extract = Extract(1, ExtractKind.PASSAGE, "The lamp was lit in 1887.[2] It turns [Source 3].")
    source = Source(1, "https://a.example/", "Lamps [2]", "a.example")
    text = quote_passages([extract], [source], question="Who?", opening="No model.")
    assert {c.n for c in check_citations(text, [extract]).citations} == {1}


def test_a_quote_is_kept_as_the_page_has_it():
    assert (
        seen_text("It rained.[3]\u200b  Then <s>it</s> [INST]")
        == "It rained.[3] Then <s>it</s> [INST]"
    )
