"""An answer's Markdown as HTML: markers as links, doubts marked, nothing that loads or runs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from markdown_it.token import Token

from askance.citations.addresses import is_own
from askance.citations.grammar import as_linked, grammar, parse
from askance.citations.markup import LineKind, lines_of
from askance.citations.placing import Places, Span
from askance.domain.events import Answered
from askance.domain.evidence import Support
from askance.presentation.answers import SIGNS, is_web_address
from askance.transcripts.markers import Marker, doubted_sentences, markers_of
from askance.transcripts.outcome import DOUBTS

Words = tuple[str, Span]
"""Words of an answer and where in it they stand."""


def answer_html(end: Answered, prefix: str, *, in_brackets: bool = False) -> str:
    """Return an answer as HTML. A marker without a web address leads to the id `prefix` + number.

    Where no style sheet sets the markers apart, they stand `in_brackets`.
    """
    tokens, places = parse(end.answer, {source.n for source in end.sources}), Places(end.answer)
    urls = {as_linked(source.url) for source in end.sources}
    writing = _Writing(
        {marker.start: marker for marker in markers_of(end)},
        _doubts(end),
        prefix,
        urls or None,
        in_brackets,
    )
    for token in tokens:
        if token.type == "inline":
            token.children = list(writing.inline(list(places.children(token))))
    return grammar().renderer.render(tokens, grammar().options, {})


def _doubts(end: Answered) -> list[tuple[Span, Support]]:
    """Return the doubted sentences that stand on one line of text each, in order.

    In a table a doubt is told by the sign of its marker alone.
    """
    lines = [line for line in lines_of(end.answer) if line.kind is LineKind.TEXT]
    found: list[tuple[Span, Support]] = []
    for (start, stop), support in doubted_sentences(end):
        i = bisect_right(lines, start, key=lambda line: line.body) - 1
        if i >= 0 and stop <= lines[i].end:
            found.append(((start, stop), support))
    return found


@dataclass(slots=True)
class _Writing:
    """Writes the inline parts of one answer, in order. `markers` go by where they start."""

    markers: Mapping[int, Marker]
    doubts: Sequence[tuple[Span, Support]]
    prefix: str
    urls: Collection[str] | None
    in_brackets: bool = False
    in_link: bool = False

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
                    self.in_link = self._leads_to_a_page(href)
                    if self.in_link:
                        token.attrs = {"href": href, "rel": "noreferrer noopener"}
                        yield token
                case "link_close":
                    if self.in_link:
                        yield token
                    self.in_link = False
                case _:
                    yield token
        yield from self._written(words)

    def _leads_to_a_page(self, href: str) -> bool:
        """Whether an address is one of the sources, or of the web where there are none."""
        return (self.urls is None or is_own(href, self.urls)) and is_web_address(href)

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

    def _marker(self, marker: Marker) -> str:
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


def _tooltip(marker: Marker) -> str:
    quote = marker.citation.quote if marker.citation else ""
    parts = (
        f"“{' '.join(quote.split())}”" if quote else "",
        " · ".join(filter(None, (marker.source.title, marker.source.host))),
        DOUBTS.get(marker.support, ""),
    )
    return "\n".join(filter(None, parts))
