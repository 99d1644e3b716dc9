"""Markers: where each leads, and the sign of a doubt."""

from __future__ import annotations

import dataclasses

from askance.domain.events import Answered
from askance.domain.evidence import Citation, Support
from askance.presentation.answers import SIGNS, fragment_url, legend, link_of, support_word
from askance.presentation.transcripts import markers_of, signed
from cli.runs import ANSWERED, CITATIONS, SOURCES, TEXT


def answered(text: str, citations: tuple[Citation, ...] = CITATIONS) -> Answered:
    return dataclasses.replace(ANSWERED, answer=text, sources=SOURCES, citations=citations)


def test_each_marker_opens_its_page_at_its_own_quote() -> None:
    assert [marker.url for marker in markers_of(answered(TEXT))] == [
        fragment_url(SOURCES[0].url, "lit in 1887"),
        fragment_url(SOURCES[1].url, "painted white"),
        SOURCES[1].url,
    ]


def test_a_doubt_is_a_sign_behind_the_marker_and_not_only_a_colour() -> None:
    shown = signed(answered(TEXT))
    assert shown == TEXT.replace("white** [2]", "white** [2]≈").replace("turn [2]", "turn [2]✗")


def test_the_legend_explains_the_signs_that_were_used_and_no_others() -> None:
    assert legend([Support.SUPPORTED]) == ()
    (weak,) = legend([Support.SUPPORTED, Support.WEAK])
    assert weak == f"{SIGNS[Support.WEAK]} {support_word(Support.WEAK)}"
    assert [item[0] for item in legend(list(Support))] == ["≈", "✗"]


def test_a_marker_right_behind_its_sentence_still_belongs_to_it() -> None:
    citation = Citation(1, "Lit.", 0, 4, Support.WEAK)
    shown = signed(answered("Lit. [1] And more of it here [1].", (citation,)))
    assert shown == "Lit. [1]≈ And more of it here [1]."


def test_an_index_in_code_is_left_alone_and_so_is_what_names_no_source() -> None:
    text = "Row `a[1]` holds it [7]."
    assert signed(answered(text, ())) == text


def test_only_a_web_address_becomes_a_link() -> None:
    for url in ("javascript:alert(1)", "file:///etc/passwd", "https://a.example/ \\x"):
        assert link_of(dataclasses.replace(SOURCES[0], url=url), "quote") == ""
