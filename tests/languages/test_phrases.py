"""What an answer says that is none, in each language, and what only sounds like it."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from askance.text.languages.language import CODES
from askance.text.languages.sentences import reports_nothing_found

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
