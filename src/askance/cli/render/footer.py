"""What stands below an answer: its sources, notes on it, and what it took."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from askance.cli.render.marks import legend
from askance.domain.conversation import Outcome
from askance.domain.events import Answered
from askance.domain.evidence import Source
from askance.presentation.answers import link_of
from askance.presentation.words import counted

_ORIGINS = {
    Outcome.WEB: "",
    Outcome.HISTORY: "answered from this conversation",
    Outcome.MEMORY: "From memory, not checked",
    Outcome.LIBRARY: "answered from the library",
    Outcome.INSUFFICIENT: "the sources do not answer the question in full",
    Outcome.PASSAGES_ONLY: "passages only: no model wrote this",
}


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One row of the footer. `link` opens the page at the first quote, `about` says host and date."""

    n: int
    title: str
    about: str
    url: str
    link: str

    def __str__(self) -> str:
        """Return the row as plain text."""
        return f"[{self.n}] {self.title} ({self.about}) {self.url}"


@dataclass(frozen=True, slots=True)
class Footer:
    """All of it, in the order in which it is shown. Empty parts are left out."""

    sources: tuple[SourceLine, ...]
    uncited: str
    legend: str
    notes: tuple[str, ...]
    closing: str


def footer_of(end: Answered) -> Footer:
    """Return the footer of a finished answer."""
    quotes = {c.n: c.quote for c in reversed(end.citations)}
    cited = [s for s in end.sources if s.n in quotes] or list(end.sources)
    others = [s for s in end.sources if s not in cited]
    return Footer(
        tuple(_row(source, quotes.get(source.n, "")) for source in cited),
        ", ".join(f"[{s.n}] {s.host}" for s in others),
        legend(end.citations),
        end.warnings,
        _closing(end),
    )


def plain_lines(footer: Footer) -> Iterator[str]:
    """Return the footer as lines of plain text."""
    if footer.sources:
        yield ""
        yield "Sources"
        yield from map(str, footer.sources)
    if footer.uncited:
        yield f"Not cited: {footer.uncited}"
    if footer.legend:
        yield footer.legend
    yield ""
    yield from (f"Note: {note}" for note in footer.notes)
    yield footer.closing


def _row(source: Source, quote: str) -> SourceLine:
    read = "snippet only" if source.snippet_only else ""
    date = (source.published or "")[:10]
    about = ", ".join(filter(None, (source.host, date, read)))
    return SourceLine(
        source.n, source.title or source.host, about, source.url, link_of(source, quote)
    )


def _closing(end: Answered) -> str:
    parts = [_ORIGINS[end.outcome]]
    if end.rounds:
        parts += [counted(end.rounds, "round"), f"{counted(end.usage.pages_read, 'page')} read"]
    parts.append(f"{end.elapsed_ms / 1000:.1f} s")
    return ", ".join(filter(None, parts))
