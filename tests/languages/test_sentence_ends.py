"""Where a sentence ends in each language, and where it only seems to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.text.languages.language import CODES
from askance.text.languages.sentences import sentence_spans
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
    ("text", "sentences"),
    [
        ("One; Two is not another.", ["One; Two is not another."]),
        ("Am 3. Mai.", ["Am 3.", "Mai."]),
        ("It was in room 3. May came.", ["It was in room 3.", "May came."]),
        ("He lives in Łódź. Łukasz too.", ["He lives in Łódź.", "Łukasz too."]),
        ("end.\nlower case", ["end.", "lower case"]),
    ],
)
def test_what_is_english_or_of_no_language_is_cut_as_english(
    text: str, sentences: list[str]
) -> None:
    assert cut(text, "en") == sentences


_PIECES = st.lists(
    st.sampled_from(
        [
            *(f"{sentence} " for code in CODES for sentence in TEXTS[code]),
            *"।॥؟\u06d4;。！.?…»“”「」 \n",
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
