"""Where a sentence ends, and where it only seems to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.text.languages.sentences import sentence_spans, sentences


@pytest.mark.parametrize(
    "text",
    [
        "It rained.|Then it stopped!|Did it?|Yes.",
        "Dr. Smith met J. R. R. Tolkien in St. Louis.|They spoke.",
        "The U.S. Army came.|It left.",
        "See vol. 3, pp. 12 ff. for more.|It is long.",
        "The mast is 3.5 m high.|12 people built it.",
        "“Stop.”|She stopped.",
        '"Really?" he asked.|Nobody knew.',
        "He won.[3]|Then he left. [4]|She stayed.",
        "It ended (in 1990.)|A new one began.",
        "Wait…|What?",
        "Élan is a word.|Écoute.",
        "Он пришёл.|Она ушла.",
        "これは文です。|次の文。|「はい。」|終わり",
        "真的吗？|是的！|好",
        "a lower-case word. follows here",
        "version 2.0 is out",
    ],
)
def test_a_text_is_cut_at_its_sentences(text: str) -> None:
    expected = text.split("|")
    joiner = "" if any("\u3040" <= c <= "\u9fff" for c in text) else " "
    assert sentences(joiner.join(expected)) == expected


def test_a_line_break_ends_a_sentence_and_blank_lines_are_none() -> None:
    assert sentences("A heading\nA line\n\n\n  - an item  \n") == [
        "A heading",
        "A line",
        "- an item",
    ]


def test_an_abbreviation_at_the_end_of_a_line_ends_its_sentence() -> None:
    assert sentences("Brown & Co.\nAnother line") == ["Brown & Co.", "Another line"]


@pytest.mark.parametrize("text", ["", "   ", "\n\n"])
def test_nothing_has_no_sentences(text: str) -> None:
    assert sentences(text) == []


_PROSE = st.lists(
    st.sampled_from(
        [
            "Dr. ",
            "He ran",
            ". ",
            "! ",
            "\n",
            "。",
            "[1]",
            "“No.” ",
            " ",
            "Yes",
            "…",
            "日本",
            '"',
            "U.S. ",
        ]
    )
).map("".join)


@given(_PROSE | st.text())
def test_spans_cover_the_text_in_order(text: str) -> None:
    position = 0
    for start, end in sentence_spans(text):
        assert not text[position:start].strip()
        assert start < end
        assert text[start:end] == text[start:end].strip()
        position = end
    assert not text[position:].strip()
