"""A conversation as one HTML file: nothing in it runs, and nothing is loaded."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from markdown_it.token import Token

from askance.citations.grammar import LineKind, Places, as_linked, grammar, lines_of, parse
from askance.citations.marker_forms import Span
from askance.citations.safe_markdown import is_own
from askance.domain.events import Answered, ClarifyAsked, Failed
from askance.domain.evidence import Support
from askance.domain.history import ConversationRecord, Exchange
from askance.domain.web import is_web_address
from askance.presentation.answers import SIGNS, host_of_source, is_right_to_left
from askance.presentation.transcripts.texts import (
    DOUBTS,
    TranscriptMarker,
    TranscriptSource,
    doubted_sentences,
    legend,
    markers_of,
    moment_of,
    notes_on,
    source_rows,
)
from askance.text.languages.recognition import surely

STYLE = """
:root {
  color-scheme: light dark;
  --paper: #FBFAF7; --raised: #FFFFFF; --line: #E7E3DB; --ink: #1F1E1B; --ink-2: #5F5B53;
  --ink-3: #6C675E; --accent: #2C6B5E; --accent-soft: #E4EFEB; --amber: #8A5A0F;
  --amber-soft: #FBF2DF; --red: #A8362C;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #1A1B1A; --raised: #222423; --line: #323533; --ink: #ECEAE4; --ink-2: #ABA9A0;
    --ink-3: #9D9A93; --accent: #84C9B6; --accent-soft: #22352F; --amber: #E2B566;
    --amber-soft: #382E1A; --red: #F0968B;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 24px 18px; max-width: 720px; background: var(--paper);
  color: var(--ink); font: 15px/23px Inter, system-ui, sans-serif; overflow-wrap: break-word;
}
h1 { font-size: 18px; line-height: 27px; margin: 0; }
h2 { font-size: 15px; line-height: 23px; margin: 0; white-space: pre-wrap; }
h3 { font-size: 12px; line-height: 18px; font-weight: 500; color: var(--ink-3); margin: 18px 0 4px; }
.answer h1, .answer h2, .answer h3, .answer h4, .answer h5, .answer h6 {
  font-size: 15px; line-height: 23px; font-weight: 600; color: var(--ink); margin: 18px 0 4px;
}
article { border-top: 1px solid var(--line); margin-top: 24px; padding-top: 18px; }
.about, .host { color: var(--ink-3); font-size: 12px; line-height: 18px; margin: 0; }
a { color: var(--accent); }
.quoted {
  margin: 8px 0; padding-inline-start: 12px; border-inline-start: 2px solid var(--line); color: var(--ink-2);
  white-space: pre-wrap;
}
.cite {
  font-size: 11px; font-weight: 600; text-decoration: none; border-radius: 4px; padding: 0 4px;
  background: var(--accent-soft);
}
.cite.weak, .cite.unsupported { background: var(--amber-soft); }
span.weak { text-decoration: underline dashed var(--amber); text-underline-offset: 4px; }
span.unsupported { text-decoration: underline dotted var(--red); text-underline-offset: 4px; }
.legend, .sources { font-size: 13px; line-height: 20px; color: var(--ink-2); }
.sources ol { margin: 0; padding-inline-start: 24px; }
.sources q { display: block; margin: 4px 0; }
.note, .failure {
  font-size: 13px; line-height: 20px; margin: 8px 0; padding: 8px 12px; border-radius: 8px;
  background: var(--amber-soft); color: var(--amber);
}
.failure { background: var(--raised); border: 1px solid var(--line); color: var(--red); }
blockquote { margin: 8px 0; padding-inline-start: 12px; border-inline-start: 2px solid var(--line); }
pre, code { font: 13px/20px "JetBrains Mono", ui-monospace, monospace; }
pre { direction: ltr; background: var(--raised); border: 1px solid var(--line); border-radius: 8px; padding: 12px; }
pre, table { overflow-x: auto; }
table { display: block; border-collapse: collapse; }
th, td { border-bottom: 1px solid var(--line); padding: 4px 0; padding-inline-end: 12px; text-align: start; }
@media print { body { max-width: none; } article { break-inside: avoid-page; } }
"""
"""How an exported page looks: paper and ink, light or dark as the reader's system is."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

Words = tuple[str, Span]
"""Words of an answer and where in it they stand."""


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


def answer_html(end: Answered, prefix: str, *, in_brackets: bool = False) -> str:
    """Return an answer as HTML. A marker without a web address leads to the id `prefix` + number.

    Where no style sheet sets the markers apart, they stand `in_brackets`.
    """
    tokens, places = parse(end.answer, {source.n for source in end.sources}), Places(end.answer)
    urls = {as_linked(source.url) for source in end.sources}
    writing = _InlineWriter(
        {marker.start: marker for marker in markers_of(end)},
        _doubts(end),
        prefix,
        urls,
        in_brackets,
    )
    for token in tokens:
        if token.type == "inline":
            token.children = list(writing.inline(list(places.children(token))))
    return grammar().renderer.render(tokens, grammar().options, {})


def _exchange(exchange: Exchange, prefix: str) -> Iterator[str]:
    about = f"{exchange.command}, {moment_of(exchange.asked_at)}"
    yield f"<h2{_written_in(exchange.text)}>{escape(exchange.text.strip())}</h2>"
    yield f'<p class="about">{escape(about)}</p>'
    if exchange.quote:
        tongue = _written_in(exchange.quote)
        yield f'<p class="quoted"{tongue}>{escape(exchange.quote.strip())}</p>'
    match exchange.answer or exchange.end:
        case Answered() as end:
            tongue = _written_in(end.answer)
            yield f'<div class="answer"{tongue}>\n{answer_html(end, prefix)}</div>'
            yield from _legend(end)
            yield from _sources(end, prefix)
        case ClarifyAsked(question=question):
            yield f'<p class="answer"{_written_in(question)}>{escape(question)}</p>'
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


