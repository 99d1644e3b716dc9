"""Words found as people type them: whatever their case, accents and typography, each at its place in the text that is shown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from askance.text.languages.scripts import fold

Places = tuple[tuple[int, int], ...]
"""The `(start, end)` of what was found, in order and apart."""
# What typesetting makes of the signs of a keyboard; what parts and joins words unseen goes.
_TYPED = str.maketrans(
    "‘’‚‛‹›ʼ´`“”„‟«»″‐‑‒–—―−",  # noqa: RUF001 - these signs are what is looked for
    "'''''''''\"\"\"\"\"\"\"-------",
    "\u00ad\u200b\u200c\u200d\u2060\ufeff",
)


def folded(text: str) -> str:
    """Return a text as it is compared: without case and accents, with the quotes and dashes of keyboards."""
    return text.lower() if text.isascii() else fold(text.translate(_TYPED))


def folded_with_places(text: str) -> tuple[str, Sequence[int]]:
    """Return a text as it is compared, and the place of each of its characters in the text as it is shown."""
    if text.isascii():
        return text.lower(), range(len(text))
    # Character by character, for folding may give one two (`ß`) or none.
    folds = {character: folded(character) for character in set(text)}
    places = [i for i, character in enumerate(text) for _ in folds[character]]
    return "".join(folds[character] for character in text), places


def holds(text: str, words: str) -> bool:
    """Whether each of the words stands in a text, in any part of it."""
    compared = folded(text)
    return all(word in compared for word in folded(words).split())


def places_of(text: str, *sought: str) -> Places:
    """Return where any of these stand in a text; those that overlap are one."""
    compared, places = folded_with_places(text)
    spans = [
        shown_range(places, match.span(), len(text))
        for part in filter(None, map(folded, sought))
        for match in re.finditer(re.escape(part), compared)
    ]
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return tuple(found)


def shown_range(places: Sequence[int], span: tuple[int, int], length: int) -> tuple[int, int]:
    """Return where a span of a compared text stands in the one that is shown, which is so long."""
    start, end = span
    # Accents that stand as characters of their own belong to the letter before them.
    following = places[end] if end < len(places) else length
    return places[start], max(places[end - 1] + 1, following)
