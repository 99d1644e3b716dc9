"""The sources below an answer, and the line that says what the answer took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from askance.citations.links import fragment_url
from askance.domain.conversation import Outcome, Usage
from askance.domain.evidence import Citation, Source
from askance.presentation.cleaning import one_line
from askance.presentation.words import day_of, duration, plural, tr


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One source. `url` opens it, at the first quote from it if there is one; empty if nothing does.

    `badge` says what to beware of: "snippet only".
    """

    n: int
    title: str
    host: str
    date: str
    badge: str
    url: str
    cited: bool

    @property
    def about(self) -> str:
        """Host and date, as they stand behind the title."""
        return " · ".join(filter(None, (self.host, self.date)))

    @property
    def spoken(self) -> str:
        """The row as a screen reader says it."""
        told = ", ".join(filter(None, (self.title, self.host, self.date, self.badge)))
        return tr("Source {n}: {about}", n=self.n, about=told)


def source_rows(
    sources: Sequence[Source], citations: Sequence[Citation] = ()
) -> tuple[SourceRow, ...]:
    """Return the rows in the order of their numbers."""
    cited = {citation.n for citation in citations}
    quotes = {c.n: c.quote for c in reversed(citations) if c.quote}
    return tuple(
        SourceRow(
            source.n,
            one_line(source.title) or source.host,
            source.host,
            day_of(source.published),
            tr("snippet only") if source.snippet_only else "",
            link_of(source, quotes.get(source.n, "")),
            source.n in cited,
        )
        for source in sorted(sources, key=lambda source: source.n)
    )


def cost_text(usage: Usage, elapsed_ms: int) -> str:
    """Return `5 pages read of 20 found · 3 model calls · 14 s`, without what there was none of."""
    parts: list[str] = []
    if usage.pages_offered:
        read = plural("{n} page read", "{n} pages read", usage.pages_read)
        parts.append(tr("{read} of {n} found", read=read, n=usage.pages_offered))
    if usage.model_calls:
        parts.append(plural("{n} model call", "{n} model calls", usage.model_calls))
    return " · ".join([*parts, duration(elapsed_ms)])


def headline(rounds: int, pages: int, outcome: Outcome | None = None) -> str:
    """Return what the folded trace says of a run: `Searched twice, read 5 pages`."""
    if outcome is Outcome.LIBRARY:
        return tr("Answered from the library")
    if not rounds:
        return tr("Answered from this conversation") if outcome is Outcome.HISTORY else ""
    match rounds:
        case 1:
            searched = tr("Searched once")
        case 2:
            searched = tr("Searched twice")
        case _:
            searched = tr("Searched {n} times", n=rounds)
    read = plural("read {n} page", "read {n} pages", pages) if pages else tr("read no page")
    return tr("{searched}, {read}", searched=searched, read=read)


def link_of(source: Source, quote: str) -> str:
    """Return the address that opens the page at the quote; empty unless it is a web address."""
    if not source.url.startswith(("http://", "https://")) or " " in source.url:
        return ""
    return fragment_url(source.url, quote) if quote else source.url
