"""What each source gives in answer to a question: a date, a number, a name, a place, or what a thing is.

A value is read only where the question says what kind is asked for, and from sentences that speak of it. The words of
`text/languages/asked.json` tell both, in the languages that stand there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import dropwhile
from typing import Any

from askance.citations.check.changed_copies import is_rough
from askance.citations.check.facts import Number, NumberKind, carries, find_numbers, read_facts
from askance.domain.evidence import Extract
from askance.text.languages.language import ENGLISH, language, read_table
from askance.text.languages.names import named
from askance.text.languages.scripts import fold
from askance.text.languages.sentences import sentence_spans
from askance.text.ranking.index_terms import stem, terms

_NEAR, _BESIDE = 60, 30
"""So many characters may stand between a day, or a number, and the word that says what it is."""
_OPENING = 160
"""The beginning of an extract names what it is about, as a title does."""
_HEAD = 6
"""What is asked for stands in the first words of a question."""
_LONGEST_SENTENCE, _MOST_WORDS = 600, 9
_NEARLY, _ROUGHLY, _ROUGH_YEARS = 0.03, 0.25, 5
"""Numbers that differ by so much of them are one, rounded, and where one is said to be rough; so are years."""
_LEAST_SUBJECT, _LONG_NAME = 0.5, 4
# So much of what a question speaks of must stand with a value, for a model to sort it and to be sure of it. Who is
# asked of by one name goes by a part of it, too: Jones.
_COVERED, _COVERED_OF_ONE = (0.75, 0.75), (0.5, 0.66)
_SHORTEST_MONTH = 3
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_YEAR = re.compile(r"\b(?:1[0-9]{3}|20[0-9]{2})\b(?![.,]\d)")
_BRACKETS = re.compile(r"\([^()]{4,160}\)")
_DASH = re.compile(r"[-–—\u2212†]")
_CAPITAL = r"[^\W\d_a-zß-öø-ÿ][\w.'’&-]*+"
_NAME = re.compile(
    rf"{_CAPITAL}(?:\s(?:(?:of|the|de|del|da|di|von|van|der|den|la|le|al|bin|ibn|&)\s){{0,2}}{_CAPITAL}){{0,5}}"
)
_DONE = re.compile(r"\b(?:\w{3,20}ed|written|given|taken|ge\w{3,20}(?:t|en))\b")
_STOPS = re.compile(r"[,;:()\[\]\n\"“”]|[.](?=\s|$)|\s[-–—]\s")
_ENDING = re.compile(r"(?:er|ing|ist|s)$")

_COUNTED, _TIMES = (NumberKind.COUNT, NumberKind.MONEY), frozenset({"time", "months"})

Stems = frozenset[str]
Day = tuple[int, int, int, int]
"""First and last year, month and day, 0 for what is not said."""
Place = tuple[int, int, Any]
"""Where something stands in a sentence, and what of it is compared."""
Found = tuple[int, int, Any, float, bool]
"""The same with its score, and whether it stands where an answer does."""


class Kind(StrEnum):
    """What is asked for."""

    DATE = "date"
    NUMBER = "number"
    PLACE = "place"
    NAME = "name"
    SORT = "sort"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a language that tell what is asked, as stems or patterns."""

    kinds: dict[Kind, re.Pattern[str]]
    lists: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
    measures: tuple[tuple[re.Pattern[str], Stems], ...]
    copula: re.Pattern[str]
    by: re.Pattern[str]
    place: re.Pattern[str]
    relative: re.Pattern[str]
    meanings: tuple[Stems, ...]
    creation: Stems
    idle: Stems
    asking: Stems
    ends: Stems
    joins: Stems
    articles: Stems


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for, in stems.

    `subject` is what it names, `relation` the words that stand by an answer, `content` all that it speaks of; `listed`
    finds the values of a kind that are known, and `measures` are the dimensions of the units that an answer may have.
    """

    kind: Kind
    code: str
    words: _Words
    subject: Stems
    relation: Stems
    content: Stems
    listed: re.Pattern[str] | None
    is_creation: bool
    measures: Stems
    has_one_name: bool

    def is_near(self, word: re.Match[str]) -> bool:
        """Say whether a word is one by which an answer stands."""
        return stem(fold(word.group()), self.code) in self.relation


@dataclass(frozen=True, slots=True)
class Value:
    """What source `n` answers, verbatim. `key` is what is compared, `is_sure` whether it is plainly said of the subject.

    `score` tells which of the source's values comes first. `years` stand in its sentence, `names` where its extract begins.
    """

    n: int
    text: str
    key: Any
    score: float
    is_sure: bool
    years: Stems
    names: Stems


def parts_of(question: str, code: str) -> list[str]:
    """Return what a question asks for one by one: "Who designed it, and when was it lit?" asks for two things.

    A part that names nothing has the names of the whole, in the place of its pronoun.
    """
    words = _words_of(code or ENGLISH)
    if words is None:
        return [question]
    parts: list[list[str]] = [[]]
    for word in question.split():
        before = stem(fold(parts[-1][-1]), code) if parts[-1] else ""
        if before in words.joins and words.relative.fullmatch(fold(word)):
            parts[-1].pop()
            parts.append([])
        parts[-1].append(word)
    return [_with_names(part, question, code) for part in parts if part]


def _with_names(part: Sequence[str], question: str, code: str) -> str:
    text = " ".join(part).rstrip(" ,;?")
    if named(text):
        return text
    pronouns, names = language(code or ENGLISH).pronouns, " ".join(named(question))
    bare = [fold(word.strip(" ,;?")) for word in part]
    at = next((i for i, word in enumerate(bare) if word in pronouns), len(part))
    return " ".join([*part[:at], names, *part[at + 1 :]]).rstrip(" ,;?")


def what_is_asked(question: str, code: str) -> Asked | None:
    """Return what a question asks for; None where that is not one thing, or its language has no words for it."""
    words, names, bare = _words_of(code or ENGLISH), named(question), fold(question)
    for name in names:
        bare = bare.replace(fold(name), " ")
    if words is None or language(code or ENGLISH).either & set(bare.split()):
        return None
    # One that asks, and none that begins a clause: "the lawyer who led it" is another step.
    if len(words.relative.findall(bare)) != 1:
        return None
    head = " ".join(bare.split()[:_HEAD])
    places = {kind: found.start() for kind, p in words.kinds.items() if (found := p.search(head))}
    kind = min(places, key=lambda kind: places[kind], default=Kind.OTHER)
    subject = _stems(" ".join(names), code)
    # An initial may stand for any name.
    subject = Stems(s for s in subject if len(s) > 1) or subject
    own = _stems(bare, code) - subject - words.idle
    alike = Stems(s for group in words.meanings if group & own for s in group)
    rest = own - alike - words.asking
    subject = subject or rest
    return Asked(
        kind,
        code,
        words,
        subject,
        alike or own - subject,
        subject if kind is Kind.OTHER else subject | rest,
        next((known for asks, known in words.lists if asks.search(head)), None),
        bool((own | alike) & words.creation),
        Stems().union(*(found for asks, found in words.measures if asks.search(bare))),
        len(names) == 1,
    )


def read_values(asked: Asked, extract: Extract, title: str) -> Iterator[Value]:
    """Yield what an extract answers, in the order of its text."""
    text, code, subject = extract.text, asked.code, asked.subject
    around = _stems(f"{title} {extract.heading} {text[:_OPENING]}", code)
    whole = around | _stems(text, code)
    if not subject or _share(subject, whole) < _LEAST_SUBJECT:
        return
    # Of a long name a word may be short for another: St. and Saint.
    least = 1.0 if len(subject) < _LONG_NAME else 1 - 1 / len(subject)
    enough, surely = _COVERED_OF_ONE if asked.has_one_name else _COVERED
    names = _stems(" ".join(_NAME.findall(f"{title} {text[:_OPENING]}")), code)
    for start, end in sentence_spans(text, code):
        sentence = text[start : min(end, start + _LONGEST_SENTENCE)]
        here = _stems(sentence, code)
        near, covered = _share(subject, here | around), _share(asked.content, here | whole)
        is_here = bool(subject & here)
        is_whole = is_here and near >= _LEAST_SUBJECT and _share(subject, whole) >= least
        is_sure = (near >= least or is_whole) and covered >= surely
        years = Stems(_YEAR.findall(sentence)) if asked.kind is Kind.NUMBER else Stems()
        at = _predicate(asked, sentence, opens=start < _OPENING and near >= least)
        for first, last, key, score, is_plain in _READERS[asked.kind](asked, sentence, at):
            if covered < enough:
                break
            is_certain = is_sure and is_plain and not read_facts(sentence, code).negated
            # Of equals the more exact one.
            score += (last - first) / 1000 + 0.5 * near + 0.5 * is_here
            yield Value(extract.n, sentence[first:last], key, score, is_certain, years, names)


def _predicate(asked: Asked, sentence: str, *, opens: bool) -> int:
    """Return where a sentence begins to say what its subject is: behind its verb; -1 where it does not.

    One that `opens` a text about the subject needs not name it, and says it from 0 on where it has no such verb.
    """
    for found in asked.words.copula.finditer(sentence):
        if opens or asked.subject & _stems(sentence[: found.start()], asked.code):
            return found.end()
    return 0 if opens else -1


def _stems(text: str, code: str) -> Stems:
    return Stems(terms(text, code))


def _share(wanted: Stems, there: Stems) -> float:
    return len(wanted & there) / len(wanted) if wanted else 0.0


def are_alike(kind: Kind, one: Any, other: Any) -> bool:
    """Say whether two values are one, or one a rougher form of the other."""
    match kind:
        case Kind.DATE:
            return are_one_day(one, other)
        case Kind.NUMBER:
            return _are_one_number(one[0], other[0], _ROUGHLY if one[1] or other[1] else _NEARLY)
        case Kind.PLACE:
            return one[0] == other[0] or set(one) <= set(other) or set(other) <= set(one)
        case _:
            return one <= other or other <= one


def are_one(one: str, other: str, code: str) -> bool:
    """Say whether two values are one, or one a rougher form of the other, whatever they are of."""
    ours, theirs = days_in(one, code), days_in(other, code)
    if ours and theirs:
        return any(are_one_day(a, b) for a in ours for b in theirs)
    numbers, others = find_numbers(one, code), find_numbers(other, code)
    if numbers and others:
        return any(_are_one_number(a, b, _NEARLY) for a in numbers for b in others)
    return are_alike(Kind.NAME, _stems(one, code), _stems(other, code))


def is_other_time(one: Value, other: Value) -> bool:
    """Say whether two values are of other years, and not plainly of two things that their extracts begin with."""
    is_apart = one.years and other.years and not one.years & other.years
    return bool(is_apart) and not (one.names - other.names and other.names - one.names)


def subject_of(question: str, code: str) -> str:
    """Return what a question is about, in its words: without what asks at its beginning."""
    leading, known = language(code or ENGLISH).question_words, _words_of(code or ENGLISH)

    def asks(word: str) -> bool:
        return fold(word) in leading or bool(known and stem(fold(word), code) in known.asking)

    return " ".join(dropwhile(asks, question.strip(" ?？").split())) or question


# Dates and numbers.


def _dates(asked: Asked, sentence: str, at: int) -> Iterator[Found]:
    found: list[Place] = [
        (start, end, _roughly(day) if is_rough(sentence[:start], asked.code) else day)
        for start, end, day in _read_days(sentence, asked.code)
    ]
    # Born and died: `(1850 – 2 May 1901)`.
    for bracket in _BRACKETS.finditer(sentence):
        inside = [f for f in found if bracket.start() <= f[0] and f[1] <= bracket.end()]
        if len(inside) == 2 and _DASH.search(sentence[inside[0][1] : inside[1][0]]):
            for day, meaning in zip(inside, asked.words.meanings, strict=False):
                if meaning & asked.relation:
                    yield (*day, 2.0, True)
    yield from _nearest(asked, sentence, found, _NEAR)
    # "When did it take place?" has no word that stands by the day: it is the first of what says what it was.
    if found and at >= 0 and not asked.relation:
        yield (*found[0], 1.0, True)


def _roughly(day: Day) -> Day:
    return day if day[2] else (day[0] - _ROUGH_YEARS, day[1] + _ROUGH_YEARS, 0, 0)


def _nearest(asked: Asked, sentence: str, found: Sequence[Place], near: int) -> Iterator[Found]:
    """Yield values by how near they stand to a word of what is asked; the nearest to each such word are plain."""

    def gap(mark: tuple[int, int], place: Place) -> float:
        # Behind the word is where an answer stands more often.
        return max(place[0] - mark[1], 1.5 * (mark[0] - place[1]), 0)

    marks = [match.span() for match in _WORD.finditer(sentence) if asked.is_near(match)]
    if asked.relation and not marks:
        return
    nearest = [min(found, key=lambda place: gap(mark, place)) for mark in marks if found]
    for place in found:
        distance = min((gap(mark, place) for mark in marks), default=_LONGEST_SENTENCE)
        yield *place, 1 / (1 + distance / 20), place in nearest and distance <= near


def _read_days(text: str, code: str) -> Iterator[tuple[int, int, Day]]:
    pattern, months = _day_pattern(code)
    for match in pattern.finditer(text):
        read = {name.rstrip("1234"): part for name, part in match.groupdict().items() if part}
        month = months.get(fold(read.get("m", "")), 0) or int(read.get("iso", 0))
        first = last = int(read["y"])
        if "decade" in read:
            last = first + 9
        elif until := read.get("until"):
            last = max(first, int(read["y"][: -len(until)] + until))
        yield match.start(), match.end(), (first, last, month, int(read.get("d", 0)))


def _compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Compile what is made of a language's words. Each such pattern is tested to be linear."""
    return re.compile(pattern, flags)


