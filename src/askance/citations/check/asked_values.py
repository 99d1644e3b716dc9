"""What each source gives in answer to a question: a date, a number, a name, a place, or what a thing is.

A value is read only where the question says what kind is asked for, and from sentences that speak of it. The words of
`text/languages/data/asked.json` tell both, in the languages that stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from askance.citations.check.changed_copies import is_rough
from askance.citations.check.facts import Number, NumberKind, carries, find_numbers, read_facts
from askance.domain.evidence import Extract
from askance.text.languages.language import BIGRAMS, ENGLISH, language, read_table
from askance.text.languages.names import named
from askance.text.languages.scripts import fold
from askance.text.languages.sentences import sentence_spans
from askance.text.ranking.index_terms import stem, terms

_NEAR, _BESIDE = 60, 30
"""So many characters may stand between a value and the word that says what it is."""
_OPENING = 160
"""The beginning of an extract names what it is about, as a title does."""
_HEAD = 6
"""What is asked for stands in the first words of a question."""
_LONGEST_SENTENCE = 600
_MOST_WORDS = 9
_NEARLY, _ROUGHLY = 0.03, 0.25
"""Two numbers that differ by less are one, rounded; the other of those where one is said to be rough."""
_ROUGH_YEARS = 5
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_SHORTEST_MONTH = 3


class Kind(StrEnum):
    """What is asked for."""

    DATE = "date"
    NUMBER = "number"
    PLACE = "place"
    NAME = "name"
    SORT = "sort"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for. Words are stems.

    `subject` is what it names, one set a name; `relation` holds the words, and those like them, that stand by an answer;
    `content` is all that it speaks of.
    """

    kind: Kind
    code: str
    subject: frozenset[str]
    relation: frozenset[str]
    content: frozenset[str]
    is_creation: bool
    listed: re.Pattern[str] | None
    is_time: bool
    has_one_name: bool


@dataclass(frozen=True, slots=True)
class Value:
    """What source `n` answers, verbatim. `key` is what is compared, `is_sure` whether the sentence plainly says it of the subject.

    `score` tells which of the source's values comes first. `years` stand in its sentence, `names` where its extract begins.
    """

    n: int
    text: str
    key: Any
    score: float
    is_sure: bool
    years: frozenset[str]
    names: frozenset[str]


