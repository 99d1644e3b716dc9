"""What an exchange came to, and the citation that each marker of its answer stands for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from askance.citations.grammar import markers
from askance.citations.markers import citation_at
from askance.citations.placing import Span
from askance.domain.events import Answered, Cancelled, ClarifyAsked, Failed
from askance.domain.evidence import Citation, Source, Support
from askance.domain.history import Exchange
from askance.presentation.answers import (
    CARRIED,
    LANGUAGES,
    SIGNS,
    UNCHECKED,
    badge_of,
    foreign_language,
    host_of_source,
    link_of,
)
from askance.presentation.library import name_of

# A document is in English, whatever language the window speaks: whoever gets it may speak none of them.
DOUBTS = {s: f"{s}: {CARRIED[s]}" for s in (Support.WEAK, Support.UNSUPPORTED)}
ORDER = (Support.SUPPORTED, Support.WEAK, Support.UNSUPPORTED)
"""From the best."""


@dataclass(frozen=True, slots=True)
class TranscriptMarker:
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
        return link_of(self.source, self.citation.quote if self.citation else "")


def markers_of(end: Answered) -> tuple[TranscriptMarker, ...]:
    """Return the markers of an answer in order. What stands in code, or names no source, is text."""
    sources = {source.n: source for source in end.sources}
    return tuple(
        TranscriptMarker(
            at.start, at.end, sources[at.n], citation_at(end.citations, at.n, at.start)
        )
        for at in markers(end.answer, sources)
    )


def doubted_sentences(end: Answered) -> tuple[tuple[Span, Support], ...]:
    """Return the sentences that no source carries in full, in order, with the best of their support.

    They are apart from each other.
    """
    best: dict[Span, Support] = {}
    for citation in end.citations:
        span = (citation.start, citation.end)
        best[span] = min(best.get(span, citation.support), citation.support, key=ORDER.index)
    found: list[tuple[Span, Support]] = []
    for (start, stop), support in sorted(best.items()):
        apart = not found or start >= found[-1][0][1]
        if support is not Support.SUPPORTED and apart and 0 <= start < stop <= len(end.answer):
            found.append(((start, stop), support))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class TranscriptSource:
    """A source, what is known about it, and the quotes that were found in it, each once.

    Each quote comes with its language where that is another than the answer's, else with nothing.
    """

    source: Source
    title: str
    about: str
    quotes: tuple[tuple[str, str], ...]


def notes_on(exchange: Exchange) -> tuple[str, ...]:
    """Return what a person should know about an exchange, in sentences."""
    notes = (exchange.damage,) if exchange.damage else ()
    if (rests_on := exchange.rests_on) is not None and rests_on in UNCHECKED:
        notes = (*notes, UNCHECKED[rests_on])
    match exchange.end:
        case Answered(warnings=warnings):
            return (*notes, *warnings)
        case Failed(problem=problem, fix=fix):
            return (*notes, f"There is no answer: {problem} {fix}".strip())
        case ClarifyAsked():
            return notes
        case Cancelled():
            return (*notes, "Stopped.")
        case None:
            return notes or ("This run was not finished.",)


def legend(used: Collection[Support]) -> tuple[str, ...]:
    """Explain the signs that stand in a text."""
    return tuple(f"{SIGNS[s]} {meaning}" for s, meaning in DOUBTS.items() if s in used)


def source_rows(end: Answered) -> tuple[TranscriptSource, ...]:
    """Return the sources of an answer by their numbers."""
    return tuple(_row(source, end.citations) for source in sorted(end.sources, key=lambda s: s.n))


def _row(source: Source, citations: Sequence[Citation]) -> TranscriptSource:
    quotes = {
        " ".join(c.quote.split()): LANGUAGES.get(foreign_language(c.quote, c.sentence), "")
        for c in citations
        if c.n == source.n and c.quote.strip()
    }
    read = badge_of(source)
    # Of a file its name: in which folder it lies is nobody's matter who reads this.
    name = name_of(source.url)
    host = host_of_source(source) or (name if name != source.title else "")
    about = ", ".join(filter(None, (host, (source.published or "")[:10], read)))
    return TranscriptSource(source, source.title or host or name, about, tuple(quotes.items()))


def moment_of(iso: str) -> str:
    """Return a moment as people read it; kept moments are in UTC."""
    return f"{iso[:10]} {iso[11:16]} UTC"