@cache
def _day_pattern(code: str) -> tuple[re.Pattern[str], dict[str, int]]:
    months = {
        form: i
        for i, forms in enumerate(language(code or ENGLISH).months, 1)
        for form in sorted(forms, key=len, reverse=True)
        if len(form) >= _SHORTEST_MONTH
    }
    names = "|".join(map(re.escape, months)) or "(?!)"
    year, day, th = r"1[0-9]{3}|20[0-9]{2}", r"[0-3]?[0-9]", r"(?:st|nd|rd|th|\.)?"
    pattern = _compiled(
        rf"\b(?P<y1>{year})-(?P<iso>[01][0-9])-(?P<d1>{day})\b"
        rf"|\b(?P<d2>{day}){th}\s(?:of\s)?(?P<m2>{names})\.?\s?,?\s(?P<y2>{year})\b"
        rf"|\b(?P<m3>{names})\.?\s(?P<d3>{day}){th}\s?,?\s(?P<y3>{year})\b"
        rf"|\b(?:(?P<m4>{names})\.?\s?,?\s(?:of\s)?)?(?<![\d,.])(?P<y4>{year})(?P<decade>s)?\b(?![,.]\d)"
        r"(?:\s?[-–/]\s?(?P<until>[0-9]{4}|[0-9]{2})\b)?",
        re.IGNORECASE,
    )
    return pattern, {fold(form): i for form, i in months.items()}


