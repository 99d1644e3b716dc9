"""The markers of a checked answer, each with the citation that it stands for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from askance.citations.links import fragment_url
from askance.citations.grammar import Span
from askance.citations.markup import code_spans
from askance.domain.events import Answered
from askance.domain.evidence import Citation, Source, Support
from askance.transcripts.outcome import is_web_address

_MARKER = re.compile(r"\[(\d{1,3})\]")
# A marker may stand just behind the sentence it belongs to; further away it belongs to none.
_REACH = 8
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
    code = code_spans(end.answer)
    return tuple(
        Marker(*match.span(), sources[n], _citation_at(end.citations, n, match.start()))
        for match in _MARKER.finditer(end.answer)
        if (n := int(match[1])) in sources and not _inside(code, match.span())
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


def _citation_at(citations: Sequence[Citation], n: int, position: int) -> Citation | None:
    def distance(citation: Citation) -> int:
        return max(citation.start - position, position - citation.end, 0)

    near = [c for c in citations if c.n == n and distance(c) <= _REACH]
    return min(near, key=distance, default=None)


def _inside(spans: Sequence[Span], span: Span) -> bool:
    return any(start < span[1] and span[0] < end for start, end in spans)
