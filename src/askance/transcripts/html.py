"""A conversation as one HTML file: nothing in it runs, and nothing is loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from askance.domain.events import Answered, ClarifyAsked, Failed
from askance.domain.history import ConversationRecord, Exchange
from askance.presentation.answers import is_web_address
from askance.transcripts.answer_html import answer_html
from askance.transcripts.markers import doubted_sentences, markers_of
from askance.transcripts.outcome import (
    SourceRow,
    legend,
    moment_of,
    notes_on,
    source_rows,
)
from askance.transcripts.style import STYLE

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def as_html(record: ConversationRecord) -> str:
    """Return a conversation as one HTML document, to be written as UTF-8."""
    title, summary = escape(record.summary.title), record.summary
    lines = [
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="referrer" content="no-referrer">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title>",
        f"<style>{STYLE}</style>",
        "</head>",
        "<body>",
        f'<header><h1 dir="auto">{title}</h1>',
        f'<p class="about">{escape(moment_of(summary.created_at))}</p></header>',
    ]
    for number, exchange in enumerate(record.exchanges, start=1):
        lines += ["<article>", *_exchange(exchange, f"q{number}s"), "</article>"]
    lines += ["</body>", "</html>", ""]
    return "\n".join(lines).encode("utf-8", "replace").decode()


def _exchange(exchange: Exchange, prefix: str) -> Iterator[str]:
    about = f"{exchange.command}, {moment_of(exchange.asked_at)}"
    yield f'<h2 dir="auto">{escape(exchange.text.strip())}</h2>'
    yield f'<p class="about">{escape(about)}</p>'
    if exchange.quote:
        yield f'<p class="quoted" dir="auto">{escape(exchange.quote.strip())}</p>'
    match exchange.end:
        case Answered() as end:
            yield f'<div class="answer" dir="auto">\n{answer_html(end, prefix)}</div>'
            yield from _legend(end)
            yield from _sources(end, prefix)
        case ClarifyAsked(question=question):
            yield f'<p class="answer" dir="auto">{escape(question)}</p>'
        case _:
            pass
    failed = isinstance(exchange.end, Failed)
    for note in notes_on(exchange):
        kind = "failure" if failed else "note"
        yield f'<p class="{kind}"><strong>{kind.capitalize()}:</strong> {escape(note)}</p>'


def _legend(end: Answered) -> Iterator[str]:
    used = {marker.support for marker in markers_of(end)}
    used |= {support for _, support in doubted_sentences(end)}
    if meanings := legend(used):
        yield f'<p class="legend">{"<br>".join(map(escape, meanings))}</p>'


def _sources(end: Answered, prefix: str) -> Iterator[str]:
    if rows := source_rows(end):
        yield '<section class="sources"><h3>Sources</h3>'
        yield "<ol>"
        yield from (_source(row, prefix) for row in rows)
        yield "</ol></section>"


def _source(row: SourceRow, prefix: str) -> str:
    title = escape(row.title)
    if is_web_address(row.source.url):
        title = f'<a href="{escape(row.source.url)}" rel="noreferrer noopener">{title}</a>'
    quotes = "".join(f'<q dir="auto">{escape(quote)}</q>' for quote in row.quotes)
    number = row.source.n
    return (
        f'<li id="{prefix}{number}" value="{number}">{title} '
        f'<span class="host">{escape(row.about)}</span>{quotes}</li>'
    )