Day = tuple[int, int, int, int]
"""First and last year, month and day, 0 for what is not said."""
Found = tuple[int, int, Any, float, bool]
"""A value in a sentence: start, end, what is compared, score, whether it stands where an answer does."""


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a language that tell what is asked, as stems or patterns."""

    kinds: dict[Kind, re.Pattern[str]]
    meanings: tuple[frozenset[str], ...]
    creation: frozenset[str]
    lists: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
    asks_time: re.Pattern[str]
    copula: re.Pattern[str]
    by: re.Pattern[str]
    place: re.Pattern[str]
    ends: frozenset[str]
    joins: frozenset[str]
    articles: frozenset[str]
    idle: frozenset[str]
    asking: frozenset[str]
    relative: re.Pattern[str]


def what_is_asked(question: str, code: str) -> Asked | None:
    """Return what a question asks for; None where no kind of value is, or its language has no words for it."""
    known = _words_of(code)
    names = named(question)
    bare = fold(question)
    for name in names:
        bare = bare.replace(fold(name), " ")
    if known is None or language(code or ENGLISH).either & set(bare.split()):
        return None
    head = " ".join(bare.split()[:_HEAD])
    places = {kind: found.start() for kind, p in known.kinds.items() if (found := p.search(head))}
    if len(known.relative.findall(bare)) != 1:
        return None
    kind = min(places, key=lambda kind: places[kind]) if places else Kind.OTHER
    subject = frozenset(stem for name in names for stem in terms(name, code))
    # An initial may stand for any name.
    subject = frozenset(s for s in subject if len(s) > 1) or subject
    own = frozenset(terms(bare, code)) - subject - known.idle
    alike = frozenset(s for group in known.meanings if group & own for s in group)
    if not subject:
        subject = own - alike - known.asking
    return Asked(
        kind,
        code,
        subject,
        alike or own - subject,
        subject if kind is Kind.OTHER else subject | (own - alike - known.asking),
        bool((own | alike) & known.creation),
        next((words for asks, words in known.lists if asks.search(head)), None),
        bool(known.asks_time.search(bare)),
        len(names) == 1,
    )


def read_values(asked: Asked, extract: Extract, title: str) -> Iterator[Value]:
    """Yield what an extract answers, in the order of its text."""
    text, code = extract.text, asked.code
    around = frozenset(terms(f"{title} {extract.heading} {text[:_OPENING]}", code))
    whole = around | frozenset(terms(text, code))
    if not asked.subject or _share(asked.subject, whole) < _LEAST_SUBJECT:
        return
    least_covered, surely_covered = _COVERED_OF_ONE if asked.has_one_name else _COVERED
    names = frozenset(
        s for m in _NAME.finditer(f"{title} {text[:_OPENING]}") for s in terms(m.group(), code)
    )
    for start, end in sentence_spans(text, code):
        sentence = text[start : min(end, start + _LONGEST_SENTENCE)]
        here = frozenset(terms(sentence, code))
        near, least = _share(asked.subject, here | around), _least(asked.subject)
        is_known = _share(asked.subject, whole) >= least and bool(asked.subject & here)
        is_subject = near >= least or (near >= _LEAST_SUBJECT and is_known)
        opens = start < _OPENING and near >= least
        years = (
            frozenset(_YEAR.findall(sentence)) if asked.kind is Kind.NUMBER else frozenset[str]()
        )
        covered = _share(asked.content, here | whole)
        for first, last, key, score, is_plain in _READERS[asked.kind](asked, sentence, opens=opens):
            if covered < least_covered:
                continue
            is_sure = (
                is_plain
                and is_subject
                and covered >= surely_covered
                and not read_facts(sentence, code).negated
            )
            # Of equals the more exact one.
            score += (last - first) / 1000 + 0.5 * near + (0.5 if asked.subject & here else 0)
            yield Value(extract.n, sentence[first:last], key, score, is_sure, years, names)


_YEAR = re.compile(r"\b(?:1[0-9]{3}|20[0-9]{2})\b(?![.,]\d)")
_LEAST_SUBJECT, _LONG_NAME = 0.5, 4
# So much of what a question speaks of must stand with a value, for a model to sort it and to be sure of it. Who is asked of
# by one name goes by a part of it, too: Jones.
_COVERED, _COVERED_OF_ONE = (0.75, 0.75), (0.5, 0.66)


def _least(subject: frozenset[str]) -> float:
    """Of a long name a word may be short for another: St. and Saint."""
    return 1.0 if len(subject) < _LONG_NAME else 1 - 1 / len(subject)


def _share(wanted: frozenset[str], there: frozenset[str]) -> float:
    return len(wanted & there) / len(wanted) if wanted else 0.0


def are_alike(kind: Kind, one: Any, other: Any) -> bool:
    """Say whether two values are one, or one a rougher form of the other."""
    match kind:
        case Kind.DATE:
            return are_one_day(one, other)
        case Kind.NUMBER:
            (a, is_a_rough), (b, is_b_rough) = one, other
            return _same_number(a, b, _ROUGHLY if is_a_rough or is_b_rough else _NEARLY)
        case Kind.PLACE:
            return one[0] == other[0] or set(one) <= set(other) or set(other) <= set(one)
        case _:
            return one <= other or other <= one


def are_one(one: str, other: str, code: str) -> bool:
    """Say whether two values are one, or one a rougher form of the other, whatever they are of."""
    dates = [days_in(text, code) for text in (one, other)]
    if all(dates):
        return any(are_one_day(a, b) for a in dates[0] for b in dates[1])
    numbers = [find_numbers(text, code) for text in (one, other)]
    if all(numbers):
        return any(_same_number(a, b) for a in numbers[0] for b in numbers[1])
    ours, theirs = ({*terms(text, code)} for text in (one, other))
    return ours <= theirs or theirs <= ours


def is_other_time(one: Value, other: Value) -> bool:
    """Say whether two values are of other years, and not plainly of two things that their extracts begin with."""
    if not one.years or not other.years or one.years & other.years:
        return False
    return not (one.names - other.names and other.names - one.names)


def subject_of(question: str, code: str) -> str:
    """Return what a question is about, in its words: without what asks at its beginning."""
    known, table = language(code or ENGLISH), _words_of(code)
    rest = question.strip(" ?？")
    while (match := _WORD.match(rest)) and (
        fold(match.group()) in known.question_words
        or (
            table
            and (
                table.copula.fullmatch(match.group())
                or table.kinds[Kind.DATE].fullmatch(fold(match.group()))
            )
        )
    ):
        rest = rest[match.end() :].lstrip(" ,")
    return rest or question


# Dates.


def _dates(asked: Asked, sentence: str, *, opens: bool) -> Iterator[Found]:
    found = [
        (start, end, _roughly(key) if is_rough(sentence[:start], asked.code) else key)
        for start, end, key in _read_dates(sentence, asked.code)
    ]
    known = _words_of(asked.code)
    if known is None or not found:
        return
    for group, at in ((known.meanings[0], 0), (known.meanings[1], 1)):
        if group & asked.relation:
            yield from _in_lifespans(sentence, found, at)
    yield from _nearest(sentence, asked, found, _NEAR)
    # "When did it take place?" has no word that stands by the day: it is the first of what says what it was.
    if not asked.relation and (opens or _copula(asked, known, sentence, opens=opens)):
        yield (*found[0], 1.0, True)


def _roughly(day: Day) -> Day:
    return day if day[2] else (day[0] - _ROUGH_YEARS, day[1] + _ROUGH_YEARS, 0, 0)


def _in_lifespans(sentence: str, found: Sequence[tuple[int, int, Any]], at: int) -> Iterator[Found]:
    """Yield the first or the second of two dates in brackets with a dash between them: `(1850 – 2 May 1901)`."""
    for bracket in _BRACKETS.finditer(sentence):
        inside = [f for f in found if bracket.start() <= f[0] and f[1] <= bracket.end()]
        if len(inside) == 2 and _DASH.search(sentence[inside[0][1] : inside[1][0]]):
            yield (*inside[at], 2.0, True)


_BRACKETS = re.compile(r"\([^()]{4,160}\)")
_DASH = re.compile(r"[-–—\u2212†]")


def _nearest(
    sentence: str, asked: Asked, found: Sequence[tuple[int, int, Any]], near: int
) -> Iterator[Found]:
    """Yield values by how near they stand to a word of what is asked; the nearest to each such word are plain."""
    marks = [
        match.span()
        for match in _WORD.finditer(sentence)
        if stem(fold(match.group()), asked.code) in asked.relation
    ]
    nearest = {
        min(range(len(found)), key=lambda i: _gap(mark, found[i])) for mark in marks if found
    }
    for i, (start, end, key) in enumerate(found):
        gap = min((_gap(mark, (start, end, key)) for mark in marks), default=_LONGEST_SENTENCE)
        yield start, end, key, 1 / (1 + gap / 20), i in nearest and gap <= near


def _gap(mark: tuple[int, int], found: tuple[int, int, Any]) -> float:
    # Behind the word is where an answer stands more often.
    return max(found[0] - mark[1], 1.5 * (mark[0] - found[1]), 0)


def _read_dates(text: str, code: str) -> Iterator[tuple[int, int, Day]]:
    pattern, months = _date_pattern(code)
    for match in pattern.finditer(text):
        year = next((g for name in ("y1", "y2", "y3", "y4") if (g := match[name])), "")
        if not year:
            continue
        month = next((g for name in ("m1", "m2", "m3") if (g := match[name])), "")
        day = match["d1"] or match["d2"] or match["d4"] or "0"
        number = months.get(fold(month), 0) if month else int(match["iso"] or 0)
        first = last = int(year)
        if match["decade"]:
            last = first + 9
        elif until := match["until"]:
            last = max(first, int(year[: -len(until)] + until))
        yield match.start(), match.end(), (first, last, number, int(day))


def _compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Compile what is made of a language's words. Each such pattern is tested to be linear."""
    return re.compile(pattern, flags)


