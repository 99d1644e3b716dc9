"""Which sources stand behind a claim: those it cites, another that carries it better, or none."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from askance.citations.grading import Claim, Match, is_joint
from askance.citations.witnesses import Evidence
from askance.domain.evidence import Support

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


def _is_clear(match: Match) -> bool:
    return match.support is Support.SUPPORTED and match.coverage >= CLEAR_COVERAGE


def _clearest(matches: Sequence[Match], nearby: Collection[int]) -> Match | None:
    clear = [match for match in matches if _is_clear(match)]
    if not clear:
        return None
    top = max(match.score for match in clear)
    tied = [match for match in clear if match.score >= top - TIE]
    return min(tied, key=lambda match: (match.n not in nearby, match.n))
