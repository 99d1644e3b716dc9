"""A conversation as Markdown and as JSON, and what every kind of document says of an exchange."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from askance.citations.grammar import markers
from askance.citations.marker_forms import Span
from askance.citations.markers import citation_at
from askance.citations.safe_markdown import (
    escaped_line,
    leads_away,
    safe_markdown,
    safe_record,
    written_address,
)
from askance.domain.events import Answered, Cancelled, ClarifyAsked, Failed
from askance.domain.evidence import Citation, Source, Support
from askance.domain.history import ConversationRecord, Exchange, title_of, to_record
from askance.presentation.answers import (
    CARRIED,
    LANGUAGES,
    SIGNS,
    UNCHECKED,
    badge_of,
    foreign_language,
    host_of_source,
    link_of,
    name_of,
)

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


# A conversation as Markdown: the answers as they were written, without what a viewer would load or
# run.

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


def as_markdown(record: ConversationRecord) -> str:
    """Return a conversation as one Markdown document."""
    parts = [f"# {escaped_line(record.summary.title)}", moment_of(record.summary.created_at)]
    for number, exchange in enumerate(record.exchanges, start=1):
        parts += _exchange_lines(exchange, number)
    return "\n\n".join(parts) + "\n"


def _exchange_lines(exchange: Exchange, number: int) -> Iterator[str]:
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


# A conversation as JSON for other programs: everything that is stored of it.
#
# What models and pages wrote is inert, since a program that reads this may render it as Markdown.

FORMAT = "askance-conversation"
VERSION = 1
"""Grows when a reader of the former version would misunderstand; new keys do not make it grow."""


def as_json(record: ConversationRecord) -> str:
    """Return a conversation as one JSON object; its events are records as in a trace.

    Only ASCII stands in it: no encoding can fail, whatever a page holds.
    """
    summary = record.summary
    whole = {
        "format": FORMAT,
        "version": VERSION,
        "id": summary.id,
        "title": _safe(summary.title),
        "created_at": summary.created_at,
        "updated_at": summary.updated_at,
        "exchanges": [_exchange_record(exchange) for exchange in record.exchanges],
    }
    return json.dumps(whole, indent=1) + "\n"


def _exchange_record(exchange: Exchange) -> dict[str, Any]:
    return {
        "id": exchange.id,
        "command": exchange.command,
        "text": exchange.text,
        "quote": _safe(exchange.quote),
        "asked_at": exchange.asked_at,
        "ended": exchange.ended,
        "damage": exchange.damage,
        "events": [_event(to_record(timed.event, timed.at_s)) for timed in exchange.events],
    }


def _event(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record of an event with its texts inert, the places of citations moved along."""
    safe = cast("dict[str, Any]", safe_record(record, _safe))
    for name in ("answer", "text"):
        text = record.get(name)
        if "citations" not in safe or not isinstance(text, str):
            continue
        urls = [source["url"] for source in record.get("sources", ())]
        if not leads_away(text):
            continue
        safe[name] = safe_markdown(text, urls)
        # The check gave places in the text as it was: each sentence is looked for anew.
        for citation in safe["citations"]:
            start = max(0, safe[name].find(citation["sentence"]))
            citation |= {"start": start, "end": start + len(citation["sentence"])}
    return safe


def _safe(text: str) -> str:
    """Return a text as it is unless who renders it would load, run or lead to something."""
    return safe_markdown(text) if leads_away(text) else text
