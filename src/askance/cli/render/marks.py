"""The markers of an answer: which page each leads to, and how well its source carries the sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from askance.citations.cited import citation_at
from askance.citations.grammar import markers
from askance.domain.evidence import Citation, Source
from askance.presentation.answers import SIGNS, link_of


@dataclass(frozen=True, slots=True)
class Mark:
    """One marker in the text. `url` is empty where nothing may be opened; `sign` says a doubt."""

    n: int
    url: str
    sign: str

    def __str__(self) -> str:
        """Return the marker as plain text, its sign behind it."""
        return f"[{self.n}]{self.sign}"


def mark_of(source: Source, citations: Sequence[Citation], at: int) -> Mark:
    """Return the marker of a source that stands at a place of an answer."""
    citation = citation_at(citations, source.n, at)
    return Mark(
        source.n,
        link_of(source, citation.quote if citation else ""),
        SIGNS[citation.support] if citation else "",
    )


def replace_marks(
    text: str,
    sources: Sequence[Source],
    citations: Sequence[Citation],
    write: Callable[[Mark], str],
) -> str:
    """Write each marker of a checked answer anew."""
    by_number = {source.n: source for source in sources}
    pieces: list[str] = []
    done = 0
    for found in markers(text, by_number):
        mark = mark_of(by_number[found.n], citations, found.start)
        pieces += [text[done : found.start], write(mark)]
        done = found.end
    return "".join([*pieces, text[done:]])
