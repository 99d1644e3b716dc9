"""How a word sounds, whatever script it is written in: its consonants, and its letters in Latin.

A name keeps its consonants where it is written in another script; vowels come and go. `anyascii` knows how
the characters of all scripts are read.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from anyascii import anyascii

from askance.languages.scripts import ARABIC, HAN, HEBREW

_UNVOWELLED = re.compile(f"[{ARABIC}{HEBREW}]")
_HAN = re.compile(f"[{HAN}]")
_SYLLABLE = re.compile(r"[A-Z][a-z]*")
_VOWELS = re.compile("[aeiouyh'’-]")
_TWICE = re.compile(r"(.)\1+")
_SEMIVOWELS = re.compile("[wy]")

# Letters that one language writes where another writes the other.
_ONE_SOUND = str.maketrans("bdgqcvwzj", "ptkkkffss")
_HISSES = (
    ("tsch", "s"), ("dsch", "s"), ("sch", "s"), ("tch", "s"), ("dzh", "s"), ("sh", "s"), ("ch", "s"),
    ("zh", "s"),
)  # fmt: skip
_READ_ALIKE = (
    ("ph", "f"), ("th", "t"), ("gh", "k"), ("kh", "k"), ("ck", "k"), ("ce", "s"), ("ci", "s"),
    ("cy", "s"), ("ge", "s"), ("gi", "s"), ("x", "ks"),
)  # fmt: skip
_HARD = (("ph", "f"), ("x", "ks"), ("ch", "k"))
_ARABIC_SOFT = (("sh", "s"), ("kh", "k"), ("th", "t"), ("gh", "k"))
_ARABIC_HARD = (("j", "g"), ("th", "s"), ("sh", "s"))
_PINYIN = (("zh", "s"), ("ch", "s"), ("sh", "s"), ("x", "s"), ("q", "s"), ("j", "s"), ("r", "l"))
_SHORTEST = 2
_SEMIVOWELS_OR_V = re.compile("[wyv]")


class Script(StrEnum):
    """What a word's letters tell of its sound."""

    LATIN = "latin"
    UNVOWELLED = "unvowelled"
    HAN = "han"
    OTHER = "other"


def script_of(word: str) -> Script:
    """Return what kind of script a word is written in."""
    if word.isascii():
        return Script.LATIN
    if _UNVOWELLED.search(word):
        return Script.UNVOWELLED
    if _HAN.search(word):
        return Script.HAN
    return (
        Script.LATIN
        if any("a" <= c <= "z" or "\u00c0" <= c <= "\u024f" for c in word)
        else Script.OTHER
    )


@lru_cache(maxsize=65_536)
def romanised(word: str) -> str:
    """Return a word in small Latin letters."""
    return word if word.isascii() else anyascii(word).lower()


def syllables(run: str) -> list[str]:
    """Return the syllables of Chinese characters, in small Latin letters."""
    return [syllable.lower() for syllable in _SYLLABLE.findall(anyascii(run))]


@lru_cache(maxsize=65_536)
def sounds(roman: str, script: Script) -> frozenset[str]:
    """Return the consonants of a word as they may be heard, in one way or in two.

    `roman` are its Latin letters (`romanised`), `script` is the one that it was written in.
    """
    match script:
        case Script.LATIN:
            ways = [_replaced(roman, _HISSES + _READ_ALIKE), _replaced(roman, _HARD)]
        case Script.UNVOWELLED:
            first = roman[:1] if roman[:1] == "w" else ""
            rest = first + _SEMIVOWELS.sub("", roman[len(first) :])
            bare = first + _SEMIVOWELS_OR_V.sub("", roman[len(first) :])
            ways = [_replaced(rest, _ARABIC_SOFT), _replaced(rest, _ARABIC_HARD), bare]
        case Script.HAN:
            said = _replaced(roman, _PINYIN)
            ways = [said, said.replace("ng", "n")]
        case Script.OTHER:
            ways = [_replaced(roman, _HISSES + _READ_ALIKE[:3])]
    heard = (_TWICE.sub(r"\1", _VOWELS.sub("", way.translate(_ONE_SOUND))) for way in ways)
    return frozenset(sound for sound in heard if len(sound) >= _SHORTEST)


@lru_cache(maxsize=65_536)
def as_heard(roman: str) -> str:
    """Return a word's Latin letters without differences of spelling alone: `moskof` of `moscow`."""
    return roman.translate(_ONE_SOUND).replace("y", "i")


def _replaced(word: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for found, instead in pairs:
        word = word.replace(found, instead)
    return word
