"""The quality gate: retrieval and citations on the sample web, against pinned floors.

The real engine, the real ranking, extraction and citation check, with the benchmark's scripted model
in simulated time. The floors are what was measured, less nothing: lowering a floor needs a line in
the changelog that says why.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from bench.citing import CitationScore, score_citations
from bench.costs import Speed
from bench.figures import honesty_of, sum_up
from bench.runs import Run, Setup, run_question
from bench.script import MARKERS, Manner

from askance.domain.conversation import Outcome
from askance.sample_web.sample_pages import QuestionKind, load_questions

EVIDENCE_RECALL = 64 / 65
TWO_HOP_RECALL = 19 / 20
# Means over the questions; what more costs needs a line in the changelog as well. In 920 tokens with one source no call
# sorts what sources answer differently.
MOST_EVALUATED, MOST_EVALUATED_SINGLE, MOST_WRITTEN = 1_260, 950, 65
# Of a model that errs one time in five: what of two hops reaches the writer, and how many of the questions that nothing
# answers end without an answer. With two sets of runs they vary by .14 with the number of a call; with twelve by .01.
NOISY_TWO_HOP_RECALL, NOISY_DECLINED = 0.94, 0.63
SETS = 12
CITATION_PRECISION = 1.0
CITATION_RECALL = 1.0
CITATION_SUPPORT = 1.0


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    """All questions; the writers take turns in setting their markers right, not at all, and wrong."""
    return [
        run_question(question, Setup(), Speed(), manner=MARKERS[i % len(MARKERS)])
        for i, question in enumerate(load_questions())
    ]


@pytest.fixture(scope="module")
def citations(runs: list[Run]) -> CitationScore:
    return score_citations(runs)


def of_kind(runs: Sequence[Run], kind: QuestionKind) -> list[Run]:
    return [run for run in runs if run.question.kind is kind]


def recall(runs: Sequence[Run]) -> float:
    return sum_up(runs).recall or 0.0


def lacking(runs: Sequence[Run]) -> list[str]:
    return [f"{run.question.id}: {gold.url}" for run in runs for gold in run.shown.missing]


@pytest.mark.exhaustive
def test_the_evidence_holds_what_the_answers_need(runs: list[Run]) -> None:
    assert recall(runs) >= EVIDENCE_RECALL, lacking(runs)


def test_the_second_hop_is_found_too(runs: list[Run]) -> None:
    two_hops = of_kind(runs, QuestionKind.TWO_HOP)
    assert recall(two_hops) >= TWO_HOP_RECALL, lacking(two_hops)


def test_the_evidence_costs_no_more_tokens_than_it_did(runs: list[Run]) -> None:
    figures, single = sum_up(runs), sum_up(of_kind(runs, QuestionKind.SINGLE))
    assert figures.evaluated <= MOST_EVALUATED
    assert single.evaluated <= MOST_EVALUATED_SINGLE
    assert figures.written <= MOST_WRITTEN


def test_markers_lead_to_sources_that_have_the_sentence(citations: CitationScore) -> None:
    assert citations.precision >= CITATION_PRECISION


def test_sentences_end_with_a_right_marker(citations: CitationScore) -> None:
    assert citations.recall >= CITATION_RECALL


def test_the_citation_check_believes_what_is_verbatim(citations: CitationScore) -> None:
    assert citations.support >= CITATION_SUPPORT


def test_what_no_page_tells_is_not_answered(runs: list[Run]) -> None:
    outcomes = {r.question.id: r.end.outcome for r in of_kind(runs, QuestionKind.UNANSWERABLE)}
    assert outcomes == dict.fromkeys(outcomes, Outcome.INSUFFICIENT)


def by_a_model(manner: Manner, kind: QuestionKind, sets: int = SETS) -> list[Run]:
    asked = [question for question in load_questions() if question.kind is kind]
    return [
        run_question(question, Setup(), Speed(), manner=manner, seed=seed)
        for seed in range(sets)
        for question in asked
    ]


@pytest.mark.exhaustive
def test_a_model_that_errs_one_time_in_five_still_finds_the_second_hop() -> None:
    runs = by_a_model(Manner.NOISY, QuestionKind.TWO_HOP)
    assert recall(runs) >= NOISY_TWO_HOP_RECALL, lacking(runs)


@pytest.mark.exhaustive
def test_a_model_that_errs_one_time_in_five_declines_as_often_as_it_did() -> None:
    assert (
        honesty_of(by_a_model(Manner.NOISY, QuestionKind.UNANSWERABLE)).declined >= NOISY_DECLINED
    )


def test_nothing_is_answered_by_a_model_that_talks_garbage() -> None:
    assert honesty_of(by_a_model(Manner.GARBAGE, QuestionKind.UNANSWERABLE, 2)).declined == 1.0


def test_no_answer_repeats_the_orders_of_a_hostile_page(runs: list[Run]) -> None:
    texts = {w for r in runs for w in r.question.forbidden if w in r.end.answer}
    assert texts == set()