def days_in(text: str, code: str) -> list[Day]:
    """Return the days of a text, in order."""
    return [day for _, _, day in _read_days(text, code)]


def are_one_day(one: Day, other: Day) -> bool:
    """Say whether two days are one, or one a rougher form of the other."""
    is_apart = one[0] > other[1] or other[0] > one[1]
    return not is_apart and all(
        0 in pair or pair[0] == pair[1] for pair in zip(one[2:], other[2:], strict=True)
    )


def _numbers(asked: Asked, sentence: str, _: int) -> Iterator[Found]:
    found: list[Place] = []
    for n in find_numbers(sentence, asked.code):
        dimensions = {unit.dimension for unit in n.units}
        is_measure = not dimensions.isdisjoint(asked.measures)
        # "Seven years and above" counts nobody.
        if n.kind not in _COUNTED or (not is_measure and not dimensions.isdisjoint(_TIMES)):
            continue
        end = max(n.end, *(stop for _, stop in n.marks), 0)
        found.append((n.start, end, (n, is_rough(sentence[: n.start], asked.code))))
        if is_measure:  # "at 321 metres": no other word says that it is its height
            yield (*found[-1], 0.5, True)
    yield from _nearest(asked, sentence, found, _BESIDE)


def _are_one_number(one: Number, other: Number, within: float) -> bool:
    if carries([one], other) or carries([other], one):
        return True
    # Of two things, such as metres and seconds: then they are no two values of one.
    ours, theirs = ({unit.dimension for unit in number.units} for number in (one, other))
    if ours and theirs and ours.isdisjoint(theirs):
        return True
    # 4,600 may stand for 4,573, and 321 for no 318.
    is_about = within == _ROUGHLY
    return any(
        abs(a - b) <= within * max(abs(a), abs(b))
        and (is_about or 2 * abs(a - b) < max(_step(a), _step(b)))
        for a in one.readings
        for b in other.readings
    )