@cache
def _date_pattern(code: str) -> tuple[re.Pattern[str], dict[str, int]]:
    forms = language(code or ENGLISH).months
    months = {
        fold(form): i
        for i, each in enumerate(forms, 1)
        for form in each
        if len(form) >= _SHORTEST_MONTH
    }
    names = "|".join(
        sorted((re.escape(f) for each in forms for f in each if len(f) >= _SHORTEST_MONTH), key=lambda f: (-len(f), f))
    ) or "(?!)"  # fmt: skip
    year, day = r"1[0-9]{3}|20[0-9]{2}", r"[0-3]?[0-9]"
    th = r"(?:st|nd|rd|th|\.)?"
    return (
        _compiled(
            rf"\b(?P<y4>{year})-(?P<iso>[01][0-9])-(?P<d4>{day})\b"
            rf"|\b(?P<d1>{day}){th}\s(?:of\s)?(?P<m1>{names})\.?\s?,?\s(?P<y1>{year})\b"
            rf"|\b(?P<m2>{names})\.?\s(?P<d2>{day}){th}\s?,?\s(?P<y2>{year})\b"
            rf"|\b(?:(?P<m3>{names})\.?\s?,?\s(?:of\s)?)?(?<![\d,.])(?P<y3>{year})(?P<decade>s)?\b(?![,.]\d)"
            r"(?:\s?[-–/]\s?(?P<until>[0-9]{4}|[0-9]{2})\b)?",
            re.IGNORECASE,
        ),
        months,
    )


