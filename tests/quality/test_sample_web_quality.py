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
from bench.figures import sum_up
from bench.runs import Run, Setup, run_question
from bench.script import Manner

from askance.domain.conversation import Outcome
from askance.sample_web.sample_server import QuestionKind, load_questions

EVIDENCE_RECALL = 64 / 65
TWO_HOP_RECALL = 19 / 20
CITATION_PRECISION = 1.0
CITATION_RECALL = 1.0
CITATION_SUPPORT = 1.0


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    """All questions; the writers take turns in setting their markers right, not at all, and wrong."""
    manners = list(Manner)
    return [
        run_question(question, Setup(), Speed(), manner=manners[i % len(manners)])
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


def test_markers_lead_to_sources_that_have_the_sentence(citations: CitationScore) -> None:
    assert citations.precision >= CITATION_PRECISION


def test_sentences_end_with_a_right_marker(citations: CitationScore) -> None:
    assert citations.recall >= CITATION_RECALL


def test_the_citation_check_believes_what_is_verbatim(citations: CitationScore) -> None:
    assert citations.support >= CITATION_SUPPORT


def test_what_no_page_tells_is_not_answered(runs: list[Run]) -> None:
    outcomes = {r.question.id: r.end.outcome for r in of_kind(runs, QuestionKind.UNANSWERABLE)}
    assert outcomes == dict.fromkeys(outcomes, Outcome.INSUFFICIENT)


def test_no_answer_repeats_the_orders_of_a_hostile_page(runs: list[Run]) -> None:
    texts = {w for r in runs for w in r.question.forbidden if w in r.end.answer}
    assert texts == set()