def _source(row: TranscriptSource, prefix: str) -> str:
    title = escape(row.title)
    if is_web_address(row.source.url):
        title = f'<a href="{escape(row.source.url)}" rel="noreferrer noopener">{title}</a>'
    quotes = "".join(
        f"<q{_written_in(quote)}>{escape(quote)}</q>"
        + (f'<span class="host">{escape(tongue)}</span>' if tongue else "")
        for quote, tongue in row.quotes
    )
    number = row.source.n
    return (
        f'<li id="{prefix}{number}" value="{number}">{title} '
        f'<span class="host">{escape(row.about)}</span>{quotes}</li>'
    )


def _written_in(text: str) -> str:
    """Return the attributes that say in which language a text is written, and from which side."""
    if code := surely(text):
        return f' lang="{code}" dir="{"rtl" if is_right_to_left(text) else "ltr"}"'
    return ' dir="auto"'


def _doubts(end: Answered) -> list[tuple[Span, Support]]:
    """Return the doubted sentences that stand on one line of text each, in order.

    In a table a doubt is shown by the sign of its marker alone.
    """
    lines = [line for line in lines_of(end.answer) if line.kind is LineKind.TEXT]
    found: list[tuple[Span, Support]] = []
    for (start, stop), support in doubted_sentences(end):
        i = bisect_right(lines, start, key=lambda line: line.body) - 1
        if i >= 0 and stop <= lines[i].end:
            found.append(((start, stop), support))
    return found


@dataclass(slots=True)
class _InlineWriter:
    """Writes the inline parts of one answer, in order. `markers` go by where they start."""

    markers: Mapping[int, TranscriptMarker]
    doubts: Sequence[tuple[Span, Support]]
    prefix: str
    urls: Collection[str]
    in_brackets: bool = False
    in_link: bool = False
    address: str = ""

    def inline(self, tokens: Sequence[tuple[Token, Span]]) -> Iterator[Token]:
        """Replace what a model may not write by its text, and set markers and doubts."""
        words: list[Words] = []
        for token, span in tokens:
            if token.type in ("text", "image"):
                words.append((token.content, span))
                continue
            yield from self._written(words)
            words = []
            match token.type:
                case "citation":
                    yield _html(self._marker(self.markers[span[0]]))
                case "link_open":
                    href = str(token.attrs.get("href", ""))
                    self.in_link = is_own(href, self.urls) and is_web_address(href)
                    # An answer without sources may come from a text that the model was given: the
                    # words of its links would hide where they lead.
                    shows_address = (
                        not self.urls and is_web_address(href) and token.markup != "autolink"
                    )
                    self.address = href if shows_address else ""
                    if self.in_link:
                        token.attrs = {"href": href, "rel": "noreferrer noopener"}
                        yield token
                case "link_close":
                    if self.in_link:
                        yield token
                    elif self.address:
                        yield _html(f" ({escape(self.address)})")
                    self.in_link, self.address = False, ""
                case _:
                    yield token
        yield from self._written(words)

    def _written(self, words: Sequence[Words]) -> Iterator[Token]:
        """Yield words that follow each other, parted where a doubt begins or ends."""
        parted = (part for text, span in words for part in self._parted(text, span))
        for doubt, group in groupby(parted, key=lambda part: part[1]):
            text = escape("".join(part[0] for part in group))
            if doubt and text.strip():
                meaning = escape(DOUBTS[doubt])
                text = f'<span class="{doubt.value}" title="{meaning}">{text}</span>'
            yield _html(text)

    def _parted(self, text: str, span: Span) -> Iterator[tuple[str, Support | None]]:
        start, end = span
        i = bisect_right(self.doubts, start, key=lambda doubt: doubt[0][1])
        if len(text) != end - start:  # an escape, the words of a picture: it is one thing
            inside = i < len(self.doubts) and self.doubts[i][0][0] <= start
            yield text, self.doubts[i][1] if inside else None
            return
        done = start
        while i < len(self.doubts) and self.doubts[i][0][0] < end:
            (first, last), support = self.doubts[i]
            first, last = max(first, done), min(last, end)
            yield text[done - start : first - start], None
            yield text[first - start : last - start], support
            done, i = last, i + 1
        yield text[done - start :], None

    def _marker(self, marker: TranscriptMarker) -> str:
        n, support = marker.source.n, marker.support
        if self.in_link:
            return f"[{n}]{SIGNS[support]}"
        kind = "" if support is Support.SUPPORTED else f" {support.value}"
        label = f"Source {n}{',' if kind else ''}{kind}"
        href = marker.url or f"#{self.prefix}{n}"
        shown = f"[{n}]" if self.in_brackets else str(n)
        return (
            f'<a class="cite{kind}" href="{escape(href)}" rel="noreferrer noopener" '
            f'title="{escape(_tooltip(marker))}" aria-label="{label}">{shown}{SIGNS[support]}</a>'
        )


def _html(content: str) -> Token:
    return Token("html_inline", "", 0, content=content)


def _tooltip(marker: TranscriptMarker) -> str:
    quote = marker.citation.quote if marker.citation else ""
    parts = (
        f"“{' '.join(quote.split())}”" if quote else "",
        " · ".join(filter(None, (marker.source.title, host_of_source(marker.source)))),
        DOUBTS.get(marker.support, ""),
    )
    return "\n".join(filter(None, parts))