def _step(value: float) -> int:
    """Return what a number may be rounded to: 100 of 4,600."""
    digits = f"{value:.0f}"
    return 10 ** (len(digits) - len(digits.rstrip("0")))


# Names, places, and what a thing or a person is.


def _people(asked: Asked, sentence: str, at: int) -> Iterator[Found]:
    words = asked.words
    for by in words.by.finditer(sentence):
        before = sentence[max(0, by.start() - _NEAR) : by.start()].split()
        # "Directed and produced by" as well as "directed by".
        reach = 2 if {*before[-2:-1]} & {*words.joins, ","} else 1
        is_asked = bool({*terms(" ".join(before), asked.code)[-reach:]} & asked.relation)
        # "A novel by", and not "a novel published by".
        is_of = asked.is_creation and at > 0 and not _DONE.search(sentence, at, by.start())
        # Else it is "by the singer and writer Ada Holm".
        for ends in (words.ends | words.joins, words.ends):
            start, end = _stretch(sentence, by.end(), ends)
            if names := [*_NAME.finditer(sentence, start, end)]:
                break
        else:
            continue
        # The last, if nothing but a verb follows it: "by the author Muriel Spark", "von Ada Holm geschrieben".
        behind = [*_WORD.finditer(sentence, names[-1].end(), end)]
        if all(map(asked.is_near, behind)):
            is_asked = is_asked or bool(behind)
            yield from _as_name(
                asked, names[-1], 2.0 if is_asked else 1.5 * is_of, is_asked or is_of
            )
    marks = [match for match in _WORD.finditer(sentence) if asked.is_near(match)]
    for name in _NAME.finditer(sentence):
        gaps = [max(name.start() - m.end(), 3 * (m.start() - name.end())) for m in marks]
        gap = min((g for g in gaps if g >= 0), default=_LONGEST_SENTENCE)
        if gap > 2 * _NEAR:
            continue
        before = sentence[: name.start()].split()[-1:]
        is_titled = (
            " " in name.group()
            and bool(before)
            and bool(words.kinds[Kind.NAME].fullmatch(fold(before[0])))
        )
        yield from _as_name(asked, name, 1 / (1 + gap / 5), is_titled)


