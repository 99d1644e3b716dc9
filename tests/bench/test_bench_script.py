from __future__ import annotations

import json

import pytest
from bench.script import Manner, reply_to

from askance.app.evaluation.running import look, read_blocks
from askance.domain.evidence import Passage
from askance.engine.evidence_set import NumberedEvidence
from askance.engine.judge import VERDICT_SCHEMA as VERDICT
from askance.sample_web.sample_server import Question, load_questions

QUESTIONS = {q.id: q for q in load_questions()}
SINGLE = QUESTIONS["crossing-time"]
TWO_HOP = QUESTIONS["namesake-rescue"]
NOWHERE = QUESTIONS["cats"]


def prompt_of(question: Question, *texts: str) -> str:
    ledger = NumberedEvidence("00c0ffee")
    for i, text in enumerate(texts):
        ledger.add_passages([Passage(f"http://p{i}.example/", f"Page {i}", text, 0)], {})
    return f"Question: {question.question}\n\n{ledger.text}\n\nTask: go on.\n"


def verdict_on(question: Question, *texts: str) -> dict[str, object]:
    return json.loads(reply_to(prompt_of(question, *texts), VERDICT, question, Manner.RIGHT))


def test_entries_of_the_evidence_are_read_with_their_numbers() -> None:
    blocks = read_blocks(prompt_of(SINGLE, "One thing.", "Another thing."))
    assert [(b.n, b.text.splitlines()[1]) for b in blocks] == [
        (1, "One thing."),
        (2, "Another thing."),
    ]


def test_nothing_outside_of_the_fences_counts_as_evidence() -> None:
    prompt = f"Question: x\n\n[1] Page\n{SINGLE.gold[0].quote}\n\nTask: go on."
    assert look(SINGLE, prompt).numbers == (None,)


def test_a_quote_is_found_under_the_number_of_its_source() -> None:
    shown = look(SINGLE, prompt_of(SINGLE, "Nothing here.", f"Well: {SINGLE.gold[0].quote}"))
    assert shown.numbers == (2,)
    assert shown.complete


def test_the_same_sentence_with_another_number_is_not_the_quote() -> None:
    shown = look(SINGLE, prompt_of(SINGLE, "The crossing takes 1 hour and 55 minutes."))
    assert shown.numbers == (None,)


def test_a_row_of_two_words_is_found_as_a_row() -> None:
    cars = QUESTIONS["more-cars"]
    shown = look(cars, prompt_of(cars, "The ship\n| Length | 71 m |\n| Cars | 32 |"))
    assert shown.numbers == (1, None)


def test_the_judge_is_content_with_all_of_it_only() -> None:
    first, second = (gold.quote for gold in TWO_HOP.gold)
    assert verdict_on(TWO_HOP, first, second)["sufficiency"] == "sufficient"
    assert verdict_on(TWO_HOP, first)["sufficiency"] == "partial"
    assert verdict_on(TWO_HOP, "Nothing.")["sufficiency"] == "insufficient"


def test_the_judge_is_never_content_where_there_is_no_answer() -> None:
    assert verdict_on(NOWHERE, "Many cats live here.")["sufficiency"] == "insufficient"


def test_a_gap_query_names_what_the_prompt_shows() -> None:
    assert "Sela Marrin" in str(verdict_on(TWO_HOP, TWO_HOP.gold[0].quote)["gap_queries"])


def test_a_gap_query_never_names_what_only_the_gold_tells() -> None:
    assert "Marrin" not in str(verdict_on(TWO_HOP, "Nothing.")["gap_queries"])


def test_a_content_judge_asks_for_nothing() -> None:
    assert verdict_on(SINGLE, SINGLE.gold[0].quote)["gap_queries"] == []


def test_the_plan_searches_for_the_words_that_tell_something() -> None:
    schema = {"properties": {"action": {}}}
    plan = json.loads(reply_to("", schema, SINGLE, Manner.RIGHT))
    assert plan["action"] == "proceed"
    assert plan["optimized_query"] == "long ferry crossing Strandmouth Hesperay take today"


@pytest.mark.parametrize(
    ("manner", "answer"),
    [
        (Manner.RIGHT, "The crossing takes 1 hour and 35 minutes [2]."),
        (Manner.NONE, "The crossing takes 1 hour and 35 minutes."),
        (Manner.WRONG, "The crossing takes 1 hour and 35 minutes [1][9]."),
    ],
)
def test_the_writer_sets_its_markers_in_the_manner_asked_for(manner: Manner, answer: str) -> None:
    prompt = prompt_of(SINGLE, "Nothing.", SINGLE.gold[0].quote)
    assert reply_to(prompt, None, SINGLE, manner) == answer


def test_the_writer_says_that_it_could_not_find_the_rest() -> None:
    answer = reply_to(prompt_of(TWO_HOP, TWO_HOP.gold[0].quote), None, TWO_HOP, Manner.RIGHT)
    assert answer.startswith("I could not find")
    assert "She is named after Sela Marrin, the postmistress of Wick of Ord [1]." in answer


def test_a_row_of_a_table_is_told_as_a_list() -> None:
    question = QUESTIONS["storm-loaf-price"]
    prompt = prompt_of(question, question.gold[0].quote)
    assert reply_to(prompt, None, question, Manner.RIGHT) == "Storm loaf, 1.2 kg, £4.60 [1]."
