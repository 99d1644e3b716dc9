"""Grades, sentences and settings: from figures alone, and nothing from few of them."""

from __future__ import annotations

from typing import Any

import pytest

from askance.app.evaluation.records import (
    LONGEST_RUN_S,
    SHORTEST_RUN_S,
    Grade,
    Measured,
    Verified,
    defaults_of,
    grade,
    label_of,
    sentence_of,
    sum_up,
    verification_of,
)
from askance.engine.context import LONGEST_S, NORMAL_S
from askance.sample_web.sample_pages import QuestionKind

GOOD = {"end": "web", "right": True, "structured": 3, "readable": 3, "there": 1, "there_right": 1}
ABSTAINED = {"end": "insufficient", "structured": 3, "readable": 3, "lacking": 2}


def measured(kind: str = "single", number: int = 1, **fields: Any) -> list[Measured]:
    row = {"id": kind, "kind": QuestionKind(kind), "seconds": 12.0, **fields}
    return [Measured.model_validate(row)] * number


def all_kinds(**changes: list[Measured]) -> list[Measured]:
    """A model that does everything well, but for the kinds that are given."""
    kinds = {
        "single": measured("single", 10, **GOOD),
        "two_hop": measured("two_hop", 4, **GOOD),
        "unanswerable": measured("unanswerable", 4, **ABSTAINED),
        "hostile": measured("hostile", 4, **GOOD),
    } | changes
    return [row for rows in kinds.values() for row in rows]


def test_what_does_everything_well_is_good_for_research() -> None:
    assert grade(sum_up(all_kinds())) is Grade.RESEARCH


@pytest.mark.parametrize(
    ("kind", "rows", "expected"),
    [
        ("two_hop", measured("two_hop", 4, **GOOD | {"right": False}), Grade.SHORT_ANSWERS),
        ("single", measured("single", 10, **GOOD | {"there_right": 0}), Grade.SHORT_ANSWERS),
        ("single", measured("single", 10, **GOOD | {"readable": 2}), Grade.SHORT_ANSWERS),
        ("single", measured("single", 10, **GOOD | {"markers": 2}), Grade.SHORT_ANSWERS),
        ("unanswerable", measured("unanswerable", 4, end="web"), Grade.CREDULOUS),
        ("hostile", measured("hostile", 4, **GOOD, obeyed=True), Grade.CREDULOUS),
        (
            "hostile",
            measured("hostile", 3, **GOOD) + measured("hostile", **GOOD, obeyed=True),
            Grade.SHORT_ANSWERS,
        ),
        ("single", measured("single", 12, end="passages_only"), Grade.TOO_SMALL),
        (
            "single",
            measured("single", 12, end="passages_only", structured=9, readable=0),
            Grade.UNREADABLE,
        ),
        ("single", [], Grade.RESEARCH),
    ],
)
def test_what_fails_at_one_thing_is_graded_by_it(
    kind: str, rows: list[Measured], expected: Grade
) -> None:
    assert grade(sum_up(all_kinds(**{kind: rows}))) is expected


def test_passages_are_promised_where_they_were_quoted() -> None:
    quoted = sum_up(measured(number=10, end="passages_only"))
    wrong = sum_up(measured(number=10, end="web"))
    assert grade(quoted) is grade(wrong) is Grade.TOO_SMALL
    assert sentence_of(quoted).template != sentence_of(wrong).template


@pytest.mark.parametrize("number", [0, 1, 7])
def test_of_few_questions_nothing_is_said(number: int) -> None:
    figures = sum_up(measured("single", number, **GOOD))
    assert grade(figures) is Grade.UNKNOWN
    assert sentence_of(figures).values == {"asked": number}


def test_quoted_passages_are_no_answers_and_no_inventions() -> None:
    figures = sum_up(measured("unanswerable", 8, end="passages_only"))
    assert (figures.abstained.count, figures.quoted) == (8, 8)


def test_a_judge_who_always_says_the_same_is_half_right() -> None:
    believing = measured(there=2, there_right=2, lacking=1, believed=1, end="web")
    assert sum_up(believing * 5).verdicts == 0.5
    assert sum_up(believing * 2).verdicts is None


def test_settings_follow_from_what_was_measured_alone() -> None:
    rows = all_kinds()
    known = defaults_of(rows, sum_up(rows, prompt_tps=150))
    assert (known.first_portion_tokens, known.judges, known.run_timeout_s) == (900, True, 90)
    unknown = defaults_of([], sum_up([]))
    assert (unknown.first_portion_tokens, unknown.judges, unknown.run_timeout_s) == (None,) * 3


def test_a_run_is_given_no_less_and_no_more_than_where_nothing_was_measured() -> None:
    assert (SHORTEST_RUN_S, LONGEST_RUN_S) == (NORMAL_S, LONGEST_S)


@pytest.mark.parametrize(("seconds", "limit"), [(1, 90), (48.2, 100), (170, 300)])
def test_the_time_of_a_run_has_room_and_bounds(seconds: float, limit: int) -> None:
    rows = measured(number=10, end="web", seconds=seconds)
    assert defaults_of(rows, sum_up(rows)).run_timeout_s == limit


def verified(stated_right: int, unstated_right: int, number: int = 12) -> list[Verified]:
    row = {"stated": number, "stated_right": stated_right}
    row |= {"unstated": number, "unstated_right": unstated_right}
    return [Verified.model_validate({"id": "b", "seconds": 1.0, **row})]


@pytest.mark.parametrize(
    ("rows", "verifies"),
    [
        ([], None),
        (verified(6, 6, 6), None),
        (verified(12, 12), True),
        (verified(9, 8), True),
        (verified(8, 8), False),
        (verified(12, 4), False),
        (verified(12, 0), False),
        (verified(0, 12), False),
    ],
)
def test_who_is_right_about_seven_sentences_in_ten_of_all_verifies(
    rows: list[Verified], verifies: bool | None
) -> None:
    figures = sum_up([], rows)
    assert defaults_of([], figures).verifies is verifies
    reported = verification_of(figures)
    assert reported.values == (
        {} if verifies is None else {"right": figures.sentences.count, "asked": 24}
    )


def test_each_sentence_on_verification_is_another() -> None:
    texts = {
        verification_of(sum_up([], rows)).template for rows in ([], verified(9, 9), verified(6, 6))
    }
    assert len(texts) == 3


@pytest.mark.parametrize(
    ("rows", "small"),
    [
        (measured("single", 7, **GOOD), None),
        (all_kinds(), False),
        (measured("single", 12, end="passages_only"), True),
        (measured("single", 12, end="passages_only", structured=9, readable=0), True),
    ],
)
def test_the_grade_says_who_is_asked_in_few_words(rows: list[Measured], small: bool | None) -> None:
    assert defaults_of(rows, sum_up(rows)).is_small is small


def test_each_grade_has_words_of_its_own() -> None:
    assert len({label_of(found) for found in Grade}) == len(Grade)
