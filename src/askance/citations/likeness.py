"""How sure it is that a word of one language and a word of another are one: by their letters and their sound."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from askance.languages.sounds import Script, as_heard, sounds

# How sure it is that two words are one: the same letters, a name's sound, a name's short sound, a cognate.
SAME, _NAME, _SHORT_NAME, COGNATE = 1.0, 0.9, 0.6, 0.5
_HAN_SHARE = 0.7
"""Chinese syllables fit many names."""
# How alike two words must be, letter by letter, whose consonants agree (difflib's ratio).
_ALIKE_LATIN, _ALIKE_FOREIGN, _ALIKE_COGNATES, _ALIKE_HAN = 0.8, 0.7, 0.75, 0.6
_SHORTEST_SOUND, _SHORTEST_COGNATE = 3, 4
_TWICE = re.compile(r"(.)\1+")
_SHORTEST_UNVOWELLED, _SHORTEST_NEAR_UNVOWELLED = 4, 6


@dataclass(slots=True)
class KnownWord:
    """A word of the sources: where it stands, and whether it may be a name."""

    roman: str
    script: Script
    places: set[int]
    titles: set[int]
    is_name: bool = False


def likeness(roman: str, script: Script, own: Iterable[str], other: KnownWord) -> float:
    """Return how sure it is that two words are one, 0 to 1. Their consonants agree, up to one."""
    theirs = sounds(other.roman, other.script)
    agreeing = max((len(sound) for sound in own if sound in theirs), default=0)
    longest = max((len(sound) for sound in theirs), default=0)
    if Script.UNVOWELLED in {script, other.script}:
        is_one = agreeing >= _SHORTEST_UNVOWELLED or longest >= _SHORTEST_NEAR_UNVOWELLED
        return _NAME if other.is_name and is_one else 0.0
    is_latin = script is Script.LATIN and other.script is Script.LATIN
    alike = _ratio(roman, other.roman)
    if not is_latin:
        alike = max(alike, _ratio(as_heard(roman), as_heard(other.roman)))
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
