"""What sentences state, in a form that can be compared: numbers in any script, stems, names, and what is known
around them.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from askance.domain.evidence import Extract
from askance.text.languages.language import BIGRAMS, ENGLISH, Capitals, Language, language
from askance.text.languages.names import capitalised
from askance.text.languages.scripts import CJK, MARKS, fold, plain_digits
from askance.text.languages.sentences import sentence_spans
from askance.text.languages.units import ReadUnit, Unit, money_before, unit_behind
from askance.text.ranking.index_terms import stem, terms

# "One" is no number word in any language's data: it is a pronoun more often than a number.
_UNITS = {"one": 1}
_HAN_SCALES = {"万": 1e4, "萬": 1e4, "億": 1e8, "亿": 1e8}
_HAN_DIGITS = dict(
    zip("零〇一二两三四五六七八九", (0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9), strict=True)
)
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
# Two signs at the least, or one behind 第 ("number"): a single 一 is a part of many words.
_HAN_NUMERAL = re.compile(
    f"[{''.join([*_HAN_DIGITS, *_HAN_UNITS])}]{{2,}}|(?<=第)[一二三四五六七八九十]"
)
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
# II to CCCXCIX, as a word of two letters at the least: `I` is a pronoun, `C` a language.
_ROMAN = re.compile(
    r"\b(?=[IVXLC]{2})(?:XC|XL|L?X{0,3}|C{1,3}(?:XC|XL|L?X{0,3}))(?:IX|IV|V?I{0,3})(?<=[IVXLC])\b"
)
_SHORTEST_MONTH = 3
_SEPARATOR = re.compile(r"[.,\u00a0\u202f’' ]")
# Thousands in every country's way: 1,462 and 1.462, 1 462 and 1’462.
_GROUPED = re.compile(r"[0-9]{1,3}(?:[.,\u00a0\u202f’' ][0-9]{3})+")
# What makes a number a multiple of a power of ten, or a ten a power: "x 10^5", "·10⁻³", "^5" (`_with_powers`).
_POWER_OF_TEN = re.compile(
    r"(?P<ten>\s?[\u00d7x\u00b7*]\s?10)?"
    r"(?:\^(?P<typed>[+\u2212-]?[0-9]{1,2})|(?P<raised>[\u207a\u207b]?[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]{1,2}))(?!\w)"
)
# Between the two numbers of a range or of a size: `40–47 m`, `3 x 5 cm`, `between 10 and 12 %`.
_RANGE = re.compile(r"\s?[-–—\u2212/\u00d7x]\s?|\s(?:to|and|or|bis|und|oder|à|et|ou|a|y|e)\s")
_MINUS = re.compile(r"(?:(?<![\w.,%°])[-\u2212]|\bminus )\Z")
# Four digits of this span are taken for a year, which no word before it makes rough: "since 1871".
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
    `step` is the unit of its last place where it may be rounded, 0 where it is exact. `units` are what its unit may
    be, none where it has none or an unknown one. `marks` are where scale and unit are written; percent and currencies are
    a part of the span.
    """

    start: int
    end: int
    readings: frozenset[float]
    step: float
    kind: NumberKind
    units: tuple[Unit, ...] = ()
    marks: tuple[tuple[int, int], ...] = ()

    @property
    def stem(self) -> str:
        """What stands for its unit among the content words, whether it is written as a sign or as a name."""
        return terms(self.units[0].forms[0])[-1] if self.units else ""


def find_numbers(text: str, code: str = "") -> list[Number]:
    """Return the numbers of a text in order of kind of writing: digits first, then words.

    Words are those of the language that is named, of English if none is.
    """
    writing = _writing(code)
    # No character changes its place, so that the numbers stand where they do in the text.
    plain = plain_digits(text)
    found = [n for match in writing.digits.finditer(plain) for n in _from_digits(match, writing)]
    found = _with_units(plain, _with_powers(plain, found), code)
    if writing.words:
        words = [_from_word(match, writing) for match in writing.words.finditer(plain)]
        found += _with_units(plain, words, code)
    return found


def _with_units(text: str, found: Sequence[Number], code: str) -> list[Number]:
    """Return numbers in order, each with the unit or currency at it. In `40 to 47 m` both have one."""
    whole: list[Number] = []
    following: Number | None = None
    for number in reversed(found):
        money = money_before(text, number.start, number.end, code)
        read = money[1] if money else unit_behind(text, number.end, code)
        if read is not None and number.kind not in (NumberKind.DECADE, NumberKind.ORDINAL):
            number = _with_unit(text, number, money[0] if money else number.start, read)
        elif following and following.units and _is_range(text, number, following):
            number = replace(number, units=following.units, kind=following.kind)
        whole.append(following := number)
    return whole[::-1]


