"""How well one or two statements of a source carry a claim."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from askance.citations.check.facts import Background, Facts, Number, Statement, carries
from askance.domain.evidence import Support

# Set on 14,997 labelled pairs of a claim and a source built from encyclopedia paragraphs: true
# sentences, reworded and merged ones, question-and-answer statements; false ones with a number or a
# name exchanged, with a negation, or from another paragraph of the same article. Of what is graded
# supported 95 % is true, of what is true 89 % is graded supported (97 to 100 % of reworded sentences).
SUPPORTED_COVERAGE = 0.55
"""Share of a claim's content, by weight, that a supporting quote must hold."""
WEAK_SCORE = 0.3
"""A score below this is no support at all."""
NEGATION_FACTOR = 0.7
"""Multiplies the score where either the claim or its source denies what the other says."""
SECOND_SENTENCE_SHARE = 0.4
"""Share of a claim's content that a second sentence must hold for its negation to count."""

# Set on the sentences of 240 paragraphs in seven languages against the English ones that they are
# translations of, with seven other paragraphs beside them (`docs/bench/languages.md`).
LEAST_POINTS = 3.0
"""What a quote in another language must hold of a sentence to carry it; a rare name is worth about 4."""
LEAST_OWN_POINTS = 1.5
"""What of that must be the sentence's own; the rest may be what it has of the question."""
LEAST_COUNT = 2
"""So many things must be there; the question counts as one."""
_HALF_SCORE = 3.0
"""The points that are half of a full score."""
# English stems that state one measure beside the same number with its unit.
_MEASURES = (
    {"tall", "height", "high"},
    {"long", "length"},
    {"wide", "width", "breadth", "broad"},
    {"deep", "depth"},
    {"weigh", "weight", "heavi"},
    {"cost", "price"},
)


@dataclass(frozen=True, slots=True)
class Claim:
    """What a sentence of an answer states in its language, and how much each of its stems tells."""

    text: str
    code: str
    facts: Facts
    weights: Mapping[str, float]

    @property
    def total(self) -> float:
        """The weight of the whole claim."""
        return math.fsum(self.weights.values())

    def weigh(self, stems: Iterable[str]) -> float:
        """Return the weight of those stems that the claim has."""
        return math.fsum(self.weights.get(stem, 0.0) for stem in stems)


@dataclass(frozen=True, slots=True)
class StatementWindow:
    """One or two neighbouring statements of source `n`, found by the one at `core`.

    `before` is the statement in front of them; `source_stems` and `source_numbers` are those of all
    that the source has in the evidence.
    """

    n: int
    text: str
    quoted: tuple[Statement, ...]
    core: int
    before: Statement | None
    background: Background
    source_stems: set[str]
    source_numbers: Sequence[Number]


@dataclass(frozen=True, slots=True)
class Match:
    """The best quote of source `n` for a claim: its grade, its score and coverage from 0 to 1.

    `found` are the claim's stems that it holds, `missing` its names and numbers that it lacks;
    `denied` says that one of the two negates what the other says, `is_across` that they are of two languages,
    `is_joint` that it carries the claim only together with others.
    """

    n: int
    support: Support
    score: float
    coverage: float
    quote: str = ""
    quote_offset: int = 0
    found: frozenset[str] = frozenset()
    missing: frozenset[str | Number] = frozenset()
    denied: bool = False
    is_across: bool = False
    is_joint: bool = False

    @classmethod
    def none(cls, n: int) -> Match:
        """Return the match of a source that has nothing of a claim."""
        return cls(n, Support.UNSUPPORTED, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class CrossLanguageScore:
    """What statements of another language hold of a sentence.

    `points` tell how much, `count` in how many places; `share` is that of what could be compared, 0 to 1. `numbers` and `names` are what is
    missing of its numbers, and of the names that other sources have; `strange` says that most of its names
    sound like nothing there. `own` are the points without what it has of the question.
    """

    points: float
    own: float
    count: int
    share: float
    numbers: tuple[Number, ...]
    names: tuple[str, ...]
    strange: bool
    denied: bool

    @property
    def score(self) -> float:
        """How well they carry it, 0 to 1. One thing alone that both have may be chance."""
        lacking = len(self.numbers) + len(self.names)
        # Saturates as term frequencies do in BM25; each further thing halves what chance may
        # explain.
        support = self.points / (self.points + _HALF_SCORE) * (1 - 0.5**self.count)
        return self.share * support / (1 + lacking)

    @property
    def is_carried(self) -> bool:
        """Whether enough of it is there, and nothing speaks against it."""
        return (
            not (self.numbers or self.names or self.denied or self.strange)
            and self.points >= LEAST_POINTS
            and self.own >= LEAST_OWN_POINTS
            and self.count >= LEAST_COUNT
        )


def grade(claim: Claim, window: StatementWindow) -> Match:
    """Grade statements as a quote for a claim.

    The score is the share of the claim's content that they hold, less up to half for the names and
    numbers they lack. Supported is only what lacks none and is negated alike; where a noun that may be a
    name is missing, words do not decide. What names a number,
    or mostly names, that the whole source does not have is unsupported whatever its score.
    """
    facts = claim.facts
    stems = frozenset[str]().union(*(s.facts.stems for s in window.quoted))
    missing_numbers = _missing_numbers(facts, window)
    missing_names = _missing_names(facts, window, stems)
    # German capitals: a noun that may be a name keeps words from deciding, and lowers no score.
    unsure = facts.nouns - stems - window.background.title
    found = (facts.stems & stems) | (facts.names - missing_names) | _measured(facts, window, stems)
    total = claim.total
    coverage = min(1.0, claim.weigh(found) / total) if total else 1.0
    missing = len(missing_numbers) + len(missing_names)
    # At most half is lost to what is missing; without names and numbers there is nothing to divide
    # by.
    score = coverage * (1 - missing / (2 * (len(facts.numbers) + len(facts.names)) or 1))
    denied = _denies(claim, window)
    score *= NEGATION_FACTOR if denied else 1.0
    if not missing and not unsure and not denied and coverage >= SUPPORTED_COVERAGE:
        support = Support.SUPPORTED
    elif score < WEAK_SCORE or _is_foreign(facts, window, missing_numbers, missing_names):
        support = Support.UNSUPPORTED
    else:
        support = Support.WEAK
    start = window.quoted[0].start
    return Match(
        n=window.n,
        support=support,
        score=score,
        coverage=coverage,
        quote=window.text[start : window.quoted[-1].end],
        quote_offset=start,
        found=found,
        missing=missing_names.union(missing_numbers),
        denied=denied,
    )


def is_joint(claim: Claim, matches: Sequence[Match]) -> bool:
    """Say whether sources carry a claim together that none of them carries alone."""
    if len(matches) < 2 or any(match.denied for match in matches):
        return False
    # A name that all of them lack no union of them can carry.
    if frozenset[str | Number].intersection(*(match.missing for match in matches)):
        return False
    found = frozenset[str]().union(*(match.found for match in matches))
    return claim.weigh(found) >= SUPPORTED_COVERAGE * claim.total


def _missing_numbers(claim: Facts, window: StatementWindow) -> list[Number]:
    numbers = [number for s in window.quoted for number in s.facts.numbers]
    numbers += window.background.numbers
    return [number for number in claim.numbers if not carries(numbers, number)]


def _measured(claim: Facts, window: StatementWindow, stems: frozenset[str]) -> frozenset[str]:
    """Return what the quote has of the claim's measures in other words: `1 km` for `1,000 m`, "height" for "tall"."""
    quoted = [number for s in window.quoted for number in s.facts.numbers if number.units]
    units = {number.stem for number in claim.numbers if number.units and carries(quoted, number)}
    alike = [group & claim.stems for group in _MEASURES if units and not group.isdisjoint(stems)]
    return (claim.stems & units).union(*alike)


def _missing_names(claim: Facts, window: StatementWindow, stems: frozenset[str]) -> frozenset[str]:
    """Return the claim's names that stand neither in the quote nor plainly behind it.

    A name from the sentence before or from the subject of the extract counts only where the quote
    refers back to it, or has no other name in its place.
    """
    missing = claim.names - stems - window.background.title
    if not missing:
        return missing
    facts = [s.facts for s in window.quoted]
    # A pronoun in the quote, or no other name: only then may what stands before it be meant.
    if any(f.refers_back for f in facts) or all(f.names <= claim.stems for f in facts):
        missing -= window.background.subject
        if window.before:
            missing -= window.before.facts.stems
    return missing - _spelled_out(claim, window, stems) if missing else missing


def _spelled_out(claim: Facts, window: StatementWindow, stems: frozenset[str]) -> frozenset[str]:
    """Return the claim's names that the source has as an acronym, or the other way round."""
    found = claim.acronyms & window.background.initials
    for initials, run in claim.runs:
        if initials in window.background.acronyms or initials in stems:
            found |= run
    return found


def _denies(claim: Claim, window: StatementWindow) -> bool:
    """Say whether claim and quote differ in what they negate.

    Of two sentences only those count that make the quote; a negation in the quote counts where the
    claim has what it denies.
    """
    makers = [s.facts for s in window.quoted]
    if len(makers) > 1:
        enough = SECOND_SENTENCE_SHARE * claim.total
        makers = [
            facts
            for i, facts in enumerate(makers)
            if i == window.core or claim.weigh(facts.stems & claim.facts.stems) >= enough
        ]
    # What is denied is compared, and not that something is: "not in May" does not deny the year.
    denied = frozenset[str]().union(*(facts.denied for facts in makers))
    if not claim.facts.negated:
        return not denied.isdisjoint(claim.facts.stems)
    if not any(facts.negated for facts in makers):
        return True
    return bool(claim.facts.denied) and claim.facts.denied.isdisjoint(denied)


def _is_foreign(
    claim: Facts, window: StatementWindow, numbers: Iterable[Number], names: frozenset[str]
) -> bool:
    """Say whether a number or most names of a claim occur nowhere in the source."""
    if any(not carries(window.source_numbers, number) for number in numbers):
        return True
    return 2 * len(names - window.source_stems) > len(claim.names)
