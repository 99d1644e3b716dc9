from __future__ import annotations

from collections import Counter

import pytest

from askance.sample_web.sample_pages import load_library
from askance.sample_web.sample_server import Question, QuestionKind, load_questions
from sampled import each_row

QUESTIONS = load_questions()
DOCUMENTS = load_library().documents
EVERYTHING = "\n".join(f"{d.title}\n{d.body}\n{d.text}" for d in DOCUMENTS.values()).lower()
ANSWERABLE = [q for q in QUESTIONS if q.kind is not QuestionKind.UNANSWERABLE]
UNANSWERABLE = [q for q in QUESTIONS if q.kind is QuestionKind.UNANSWERABLE]


def of_kind(kind: QuestionKind) -> list[Question]:
    return [q for q in QUESTIONS if q.kind is kind]


def named(question: Question) -> str:
    return question.id


def holds(text: str, answers: tuple[str, ...]) -> bool:
    return any(answer.lower() in text.lower() for answer in answers)


def test_there_are_enough_questions_of_every_kind() -> None:
    assert len(QUESTIONS) >= 30
    assert len({q.id for q in QUESTIONS}) == len(QUESTIONS)
    counts = Counter(q.kind for q in QUESTIONS)
    assert all(counts[kind] >= 2 for kind in QuestionKind)
    assert counts[QuestionKind.TWO_HOP] >= 8


@each_row("question", ANSWERABLE)
def test_every_quote_stands_on_its_page_word_for_word(question: Question) -> None:
    assert question.answers
    assert question.gold
    for gold in question.gold:
        assert gold.quote in DOCUMENTS[gold.url].body
        assert not DOCUMENTS[gold.url].missing


@each_row("question", of_kind(QuestionKind.SINGLE) + of_kind(QuestionKind.HOSTILE))
def test_the_first_quote_carries_the_answer(question: Question) -> None:
    assert holds(question.gold[0].quote, question.answers)


@pytest.mark.parametrize("question", of_kind(QuestionKind.TWO_HOP), ids=named)
def test_a_second_page_is_needed_for_two_hops(question: Question) -> None:
    first, second = question.gold
    assert first.url != second.url
    assert not holds(first.quote, question.answers)
    assert holds(second.quote, question.answers)


@pytest.mark.parametrize("question", of_kind(QuestionKind.COMPARISON), ids=named)
def test_a_comparison_has_its_halves_on_two_pages(question: Question) -> None:
    assert len({gold.url for gold in question.gold}) == 2


@pytest.mark.parametrize("question", of_kind(QuestionKind.DISAGREEMENT), ids=named)
def test_each_side_of_a_disagreement_says_one_thing_only(question: Question) -> None:
    for gold, answer in zip(question.gold, question.answers, strict=True):
        page = DOCUMENTS[gold.url].text
        assert answer in gold.quote
        assert not any(other in page for other in question.answers if other != answer)


@pytest.mark.parametrize("question", UNANSWERABLE, ids=named)
def test_nothing_on_any_page_answers_an_unanswerable_question(question: Question) -> None:
    assert not question.answers
    assert not question.gold
    assert question.absent
    assert [word for word in question.absent if word.lower() in EVERYTHING] == []


@pytest.mark.parametrize("question", of_kind(QuestionKind.HOSTILE), ids=named)
def test_forbidden_words_stand_on_hostile_pages_only(question: Question) -> None:
    assert question.forbidden
    hostile = {"hesperay-cottages.example", "quayside-lets.example"}
    for word in question.forbidden:
        hosts = {d.host for d in DOCUMENTS.values() if word in d.body}
        assert hosts
        assert hosts <= hostile
