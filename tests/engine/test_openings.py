"""What is searched before anything is known: the question as it was typed, and its words as they are written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from askance.adapters.search.searxng import plain_query
from askance.domain.conversation import SearchSize
from askance.engine.queries import initial_queries
from askance.engine.query_privacy import PrivateWords
from askance.engine.run_progress import RunState
from askance.engine.search import SearchRun
from fakes.search import ScriptedSearch

QUESTIONS: list[str] = json.loads(
    (Path(__file__).parent / "questions_as_typed.json").read_text(encoding="utf-8")
)


async def _asked(progress: RunState, question: str) -> list[str]:
    search = ScriptedSearch()
    private = PrivateWords(question, ["workstation", "jdoe"], [])
    searching = SearchRun(search, SearchSize(), progress, private, question=question)
    await searching.ask(initial_queries(question), 1)
    return search.asked


@pytest.mark.parametrize("question", QUESTIONS)
async def test_the_question_is_searched_letter_by_letter(progress: RunState, question: str) -> None:
    asked = await _asked(progress, question)
    assert question in asked
    assert plain_query(question) == question


@pytest.mark.parametrize("question", QUESTIONS)
async def test_words_are_searched_as_they_are_written(progress: RunState, question: str) -> None:
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
    assert initial_queries(question) == [question, searched]


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
    progress: RunState, question: str, beside: list[str]
) -> None:
    asked = await _asked(progress, question)
    assert asked == [question, *beside]
    assert plain_query(question) == question


@pytest.mark.parametrize(
    "question",
    [
        "\u1791\u1793\u17d2\u179b\u17c1\u200b\u178f\u17b6\u1798\u17c9\u17c5\u200b\u179c\u17c2\u1784\u200b\u1794\u17c9\u17bb\u178e\u17d2\u178e\u17b6?",
        "\u0d28\u0d3f\u0d33\u0d2f\u0d3f\u0d32\u0d4d\u200d \u0d0e\u0d24\u0d4d\u0d30 \u0d2e\u0d40\u0d28\u0d4d\u200d?",
        "\u0c17\u0c4b\u0c26\u0c3e\u0c35\u0c30\u0c3f \u0c2c\u0c4d\u0c30\u0c3f\u0c21\u0c4d\u0c1c\u0c4d\u200c \u0c0e\u0c15\u0c4d\u0c15\u0c21?",
        "\u0686\u0631\u0627 \u062e\u0627\u0646\u0647\u200c \u0628\u0632\u0631\u06af \u0627\u0633\u062a\u061f",
    ],
)
async def test_joiners_at_the_end_of_a_word_and_blanks_of_no_width_stay_in_the_question(
    progress: RunState, question: str
) -> None:
    assert question in [plain_query(query) for query in await _asked(progress, question)]


async def test_hidden_letters_do_not_leave_with_a_question(progress: RunState) -> None:
    hidden = "".join(chr(0xE0000 + ord(c)) for c in "secret")
    asked = await _asked(progress, f"How tall is the tower?{hidden}")
    assert asked[0] == "How tall is the tower?"


async def test_no_other_query_than_the_question_excludes_a_word(progress: RunState) -> None:
    search, question = ScriptedSearch(), "jaguar speed -car"
    private = PrivateWords(question, [], [])
    searching = SearchRun(search, SearchSize(), progress, private, question=question)
    queries = ["jaguar -cat habitat", '-"big cats" -site:paper.example jaguar', "jaguar at -5"]
    await searching.ask(queries, 1)
    assert [plain_query(query) for query in search.asked] == [
        "jaguar cat habitat",
        '"big cats" paper.example jaguar',
        "jaguar at -5",
    ]


async def test_words_that_differ_in_a_vowel_sign_alone_are_two_queries(progress: RunState) -> None:
    search = ScriptedSearch()
    searching = SearchRun(search, SearchSize(), progress, PrivateWords("", [], []))
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
    assert initial_queries(question) == [question, searched]