def _is_range(text: str, number: Number, following: Number) -> bool:
    is_joined = _RANGE.fullmatch(text, number.end, following.start)
    return number.kind is not NumberKind.YEAR and is_joined is not None


def _with_unit(text: str, number: Number, start: int, read: ReadUnit) -> Number:
    # The minus of a temperature; before anything else it may as well be a dash.
    is_below = any(unit.dimension == "temperature" for unit in read.units) and _MINUS.search(
        text, max(0, number.start - len("minus ") - 1), number.start
    )
    times = -read.scale if is_below else read.scale
    step = number.step * read.scale or (read.scale if read.scale > 1 else 0.0)
    kind = NumberKind.MONEY if read.units[0].is_money else number.kind
    kind = NumberKind.PERCENT if read.units[0].dimension == "percent" else kind
    is_part = kind is not number.kind
    return Number(
        start if is_part else number.start,
        read.end if is_part else number.end,
        frozenset(value * times for value in number.readings),
        step,
        kind,
        read.units,
        (*number.marks, (start, number.start), (number.end, read.end)),
    )


def _with_powers(text: str, found: Iterable[Number]) -> list[Number]:
    """Return numbers of a text in order, each with the power of ten behind it: 1.5 x 10^6, 10⁶."""
    whole: list[Number] = []
    end = 0
    for number in found:
        if number.start < end:  # the ten and the exponent of the one before it
            continue
        power = _POWER_OF_TEN.match(text, number.end)
        if power is not None and (power["ten"] or text[number.start : number.end] == "10"):
            exponent = unicodedata.normalize("NFKC", power["typed"] or power["raised"])
            # Of a ten alone one zero is there already.
            scale = 10.0 ** (int(exponent.replace("\u2212", "-")) - (0 if power["ten"] else 1))
            readings = frozenset(value * scale for value in number.readings)
            # A raised digit at a ten alone may be the sign of a note.
            readings |= frozenset[float]() if power["ten"] else number.readings
            number = replace(number, end=power.end(), readings=readings, step=number.step * scale)
        end = number.end
        whole.append(number)
    return whole


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


_PLAIN = Unit("", 1.0, 0.0, ())


def carries(sources: Iterable[Number], claimed: Number) -> bool:
    """Say whether one of the sources' numbers is the claimed one, or rounds to it."""
    return any(_is_same(source, claimed) for source in sources)


def _is_same(source: Number, claimed: Number) -> bool:
    # A decade carries none of its years but the first: "the 1990s" does not say 1994.
    if source.kind is NumberKind.DECADE and claimed.kind is not NumberKind.DECADE:
        return min(source.readings) in claimed.readings
    if source.units and claimed.units:
        pairs = [(a, b) for a in source.units for b in claimed.units if a.dimension == b.dimension]
        return any(_is_equal(source, a, claimed, b) for a, b in pairs)
    return not source.readings.isdisjoint(claimed.readings) or _is_equal(
        source, _PLAIN, claimed, _PLAIN
    )


def _is_equal(source: Number, measured: Unit, claimed: Number, wanted: Unit) -> bool:
    """Say whether two numbers are one value in units of one dimension, or the source's rounds to the claimed one."""
    ours = [value * measured.factor + measured.offset for value in source.readings]
    theirs = [value * wanted.factor + wanted.offset for value in claimed.readings]
    if any(math.isclose(a, b, rel_tol=1e-9) for a in ours for b in theirs):
        return True
    step = claimed.step * wanted.factor
    # Only a figure that is as exact as the claim, or more so, can round to it.
    if not step or source.step * measured.factor > step * (1 + 1e-9):
        return False
    # A little more than the half: figures such as 1.005 have no exact float, and lie on either
    # side.
    half = step / 2 * (1 + 1e-9)
    return any(abs(a - b) <= half for a in ours for b in theirs)


