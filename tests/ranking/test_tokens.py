"""Words, stems and counts, in the scripts that the web is written in."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.text.languages.language import CODES
from askance.text.languages.scripts import fold
from askance.text.ranking.index_terms import (
    STOP_WORDS,
    VIETNAMESE,
    compared_in,
    count_words,
    index_terms,
    stem,
    term_spans,
    terms,
    words,
)
from sampled import each_row


@each_row(
    ("text", "expected"),
    [
        ("The CAT sat.", ["the", "cat", "sat"]),
        ("Café naïve Ærø", ["cafe", "naive", "aero"]),
        ("straße İstanbul", ["strasse", "istanbul"]),
        ("the dog's bone, the boys' bones", ["the", "dog", "bone", "the", "boys", "bones"]),
        ("the dog’s bone", ["the", "dog", "bone"]),
        ("don't O'Brien", ["don't", "o'brien"]),
        ("snake_case e-mail 3.14", ["snake", "case", "e", "mail", "3", "14"]),
        ("ﬁsh \uff21\uff22", ["fish", "ab"]),
        ("日本語", ["日本", "本語"]),
        ("日", ["日"]),
        ("日本。東京", ["日本", "東京"]),
        ("ลม", ["ลม"]),
        ("ทะเล", ["ทะ", "ะเ", "เล"]),
        ("한국어를 배우다", ["한국", "국어", "어를", "배우", "우다"]),
        ("abc日本def", ["abc", "日本", "def"]),
        ("Иванов и сын", ["иванов", "и", "сын"]),
        ("हिन्दी की किताबें", ["हिनदी", "की", "किताबें"]),
        ("क्\u200dष", ["कष"]),
        ("كِتَابٌ قديم", ["كتاب", "قديم"]),
        ("2012'de 80's 6'2", ["2012", "80", "6'2"]),
        (
            "10⁵ cells, 3 m², Total¹² H₂O",
            ["10", "5", "cells", "3", "m", "2", "total", "12", "h2o"],
        ),
        ("東京¹は", ["東京", "1", "は"]),
        ("", []),
        ("… — !?", []),
    ],
)
def test_words_are_folded_and_in_order(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize("mark", "’‘ʼʻʹʿ＇´׳")  # noqa: RUF001 - what stands in texts
def test_another_apostrophe_makes_no_other_word(mark: str) -> None:
    text = "O'Brien doesn't see the ship's clock, 2012'de, комп'ютер, ג'ירפה, presqu'île, 80's"
    other = text.replace("'", mark)
    for code in ("", "fr", "tr", "uk", "he"):
        assert words(other, code) == words(text, code)
        assert term_spans(other, code) == term_spans(text, code)
    assert count_words(other) == count_words(text)


def test_what_a_word_is_without_its_marks_stands_behind_the_terms_of_a_text() -> None:
    found = index_terms("pod dubovým stolem, kolem øl", "cs")
    assert found == [*terms("pod dubovým stolem, kolem øl", "cs"), "dubovym", "oel"]
    assert index_terms("under an oaken table") == terms("under an oaken table")


def test_an_accent_that_stands_apart_makes_no_other_word() -> None:
    text = "Café Ærøskøbing crème brûlée, naïve Žižek"
    assert words(unicodedata.normalize("NFD", text)) == words(text)


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_the_short_way_through_plain_ascii_gives_the_same_words(text: str) -> None:
    assert words(f"{text} é") == [*words(text), "e"]


@given(st.text(alphabet=st.characters(max_codepoint=0x24F)))
def test_every_text_has_words_without_capitals_or_accents(text: str) -> None:
    for word in words(text):
        assert word
        assert word == fold(word)


def test_terms_leave_out_the_words_that_every_text_has() -> None:
    assert terms("Who was the keeper of the lighthouse?") == [stem("keeper"), stem("lighthouse")]
    assert terms(" ".join(STOP_WORDS)) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("one two  three", 3),
        ("don't stop", 2),
        ("日本語", 2),
        ("日本語の", 2),
        ("日", 1),
        ("한국어를 배우다", 4),
        ("two 日本 words", 3),
        ("", 0),
        ("- * 1.", 1),
    ],
)
def test_two_characters_without_spaces_count_as_a_word(text: str, count: int) -> None:
    assert count_words(text) == count


def test_accents_without_end_are_folded_in_pieces_and_to_the_same_word() -> None:
    marks = "\u0301\u0323\u0327" * 400
    assert fold(f"e{marks}e{marks}") == "ee"
    assert fold("Café " * 300) == "cafe " * 300


@pytest.mark.parametrize(
    ("code", "one", "other"),
    [
        ("", "lighthouses running Café's", "lighthouse runs cafes"),
        ("", "batteries", "battery"),
        ("fr", "l’eau de l'Île", "eaux îles"),
        ("tr", "2012'de Ankara’da kulelerde", "2012 Ankara kule"),
        ("de", "die Häuser der Städte", "Haus Stadt"),
        ("hi", "मीनारों की किताबें", "मीनार किताब"),
        ("ja", "東京の塔", "東京の塔"),
    ],
)
def test_forms_share_a_term_in_their_own_language(code: str, one: str, other: str) -> None:
    assert terms(one, code) == terms(other, code)
    assert terms(one, code)


def test_words_are_those_of_their_language_or_of_english() -> None:
    text = "The lighthouses of Kelhaven"
    assert terms(text) == terms(text, "en") == [stem("lighthouses"), stem("kelhaven")]
    assert words("L’Île d'Élise", "fr") == ["ile", "elise"]


@given(st.text(), st.sampled_from(["", *CODES]))
def test_no_text_is_without_words_for_want_of_its_language(text: str, code: str) -> None:
    assert bool(words(text, code)) == bool(words(text))
    assert len(terms(text, code)) <= len(words(text, code))


def test_vietnamese_words_are_told_apart_by_their_marks() -> None:
    code = compared_in("Hồ nào sâu nhất ở Việt Nam?", ["A text in English is beside it."])
    assert code == VIETNAMESE
    assert terms("bán Bàn", code) == ["bán", "bàn"]
    assert terms(unicodedata.normalize("NFD", "bàn"), code) == ["bàn"]
    assert (
        compared_in("Which lake is the deepest?", ["This is one of the texts that were read."])
        == "en"
    )
