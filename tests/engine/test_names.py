"""What a question names, and whether the evidence knows of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from askance.engine.queries import (
    compared,
    content_words_of,
    holds,
    initial_queries,
    is_name,
    is_nameable,
    missing_from,
    named,
)
from sampled import each_row

BY_LANGUAGE: list[list[Any]] = json.loads(
    (Path(__file__).parent / "named.json").read_text(encoding="utf-8")
)


@each_row(("question", "names", "searched"), BY_LANGUAGE)
def test_a_language_has_its_own_question_words_and_its_own_capitals(
    question: str, names: list[str], searched: str
) -> None:
    assert named(question) == names
    assert initial_queries(question) == [question, searched]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How old is the iPhone?", ["iPhone"]),
        ("Was pre-Columbian art older?", ["Columbian"]),
        ("Wer kennt die EU?", ["EU"]),
        ("Wer war der Präsident der Europäischen Union?", ["Europäischen Union"]),
    ],
)
def test_a_capital_inside_a_word_may_begin_a_name(question: str, names: list[str]) -> None:
    assert named(question) == names


@pytest.mark.parametrize(
    ("question", "evidence", "missing"),
    [
        ("Wie heißt die Hauptstadt Frankreichs?", "Paris ist die Hauptstadt von Frankreich.", []),
        (
            "Wie heißt die Hauptstadt Frankreichs?",
            "Rom ist die Hauptstadt Italiens.",
            ["Frankreichs"],
        ),
        (
            "Türkiye’nin başkenti neresidir?",
            "Ankara, Türkiye'nin başkentidir ve büyük bir şehir.",
            [],
        ),
        ("Юрий Гагарин родился где?", "Yuri Gagarin was born in Klushino.", []),
        ("Где родился Юрий Гагарин?", "Космонавт Юрий Гагарин родился в Клушине.", []),
        ("Где родился Юрий Гагарин?", "Космонавт Титов родился на Алтае.", ["Юрий Гагарин"]),
    ],
)
def test_a_name_is_looked_for_in_the_language_of_the_evidence(
    question: str, evidence: str, missing: list[str]
) -> None:
    assert missing_from(question, evidence) == missing


def test_content_words_are_stems_of_the_language_that_is_named() -> None:
    question = "Welche Türme stehen in Berlin?"
    assert content_words_of(question, "de") == {"turm", "steh", "berlin"}
    assert content_words_of(question, "en") == {"turm", "stehen", "berlin"}
    assert content_words_of(question) == {"turm", "stehen", "berlin"}


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who painted the Harbour of Kelhaven?", ["Harbour of Kelhaven"]),
        ("When did Abel Moss and Sela Marrin meet?", ["Abel Moss and Sela Marrin"]),
        ("Which is older, Stoll Law or Mill Sound?", ["Stoll Law", "Mill Sound"]),
        ('Who wrote "the long winter"?', ["the long winter"]),
        ("Who wrote „der lange Winter“?", ["der lange Winter"]),
        ("Who was J. R. R. Tolkien?", ["J. R. R. Tolkien"]),
        ("What is O'Brien's Élan?", ["O'Brien's Élan"]),
        ("Is Apollo 11 older than Sputnik?", ["Apollo 11", "Sputnik"]),
        ("who painted the harbour?", []),
        ("", []),
        ("What? Who? Where?", []),
    ],
)
def test_names_are_quoted_titles_and_capitalised_runs(question: str, names: list[str]) -> None:
    assert named(question) == names


EVIDENCE = (
    "Abel Moss kept the Kelhaven lighthouse from 1867 to 1,902 visitors, by order 186750; Müller's batteries and the"
    " Hesperay ferries are described by Sela Marrin."
)


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Who was Abel Moss?", []),
        ("Who was Abel Mos?", []),
        ("Who was Abel Mosss of Kelhavn?", []),
        ("Who was Hector Pym?", ["Hector Pym"]),
        ("Who was Abel Pym?", ["Abel Pym"]),
        ("What is the Hesperay Ferry?", []),
        ("Who is Muller?", []),
        ("Who is MÜLLER?", []),
        ("What happened to the lighthouse in 1867?", []),
        ("What happened to the lighthouse in 1868?", ["1868"]),
        ("Who counted 1,902 visitors?", []),
        ("What is order 186751?", ["186751"]),
        ("who was hector pym?", []),
        ('Who wrote "the golden lamp"?', ["the golden lamp"]),
        ('Who described "the batteries"?', []),
    ],
)
def test_a_name_is_missing_if_a_word_of_it_is_nowhere(question: str, missing: list[str]) -> None:
    assert missing_from(question, EVIDENCE) == missing


def test_without_evidence_every_name_is_missing_once() -> None:
    assert missing_from("Is Kelhaven older than Kelhaven was in 1900?", "") == ["Kelhaven", "1900"]


def test_telling_words_are_stems_without_function_words() -> None:
    assert content_words_of("Who was the keeper of the lighthouses?") == {"keeper", "lighthous"}
    assert content_words_of("Who is it?") == set()


@pytest.mark.parametrize(
    ("name", "worth"),
    [
        ("Abel Moss", True),
        ("Kelhaven", True),
        ("Moss", False),
        ("MIAL", True),
        ("EU", False),
        ("", False),
    ],
)
def test_a_short_single_word_is_not_worth_a_search(name: str, worth: bool) -> None:
    assert is_nameable(name) is worth


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("Who had the best ranking, Roberta Vinci or Jorge Lozano?", ["Roberta Vinci", "Jorge Lozano"]),
        ("Are Yingkou and Fuding the same level of city?", ["Yingkou", "Fuding"]),
        ("Is the Marsilea or the Brabejum the larger genus?", ["Marsilea", "Brabejum"]),
        ("Ist Kelhaven größer als Stoll?", []),
        ("Was ist älter, Kelhaven oder Stoll?", ["Kelhaven", "Stoll"]),
        ("Lequel est le plus grand, Paris ou Lyon ?", ["Paris", "Lyon"]),
        ("Apollo 11和Sputnik哪个更早？", ["Apollo 11", "Sputnik"]),
        ("Who built the lighthouse at Kelhaven?", []),
        ("Did Clara Whitlow of Orr build Kelhaven?", []),
    ],
)  # fmt: skip
def test_what_a_question_compares(question: str, sides: list[str]) -> None:
    assert compared(question) == sides


def test_a_text_holds_a_name_with_all_its_words() -> None:
    assert holds("the lighthouses of Kelhaven", "Kelhaven Lighthouse")
    assert not holds("Kelhaven", "Kelhaven Lighthouse")
    assert holds("anything", "")


@pytest.mark.parametrize(
    ("question", "queries"),
    [
        ("Who painted the Harbour of Kelhaven?", ["Harbour of Kelhaven"]),
        ("Which is older, Stoll Law or Mill Sound?", ["Stoll Law Mill Sound"]),
        ("who was the keeper of it?", ["keeper"]),
        ("lighthouse keeper", []),
        ("who was it?", []),
    ],
)
def test_a_question_is_searched_beside_what_it_speaks_of(question: str, queries: list[str]) -> None:
    assert initial_queries(question) == [question, *queries]


@pytest.mark.parametrize(
    ("query", "is_one"),
    [("Abel Moss", True), ("the Kelhaven", True), ("Abel Moss born", False), ("lighthouse", False)],
)
def test_a_query_may_be_nothing_but_a_name(query: str, is_one: bool) -> None:
    assert is_name(query) is is_one
