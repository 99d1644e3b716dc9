"""What an exchange came to, as both documents tell it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from askance.domain.events import Answered, Cancelled, ClarifyAsked, Failed
from askance.domain.evidence import Citation, Source, Support
from askance.domain.history import Exchange
from askance.presentation.answers import CARRIED, FROM_MEMORY, SIGNS

# A document is in English, whatever language the window speaks: whoever gets it may speak none of them.
DOUBTS = {s: f"{s}: {CARRIED[s]}" for s in (Support.WEAK, Support.UNSUPPORTED)}


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source, what is known about it, and the quotes that were found in it, each once."""

    source: Source
    title: str
    about: str
    quotes: tuple[str, ...]


def notes_on(exchange: Exchange) -> tuple[str, ...]:
    """Return what a person should know about an exchange, in sentences."""
    notes = (exchange.damage,) if exchange.damage else ()
    if exchange.is_from_memory:
        notes = (*notes, FROM_MEMORY)
    match exchange.end:
        case Answered(warnings=warnings):
            return (*notes, *warnings)
        case Failed(problem=problem, fix=fix):
            return (*notes, f"There is no answer: {problem} {fix}".strip())
        case ClarifyAsked():
            return notes
        case Cancelled():
            return (*notes, "This run was stopped.")
        case None:
            return notes or ("This run was not finished.",)


def legend(used: Collection[Support]) -> tuple[str, ...]:
    """Explain the signs that stand in a text."""
    return tuple(f"{SIGNS[s]} {meaning}" for s, meaning in DOUBTS.items() if s in used)


def source_rows(end: Answered) -> tuple[SourceRow, ...]:
    """Return the sources of an answer by their numbers."""
    return tuple(_row(source, end.citations) for source in sorted(end.sources, key=lambda s: s.n))


def _row(source: Source, citations: Sequence[Citation]) -> SourceRow:
    quotes = dict.fromkeys(" ".join(c.quote.split()) for c in citations if c.n == source.n)
    read = "snippet only" if source.snippet_only else ""
    about = ", ".join(filter(None, (source.host, (source.published or "")[:10], read)))
    return SourceRow(source, source.title or source.host, about, tuple(filter(None, quotes)))


def moment_of(iso: str) -> str:
    """Return a moment as people read it; kept moments are in UTC."""
    return f"{iso[:10]} {iso[11:16]} UTC"
