"""Whether a source contradicts a claim: it says the same, with another number or name, or denies it.

Silent when in doubt: words that differ are no contradiction where both may be true.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise, takewhile

from askance.citations.check.facts import Number, NumberKind, carries, find_numbers
from askance.citations.check.grading import Claim, Match
from askance.citations.check.support import SupportIndex
from askance.domain.evidence import Extract, ExtractKind, Support
from askance.text.ranking.index_terms import estimated_tokens, terms, words
from askance.text.ranking.scoring import FoundPage
from askance.text.ranking.sentence_windows import rank_windows

# Set on the made texts of tests/engine/test_text_check.py and on pairs of sentences of the sample web.
LEAST_COVERAGE = 0.6
"""Share of a claim's content that a sentence must hold to speak of the same matter."""
LEAST_DENIED_COVERAGE = 0.7
LEAST_UNNAMED_COVERAGE = 0.75
"""The same where the claim has no name: another thing may weigh so much, too."""
_WORD = re.compile(r"\w[\w’'-]*")
_WINDOWS = 6
# fmt: off
_ROUGHLY = frozenset([
    "about", "approximately", "around", "nearly", "almost", "over", "under", "roughly", "estimated", "some", "circa",
    "ca", "least", "than",
])
# fmt: on


def contradicts(claim: Claim, match: Match) -> bool:
    """Say whether the quote of a match contradicts a claim in one number, one name, or by denying it."""
    if not match.quote or match.is_across or match.coverage < LEAST_COVERAGE:
        return False
    if not claim.facts.names and match.coverage < LEAST_UNNAMED_COVERAGE:
        return False
    # Of whom a pronoun speaks that nothing names is not known: the quote may be about somebody else.
    is_of_anybody = claim.facts.refers_back and not _opening(claim.text, claim.code)
    if is_of_anybody and not _opening(match.quote, claim.code) <= claim.facts.stems:
        return False
    numbers = [thing for thing in match.missing if isinstance(thing, Number)]
    names = [thing for thing in match.missing if not isinstance(thing, Number)]
    if match.denied:
        return not match.missing and match.coverage >= LEAST_DENIED_COVERAGE
    if len(numbers) == 1 and not names:
        return _has_another_number(claim, numbers[0], match.quote)
    return bool(names) and not numbers and _has_another_name(claim, frozenset(names), match.quote)


def contradicted_by(sentences: Iterable[str], found: FoundPage) -> str:
    """Return the first of these sentences that a page contradicts; empty if there is none."""
    for sentence in sentences:
        windows = rank_windows(sentence, [found], lambda text: round(estimated_tokens(text)))
        extracts = [Extract(1, ExtractKind.PASSAGE, w.text) for w in windows[:_WINDOWS]]
        index = SupportIndex(extracts, {1: found.page.title})
        claim = index.read(sentence)
        for match in index.match(claim).values():
            if match.support is not Support.SUPPORTED and contradicts(claim, match):
                return sentence
    return ""


def _opening(sentence: str, code: str) -> frozenset[str]:
    """Return the stem of the first word; nothing of a pronoun or an article."""
    first = _WORD.search(sentence)
    return frozenset(terms(first.group(), code) if first else ())


def _has_another_number(claim: Claim, missing: Number, quote: str) -> bool:
    """Say whether the quote has one number of the missing one's kind and unit, which the claim lacks."""
    found = [
        number
        for number in find_numbers(quote, claim.code)
        if number.kind is missing.kind and bool(number.units) == bool(missing.units)
    ]
    if missing.units:
        found = [n for n in found if n.units and n.units[0].dimension == missing.units[0].dimension]
    others = [number for number in found if not carries(claim.facts.numbers, number)]
    if len(others) != 1:
        return False
    is_exact = missing.kind is NumberKind.YEAR
    return is_exact or not (
        _is_rough(claim.text, missing.start) or _is_rough(quote, others[0].start)
    )


def _is_rough(text: str, start: int) -> bool:
    return not _ROUGHLY.isdisjoint(words(text[:start])[-2:])


def _has_another_name(claim: Claim, missing: frozenset[str], quote: str) -> bool:
    """Say whether the quote has another name behind the word that the missing one follows in the claim."""
    before = _word_before(claim, missing)
    for word, following in pairwise(_WORD.finditer(quote)) if before else ():
        if word.group().casefold() == before and following.group()[:1].isupper():
            named = set(terms(following.group(), claim.code))
            if named and not named & (claim.facts.stems | claim.facts.names):
                return True
    return False


def _word_before(claim: Claim, missing: frozenset[str]) -> str:
    """Return the word that all of the missing names stand behind, side by side; empty where there is none."""
    found = list(_WORD.finditer(claim.text))
    for place, (word, following) in enumerate(pairwise(found), 1):
        if word.group()[:1].islower() and missing & set(terms(following.group(), claim.code)):
            run = takewhile(lambda match: match.group()[:1].isupper(), found[place:])
            named = {term for match in run for term in terms(match.group(), claim.code)}
            return word.group().casefold() if missing <= named else ""
    return ""