def days_in(text: str, code: str) -> list[Day]:
    """Return the days of a text, in order."""
    return [day for _, _, day in _read_dates(text, code)]


def are_one_day(one: Day, other: Day) -> bool:
    """Say whether two days are one, or one a rougher form of the other."""
    if one[0] > other[1] or other[0] > one[1]:
        return False
    return all(not a or not b or a == b for a, b in zip(one[2:], other[2:], strict=True))


# Numbers.


def _numbers(asked: Asked, sentence: str, *, opens: bool) -> Iterator[Found]:  # noqa: ARG001 - as all readers
    found = [
        (n.start, n.end, (n, is_rough(sentence[: n.start], asked.code)))
        for n in find_numbers(sentence, asked.code)
        if n.kind in (NumberKind.COUNT, NumberKind.MONEY)
        and (asked.is_time or not any(unit.dimension in ("time", "months") for unit in n.units))
    ]
    yield from _nearest(sentence, asked, found, _BESIDE)


def _same_number(one: Number, other: Number, within: float = _NEARLY) -> bool:
    if carries([one], other) or carries([other], one):
        return True
    # Of two things, such as metres and seconds: then they are no two values of one.
    if {u.dimension for u in one.units}.isdisjoint(u.dimension for u in other.units) and (
        one.units and other.units
    ):
        return True
    return any(
        abs(a - b) <= within * max(abs(a), abs(b)) for a in one.readings for b in other.readings
    )


# Names and places.

_CAPITAL = r"[^\W\d_a-zß-öø-ÿ][\w.'’&-]*+"
_NAME = re.compile(
    rf"{_CAPITAL}(?:\s(?:(?:of|the|de|del|da|di|von|van|der|den|la|le|al|bin|ibn|&)\s){{0,2}}{_CAPITAL}){{0,5}}"
)
_OWNER = re.compile(
    r"\s(?P<name>[^\W\d_a-zß-öø-ÿ][\w.-]*+(?:\s[^\W\d_a-zß-öø-ÿ][\w.-]*+){0,3})['’]s\s"
)
_DONE = re.compile(r"\b(?:\w{3,20}ed|written|given|taken|ge\w{3,20}(?:t|en))\b")
_STOPS = re.compile(r"[,;:()\[\]\n\"“”]|[.](?=\s|$)|\s[-–—]\s")


