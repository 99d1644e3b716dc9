"""Which citation each marker of an answer stands for, and which words it does not carry in full."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from askance.citations.grammar import Marker
from askance.citations.markers import REACH, distance
from askance.domain.evidence import Citation, Support
from askance.presentation.answers import support_word

_BETWEEN = " ,;\t"
_EMPHASIS = "*_~"


@dataclass(frozen=True, slots=True)
class Doubt:
    """Words of the answer, from `start` to `end`, whose source carries them in part or not at all."""

    start: int
    end: int
    support: Support

    @property
    def word(self) -> str:
        """What a tooltip and a screen reader say of it."""
        return support_word(self.support)


def assign(markers: Sequence[Marker], citations: Sequence[Citation]) -> list[int | None]:
    """Return for each marker the index of its citation, or None where there is none near.

    Where a sentence cites a source twice, its citations go to its markers in order.
    """
    spans = {n: _Spans(n, citations) for n in {citation.n for citation in citations}}
    used: set[int] = set()
    assigned: list[int | None] = []
    for marker in markers:
        found = spans[marker.n].near(marker.start) if marker.n in spans else ()
        near = [(i in used, distance(citations[i], marker.start), i) for i in found]
        index = min(near)[2] if near else None
        assigned.append(index)
        if index is not None:
            used.add(index)
    return assigned


def doubts_of(
    text: str,
    markers: Sequence[Marker],
    assigned: Sequence[int | None],
    citations: Sequence[Citation],
) -> tuple[Doubt, ...]:
    """Return the words before each marker whose sources leave a doubt, in order, never overlapping.

    Markers that stand together answer for the same words; one that carries them is enough.
    """
    doubts: list[Doubt] = []
    behind = 0
    for group in _groups(text, markers):
        cited = [citations[i] for k in group if (i := assigned[k]) is not None]
        first, last = markers[group[0]], markers[group[-1]]
        doubt = _doubt(text, cited, first.start, last.end, behind) if cited else None
        if doubt is not None:
            doubts.append(doubt)
        behind = max(last.end, doubt.end if doubt else 0)
    return tuple(doubts)


class _Spans:
    """Where the sentences stand that cite one source. An answer may have hundreds of them."""

    def __init__(self, n: int, citations: Sequence[Citation]) -> None:
        self._order = [i for i, citation in enumerate(citations) if citation.n == n]
        self._order.sort(key=lambda i: citations[i].start)
        self._starts = [citations[i].start for i in self._order]
        self._furthest = list(accumulate((citations[i].end for i in self._order), max))
        self._citations = citations

    def near(self, at: int) -> Iterator[int]:
        """Return the indices of those that are within reach of a place."""
        k = bisect_right(self._starts, at + REACH)
        while k and self._furthest[k - 1] >= at - REACH:
            k -= 1
            if distance(self._citations[self._order[k]], at) <= REACH:
                yield self._order[k]


def _groups(text: str, markers: Sequence[Marker]) -> list[list[int]]:
    groups: list[list[int]] = []
    for k, marker in enumerate(markers):
        if groups and not text[markers[k - 1].end : marker.start].strip(_BETWEEN):
            groups[-1].append(k)
        else:
            groups.append([k])
    return groups


def _doubt(
    text: str, cited: Sequence[Citation], begins: int, ends: int, behind: int
) -> Doubt | None:
    supports = {citation.support for citation in cited}
    if Support.SUPPORTED in supports:
        return None
    support = Support.WEAK if Support.WEAK in supports else Support.UNSUPPORTED
    sentence = cited[0]
    start, end = _trimmed(text, max(sentence.start, behind), begins)
    if start >= end:  # it opens the sentence
        start, end = _trimmed(text, ends, sentence.end)
    return Doubt(start, end, support) if start < end else None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the words within a span: one cell of one line, emphasis around them included."""
    start = max(start, text.rfind("|", start, max(end, start)) + 1)
    start = max(start, text.rfind("\n", start, max(end, start)) + 1)
    while start < end and (text[start].isspace() or text[start] in ",;:."):
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start >= end or not any(c.isalnum() for c in text[start:end]):
        return start, start
    while start and text[start - 1] in _EMPHASIS:
        start -= 1
    while end < len(text) and text[end] in _EMPHASIS:
        end += 1
    return start, end