def _from_digits(match: re.Match[str], writing: _NumberSystem) -> Iterator[Number]:
    digits = match["digits"]
    parts = _SEPARATOR.split(digits)
    # A date or a version: each part of 12.5.2019 counts by itself.
    if len(parts) > 2 and not _is_one_number(digits):
        at = match.start("digits")
        for part in parts:
            kind = _plain_kind(part)
            yield Number(at, at + len(part), frozenset({float(part)}), 0.0, kind)
            at += len(part) + 1
        return
    mark = (match["mark"] or "").lower().lstrip("'’")
    scale = writing.scales.get(fold(match["scale"] or ""), 1.0)
    readings, step = _readings(digits, parts, is_english=writing.is_english)
    kind = _kind(match, mark, digits)
    if kind is NumberKind.DECADE:
        first = float(digits)
        yield Number(*match.span(), frozenset(first + i for i in range(10)), 0.0, NumberKind.DECADE)
        return
    # "3 million" may stand for 2.9: it is as rough as its unit.
    step = max(step, 1.0) * scale if scale > 1 and not step else step * scale
    readings = {value * scale for value in readings}
    yield Number(*match.span(), frozenset(readings), step, kind, marks=(match.span("scale"),))


def _from_word(match: re.Match[str], writing: _NumberSystem) -> Number:
    value = float(writing.values[fold(match["word"])])
    if unit := match["unit"]:
        value += _UNITS.get(unit.lower()) or writing.values[fold(unit)]
    scale = writing.scales.get(fold(match["scale"] or ""), 1.0)
    step = scale if scale > 1 else 0.0
    scale_at = match.span("scale")
    return Number(
        *match.span(), frozenset({value * scale}), step, NumberKind.COUNT, marks=(scale_at,)
    )


def _is_one_number(digits: str) -> bool:
    last = max(i for i, char in enumerate(digits) if not char.isdecimal())
    whole, fraction = digits[:last], digits[last + 1 :]
    grouped = _GROUPED.fullmatch(digits) is not None
    return grouped or (_GROUPED.fullmatch(whole) is not None and fraction.isdecimal())


def _readings(digits: str, parts: list[str], *, is_english: bool) -> tuple[set[float], float]:
    """Return the possible values, and the unit of the last place if there is a fraction.

    In English a comma parts thousands, and no fraction: 1 km is not 1,000 km.
    """
    # Without a mark it is exact: "300" is not taken for a rounded 298.
    if len(parts) == 1:
        return {float(digits)}, 0.0
    readings: set[float] = set()
    step = 0.0
    # 1.462,5 has two marks, so its first one groups; 1.462 alone may be read in both ways.
    separators = {char for char in digits if not char.isdecimal()}
    if _GROUPED.fullmatch(digits) and len(separators) == 1:
        readings.add(float("".join(parts)))
        if is_english and separators == {","}:
            return readings, 0.0
    if not readings or (len(parts) == 2 and separators <= {".", ","}):
        readings.add(float("".join(parts[:-1]) + "." + parts[-1]))
        step = 0.0 if _GROUPED.fullmatch(digits) else 10.0 ** -len(parts[-1])
    return readings, step


def _kind(match: re.Match[str], mark: str, digits: str) -> NumberKind:
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
    # A smaller digit before a larger one is taken from it: IX, XL.
    values = [_ROMAN_DIGITS[letter] for letter in numeral]
    following = [*values[1:], 0]
    return float(sum(-v if v < n else v for v, n in zip(values, following, strict=True)))


def _han(numeral: str) -> float:
    if not any(character in _HAN_UNITS for character in numeral):
        return float("".join(f"{_HAN_DIGITS[character]}" for character in numeral))
    # 十二 has no digit before its unit, which counts once then.
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
    is_english: bool
    months: Sequence[tuple[int, re.Pattern[str]]]