def _people(asked: Asked, sentence: str, *, opens: bool) -> Iterator[Found]:
    known = _words_of(asked.code)
    if known is None:
        return
    copula = _copula(asked, known, sentence, opens=opens)
    for by in known.by.finditer(sentence):
        before = sentence[max(0, by.start() - _NEAR) : by.start()]
        # "Directed and produced by" as well as "directed by".
        reach = 2 if before.split()[-2:-1] in (["and"], ["und"], [","]) else 1
        is_asked = bool(set(terms(before, asked.code)[-reach:]) & asked.relation)
        # "A novel by", and not "a novel published by".
        is_of = bool(
            asked.is_creation and copula and not _DONE.search(sentence, copula.end(), by.start())
        )
        stretch = _stretch(sentence, by.end(), known.ends | known.joins)
        if not (
            names := [*_NAME.finditer(sentence, *stretch)]
        ):  # "by the singer and writer Ada Holm"
            stretch = _stretch(sentence, by.end(), known.ends)
            names = [*_NAME.finditer(sentence, *stretch)]
        if not names:
            continue
        # The last, if nothing but a verb follows it: "by the Scottish author Muriel Spark", "von Ada Holm geschrieben".
        behind = {
            stem(fold(m.group()), asked.code)
            for m in _WORD.finditer(sentence, names[-1].end(), stretch[1])
        }
        if not behind <= asked.relation:
            continue
        is_asked = is_asked or bool(behind)
        start, end = _bare(names[-1], asked)
        if key := _key(sentence[start:end], asked):
            yield start, end, key, 2.0 if is_asked else 1.5 * is_of, is_asked or is_of
    owner = _OWNER.match(sentence, copula.end()) if asked.is_creation and copula else None
    if owner and (key := _key(owner["name"], asked)):
        yield *owner.span("name"), key, 2.0, True
    marks = [
        m for m in _WORD.finditer(sentence) if stem(fold(m.group()), asked.code) in asked.relation
    ]
    for match in _NAME.finditer(sentence):
        gaps = [max(match.start() - m.end(), 3 * (m.start() - match.end())) for m in marks]
        gap = min((g for g in gaps if g >= 0), default=_LONGEST_SENTENCE)
        start, end = _bare(match, asked)
        if key := _key(sentence[start:end], asked):
            before = sentence[: match.start()].split()[-1:]
            is_plain = bool(
                before and len(key) > 1 and known.kinds[Kind.NAME].fullmatch(fold(before[0]))
            )
            yield start, end, key, 1 / (1 + gap / 5), is_plain


def _bare(name: re.Match[str], asked: Asked) -> tuple[int, int]:
    words = name.group().rstrip(".'’-&").split(" ")
    # "Written by Ada Holm Produced by": a list without its lines.
    while len(words) > 1 and (
        words[-1].endswith("ed") or stem(fold(words[-1]), asked.code) in asked.relation
    ):
        words.pop()
    return name.start(), name.start() + len(" ".join(words).rstrip(".'’-&"))


def _key(name: str, asked: Asked) -> frozenset[str]:
    """Return the stems of a name; none where the question names it, or a function word alone is written large."""
    key = frozenset(terms(name, asked.code))
    return frozenset[str]() if key <= asked.content else key


def _stretch(sentence: str, start: int, ends: Iterable[str]) -> tuple[int, int]:
    """Return from a place on up to where a phrase ends."""
    stop = _STOPS.search(sentence, start)
    end = stop.start() if stop else len(sentence)
    for i, word in enumerate(_WORD.finditer(sentence, start, end)):
        if i >= _MOST_WORDS or (word.group() in ends and i):
            return start, word.start()
    return start, end


def _copula(asked: Asked, known: _Words, sentence: str, *, opens: bool) -> re.Match[str] | None:
    """Return the verb by which a sentence says what its subject is, which the text begins with if it `opens` it."""
    for found in known.copula.finditer(sentence):
        if opens or asked.subject & set(terms(sentence[: found.start()], asked.code)):
            return found
    return None


