"""The one seam between the words of the program and the language that a person reads.

Every text is written here in English, with named places in braces, and goes through `tr` or
`plural`; a front end may put a catalogue behind them. What is shown is folded from events anew when
the language changes, so nothing need remember from which text it was made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from askance.domain.characters import one_line
from askance.domain.messages import PLACE, Message, Value, decimals, message_of

_GB, _MB = 1_000_000_000, 1_000_000
_WEEK = 7

_DAY = "day"
"""The place of a message in which an ISO date stands."""
_CODE = re.compile(r"`([^`\n]+)`")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


class English:
    """What a language has to give, in the one that the texts are written in."""

    code = "en"

    def text(self, source: str) -> str:
        """Return the translation of a text, its places in braces kept."""
        return source

    def plural(self, one: str, many: str, number: int) -> str:
        """Return the translation of the form that goes with `number`."""
        return one if number == 1 else many

    def number(self, value: float, decimals: int) -> str:
        """Return a number as it is written, with so many decimals: `1,204` and `0.9`."""
        return f"{value:,.{decimals}f}"

    def date(self, day: date) -> str:
        """Return a date as it is written: `12 May 1981`."""
        return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"

    def month(self, day: date) -> str:
        """Return the month of a date: `May 1981`."""
        return f"{_MONTHS[day.month - 1]} {day.year}"


class _Spoken:
    # One language for the whole process: the window sets it, the command line keeps English.
    language = English()


def speak(language: English) -> None:
    """Say everything from now on in this language."""
    _Spoken.language = language


def spoken() -> English:
    """Return the language that everything is said in now."""
    return _Spoken.language


def tr(source: str, **values: Value) -> str:
    """Return a text in the reader's language, with the values in their places.

    Whole numbers are written without decimals, others with one.
    """
    return _filled(_Spoken.language.text(source), values)


def plural(one: str, many: str, n: int, **values: Value) -> str:
    """Return the form of a text that goes with `n`, which stands in it as `{n}`."""
    return _filled(_Spoken.language.plural(one, many, n), {"n": n, **values})


def translated(message: object) -> str:
    """Return a message, or that of an error, in the reader's language.

    Text that is no message stays as it is.
    """
    if not isinstance(message, str):
        message = message_of(message)
    # An English message is its own text. This shortcut is for speed: each row of a trace comes here.
    if not isinstance(message, Message) or (
        type(_Spoken.language) is English and _DAY not in message.values
    ):
        return str(message)
    text = _Spoken.language.text(message.template)
    if text == message.template and not text.endswith("."):
        # A sentence that lost its full stop where it was put into a longer one.
        text = _Spoken.language.text(f"{text}.").removesuffix(".")
    return PLACE.sub(lambda place: _value_text(message.values[place[1]], place[1]), text)


def term(source: str) -> str:
    """Mark a text for the catalogue that is translated later, by `tr` of a variable."""
    return source


def decimal_mark() -> str:
    """Return what stands between the ones and the tenths of a number."""
    # 0.5 as the language writes it, without its digits.
    return _Spoken.language.number(0.5, 1).strip("05")


def quoted(texts: Sequence[str]) -> str:
    """Return texts in quotation marks, separated by commas."""
    return ", ".join(tr("“{text}”", text=text) for text in texts)


def without_backticks(text: str) -> str:
    """Return a sentence of ours for where no code is drawn: what stands between backticks, quoted."""
    return _CODE.sub(tr("“{text}”", text=r"\1"), text)


def duration(ms: float) -> str:
    """Return a span of time in as few characters as possible: `12 ms`, `1.8 s`, `14 s`, `2 min 5 s`."""
    if ms < 100:
        return tr("{n} ms", n=round(ms))
    # From 9.95 s on one decimal would say 10.0 s.
    if ms < 9_950:
        return tr("{n} s", n=ms / 1000)
    seconds = round(ms / 1000)
    if seconds < 60:
        return tr("{n} s", n=seconds)
    return tr("{min} min {s} s", min=seconds // 60, s=seconds % 60)


def day_of(stamp: str | None) -> str:
    """Return the day of an ISO 8601 date, or the year where no more is known; else nothing."""
    text = (stamp or "").strip()
    try:
        return _Spoken.language.date(date.fromisoformat(text[:10]))
    except ValueError:
        # `isdecimal` alone accepts the digits of every script.
        return text[:4] if text[:4].isdecimal() and text[:4].isascii() else ""


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural where it must be."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def size_text(size: int) -> str:
    """Return a number of bytes in as few characters as possible: `815 MB`, `3.3 GB`, `11 GB`."""
    if size < _GB:
        return tr("{n} MB", n=round(size / _MB))
    return tr("{n} GB", n=gigabytes(size))


def gigabytes(size: int) -> float | int:
    """Return a number of bytes in billions, whole from ten on."""
    return round(size / _GB) if size >= 10 * _GB else size / _GB


def _filled(text: str, values: dict[str, Value]) -> str:
    # A text without values is no template, and may hold braces of its own.
    if not values:
        return text
    return text.format_map({name: _written(value) for name, value in values.items()})


def _value_text(value: Value, name: str) -> str:
    if isinstance(value, str):
        return day_of(value) if name == _DAY else translated(value)
    return _Spoken.language.number(value, decimals(value))


def _written(value: Value) -> str:
    match value:
        case str():
            return value
        case int():
            return _Spoken.language.number(value, 0)
        case float():
            return _Spoken.language.number(value, 1)


# Kept moments, in ISO 8601, as people read them: in local time, and as short as their place wants
# them.


def local_moment(iso: str) -> datetime | None:
    """Return a kept moment in local time; None of what is no moment, or of none that a clock here shows."""
    try:
        return datetime.fromisoformat(iso).astimezone()
    # OverflowError and OSError: the C library has no time zone for such a year.
    except (ValueError, OverflowError, OSError):
        return None


def day_group(iso: str, today: date) -> str:
    """Return under which heading a kept moment stands in a list: a day, the last week, or a month."""
    moment = local_moment(iso)
    if moment is None:
        return tr("Without a date")
    ago = (today - moment.date()).days
    # A clock that was set back makes moments of tomorrow.
    if ago <= 0:
        return tr("Today")
    if ago == 1:
        return tr("Yesterday")
    return tr("Last week") if ago <= _WEEK else _Spoken.language.month(moment.date())


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
