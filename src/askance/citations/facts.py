"""What sentences state, in a form that can be compared: numbers, stems, names, and what is known
around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from askance.domain.evidence import Extract
from askance.ranking.tokens import fold, sentence_spans, stem, terms

_WORD_VALUES = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15,
    "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30,
    "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
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

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_DOTTED = re.compile(r"\b(?:[A-Z]\.){2,5}")
_RUN = re.compile(
    r"(?<!\w)[^\W\d_a-zà-ÿ]\w*+(?:[ -](?:of |the |and |for |de )?[^\W\d_a-zà-ÿ][^\W\d_]*+){1,6}"
)
_ACRONYM = re.compile(r"\b[A-Z]{2,6}\b")
_ISO_DATE = re.compile(r"\b[0-9]{4}-(0[1-9]|1[0-2])-[0-3][0-9]\b")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_NEGATION = re.compile(
    r"\b(?:not|never|cannot|without|neither|nor|nobody|nothing|none|no|nicht|kein\w{0,2}|nie)\b"
    r"|n['’]t\b|不|没|沒|無|无|未|ない|なかった|않|없",
    re.IGNORECASE,
)
_NEGATING_ENDINGS = "な않없"
_DENIED_STEMS = 3
_DENIED_CHARACTERS = 5
# "not only X but Y" states both.
_NOT_NEGATING = re.compile(r"\b(?:not|nicht) (?:only|just|nur)\b|\bno\. ?\d", re.IGNORECASE)

_REFERS_BACK = re.compile(
    r"\W{0,3}(?:[\w,]+ ){0,3}(?:he|she|it|they|his|her|its|their|this|these|that|those)\b",
    re.IGNORECASE,
)

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
_NUMBER_STEMS = frozenset(stem(word) for word in NUMBER_WORDS)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a sentence states.

    `stems` are its content words, without numbers. `names` are the stems of its capitalised
    words, `opener` that of its first word if it may be a name. `runs` holds the initials of its
    names of several words with their stems, `acronyms` its words all in capitals. `denied`
    are the stems that follow a negation closely, or stand before one that is an ending;
    `refers_back` says that it opens with a pronoun or the like.
    """

    stems: frozenset[str]
    numbers: tuple[Number, ...]
    names: frozenset[str]
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


def read_facts(sentence: str) -> Facts:
    """Read what a sentence states. The text may be of any script."""
    text = _DOTTED.sub(lambda m: m.group().replace(".", ""), sentence)
    months = {stem(_MONTHS[int(month) - 1]) for month in _ISO_DATE.findall(text)}
    names, opener = _names(text)
    stems = {t for t in terms(text) if not t[0].isdecimal() and t not in _NUMBER_STEMS} | months
    negations = [match.span() for match in _NEGATION.finditer(text)]
    negations = [span for span in negations if not _NOT_NEGATING.match(text, span[0])]
    return Facts(
        stems=frozenset(stems),
        numbers=tuple(find_numbers(text)),
        names=frozenset(names),
        opener=opener,
        runs=tuple(_runs(text)),
        acronyms=frozenset(fold(a) for a in _ACRONYM.findall(text)),
        refers_back=_REFERS_BACK.match(text) is not None,
        negated=bool(negations),
        denied=frozenset(stem for span in negations for stem in _denied(text, *span)),
    )


def read_statements(
    extracts: Sequence[Extract], titles: Mapping[int, str]
) -> tuple[list[Statement], list[Background]]:
    """Return the statements of all extracts in order, and the background of each extract."""
    statements: list[Statement] = []
    backgrounds: list[Background] = []
    for i, extract in enumerate(extracts):
        own = [
            Statement(i, start, end, read_facts(extract.text[start:end]))
            for start, end in sentence_spans(extract.text)
        ]
        statements += own
        backgrounds.append(_background(f"{titles.get(extract.n, '')}\n{extract.heading}", own))
    return statements, backgrounds


def is_common_opener(word: str) -> bool:
    """Say whether a sentence's first word is one that no name begins with."""
    folded = fold(word)
    return folded in _OPENERS or folded.endswith(_OPENER_ENDINGS)


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


def _denied(text: str, start: int, end: int) -> list[str]:
    if text[start] in _NEGATING_ENDINGS:
        return terms(text[max(0, start - _DENIED_CHARACTERS) : start])
    return terms(text[end : end + 60])[:_DENIED_STEMS]


def _names(text: str) -> tuple[set[str], str]:
    names: set[str] = set()
    opener = ""
    found = list(_WORD.finditer(text))
    for i, match in enumerate(found):
        word = match.group()
        if not word[0].isupper() or fold(word) in NUMBER_WORDS:
            continue
        stems = [s for s in terms(word) if s not in _NUMBER_STEMS]
        if i == 0 and not _opens_a_run(text, found):
            opener = stems[0] if stems and not is_common_opener(word) else ""
            continue
        names.update(stems)
    return names, opener


def _opens_a_run(text: str, found: list[re.Match[str]]) -> bool:
    """Say whether the first word is the first of a name of several words, or an acronym."""
    word = found[0].group()
    if len(word) > 1 and word.isupper():
        return True
    if len(found) == 1 or is_common_opener(word):
        return False
    gap = text[found[0].end() : found[1].start()]
    return gap in {" ", "-"} and found[1].group()[0].isupper()


def _runs(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    for match in _RUN.finditer(text):
        capitals = [w for w in re.split(r"[ -]", match.group()) if w and w[0].isupper()]
        if len(capitals) > 1:
            yield (
                fold("".join(w[0] for w in capitals)),
                frozenset(terms(match.group())),
            )


def _background(above: str, statements: Sequence[Statement]) -> Background:
    subject: frozenset[str] = frozenset()
    if statements:
        subject = statements[0].facts.names | {statements[0].facts.opener}
    runs = [run for s in statements for run in s.facts.runs] + list(read_facts(above).runs)
    return Background(
        title=frozenset(terms(above)),
        numbers=tuple(find_numbers(above)),
        subject=subject,
        initials=frozenset(initials for initials, _ in runs),
        acronyms=frozenset[str]().union(*(s.facts.acronyms for s in statements)),
    )
