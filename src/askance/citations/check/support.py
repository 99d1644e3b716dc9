"""The evidence, asked which of its statements carries a claim, and which sources stand behind it."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from askance.citations.check.cross_language import CrossLanguageMatcher, Wording
from askance.citations.check.facts import Number, carries, read_facts, read_statements
from askance.citations.check.grading import (
    WEAK_SCORE,
    Claim,
    CrossLanguageScore,
    Match,
    StatementWindow,
    grade,
    is_joint,
)
from askance.domain.evidence import Extract, Support
from askance.text.languages.language import AS_ENGLISH
from askance.text.languages.recognition import (
    language_of,
    plain_language,
    recognise,
    recognise_beside,
)
from askance.text.languages.sentences import reports_nothing_found
from askance.text.ranking.index_terms import words

SECOND_SENTENCE_GAIN = 0.08
"""A quote takes a second sentence only where its score gains this much."""

_SOURCES = 6
"""Sources that are looked at closely for a claim, those it cites apart."""
_CANDIDATES = 3
"""Statements of one source that are looked at closely."""
_CANDIDATE_SHARE = 0.5
"""A statement that shares less of a claim than this part of the source's best is not a candidate."""
_MORE_OF_QUESTION = 0.25
"""So much more of the question, 0 to 1, a source must say to be taken for the one that answers it."""
_MORE_ACROSS = 0.01
_NEGLIGIBLE_SHARE = 0.12
"""A source whose best statement shares less of a claim than this has nothing of it."""
_NUMBER_WEIGHT = 3.0
"""Weight of a shared number when candidates are chosen; a rare word weighs about as much."""
_LEAST_WEIGHT = 0.3
"""Weight of a word that every statement has, against 1 to 7 of a rare one."""


