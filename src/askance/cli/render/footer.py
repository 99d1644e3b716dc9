"""What stands below an answer: its sources, notes on it, and what it took."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from askance.domain.asking import SEARCH
from askance.domain.events import Answered
from askance.presentation.answers import (
    SourceRow,
    found_text,
    legend,
    listed,
    origin_note,
    source_rows,
)
from askance.presentation.words import duration, tr


@dataclass(frozen=True, slots=True)
class Footer:
    """All of it, in the order in which it is shown. Empty parts are left out."""

    sources: tuple[SourceRow, ...]
    uncited: str
    legend: str
    notes: tuple[str, ...]
    closing: str


def footer_of(end: Answered, command: str = SEARCH) -> Footer:
    """Return the footer of a finished answer to what was asked with a command."""
    rows = source_rows(end.sources, end.citations)
    shown = listed(rows)
    uncited = ", ".join(f"[{row.n}] {row.host}" for row in rows if row not in shown)
    return Footer(
        shown,
        tr("Not cited: {sources}", sources=uncited) if uncited else "",
        "   ".join(legend({citation.support for citation in end.citations})),
        tuple(filter(None, dict.fromkeys((*end.warnings, origin_note(end, command))))),
        " · ".join(filter(None, (found_text(end, command), duration(end.elapsed_ms)))),
    )


def about(row: SourceRow) -> str:
    """Return what stands behind a title: host and date, and what to beware of."""
    return " · ".join(filter(None, (row.about, row.badge)))


def plain_lines(footer: Footer) -> Iterator[str]:
    """Return the footer as lines of plain text."""
    if footer.sources:
        yield ""
        yield tr("Sources")
        for row in footer.sources:
            yield f"[{row.n}] {row.title} ({about(row)}) {row.address}"
    yield from filter(None, (footer.uncited, footer.legend))
    yield ""
    yield from (tr("Note: {text}", text=note) for note in footer.notes)
    yield footer.closing
