"""A conversation as Markdown: the answers as they were written, without what a viewer would load or run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from askance.citations.safe_markdown import escaped_line, safe_markdown, written_address
from askance.domain.events import Answered, ClarifyAsked
from askance.domain.evidence import Support
from askance.domain.history import ConversationRecord, Exchange, title_of
from askance.presentation.answers import SIGNS
from askance.presentation.transcripts.outcome import (
    TranscriptSource,
    legend,
    markers_of,
    moment_of,
    notes_on,
    source_rows,
)

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def as_markdown(record: ConversationRecord) -> str:
    """Return a conversation as one Markdown document."""
    parts = [f"# {escaped_line(record.summary.title)}", moment_of(record.summary.created_at)]
    for number, exchange in enumerate(record.exchanges, start=1):
        parts += _exchange(exchange, number)
    return "\n\n".join(parts) + "\n"


def _exchange(exchange: Exchange, number: int) -> Iterator[str]:
    heading = title_of(exchange.text, exchange.quote)
    yield f"## {number}. {escaped_line(heading)}"
    yield f"*{escaped_line(exchange.command)}, {moment_of(exchange.asked_at)}*"
    if heading != exchange.text.strip() and exchange.text.strip():
        yield _quoted_lines(exchange.text)
    if exchange.quote:
        yield _quoted_lines(exchange.quote)
    match exchange.answer or exchange.end:
        case Answered() as end:
            yield from _answer(end)
        case ClarifyAsked(question=question):
            yield escaped_line(question)
        case _:
            pass
    if notes := notes_on(exchange):
        yield "\n".join(f"- Note: {escaped_line(note)}" for note in notes)


def _answer(end: Answered) -> Iterator[str]:
    # Stored before the check did this, or from memory: then nothing but its address is known.
    urls = [source.url for source in end.sources]
    yield safe_markdown(_signed(end), urls, addresses=not urls).strip()
    used = {marker.support for marker in markers_of(end)}
    if meanings := legend(used):
        yield "  \n".join(meanings)
    if rows := source_rows(end):
        yield "**Sources**"
        yield "\n".join(map(_source, rows))


def _signed(end: Answered) -> str:
    """Return the answer with a sign behind each marker whose source does not carry it."""
    pieces: list[str] = []
    done = 0
    for marker in markers_of(end):
        if marker.support is not Support.SUPPORTED:
            pieces += [end.answer[done : marker.end], SIGNS[marker.support]]
            done = marker.end
    return "".join([*pieces, end.answer[done:]])


def _source(row: TranscriptSource) -> str:
    title = escaped_line(row.title)
    if address := written_address(row.source.url):
        title = f"[{title}]({address})"
    lines = [f"{row.source.n}. {title} ({escaped_line(row.about)})"]
    lines += [
        f"   - “{escaped_line(q)}”{f' ({tongue})' if tongue else ''}" for q, tongue in row.quotes
    ]
    return "\n".join(lines)


def _quoted_lines(text: str) -> str:
    return "\n".join(f"> {escaped_line(line)}".rstrip() for line in text.strip().splitlines())
