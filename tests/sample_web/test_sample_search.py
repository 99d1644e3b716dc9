from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from askance.sample_web.sample_pages import load_library
from askance.sample_web.sample_server import (
    ENGINES,
    MARK,
    MAX_CHARS,
    MIN_CHARS,
    PAGE_SIZE,
    SILENCES,
    Question,
    QuestionKind,
    SearchIndex,
    best_snippet,
    load_questions,
    search_reply,
)
from askance.text.languages.sentences import sentences
from sampled import each_row

LIBRARY = load_library()
INDEX = SearchIndex(LIBRARY)
QUESTIONS = load_questions()
ANSWERABLE = [q for q in QUESTIONS if q.kind is not QuestionKind.UNANSWERABLE]


@cache
def replies() -> dict[str, dict[str, Any]]:
    return {q.question: search_reply(INDEX, q.question, page=1) for q in QUESTIONS}


def urls(query: str, *, count: int = PAGE_SIZE) -> list[str]:
    return [hit.document.url for hit in INDEX.search(query, first=1, count=count)]


@each_row("question", ANSWERABLE)
def test_a_question_finds_its_gold_pages_among_the_first_ten(question: Question) -> None:
    found = urls(question.question)
    # The second page of two hops is what the first one is read for.
    wanted = question.gold[:1] if question.kind is QuestionKind.TWO_HOP else question.gold
    assert [gold.url for gold in wanted if gold.url not in found] == []


def test_some_second_hops_cannot_be_found_with_the_question_alone() -> None:
    hops = [q for q in ANSWERABLE if q.kind is QuestionKind.TWO_HOP]
    assert any(q.gold[1].url not in urls(q.question) for q in hops)


@pytest.mark.parametrize("name", ["Sela Marrin", "Hector Pym", "Callum Reeve", "Deepak Rane"])
def test_a_name_finds_the_page_about_its_bearer(name: str) -> None:
    assert name in INDEX.search(name, first=1, count=1)[0].document.text


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Welche Bäckereien haben auf der Insel ein schweres Brot?", "inselblick.example"),
        ("Wie verlässt man Strandmouth mit der frühesten Fähre?", "inselblick.example"),
        ("島の人口は何人ですか", "shima-tayori.example"),
    ],
)
def test_a_query_is_looked_up_in_its_own_language(query: str, first: str) -> None:
    (hit,) = INDEX.search(query, first=1, count=1)
    assert hit.document.host == first


def test_little_words_of_another_language_find_nothing() -> None:
    assert not urls("wie ist das und warum sind die nicht da")


def test_snippets_keep_their_bounds_and_the_words_of_their_page() -> None:
    for reply in replies().values():
        for result in reply["results"]:
            assert MIN_CHARS <= len(result["content"]) <= MAX_CHARS
            page = " ".join(sentences(LIBRARY.documents[result["url"]].text))
            assert result["content"].strip(MARK) in page


def test_a_snippet_shows_the_place_that_the_query_means() -> None:
    filler = "Nothing of note is said in this sentence at all. " * 12
    text = f"{filler}\n\nThe gannet weighs three kilograms. {filler}"
    snippet = best_snippet(text, ["gannet"], lambda _: 1.0)
    assert snippet.startswith("The gannet weighs three kilograms.")
    assert snippet.endswith(MARK)


@pytest.mark.parametrize("text", ["", "Short.", "word " * 400, "x" * 1000, "字" * 1000])
def test_a_snippet_of_an_odd_text_stays_in_bounds(text: str) -> None:
    assert len(best_snippet(text, ["word"], lambda _: 1.0)) <= MAX_CHARS


def test_the_end_of_a_text_gives_a_full_snippet() -> None:
    text = "Nothing of note is said here, " * 20 + "and so it ends. The gannet sleeps."
    snippet = best_snippet(text, ["gannet"], lambda _: 1.0)
    assert snippet.startswith(MARK)
    assert snippet.endswith("The gannet sleeps.")
    assert len(snippet) >= MIN_CHARS


def test_result_pages_follow_each_other_without_a_gap() -> None:
    first = INDEX.search("Hesperay island", first=1, count=20)
    pages = [search_reply(INDEX, "Hesperay island", page=page)["results"] for page in (1, 2)]
    assert [r["url"] for page in pages for r in page] == [h.document.url for h in first]
    assert len(pages[0]) == PAGE_SIZE
    assert search_reply(INDEX, "Hesperay island", page=99)["results"] == []


def test_scores_fall_from_result_to_result() -> None:
    for reply in replies().values():
        scores = [result["score"] for result in reply["results"]]
        assert scores
        assert scores == sorted(scores, reverse=True)


def test_now_and_then_an_engine_is_silent_and_always_for_the_same_query() -> None:
    silent = {q: r for q, r in replies().items() if r["unresponsive_engines"]}
    assert 0.1 < len(silent) / len(replies()) < 0.5
    for reply in silent.values():
        ((engine, reason),) = reply["unresponsive_engines"]
        assert engine in ENGINES
        assert reason in SILENCES
        assert all(engine not in result["engines"] for result in reply["results"])
    query, reply = next(iter(silent.items()))
    assert search_reply(SearchIndex(LIBRARY), query, page=1) == reply


@pytest.mark.parametrize("query", ["   ", "the of and", "xyzzyplugh", "\ud800", "!!", "?" * 5000])
def test_a_query_without_words_of_the_island_finds_nothing(query: str) -> None:
    assert search_reply(INDEX, query, page=1)["results"] == []
