"""The markers of a checked answer, each with the citation that it stands for."""

from __future__ import annotations

from dataclasses import dataclass

from askance.citations.cited import citation_at
from askance.citations.grammar import markers
from askance.citations.links import fragment_url
from askance.citations.placing import Span
from askance.domain.events import Answered
from askance.domain.evidence import Citation, Source, Support
from askance.presentation.answers import is_web_address

_ORDER = (Support.SUPPORTED, Support.WEAK, Support.UNSUPPORTED)


@dataclass(frozen=True, slots=True)
class Marker:
    """A marker at `start` to `end` of the answer. Without a citation its support is not known."""

    start: int
    end: int
    source: Source
    citation: Citation | None

    @property
    def support(self) -> Support:
        """How well the source carries the sentence."""
        return self.citation.support if self.citation else Support.SUPPORTED

    @property
    def url(self) -> str:
        """The address that opens the page at the quote; empty where nothing may be opened."""
        if not is_web_address(self.source.url):
            return ""
        quote = self.citation.quote if self.citation else ""
        return fragment_url(self.source.url, quote) if quote else self.source.url


def markers_of(end: Answered) -> tuple[Marker, ...]:
    """Return the markers of an answer in order. What stands in code, or names no source, is text."""
    sources = {source.n: source for source in end.sources}
    return tuple(
        Marker(at.start, at.end, sources[at.n], citation_at(end.citations, at.n, at.start))
        for at in markers(end.answer, sources)
    )


def doubted_sentences(end: Answered) -> tuple[tuple[Span, Support], ...]:
    """Return the sentences that no source carries in full, in order, with the best of their support.

    They are apart from each other.
    """
    best: dict[Span, Support] = {}
    for citation in end.citations:
        span = (citation.start, citation.end)
        best[span] = min(best.get(span, citation.support), citation.support, key=_ORDER.index)
    found: list[tuple[Span, Support]] = []
    for (start, stop), support in sorted(best.items()):
        apart = not found or start >= found[-1][0][1]
        if support is not Support.SUPPORTED and apart and 0 <= start < stop <= len(end.answer):
            found.append(((start, stop), support))
    return tuple(found)
