"""Sentences: where one ends, and whether it states that nothing was found.

Both go by rule, for all scripts. Abbreviations, ordinals and phrases are those of the language.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from askance.domain.patterns import lazy_re
from askance.text.languages.language import BIGRAMS, CODES, ENGLISH, Language, language, languages
from askance.text.languages.recognition import plain_language, recognise
from askance.text.languages.scripts import CJK, CJK_RUN, fold, has_case

# A boundary is an end mark, perhaps with closing quotes or citation markers, then white space and
# something that can begin a sentence; or the end mark of a script that needs no space behind it; or a
# line break. A semicolon is an end mark in Greek. What someone said goes on behind its quotes in
# Japanese.
_BOUNDARY = lazy_re(
    r"""(?<=[.!?…;\u037e])(?P<tail>["'”’»)\]“‘«״]*(?:[\u00a0\u202f ]»)?(?:\s?\[\d+\])*)\s+"""
    r"""(?=["'“‘«(\[*_”„\u201a»「『״]*(?:«[\u00a0\u202f ])?(?P<next>[^\W_]|[¿¡]))"""
    r"""|(?<=[。！？｡।॥\u06d4؟])["'”’」』»)\]]*+(?:\[\d+\]|)*+(?!と)"""
    r"""|\n+"""
)
_MARK = lazy_re("[.!?…;\u037e。！？｡।॥\u06d4؟\n]")
# Those of English are looked for in every text: most of them are known everywhere.
# A letter alone is an initial (`J. Smith`), two with points a state or a country (`U.S.`).
_ABBREVIATION = lazy_re(
    r"(?:^|[\s(\[\"'“])(?:[A-Z]|[A-Z]\.[A-Z]|mr|mrs|ms|dr|prof|sr|jr|st|mt|ft|vs|etc|e\.g|i\.e|cf|ca|al|no|nos|vol|"
    r"fig|figs|inc|ltd|co|corp|dept|gen|col|lt|sgt|capt|rev|hon|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|"
    r"approx|est|b|d|c|p|pp|ed|eds|art|sec|ch|u\.s|u\.k)\.$",
    re.IGNORECASE,
)
# Longer than any abbreviation of that pattern: it is searched in a slice, for `$` would else be
# tried from every place of the sentence.
_HEAD_CHARACTERS = 12
_LONGEST_ABBREVIATION = 16
_BETWEEN_WORDS = lazy_re(rf"[\s(\[{{\"'“”„\u201a«»‘*_/{CJK}]")
# Kings, popes and centuries: `Ludwig XIV. von Frankreich` goes on.
_ROMAN = lazy_re(r"[IVXLC]{1,6}")
# A day or a century; of more digits it is a year or a count, and ends its sentence.
_LONGEST_ORDINAL = 2
_NEXT_WORD = lazy_re(r"\w+")
_SEMICOLONS = ";\u037e"
ENDS = '.!?…"”]。！？»“｡।॥\u06d4؟」』״\u037e'
"""What the last character of a whole sentence may be."""


def sentence_spans(text: str, code: str = "") -> list[tuple[int, int]]:
    """Return `(start, end)` of each sentence, without the white space around it.

    `code` is the language of the text. Where none is told it is recognised, if a point raises the question.
    By rule: a full sentence splitter costs a second for each 15 KB of text.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _boundaries(text):
        if match["next"]:
            if not _can_part(text, match, start):
                continue
            if _is_plain_point(text, match):
                word = _word_before(text, match.start() - 1, start)
                if _is_initial(word):
                    continue
                if _may_go_on(word):
                    # Recognised once, and only where a point leaves it open: most texts never ask.
                    code = code or recognise(text) or ENGLISH
                    if code != ENGLISH and _goes_on(language(code), word, text, match.end()):
                        continue
        _add(spans, text, start, match.start() + len(match.group().rstrip()))
        start = match.end()
    _add(spans, text, start, len(text))
    return spans


def _boundaries(text: str) -> Iterator[re.Match[str]]:
    done = 0
    # At its marks alone: tried at every place of a text, the pattern takes four times as long.
    for mark in _MARK.finditer(text):
        place = mark.start() + (mark[0] != "\n")
        if place >= done and (found := _BOUNDARY.match(text, place)):
            done = found.end()
            yield found


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in order."""
    return [text[start:end] for start, end in sentence_spans(text)]


def _can_part(text: str, match: re.Match[str], start: int) -> bool:
    """Say whether an end mark ends a sentence as far as every language goes."""
    begins, at = match["next"], match.start()
    if "\n" in match.group():
        return True
    if has_case(begins) and not begins.isupper():
        return False
    if not (begins.isalpha() or begins.isdecimal() or begins in "¿¡"):
        return False
    # The Greek question mark looks like our semicolon, and is often typed as one.
    if text[at - 1] in _SEMICOLONS and not _is_greek(text[at - 2 : at - 1]):
        return False
    return bool(match["tail"]) or not _ABBREVIATION.search(
        text[max(start, at - _HEAD_CHARACTERS) : at]
    )


def _is_plain_point(text: str, match: re.Match[str]) -> bool:
    return text[match.start() - 1] == "." and not match["tail"] and "\n" not in match.group()


def _is_initial(word: str) -> bool:
    """Say whether a word is one letter, large or without case: of a name, or a title's."""
    return len(word) == 1 and word.isalpha() and not word.islower() and not CJK_RUN.match(word)


def _may_go_on(word: str) -> bool:
    """Say whether a point behind a word may belong to the word in any language."""
    return _may_be_ordinal(word) or fold(word) in _all_abbreviations()


@cache
def _all_abbreviations() -> frozenset[str]:
    return frozenset(word for known in languages() for word in known.abbreviations)


def _may_be_ordinal(word: str) -> bool:
    is_number = word.isdecimal() and len(word) <= _LONGEST_ORDINAL
    return is_number or _ROMAN.fullmatch(word) is not None


def _goes_on(known: Language, word: str, text: str, end: int) -> bool:
    """Say whether a point behind a word belongs to the word in this language."""
    folded = fold(word)
    following = _NEXT_WORD.search(text, end)
    opens = following is not None and fold(following.group()) in known.stop_words
    # Those that may close a sentence do so where the next word could open one: „… usw. Die …“.
    if folded in known.abbreviations:
        return not (opens and folded in known.closing)
    return known.ordinal_point and _may_be_ordinal(word) and not opens


def _word_before(text: str, end: int, start: int) -> str:
    # Bounded: a line of a megabyte without a space would be looked through at each of its points.
    return _BETWEEN_WORDS.split(text[max(start, end - _LONGEST_ABBREVIATION) : end])[-1]


def _is_greek(character: str) -> bool:
    return bool(character) and unicodedata.name(character, "").startswith("GREEK")


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    if stripped := piece.strip():
        begin = start + len(piece) - len(piece.lstrip())
        spans.append((begin, begin + len(stripped)))


# Phrases in which an answer says that it found nothing, a list for each language.

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
    # A phrase of one language hardly stands in another: of 8,609 sentences in nine languages one had it.
    code = plain_language(sentence)
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
    # It goes back where a word does not fit, but over some ten places of our own phrases: time is
    # bounded.
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
        # Folded as the words that they are compared with.
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
