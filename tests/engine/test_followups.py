"""Queries that code makes: of questions that go on from those before, and of what pages call their parts."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import pytest

from askance.domain.conversation import SearchSize, Turn
from askance.domain.web_pages import Page, PageStatus
from askance.engine.queries import hint_query, initial_queries, resolved
from askance.engine.query_privacy import PrivateWords
from askance.engine.run_progress import RunState
from askance.engine.search import SearchRun
from fakes.search import ScriptedSearch

FOLLOW_UPS: list[tuple[str, str, str, str, str]] = json.loads(
    (Path(__file__).parent / "followups.json").read_text(encoding="utf-8")
)
# Of the fifty, so many have the right name in a query; in each language.
LEAST, LEAST_EACH = 0.8, 0.6
TOWER = "How tall is the Eiffel Tower?"


def _turn(question: str, answer: str = "", *, is_searched: bool = True) -> Turn:
    return Turn(question, answer, (question, answer) if is_searched else ())


async def _asked(progress: RunState, question: str, *turns: Turn) -> list[str]:
    private = PrivateWords(
        question,
        [f"{turn.question}\n{turn.answer}" for turn in turns],
        [text for turn in turns for text in turn.published],
    )
    search = ScriptedSearch()
    searching = SearchRun(search, SearchSize(), progress, private, question=question)
    await searching.ask(initial_queries(question, resolved(question, turns, private.allows)), 1)
    return search.asked


async def test_a_follow_up_is_searched_with_the_name_that_it_is_about(progress: RunState) -> None:
    right: defaultdict[str, list[bool]] = defaultdict(list)
    for language, before, answer, question, name in FOLLOW_UPS:
        asked = await _asked(progress, question, _turn(before, answer))
        assert question in asked
        right[language].append(any(name in query for query in asked))
    every = [found for by_language in right.values() for found in by_language]
    assert (len(every), len(right)) == (50, 8)
    assert sum(every) >= LEAST * len(every)
    assert {code for code, found in right.items() if sum(found) < LEAST_EACH * len(found)} == set()


@pytest.mark.parametrize(
    "question",
    [
        "Who was Marie Curie?",
        "Marie Curie",
        "How do vaccines work?",
        "When was Gustave Eiffel born?",
        "How long does it take to boil an egg?",
        "Did Marie Curie win it twice?",
        "Wie viele Einwohner hat Island?",
        "Hoe groot is het meer van Genève in Zwitserland?",
        "红楼梦是谁写的？",
    ],
)
def test_a_question_that_stands_alone_takes_nothing_from_the_conversation(question: str) -> None:
    assert resolved(question, [_turn(TOWER)], lambda _: True) == ""


@pytest.mark.parametrize(
    ("questions", "question", "query"),
    [
        ([TOWER, "why?"], "when was it built?", "Eiffel Tower built"),
        ([TOWER, "and the Big Ben?"], "who built it?", "Big Ben built"),
        (["What is the population of Iceland?", "And of Norway?"], "why?", "population Iceland Norway why?"),
        ([TOWER, "Who was Marie Curie?"], "and her sister?", "Marie Curie sister"),
        ([], "why?", ""),
    ],
)  # fmt: skip
def test_what_it_is_about_is_looked_for_back_to_a_question_that_stood_alone(
    questions: list[str], question: str, query: str
) -> None:
    assert resolved(question, [_turn(asked) for asked in questions], lambda _: True) == query


async def test_what_was_never_searched_stays_on_this_machine(progress: RunState) -> None:
    turn = _turn("Tell me about Zebedee Quill", "Zebedee Quill mends clocks.", is_searched=False)
    asked = await _asked(progress, "where does he live?", turn)
    assert not any("Quill" in query or "Zebedee" in query for query in asked)
    assert asked[0] == "where does he live?"
    assert not progress.warned


def test_a_long_conversation_makes_no_long_query() -> None:
    turns = [_turn(" ".join(f"word{i}" for i in range(60)))]
    assert len(resolved("why?", turns, lambda _: True).split()) <= 12


QUESTION = "Where was the engineer who built the Lindmouth lighthouse born?"
TOWER_PART = "## Clara Whitlow's tower\n\nThe engineer built the lighthouse of Lindmouth in 1871.\n"


def page(markdown: str) -> Page:
    return Page("http://a.example/", PageStatus.OK, title="Lindmouth - News", markdown=markdown)


def test_a_heading_is_searched_with_the_words_that_its_part_lacks():
    assert hint_query(QUESTION, [page(TOWER_PART)], []) == "born Clara Whitlow's tower"


def test_nothing_new_is_no_hint():
    assert not hint_query(QUESTION, [page(TOWER_PART)], ["Clara Whitlow tower"])
    assert not hint_query(QUESTION, [], [])
    assert not hint_query(QUESTION, [page("## Cakes\n\nButter and sugar.\n")], [])


def test_a_part_that_shows_code_is_searched_in_its_language():
    code = f"{TOWER_PART}\n```text\nlog\n```\n\n```rust\nfn light() {{}}\n```\n"
    assert hint_query(QUESTION, [page(code)], []) == "born Clara Whitlow's tower rust"


def test_an_operator_in_a_heading_does_not_reach_the_query():
    heading = TOWER_PART.replace("Clara", 'site:evil.example "Clara"')
    assert not set('":') & set(hint_query(QUESTION, [page(heading)], []))
