"""What is searched before anything is known: the question as it was typed, and its words as they are written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askance.adapters.search.searxng_api import plain_query
from askance.config.settings import SearchSettings
from askance.engine.names import openings
from askance.engine.progress import Progress
from askance.engine.query_privacy import PrivateWords
from askance.engine.search import Searching
from fakes.search import ScriptedSearch

QUESTIONS: list[str] = json.loads(
    (Path(__file__).parent / "questions_as_typed.json").read_text(encoding="utf-8")
)


async def _asked(progress: Progress, question: str) -> list[str]:
    search = ScriptedSearch()
    private = PrivateWords(question, ["workstation", "jdoe"], [])
    searching = Searching(search, SearchSettings(), progress, private, question=question)
    await searching.ask(openings(question), 1)
    return search.asked


@pytest.mark.parametrize("question", QUESTIONS)
async def test_the_question_is_searched_letter_by_letter(progress: Progress, question: str) -> None:
    asked = await _asked(progress, question)
    assert question in asked
    assert plain_query(question) == question


@pytest.mark.parametrize("question", QUESTIONS)
async def test_words_are_searched_as_they_are_written(progress: Progress, question: str) -> None:
    for query in await _asked(progress, question):
        assert [word for word in query.split() if word not in question] == []


@pytest.mark.parametrize(
    ("question", "searched"),
    [
        ("is F# older than C++?", "F# older C++"),
        ("what does /etc/fstab do?", "/etc/fstab"),
        ("std::map<int> vs std::set<int>?", "std::map<int> vs std::set<int>"),
        ("why is my “café” closed, today?", "café closed today"),
        ("what was the bakery's name (old)?", "bakery name old"),
        ("Ist C++ schneller als C#?", "C++ schneller C#"),
        ("is .net 8 faster than .net 6 ...", ".net 8 faster .net 6"),
        ("how much is 50€ / 5 %?", "much 50€ 5"),
    ],
)
def test_signs_that_belong_to_a_word_stay(question: str, searched: str) -> None:
    assert openings(question) == [question, searched]


@pytest.mark.parametrize(
    ("question", "beside"),
    [
        ("Kuka omistaa BBC -yhtiön?", ["omistaa BBC yhtiön"]),
        ("Mikä on Maailma kylässä -festivaali?", ["Maailma kylässä festivaali"]),
        ("Windows Phone -käyttöjärjestelmä", ["Windows Phone käyttöjärjestelmä"]),
        ("what does ls -la do?", ["ls la"]),
        ("how do I run tar --extract?", ["run tar extract"]),
        ("jaguar speed -car", ["jaguar speed"]),
        ("how cold is -5 degrees?", ["cold -5 degrees"]),
    ],
)
async def test_a_hyphen_before_a_word_is_sent_and_searched_without_besides(
    progress: Progress, question: str, beside: list[str]
) -> None:
    asked = await _asked(progress, question)
    assert asked == [question, *beside]
    assert plain_query(question) == question


async def test_no_other_query_than_the_question_excludes_a_word(progress: Progress) -> None:
    search, question = ScriptedSearch(), "jaguar speed -car"
    private = PrivateWords(question, [], [])
    searching = Searching(search, SearchSettings(), progress, private, question=question)
    queries = ["jaguar -cat habitat", '-"big cats" -site:paper.example jaguar', "jaguar at -5"]
    await searching.ask(queries, 1)
    assert [plain_query(query) for query in search.asked] == [
        "jaguar cat habitat",
        '"big cats" paper.example jaguar',
        "jaguar at -5",
    ]


async def test_words_that_differ_in_a_vowel_sign_alone_are_two_queries(progress: Progress) -> None:
    search = ScriptedSearch()
    searching = Searching(search, SearchSettings(), progress, PrivateWords("", [], []))
    await searching.ask(["কত", "কাত"], 1)
    assert search.asked == ["কত", "কাত"]


@pytest.mark.parametrize(
    ("question", "searched"),
    [
        ("Which famous Norwegian crossed Greenland on skis?", "Norwegian Greenland"),
        ("Which famous Welshman crossed the moor?", "famous Welshman crossed moor"),
        ("Which wool exporter is a neighbour of the Kel Republic?", "wool exporter neighbour Kel Republic"),
        ("How tall is the Kelhaven Tower?", "Kelhaven Tower"),
    ],
)  # fmt: skip
def test_one_name_that_says_little_of_an_english_question_is_not_searched_alone(
    question: str, searched: str
) -> None:
    assert openings(question) == [question, searched]
