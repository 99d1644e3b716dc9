"""How words sound, written in any script, and whether two of them are one word."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from functools import lru_cache

from anyascii import anyascii

from askance.text.languages.scripts import ARABIC, HAN, HEBREW

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


class SoundScript(StrEnum):
    """What a word's letters tell of its sound."""

    LATIN = "latin"
    UNVOWELLED = "unvowelled"
    HAN = "han"
    OTHER = "other"


def script_of(word: str) -> SoundScript:
    """Return what kind of script a word is written in."""
    if word.isascii():
        return SoundScript.LATIN
    if _UNVOWELLED.search(word):
        return SoundScript.UNVOWELLED
    if _HAN.search(word):
        return SoundScript.HAN
    return (
        SoundScript.LATIN
        if any("a" <= c <= "z" or "\u00c0" <= c <= "\u024f" for c in word)
        else SoundScript.OTHER
    )


@lru_cache(maxsize=65_536)
def romanised(word: str) -> str:
    """Return a word in small Latin letters."""
    return word if word.isascii() else anyascii(word).lower()


def syllables(run: str) -> list[str]:
    """Return the syllables of Chinese characters, in small Latin letters."""
    return [syllable.lower() for syllable in _SYLLABLE.findall(anyascii(run))]


@lru_cache(maxsize=65_536)
def sounds(roman: str, script: SoundScript) -> frozenset[str]:
    """Return the consonants of a word as they may sound, in one way or in two.

    `roman` are its Latin letters (`romanised`), `script` is the one that it was written in.
    """
    match script:
        case SoundScript.LATIN:
            ways = [_replaced(roman, _HISSES + _READ_ALIKE), _replaced(roman, _HARD)]
        case SoundScript.UNVOWELLED:
            first = roman[:1] if roman[:1] == "w" else ""
            rest = first + _SEMIVOWELS.sub("", roman[len(first) :])
            bare = first + _SEMIVOWELS_OR_V.sub("", roman[len(first) :])
            ways = [_replaced(rest, _ARABIC_SOFT), _replaced(rest, _ARABIC_HARD), bare]
        case SoundScript.HAN:
            syllables = _replaced(roman, _PINYIN)
            ways = [syllables, syllables.replace("ng", "n")]
        case SoundScript.OTHER:
            ways = [_replaced(roman, _HISSES + _READ_ALIKE[:3])]
    keys = (_TWICE.sub(r"\1", _VOWELS.sub("", way.translate(_ONE_SOUND))) for way in ways)
    return frozenset(sound for sound in keys if len(sound) >= _SHORTEST)


@lru_cache(maxsize=65_536)
def phonetic_key(roman: str) -> str:
    """Return a word's Latin letters without differences of spelling alone: `moskof` of `moscow`."""
    return roman.translate(_ONE_SOUND).replace("y", "i")


def _replaced(word: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for found, instead in pairs:
        word = word.replace(found, instead)
    return word


# How sure it is that two words are one: the same letters, a name's sound, a name's short sound, a cognate.
SAME, _NAME, _SHORT_NAME, COGNATE = 1.0, 0.9, 0.6, 0.5
_HAN_SHARE = 0.7
"""Chinese syllables fit many names."""
# How alike two words must be, letter by letter, whose consonants agree (difflib's ratio).
_ALIKE_LATIN, _ALIKE_FOREIGN, _ALIKE_COGNATES, _ALIKE_HAN = 0.8, 0.7, 0.75, 0.6
_SHORTEST_SOUND, _SHORTEST_COGNATE = 3, 4
_SHORTEST_UNVOWELLED, _SHORTEST_NEAR_UNVOWELLED = 4, 6


@dataclass(slots=True)
class KnownWord:
    """A word of the sources: where it stands, and whether it may be a name."""

    roman: str
    script: SoundScript
    places: set[int]
    titles: set[int]
    is_name: bool = False


def likeness(roman: str, script: SoundScript, own: Iterable[str], other: KnownWord) -> float:
    """Return how sure it is that two words are one, 0 to 1. Their consonants agree, up to one."""
    theirs = sounds(other.roman, other.script)
    agreeing = max((len(sound) for sound in own if sound in theirs), default=0)
    longest = max((len(sound) for sound in theirs), default=0)
    if SoundScript.UNVOWELLED in {script, other.script}:
        is_one = agreeing >= _SHORTEST_UNVOWELLED or longest >= _SHORTEST_NEAR_UNVOWELLED
        return _NAME if other.is_name and is_one else 0.0
    is_latin = script is SoundScript.LATIN and other.script is SoundScript.LATIN
    alike = _ratio(roman, other.roman)
    if not is_latin:
        alike = max(alike, _ratio(phonetic_key(roman), phonetic_key(other.roman)))
    if other.is_name and spelling(roman) == spelling(other.roman):
        return _NAME
    enough = _ALIKE_LATIN if is_latin else _ALIKE_FOREIGN
    if other.is_name and longest >= _SHORTEST_SOUND and alike >= enough:
        return _NAME if longest > _SHORTEST_SOUND else _SHORT_NAME
    is_cognate = agreeing >= _SHORTEST_COGNATE and alike >= _ALIKE_COGNATES
    return COGNATE if is_cognate else 0.0


def han_likeness(roman: str, sound: str, other: KnownWord) -> float:
    """Return how sure it is that Chinese syllables are a name of the sources, 0 to 1."""
    if not other.is_name or sound not in sounds(other.roman, other.script):
        return 0.0
    if len(sound) > _SHORTEST_SOUND:
        return _HAN_SHARE * _NAME
    is_one = len(sound) == _SHORTEST_SOUND and _ratio(roman, other.roman) >= _ALIKE_HAN
    return _HAN_SHARE * _SHORT_NAME if is_one else 0.0


@lru_cache(maxsize=65_536)
def _ratio(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def spelling(roman: str) -> str:
    """Return what words have in common that are spelled alike in two scripts, however short they are."""
    return "=" + _TWICE.sub(r"\1", roman)


def near(sound: str) -> set[str]:
    """A sound, and those that it is without one of its consonants, if it is long enough to spare one."""
    if len(sound) < _SHORTEST_SOUND:
        return set()
    if len(sound) == _SHORTEST_SOUND:
        return {sound}
    return {sound, *(sound[:i] + sound[i + 1 :] for i in range(len(sound)))}
