"""What runs come to, day by day."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from askance.cli.commands.history import (
    FAILED,
    UNKNOWN,
    RunFigures,
    by_day,
    figures,
    figures_of,
    merged,
    moment_of,
    statistics_record,
    table,
)
from askance.domain.conversation import Outcome, Usage
from askance.domain.events import (
    Answered,
    ClarifyAsked,
    Dequeued,
    Failed,
    Judged,
    Judging,
    LibraryRecalled,
    RunEvent,
    TokenArrived,
)
from askance.domain.messages import NOTHING, Message
from askance.domain.phases import Sufficiency

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def answered(outcome: Outcome = Outcome.WEB, elapsed_ms: int = 4000) -> Answered:
    return Answered("So.", (), (), outcome, 1, Usage(3, 900, 80, 2, 10, 4), (), elapsed_ms)


def judged(sufficiency: Sufficiency) -> Judged:
    return Judged(Judging.PASSAGES, sufficiency, (), NOTHING, 1, 10)


def run(*events: RunEvent, question: str = "Who?", started: datetime = START) -> RunFigures:
    found = figures_of(question, started, [(float(i), event) for i, event in enumerate(events)])
    assert found is not None
    return found


def test_a_run_is_told_from_its_events() -> None:
    reported = run(judged(Sufficiency.PARTIAL), judged(Sufficiency.SUFFICIENT), TokenArrived("a"),
               TokenArrived("b"), answered())  # fmt: skip
    assert reported.is_complete
    assert reported.is_researched
    assert (reported.outcome, reported.first_token_s, reported.total_s) == ("web", 2.0, 4.0)
    assert reported.usage.pages_read == 4


def test_waiting_for_others_is_no_time_of_the_run() -> None:
    assert run(Dequeued(1000), Dequeued(2000), TokenArrived("a"), answered()).first_token_s == 1.0


@pytest.mark.parametrize(
    ("events", "is_complete"),
    [
        ([answered()], False),
        ([judged(Sufficiency.SUFFICIENT), answered(Outcome.INSUFFICIENT)], False),
        ([judged(Sufficiency.SUFFICIENT), Failed(Message("Down."))], False),
        ([LibraryRecalled(2, Sufficiency.SUFFICIENT, 4), answered(Outcome.LIBRARY)], True),
        (
            [
                LibraryRecalled(2, Sufficiency.SUFFICIENT, 4),
                judged(Sufficiency.PARTIAL),
                answered(),
            ],
            False,
        ),
    ],
)
def test_the_last_verdict_counts_and_what_the_answer_says(
    events: list[RunEvent], is_complete: bool
) -> None:
    assert run(*events).is_complete is is_complete


def test_a_run_without_an_end_is_none() -> None:
    assert figures_of("Who?", START, [(0.0, TokenArrived("a"))]) is None


def test_shares_are_of_those_to_whom_they_apply() -> None:
    library = run(LibraryRecalled(1, Sufficiency.SUFFICIENT, 1), answered(Outcome.LIBRARY, 1000))
    web = run(judged(Sufficiency.PARTIAL), TokenArrived("a"), answered())
    given = run(answered(Outcome.GIVEN))
    rest = [
        given,
        run(answered(Outcome.MEMORY)),
        run(ClarifyAsked("Which?")),
        run(Failed(Message("x"))),
    ]
    row = figures([library, web, *rest])
    assert (row.questions, row.failed, row.from_memory) == (6, 1, 1)
    assert (row.judged, row.complete, row.completeness) == (2, 1, 0.5)
    assert (row.local, row.local_complete, row.local_share) == (1, 1, 0.5)
    assert row.read_share == 0.4
    assert row.each(row.model_calls) == 12 / 6
    assert (row.first_token_s, row.total_s) == (1.0, 4.0)


def test_nothing_is_known_of_no_run() -> None:
    row = figures([])
    assert row.questions == 0
    assert row.completeness is row.local_share is row.read_share is row.total_s is None
    assert row.each(row.prompt_tokens) is None


def test_a_day_begins_where_the_person_is() -> None:
    late = run(answered(), started=datetime(2026, 3, 1, 23, 30, tzinfo=UTC))
    noon = run(answered())
    assert [row.day for row in by_day([late, noon], UTC)] == [date(2026, 3, 1)]
    there = by_day([late, noon], timezone(timedelta(hours=1)))
    assert [(row.day, row.questions) for row in there] == [
        (date(2026, 3, 1), 1),
        (date(2026, 3, 2), 1),
    ]


def test_what_stands_in_both_records_counts_once() -> None:
    traced = [run(TokenArrived("a"), answered()), run(answered(), question="Where?")]
    later = START + timedelta(seconds=2)
    retained = [
        run(answered(), started=later),
        run(answered(), started=later),
        run(answered(), question="Where?", started=START + timedelta(minutes=1)),
        run(Failed(Message("x")), started=later),
    ]
    both = merged(traced, retained)
    assert len(both) == 5
    assert [found.first_token_s for found in both if found.question == "Who?"].count(None) == 2
    assert sum(found.outcome == FAILED for found in both) == 1
    assert [found.started for found in both] == sorted(found.started for found in both)


def test_a_moment_without_a_zone_is_utc() -> None:
    assert moment_of("2026-03-01T12:00:00") == START
    assert moment_of("2026-03-01T13:00:00+01:00") == START
    assert moment_of("yesterday") is None


# How the figures of runs are shown: as a table and for programs.


def runs(*days: int) -> list[RunFigures]:
    usage = Usage(3, 1200, 80, 2, 10, 4)
    return [
        RunFigures(
            "Who?", START + timedelta(days=n), "web", Sufficiency.SUFFICIENT, usage, 1.5, 4.0
        )
        for n in days
    ]


def test_a_table_has_a_row_for_each_day_and_one_for_all() -> None:
    asked = runs(0, 0, 2)
    lines = table(by_day(asked, UTC), figures(asked))
    assert len({len(line) for line in lines}) == 1
    assert [line.split()[:2] for line in lines[1:]] == [
        ["2026-03-01", "2"],
        ["2026-03-03", "1"],
        ["All", "3"],
    ]
    assert "8 of 20" in lines[1]
    assert "100 %" in lines[1]


def test_what_is_not_known_says_so() -> None:
    failed = RunFigures("Who?", START, "failed", None, Usage(), None, None)
    (_, row, _) = table(by_day([failed], UTC), figures([failed]))
    assert row.split().count(UNKNOWN) == 5
    reported = statistics_record(figures([failed]))
    assert (reported["day"], reported["completeness"], reported["total_s"]) == (None, None, None)
