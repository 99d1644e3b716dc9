"""Units and currencies behind or before a number: their signs, their names in several languages, and their values.

A unit is read only where it is sure; one that has several meanings (a pound, a ton, a dollar) keeps all of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from askance.domain.patterns import lazy_re
from askance.text.languages.language import AS_ENGLISH, read_table
from askance.text.languages.scripts import fold

_BLANK = " \u00a0\u202f\u2009"
_WORD = r"[^\W\d_]{1,30}+"
_SIGN = r"[%\u2030\uff05\u2103\u2109]|[°º][ \u00a0]?[CFK]\b|[°º]|[A-Z]{0,2}[$€£¥\uffe5₹₽₩₺₪฿₫₦₴]"
# A unit of up to three words: `m`, `sq. ft`, `US gallons`, `metres squared`.
_UNIT = lazy_re(
    rf"[{_BLANK}]?[-\u2011]?(?P<first>{_SIGN}|{_WORD}(?:[²³]|\^?[23](?!\w))?)"
    rf"(?:\.?[{_BLANK}-](?P<second>{_WORD}(?:[²³]|\^?[23](?!\w))?))?(?:[{_BLANK}-](?P<third>{_WORD}))?"
)
_PER = lazy_re(rf"[{_BLANK}]?/[{_BLANK}]?|[{_BLANK}](?:per|pro|par|por|al?|an)[{_BLANK}]")
_MONEY_BEFORE = lazy_re(
    rf"(?:[A-Z]{{1,3}}[$¥]|[$€£¥\uffe5₹₽₩₺₪฿₫₦₴]|[A-Z]{{3}}|Rs\.?|kr\.?)[{_BLANK}]?\Z"
)
_LONGEST_MONEY = 5
_MONEY_SCALE = lazy_re(rf"[{_BLANK}]?(?P<scale>mn|bn|tn|[kKmMbBT])(?![^\W_])")
_MONEY_SCALES = {"k": 1e3, "m": 1e6, "mn": 1e6, "b": 1e9, "bn": 1e9, "t": 1e12, "tn": 1e12}
_CAPITAL = r"(?![ .-]{0,2}[A-Z0-9]|[ -](?:levels?|grades?)\b|/\w)"
# Signs that are also words, initials, or short for something else: so they are units only where this stands behind.
_SURE_BEFORE = {
    "in": lazy_re(r"(?=\.?[ -]?(?:[),;:\u00d7]|\(\d|tall\b|long\b|wide\b|high\b|deep\b|thick\b|x \d|\Z))"),
    **dict.fromkeys("AVWKJB", lazy_re(_CAPITAL)),
}  # fmt: skip
# Signs that mean something else right behind a digit: `90s`, `10K`.
_APART = frozenset({"s", "A", "K", "t", "b", "h"})


@dataclass(frozen=True, slots=True)
class Unit:
    """What a unit measures, and how many of the basic unit it is: value · `factor` + `offset`.

    `forms` are its name in English and its sign.
    """

    dimension: str
    factor: float
    offset: float
    forms: tuple[str, ...]

    @property
    def is_money(self) -> bool:
        """Whether it is a currency, or one by something: its dimension is its code of ISO 4217."""
        return self.dimension[:3].isupper()


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
    words = [word for word in found.groups() if word]
    for count in range(len(words), 0, -1):
        if units := _named(" ".join(words[:count]), code):
            end = found.end(count)
            sure = _SURE_BEFORE.get(words[0]) if count == 1 else None
            is_word = found.start("first") == at and words[0] in _APART
            is_unit = not is_word and (sure is None or sure.match(text, end))
            return _divided(text, ReadUnit(units, end), code) if is_unit else None
    return None


def money_before(text: str, at: int, end: int, code: str = "") -> tuple[int, ReadUnit] | None:
    """Return the currency before the number at `at` to `end`, with its scale: `$5m`; and where it begins."""
    found = _MONEY_BEFORE.search(text, max(0, at - _LONGEST_MONEY), at)
    units = _tables(code)[0].get(found.group().rstrip(f".{_BLANK}"), ()) if found else ()
    if found is None or not units or text[found.start() - 1 : found.start()].isalnum():
        return None
    scale = _MONEY_SCALE.match(text, end)
    times = _MONEY_SCALES[scale["scale"].lower()] if scale else 1.0
    read = ReadUnit(units, scale.end() if scale else end, times)
    return found.start(), _divided(text, read, code)


def _named(name: str, code: str) -> tuple[Unit, ...]:
    signs, names = _tables(code)
    return signs.get(name) or names.get(fold(name)) or signs.get("".join(name.split()), ())


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
        Unit(f"{unit.dimension}/{other.dimension}", unit.factor / other.factor, 0.0, unit.forms)
        for unit, other in product(read.units, by)
    )
    return ReadUnit(units, below.end("first"), read.scale)


@cache
def _tables(code: str) -> tuple[Mapping[str, tuple[Unit, ...]], Mapping[str, tuple[Unit, ...]]]:
    """Return all units by their signs, and by their folded names in English and in a language."""
    signs: defaultdict[str, tuple[Unit, ...]] = defaultdict(tuple)
    names: defaultdict[str, tuple[Unit, ...]] = defaultdict(tuple)
    for unit, written, called in _rows("" if code in AS_ENGLISH else code):
        for sign in written:
            signs[sign] += (unit,)
        for name in dict.fromkeys(map(fold, called)):
            names[name] += (unit,)
    return dict(signs), dict(names)


def _rows(code: str) -> Iterator[tuple[Unit, list[str], list[str]]]:
    """Yield each unit with its signs and names, with every prefix, and lengths as areas and volumes too."""
    table: dict[str, Any] = read_table("units.json")
    for dimension, factor, offset, signs, letters, english, others in table["units"]:
        names = _spaced(f"{english} {others.get(code, '')}")
        rows: list[tuple[float, list[str], list[str]]] = [(factor, signs.split(), names)]
        for letter in letters:
            times, spelled = table["prefixes"][letter]
            longer = [f"{before}{name}" for before in spelled.split() for name in names]
            rows.append((factor * times, [f"{letter}{sign}" for sign in signs.split()], longer))
        for times, short, long in rows:
            yield Unit(dimension, times, offset, (*long[:1], *short[:1])), short, long
            for power, (before, behind, marks) in (
                table["powers"].items() if dimension == "length" else ()
            ):
                called = [f"{word}{name}" for word in _spaced(before) for name in (*long, *short)]
                called += [f"{name}{word}" for word in _spaced(behind) for name in long]
                written = [f"{sign}{mark}" for sign in short for mark in marks.split()]
                forms = (*called[:1], *written[:1])
                yield Unit(f"length^{power}", times ** int(power), 0.0, forms), written, called


def _spaced(words: str) -> list[str]:
    return [word.replace("_", " ") for word in words.split()]
