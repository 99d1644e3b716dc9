"""One spelling of English words that Britain and America spell differently, told by lists of words, never by endings."""

from __future__ import annotations

from functools import cache
from typing import cast

from askance.text.languages.language import ENGLISH, language, read_table

_VOWELS = "aeiouy"


def american(stem: str) -> str:
    """Return the stem of an English word as that of its American spelling; any other stem as it is."""
    return _americans().get(stem, stem)


@cache
def _americans() -> dict[str, str]:
    table = read_table("spellings.json")
    found: dict[str, str] = {}
    stem = language(ENGLISH).stem
    for british, other, suffixes, listed in cast("list[list[str]]", table["endings"]):
        for word in listed.split():
            before, _, behind = word.rpartition(british)
            for suffix in ("", *suffixes.split()):
                # The first form of a stem decides: it is that of the word itself.
                here = stem(_inflected(word, suffix))
                found.setdefault(here, stem(_inflected(f"{before}{other}{behind}", suffix)))
    for pair in cast("str", table["pairs"]).split("|"):
        word, other = pair.split()
        found.setdefault(stem(word), stem(other))
    return {word: other for word, other in found.items() if word != other}


def _inflected(word: str, suffix: str) -> str:
    return word.removesuffix("e") + suffix if suffix[:1] in _VOWELS and suffix else word + suffix