def _locations(asked: Asked, sentence: str, *, opens: bool) -> Iterator[Found]:
    known = _words_of(asked.code)
    if known is None:
        return
    copula = _copula(asked, known, sentence, opens=opens)
    for i, found in enumerate(known.place.finditer(sentence)):
        parts = tuple(
            key for part in found["place"].split(",") if (key := frozenset(terms(part, asked.code)))
        )
        if not parts or all(part <= asked.content for part in parts):
            continue
        before = set(
            terms(sentence[max(0, found.start() - _NEAR) : found.start()], asked.code)[-4:]
        )
        is_plain = bool(copula and i == 0) or bool(before & asked.relation)
        end = found.start("place") + len(found["place"].rstrip(".'’-& "))
        yield found.start("place"), end, parts, 1.0 / (1 + i), is_plain


# What a thing or a person is.


def _sorts(asked: Asked, sentence: str, *, opens: bool) -> Iterator[Found]:
    known = _words_of(asked.code)
    copula = _copula(asked, known, sentence, opens=opens) if known else None
    if known and asked.listed:
        for found in asked.listed.finditer(sentence, copula.end() if copula else 0):
            key = frozenset(_ENDING.sub("", word) for word in fold(found.group()).split())
            yield found.start(), found.end(), key, 1.0 + bool(copula), True
    if known is None or copula is None or asked.listed:
        return
    start, end = _stretch(sentence, copula.end(), known.ends)
    phrase = list(_WORD.finditer(sentence, start, end))
    if not phrase or fold(phrase[0].group()) not in known.articles:
        return
    stems = frozenset(
        t for m in phrase[1:] if m.group()[0].islower() for t in terms(m.group(), asked.code)
    )
    if len(phrase) > 1 and stems:
        yield phrase[1].start(), phrase[-1].end(), stems, 1.0, True


def _others(asked: Asked, sentence: str, *, opens: bool) -> Iterator[Found]:
    """Yield what may be meant where no kind of value is asked for: a model may know."""
    for start, end, key, score, _ in (
        *_sorts(asked, sentence, opens=opens),
        *_people(asked, sentence, opens=opens),
    ):
        yield start, end, key, score, False


_ENDING = re.compile(r"(?:er|ing|ist|s)$")
_READERS = {
    Kind.DATE: _dates,
    Kind.NUMBER: _numbers,
    Kind.PLACE: _locations,
    Kind.NAME: _people,
    Kind.SORT: _sorts,
    Kind.OTHER: _others,
}


@cache
def _words_of(code: str) -> _Words | None:
    table: dict[str, dict[str, Any]] = read_table("asked.json")
    rows = table.get(code or ENGLISH)
    if rows is None or code in BIGRAMS:
        return None

    def any_of(key: str) -> str:
        return "|".join(
            re.escape(fold(w.replace("_", " ").strip())) for w in rows[key].split(" | ")
        )

    def stems(words: str) -> frozenset[str]:
        return frozenset(stem(fold(word), code) for word in words.split())

    one = "|".join(rows["is"].split())
    return _Words(
        {kind: _compiled(rf"\b(?:{any_of(kind.value)})\b") for kind in Kind if kind in rows},
        tuple(stems(group) for group in rows["meaning"].split(" | ")),
        stems(rows["creation"]),
        tuple(
            (_compiled(rf"\b(?:{asks})\b"), _compiled(rf"\b(?:{each.replace('_', ' ')})\b"))
            for asks, each in rows["lists"].items()
        ),
        _compiled(rf"\b(?:{any_of('time')})\b"),
        _compiled(rf"\b(?:{one})\b"),
        _compiled(rf"\b(?:{'|'.join(rows['by'].split())})\s"),
        _compiled(
            rf"\b(?:{'|'.join(rows['in'].split())})\s(?P<place>{_NAME.pattern}(?:\s?,\s{_NAME.pattern}){{0,3}})"
        ),
        frozenset(rows["ends"].split()),
        frozenset(rows["joins"].split()),
        frozenset(map(fold, rows["articles"].split())),
        stems(rows["idle"]),
        stems(" ".join(rows[kind].replace("|", " ") for kind in Kind if kind in rows)),
        _compiled(rf"\b(?:{'|'.join(rows['relative'].split())})\b"),
    )
