"""What is known of each language: whole, in one form, and enough to work with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.text.languages.language import BIGRAMS, CODES, Capitals, language, languages
from askance.text.languages.scripts import fold
from sampled import each_row

WORDS: dict[str, list[list[str]]] = json.loads(
    (Path(__file__).parent / "words.json").read_text(encoding="utf-8")
)
CASELESS = {"ar", "fa", "he", "hi", "zh", "ja", "ko", "th"}


@each_row("code", CODES)
def test_every_language_has_what_the_program_asks_of_it(code: str) -> None:
    known = language(code)
    assert known.code == code
    assert len(known.stop_words) >= 15
    assert len(known.question_words) >= 10
    assert len(known.months) == 12
    lists = (known.not_found, known.negations, known.both, known.either, known.than)
    assert all((*known.months, *lists))
    assert known.decimal in {".", ","}
    # Words are stored as they are compared.
    for words in (known.stop_words, known.question_words, known.abbreviations, known.name_joins):
        assert all(code in BIGRAMS or word == fold(word) for word in words)
        assert "" not in words
    assert (known.capitals is Capitals.NOTHING) == (code in CASELESS)
    assert (known.capitals is Capitals.NOUNS) == (code == "de")


def test_a_language_that_is_not_known_is_treated_as_english() -> None:
    assert language("") is language("xx") is language("en")
    assert [known.code for known in languages()] == list(CODES)


# Forms of one word, and what is written in two ways.
@each_row(("code", "one", "other"), [*WORDS["forms"], *WORDS["alike"]])
def test_forms_of_a_word_have_one_stem(code: str, one: str, other: str) -> None:
    stem = language(code).stem
    assert stem(one) == stem(other)


@pytest.mark.parametrize(
    ("code", "word", "bare"),
    WORDS["bare"],
)
def test_what_an_apostrophe_ties_to_a_word_is_taken_off(code: str, word: str, bare: str) -> None:
    assert language(code).bare(word) == bare


@given(st.sampled_from(CODES), st.text(min_size=1))
def test_every_word_has_a_stem(code: str, word: str) -> None:
    known = language(code)
    known.stem(word)
    assert known.bare(word)
