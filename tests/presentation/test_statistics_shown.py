"""How the figures of runs are shown: as a table and for programs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from askance.cli.commands.history import (
    UNKNOWN,
    RunFigures,
    by_day,
    figures,
    statistics_record,
    table,
)
from askance.domain.conversation import Usage
from askance.domain.phases import Sufficiency

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


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
