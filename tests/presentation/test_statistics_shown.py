"""How the figures of runs are shown: as a table, and as what a picture draws."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from askance.domain.conversation import Usage
from askance.domain.phases import Sufficiency
from askance.presentation.statistics import (
    UNKNOWN,
    ChartForm,
    RunFigures,
    Series,
    by_day,
    chart,
    figures,
    highest_of,
    record,
    table,
    value_ticks,
)

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
    reported = record(figures([failed]))
    assert (reported["day"], reported["completeness"], reported["total_s"]) == (None, None, None)


def test_an_empty_day_is_an_empty_place_in_the_picture() -> None:
    questions, shares, tokens, times = chart(runs(0, 2), UTC).panels
    assert questions.x == (0.0, 1.0, 2.0)
    assert questions.series[0].values == (1, None, 1)
    assert (questions.form, shares.form) == (ChartForm.BARS, ChartForm.LINES)
    assert max(tick.at for tick in shares.y_ticks) == 1.0
    assert tokens.series[0].values == (1200.0, None, 1200.0)
    assert times.series[1].values == (4.0, None, 4.0)
    assert [tick.label for tick in times.x_ticks] == ["2026-03-01", "2026-03-02", "2026-03-03"]


@pytest.mark.parametrize(("days", "places"), [(1, 1), (62, 62), (63, 9), (700, 25)])
def test_many_days_are_taken_together(days: int, places: int) -> None:
    panel, *_ = chart(runs(0, days - 1), UTC).panels
    assert len(panel.x) == places
    assert len(panel.x_ticks) <= 4
    assert max(tick.at for tick in panel.x_ticks) == places - 1
    assert sum(value or 0 for value in panel.series[0].values) == 2


def test_without_a_run_there_is_nothing_to_draw() -> None:
    empty = chart([])
    assert empty.panels == ()
    assert empty.subtitle


@pytest.mark.parametrize(
    ("highest", "labels"),
    [
        (1.0, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (8, ["0", "2", "4", "6", "8"]),
        (5875, ["0", "2,000", "4,000", "6,000"]),
        (11, ["0.0", "2.5", "5.0", "7.5", "10.0", "12.5"]),
    ],
)
def test_an_axis_has_a_few_round_numbers(highest: float, labels: list[str]) -> None:
    assert [tick.label for tick in value_ticks(highest)] == labels


def test_bars_stand_on_one_another() -> None:
    series = (Series(name="a", values=(1, 3)), Series(name="b", values=(5, None)))
    assert highest_of(series, ChartForm.BARS) == 6
    assert highest_of(series, ChartForm.LINES) == 5
