"""The evidence, ready to be asked which of its statements carries a claim best."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from askance.citations.facts import read_facts
from askance.citations.grading import Claim, Match, Window, grade
from askance.citations.numbers import Number
from askance.citations.statements import read_statements
from askance.domain.evidence import Extract, Support

SECOND_SENTENCE_GAIN = 0.08
"""A quote takes a second sentence only where its score gains this much."""

_SOURCES = 6
"""Sources that are looked at closely for a claim, those it cites apart."""
_CANDIDATES = 3
"""Statements of one source that are looked at closely."""
_CANDIDATE_SHARE = 0.5
"""A statement that shares less of a claim than this part of the source's best is not a candidate."""
_NEGLIGIBLE_SHARE = 0.12
"""A source whose best statement shares less of a claim than this has nothing of it."""
_NUMBER_WEIGHT = 3.0
"""Weight of a shared number when candidates are chosen; a rare word weighs about as much."""
_LEAST_WEIGHT = 0.3
"""Weight of a word that every statement has, against 1 to 7 of a rare one."""


class Evidence:
    """The extracts of an answer, ready to be asked for support.

    `titles` maps a source's number to the title of its page: a passage often names its subject
    nowhere else.
    """

    def __init__(self, extracts: Sequence[Extract], titles: Mapping[int, str]) -> None:
        self.numbers = frozenset(extract.n for extract in extracts)
        self._extracts = extracts
        self._statements, self._backgrounds = read_statements(extracts, titles)
        self._by_stem: dict[str, list[int]] = defaultdict(list)
        self._by_value: dict[float, list[int]] = defaultdict(list)
        self._names: set[str] = set()
        self._source_stems: dict[int, set[str]] = defaultdict(set)
        self._source_numbers: dict[int, list[Number]] = defaultdict(list)
        # Markers without words of their own ask for one sentence again and again.
        self._claims: dict[str, Claim] = {}
        self._index()
        self._weights = {stem: self._weigh(len(ids)) for stem, ids in self._by_stem.items()}
        self._strange = self._weigh(0)

    def read(self, text: str) -> Claim:
        """Read a sentence of an answer.

        Its first word counts as a name if the evidence knows it as one, or does not know it.
        """
        known = self._claims.get(text)
        if known is None:
            known = self._claims[text] = self._read(text)
        return known

    def _read(self, text: str) -> Claim:
        facts = read_facts(text)
        opener = facts.opener
        if opener and (opener in self._names or opener not in self._by_stem):
            facts = replace(facts, names=facts.names | {opener})
        weights = {stem: self._weights.get(stem, self._strange) for stem in facts.stems}
        return Claim(facts, weights)

    def match(self, claim: Claim, cited: Collection[int] = ()) -> dict[int, Match]:
        """Return the best match of the cited sources and of those nearest to the claim.

        Sources that share nothing of weight with the claim are left out.
        """
        by_source: dict[int, list[tuple[float, int]]] = defaultdict(list)
        for statement, overlap in self._overlaps(claim).items():
            n = self._extracts[self._statements[statement].extract].n
            by_source[n].append((-overlap, statement))
        for found in by_source.values():
            found.sort()
        negligible = _NEGLIGIBLE_SHARE * claim.total
        nearest = sorted(by_source, key=lambda n: (by_source[n][0][0], n))
        others = [n for n in nearest if n not in cited][:_SOURCES]
        matches: dict[int, Match] = {}
        for n in sorted(by_source.keys() & {*cited, *others}):
            top = by_source[n][0][0]
            candidates = [
                i for overlap, i in by_source[n][:_CANDIDATES] if overlap <= top * _CANDIDATE_SHARE
            ]
            if -top >= negligible:
                matches[n] = self._best(n, claim, candidates)
        return matches

    def _index(self) -> None:
        for i, statement in enumerate(self._statements):
            for stem in statement.facts.stems:
                self._by_stem[stem].append(i)
            for value in {v for number in statement.facts.numbers for v in number.readings}:
                self._by_value[value].append(i)
            self._names |= statement.facts.names
            n = self._extracts[statement.extract].n
            self._source_stems[n] |= statement.facts.stems
            self._source_numbers[n] += statement.facts.numbers
        for extract, background in zip(self._extracts, self._backgrounds, strict=True):
            self._source_stems[extract.n] |= background.title
            self._source_numbers[extract.n] += background.numbers

    def _weigh(self, count: int) -> float:
        """Return how much a stem tells: rare ones more, one unknown to the evidence most."""
        return _LEAST_WEIGHT + math.log(1 + len(self._statements) / (count + 0.5))

    def _overlaps(self, claim: Claim) -> dict[int, float]:
        overlaps: dict[int, float] = defaultdict(float)
        for stem in sorted(claim.weights):
            for statement in self._by_stem.get(stem, ()):
                overlaps[statement] += claim.weights[stem]
        for value in {v for number in claim.facts.numbers for v in number.readings}:
            for statement in self._by_value.get(value, ()):
                overlaps[statement] += _NUMBER_WEIGHT
        return overlaps

    def _best(self, n: int, claim: Claim, candidates: Iterable[int]) -> Match:
        best, core = Match.none(n), -1
        for i in candidates:
            single = grade(claim, self._window(i, i, i))
            if core < 0 or _rank(single) > _rank(best):
                best, core = single, i
        single = best
        for first in (core, core - 1):
            if core >= 0 and self._are_neighbours(first, first + 1) and not _is_full(single):
                pair = grade(claim, self._window(first, first + 1, core))
                if _rank(pair) > _rank(best) and _is_worth_it(pair, single):
                    best = pair
        return best

    def _window(self, first: int, last: int, core: int) -> Window:
        extract = self._statements[first].extract
        n = self._extracts[extract].n
        has_before = self._are_neighbours(first - 1, first)
        return Window(
            n=n,
            text=self._extracts[extract].text,
            quoted=tuple(self._statements[first : last + 1]),
            core=core - first,
            before=self._statements[first - 1] if has_before else None,
            background=self._backgrounds[extract],
            source_stems=self._source_stems[n],
            source_numbers=self._source_numbers[n],
        )

    def _are_neighbours(self, first: int, last: int) -> bool:
        if first < 0 or last >= len(self._statements):
            return False
        return self._statements[first].extract == self._statements[last].extract


def _rank(match: Match) -> tuple[bool, float, float]:
    return match.support is Support.SUPPORTED, match.score, match.coverage


def _is_full(match: Match) -> bool:
    return match.support is Support.SUPPORTED and match.score > 1 - SECOND_SENTENCE_GAIN


def _is_worth_it(pair: Match, single: Match) -> bool:
    if pair.support is not single.support:
        return True
    return pair.score >= single.score + SECOND_SENTENCE_GAIN
