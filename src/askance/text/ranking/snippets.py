"""The piece of a passage that shows best why it was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from askance.text.ranking.fences import without_fences
from askance.text.ranking.tokens import term_spans

SNIPPET_CHARACTERS = 240
_BEFORE_CHARACTERS = 60
Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a text on one line, and the ranges in it to be marked, in order and apart."""

    text: str
    marks: tuple[Range, ...]


def snippet(text: str, weights: Mapping[str, float], code: str = "") -> Snippet:
    """Return the piece of a text whose terms weigh most together; of equal ones, the first.

    `weights` are those of the terms of a query, `code` is the language of the text. Where no term
    stands in it the piece is its beginning. Fences of code are left out.
    """
    line = " ".join(without_fences(text).split())
    found = [(term, start, end) for term, start, end in term_spans(line, code) if term in weights]
    first, last = _densest(found, weights)
    return cut_around(line, [(start, end) for _, start, end in found[first:last]])


def cut_around(
    line: str,
    marks: Iterable[Range],
    *,
    characters: int = SNIPPET_CHARACTERS,
    before: int = _BEFORE_CHARACTERS,
) -> Snippet:
    """Cut a line around the first of its marks, at words where there are some near; marks that meet are one."""
    apart = _apart(sorted(marks))
    start = max(apart[0][0] - before, 0) if apart else 0
    if start and (space := line.find(" ", start, apart[0][0])) >= 0:
        start = space + 1
    end = min(start + characters, len(line))
    if end < len(line) and (space := line.rfind(" ", start + characters // 2, end)) >= 0:
        end = space
    head, tail = "…" if start else "", "…" if end < len(line) else ""
    shift = len(head) - start
    retained = tuple((a + shift, min(b, end) + shift) for a, b in apart if a < end)
    return Snippet(f"{head}{line[start:end]}{tail}", retained)


def _densest(found: list[tuple[str, int, int]], weights: Mapping[str, float]) -> tuple[int, int]:
    """Return the slice of the terms found that weighs most and fits into a snippet."""
    best, place = -1.0, (0, 0)
    held: Counter[str] = Counter()
    weight, first = 0.0, 0
    for last, (term, _, end) in enumerate(found):
        weight += 0.0 if held[term] else weights[term]
        held[term] += 1
        while end - found[first][1] > SNIPPET_CHARACTERS - _BEFORE_CHARACTERS and first < last:
            gone = found[first][0]
            held[gone] -= 1
            weight -= 0.0 if held[gone] else weights[gone]
            first += 1
        if weight > best + 1e-9:
            best, place = weight, (first, last + 1)
        elif place[0] == first:
            place = (first, last + 1)
    return place


def _apart(marks: list[Range]) -> list[Range]:
    merged: list[Range] = []
    for start, end in marks:
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged
