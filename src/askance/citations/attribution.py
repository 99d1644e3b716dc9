"""Which sources a sentence of an answer is given: those that it cites, or those that carry it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from askance.citations.grading import Claim, Match, is_joint
from askance.citations.support import SupportIndex
from askance.domain.evidence import Support
from askance.text.languages.language import ENGLISH
from askance.text.languages.phrases import reports_nothing_found
from askance.text.languages.recognition import recognise
from askance.text.ranking.tokens import words

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
    is_english = recognise(sentence) in {"", ENGLISH}
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
    if any(match.support is Support.SUPPORTED for match in own):
        better = _better_across(own, others)
        return Settled((better,), len(own)) if better else Settled(tuple(own), 0)
    part = [match for match in own if match.score >= JOINT_SCORE]
    if is_joint(claim, part):
        return Settled(
            tuple(replace(m, support=Support.SUPPORTED) if m in part else m for m in own), 0
        )
    best = None if is_fragment(claim) else _clearest(others, nearby) or _better_across(own, others)
    if best is None:
        answering = None if is_fragment(claim) else _answering(evidence, claim, own)
        return Settled((answering,), len(own)) if answering else Settled(tuple(own), 0)
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
    top = max(match.score for match in clear)
    tied = [match for match in clear if match.score >= top - TIE]
    return min(tied, key=lambda match: (match.n not in nearby, match.n))
