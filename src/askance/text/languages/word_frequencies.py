"""How frequent words are in languages that are close to one another: tells them apart where letters do not."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

# Below this share the model sees no language of a group in a text.
_LEAST_MASS = 0.01
# What `bench/questions.py` chose on one half of its sentences and questions: how much words say beside the
# model, whose letters are of the same words, and how much at most.
_WEIGHT = 0.25
_MOST = 5.0
_MOST_OF_WORD = 5
# Of a language that the model does not know, so much of what it gives to the group, beside the known one that it is
# taken for: where each word may be of that one, and where one is not.
_UNKNOWN_TO_MODEL = {"ast": ("es", 0.05, 0.4)}
# So many steps rarer a word is not of the language.
_FOREIGN_STEPS = 7
# More of the texts that are right in both are in the first.
_FAVOURED = {"cs": 0.5}
# The forms of a language that words are counted in one by one.
_FORMS = {"nn": "nb"}

# What stands before and behind the words of a text, in the table of pairs.
TEXT_STARTS, TEXT_ENDS, QUESTION_ENDS = "^", "$", "?"
# What a step of the table of pairs says beside the frequencies of the words, as a natural logarithm.
_PAIR_WEIGHT = 0.14

_Words = dict[str, tuple[int, ...]]


def reapportioned(
    received: Mapping[str, float],
    likely: Mapping[str, float],
    words: Iterable[str],
    foreign: Mapping[str, int],
) -> dict[str, float]:
    """Return how likely a text is in each language, given how frequent its words are in those of each group.

    Languages of a group keep together what the model gave to them (`received`): that a text is in one of
    them the model knows well, but not in which. Each gets a part by what it is thought to be (`likely`), and
    by its words. `foreign` is how much in the text each language does not have (`neighbours.foreign_to`).
    """
    found = dict(likely)
    counted = Counter(words)
    for group in _groups():
        codes = {_FORMS.get(code, code) for code in group.split()}
        mass = sum(received.get(code, 0.0) for code in codes)
        if mass < _LEAST_MASS:
            continue
        rarer = _rarer(group, counted)
        parts = {
            code: (likely.get(code, 0.0) + _share_unknown(code, group, counted, foreign) * mass)
            * math.exp(_FAVOURED.get(code, 0.0) - min(_WEIGHT * rarer[code], _MOST))
            for code in sorted(codes)
        }
        if whole := sum(parts.values()):
            found |= {code: mass * part / whole for code, part in parts.items()}
    return found


def _share_unknown(code: str, group: str, words: Counter[str], foreign: Mapping[str, int]) -> float:
    """Return how much of what the model gives to a group may be a language's that the model does not know."""
    if code not in _UNKNOWN_TO_MODEL:
        return 0.0
    known, least, most = _UNKNOWN_TO_MODEL[code]
    own, other = (group.split().index(each) for each in (code, known))
    table = _words(group)
    is_foreign = foreign.get(known, 0) > 0 or any(
        table[word][other] - table[word][own] >= _FOREIGN_STEPS
        for word in words.keys() & table.keys()
    )
    return most if is_foreign else least


def norwegian_by_pairs(words: Sequence[str]) -> float:
    """Return how much likelier a question is Norwegian than Danish by which word follows which, as a natural logarithm.

    "Når starter det?" has words of both, but a Dane begins such a question with "Hvornår".
    """
    known = _pairs()
    steps = sum(known.get(f"{a} {b}", 0) for a, b in pairwise([TEXT_STARTS, *words, QUESTION_ENDS]))
    return _PAIR_WEIGHT * steps


def _rarer(group: str, words: Counter[str]) -> dict[str, int]:
    """Return how much rarer the words are in each language than in the one where they are the most frequent."""
    known = _words(group)
    codes = group.split()
    totals = [0] * len(codes)
    for word in words.keys() & known.keys():
        for i, steps in enumerate(known[word]):
            totals[i] += min(steps, _MOST_OF_WORD) * words[word]
    least = min(totals)
    found: dict[str, int] = {}
    for code, total in zip(codes, totals, strict=True):
        own = _FORMS.get(code, code)
        found[own] = min(found.get(own, total - least), total - least)
    return found


@cache
def _words(group: str) -> _Words:
    """Return of each word how much rarer it is in each language of a group, in steps of half a natural logarithm."""
    return {
        word: tuple(map(int, steps))
        for steps, words in _groups()[group].items()
        for word in words.split()
    }


@cache
def _groups() -> dict[str, dict[str, str]]:
    file = Path(__file__).with_name("word_frequencies.json")
    return json.loads(file.read_text(encoding="utf-8"))


@cache
def _pairs() -> dict[str, int]:
    file = Path(__file__).with_name("word_pairs.json")
    table: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return {pair: int(steps) for steps, pairs in table.items() for pair in pairs.split("|")}
