"""Sentences that are changed copies of each other: all but one number, name or negation is the same, whatever is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations

from askance.citations.check.facts import (
    Facts,
    Number,
    NumberKind,
    carries,
    find_numbers,
    read_facts,
)
from askance.domain.evidence import Extract
from askance.text.languages.language import AS_ENGLISH, BIGRAMS, language
from askance.text.languages.sentences import sentence_spans
from askance.text.ranking.index_terms import terms, words
from askance.text.ranking.scoring import distinctive_words

MIN_QUESTION_SHARE = 0.6
"""Share of the question's content words that each of the two sentences must hold."""
_SENTENCES_A_SOURCE = 6
_ROUGH = re.compile(
    r"\b(?:about|approximately|around|nearly|almost|over|under|roughly|estimated|some|circa|ca|at least|"
    r"more than|less than|up to|fewer than|as of|since)\b\.?\s*\W{0,2}$",
    re.IGNORECASE,
)
_BEFORE_NUMBER = 12
_WORD = re.compile(r"\w+(?:[.,'’-]\w+)*")
# Two sentences with so many words in common, in one order, and but one stretch of so few that differs, are one
# sentence and its changed copy.
_LEAST_COMMON, _MOST_CHANGED = 8, 5


ChangedValue = tuple[int, str]
"""What one source says, verbatim, behind its number."""


@dataclass(frozen=True, slots=True)
class _Statement:
    n: int
    text: str
    facts: Facts
    code: str


def find_changed(question: str, extracts: Sequence[Extract], code: str) -> list[list[ChangedValue]]:
    """Find where sentences about what a question names are changed copies of each other, in sources of its language.

    Of a number neither source may have the other's anywhere, nor the question both.
    """
    asked = read_facts(question, code)
    found: list[list[ChangedValue]] = []
    # Pairs grow with the square: six sentences of an extract at the most are compared.
    for left, right in combinations(_candidates(asked, extracts, code), 2):
        is_about = asked.names <= left.facts.stems & right.facts.stems
        if left.n == right.n or not is_about or not (pair := _changed_copy(left, right)):
            continue
        if find_numbers(pair[0][1], code):
            is_known = _is_known(pair, asked, extracts, code)
        else:
            is_known = left.facts.negated == right.facts.negated and all(
                _is_asked(asked, value, code) for _, value in pair
            )
        if not is_known:
            _file(found, pair)
    return found


def _candidates(asked: Facts, extracts: Iterable[Extract], code: str) -> Iterator[_Statement]:
    """Yield the sentences that hold enough of the question, the best few of each extract."""
    wanted = asked.stems
    if not wanted:
        return
    for extract in extracts:
        scored: list[tuple[float, int, int]] = []
        for start, end in sentence_spans(extract.text, code):
            share = len(wanted & set(terms(extract.text[start:end], code))) / len(wanted)
            if share >= MIN_QUESTION_SHARE:
                scored.append((-share, start, end))
        for _, start, end in sorted(scored)[:_SENTENCES_A_SOURCE]:
            text = extract.text[start:end]
            yield _Statement(extract.n, text, read_facts(text, code), code)


def _changed_copy(left: _Statement, right: _Statement) -> tuple[ChangedValue, ChangedValue] | None:
    """Return where one sentence is a copy of the other, but for one number, name, month or negation."""
    a, b = ([*_WORD.finditer(statement.text)] for statement in (left, right))
    ours, theirs = ([match.group().casefold() for match in found] for found in (a, b))
    if abs(len(a) - len(b)) > _MOST_CHANGED or len({*ours} & {*theirs}) < _LEAST_COMMON:
        return None
    steps = SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    changes = [step for step in steps if step[0] != "equal"]
    if len(changes) != 1:
        return None
    _, i, j, k, m = changes[0]
    if max(j - i, m - k) > _MOST_CHANGED:
        return None
    # With a word on each side where one sentence has nothing in the other's place: "was not built".
    wider = int(i == j or k == m)
    pair = _stretch(left, a, i - wider, j + wider), _stretch(right, b, k - wider, m + wider)
    here, there = " ".join(ours[i:j]), " ".join(theirs[k:m])
    numbers = find_numbers(here, left.code), find_numbers(there, left.code)
    if any(numbers):
        # Where one has nothing in its place, there is but one number, and none that is another.
        before = () if wider else (left.text[: a[i].start()], right.text[: b[k].start()])
        is_about = any(is_rough(text, left.code) for text in before)
        return pair if _are_other_numbers(*numbers, is_about=is_about) else None
    # A name that only one of them has adds to it; one that both have is but written otherwise.
    ours_named = distinctive_words(left.text).intersection(words(here))
    theirs_named = distinctive_words(right.text).intersection(words(there))
    is_renamed = ours_named and theirs_named and ours_named.isdisjoint(theirs_named)
    return pair if is_renamed or left.facts.negated != right.facts.negated else None


def _are_other_numbers(ours: Sequence[Number], theirs: Sequence[Number], *, is_about: bool) -> bool:
    """Say whether these are one number each, of one kind, and neither is the other rounded or given as a rough one."""
    if not len(ours) == len(theirs) == 1 or carries(ours, theirs[0]) or carries(theirs, ours[0]):
        return False
    # A year against a count, or a percentage against a sum, is no other value of one thing.
    kind = ours[0].kind
    is_exact = kind is NumberKind.YEAR or not is_about
    return kind is theirs[0].kind is not NumberKind.DECADE and is_exact


def _stretch(
    statement: _Statement, found: Sequence[re.Match[str]], first: int, behind: int
) -> ChangedValue:
    first, last = max(first, 0), min(behind, len(found)) - 1
    return statement.n, statement.text[found[first].start() : found[last].end()]


def is_rough(before: str, code: str) -> bool:
    """Say whether a number is given as a rough one by what stands before it."""
    if code in AS_ENGLISH:
        return _ROUGH.search(before) is not None
    roughly = language(code).roughly
    if code in BIGRAMS:
        return before[-_BEFORE_NUMBER:].rstrip().endswith(tuple(roughly))
    last = words(before[-_BEFORE_NUMBER:])[-1:]
    return bool(last) and last[0] in roughly


def _is_known(
    pair: tuple[ChangedValue, ChangedValue], asked: Facts, extracts: Sequence[Extract], code: str
) -> bool:
    """Say whether a source has the other's number too, or the question names both."""
    if all(holds(asked, value, code) for _, value in pair):
        return True
    return any(
        extract.n == n and holds(read_facts(extract.text, code), value, code)
        for (n, _), (_, value) in (pair, pair[::-1])
        for extract in extracts
    )


def holds(facts: Facts, value: str, code: str) -> bool:
    """Say whether the numbers of a value stand among facts."""
    return all(carries(facts.numbers, number) for number in find_numbers(value, code))


def _is_asked(asked: Facts, value: str, code: str) -> bool:
    """Say whether a value is a name of the question; a verb that one source denies may well be in it."""
    facts = read_facts(value, code)
    named = {*facts.names, facts.opener} - {""}
    return bool(named) and named <= asked.stems


def _file(found: list[list[ChangedValue]], pair: tuple[ChangedValue, ChangedValue]) -> None:
    """Add a pair to the group that one of the two is part of, or as a new one."""
    for group in found:
        if any(changed in group for changed in pair):
            group += [changed for changed in pair if changed[0] not in dict(group)]
            return
    found.append(list(pair))
