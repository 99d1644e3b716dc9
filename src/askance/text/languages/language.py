"""A language as the program knows it, and its lists of words that tell what a text is about.

What is known of each language stands in `data`, read when it is asked for. Lists that tell that a text is about the
one who writes it, that a question refers to a thing or a place, and what words are delicate or nobody's stand in
`personal.json` by language, under "" those of languages that are not recognised.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, cast

import Stemmer

from askance.text.languages.scripts import fold, plain_digits

ENGLISH = "en"
AS_ENGLISH = frozenset({"", ENGLISH})
"""What is not recognised is read as English is."""
CODES = (
    "en", "de", "fr", "es", "it", "pt", "nl", "pl", "cs", "sv", "da", "nb", "fi", "ro", "hu", "tr",
    "ru", "uk", "el", "ar", "fa", "he", "hi", "zh", "ja", "ko", "th",
)  # fmt: skip
BIGRAMS = frozenset({"zh", "ja", "ko", "th"})
"""Languages whose texts are compared by pairs of characters. Their words are never folded."""
_SHORTEST_STEM = 3
"""What is left of a word without its endings has so many letters at least."""
_WRITTEN_TWICE = {
    "ro": str.maketrans("şţŞŢ", "șțȘȚ"),
    "tr": str.maketrans("\u0130I", "i\u0131"),
    # Hamza over and below alef, and the two dots of yeh, are left out by most who type.
    "ar": str.maketrans(
        "\u0623\u0625\u0622\u0671\u0649", "\u0627\u0627\u0627\u0627\u064a", "\u0640"
    ),
}
"""Letters that have two forms in a language, which its stemmer knows one of."""
_HEH, _TEH_MARBUTA = "\u0647", "\u0629"
"""At the end of an Arabic word one is written for the other."""
# "And" or "so" before the article, which Snowball takes off where it stands first.
_AND_THE = re.compile("^[\u0648\u0641](?=\u0627\u0644..)")
_APOSTROPHES = "'’\u02bc"


class Capitals(StrEnum):
    """What a capital letter inside a sentence says of its word."""

    NAMES = "names"
    NOUNS = "nouns"
    NOTHING = "none"


@dataclass(frozen=True, slots=True)
class Language:
    """What is known of a language. Words in sets are folded (`scripts.fold`).

    `stop_words` are its function words, `question_words` what a question begins with, `name_joins` the
    small words inside of names, `determiners` stand before common nouns, `common_nouns` are capitalised words that name nobody. `both`, `either` and
    `than` are how names are set side by side. `negations` are the words that deny, as they are written, `excluding`
    words and phrases before what is not wanted ("without", "but not"), and `negating_endings` the ends of words that do; `affirmed` are phrases that only look like it: "not only"; `pronouns` refer back to something, and words of `going_on` go on from it ("there", "the same"), as questions do that begin with `beginnings`, beside "and" and "or"; `roughly` are the words
    before a number that is not exact, `fresh` are words and phrases that ask for the present state of things, `today` those for this day; `lasting` are phrases with such a word
    that do not: "cable news". `changing` are words for what is seldom the same for years ("president-", "record": with a
    hyphen they are beginnings), and behind them those by which a question asks for what was.

    `abbreviations` end in a point that ends no sentence; those of `closing` may also end one.
    `ordinal_point` says that a point makes a number an ordinal: `am 3. Mai`. `decimal` is the mark
    before a fraction; `numbers` are number words, `scales` the words that multiply, `months` the forms
    of the twelve months' names. `not_found` are the phrases of an answer that is none (`sentences`).
    `words`, `letters` and `tails` tell the language from its neighbours (`recognition`).
    """

    code: str
    name: str
    capitals: Capitals
    stop_words: frozenset[str]
    question_words: frozenset[str]
    name_joins: frozenset[str]
    determiners: frozenset[str]
    common_nouns: frozenset[str]
    both: frozenset[str]
    either: frozenset[str]
    than: frozenset[str]
    negations: tuple[str, ...]
    excluding: tuple[str, ...]
    negating_endings: tuple[str, ...]
    affirmed: tuple[str, ...]
    pronouns: frozenset[str]
    going_on: frozenset[str]
    beginnings: frozenset[str]
    roughly: frozenset[str]
    fresh: tuple[str, ...]
    today: tuple[str, ...]
    lasting: tuple[str, ...]
    changing: tuple[str, ...]
    abbreviations: frozenset[str]
    closing: frozenset[str]
    ordinal_point: bool
    decimal: str
    numbers: Mapping[str, int]
    scales: Mapping[str, float]
    months: tuple[tuple[str, ...], ...]
    not_found: tuple[str, ...]
    letters: tuple[str, ...]
    tails: tuple[str, ...]
    words: tuple[str, ...]
    _algorithm: str
    _elisions: frozenset[str]
    _has_suffixes: bool
    _prefixes: tuple[str, ...]
    _endings: tuple[str, ...]

    def stem(self, word: str) -> str:
        """Return the stem of a word, folded. Accents count: they are taken off behind the endings.

        An English word is folded already.
        """
        if self.code == ENGLISH:
            return _stemmer(self._algorithm).stemWord(word)
        # Composed, and with its accents: Snowball's rules are written for letters such as `é` and
        # `ä`.
        composed = unicodedata.normalize("NFKC", word.translate(_WRITTEN_TWICE.get(self.code, {})))
        lowered = composed.casefold()
        if self.code == "ar":
            lowered = _AND_THE.sub("", lowered)
            if lowered.endswith(_HEH):
                lowered = lowered.removesuffix(_HEH) + _TEH_MARBUTA
        # Ukrainian and Hebrew have no algorithm of Snowball's: short lists of endings do (decision
        # 27).
        if self._algorithm:
            stemmed = _stemmer(self._algorithm).stemWord(lowered)
        else:
            stemmed = self._without_endings(lowered)
        return plain_digits(fold(stemmed or lowered))

    def bare(self, word: str) -> str:
        """Return a word without what an apostrophe ties to it: `eau` of `l'eau`, `Ankara` of `Ankara'da`."""
        # Typed, typeset, and the modifier letter that Ukrainian and others write.
        for mark in _APOSTROPHES:
            before, found, after = word.partition(mark)
            if not found:
                continue
            if self._has_suffixes and before:
                return before
            if after and fold(before) in self._elisions:
                return after
        return word

    def _without_endings(self, word: str) -> str:
        # Several in a row: Hebrew ties `and`, `from` and `the` to one word.
        while len(word) > _SHORTEST_STEM and word.startswith(self._prefixes):
            word = word[1:]
        # The longest ending that fits is taken off: they were sorted by that as they were read.
        for ending in self._endings:
            if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
                return word.removesuffix(ending)
        return word


def read_table(name: str) -> Any:
    """Return what a file of JSON beside this module holds."""
    return json.loads(Path(__file__).parent.joinpath(name).read_text(encoding="utf-8"))


def language(code: str) -> Language:
    """Return what is known of a language by its ISO 639-1 code; of one that is not known, English."""
    return _read(code if code in CODES else ENGLISH)


# Unbounded, there are only so many: who goes through all of them would push out the first again and again.
@cache
def _read(code: str) -> Language:
    data: dict[str, Any] = read_table(f"data/{code}.json")

    def listed(key: str) -> tuple[str, ...]:
        return tuple(str(data.get(key, "")).split())

    def folded(key: str) -> frozenset[str]:
        # All words at once: one by one they take four times as long.
        written = str(data.get(key, ""))
        return frozenset((written if code in BIGRAMS else fold(written)).split())

    def phrases(key: str) -> tuple[str, ...]:
        return tuple(filter(None, str(data.get(key, "")).split(" | ")))

    # What tells a language from its neighbours: its own function words, and hints that are none.
    reporter, elisions = listed("stop") + listed("hints") + listed("questions"), folded("elisions")
    return Language(
        code=code,
        name=data["name"],
        capitals=Capitals(data["capitals"]),
        stop_words=folded("stop"),
        question_words=folded("questions"),
        name_joins=folded("joins"),
        determiners=folded("determiners"),
        common_nouns=folded("common"),
        both=folded("and"),
        either=folded("or"),
        than=folded("than"),
        negations=listed("negations"),
        excluding=tuple(word.replace("_", " ") for word in listed("excluding")),
        negating_endings=listed("negating_endings"),
        affirmed=phrases("affirmed"),
        pronouns=folded("pronouns"),
        going_on=folded("going_on"),
        beginnings=folded("beginnings"),
        roughly=folded("roughly"),
        fresh=phrases("fresh"),
        today=phrases("today"),
        lasting=phrases("lasting"),
        changing=phrases("changing"),
        abbreviations=folded("abbreviations") | folded("closing"),
        closing=folded("closing"),
        ordinal_point=bool(data.get("dot_makes_ordinal")),
        decimal=data["decimal"],
        numbers=data.get("numbers", {}),
        scales=data.get("scales", {}),
        months=tuple(tuple(forms.split(" | ")) for forms in data["months"]),
        not_found=tuple(data["not_found"]),
        letters=listed("letters"),
        tails=listed("tails"),
        words=tuple(w.casefold() for w in reporter if len(w) > 1 or w not in elisions),
        _algorithm=data.get("stemmer", ""),
        _elisions=elisions,
        _has_suffixes=bool(data.get("apostrophe_begins_suffix")),
        _prefixes=listed("prefixes"),
        _endings=tuple(sorted(listed("endings"), key=lambda ending: -len(ending))),
    )


def languages(codes: Iterable[str] = CODES) -> list[Language]:
    """Return what is known of several languages, of all if none are named."""
    return [language(code) for code in codes]


@cache
def _stemmer(algorithm: str) -> Stemmer.Stemmer:
    # Without its own cache, which nothing empties: the terms of a text are cached already.
    return Stemmer.Stemmer(algorithm, 0)


# Datives of requests ("tell me", "erzähl mir") say nothing of a person, and are not listed as first
# persons.


class WordList(StrEnum):
    """Lists of words: their keys in `personal.json`."""

    FIRST_PERSON = "first_person"
    """First persons that own or do something; relatives, where the owner is an ending of theirs."""
    OWN = "own"
    """What people say who tell of their own and ask: first persons in all their forms, and the commonest verbs in it."""
    STRESSED = "stressed"
    """What people write in capitals beside function words, for stress or as a short form in chats, of all languages."""
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


@cache
def listed(kind: WordList, code: str) -> frozenset[str]:
    """Return the words of a list in a language, folded."""
    # A language without a list has the words of those that are not recognised.
    by_code = cast("dict[str, str]", _read_lists()[kind])
    return _folded(by_code.get(code, by_code.get("", "")))


@cache
def as_written(kind: WordList, code: str) -> tuple[str, ...]:
    """Return the words of a list in a language as they are written, the longest first."""
    found = cast("dict[str, str]", _read_lists()[kind.value]).get(code, "").split()
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
    # By beginnings: the lists hold stems, since endings of such words are many.
    found = word.startswith((*_delicate(code), *_delicate(ENGLISH)))
    return found or _ILLNESS.fullmatch(word) is not None


def is_vietnamese(text: str) -> bool:
    """Say whether a text is in Vietnamese: its syllables stand apart, and are told by their marks alone."""
    # A part of the letters, and not one: a Vietnamese name stands in texts of every language.
    sample = text[:_SAMPLE]
    # Greater than 0 beside that: a text of digits has no letters, and no language.
    return _ONE_IN * len(_VIETNAMESE.findall(sample)) > sum(map(str.isalpha, sample)) > 0


def is_idle_syllable(syllable: str) -> bool:
    """Say whether a Vietnamese syllable, in small letters with its marks, is a function word."""
    return syllable in _idle_syllables()


@cache
def _read_lists() -> dict[str, dict[str, str] | str]:
    return read_table("personal.json")


def _folded(words: str) -> frozenset[str]:
    return frozenset(fold(word.replace("_", " ")).strip() for word in words.split())


@cache
def _delicate(code: str) -> tuple[str, ...]:
    by_code = cast("dict[str, str]", _read_lists()["sensitive"])
    return tuple(sorted(_folded(by_code.get(code, ""))))


@cache
def _idle_syllables() -> frozenset[str]:
    return frozenset(cast("str", _read_lists()["vietnamese"]).split())
