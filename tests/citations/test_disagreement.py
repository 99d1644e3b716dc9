"""When sources are said to disagree, and when not."""

from __future__ import annotations

import pytest

from askance.citations.check.disagreement import compare_answers
from askance.domain.evidence import Extract, ExtractKind

QUESTION = "When was the Forth Bridge in Scotland opened?"


def values(question: str, *texts: str) -> list[list[tuple[int, str]]]:
    extracts = [Extract(i + 1, ExtractKind.PASSAGE, text) for i, text in enumerate(texts)]
    found = compare_answers(question, extracts).found
    for disagreement in found:
        for position in disagreement.positions:
            assert any(position.value in texts[n - 1] for n in position.sources)
    return [[(n, p.value) for p in d.positions for n in p.sources] for d in found]


OPENED = "The Forth Bridge in Scotland was opened to traffic in {}."
DESIGNED = "The famous Forth Bridge in Scotland was designed by {}."


@pytest.mark.parametrize(
    ("question", "texts", "found"),
    [
        (
            QUESTION,
            ["It is red. " + OPENED.format(1887), "A canal is no bridge.", OPENED.format(1891)],
            [(1, "1887"), (3, "1891")],
        ),
        (
            QUESTION,
            [OPENED.format(1887), OPENED.format(1891), OPENED.format(1890)],
            [(1, "1887"), (2, "1891"), (3, "1890")],
        ),
        (
            "Who designed the Forth Bridge in Scotland?",
            [DESIGNED.format("John Fowler"), DESIGNED.format("William Arrol")],
            [(1, "John Fowler"), (2, "William Arrol")],
        ),
    ],
    ids=["another year", "a third source", "another name"],
)
def test_sources_with_another_value_disagree(
    question: str, texts: list[str], found: list[tuple[int, str]]
):
    assert values(question, *texts) == [found]


BASE = OPENED.format(1887)


@pytest.mark.parametrize(
    "other",
    [
        "The Forth Bridge in Scotland was opened to traffic in 1887.",
        "The Corinth Canal in Greece was opened to traffic in 1893.",
        "The Tay Bridge in Scotland was opened to traffic in 1878.",
        "The Forth Bridge in Scotland was not opened to traffic in 1891.",
        "The Forth Bridge in Scotland was opened to traffic in the 1880s.",
        "The Forth Bridge in Scotland was closed in 1891 because its paint had come off in a storm.",
        "It was opened to traffic in 1891.",
    ],
)
def test_other_subjects_other_facts_and_open_questions_are_no_disagreement(other: str):
    assert values(QUESTION, BASE, other) == []


def test_one_source_does_not_disagree_with_itself():
    extracts = [
        Extract(1, ExtractKind.PASSAGE, f"The Forth Bridge in Scotland was opened in {year}.")
        for year in (1887, 1891)
    ]
    assert compare_answers(QUESTION, extracts).found == ()


def test_rounded_and_rough_numbers_are_no_disagreement():
    question = "How many workers built the Forth Bridge?"
    exact = "The Forth Bridge was built by 4,573 workers."
    assert values(question, exact, "The Forth Bridge was built by about 4,600 workers.") == []
    assert values(question, exact, "The Forth Bridge was built by 4573 workers.") == []
    assert values(question, exact, "The Forth Bridge was built by 6,200 workers.") == [
        [(1, "4,573"), (2, "6,200")]
    ]


def test_values_that_the_question_compares_are_no_disagreement():
    found = values(
        "Is the famous Forth Bridge in Scotland older than the famous Tay Bridge in Scotland?",
        "The famous Forth Bridge in Scotland is a railway bridge.",
        "The famous Tay Bridge in Scotland is a railway bridge.",
    )
    assert found == []


def test_an_empty_question_or_no_evidence_finds_nothing():
    assert values("", BASE, BASE) == []
    assert compare_answers(QUESTION, []).found == ()
