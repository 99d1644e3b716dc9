"""What tells that a text is about the one who writes it, that a question refers to a thing or a place, and what
words are delicate or nobody's.

Words stand in `personal.json` by language, under "" those of languages that are not recognised. Datives of
requests ("tell me", "erzähl mir") say nothing, and are not listed as first persons.
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import cast

from askance.text.languages.language import BIGRAMS, ENGLISH
from askance.text.languages.scripts import fold


class WordList(StrEnum):
    """Lists of words: their keys in `personal.json`."""

    FIRST_PERSON = "first_person"
    """First persons that own or do something; relatives, where the owner is an ending of theirs."""
    WE = "we"
    """Those of them that texts about anything have, too: plural ones, and what is also another word."""
    THINGS = "things"
    """What refers to a thing or a place, and never to a person."""
    PERSONS = "persons"
    """What refers to a person, or asks who."""
    ASKING = "asking"
    """What asks, wherever it stands: of languages where that is not at the beginning."""
    COMMON = "common"
    """What stands in questions and in the names of places and offices of all kinds."""
    GIVEN_NAMES = "given_names"
    """Given names that very many people have, of all languages: without a surname they tell nobody apart."""
    COUNTRIES = "countries"
    """Names of countries and of their people: they tell nobody apart."""


_VIETNAMESE = re.compile("[\u1ea0-\u1ef9\u01a0\u01a1\u01af\u01b0\u0110\u0111]")
# A word of Thai that has the one for "I" in it.
_UNANIMOUS = "ฉันท"
_SAMPLE, _ONE_IN = 1_000, 20
# Illnesses have these endings in all languages that write them in Latin letters.
_ILLNESS = re.compile(r"\w{2,40}(?:itis|osis|emia|aemia|pathy|ectomy|plegia|algia|phobia)")


def listed(kind: WordList, code: str) -> frozenset[str]:
    """Return the words of a list in a language, folded."""
    return _listed(kind.value, code)


@cache
def as_written(kind: WordList, code: str) -> tuple[str, ...]:
    """Return the words of a list in a language as they are written, the longest first."""
    found = cast("dict[str, str]", _read()[kind.value]).get(code, "").split()
    return tuple(word.replace("_", " ") for word in sorted(found, key=lambda w: (-len(w), w)))


def has_listed(kind: WordList, code: str, text: str, words: list[str]) -> bool:
    """Say whether a text has a word of a list; `words` are those of the text, folded."""
    if code in BIGRAMS:  # accents are taken for vowel signs there
        return any(word in text.replace(_UNANIMOUS, "") for word in as_written(kind, code))
    return not listed(kind, code).isdisjoint(words)


def is_delicate(word: str, code: str) -> bool:
    """Say whether a word is of health, love, debts or courts, in a language or in English. It is folded."""
    if code in BIGRAMS:
        return any(stem in word for stem in _delicate(code))
    found = word.startswith((*_delicate(code), *_delicate(ENGLISH)))
    return found or _ILLNESS.fullmatch(word) is not None


def is_vietnamese(text: str) -> bool:
    """Say whether a text is in Vietnamese: its syllables stand apart, and are told by their marks alone."""
    sample = text[:_SAMPLE]
    return _ONE_IN * len(_VIETNAMESE.findall(sample)) > sum(map(str.isalpha, sample)) > 0


def is_idle_syllable(syllable: str) -> bool:
    """Say whether a Vietnamese syllable, in small letters with its marks, is a function word."""
    return syllable in _idle_syllables()


@cache
def _read() -> dict[str, dict[str, str] | str]:
    file = Path(__file__).with_name("personal.json")
    return json.loads(file.read_text(encoding="utf-8"))


@cache
def _listed(kind: str, code: str) -> frozenset[str]:
    by_code = cast("dict[str, str]", _read()[kind])
    return _folded(by_code.get(code, by_code.get("", "")))


def _folded(words: str) -> frozenset[str]:
    return frozenset(fold(word.replace("_", " ")).strip() for word in words.split())


@cache
def _delicate(code: str) -> tuple[str, ...]:
    by_code = cast("dict[str, str]", _read()["sensitive"])
    return tuple(sorted(_folded(by_code.get(code, ""))))


@cache
def _idle_syllables() -> frozenset[str]:
    return frozenset(cast("str", _read()["vietnamese"]).split())
