"""Where a sentence ends in each language, and which say that nothing was found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.text.languages.language import CODES
from askance.text.languages.sentences import reports_nothing_found, sentence_spans, sentences
from sampled import each_row

HERE = Path(__file__).parent
TEXTS: dict[str, list[str]] = json.loads((HERE / "texts.json").read_text(encoding="utf-8"))
ENDS: dict[str, list[str]] = json.loads((HERE / "ends.json").read_text(encoding="utf-8"))
# Thai has no end marks: a line is what ends.
JOINERS = {"zh": "", "ja": "", "th": "\n"}


def cut(text: str, code: str = "") -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text, code)]


@each_row("code", CODES)
def test_five_sentences_are_five(code: str) -> None:
    """Initials, titles, decimal numbers, quotes, and every mark that the language has."""
    assert cut(JOINERS.get(code, " ").join(TEXTS[code])) == TEXTS[code]


@each_row("code", CODES)
def test_a_language_that_is_told_is_not_asked_for(code: str) -> None:
    assert cut(JOINERS.get(code, " ").join(TEXTS[code]), code) == TEXTS[code]


@pytest.mark.parametrize("code", ENDS)
def test_what_may_end_a_sentence_or_go_on(code: str) -> None:
    assert cut(JOINERS.get(code, " ").join(ENDS[code]), code) == ENDS[code]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One; Two is not another.", ["One; Two is not another."]),
        ("Am 3. Mai.", ["Am 3.", "Mai."]),
        ("It was in room 3. May came.", ["It was in room 3.", "May came."]),
        ("He lives in Łódź. Łukasz too.", ["He lives in Łódź.", "Łukasz too."]),
        ("end.\nlower case", ["end.", "lower case"]),
    ],
)
def test_what_is_english_or_of_no_language_is_cut_as_english(text: str, parts: list[str]) -> None:
    assert cut(text, "en") == parts


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


_PIECES = st.lists(
    st.sampled_from(
        [
            *(f"{sentence} " for code in CODES for sentence in TEXTS[code]),
            *'।॥؟\u06d4;。！.?…»“”「」" \n',
            "Dr. ",
            "U.S. ",
            "[1]",
            "\u200d",
            "П. ",
            "3. ",
        ]
    ),
    max_size=12,
).map("".join)


@given(_PIECES | st.text(), st.sampled_from(["", *CODES]))
def test_no_text_is_lost_between_sentences(text: str, code: str) -> None:
    position = 0
    for start, end in sentence_spans(text, code):
        assert not text[position:start].strip()
        assert start < end
        assert text[start:end] == text[start:end].strip()
        position = end
    assert not text[position:].strip()


TEXT: dict[str, list[str]] = json.loads(
    (Path(__file__).parent / "nothing.json").read_text(encoding="utf-8")
)


def test_every_language_has_its_sentences() -> None:
    assert set(TEXT) == set(CODES)


def test_a_phrase_may_have_words_between_choices_and_beginnings() -> None:
    assert reports_nothing_found(
        "The sources do not mention it.", ["they", "do", "not", "mentioned"]
    )
    assert reports_nothing_found("It could not be found.", ["it", "could", "not", "be", "found"])
    assert not reports_nothing_found("The book is not old.", ["the", "book", "is", "not", "old"])
    assert not reports_nothing_found("", [])


def test_what_a_gap_may_hold_has_an_end() -> None:
    between = ["etwas"] * 6
    sentence = "Das konnte ich nicht finden, und das ist auch gut so."
    assert reports_nothing_found(sentence, ["konnte", *between, "nichts", *between, "finden"])
    assert not reports_nothing_found(
        sentence, ["konnte", *between, "und", "nichts", "und", "finden"]
    )


@given(st.text(), st.lists(st.text(max_size=8)))
def test_any_words_can_be_asked_about(sentence: str, words: list[str]) -> None:
    assert reports_nothing_found(sentence, words) in {True, False}
