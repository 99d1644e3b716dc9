"""What a question names and whether evidence knows of it; what is searched before a plan, and in which language."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.search.searxng import plain_query
from askance.domain.conversation import SearchSize
from askance.engine.queries import (
    asked_of,
    compared,
    content_words_of,
    holds,
    initial_queries,
    is_date,
    is_name,
    is_nameable,
    language_of_query,
    missing_from,
    named,
)
from askance.engine.run_progress import RunState
from engine.contexts import search_run_of
from fakes.search import ScriptedSearch
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
    assert is_name(query, "en") is is_one


QUESTIONS: list[str] = json.loads(
    (Path(__file__).parent / "questions_as_typed.json").read_text(encoding="utf-8")
)


async def _asked(progress: RunState, question: str) -> list[str]:
    search = ScriptedSearch()
    searching = search_run_of(search, progress, question, private=["workstation", "jdoe"])
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
    searching = search_run_of(search, progress, question)
    queries = ["jaguar -cat habitat", '-"big cats" -site:paper.example jaguar', "jaguar at -5"]
    await searching.ask(queries, 1)
    assert [plain_query(query) for query in search.asked] == [
        "jaguar cat habitat",
        '"big cats" paper.example jaguar',
        "jaguar at -5",
    ]


async def test_words_that_differ_in_a_vowel_sign_alone_are_two_queries(progress: RunState) -> None:
    search = ScriptedSearch()
    await search_run_of(search, progress).ask(["কত", "কাত"], 1)
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


FOREIGN = [
    ("¿Cuántos goles ha marcado Lucía Prado en su carrera?", "es"),
    ("Quelle est la hauteur du phare de Cordouan ?", "fr"),
    ("Combien d'habitants compte l'île d'Yeu ?", "fr"),
    ("Wie viele Einwohner hat die Gegend San Fernando Valley?", "de"),
    ("Mikä on Suomen syvin järvi ja kuinka syvä se on?", "fi"),
    ("Quanti abitanti ha la città di Los Angeles?", "it"),
    ("Quantos habitantes tem a cidade do Porto?", "pt"),
    ("Hoeveel inwoners heeft de stad Leiden?", "nl"),
    ("Ile mieszkańców ma miasto Łomża?", "pl"),
    ("Kolik obyvatel má město Kolín?", "cs"),
    ("Hur många invånare har staden Örebro?", "sv"),
    ("Hány lakosa van a Los Angeles nevű városnak?", "hu"),
    ("Türkiye'nin en büyük gölü hangisidir ve nerede?", "tr"),
    ("Сколько жителей в городе Los Angeles?", "ru"),
    ("Скільки мешканців має місто Los Angeles?", "uk"),
    ("Πόσους κατοίκους έχει το Los Angeles;", "el"),
    ("Apollo 11是什么时候发射的？", "zh"),
    ("Los Angelesの人口はどのくらいですか？", "ja"),
]
ENGLISH = [
    "what is the minimum wage in chile per hour",
    "who drove the red car in the old chase film",
    "who was the author of the song sung at the end of the war in the film",
    "who played the role of el bandido in the mission",
    "where is the rio de la plata located",
    "what does de facto mean in the law",
    "who sang je ne regrette rien in the film about the war",
    'Who wrote "La casa de los pájaros y el mar"?',
    "when was the alte oper in frankfurt built",
    "who is the ceo of los angeles metro per 2020",
]
KEYWORDS = [
    "minimum wage chile per hour",
    "red car old chase film",
    "los angeles lakers tickets price",
    "author song end war film",
    "best hotel en suite london",
]


async def _languages(
    progress: RunState, question: str, queries: list[str]
) -> dict[str, str | None]:
    search = ScriptedSearch()
    await search_run_of(search, progress, question, size=SearchSize(queries=6)).ask(queries, 1)
    return search.languages


@pytest.mark.parametrize(("question", "language"), FOREIGN)
async def test_all_openings_of_a_question_have_its_language(
    progress: RunState, question: str, language: str
) -> None:
    found = await _languages(progress, question, initial_queries(question))
    assert found == dict.fromkeys(initial_queries(question), language)


@pytest.mark.parametrize("question", [*ENGLISH, *KEYWORDS])
async def test_an_english_question_with_a_foreign_word_is_searched_in_no_other_language(
    progress: RunState, question: str
) -> None:
    found = await _languages(progress, question, initial_queries(question))
    assert {*found.values()} <= {"", "en"}


@pytest.mark.parametrize(
    ("question", "query", "language"),
    [
        ("who pays the minimum wage in chile", "salary per hour in Chile 2026 para", "en"),
        ("Who wrote the Dream of the Red Chamber?", "红楼梦 作者", "zh"),
        ("Wie hoch ist der Leuchtturm von Cordouan?", "height of the lighthouse at Cordouan", "en"),
        ("Wie hoch ist der Leuchtturm von Cordouan?", "Wie hoch sind Leuchttürme in Frankreich?", "de"),
        ("Quelle est la hauteur du phare de Cordouan ?", "phare Cordouan taille", "fr"),
        ("Wie hoch ist der Leuchtturm von Cordouan?", "Cordouan lighthouse height", ""),
        ("Wie hoch ist der Leuchtturm von Cordouan?", "quelle est la hauteur du phare de Cordouan", "fr"),
        ("Cordouan", "Wie hoch ist der Leuchtturm von Cordouan?", "de"),
        ("Cordouan", "Cordouan lighthouse", ""),
    ],
)  # fmt: skip
def test_a_query_of_a_plan_may_be_in_another_language(
    question: str, query: str, language: str
) -> None:
    assert language_of_query(query, question) == language


@pytest.mark.parametrize(
    ("query", "code", "expected"),
    [
        ("18 October 1859", "en", True),
        ("1927", "en", True),
        ("October", "", True),
        ("18. Oktober 1859", "de", True),
        ("18 October 1859", "de", True),
        ("October Crisis", "en", False),
        ("Oda Brennik", "en", False),
        ("1984 novel", "en", False),
        # The planet, where nobody asks in French.
        ("Mars", "en", False),
    ],
)
def test_a_day_or_a_number_alone_is_no_query(query: str, code: str, expected: bool) -> None:
    assert is_date(query, code) is expected


@pytest.mark.parametrize(
    ("queries", "shown", "query"),
    [
        (["Oda Brennik"], "", "Oda Brennik harbour town founder Velmar"),
        (
            ["Oda Brennik"],
            "The Velmar Ferry Company was founded by its founder Oda Brennik.",
            "Oda Brennik harbour town born",
        ),
        (["who was the founder of the ferry company"], "", ""),
        ([], "", ""),
    ],
)
def test_a_gap_asks_of_its_name_what_the_question_asks(
    queries: list[str], shown: str, query: str
) -> None:
    question = "In which harbour town was the founder of the Velmar Ferry Company born?"
    assert asked_of(queries, question, shown) == query
