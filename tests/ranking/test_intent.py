"""How a query is meant, by rule."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from askance.text.languages.language import CODES, language
from askance.text.ranking.intent import (
    LONGEST_QUERY_CHARACTERS,
    Intent,
    asks_for_changing,
    asks_for_now,
    asks_for_today,
    intent_of,
    read_query,
    readings,
)
from sampled import each_row

# Of each language: next, upcoming, last year, how old, current, today; and a question of all times.
NOW: dict[str, list[str]] = json.loads(
    (Path(__file__).parent / "now.json").read_text(encoding="utf-8")
)
# An office, a price, a record or a count; then a past office, something of all times, and an office in a past year.
CHANGING: dict[str, list[str]] = json.loads(
    (Path(__file__).parent / "changing.json").read_text(encoding="utf-8")
)
KEYWORDS = (
    "",
    "   ",
    "ferry",
    "ferry timetable",
    '"storm loaf"',
    '"storm loaf" recipe',
    "„storm loaf“",
    "ferry -winter timetable prices",
    "tag:recipes bread with rye",
    "site:ferry.example when does it leave",
    "ferr* to the island",
    "minutes of 2024-05-14 about energy",
    "what was on 14.05.2024 again",
    "getting-started-with-the-mill",
    "docs/decisions/0030-library.md",
    "日本",
    "東京 人口",
)
NATURAL = (
    "Pros AND Cons",
    "Pros AND Cons of living on an island",
    "to be OR NOT to be",
    "when does the ferry leave",
    "pre-war houses in the village",
    'Who wrote the book "Storm Loaf" about bread?',
    "version 3.11 of the program",
    "東京の人口は何人ですか",
    "wann fährt die Fähre",
)


QUESTIONS_WITH_HYPHENS = ("Kuka omistaa MTV -yhtiön?", "what does ls -la do")


@pytest.mark.parametrize(
    ("intent", "queries"),
    [(Intent.KEYWORD, KEYWORDS), (Intent.SEMANTIC, (*NATURAL, *QUESTIONS_WITH_HYPHENS))],
)
def test_what_names_a_thing_is_looked_for_as_it_stands_and_what_describes_it_by_meaning(
    intent: Intent, queries: tuple[str, ...]
) -> None:
    assert {query: intent_of(query) for query in queries} == dict.fromkeys(queries, intent)


@pytest.mark.parametrize(
    ("typed", "words", "phrases", "without"),
    [
        ('"storm loaf" rye -wheat', "rye storm loaf", ("storm loaf",), ("wheat",)),
        ('Who baked the first "storm loaf"?', "Who baked the first ? storm loaf", (), ()),
        ('12" records of the band', "12 records of the band", (), ()),
        ("-winter", "", (), ("winter",)),
    ],
)
def test_quotes_and_minus_signs_are_read(
    typed: str, words: str, phrases: tuple[str, ...], without: tuple[str, ...]
) -> None:
    query = read_query(typed)
    assert (query.words, query.phrases, query.without) == (words, phrases, without)


@pytest.mark.parametrize(
    "text",
    [
        "Kuka omistaa MTV -yhtiön?",
        "Mikä on Iso lahti -risteily?",
        "Missä on Yli-Ii -niminen kylä",
        "Wer wohnt in den „Modell A“-Häusern?",
        "„Modell A“-Häuser in Lübeck",
        '"storm loaf"-recipes from the coast',
        "»Nordstern«-Werke und Hallen",
        "Straßen für Personen und -gruppen im Land",
        "achats et -ventes de la maison",
        "what does ls -la do",
        "how do I use rm -rf safely",
        "tar -x archive",
        "Was macht grep -rn in einem Ordner",
        "quelle option de ls -la montre les dates",
        "Kas see on ABC -poed?",
        "ABC -会社はどこですか？",
    ],
)
def test_a_hyphen_of_a_compound_or_in_a_question_excludes_nothing(text: str) -> None:
    query = read_query(text)
    assert query.without == ()
    assert readings(text) == [query]


@pytest.mark.parametrize(
    ("text", "words", "without"),
    [
        ("ferry -winter timetable prices", "ferry timetable prices", ("winter",)),
        ("bread -rye -wheat", "bread", ("rye", "wheat")),
        ("Fähre -Winter", "Fähre", ("Winter",)),
        ('-wheat "storm loaf"', "storm loaf", ("wheat",)),
        ("паром -зима", "паром", ("зима",)),
        ("MTV -yhtiön omistaja", "MTV omistaja", ("yhtiön",)),
    ],
)
def test_elsewhere_a_hyphen_excludes_its_word_and_can_be_read_without(
    text: str, words: str, without: tuple[str, ...]
) -> None:
    first, second = readings(text)
    assert (first.words, first.without) == (words, without)
    assert second.without == ()
    assert {*words.split(), *without} == {word.strip("-") for word in second.words.split()}


def test_a_query_of_excluded_words_alone_looks_for_nothing() -> None:
    assert [query.words for query in readings("-winter")] == [""]


def test_a_query_of_any_length_is_read_at_once() -> None:
    begun = time.thread_time()
    for piece in ('"', "- ", "-a", "a:", "1.", "a-", "_", " "):
        read_query(piece * 200_000)
    assert time.thread_time() - begun < 1.0
    assert len(read_query("a " * 200_000).words) <= LONGEST_QUERY_CHARACTERS


@pytest.mark.parametrize(
    ("question", "now"),
    [
        ("What is the latest edition of the Hesperay guide?", True),
        ("Hesperay news", True),
        ("What is in the news about the cable?", True),
        ("Cable news today", True),
        ("Which news network has the latest price of oil?", True),
        ("Which cable news host was a representative?", False),
        ("Who founded the first news agency?", False),
        ("Who scored Apocalypse Now?", False),
        ("Who invented the alternating current motor?", False),
        ("What is the current motor of the ferry?", True),
        ("Was kostet die Fähre heute?", True),
        ("What did the ferry cost in 2026?", True),
        ("What did the ferry cost in 2014?", False),
        # A few words are of no language, but may tell the present.
        ("tipo de cambio euro dólar", True),
        ("tasso di cambio sterlina", True),
        ("Ma Rainey songs", False),
        ("Which bank stands next to the museum?", False),
        ("Ist die Zahl 17 eine gerade Zahl?", False),
    ],
)
def test_a_question_about_the_present_is_told_by_its_words(question: str, now: bool) -> None:
    assert asks_for_now(question, 2026) is now


@each_row("code", CODES)
def test_what_only_looks_like_the_present_has_a_word_of_it(code: str) -> None:
    """Otherwise the phrase does nothing."""
    known = language(code)
    idle = [p for p in known.lasting if not any(f" {f} " in f" {p} " for f in known.fresh)]
    assert idle == []


@each_row("code", CODES)
def test_every_language_has_its_words_for_the_present_and_for_today(code: str) -> None:
    *now, ever = NOW[code]
    assert [question for question in now if not asks_for_now(question, 2026)] == []
    assert not asks_for_now(ever, 2026)
    assert [question for question in NOW[code] if asks_for_today(question)] == [now[-1]]


@each_row("code", CODES)
def test_what_changes_is_told_from_what_was_and_what_stays(code: str) -> None:
    *changing, past, ever, dated = CHANGING[code]
    assert [question for question in changing if not asks_for_changing(question, 2026)] == []
    assert [q for q in (past, ever, dated) if asks_for_changing(q, 2026)] == []


@each_row("code", CODES)
def test_what_asks_for_now_asks_for_what_changes(code: str) -> None:
    *now, ever = NOW[code]
    assert all(asks_for_changing(question, 2026) for question in now)
    assert not asks_for_changing(ever, 2026)
