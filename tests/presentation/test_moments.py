"""Kept moments as people read them: by the day, as short as a list wants them, and in local time."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from askance.presentation.i18n import local_moment, moment_row, moment_text, short_moment

NOW = datetime(2026, 5, 14, 10, 40, 7).astimezone()
IN_UTC = NOW.astimezone(UTC).isoformat()
NO_MOMENTS = ("some\nday", "", "9999-99-99", "0001-01-01T00:00:00+14:00")


@pytest.mark.parametrize(
    ("days", "text"),
    [(0, "today at 10:40"), (1, "yesterday at 10:40"), (2, "12 May 2026"), (400, "9 April 2025")],
)
def test_a_moment_is_told_by_its_day(days: int, text: str) -> None:
    assert moment_text((NOW - timedelta(days=days)).isoformat(), NOW) == text


def test_days_are_told_as_short_as_they_can_be() -> None:
    assert short_moment(IN_UTC, NOW.date()) == "10:40"
    assert short_moment(NOW.isoformat(), date(2026, 5, 15)) == "yesterday"
    assert short_moment(NOW.isoformat(), date(2026, 6, 15)) == "14 May 2026"


def test_a_terminal_shows_local_time() -> None:
    assert moment_row(IN_UTC) == "2026-05-14 10:40"
    assert moment_row(IN_UTC, seconds=True) == "2026-05-14 10:40:07"


@pytest.mark.parametrize("iso", NO_MOMENTS)
def test_what_is_no_moment_is_shown_on_one_line_as_it_is(iso: str) -> None:
    shown = " ".join(iso.split())
    assert local_moment(iso) is None
    assert (moment_text(iso, NOW), short_moment(iso, NOW.date()), moment_row(iso)) == (shown,) * 3
