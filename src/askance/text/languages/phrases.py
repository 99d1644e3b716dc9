"""Phrases of a language, written as data: what an answer says that is none."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from askance.text.languages.language import BIGRAMS, CODES, Language, language
from askance.text.languages.recognition import recognise
from askance.text.languages.scripts import fold

# What stands for a few words of any kind, and for how many.
_GAP = "…"
_LONGEST_GAP = 6
# A sentence says what it is about in so many words.
_LOOKED_AT = 80

_Words = Sequence[str]


class _Element(NamedTuple):
    """One place of a phrase: the words that may stand there, whole or by their beginning."""

    whole: frozenset[str]
    beginnings: tuple[str, ...]
    is_optional: bool
    after_gap: bool


def reports_nothing_found(sentence: str, words: _Words) -> bool:
    """Say whether a sentence states that something was not found. `words` are its words, folded.

    A phrase is a row of words. `a|b` is one of two, `find*` any word that begins so, `be?` one that may
    be missing, `…` up to six words of any kind. In scripts without spaces it stands as it is.
    """
    code = recognise(sentence)
    known = [language(code)] if code else [language(other) for other in CODES]
    return any(_contains_phrase(one, sentence, words[:_LOOKED_AT]) for one in known)


def _contains_phrase(known: Language, sentence: str, words: _Words) -> bool:
    if known.code in BIGRAMS:
        return any(phrase in sentence for phrase in known.not_found)
    return any(
        _matches(elements, words, start, 0)
        for elements in _parsed(known.code)
        for start in range(len(words))
    )


def _matches(elements: Sequence[_Element], words: _Words, at: int, place: int) -> bool:
    if place == len(elements):
        return True
    element = elements[place]
    gap = _LONGEST_GAP if element.after_gap else 0
    for i in range(at, min(at + gap + 1, len(words))):
        fits = words[i] in element.whole or words[i].startswith(element.beginnings)
        if fits and _matches(elements, words, i + 1, place + 1):
            return True
    return element.is_optional and _matches(elements, words, at, place + 1)


@lru_cache(maxsize=128)
def _parsed(code: str) -> tuple[tuple[_Element, ...], ...]:
    return tuple(_parse(phrase) for phrase in language(code).not_found)


def _parse(phrase: str) -> tuple[_Element, ...]:
    found: list[_Element] = []
    after_gap = False
    for piece in phrase.split():
        if piece == _GAP:
            after_gap = True
            continue
        options = [fold(option) for option in piece.removesuffix("?").split("|")]
        found.append(
            _Element(
                frozenset(option for option in options if not option.endswith("*")),
                tuple(option[:-1] for option in options if option.endswith("*")),
                piece.endswith("?"),
                after_gap,
            )
        )
        after_gap = False
    return tuple(found)
