"""Whether a message or an answer speaks of the one who writes it."""

from __future__ import annotations

import re

from askance.engine.message_parts import is_letter
from askance.text.languages.language import BIGRAMS, ENGLISH
from askance.text.languages.names import language_of_question
from askance.text.languages.personal import WordList, as_written, has_listed, is_vietnamese, listed
from askance.text.languages.recognition import surely
from askance.text.ranking.tokens import STOP_WORDS, sentence_spans, words

# Languages in which "I" is a word of another kind.
_OTHER_I = frozenset({"it", "pl"})
# What somebody else is quoted with; and "I" where it is no number.
_QUOTED = re.compile(
    r'"[^"\n]{1,400}"|„[^“”„\n]{1,400}[“”]|“[^“”\n]{1,400}(?:“[^“”\n]{1,400})?”|”[^“”\n]{1,400}”'
    r"|«[^«»\n]{1,400}»|»[^«»\n]{1,400}«|[「『][^「」『』\n]{1,400}[」』]"
)
_ENGLISH_I = re.compile(r"(?:\b(\w{1,30})\s)?\bI(?:['’]\w|\s[a-z])")
# What is counted in Roman numerals: "grade I listed".
_COUNTED = frozenset(
    {"category", "chapter", "class", "grade", "level", "part", "phase", "stage", "type", "volume"}
)
# An answer is about whoever asks where so large a part of its sentences says "we".
_OWN_SHARE = 0.5
_WORD = re.compile(r"[^\W\d_]+")


def code_of(text: str) -> str:
    """Return the language of a message or an answer; empty for Vietnamese, which is compared by its syllables."""
    return "" if is_vietnamese(text) else surely(text) or language_of_question(text)


def is_personal(message: str, answer: str, code: str) -> bool:
    """Say whether a message speaks of its writer, or an answer of whoever asks: a letter, a text in the first person.

    Texts about anything say "we" now and then.
    """
    if any(_first_persons(message, code)):
        return True
    if is_letter(answer):
        return True
    text = _QUOTED.sub(" ", answer)
    own = code_of(text) or code
    singular, _ = _first_persons(text, own, has_i=own in {"", ENGLISH})
    if singular:
        return True
    found = [text[start:end] for start, end in sentence_spans(text)]
    shared = sum(_first_persons(each, own, has_i=False)[1] for each in found)
    return shared > 0 and shared >= _OWN_SHARE * len(found)


def _first_persons(text: str, code: str, *, has_i: bool = True) -> tuple[bool, bool]:
    """Say whether a text has a first person of its own, and whether it has one that others share: "we".

    In its language or in English; `has_i` says whether a capital I may be one.
    """
    text = _QUOTED.sub(" ", text)
    if is_vietnamese(text):  # without their marks its words are those of other languages
        lowered = text.lower()
        shared = as_written(WordList.WE, "vi")
        is_shared = any(phrase in lowered for phrase in shared)
        written = {match.group() for match in _WORD.finditer(_without_each(lowered, shared))}
        return not written.isdisjoint(as_written(WordList.FIRST_PERSON, "vi")), is_shared
    is_english = has_i and surely(text) not in _OTHER_I
    is_own = is_english and not all(map(_is_numeral, _ENGLISH_I.finditer(text)))
    is_shared = False
    for each in {code, ENGLISH}:
        found = words(text)
        is_shared |= has_listed(WordList.WE, each, text, found)
        if each in BIGRAMS:
            rest = _without_each(text, as_written(WordList.WE, each))
            is_own |= has_listed(WordList.FIRST_PERSON, each, rest, found)
        else:
            own = listed(WordList.FIRST_PERSON, each) - listed(WordList.WE, each)
            is_own |= not own.isdisjoint(found)
    return is_own, is_shared


def _without_each(text: str, phrases: tuple[str, ...]) -> str:
    for phrase in phrases:
        text = text.replace(phrase, " ")
    return text


def _is_numeral(match: re.Match[str]) -> bool:
    """Say whether an I is a number: "World War I", "Elizabeth I", "grade I"."""
    before = match[1] or ""
    named = before[:1].isupper() and before.lower() not in STOP_WORDS
    return named or before.lower() in _COUNTED
