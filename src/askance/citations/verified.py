"""What verification by meaning is asked about a checked answer, and what its reply changes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from askance.citations.checking import Checked
from askance.citations.grammar import markers
from askance.domain.evidence import Citation, Support


@dataclass(frozen=True, slots=True)
class DoubtfulSentence:
    """A sentence of which words cannot decide whether a source states it.

    `place` is that of its marker in the citations. `citation` is that one, or what it would be if the
    marker named another source, which words hold more of the sentence.
    """

    place: int
    citation: Citation


def doubts(checked: Checked) -> list[DoubtfulSentence]:
    """Return what is in doubt, in the order of the answer: the cited source first, then the other one.

    Of a sentence that two sources of another language seem to state alike, words do not tell which does.
    """
    found: list[DoubtfulSentence] = []
    for place, citation in enumerate(checked.citations):
        is_even = place in checked.alternatives and citation.support is Support.SUPPORTED
        if place in checked.undecided or is_even:
            found.append(DoubtfulSentence(place, citation))
        if place in checked.alternatives:
            found.append(DoubtfulSentence(place, checked.alternatives[place]))
    return found


def settled(checked: Checked, stated: Collection[DoubtfulSentence]) -> Checked:
    """Return an answer after its doubts were looked into. `stated` are those that turned out to be stated.

    Their citations are supported; no other is lowered. A marker moves to the other source where the cited one
    does not state its sentence.
    """
    changed: dict[int, Citation] = {}
    for doubt in stated:
        changed.setdefault(doubt.place, replace(doubt.citation, support=Support.SUPPORTED))
    moved = sum(changed[i].n != checked.citations[i].n for i in changed)
    text, citations = _renumbered(checked, changed)
    return replace(
        checked,
        text=text,
        citations=citations,
        moved=checked.moved + moved,
        undecided=(),
        alternatives={},
    )


def _renumbered(
    checked: Checked, changed: Mapping[int, Citation]
) -> tuple[str, tuple[Citation, ...]]:
    """Write the changed numbers into the text, and shift what stands behind them."""
    pieces: list[str] = []
    shifts: list[tuple[int, int]] = []
    done = 0
    for place, (start, end) in _markers(checked):
        number = f"[{changed[place].n}]" if place in changed else checked.text[start:end]
        pieces += [checked.text[done:start], number]
        shifts.append((end, len(number) - (end - start)))
        done = end
    text = "".join([*pieces, checked.text[done:]])

    def shifted(at: int) -> int:
        return at + sum(by for end, by in shifts if end <= at)

    citations: list[Citation] = []
    for place, citation in enumerate(checked.citations):
        start, end = shifted(citation.start), shifted(citation.end)
        new = changed.get(place, citation)
        citations.append(replace(new, start=start, end=end, sentence=text[start:end]))
    return text, tuple(citations)


def _markers(checked: Checked) -> Iterator[tuple[int, tuple[int, int]]]:
    """Find the markers of the citations in the text, each with its place among them."""
    found = iter(markers(checked.text, {citation.n for citation in checked.citations}))
    for place, citation in enumerate(checked.citations):
        for marker in found:
            if marker.n == citation.n and citation.start <= marker.start < citation.end:
                yield place, (marker.start, marker.end)
                break