def _as_name(asked: Asked, name: re.Match[str], score: float, is_plain: bool) -> Iterator[Found]:
    """Yield a name that the question does not name itself."""
    words = name.group().rstrip(".'’-&").split(" ")
    # "Written by Ada Holm Produced by": a list without its lines.
    while len(words) > 1 and (
        words[-1].endswith("ed") or stem(fold(words[-1]), asked.code) in asked.relation
    ):
        words.pop()
    text = " ".join(words).rstrip(".'’-&")
    key = _stems(text, asked.code)
    if not key <= asked.content:
        yield name.start(), name.start() + len(text), key, score, is_plain


def _stretch(sentence: str, start: int, ends: Stems) -> tuple[int, int]:
    """Return from a place on up to where a phrase ends."""
    stop = _STOPS.search(sentence, start)
    end = stop.start() if stop else len(sentence)
    for i, word in enumerate(_WORD.finditer(sentence, start, end)):
        if i >= _MOST_WORDS or (word.group() in ends and i):
            return start, word.start()
    return start, end


def _locations(asked: Asked, sentence: str, at: int) -> Iterator[Found]:
    for i, found in enumerate(asked.words.place.finditer(sentence)):
        parts = tuple(
            key for part in found["place"].split(",") if (key := _stems(part, asked.code))
        )
        if all(part <= asked.content for part in parts):
            continue
        before = terms(sentence[max(0, found.start() - _NEAR) : found.start()], asked.code)
        is_plain = (at > 0 and i == 0) or not asked.relation.isdisjoint(before[-4:])
        start = found.start("place")
        yield start, start + len(found["place"].rstrip(".'’-& ")), parts, 1 / (1 + i), is_plain


