"""Kept moments, in ISO 8601, as people read them: in local time, and as short as their place wants them."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from askance.presentation.i18n import day_of, tr
from askance.presentation.sanitizing import one_line


def local_moment(iso: str) -> datetime | None:
    """Return a kept moment in local time; None of what is no moment, or of none that a clock here shows."""
    try:
        return datetime.fromisoformat(iso).astimezone()
    except (ValueError, OverflowError, OSError):
        return None


def short_moment(iso: str, today: date) -> str:
    """Return a kept moment as short as a list wants it: the time of today, else the day."""
    moment = local_moment(iso)
    if moment is None:
        return one_line(iso)
    if moment.date() == today:
        return f"{moment:%H:%M}"
    if moment.date() == today - timedelta(days=1):
        return tr("yesterday")
    return day_of(moment.date().isoformat())


def moment_text(iso: str, now: datetime) -> str:
    """Return a kept moment in plain words; what is no moment as it is."""
    moment = local_moment(iso)
    if moment is None:
        return one_line(iso)
    today = now.astimezone().date()
    if moment.date() == today:
        return tr("today at {time}", time=f"{moment:%H:%M}")
    if moment.date() == today - timedelta(days=1):
        return tr("yesterday at {time}", time=f"{moment:%H:%M}")
    return day_of(moment.date().isoformat())


def moment_row(iso: str, *, seconds: bool = False) -> str:
    """Return a kept moment as a row of a terminal has it, in local time; what is no moment as it is."""
    moment = local_moment(iso)
    if moment is None:
        return one_line(iso)
    return f"{moment:%Y-%m-%d %H:%M:%S}" if seconds else f"{moment:%Y-%m-%d %H:%M}"
