"""Units and currencies behind or before a number: their signs, their names in several languages, and their values.

A unit is read only where it is sure; one that has several meanings (a pound, a ton, a dollar) keeps all of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

from askance.text.languages.language import AS_ENGLISH, BIGRAMS, read_table
from askance.text.languages.scripts import fold

_BLANK = " \u00a0\u202f\u2009"
_WORD = r"[^\W\d_]{1,30}+"
_SIGN = r"[%\u2030\uff05\u2103\u2109]|[°º][ \u00a0]?[CFK]\b|[°º]|[A-Z]{0,2}[$€£¥\uffe5₹₽₩₺₪฿₫₦₴]"
# A unit of up to three words: `m`, `sq. ft`, `US gallons`, `metres squared`.
_UNIT = re.compile(
    rf"[{_BLANK}]?[-\u2011]?(?P<first>{_SIGN}|{_WORD}(?:[²³]|\^?[23](?!\w))?)"
    rf"(?:\.?[{_BLANK}-](?P<second>{_WORD}(?:[²³]|\^?[23](?!\w))?))?(?:[{_BLANK}-](?P<third>{_WORD}))?"
)
_PER = re.compile(rf"[{_BLANK}]?/[{_BLANK}]?|[{_BLANK}](?:per|pro|par|por|al?|an)[{_BLANK}]")
_MONEY_BEFORE = re.compile(
    rf"(?:[A-Z]{{1,3}}[$¥]|[$€£¥\uffe5₹₽₩₺₪฿₫₦₴]|[A-Z]{{3}}|Rs\.?|kr\.?)[{_BLANK}]?\Z"
)
_LONGEST_MONEY = 5
_MONEY_SCALE = re.compile(rf"[{_BLANK}]?(?P<scale>mn|bn|tn|[kKmMbBT])(?![^\W_])")
_MONEY_SCALES = {"k": 1e3, "m": 1e6, "mn": 1e6, "b": 1e9, "bn": 1e9, "t": 1e12, "tn": 1e12}
_CAPITAL = r"(?![ .-]{0,2}[A-Z0-9]|[ -](?:levels?|grades?)\b|/\w)"
# Signs that are also words, initials, or short for something else: so they are units only where this stands behind.
_SURE_BEFORE = {
    "in": re.compile(r"(?=\.?[ -]?(?:[),;:\u00d7]|\(\d|tall\b|long\b|wide\b|high\b|deep\b|thick\b|x \d|\Z))"),
    "m": re.compile(r"(?! (?:people|users|visitors|inhabitants|residents|viewers|copies|passengers|customers)\b)"),
    **dict.fromkeys("AVWKJB", re.compile(_CAPITAL)),
}  # fmt: skip
_APART = frozenset({"s", "A", "K", "t", "b", "h"})
"""Signs that mean something else right behind a digit: `90s`, `10K`."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What a unit measures, and how many of the basic unit it is: value · `factor` + `offset`.

    `forms` are its name in English and its sign.
    """

    dimension: str
    factor: float
    offset: float
    forms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReadUnit:
    """What a unit behind a number may be, and where it ends. `scale` is that of `£5m`, else 1."""

    units: tuple[Unit, ...]
    end: int
    scale: float = 1.0


def unit_behind(text: str, at: int, code: str = "") -> ReadUnit | None:
    """Return the unit behind the number that ends at a place; its names are those of a language and of English."""
    found = _UNIT.match(text, at)
    if found is None:
        return None
    # `5m euros`: what else would be metres is a million, where money follows.
    scale = _MONEY_SCALES.get(found["first"])
    if scale and found["second"] and (money := _named(found["second"], code)) and _is_money(money):
        return ReadUnit(money, found.end("second"), scale)
    words = [found["first"], found["second"], found["third"]]
    for count in (3, 2, 1):
        if words[count - 1] is None:
            continue
        end = found.end(count)
        if units := _named(" ".join(filter(None, words[:count])), code):
            is_glued = found.start("first") == at
            sure = _SURE_BEFORE.get(words[0]) if count == 1 else None
            if (sure and not sure.match(text, end)) or (is_glued and words[0] in _APART):
                return None
            return _divided(text, ReadUnit(units, end), code)
    return _in_run(found, code) if code in BIGRAMS else None


def money_before(text: str, at: int, end: int, code: str = "") -> tuple[int, ReadUnit] | None:
    """Return the currency before the number at `at` to `end`, with its scale: `$5m`; and where it begins."""
    found = _MONEY_BEFORE.search(text, max(0, at - _LONGEST_MONEY), at)
    units = _tables(code)[0].get(found.group().rstrip(f".{_BLANK}"), ()) if found else ()
    if found is None or not _is_money(units) or text[: found.start()][-1:].isalnum():
        return None
    scale = _MONEY_SCALE.match(text, end)
    read = ReadUnit(units, end)
    if scale:
        read = ReadUnit(units, scale.end(), _MONEY_SCALES[scale["scale"].lower()])
    return found.start(), _divided(text, read, code)


def _is_money(units: Sequence[Unit]) -> bool:
    return bool(units) and units[0].dimension.isupper()


def _named(name: str, code: str) -> tuple[Unit, ...]:
    signs, names = _tables(code)
    return (
        signs.get(name)
        or names.get(fold(name))
        or signs.get(name.replace(" ", "").replace("\u00a0", ""), ())
    )


def _in_run(found: re.Match[str], code: str) -> ReadUnit | None:
    """Read a unit of a script without spaces, which other words follow at once."""
    run = found["first"]
    for length in range(min(len(run), 8), 0, -1):
        if units := _named(run[:length], code):
            return ReadUnit(units, found.start("first") + length)
    return None


def _divided(text: str, read: ReadUnit, code: str) -> ReadUnit:
    """Read what a unit is divided by: `km/h`, `miles per hour`, `$5 a kilo`."""
    per = _PER.match(text, read.end)
    if per is None or read.units[0].dimension == "percent":
        return read
    below = _UNIT.match(text, per.end())
    by = _named(below["first"], code) if below and below.start("first") == per.end() else ()
    # `a` is an article as well: "3 metres a day", but not "it rose 3 metres a metre ...".
    if below is None or not by or ("a" in per.group() and by[0].dimension not in {"time", "mass"}):
        return read
    units = tuple(
        replace(
            unit,
            dimension=f"{unit.dimension}/{other.dimension}",
            factor=unit.factor / other.factor,
            offset=0.0,
        )
        for unit, other in product(read.units, by)
    )
    return ReadUnit(units, below.end("first"), read.scale)


_Names = Mapping[str, tuple[Unit, ...]]


@cache
def _tables(code: str) -> tuple[_Names, _Names]:
    """Return all units by their signs, and by their folded names in English and in a language."""
    signs: defaultdict[str, list[Unit]] = defaultdict(list)
    names: defaultdict[str, list[Unit]] = defaultdict(list)
    for unit, written, called in _rows("" if code in AS_ENGLISH else code):
        for sign in written:
            signs[sign].append(unit)
        for name in called:
            names[fold(name.replace("_", " "))].append(unit)
    return (
        {k: tuple(v) for k, v in signs.items()},
        {k: tuple(dict.fromkeys(v)) for k, v in names.items()},
    )


_Row = tuple[Unit, list[str], list[str]]


def _rows(code: str) -> Iterator[_Row]:
    table: dict[str, Any] = read_table("units.json")
    for dimension, factor, offset, signs, letters, names, others in table["units"]:
        written, called = signs.split(), f"{names} {others.get(code, '')}".split()
        rows = [(_unit(dimension, factor, offset, called, written), written, called)]
        for letter in letters.replace("K", ""):
            times, spelled = table["prefixes"][letter]
            more = [f"{letter}{sign}" for sign in written]
            full = [f"{before}{name}" for before in spelled.split() for name in called]
            first = f"{spelled.split()[0]}{called[0]}"
            rows.append((_unit(dimension, factor * times, 0, [first], more), more, full))
        yield from rows
        if dimension == "length":
            for unit, short, long in rows:
                yield from _powers(table["powers"], unit, short, long)
    for currency, signs, names, others in table["currencies"]:
        written, called = signs.split(), f"{names} {others.get(code, '')}".split()
        yield _unit(currency, 1, 0, called, written), written, called
    for currency, names in table["hundredths"].items():
        yield _unit(currency, 0.01, 0, names.split(), []), [], names.split()


def _powers(
    table: Mapping[str, list[str]], unit: Unit, signs: list[str], names: list[str]
) -> Iterator[_Row]:
    for power, (before, behind, marks) in table.items():
        called = [
            f"{word}{gap}{name}"
            for word in before.split()
            for name in [*names, *signs]
            for gap in "_\0"
        ]
        called += [f"{name}_{word}" for word in behind.split() for name in names]
        called = [name.replace("\0", "") for name in called]
        written = [f"{sign}{mark}" for sign in signs for mark in marks.split()]
        yield (
            _unit(f"length^{power}", unit.factor ** int(power), 0, called, written),
            written,
            called,
        )


def _unit(dimension: str, factor: float, offset: float, names: list[str], signs: list[str]) -> Unit:
    forms = (*(name.replace("_", " ") for name in names[:1]), *signs[:1])
    return Unit(dimension, factor, offset, forms)