def _sorts(asked: Asked, sentence: str, at: int) -> Iterator[Found]:
    if asked.listed:
        for found in asked.listed.finditer(sentence, max(at, 0)):
            key = Stems(_ENDING.sub("", word) for word in fold(found.group()).split())
            yield *found.span(), key, 1.0 + (at > 0), True
        return
    phrase = (
        [*_WORD.finditer(sentence, *_stretch(sentence, at, asked.words.ends))] if at > 0 else []
    )
    if len(phrase) > 1 and fold(phrase[0].group()) in asked.words.articles:
        plain = " ".join(word.group() for word in phrase[1:] if word.group()[0].islower())
        if key := _stems(plain, asked.code):
            yield phrase[1].start(), phrase[-1].end(), key, 1.0, True


def _others(asked: Asked, sentence: str, at: int) -> Iterator[Found]:
    """Yield what may be meant where no kind of value is asked for: a model may know."""
    for read in (_sorts, _people):
        for start, end, key, score, _ in read(asked, sentence, at):
            yield start, end, key, score, False


_Reader = Callable[[Asked, str, int], Iterator[Found]]
_ALL: tuple[_Reader, ...] = (_dates, _numbers, _locations, _people, _sorts, _others)
_READERS = dict(zip(Kind, _ALL, strict=True))


@cache
def _words_of(code: str) -> _Words | None:
    rows: dict[str, Any] | None = read_table("asked.json").get(code)
    if rows is None:
        return None

    def any_of(key: str) -> str:
        return rf"\b(?:{'|'.join(re.escape(fold(phrase)) for phrase in rows[key].split(' | '))})\b"

    def stems(words: str) -> Stems:
        return Stems(stem(fold(word), code) for word in words.split())

    kinds = [kind for kind in Kind if kind in rows]
    place = rf"{any_of('in')}\s(?P<place>{_NAME.pattern}(?:\s?,\s{_NAME.pattern}){{0,3}})"
    lists: dict[str, str] = rows["lists"]
    measures: dict[str, str] = rows["measures"]
    return _Words(
        {kind: _compiled(any_of(kind)) for kind in kinds},
        tuple((_compiled(asks), _compiled(rf"\b(?:{known})\b")) for asks, known in lists.items()),
        tuple(
            (_compiled(rf"\b(?:{asks})\b"), Stems(each.split())) for asks, each in measures.items()
        ),
        _compiled(any_of("is")),
        _compiled(rf"{any_of('by')}\s"),
        _compiled(place),
        _compiled(any_of("relative")),
        tuple(stems(group) for group in rows["meaning"].split(" | ")),
        stems(rows["creation"]),
        stems(rows["idle"]),
        stems(" ".join(rows[kind] for kind in kinds)),
        Stems(rows["ends"].split()),
        Stems(rows["joins"].split()),
        Stems(map(fold, rows["articles"].split())),
    )
