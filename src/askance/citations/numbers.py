"""The numbers that a text states, in digits and in words, in any script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from askance.text.languages.language import BIGRAMS, ENGLISH, Language, language
from askance.text.languages.scripts import CJK, MARKS, fold, plain_digits

# "One" is no number word in any language's data: it is a pronoun more often than a number.
_UNITS = {"one": 1}
_HAN_SCALES = {"万": 1e4, "萬": 1e4, "億": 1e8, "亿": 1e8}
_HAN_DIGITS = dict(
    zip("零〇一二两三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True)
)
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
_HAN_NUMERAL = re.compile(
    f"[{''.join([*_HAN_DIGITS, *_HAN_UNITS])}]{{2,}}|(?<=第)[一二三四五六七八九十]"
)
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_ROMAN = re.compile(
    r"\b(?=[IVXLC]{2})(?:XC|XL|L?X{0,3}|C{1,3}(?:XC|XL|L?X{0,3}))(?:IX|IV|V?I{0,3})(?<=[IVXLC])\b"
)
_SHORTEST_MONTH = 3
_SEPARATOR = re.compile(r"[.,\u00a0\u202f’' ]")
_GROUPED = re.compile(r"[0-9]{1,3}(?:[.,\u00a0\u202f’' ][0-9]{3})+")
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


def find_numbers(text: str, code: str = "") -> list[Number]:
    """Return the numbers of a text in order of kind of writing: digits first, then words.

    Words are those of the language that is named, of English if none is.
    """
    writing = _writing(code)
    plain = plain_digits(text)
    found = [
        number
        for match in writing.digits.finditer(plain)
        for number in _from_digits(match, writing.scales)
    ]
    if writing.words:
        found += [_from_word(match, writing) for match in writing.words.finditer(plain)]
    return found


def spelled_values(text: str, code: str = "") -> frozenset[float]:
    """Return the numbers that a text tells in words alone, or in letters that are none.

    Months count as 1 to 12: what one language writes as a name, another writes as a number. Roman numerals
    and those of Chinese are read as well. What is read so may be no number at all.
    """
    writing = _writing(code)
    values = {float(month) for month, found in writing.months if found.search(text)}
    if writing.words:
        values |= {v for m in writing.words.finditer(text) for v in _from_word(m, writing).readings}
    values |= {writing.scales[fold(match[0])] for match in writing.scale.finditer(text)}
    values |= {_roman(match[0]) for match in _ROMAN.finditer(text)}
    return frozenset(values | {_han(match[0]) for match in _HAN_NUMERAL.finditer(text)})


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


def _from_digits(match: re.Match[str], scales: Mapping[str, float]) -> Iterator[Number]:
    digits = match["digits"]
    parts = _SEPARATOR.split(digits)
    if len(parts) > 2 and not _is_one_number(digits):
        at = match.start("digits")
        for part in parts:
            kind = _plain_kind(part)
            yield Number(at, at + len(part), frozenset({float(part)}), 0.0, kind)
            at += len(part) + 1
        return
    mark = (match["mark"] or "").lower().lstrip("'’")
    scale = scales.get(fold(match["scale"] or ""), 1.0)
    readings, step = _readings(digits, parts)
    kind = _kind(match, mark, digits)
    if kind is NumberKind.DECADE:
        first = float(digits)
        yield Number(*match.span(), frozenset(first + i for i in range(10)), 0.0, NumberKind.DECADE)
        return
    step = max(step, 1.0) * scale if scale > 1 and not step else step * scale
    yield Number(*match.span(), frozenset(value * scale for value in readings), step, kind)


def _from_word(match: re.Match[str], writing: _NumberSystem) -> Number:
    value = float(writing.values[fold(match["word"])])
    if unit := match["unit"]:
        value += _UNITS.get(unit.lower()) or writing.values[fold(unit)]
    scale = writing.scales.get(fold(match["scale"] or ""), 1.0)
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
    if mark == "s" and digits.isdecimal() and digits.endswith("0"):
        return NumberKind.DECADE
    if mark in {"st", "nd", "rd", "th"}:
        return NumberKind.ORDINAL
    return NumberKind.COUNT if match["scale"] else _plain_kind(digits)


def _plain_kind(digits: str) -> NumberKind:
    is_year = len(digits) == len(str(_LAST_YEAR)) and digits.isdecimal()
    if is_year and _FIRST_YEAR <= int(digits) <= _LAST_YEAR:
        return NumberKind.YEAR
    return NumberKind.COUNT


def _roman(numeral: str) -> float:
    values = [_ROMAN_DIGITS[letter] for letter in numeral]
    following = [*values[1:], 0]
    return float(sum(-v if v < n else v for v, n in zip(values, following, strict=True)))


def _han(numeral: str) -> float:
    if not any(character in _HAN_UNITS for character in numeral):
        return float("".join(f"{_HAN_DIGITS[character]}" for character in numeral))
    total, digit = 0, 1
    for character in numeral:
        if character in _HAN_UNITS:
            total += digit * _HAN_UNITS[character]
            digit = 0
        else:
            digit = _HAN_DIGITS[character]
    return float(total + (digit if numeral[-1] in _HAN_DIGITS else 0))


@dataclass(frozen=True, slots=True)
class _NumberSystem:
    """How a language writes numbers. `words` finds its number words, if any are known."""

    digits: re.Pattern[str]
    words: re.Pattern[str] | None
    values: Mapping[str, int]
    scales: Mapping[str, float]
    scale: re.Pattern[str]
    months: Sequence[tuple[int, re.Pattern[str]]]


@lru_cache(maxsize=128)
def _writing(code: str) -> _NumberSystem:
    known = language(code or ENGLISH)
    scales = {**_HAN_SCALES, **known.scales}
    suffix = (
        rf"(?:[ \u00a0\u202f-]?(?P<scale>{_any_of(scales)})(?![^\W\d_{CJK}]))?"
        r"(?:[ \u00a0\u202f]?(?P<percent>%|\uff05|percent\b|per cent\b))?"
    )
    # Where a comma parts fractions, a space may part thousands.
    spaced = r"[0-9]{1,3}(?: [0-9]{3})+(?![0-9]|[.,][0-9])|" if known.decimal == "," else ""
    digits = re.compile(
        r"(?<![A-Za-zÀ-ɏ0-9])(?P<money>[$€£¥]\s?)?"
        rf"(?P<digits>{spaced}[0-9]+(?:[.,\u00a0\u202f’'][0-9]+)*)"
        r"(?P<mark>(?:st|nd|rd|th)\b|['’]?s\b)?" + suffix,
        re.IGNORECASE,
    )
    words = None
    if known.numbers:
        units = _any_of([*_UNITS, *(word for word, value in known.numbers.items() if value < 10)])
        words = re.compile(
            rf"(?<![\w{MARKS}])(?P<word>{_any_of(known.numbers)})(?:-(?P<unit>{units}))?(?![\w{MARKS}])"
            + suffix,
            re.IGNORECASE,
        )
    return _NumberSystem(
        digits,
        words,
        {fold(word): value for word, value in known.numbers.items()},
        {fold(word): value for word, value in scales.items()},
        re.compile(rf"(?<![\w{MARKS}])(?:{_any_of(known.scales)})(?![\w{MARKS}])", re.IGNORECASE),
        [(i, _month(forms, known)) for i, forms in enumerate(known.months, 1)],
    )


def _month(forms: Sequence[str], known: Language) -> re.Pattern[str]:
    """Find a month by its full names. English ones need their capital: "may", "march"."""
    full = [form for form in forms if len(form) >= _SHORTEST_MONTH or known.code in BIGRAMS]
    if known.code == ENGLISH:
        return re.compile(rf"\b(?:{_any_of(form.capitalize() for form in full)})\b")
    if known.code in BIGRAMS:
        return re.compile(rf"(?<![0-9一二十])(?:{_any_of(full)})")
    return re.compile(rf"(?<!\w)(?:{_any_of(full)})(?![\w{MARKS}])", re.IGNORECASE)


def _any_of(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))
