"""Sentences that came from below in English, said again in the reader's language.

The engine and the adapters know no languages: they write sentences with their values in place,
which traces and the history keep. Here a sentence is recognised by its pattern in `sayings`, its
values are taken out, and it is said anew. What no pattern fits stays as it is: a server's own words,
the title of a page.
"""

from __future__ import annotations

import re
from functools import cache
from string import Formatter

from askance.telling.sayings import files, foreign, hotkeys, model, pages, run, search, services
from askance.telling.words import English, spoken, tr

SAYINGS = tuple(
    dict.fromkeys(
        (
            *run.SAYINGS,
            *model.SAYINGS,
            *search.SAYINGS,
            *pages.SAYINGS,
            *services.SAYINGS,
            *files.SAYINGS,
            *hotkeys.SAYINGS,
            *foreign.SAYINGS,
        )
    )
)
# Values that are written as numbers of the language; those of `_DIGITS` are names made of digits.
NUMBERS = frozenset({"n", "done", "needed", "available", "least", "most"})
_DIGITS = frozenset({"port", "status"})
_ONE_WORD = frozenset({"address", "host", "setting"})
# A clause is no name of a service.
_NAMES = frozenset({"name", "service"})
_NUMBER = r"-?\d[\d,]*(?:\.\d+)?"
# Between two sentences, and between a problem and its remedy.
_BREAK = re.compile(r"(?<=[.!?”`]) ")
# Longer than every sentence of ours: a page or an answer is not looked through. Where a saying has
# several places, time grows with the square of the text.
_LONGEST = 1000
# Each break doubles the ways to part a text; problem and remedy have three or four.
_MOST_BREAKS = 8


def retold(said: object) -> str:
    """Return what was said, a text or an error, in the reader's language.

    Several sentences are said again one by one.
    """
    text = str(said)
    if isinstance(spoken(), English) or not text or len(text) > _LONGEST:
        return text
    # A value may hold a sentence, but what looks like the end of one mostly is.
    return _fitting(text) or _in_parts(text) or _fitting(text, with_breaks=True) or text


def _fitting(text: str, *, with_breaks: bool = False) -> str:
    for saying, words in _words_of_sayings():
        if not all(word in text for word in words):
            continue
        found = _pattern(saying).fullmatch(text)
        if found and (with_breaks or not any(map(_BREAK.search, found.groups()))):
            return tr(saying, **{n: _value(n, v) for n, v in found.groupdict().items()})
    return ""


def _in_parts(text: str) -> str:
    breaks = [found.start() for found in _BREAK.finditer(text)]
    if len(breaks) > _MOST_BREAKS:
        return ""
    for place in reversed(breaks):
        if told := _fitting(text[:place]):
            return f"{told} {retold(text[place + 1 :])}"
    for place in breaks:
        if told := _fitting(text[place + 1 :]):
            return f"{text[:place]} {told}"
    return ""


def _value(name: str, text: str) -> str:
    if name in NUMBERS:
        decimals = len(text.partition(".")[2])
        return spoken().number(float(text.replace(",", "")), decimals)
    if name in _DIGITS:
        return text
    told = retold(text)
    if told == text and not text.endswith("."):
        # The sentence lost its full stop where it was put into a longer one.
        told = retold(f"{text}.").removesuffix(".")
    return told


@cache
def _words_of_sayings() -> tuple[tuple[str, tuple[str, ...]], ...]:
    """All sayings, each with what stands between its places; those with the most of it first."""
    told = ((saying, tuple(part for part, *_ in Formatter().parse(saying))) for saying in SAYINGS)
    return tuple(sorted(told, key=lambda pair: sum(map(len, pair[1])), reverse=True))


@cache
def _pattern(saying: str) -> re.Pattern[str]:
    """Made when the words of a saying are met: to make all of them takes longer than a frame."""
    parts: list[str] = []
    for literal, name, _, _ in Formatter().parse(saying):
        parts.append(re.escape(literal))
        if name:
            parts.append(f"(?P<{name}>{_shape(name)})")
    return re.compile("".join(parts), re.DOTALL)


def _shape(name: str) -> str:
    if name in NUMBERS:
        return _NUMBER
    if name in _DIGITS:
        return r"\d+"
    if name in _ONE_WORD:
        return r"\S+?"
    return "[^:;]+?" if name in _NAMES else ".+?"
