"""What sources answer differently: the values that they give to the question, and sentences that are changed copies.

Silent when in doubt: a table of what sources disagree in is worth something only if it holds. What is not sure is for
a model to sort.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from askance.citations.check.asked_values import (
    Asked,
    Kind,
    Value,
    are_alike,
    are_one,
    are_one_day,
    days_in,
    is_other_time,
    parts_of,
    read_values,
    subject_of,
    what_is_asked,
)
from askance.citations.check.changed_copies import find_changed, holds
from askance.citations.check.facts import find_numbers, read_facts
from askance.domain.evidence import Disagreement, Extract, Position, Source, independent
from askance.text.languages.recognition import language_of, recognise, recognise_beside
from askance.text.ranking.index_terms import terms, words

_LONGEST_VALUE = 80
ValueOfSources = tuple[str, tuple[int, ...]]
"""An answer and the numbers of the sources that give it."""


@dataclass(frozen=True, slots=True)
class Answers:
    """What sources answer. `sure` is where their answers differ, `copies` where a sentence is a changed copy of another one.

    `values` are all answers that may be meant, for a model to sort, where not all are alike.
    """

    sure: tuple[Disagreement, ...] = ()
    copies: tuple[Disagreement, ...] = ()
    values: tuple[ValueOfSources, ...] = ()

    @property
    def found(self) -> tuple[Disagreement, ...]:
        """What code alone is sure of."""
        return joined(self.sure, self.copies)


def compare_answers(
    question: str, extracts: Sequence[Extract], sources: Sequence[Source] = ()
) -> Answers:
    """Compare what the sources of extracts answer. Only those in the language of the question are compared."""
    code = recognise(question) or language_of(extract.text for extract in extracts)
    extracts = [e for e in extracts if recognise_beside(e.text, code) == code]
    by_number = {source.n: source for source in sources}
    copies: list[Disagreement] = []
    for changed in find_changed(question, extracts, code):
        by_value: dict[str, list[int]] = {}
        for n, value in changed:
            by_value.setdefault(value, []).append(n)
        subject = subject_of(question, code)
        copies.append(positions_of(subject, by_value.items(), by_number))
    answers = [_compare_part(part, code, extracts, by_number) for part in parts_of(question, code)]
    return Answers(
        tuple(found for each in answers for found in each.sure),
        tuple(copies),
        next((each.values for each in answers if each.values), ()),
    )


def _compare_part(
    question: str, code: str, extracts: Sequence[Extract], by_number: Mapping[int, Source]
) -> Answers:
    if (asked := what_is_asked(question, code)) is None:
        return Answers()
    read: dict[int, list[Value]] = {}
    for extract in extracts:
        source = by_number.get(extract.n)
        values = read_values(asked, extract, source.title if source else "")
        read.setdefault(extract.n, []).extend(values)
    groups = _values_of(_grouped(asked, read, sure=False))
    sure = _values_of(_apart(asked, _grouped(asked, read, sure=True), read))
    return Answers(
        (positions_of(subject_of(question, code), sure, by_number),) if len(sure) > 1 else (),
        values=tuple(groups) if len(groups) > 1 else (),
    )


def joined(
    found: Sequence[Disagreement], copies: Iterable[Disagreement]
) -> tuple[Disagreement, ...]:
    """Return what was found in both ways, each once."""
    known = {p.value for each in found for p in each.positions}
    rest = [
        c for c in copies if not any(are_one(p.value, k, "") for p in c.positions for k in known)
    ]
    return (*found, *rest)


def _values_of(groups: Iterable[Sequence[Value]]) -> list[ValueOfSources]:
    return [(_best(group).text, tuple(sorted({v.n for v in group}))) for group in groups]


def checked_positions(
    question: str,
    replied: Iterable[ValueOfSources],
    extracts: Sequence[Extract],
    sources: Sequence[Source],
) -> tuple[Disagreement, ...]:
    """Return what a model holds the sources to answer differently, without what no source says.

    A source counts where its text has the value; values of which one is a rougher form of the other are one.
    """
    code = recognise(question) or language_of(extract.text for extract in extracts)
    by_number = {source.n: source for source in sources}
    found: dict[str, set[int]] = {}
    for value, numbers in replied:
        stating = {e.n for e in extracts if e.n in numbers and is_stated(value, e.text, code)}
        if stating and len(value) <= _LONGEST_VALUE:
            home = next((known for known in found if are_one(known, value, code)), value)
            found.setdefault(home, set()).update(stating)
    if len(found) < 2:
        return ()
    values = [(value, tuple(sorted(numbers))) for value, numbers in found.items()]
    return (positions_of(subject_of(question, code), values, by_number),)


def positions_of(
    subject: str, values: Iterable[tuple[str, Sequence[int]]], sources: Mapping[int, Source]
) -> Disagreement:
    """Return what these sources say, by value, with the day of the newest and how many are independent."""
    positions: list[Position] = []
    for value, numbers in values:
        known = [sources[n] for n in numbers if n in sources]
        newest = max((s.published[:10] for s in known if s.published), default="")
        origins = independent(known) or len(numbers)
        positions.append(Position(value, tuple(sorted(numbers)), newest, origins))
    return Disagreement(subject, tuple(positions))


def with_used(found: Iterable[Disagreement], answer: str) -> tuple[Disagreement, ...]:
    """Return the same, the positions marked that the answer says, too."""
    code = language_of([answer])

    def marked(position: Position) -> Position:
        return replace(position, is_used=is_stated(position.value, answer, code))

    return tuple(replace(each, positions=tuple(map(marked, each.positions))) for each in found)


def is_stated(value: str, text: str, code: str) -> bool:
    """Say whether a text has a value, verbatim or in another form of its day, its numbers or its words."""
    sought = " ".join(words(value))
    if sought and f" {sought} " in f" {' '.join(words(text))} ":
        return True
    if days := days_in(value, code):
        return any(are_one_day(day, other) for day in days for other in days_in(text, code))
    if find_numbers(value, code):
        return holds(read_facts(text, code), value, code)
    stems = set(terms(value, code))
    return bool(stems) and stems <= set(terms(text, code))


def _grouped(asked: Asked, read: Mapping[int, Sequence[Value]], *, sure: bool) -> list[list[Value]]:
    """Return the values of sources in groups of those that are alike, one value a source."""
    groups: list[list[Value]] = []
    for values in read.values():
        candidates = [value for value in values if value.is_sure or not sure]
        best = max(candidates, key=lambda v: (v.is_sure, v.score), default=None)
        if best is None:
            continue
        alike = (g for g in groups if any(are_alike(asked.kind, best.key, v.key) for v in g))
        if (home := next(alike, None)) is None:
            groups.append(home := [])
        home.append(best)
    return groups


def _apart(
    asked: Asked, groups: list[list[Value]], read: Mapping[int, Sequence[Value]]
) -> list[list[Value]]:
    """Return the groups that stand against another one."""
    # Of a place its town, its county and its country are all said somewhere.
    is_place = asked.kind is Kind.PLACE

    def knows(one: Sequence[Value], other: Sequence[Value]) -> bool:
        # Who says both says so of two things, or of a list.
        keys = [v.key for each in one for v in read[each.n] if v.is_sure or is_place]
        return any(are_alike(asked.kind, key, v.key) for key in keys for v in other)

    def differ(one: Sequence[Value], other: Sequence[Value]) -> bool:
        is_known = knows(one, other) or knows(other, one)
        return not is_known and not all(is_other_time(a, b) for a in one for b in other)

    return [one for one in groups if any(one is not o and differ(one, o) for o in groups)]


def _best(group: Sequence[Value]) -> Value:
    """Return the value that stands for a group: the surest, and of equals the most exact."""
    return max(group, key=lambda v: (v.is_sure, len(v.text) <= _LONGEST_VALUE, v.score))