@lru_cache(maxsize=128)
def _writing(code: str) -> _NumberSystem:
    known = language(code or ENGLISH)
    scales = {**_HAN_SCALES, **known.scales}
    suffix = rf"(?:[ \u00a0\u202f-]?(?P<scale>{_any_of(scales)})(?![^\W\d_{CJK}]))?"
    # Where a comma parts fractions, a space may part thousands.
    spaced = r"[0-9]{1,3}(?: [0-9]{3})+(?![0-9]|[.,][0-9])|" if known.decimal == "," else ""
    digits = re.compile(
        r"(?<![A-Za-zÀ-ɏ0-9])"
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
        known.code == ENGLISH,
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


_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_DOTTED = re.compile(r"\b(?:[A-Z]\.){2,5}")
_RUN = re.compile(
    r"(?<!\w)[^\W\d_a-zà-ÿ]\w*+(?:[ -](?:of |the |and |for |de )?[^\W\d_a-zà-ÿ][^\W\d_]*+){1,6}"
)
_ACRONYM = re.compile(r"\b[A-Z]{2,6}\b")
_ISO_DATE = re.compile(r"\b[0-9]{4}-(0[1-9]|1[0-2])-[0-3][0-9]\b")
# Pages in English quote others, and what is recognised as no language is treated as English.
_DENIES_IN_ENGLISH = (
    r"\b(?:not|never|cannot|without|neither|nor|nobody|nothing|none|no|nicht|kein\w{0,2}|nie)\b"
    r"|n['’]t\b|不|没|沒|無|无|未|ない|なかった|않|없"
)
_ENDINGS_IN_ENGLISH = "な않없"
# So far a denial reaches: behind it stands what is denied, and further on what is said anew.
_DENIED_STEMS = 3
_DENIED_CHARACTERS = 5
_DENIED_REACH = 60
# "not only X but Y" states both; "no. 5" denies nothing.
_AFFIRMED_IN_ENGLISH = r"\b(?:not|nicht) (?:only|just|nur)\b|\bno\. ?\d"
# So many words may stand before the one that refers back.
_BEFORE_PRONOUN = 3

# Words that open a sentence with a capital and are no names; participles and adverbs are
# recognised by their endings.
_OPENERS = frozenset([
    "according", "although", "among", "another", "around", "based", "both", "compared",
    "consequently", "despite", "due", "early", "either", "even", "every", "finally", "first",
    "following", "further", "furthermore", "given", "hence", "however", "including", "instead",
    "known", "last", "late", "later", "least", "like", "many", "meanwhile", "moreover", "much",
    "near", "nearly", "nevertheless", "new", "next", "note", "one", "often", "overall", "part",
    "people", "perhaps", "rather", "second", "several", "similarly", "since", "sometimes", "soon",
    "still", "third", "though", "thus", "today", "together", "total", "unlike", "upon", "usually",
    "whereas", "whether", "within", "without", "yes", "yet", "born", "made", "built", "found",
    "held", "set", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "per",
    "via", "amid", "across", "along", "throughout", "toward", "towards", "beyond", "besides",
    "except", "answer", "example", "summary", "short", "brief", "addition", "contrast", "result",
    "fact", "source", "sources", "text",
])  # fmt: skip
_OPENER_ENDINGS = ("ly", "ed", "ing")
_EDGES = " .,;:\"'“”„«»()"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a sentence states.

    `stems` are its content words, without numbers. `names` are the stems of its capitalised
    words, `opener` that of its first word if it may be a name; `nouns` are those of capitalised words that may be
    names in a language whose nouns have capitals. `runs` holds the initials of its
    names of several words with their stems, `acronyms` its words all in capitals. `denied`
    are the stems that follow a negation closely, or stand before one that is an ending;
    `refers_back` says that it opens with a pronoun or the like.
    """

    stems: frozenset[str]
    numbers: tuple[Number, ...]
    names: frozenset[str]
    nouns: frozenset[str]
    opener: str
    runs: tuple[tuple[str, frozenset[str]], ...]
    acronyms: frozenset[str]
    negated: bool
    denied: frozenset[str]
    refers_back: bool


@dataclass(frozen=True, slots=True)
class Background:
    """What is known around the statements of an extract without standing in them.

    `title` holds the stems of the page's title and the heading, `numbers` their numbers, `subject`
    the names of the first statement; `initials` and `acronyms` are those of the whole extract.
    """

    title: frozenset[str]
    numbers: tuple[Number, ...]
    subject: frozenset[str]
    initials: frozenset[str]
    acronyms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of an extract, at `start` to `end` of its text. `extract` is the extract's index."""

    extract: int
    start: int
    end: int
    facts: Facts


def read_facts(sentence: str, code: str = "") -> Facts:
    """Read what a sentence states. The text may be of any script.

    It is read in the language that is named, in English if none is: what is compared is read alike.
    """
    reading = _reading(code)
    # `U.S.A.` becomes `USA`, so that an acronym is compared as one word.
    text = _DOTTED.sub(lambda m: m.group().replace(".", ""), sentence)
    # 2019-05-03 says May as "3 May 2019" does, so that each carries the other.
    months = {reading.months[int(month) - 1] for month in _ISO_DATE.findall(text)}
    numbers = tuple(find_numbers(text, code))
    units, text = _units_apart(text, numbers, code)
    names, opener = _names(text, reading)
    # Numbers are compared by their values: as stems, 1,000 and 1000 would be two things.
    stems = {t for t in terms(text, code) if not t[0].isdecimal() and t not in reading.numbers}
    stems |= units
    negations = _negations(text, reading)
    return Facts(
        stems=frozenset(stems | months),
        numbers=numbers,
        names=frozenset(names),
        nouns=_nouns(text, reading) - names,
        opener=opener,
        runs=tuple(_runs(text, code)),
        acronyms=frozenset(fold(a) for a in _ACRONYM.findall(text)),
        refers_back=_refers_back(text, reading),
        negated=bool(negations),
        denied=frozenset(stem for span in negations for stem in _denied(text, *span, reading)),
    )


def _units_apart(text: str, numbers: Sequence[Number], code: str) -> tuple[set[str], str]:
    """Return the stems of the units of numbers, and the text without units and scales: both are in the values.

    Where words are pairs of characters, all stays as it is written.
    """
    if code in BIGRAMS or not numbers:
        return set(), text
    stems = {number.stem for number in numbers if number.units}
    signs = list(text)
    for start, end in [span for number in numbers for span in number.marks]:
        signs[start:end] = " " * (end - start)
    return stems, "".join(signs)


def read_statements(
    extracts: Sequence[Extract], titles: Mapping[int, str], codes: Mapping[int, str]
) -> tuple[list[Statement], list[Background]]:
    """Return the statements of all extracts in order, and the background of each extract.

    `titles` and `codes` are the titles of the sources and the languages that they are read in.
    """
    statements: list[Statement] = []
    backgrounds: list[Background] = []
    for i, extract in enumerate(extracts):
        code = codes.get(extract.n, "")
        own = [
            Statement(i, start, end, read_facts(extract.text[start:end], code))
            for start, end in sentence_spans(extract.text, code)
        ]
        statements += own
        above = f"{titles.get(extract.n, '')}\n{extract.heading}"
        backgrounds.append(_background(above, own, code))
    return statements, backgrounds


def is_common_opener(word: str) -> bool:
    """Say whether a sentence's first word is one that no name begins with."""
    folded = fold(word)
    return folded in _OPENERS or folded.endswith(_OPENER_ENDINGS)


@dataclass(frozen=True, slots=True)
class _LanguageReader:
    """What sentences of a language are read with. `months` and `numbers` are stems.

    `affirmed` finds what only looks like a negation; `endings` are the beginnings of what denies at the end
    of what it denies.
    """

    code: str
    known: Language
    negation: re.Pattern[str]
    affirmed: re.Pattern[str] | None
    endings: str
    months: tuple[str, ...]
    numbers: frozenset[str]

    @property
    def is_english(self) -> bool:
        return self.known.code == ENGLISH


@lru_cache(maxsize=128)
def _reading(code: str) -> _LanguageReader:
    known = language(code or ENGLISH)
    numbers = frozenset(stem(fold(word), code) for word in known.numbers)
    months = tuple(stem(fold(forms[0]), code) for forms in known.months)
    endings = "".join(sorted({ending[0] for ending in known.negating_endings}))
    if known.code == ENGLISH:
        denies, endings = _DENIES_IN_ENGLISH, _ENDINGS_IN_ENGLISH
    elif known.code in BIGRAMS:
        denies = "|".join([*known.negations, *known.negating_endings])
    else:
        whole = "|".join(re.escape(word) for word in known.negations)
        inside = "|".join(known.negating_endings)
        denies = rf"(?<![\w{MARKS}])(?:{whole})(?![\w{MARKS}])"
        denies += rf"|\w{{2,20}}(?:{inside})\b" if inside else ""
    only_looks = "|".join(re.escape(phrase) for phrase in known.affirmed)
    if known.code == ENGLISH:
        only_looks = _AFFIRMED_IN_ENGLISH
    return _LanguageReader(
        code,
        known,
        re.compile(denies, re.IGNORECASE),
        re.compile(only_looks, re.IGNORECASE) if only_looks else None,
        endings,
        months,
        numbers,
    )


def _negations(text: str, reading: _LanguageReader) -> list[tuple[int, int]]:
    """The places of the words that deny something."""
    found = [match.span() for match in reading.negation.finditer(text)]
    if not found or reading.affirmed is None:
        return found
    affirmed = [match.span() for match in reading.affirmed.finditer(text)]
    return [
        (start, end)
        for start, end in found
        if not any(first <= start < last for first, last in affirmed)
    ]


def _denied(text: str, start: int, end: int, reading: _LanguageReader) -> list[str]:
    """The stems that a negation denies: those behind it, or before it where it is an ending."""
    if text[start] in reading.endings:
        return terms(text[max(0, start - _DENIED_CHARACTERS) : start], reading.code)
    if reading.is_english:
        return terms(text[end : end + _DENIED_REACH], reading.code)[:_DENIED_STEMS]
    own = terms(text[start:end], reading.code)
    behind = terms(text[end : end + _DENIED_REACH], reading.code)[:_DENIED_STEMS]
    before = terms(text[max(0, start - _DENIED_REACH) : start], reading.code)[-_DENIED_STEMS:]
    # German and others deny at the end of a clause: „Das stimmt nicht.“
    return own + (behind or before)


def _refers_back(text: str, reading: _LanguageReader) -> bool:
    if reading.known.code in BIGRAMS:
        return text.lstrip().startswith(tuple(reading.known.pronouns))
    # A pronoun may stand behind a few words: "In 1871 it was …".
    first = text[:_DENIED_REACH].split()[: _BEFORE_PRONOUN + 1]
    return any(fold(word.strip(_EDGES)) in reading.known.pronouns for word in first)


def _names(text: str, reading: _LanguageReader) -> tuple[set[str], str]:
    """Return the stems of a sentence's names, and of its first word if that may be one."""
    if not reading.is_english:
        return _names_elsewhere(text, reading)
    names: set[str] = set()
    opener = ""
    found = list(_WORD.finditer(text))
    for i, match in enumerate(found):
        word = match.group()
        if not word[0].isupper() or fold(word) in reading.known.numbers:
            continue
        stems = [s for s in terms(word) if s not in reading.numbers]
        # The first word has a capital in any case: whether it is a name, the evidence decides.
        if i == 0 and not _opens_a_run(text, found):
            opener = stems[0] if stems and not is_common_opener(word) else ""
            continue
        names.update(stems)
    return names, opener


def _names_elsewhere(text: str, reading: _LanguageReader) -> tuple[set[str], str]:
    code = reading.code
    names = {s for name in capitalised(text, code) for s in terms(name, code)} - reading.numbers
    names = {name for name in names if not name[0].isdecimal()}
    first = _WORD.search(text)
    # A noun's capital says nothing; a name that stands there alone is known by what else has it.
    if first is None or not first[0][0].isupper() or fold(first[0]) in reading.known.numbers:
        return names, ""
    stems = terms(first[0], code)
    return names, stems[0] if stems and stems[0] not in names else ""


def _nouns(text: str, reading: _LanguageReader) -> frozenset[str]:
    # Where nouns have capitals, one that is missing leaves a sentence open and refutes nothing.
    if reading.known.capitals is not Capitals.NOUNS:
        return frozenset()
    found = (match[0] for match in _WORD.finditer(text) if match[0][0].isupper() and match.start())
    stems = {stem for word in found for stem in terms(word, reading.code)}
    return frozenset(stems - reading.numbers)


def _opens_a_run(text: str, found: list[re.Match[str]]) -> bool:
    """Say whether the first word is the first of a name of several words, or an acronym."""
    word = found[0].group()
    if len(word) > 1 and word.isupper():
        return True
    if len(found) == 1 or is_common_opener(word):
        return False
    gap = text[found[0].end() : found[1].start()]
    return gap in {" ", "-"} and found[1].group()[0].isupper()


def _runs(text: str, code: str) -> Iterator[tuple[str, frozenset[str]]]:
    for match in _RUN.finditer(text):
        capitals = [w for w in re.split(r"[ -]", match.group()) if w and w[0].isupper()]
        if len(capitals) > 1:
            yield (
                fold("".join(w[0] for w in capitals)),
                frozenset(terms(match.group(), code)),
            )


def _background(above: str, statements: Sequence[Statement], code: str) -> Background:
    subject: frozenset[str] = frozenset()
    if statements:
        subject = statements[0].facts.names | {statements[0].facts.opener}
    runs = [run for s in statements for run in s.facts.runs] + list(read_facts(above, code).runs)
    return Background(
        title=frozenset(terms(above, code)),
        numbers=tuple(find_numbers(above, code)),
        subject=subject,
        initials=frozenset(initials for initials, _ in runs),
        acronyms=frozenset[str]().union(*(s.facts.acronyms for s in statements)),
    )
