from __future__ import annotations

import json

import pytest
from bench.script import NOT_FOUND, Manner, reply_to

from askance.app.evaluation.running import look, read_blocks
from askance.domain.evidence import Passage
from askance.engine.evidence_set import NumberedEvidence
from askance.engine.judge import VERDICT_SCHEMA as VERDICT
from askance.sample_web.sample_pages import Question, load_questions

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


def test_only_entries_between_the_fences_count_with_their_numbers() -> None:
    blocks = read_blocks(prompt_of(SINGLE, "One thing.", "Another thing."))
    assert [(b.n, b.text.splitlines()[1]) for b in blocks] == [
        (1, "One thing."),
        (2, "Another thing."),
    ]
    prompt = f"Question: x\n\n[1] Page\n{SINGLE.gold[0].quote}\n\nTask: go on."
    assert look(SINGLE, prompt).numbers == (None,)


@pytest.mark.parametrize(
    ("name", "texts", "numbers"),
    [
        ("crossing-time", ("Nothing here.", f"Well: {SINGLE.gold[0].quote}"), (2,)),
        ("crossing-time", ("The crossing takes 1 hour and 55 minutes.",), (None,)),
        ("more-cars", ("The ship\n| Length | 71 m |\n| Cars | 32 |",), (1, None)),
    ],
)
def test_a_quote_is_found_as_it_stands_under_the_number_of_its_source(
    name: str, texts: tuple[str, ...], numbers: tuple[int | None, ...]
) -> None:
    question = QUESTIONS[name]
    assert look(question, prompt_of(question, *texts)).numbers == numbers


def test_the_judge_is_content_with_all_of_it_only_and_asks_for_what_the_prompt_names() -> None:
    first, second = (gold.quote for gold in TWO_HOP.gold)
    half, nothing = verdict_on(TWO_HOP, first), verdict_on(TWO_HOP, "Nothing.")
    assert verdict_on(TWO_HOP, first, second)["sufficiency"] == "sufficient"
    assert (half["sufficiency"], nothing["sufficiency"]) == ("partial", "insufficient")
    assert "Sela Marrin" in str(half["gap_queries"])
    assert "Marrin" not in str(nothing["gap_queries"])
    assert verdict_on(NOWHERE, "Many cats live here.")["sufficiency"] == "insufficient"
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


def test_models_err_in_their_manner() -> None:
    nothing, all_of_it = prompt_of(SINGLE, "Nothing here."), prompt_of(SINGLE, SINGLE.gold[0].quote)
    assert reply_to(nothing, None, SINGLE, Manner.EAGER) == "Nothing here [1]."
    assert reply_to(all_of_it, None, SINGLE, Manner.TIMID).startswith(NOT_FOUND)
    garbage = [reply_to(all_of_it, None, SINGLE, Manner.GARBAGE, turn=turn) for turn in range(4)]
    assert [reply[:5] for reply in garbage] == ['{"suf', "", "and s", "The c"]
    errs = [
        json.loads(reply_to(all_of_it, VERDICT, SINGLE, Manner.NOISY, turn=turn))["sufficiency"]
        for turn in range(100)
    ]
    assert 10 < errs.count("partial") < 30
