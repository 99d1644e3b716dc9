"""Sources that say nearly the same sentence with another number or name in one place, whatever the question asks for."""

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

# Set on 2,411 questions with ten encyclopedia paragraphs each: no false alarm. A changed copy of the
# paragraph that answers is noticed for 56 % of changed numbers, 26 % of changed names.
MIN_QUESTION_SHARE = 0.6
"""Share of the question's content words that each of the two sentences must hold."""
MIN_OVERLAP = 0.6
"""Jaccard overlap of the two sentences' content words outside of what differs."""
MIN_SHARED_STEMS = 4
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


@dataclass(frozen=True, slots=True)
class ChangedValue:
    """What one source says, verbatim."""

    n: int
    value: str


@dataclass(frozen=True, slots=True)
class _Statement:
    n: int
    text: str
    facts: Facts
    code: str


def find_changed(question: str, extracts: Sequence[Extract], code: str) -> list[list[ChangedValue]]:
    """Find where the sentences that answer a question differ between sources in one value.

    Both sentences must be about what the question names, share most of their words and all other
    numbers and names; neither source may have the other's value anywhere. The extracts are in the language that
    is named, which is that of the question.
    """
    asked = read_facts(question, code)
    candidates = list(_candidates(asked, extracts, code))
    found: list[list[ChangedValue]] = []
    # Pairs grow with the square: six sentences of an extract at the most are compared.
    for left, right in combinations(candidates, 2):
        if left.n == right.n:
            continue
        if _is_same_matter(asked, left, right) and (pair := _differing(left, right)):
            if not _is_known(pair, asked, extracts, code):
                _file(found, pair)
        elif (
            asked.names <= left.facts.stems & right.facts.stems
            and (pair := _changed_copy(left, right))
            and (
                left.facts.negated != right.facts.negated
                or not all(_is_asked(asked, changed.value, code) for changed in pair)
            )
        ):
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


def _is_same_matter(asked: Facts, left: _Statement, right: _Statement) -> bool:
    a, b = left.facts, right.facts
    # What "it" or "she" stands for is not known here: two such sentences may speak of different
    # things.
    if a.negated != b.negated or a.refers_back or b.refers_back:
        return False
    return _has_names(asked, left, right)


def _has_names(asked: Facts, left: _Statement, right: _Statement) -> bool:
    return not asked.names or not asked.names.isdisjoint(left.facts.stems & right.facts.stems)


def _changed_copy(left: _Statement, right: _Statement) -> tuple[ChangedValue, ChangedValue] | None:
    """Return where one sentence is a copy of the other, but for one name, month or negation.

    Numbers are compared by `_differing`, which knows what is only about right.
    """
    a, b = ([*_WORD.finditer(statement.text)] for statement in (left, right))
    ours, theirs = ([match.group().casefold() for match in found] for found in (a, b))
    if abs(len(a) - len(b)) > _MOST_CHANGED or len({*ours} & {*theirs}) < _LEAST_COMMON:
        return None
    steps = SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
    changes = [step for step in steps if step[0] != "equal"]
    if len(changes) != 1:
        return None
    _, i, j, k, m = changes[0]
    # With a word on each side where one sentence has nothing in the other's place: "was not built".
    wider = int(i == j or k == m)
    here, there = words(" ".join(ours[i:j])), words(" ".join(theirs[k:m]))
    if max(j - i, m - k) > _MOST_CHANGED or find_numbers(" ".join([*here, *there]), left.code):
        return None
    # A name that only one of them has adds to it; one that both have is but written otherwise.
    ours_named = distinctive_words(left.text).intersection(here)
    theirs_named = distinctive_words(right.text).intersection(there)
    is_renamed = ours_named and theirs_named and ours_named.isdisjoint(theirs_named)
    if left.facts.negated == right.facts.negated and not is_renamed:
        return None
    return _stretch(left, a, i - wider, j + wider), _stretch(right, b, k - wider, m + wider)


def _stretch(
    statement: _Statement, found: Sequence[re.Match[str]], first: int, behind: int
) -> ChangedValue:
    first, last = max(first, 0), min(behind, len(found)) - 1
    return _changed_value(statement, found[first].start(), found[last].end())


