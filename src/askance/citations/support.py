"""The evidence, asked which of its statements carries a claim, and which sources stand behind it."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from askance.citations.facts import Number, carries, read_facts, read_statements
from askance.citations.grading import Claim, Match, Window, grade, is_joint
from askance.domain.evidence import Extract, Support
from askance.languages.recognition import language_of, recognise

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
CLEAR_COVERAGE = 0.7
"""Share of a claim's content that a source must hold before the check itself cites it.

On the pairs that set `SUPPORTED_COVERAGE`, 97 of 100 claims above it were true.
"""
MOVE_MARGIN = 0.15
"""How much better than the cited source another one must score to take a weak one's place."""
TIE = 0.05
"""Scores nearer than this are equal; then a source cited nearby is taken, or the first."""
JOINT_SCORE = 0.2
"""The least that a source must score to have a part in carrying a claim together with others."""
_MIN_STEMS = 3
"""A claim with fewer content words is a fragment: too little to tell sources apart by."""

_META = re.compile(
    r"""[\s*_"'“]*(?:
    (?:i|we)(?:['’]m|['’]d)?\s(?:could|can|was|were|found\sno|did|do|hope|am|would|will|have|searched|looked)\b
    |(?:unfortunately|sorry|however),?\s(?:i|we|the\s(?:provided\s)?sources?|there\sis\sno)\b
    |(?:(?:the|these|this|those|all|none\sof\sthe|no|my)\s)?(?:(?:provided|given|available|cited|retrieved)\s)?
      (?:sources?|evidence|search\sresults?|documents?|passages?|excerpts?|results|context|texts?)\b
      .{0,80}?\b(?:not|no|neither|insufficient|lack|silent|differ|disagree|conflict)
    |(?:sources|evidence)\s(?:differ|disagree|conflict)
    |(?:based\son|according\sto|from)\s(?:the|these|your|my)\s(?:(?:provided|given|available|numbered)\s)?
      (?:sources?|evidence|search\sresults?|documents?|passages?|context|information)\b.{0,40}?\b(?:not|no|cannot|unclear)\b
    |there\s(?:is|are|was|were)\s(?:no|not|insufficient)\s?(?:enough\s)?(?:clear\s|further\s|direct\s)?
      (?:information|evidence|mention|data|details?|sources?|answers?|indication)
    |(?:it\sis|it['’]s)\s(?:not\s(?:stated|clear|mentioned|specified|known\sfrom)|unclear)
    |(?:hello|hi|hey|sure|certainly|of\scourse|thanks?|thank\syou|you['’]re\swelcome|great\squestion|good\squestion)\b
    |(?:let\sme|here\s(?:is|are)|here['’]s|please|feel\sfree|if\syou\s(?:want|need|would|have)|would\syou)\b
    |(?:ich|wir)\s(?:konnte|kann|habe|konnten|haben)\b|(?:die|den)\squellen\b
    |.{0,12}(?:未找到|没有找到|沒有找到|没有提到|未提及|見つかりません|记载不足|わかりません)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_QUESTION = re.compile(r"[?？][\s\"'”’)»*_」]*$")
_OPEN_END = re.compile(r"[:\uff1a][\s*_]*$")


@dataclass(frozen=True, slots=True)
class Settled:
    """The sources that a marker names after the check. `moved` counts those that were replaced."""

    matches: tuple[Match, ...]
    moved: int


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
        self._languages: dict[int, str] = {}
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

    def is_open(self, sentence: str, match: Match) -> bool:
        """Say whether words cannot decide if a source carries a sentence.

        In the source's own language they can where the sentence names or counts something that is not
        there, or one denies what the other says. In another one only its numbers can be compared.
        """
        if match.support is Support.SUPPORTED:
            return False
        spoken = self._language(match.n)
        if not spoken or (recognise(sentence) or spoken) == spoken:
            return match.is_undecided
        known = self._source_numbers[match.n]
        return all(carries(known, number) for number in self.read(sentence).facts.numbers)

    def _language(self, n: int) -> str:
        """The language of a source as far as it stands in the evidence, empty if it cannot be told."""
        if n not in self._languages:
            texts = (extract.text for extract in self._extracts if extract.n == n)
            self._languages[n] = language_of(texts)
        return self._languages[n]

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


def is_claim(sentence: str) -> bool:
    """Say whether a sentence states something about the world: no question, greeting or remark."""
    return not (_QUESTION.search(sentence) or _OPEN_END.search(sentence) or _META.match(sentence))


def is_fragment(claim: Claim) -> bool:
    """Say whether a claim has too little content to tell which source it comes from."""
    facts = claim.facts
    exact = bool(facts.names or facts.numbers)
    return len(facts.stems) + len(facts.numbers) < _MIN_STEMS - exact


def settle(evidence: Evidence, text: str, cited: Sequence[int], nearby: Collection[int]) -> Settled:
    """Grade the sources that a claim cites; where they fail and another is clear, take that one."""
    claim = evidence.read(text)
    matches = evidence.match(claim, cited)
    own = [matches.get(n) or Match.none(n) for n in cited]
    if any(match.support is Support.SUPPORTED for match in own):
        return Settled(tuple(own), 0)
    part = [match for match in own if match.score >= JOINT_SCORE]
    if is_joint(claim, part):
        return Settled(
            tuple(replace(m, support=Support.SUPPORTED) if m in part else m for m in own), 0
        )
    others = [match for n, match in matches.items() if n not in cited]
    best = None if is_fragment(claim) else _clearest(others, nearby)
    if best is None:
        return Settled(tuple(own), 0)
    weak = [m for m in own if m.support is Support.WEAK and m.score > best.score - MOVE_MARGIN]
    moved = len(own) - len(weak)
    return Settled((*weak, best), moved) if moved else Settled(tuple(own), 0)


def attribute(evidence: Evidence, text: str, nearby: Collection[int]) -> Match | None:
    """Return the source that clearly carries a claim which cites none.

    A fragment takes a source only from those cited nearby, or the only one that has its names and
    numbers.
    """
    claim = evidence.read(text)
    facts = claim.facts
    if not facts.stems and not facts.numbers:
        return None
    matches = list(evidence.match(claim, nearby).values())
    if not is_fragment(claim):
        return _clearest(matches, nearby)
    if not facts.names and not facts.numbers:
        return None
    clear = [match for match in matches if _is_clear(match)]
    near = [match for match in clear if match.n in nearby]
    if near:
        return _clearest(near, nearby)
    return clear[0] if len(clear) == 1 else None


def _rank(match: Match) -> tuple[bool, float, float]:
    return match.support is Support.SUPPORTED, match.score, match.coverage


def _is_full(match: Match) -> bool:
    return match.support is Support.SUPPORTED and match.score > 1 - SECOND_SENTENCE_GAIN


def _is_worth_it(pair: Match, single: Match) -> bool:
    if pair.support is not single.support:
        return True
    return pair.score >= single.score + SECOND_SENTENCE_GAIN


def _is_clear(match: Match) -> bool:
    return match.support is Support.SUPPORTED and match.coverage >= CLEAR_COVERAGE


def _clearest(matches: Sequence[Match], nearby: Collection[int]) -> Match | None:
    clear = [match for match in matches if _is_clear(match)]
    if not clear:
        return None
    top = max(match.score for match in clear)
    tied = [match for match in clear if match.score >= top - TIE]
    return min(tied, key=lambda match: (match.n not in nearby, match.n))
