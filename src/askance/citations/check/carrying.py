"""Which words of a quote carry the sentence that cites it: what a reader is to look at first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

from askance.text.languages.scripts import CJK, plain_digits
from askance.text.ranking.index_terms import terms

MOST_WORDS = 12
"""More lit words are no help: the eye goes nowhere."""
# One word in common may be chance; a number or a date is worth two.
_LEAST_POINTS = 2.0
_NUMBER_POINTS = 2.0
# Words that hold less than that of what the sentence says do not carry it.
_LEAST_SHARE = 0.4
# What a further word costs, so that of two stretches with the same words the shorter one is taken.
_WORD_COST = 0.09
# In scripts without blanks so many signs in a row are words in common.
_LEAST_SIGNS, _MOST_SIGNS = 4, 24
# Accepts `don't`, `1,000.5` and `U.S.A`: one sign between letters or digits parts no word.
_WORD = re.compile(r"\w+(?:['’.,]\w+)*")
_UNSPACED = re.compile(f"[{CJK}]")


def carrying_words(quote: str, sentence: str, code: str) -> tuple[int, int] | None:
    """Return from where to where the words stand that carry a sentence; None where that cannot be told.

    Both are compared in a language, by stems as the check compares them.
    """
    if _UNSPACED.search(quote):
        return _signs_in_common(quote, sentence)
    wanted = frozenset(terms(plain_digits(sentence), code))
    found = list(_WORD.finditer(quote))
    held = [wanted.intersection(terms(plain_digits(word.group()), code)) for word in found]
    best, points = None, 0.0
    least = max(_LEAST_POINTS, _LEAST_SHARE * _points(wanted))
    for first, stems in enumerate(held):
        if not stems:
            continue
        seen: set[str] = set()
        total = 0.0
        for last in range(first, min(first + MOST_WORDS, len(held))):
            new = held[last] - seen
            seen |= new
            total += _points(new)
            worth = total - _WORD_COST * (last - first)
            # A stretch ends with a word in common, as it begins with one.
            if new and total >= least and worth > points:
                best, points = (found[first].start(), found[last].end()), worth
    return best


def _points(stems: Iterable[str]) -> float:
    return sum(_NUMBER_POINTS if stem[0].isdecimal() else 1.0 for stem in stems)


def _signs_in_common(quote: str, sentence: str) -> tuple[int, int] | None:
    matcher = SequenceMatcher(None, sentence[:2000], quote[:2000], autojunk=False)
    same = matcher.find_longest_match()
    if same.size < _LEAST_SIGNS:
        return None
    return same.b, same.b + min(same.size, _MOST_SIGNS)