def _differing(left: _Statement, right: _Statement) -> tuple[ChangedValue, ChangedValue] | None:
    numbers_left = _unmatched(left.facts.numbers, right.facts.numbers)
    numbers_right = _unmatched(right.facts.numbers, left.facts.numbers)
    # Where two values differ they are two statements, and hardly one that is contested.
    if len(numbers_left) != 1 or len(numbers_right) != 1:
        return None
    a, b = numbers_left[0], numbers_right[0]
    if _names(left) != _names(right) or not _is_comparable(left, a, right, b):
        return None
    if not _overlap(left.facts.stems, right.facts.stems):
        return None
    return _changed_value(left, a.start, a.end), _changed_value(right, b.start, b.end)


def _is_comparable(left: _Statement, a: Number, right: _Statement, b: Number) -> bool:
    # A year against a count, or a percentage against a sum, is no other value of one thing.
    if a.kind is not b.kind or a.kind is NumberKind.DECADE:
        return False
    sides = ((left, a), (right, b))
    if a.kind is not NumberKind.YEAR and any(is_rough(s.text[: n.start], s.code) for s, n in sides):
        return False
    return _stand_alike(left, (a.start, a.end), right, (b.start, b.end))


def is_rough(before: str, code: str) -> bool:
    """Say whether a number is given as a rough one by what stands before it."""
    if code in AS_ENGLISH:
        return _ROUGH.search(before) is not None
    roughly = language(code).roughly
    if code in BIGRAMS:
        return before[-_BEFORE_NUMBER:].rstrip().endswith(tuple(roughly))
    last = words(before[-_BEFORE_NUMBER:])[-1:]
    return bool(last) and last[0] in roughly


def _stand_alike(
    left: _Statement, a: tuple[int, int], right: _Statement, b: tuple[int, int]
) -> bool:
    """Say whether two values stand between the same words: on both sides, or at an edge on one."""
    before = words(left.text[: a[0]])[-2:], words(right.text[: b[0]])[-2:]
    after = words(left.text[a[1] :])[:1], words(right.text[b[1] :])[:1]
    # Two words before and one behind, alike on both sides: else the values are of two things that
    # one sentence lists.
    return before[0] == before[1] and (after[0] == after[1] or not after[0] or not after[1])


def _unmatched(numbers: Sequence[Number], others: Sequence[Number]) -> list[Number]:
    return [
        number
        for number in numbers
        if not carries(others, number) and not any(carries([number], other) for other in others)
    ]


def _names(statement: _Statement) -> frozenset[str]:
    facts = statement.facts
    return facts.names | {facts.opener} if facts.opener else facts.names


def _overlap(left: frozenset[str] | set[str], right: frozenset[str] | set[str]) -> bool:
    shared = len(left & right)
    # Jaccard's index (1901), and a least number beside it: two short sentences agree by chance.
    return shared >= MIN_SHARED_STEMS and shared >= MIN_OVERLAP * len(left | right)


def _is_known(
    pair: tuple[ChangedValue, ChangedValue], asked: Facts, extracts: Sequence[Extract], code: str
) -> bool:
    """Say whether a source has the other's value too, or the question names both."""
    left, right = pair
    in_question = [holds(asked, position.value, code) for position in pair]
    return (
        all(in_question)
        or _has(left.n, right.value, extracts, code)
        or _has(right.n, left.value, extracts, code)
    )


def _has(n: int, value: str, extracts: Sequence[Extract], code: str) -> bool:
    return any(e.n == n and holds(read_facts(e.text, code), value, code) for e in extracts)


def holds(facts: Facts, value: str, code: str) -> bool:
    """Say whether a value stands among facts: its numbers, or a word of it."""
    sought = read_facts(value, code)
    if sought.numbers:
        return all(carries(facts.numbers, number) for number in sought.numbers)
    return bool(set(terms(value, code)) & facts.stems)


def _is_asked(asked: Facts, value: str, code: str) -> bool:
    """Say whether a value is a name of the question; a verb that one source denies may well be in it."""
    facts = read_facts(value, code)
    named = {*facts.names, facts.opener} - {""}
    return bool(named) and named <= asked.stems


def _changed_value(statement: _Statement, start: int, end: int) -> ChangedValue:
    return ChangedValue(statement.n, statement.text[start:end])


def _file(found: list[list[ChangedValue]], pair: tuple[ChangedValue, ChangedValue]) -> None:
    """Add a pair to the disagreement that one of the two is part of, or as a new one."""
    for group in found:
        if any(position in group for position in pair):
            known = {position.n for position in group}
            group += [position for position in pair if position.n not in known]
            return
    found.append(list(pair))
