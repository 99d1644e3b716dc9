"""What languages do not have that their neighbours have: letters and words that count against them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from askance.text.languages.language import CODES

# Each letter or word that a language does not have makes it so much less likely; a name brings one in.
_LESS_LIKELY = 0.3
_MOST_COUNTED = 3
# Languages that are seldom written, and that the model hears in short texts of their neighbours, count for less;
# where a text may be Danish or Norwegian it hears Norwegian more often (docs/bench/questions.md).
_SHARES = (
    dict.fromkeys(("gcf", "lij", "ltg", "se", "vec", "wa"), 0.5)
    | dict.fromkeys(("an", "ext"), 0.3)
    | {"nb": 0.78, "gl": 1.3}
)


@dataclass(frozen=True, slots=True)
class _Foreign:
    """What a language does not have. Of `doubtful` words it has some: two count as one."""

    letters: frozenset[str]
    words: frozenset[str]
    doubtful: frozenset[str]
    endings: tuple[str, ...]
    spelling: re.Pattern[str] | None

    def count(self, letters: frozenset[str], words: frozenset[str]) -> int:
        return (
            len(letters & self.letters)
            + len(words & self.doubtful) // 2
            + sum(map(self._is_foreign, words))
        )

    def _is_foreign(self, word: str) -> bool:
        if word in self.words or word.endswith(self.endings):
            return True
        return self.spelling is not None and self.spelling.search(word) is not None


def foreign_to(
    letters: frozenset[str], words: frozenset[str], codes: Iterable[str]
) -> dict[str, int]:
    """Return how many of these letters and words, in small letters, each of some languages does not have; if any."""
    known = _foreign()
    found = {code: known[code].count(letters, words) for code in codes if code in known}
    return {code: count for code, count in found.items() if count}


def reweighed(likely: Mapping[str, float], foreign: Mapping[str, int]) -> dict[str, float]:
    """Return how likely a text is in each language, given what in it is foreign to them (`foreign_to`).

    What an unknown language loses the others gain; what a known one loses may be of one that nobody knows.
    """
    weighed = {
        code: share
        * _SHARES.get(code, 1.0)
        * _LESS_LIKELY ** min(foreign.get(code, 0), _MOST_COUNTED)
        for code, share in likely.items()
    }
    lost = sum(likely[code] - share for code, share in weighed.items() if code not in CODES)
    whole = sum(likely.values())
    gain = whole / (whole - lost) if 0 < lost < whole else 1.0
    return {code: share * gain for code, share in weighed.items()}


@cache
def _foreign() -> dict[str, _Foreign]:
    file = Path(__file__).with_name("neighbours.json")
    data: dict[str, dict[str, str]] = json.loads(file.read_text(encoding="utf-8"))
    return {code: _read(known) for code, known in data.items()}


def _read(known: Mapping[str, str]) -> _Foreign:
    patterns = known.get("patterns", "").split()
    return _Foreign(
        frozenset(known.get("letters", "")),
        frozenset(known.get("words", "").split()),
        frozenset(known.get("doubtful", "").split()),
        # No word ends in a line break.
        tuple(known.get("endings", "\n").split(" ")),
        re.compile("|".join(patterns)) if patterns else None,
    )
