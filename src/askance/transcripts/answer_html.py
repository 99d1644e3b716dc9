"""An answer's Markdown as HTML: markers as links, doubts marked, nothing that loads or runs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import quote as percent_encode

from markdown_it import MarkdownIt
from markdown_it.token import Token

from askance.citations.addresses import is_own
from askance.citations.markup import LineKind, code_spans, lines_of
from askance.domain.events import Answered
from askance.domain.evidence import Support
from askance.presentation.answers import SIGNS, is_web_address
from askance.transcripts.markers import Marker, doubted_sentences, markers_of
from askance.transcripts.outcome import DOUBTS

# Five signs of Old Nubian hold places in the text while it is parsed. They are punctuation, as the
# brackets of a marker are, so that emphasis beside them begins and ends as it would without them.
_OPEN, _CLOSE, _WEAK, _UNSUPPORTED, _CARRIED = "\u2cf9", "\u2cfa", "\u2cfb", "\u2cfc", "\u2cfe"
_SIGNS = (_OPEN, _CLOSE, _WEAK, _UNSUPPORTED, _CARRIED)
_FOREIGN = str.maketrans(dict.fromkeys(_SIGNS, "\ufffd"))
_PLACE = re.compile(f"{_OPEN}(\\d+){_CLOSE}|([{_WEAK}{_UNSUPPORTED}{_CARRIED}])")
_DOUBT = {_WEAK: Support.WEAK, _UNSUPPORTED: Support.UNSUPPORTED}
_SIGN = {support: sign for sign, support in _DOUBT.items()}
_ENCODED = tuple(percent_encode(sign) for sign in _SIGNS)


def answer_html(end: Answered, prefix: str, *, in_brackets: bool = False) -> str:
    """Return an answer as HTML. A marker without a web address leads to the id `prefix` + number.

    Where no style sheet sets the markers apart, they stand `in_brackets`.
    """
    markers = markers_of(end)
    # Tags that a model writes are shown as they are.
    parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])
    tokens = parser.parse(_placed(end, markers))
    urls = {parser.normalizeLink(source.url) for source in end.sources}
    writing = _Writing(markers, prefix, urls or None, in_brackets)
    for token in tokens:
        token.content = writing.spelled_out(token.content)
        token.info = writing.spelled_out(token.info)
        if token.children is not None:
            token.children = list(writing.inline(token.children))
    return parser.renderer.render(tokens, parser.options, {})


def _placed(end: Answered, markers: Sequence[Marker]) -> str:
    """Return the answer with signs in the places of its markers, and around doubted sentences."""
    text = end.answer.translate(_FOREIGN)
    edits = [(m.start, m.end, f"{_OPEN}{i}{_CLOSE}") for i, m in enumerate(markers)]
    lines = [line for line in lines_of(text, code_spans(text)) if line.kind is LineKind.TEXT]
    for (start, stop), support in doubted_sentences(end):
        if any(line.body <= start and stop <= line.end for line in lines):
            edits += [(start, start, _SIGN[support]), (stop, stop, _CARRIED)]
    pieces: list[str] = []
    done = 0
    for start, stop, sign in sorted(edits, key=lambda edit: edit[:2]):
        pieces += [text[done:start], sign]
        done = max(done, stop)
    return "".join([*pieces, text[done:]])


@dataclass(slots=True)
class _Writing:
    """Writes the inline parts of one answer, in order."""

    markers: Sequence[Marker]
    prefix: str
    urls: Collection[str] | None
    in_brackets: bool = False
    doubt: Support | None = None
    in_link: bool = False

    def spelled_out(self, text: str) -> str:
        """Put the markers back where they are no markers: into code."""
        return _PLACE.sub(
            lambda match: f"[{self.markers[int(match[1])].source.n}]" if match[1] else "", text
        )

    def inline(self, tokens: Sequence[Token]) -> Iterator[Token]:
        """Replace what a model may not write by its text, and set markers and doubts."""
        for token in tokens:
            match token.type:
                case "text" | "image":
                    yield Token("html_inline", "", 0, content=self._html(token.content))
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
                    token.content = self.spelled_out(token.content)
                    yield token

    def _leads_to_a_page(self, href: str) -> bool:
        """Whether an address is one of the sources, or of the web where there are none."""
        known = self.urls is None or is_own(href, self.urls)
        return known and is_web_address(href) and not any(e in href for e in _ENCODED)

    def _html(self, text: str) -> str:
        pieces: list[str] = []
        done = 0
        for match in _PLACE.finditer(text):
            pieces.append(self._words(text[done : match.start()]))
            done = match.end()
            if match[1]:
                pieces.append(self._marker(self.markers[int(match[1])]))
            else:
                self.doubt = _DOUBT.get(match[2])
        return "".join([*pieces, self._words(text[done:])])

    def _words(self, text: str) -> str:
        if not self.doubt or not text.strip():
            return escape(text)
        meaning = escape(DOUBTS[self.doubt])
        return f'<span class="{self.doubt.value}" title="{meaning}">{escape(text)}</span>'

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


def _tooltip(marker: Marker) -> str:
    quote = marker.citation.quote if marker.citation else ""
    parts = (
        f"“{' '.join(quote.split())}”" if quote else "",
        " · ".join(filter(None, (marker.source.title, marker.source.host))),
        DOUBTS.get(marker.support, ""),
    )
    return "\n".join(filter(None, parts))
