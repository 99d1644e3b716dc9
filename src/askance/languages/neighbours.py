"""What languages do not have that their neighbours have: letters and words that count against them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

# Each letter or word that a language does not have makes it so much less likely; a name brings one in.
_LESS_LIKELY = 0.3
_MOST_COUNTED = 3
# Languages that are seldom written, and that the model hears in short texts of their neighbours, count for half;
# where a text may be Danish or Norwegian it hears Norwegian more often (docs/bench/questions.md).
_SHARES = dict.fromkeys(("an", "ext", "gcf", "lij", "ltg", "se", "vec", "wa"), 0.5) | {
    "nb": 0.93,
    "gl": 1.2,
}


@dataclass(frozen=True, slots=True)
class _Foreign:
    """What a language does not have. Of `doubtful` words it has some: two count as one."""

    letters: frozenset[str]
    words: frozenset[str]
    doubtful: frozenset[str]
    endings: tuple[str, ...]


def foreign_to(letters: frozenset[str], words: frozenset[str]) -> dict[str, int]:
    """Return how many of these letters and words, in small letters, a language does not have; of those with any."""
    found = {
        code: len(letters & known.letters)
        + len(words & known.doubtful) // 2
        + sum(word in known.words or word.endswith(known.endings) for word in words)
        for code, known in _foreign().items()
    }
    return {code: count for code, count in found.items() if count}


def reweighed(likely: Mapping[str, float], foreign: Mapping[str, int]) -> dict[str, float]:
    """Return how likely a text is in each language, given what in it is foreign to them (`foreign_to`)."""
    return {
        code: share
        * _SHARES.get(code, 1.0)
        * _LESS_LIKELY ** min(foreign.get(code, 0), _MOST_COUNTED)
        for code, share in likely.items()
    }


@cache
def _foreign() -> dict[str, _Foreign]:
    file = Path(__file__).with_name("neighbours.json")
    data: dict[str, dict[str, str]] = json.loads(file.read_text(encoding="utf-8"))
    return {
        code: _Foreign(
            frozenset(known.get("letters", "")),
            frozenset(known.get("words", "").split()),
            frozenset(known.get("doubtful", "").split()),
            # No word ends in a line break.
            tuple(known.get("endings", "\n").split(" ")),
        )
        for code, known in data.items()
    }
