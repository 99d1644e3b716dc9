"""Numbers as people write them: separators, scales, percent, ordinals, decades and words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

# fmt: off
_WORD_VALUES = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15,
    "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30,
    "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}
# fmt: on
# "one" is left out: it is a pronoun more often than a number.
NUMBER_WORDS = frozenset(_WORD_VALUES)

_SCALES = {
    "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "mn": 1e6, "bn": 1e9,
    "万": 1e4, "萬": 1e4, "億": 1e8, "亿": 1e8,
}  # fmt: skip
_SUFFIX = (
    r"(?:[ \u00a0\u202f-]?(?P<scale>thousand|million|billion|trillion|mn|bn|[万萬億亿])(?![a-z]))?"
    r"(?:[ \u00a0\u202f]?(?P<percent>%|\uff05|percent\b|per cent\b))?"
)
_DIGITS = re.compile(
    r"(?<![A-Za-zÀ-ɏ0-9])(?P<money>[$€£¥]\s?)?"
    r"(?P<digits>[0-9\uff10-\uff19]+(?:[.,\u00a0\u202f’'][0-9\uff10-\uff19]+)*)"
    r"(?P<mark>(?:st|nd|rd|th)\b|['’]?s\b)?" + _SUFFIX,
    re.IGNORECASE,
)
_WORDS = re.compile(
    rf"\b(?P<word>{'|'.join(_WORD_VALUES)})(?:-(?P<unit>one|two|three|four|five|six|seven|eight|nine))?\b"
    + _SUFFIX,
    re.IGNORECASE,
)
_GROUPED = re.compile(r"[0-9\uff10-\uff19]{1,3}(?:[.,\u00a0\u202f’'][0-9\uff10-\uff19]{3})+")
_FIRST_YEAR, _LAST_YEAR = 1000, 2100


class NumberKind(StrEnum):
    """What a number counts, as far as its form tells."""

    COUNT = "count"
    YEAR = "year"
    DECADE = "decade"
    PERCENT = "percent"
    MONEY = "money"
    ORDINAL = "ordinal"


@dataclass(frozen=True, slots=True)
class Number:
    """A number at `start` to `end` of a text.

    `readings` are the values it may mean: `1.462` is 1462 to one reader and 1.462 to another.
    `step` is the unit of its last place where it may be rounded, 0 where it is exact.
    """

    start: int
    end: int
    readings: frozenset[float]
    step: float
    kind: NumberKind


def find_numbers(text: str) -> list[Number]:
    """Return the numbers of a text in order of kind of writing: digits first, then words."""
    found = [number for match in _DIGITS.finditer(text) for number in _from_digits(match)]
    return found + [_from_word(match) for match in _WORDS.finditer(text)]


def carries(sources: Iterable[Number], claimed: Number) -> bool:
    """Say whether one of the sources' numbers is the claimed one, or rounds to it."""
    return any(_is_same(source, claimed) for source in sources)


def _is_same(source: Number, claimed: Number) -> bool:
    if source.kind is NumberKind.DECADE and claimed.kind is not NumberKind.DECADE:
        return min(source.readings) in claimed.readings
    if source.readings & claimed.readings:
        return True
    if not claimed.step or source.step > claimed.step:
        return False
    half = claimed.step / 2 * (1 + 1e-9)
    return any(abs(a - b) <= half for a in source.readings for b in claimed.readings)


def _from_digits(match: re.Match[str]) -> Iterator[Number]:
    digits = match["digits"]
    parts = re.split(r"[.,\u00a0\u202f’']", digits)
    if len(parts) > 2 and not _is_one_number(digits):
        at = match.start("digits")
        for part in parts:
            kind = _plain_kind(part)
            yield Number(at, at + len(part), frozenset({float(part)}), 0.0, kind)
            at += len(part) + 1
        return
    mark = (match["mark"] or "").lower().lstrip("'’")
    scale = _SCALES.get((match["scale"] or "").lower(), 1.0)
    readings, step = _readings(digits, parts)
    kind = _kind(match, mark, digits)
    if kind is NumberKind.DECADE:
        first = float(digits)
        yield Number(*match.span(), frozenset(first + i for i in range(10)), 0.0, NumberKind.DECADE)
        return
    step = max(step, 1.0) * scale if scale > 1 and not step else step * scale
    yield Number(*match.span(), frozenset(value * scale for value in readings), step, kind)


def _from_word(match: re.Match[str]) -> Number:
    value = float(_WORD_VALUES[match["word"].lower()])
    if unit := match["unit"]:
        value += {"one": 1}.get(unit.lower()) or _WORD_VALUES[unit.lower()]
    scale = _SCALES.get((match["scale"] or "").lower(), 1.0)
    kind = NumberKind.PERCENT if match["percent"] else NumberKind.COUNT
    return Number(*match.span(), frozenset({value * scale}), scale if scale > 1 else 0.0, kind)


def _is_one_number(digits: str) -> bool:
    whole, _, fraction = digits.rpartition(digits[_last_separator(digits)])
    grouped = _GROUPED.fullmatch(digits) is not None
    return grouped or (_GROUPED.fullmatch(whole) is not None and fraction.isdecimal())


def _last_separator(digits: str) -> int:
    return max(i for i, char in enumerate(digits) if not char.isdecimal())


def _readings(digits: str, parts: list[str]) -> tuple[set[float], float]:
    """Return the possible values, and the unit of the last place if there is a fraction."""
    if len(parts) == 1:
        return {float(digits)}, 0.0
    readings: set[float] = set()
    step = 0.0
    separators = {char for char in digits if not char.isdecimal()}
    if _GROUPED.fullmatch(digits) and len(separators) == 1:
        readings.add(float("".join(parts)))
    if not readings or (len(parts) == 2 and separators <= {".", ","}):
        readings.add(float("".join(parts[:-1]) + "." + parts[-1]))
        step = 0.0 if _GROUPED.fullmatch(digits) else 10.0 ** -len(parts[-1])
    return readings, step


def _kind(match: re.Match[str], mark: str, digits: str) -> NumberKind:
    if match["percent"]:
        return NumberKind.PERCENT
    if match["money"]:
        return NumberKind.MONEY
    if mark == "s" and digits.isdecimal() and digits.endswith(("0", "\uff10")):
        return NumberKind.DECADE
    if mark in {"st", "nd", "rd", "th"}:
        return NumberKind.ORDINAL
    return NumberKind.COUNT if match["scale"] else _plain_kind(digits)


def _plain_kind(digits: str) -> NumberKind:
    is_year = len(digits) == len(str(_LAST_YEAR)) and digits.isdecimal()
    if is_year and _FIRST_YEAR <= int(digits) <= _LAST_YEAR:
        return NumberKind.YEAR
    return NumberKind.COUNT
