"""A conversation as a Markdown, JSON or HTML document, and what all three say of an exchange: notes, sources, doubts."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from typing import Any, cast

from markdown_it.token import Token

from askance.citations.markdown.answer_markers import (
    NumberedAnswer,
    citation_at,
    numbered_from_one,
    numbers_in,
)
from askance.citations.markdown.grammar import (
    LineKind,
    Places,
    as_linked,
    grammar,
    lines_of,
    markers,
    parse,
)
from askance.citations.markdown.marker_forms import Span
from askance.citations.markdown.safe_markdown import (
    escaped_line,
    is_own,
    leads_away,
    safe_markdown,
    safe_record,
    written_address,
)
from askance.domain.events import Answered, Cancelled, ClarifyAsked, Failed
from askance.domain.evidence import Citation, Disagreement, Position, Source, Support
from askance.domain.history import (
    ConversationRecord,
    Exchange,
    TranscriptFormat,
    title_of,
    to_record,
)
from askance.domain.web_pages import is_web_address
from askance.presentation.answers import (
    CARRIED,
    DISAGREEMENT,
    DISAGREEMENT_HEADS,
    LANGUAGES,
    SIGNS,
    UNCHECKED,
    USED,
    badge_of,
    foreign_language,
    host_of_source,
    is_right_to_left,
    link_of,
    name_of,
    named_sources,
    origins_of_source,
)
from askance.text.languages.recognition import surely

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
        # One source that carries a sentence is enough for it.
        best[span] = min(best.get(span, citation.support), citation.support, key=ORDER.index)
    found: list[tuple[Span, Support]] = []
    for (start, stop), support in sorted(best.items()):
        # `_parted` goes through them by bisection, which needs them apart.
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
        case Answered(warnings=warnings) as end:
            numbers = _numbered(end).numbers
            return (*notes, *(numbers_in(warning, numbers) for warning in warnings))
        case Failed(problem=problem, fix=fix):
            return (*notes, f"There is no answer: {problem} {fix}".strip())
        case ClarifyAsked():
            return notes
        case Cancelled():
            return (*notes, "Stopped.")
        case None:
            return notes or ("This run was not finished.",)


def as_read(end: Answered) -> Answered:
    """Return an answer in the numbers that the window shows: from 1, as it cites its sources."""
    numbered = _numbered(end)

    def renumbered(position: Position) -> Position:
        sources = sorted(numbered.numbers.get(n, n) for n in position.sources)
        return replace(position, sources=tuple(sources))

    return replace(
        end,
        answer=numbered.text,
        sources=numbered.sources,
        citations=numbered.citations,
        disagreements=tuple(
            replace(each, positions=tuple(map(renumbered, each.positions)))
            for each in end.disagreements
        ),
    )


def _numbered(end: Answered) -> NumberedAnswer:
    return numbered_from_one(end.answer, end.sources, end.citations)


def legend(used: Collection[Support]) -> tuple[str, ...]:
    """Explain the signs that stand in a text."""
    return tuple(f"{SIGNS[s]} {meaning}" for s, meaning in DOUBTS.items() if s in used)


def source_rows(end: Answered) -> tuple[TranscriptSource, ...]:
    """Return the sources of an answer by their numbers."""
    return tuple(_row(source, end) for source in sorted(end.sources, key=lambda s: s.n))


def as_of_line(end: Answered) -> str:
    """Return of which day an answer is, where that matters."""
    return f"As of {end.as_of}, the newest source." if end.as_of else ""


def _row(source: Source, end: Answered) -> TranscriptSource:
    quotes = {
        " ".join(c.quote.split()): LANGUAGES.get(foreign_language(c.quote, c.sentence), "")
        for c in end.citations
        if c.n == source.n and c.quote.strip()
    }
    read, origins = badge_of(source), origins_of_source(source, end.citations, end.sources)
    # Of a file its name alone: its folder is private, and a transcript is given to others.
    name = name_of(source.url)
    host = host_of_source(source) or (name if name != source.title else "")
    about = ", ".join(filter(None, (host, (source.published or "")[:10], read, origins)))
    return TranscriptSource(source, source.title or host or name, about, tuple(quotes.items()))


def document(record: ConversationRecord, form: TranscriptFormat) -> str:
    """Return a conversation as a document of a form."""
    match form:
        case TranscriptFormat.MD:
            return as_markdown(record)
        case TranscriptFormat.HTML:
            return as_html(record)
        case TranscriptFormat.JSON:
            return as_json(record)


def moment_of(iso: str) -> str:
    """Return a moment as people read it; kept moments are in UTC."""
    return f"{iso[:10]} {iso[11:16]} UTC"


# A conversation as Markdown: the answers as they were written, without what a viewer would load or
# run.


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
    # A heading cuts a long question, which then follows in full.
    if heading != exchange.text.strip() and exchange.text.strip():
        yield _quoted_lines(exchange.text)
    if exchange.quote:
        yield _quoted_lines(exchange.quote)
    match exchange.answer or exchange.end:
        case Answered() as end:
            yield from _answer_lines(as_read(end))
        case ClarifyAsked(question=question):
            yield escaped_line(question)
        case _:
            pass
    if notes := notes_on(exchange):
        yield "\n".join(f"- Note: {escaped_line(note)}" for note in notes)


def _answer_lines(end: Answered) -> Iterator[str]:
    # Without sources (answers from memory, old ones) a link shows its address.
    urls = [source.url for source in end.sources]
    yield safe_markdown(signed(end), urls, addresses=not urls).strip()
    used = {marker.support for marker in markers_of(end)}
    if meanings := legend(used):
        yield "  \n".join(meanings)
    yield from disagreement_tables(end.disagreements, end.sources)
    if end.as_of:
        yield f"*{as_of_line(end)}*"
    if rows := source_rows(end):
        yield "**Sources**"
        yield "\n".join(map(_source_item, rows))


def disagreement_tables(
    disagreements: Iterable[Disagreement],
    sources: Sequence[Source],
    words: Callable[..., str] = str.format,
) -> Iterator[str]:
    """Yield what sources disagree in as blocks of Markdown: a title and a table for each.

    `words` translates a template with its values; documents are in English.
    """
    for each in disagreements:
        yield f"**{escaped_line(words(DISAGREEMENT, what=each.subject))}**"
        rows = [_cells(position, sources, words) for position in each.positions]
        heads = [words(head) for head in DISAGREEMENT_HEADS]
        lines = [heads, ["---"] * len(heads), *rows]
        yield "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _cells(
    position: Position, sources: Sequence[Source], words: Callable[..., str]
) -> tuple[str, ...]:
    numbers, names = named_sources(position, sources)
    value, who = (escaped_line(text).replace("|", r"\|") for text in (position.value, names))
    used = f" · {words(USED)}" if position.is_used else ""
    return value, f"{numbers} {who}{used}", position.date, str(position.origins)


def signed(end: Answered) -> str:
    """Return the answer with a sign behind each marker whose source does not carry it."""
    pieces: list[str] = []
    done = 0
    for marker in markers_of(end):
        if marker.support is not Support.SUPPORTED:
            pieces += [end.answer[done : marker.end], SIGNS[marker.support]]
            done = marker.end
    return "".join([*pieces, end.answer[done:]])


def _source_item(row: TranscriptSource) -> str:
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
"""Grows when a program that reads it would misunderstand a change; new keys do not make it grow."""


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
        # Nothing will be changed, so the places stay right.
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


# A conversation as one HTML file: nothing in it runs, and nothing is loaded.

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
# Whatever the sanitiser might miss, the reader's own browser loads and runs nothing.
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
        # Each answer numbers its sources from 1, and an id must be the only one of its page.
        lines += ["<article>", *_exchange_html(exchange, f"q{number}s"), "</article>"]
    lines += ["</body>", "</html>", ""]
    # Foreign text may hold halves of surrogate pairs, which cannot be written as UTF-8.
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


def _exchange_html(exchange: Exchange, prefix: str) -> Iterator[str]:
    about = f"{exchange.command}, {moment_of(exchange.asked_at)}"
    yield f"<h2{_written_in(exchange.text)}>{escape(exchange.text.strip())}</h2>"
    yield f'<p class="about">{escape(about)}</p>'
    if exchange.quote:
        tongue = _written_in(exchange.quote)
        yield f'<p class="quoted"{tongue}>{escape(exchange.quote.strip())}</p>'
    match exchange.answer or exchange.end:
        case Answered() as answered:
            end = as_read(answered)
            tongue = _written_in(end.answer)
            yield f'<div class="answer"{tongue}>\n{answer_html(end, prefix)}</div>'
            yield from _legend_html(end)
            tables = disagreement_tables(end.disagreements, end.sources)
            yield grammar().render("\n\n".join(tables))
            if end.as_of:
                yield f'<p class="about">{as_of_line(end)}</p>'
            yield from _sources_html(end, prefix)
        case ClarifyAsked(question=question):
            yield f'<p class="answer"{_written_in(question)}>{escape(question)}</p>'
        case _:
            pass
    failed = isinstance(exchange.end, Failed)
    for note in notes_on(exchange):
        kind = "failure" if failed else "note"
        yield f'<p class="{kind}"><strong>{kind.capitalize()}:</strong> {escape(note)}</p>'


def _legend_html(end: Answered) -> Iterator[str]:
    used = {marker.support for marker in markers_of(end)}
    used |= {support for _, support in doubted_sentences(end)}
    if meanings := legend(used):
        yield f'<p class="legend">{"<br>".join(map(escape, meanings))}</p>'


def _sources_html(end: Answered, prefix: str) -> Iterator[str]:
    if rows := source_rows(end):
        yield '<section class="sources"><h3>Sources</h3>'
        yield "<ol>"
        yield from (_source_html(row, prefix) for row in rows)
        yield "</ol></section>"


def _source_html(row: TranscriptSource, prefix: str) -> str:
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
        # A span across two blocks would cut through their tags.
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
        # Neighbours of one doubt share a span, or its line would be broken at each word.
        for doubt, group in groupby(parted, key=lambda part: part[1]):
            text = escape("".join(part[0] for part in group))
            if doubt and text.strip():
                meaning = escape(DOUBTS[doubt])
                text = f'<span class="{doubt.value}" title="{meaning}">{text}</span>'
            yield _html(text)

    def _parted(self, text: str, span: Span) -> Iterator[tuple[str, Support | None]]:
        start, end = span
        i = bisect_right(self.doubts, start, key=lambda doubt: doubt[0][1])
        # An escape or a picture's text differs in length from its source: it cannot be parted by places.
        if len(text) != end - start:
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
            # HTML has no link within a link, so here the marker is text.
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