class SupportIndex:
    """The extracts of an answer, ready to be asked for support.

    `titles` maps a source's number to the title of its page: a passage often names its subject
    nowhere else. `spoken` is the language of the answer, empty if it is not recognised; `wordings` are the
    question and what else it was called. Sentences are read in their own language, each source in its
    own; what is not of one language is compared by what two have in common (`cross_language`).
    """

    def __init__(
        self,
        extracts: Sequence[Extract],
        titles: Mapping[int, str],
        spoken: str = "",
        wordings: Sequence[str] = (),
    ) -> None:
        self.numbers = frozenset(extract.n for extract in extracts)
        self._extracts = extracts
        self._codes = _languages(extracts, spoken)
        self._spoken = spoken or next(iter(self._codes.values()), "")
        self._titles = titles
        self._wordings = wordings
        self._crossings: dict[str, CrossLanguageMatcher] = {}
        self._statements, self._backgrounds = read_statements(extracts, titles, self._codes)
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
        code = self._language(text)
        facts = read_facts(text, code)
        # The capital of a first word tells nothing, so the evidence decides.
        opener = facts.opener
        # One that stands nowhere in the evidence may be the name of something else: then it must
        # count as missing.
        if opener and (opener in self._names or opener not in self._by_stem):
            facts = replace(facts, names=facts.names | {opener})
        weights = {stem: self._weights.get(stem, self._strange) for stem in facts.stems}
        return Claim(text, code, facts, weights)

    def _language(self, text: str) -> str:
        """The language that a sentence is read in: its own where the answer or a source has it."""
        others = {*self._codes.values()} - {self._spoken}
        own = recognise_beside(text, self._spoken) if others else self._spoken
        return own if own in others else self._spoken

    def is_open(self, sentence: str, match: Match) -> bool:
        """Say whether words cannot decide if a source carries a sentence.

        In one language they can where the sentence names or counts something that is not there, or one
        denies what the other says. Of two languages only numbers and denials can be compared.
        """
        if match.support is Support.SUPPORTED or match.n not in self._codes:
            return False
        claim, code = self.read(sentence), self._codes[match.n]
        if claim.code == code:
            # The quote may carry the claim in other words: it lacks nothing exact, and denies nothing.
            return bool(match.quote) and not (match.missing or match.denied)
        return not match.denied and self._crossing(code).has_numbers(claim, match.n)

    def alternative(self, sentence: str, match: Match) -> Match | None:
        """Return the source of another language that has at least as much of a sentence as the one it names.

        Where words tell nothing of either it is the one that says most of what was asked. None if the
        one it names has more, or is of the sentence's language.
        """
        claim, code = self.read(sentence), self._codes.get(match.n, "")
        if not code or code == claim.code:
            return None
        least = match.score if match.support is Support.SUPPORTED else match.score + _MORE_ACROSS
        others = [
            other
            for other in self.match(claim).values()
            if other.is_across and other.score >= least and self._is_possible(claim, other, match.n)
        ]
        if others:
            return max(others, key=lambda other: (other.score, -other.n))
        if match.support is Support.SUPPORTED:
            return None
        asked = (self._match_of(place) for place in self._crossing(code).answering())
        return next((other for other in asked if self._is_possible(claim, other, match.n)), None)

    def answering(self, claim: Claim, cited: Collection[int]) -> Match | None:
        """Return the source of another language that says far more of the question than those cited.

        None where they are of the claim's language, or there is no such source that has its numbers.
        """
        codes = {self._codes[n] for n in cited if n in self._codes}
        if len(codes) != 1 or claim.code in codes:
            return None
        matcher = self._crossing(codes.pop())
        share = max((matcher.share_covered(n) for n in cited), default=0.0)
        for place in matcher.answering():
            other = self._match_of(place)
            if matcher.share_covered(other.n) < share + _MORE_OF_QUESTION:
                return None
            if other.n not in cited and matcher.has_numbers(claim, other.n):
                return other
        return None

    def _is_possible(self, claim: Claim, other: Match, cited: int) -> bool:
        if other.n == cited or other.denied:
            return False
        return self._crossing(self._codes[other.n]).has_numbers(claim, other.n)

    def _match_of(self, place: int) -> Match:
        """A statement that nothing but the question speaks for."""
        statement = self._statements[place]
        extract = self._extracts[statement.extract]
        return replace(
            Match.none(extract.n),
            quote=extract.text[statement.start : statement.end],
            quote_offset=statement.start,
            is_across=True,
        )

    def match(self, claim: Claim, cited: Collection[int] = ()) -> dict[int, Match]:
        """Return the best match of the cited sources and of those nearest to the claim.

        Sources that share nothing of weight with the claim are left out.
        """
        foreign = {code for code in self._codes.values() if code != claim.code}
        matches: dict[int, Match] = {}
        for code in sorted(foreign):
            matches |= self._match_across(claim, code)
        if not foreign or claim.code in self._codes.values():
            matches |= self._match_within(claim, cited)
        return dict(sorted(matches.items()))

    def _match_within(self, claim: Claim, cited: Collection[int]) -> dict[int, Match]:
        """Match the sources of the claim's own language by its words."""
        by_source: dict[int, list[tuple[float, int]]] = defaultdict(list)
        for statement, overlap in self._overlaps(claim).items():
            n = self._extracts[self._statements[statement].extract].n
            if self._codes[n] == claim.code:
                by_source[n].append((-overlap, statement))
        # Negative, so that of statements that share as much the first comes first.
        for found in by_source.values():
            found.sort()
        # Most sources share a word or two with any claim: these are not looked at closely.
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
                matches[n] = self._best(claim, candidates)
        return matches

    def _match_across(self, claim: Claim, code: str) -> dict[int, Match]:
        """Match the sources of another language by what it has in common with the claim's."""
        matcher = self._crossing(code)
        features = matcher.analyse(claim)
        by_source: dict[int, list[tuple[float, int]]] = defaultdict(list)
        for statement, points in matcher.candidates(features).items():
            by_source[self._extracts[self._statements[statement].extract].n].append(
                (-points, statement)
            )
        matches: dict[int, Match] = {}
        for n, found in sorted(by_source.items()):
            crossed = [
                (matcher.grade(features, window, core, self._around(window)), window)
                for _, core in sorted(found)[:_CANDIDATES]
                # One statement, or two neighbours: a name stands in the first as often as its
                # number in the second.
                for window in ((core,), (core - 1, core), (core, core + 1))
                if all(self._are_neighbours(one, other) for one, other in pairwise(window))
            ]
            # Of equals the narrower window.
            best, window = max(
                crossed, key=lambda pair: (pair[0].is_carried, pair[0].score, -len(pair[1]))
            )
            matches[n] = self._crossed(n, best, window)
        return matches

    def _crossing(self, code: str) -> CrossLanguageMatcher:
        if code not in self._crossings:
            self._crossings[code] = CrossLanguageMatcher(
                code,
                [extract if self._codes[extract.n] == code else None for extract in self._extracts],
                [f"{self._titles.get(e.n, '')}\n{e.heading}" for e in self._extracts],
                self._statements,
                self._backgrounds,
                [Wording.of(text, recognise(text) or self._spoken) for text in self._wordings],
            )
        return self._crossings[code]

    def _crossed(self, n: int, crossed: CrossLanguageScore, window: Sequence[int]) -> Match:
        statements = [self._statements[i] for i in window]
        text = self._extracts[statements[0].extract].text
        if crossed.is_carried:
            support = Support.SUPPORTED
        elif crossed.score < WEAK_SCORE or any(
            not carries(self._source_numbers[n], number) for number in crossed.numbers
        ):
            support = Support.UNSUPPORTED
        else:
            support = Support.WEAK
        start = statements[0].start
        return Match(
            n=n,
            support=support,
            score=crossed.score,
            coverage=crossed.share,
            quote=text[start : statements[-1].end],
            quote_offset=start,
            missing=frozenset([*crossed.numbers, *crossed.names]),
            denied=crossed.denied,
            is_across=True,
        )

    def _around(self, window: Sequence[int]) -> list[int]:
        around = [*window]
        if self._are_neighbours(window[0] - 1, window[0]):
            around.insert(0, window[0] - 1)
        if self._are_neighbours(window[-1], window[-1] + 1):
            around.append(window[-1] + 1)
        return around

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
        # An inverse document frequency (Spärck Jones 1972), with statements as the documents.
        return _LEAST_WEIGHT + math.log(1 + len(self._statements) / (count + 0.5))

    def _overlaps(self, claim: Claim) -> dict[int, float]:
        overlaps: dict[int, float] = defaultdict(float)
        # In order: a sum of floats depends on it, and one answer must always be graded alike.
        for stem in sorted(claim.weights):
            for statement in self._by_stem.get(stem, ()):
                overlaps[statement] += claim.weights[stem]
        for value in {v for number in claim.facts.numbers for v in number.readings}:
            for statement in self._by_value.get(value, ()):
                overlaps[statement] += _NUMBER_WEIGHT
        return overlaps

    def _best(self, claim: Claim, candidates: Iterable[int]) -> Match:
        graded = [(grade(claim, self._window(i, i, i)), i) for i in candidates]
        single, core = max(graded, key=lambda pair: _rank(pair[0]))
        best = single
        # The pairs around the best one alone: all pairs would cost the square of the candidates.
        for first in (core, core - 1) if not _is_full(single) else ():
            if self._are_neighbours(first, first + 1):
                pair = grade(claim, self._window(first, first + 1, core))
                if _rank(pair) > _rank(best) and _is_worth_it(pair, single):
                    best = pair
        return best

    def _window(self, first: int, last: int, core: int) -> StatementWindow:
        extract = self._statements[first].extract
        n = self._extracts[extract].n
        has_before = self._are_neighbours(first - 1, first)
        return StatementWindow(
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


def _languages(extracts: Sequence[Extract], spoken: str) -> dict[int, str]:
    """Return the languages of the sources by number.

    What is not recognised has that of the others, or of the answer.
    """
    texts: defaultdict[int, list[str]] = defaultdict(list)
    for extract in extracts:
        texts[extract.n].append(extract.text)
    most = language_of(extract.text for extract in extracts) or spoken
    # By all of a source together: one of its passages may be a list of names.
    return {n: recognise_beside("\n".join(own), most) for n, own in texts.items()}


def _rank(match: Match) -> tuple[bool, float, float]:
    return match.support is Support.SUPPORTED, match.score, match.coverage


def _is_full(match: Match) -> bool:
    return match.support is Support.SUPPORTED and match.score > 1 - SECOND_SENTENCE_GAIN


def _is_worth_it(pair: Match, single: Match) -> bool:
    if pair.support is not single.support:
        return True
    return pair.score >= single.score + SECOND_SENTENCE_GAIN


# Which sources a sentence of an answer is given: those that it cites, or those that carry it.

CLEAR_COVERAGE = 0.7
"""Share of a claim's content that a source must hold before the check itself cites it.

On the pairs that set `SUPPORTED_COVERAGE`, 97 of 100 claims above it were true.
"""
MOVE_MARGIN = 0.15
"""How much better than the cited source another one must score to take a weak one's place."""
CLEAR_ACROSS = 0.5
"""What a source of another language must score for that: all that can be compared is seldom all."""
LEAST_ACROSS = 0.35
"""The least that a source of another language must score to take the place of the cited one."""
BETTER_ACROSS = 0.15
"""How much better than the cited one it must score for that."""
NEXT_TO_NOTHING = 0.2
"""A cited source of another language that scores no more may as well be any."""
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
_QUESTION = re.compile(r"[?？؟\u037e][\s\"'”’)»*_」]*$")
_OPEN_END = re.compile(r"[:\uff1a][\s*_]*$")


@dataclass(frozen=True, slots=True)
class Settled:
    """The sources that a marker names after the check. `moved` counts those that were replaced."""

    matches: tuple[Match, ...]
    moved: int


def is_claim(sentence: str) -> bool:
    """Say whether a sentence states something about the world: no question, greeting or remark."""
    if _QUESTION.search(sentence) or _OPEN_END.search(sentence) or _META.match(sentence):
        return False
    is_english = plain_language(sentence) in AS_ENGLISH
    return is_english or not reports_nothing_found(sentence, words(sentence))


def is_fragment(claim: Claim) -> bool:
    """Say whether a claim has too little content to tell which source it comes from."""
    facts = claim.facts
    exact = bool(facts.names or facts.numbers)
    return len(facts.stems) + len(facts.numbers) < _MIN_STEMS - exact


def settle(
    evidence: SupportIndex, text: str, cited: Sequence[int], nearby: Collection[int]
) -> Settled:
    """Grade the sources that a claim cites; where they fail and another is clear, take that one."""
    claim = evidence.read(text)
    matches = evidence.match(claim, cited)
    own = [matches.get(n) or Match.none(n) for n in cited]
    others = [match for n, match in matches.items() if n not in cited]
    # A right marker stays, unless a source of another language clearly holds more: there many hold
    # a little.
    if any(match.support is Support.SUPPORTED for match in own):
        better = _better_across(own, others)
        return Settled((better,), len(own)) if better else Settled(tuple(own), 0)
    # Two sources that are cited together may carry a half each.
    part = [match for match in own if match.score >= JOINT_SCORE]
    if is_joint(claim, part):
        return Settled(
            tuple(
                replace(m, support=Support.SUPPORTED, is_joint=True) if m in part else m
                for m in own
            ),
            0,
        )
    best = None if is_fragment(claim) else _clearest(others, nearby) or _better_across(own, others)
    if best is None:
        answering = None if is_fragment(claim) else _answering(evidence, claim, own)
        return Settled((answering,), len(own)) if answering else Settled(tuple(own), 0)
    # One that is nearly as good stays beside the better one: words alone cannot refute it.
    weak = [m for m in own if m.support is Support.WEAK and m.score > best.score - MOVE_MARGIN]
    moved = len(own) - len(weak)
    return Settled((*weak, best), moved) if moved else Settled(tuple(own), 0)


def attribute(evidence: SupportIndex, text: str, nearby: Collection[int]) -> Match | None:
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
    # A number and a word of another language stand in many sources.
    is_clear = len(clear) == 1 and not clear[0].is_across
    return clear[0] if is_clear else None


def _is_clear(match: Match) -> bool:
    if match.support is not Support.SUPPORTED or match.coverage < CLEAR_COVERAGE:
        return False
    return not match.is_across or match.score >= CLEAR_ACROSS


def _better_across(own: Sequence[Match], others: Iterable[Match]) -> Match | None:
    """Return the source of another language that holds more of a claim than those that it cites, if one does.

    What two languages have in common stands in many sources on one subject, so there the best one counts.
    """
    held = max((match.score for match in own), default=0.0)
    is_held = any(match.support is Support.SUPPORTED for match in own)
    if is_held and not all(match.is_across for match in own):
        return None
    better = [
        match
        for match in others
        if match.is_across
        and not (match.missing or match.denied)
        and match.score >= max(LEAST_ACROSS, held + BETTER_ACROSS)
        and (match.support is Support.SUPPORTED or not is_held)
    ]
    return max(better, key=lambda match: (match.score, -match.n), default=None)


def _answering(evidence: SupportIndex, claim: Claim, own: Sequence[Match]) -> Match | None:
    """Return the source that says most of the question, where those cited have next to nothing of the claim.

    Of a sentence without number and name another language tells nothing more. Its grade stays what it is.
    """
    if not own or max(match.score for match in own) > NEXT_TO_NOTHING:
        return None
    return evidence.answering(claim, {match.n for match in own})


def _clearest(matches: Sequence[Match], nearby: Collection[int]) -> Match | None:
    clear = [match for match in matches if _is_clear(match)]
    if not clear:
        return None
    # Mirrors and quotations score alike: the one that is cited nearby is what the writer had before
    # it.
    top = max(match.score for match in clear)
    tied = [match for match in clear if match.score >= top - TIE]
    return min(tied, key=lambda match: (match.n not in nearby, match.n))
