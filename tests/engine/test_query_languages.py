"""In which language a query is searched: in that of the question that it is made for."""

from __future__ import annotations

import pytest

from askance.domain.conversation import SearchSize
from askance.engine.queries import initial_queries, language_of_query
from askance.engine.query_privacy import PrivateWords
from askance.engine.run_progress import RunState
from askance.engine.search import SearchRun
from fakes.search import ScriptedSearch

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
    private = PrivateWords(question, [], [])
    settings = SearchSize(queries=6)
    await SearchRun(search, settings, progress, private, question=question).ask(queries, 1)
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
