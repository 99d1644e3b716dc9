"""An answer's Markdown on a terminal: markers as links, nothing that leads anywhere unseen."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import dropwhile, zip_longest
from typing import TypeGuard

from markdown_it.token import Token
from rich.console import Console, ConsoleOptions
from rich.markdown import Markdown
from rich.segment import Segment

from askance.citations.grammar import CITATION, Places, line_spans, markers, outlines, parse
from askance.citations.marker_forms import Span
from askance.citations.markers import citation_at, reset_markers
from askance.domain.evidence import Citation, Source
from askance.presentation.answers import SIGNS, link_of

Line = list[Segment]


class AnswerMarkdown:
    """Builds rich Markdown of an answer. `links` says whether the terminal can show hyperlinks."""

    def __init__(self, sources: Sequence[Source], *, links: bool) -> None:
        self._sources = {source.n: source for source in sources}
        self._links = links

    def checked(self, text: str, citations: Sequence[Citation]) -> Markdown:
        """Return the finished answer; `citations` say which quote each marker opens."""
        return self._rendered(text, citations, self._sources)

    def draft(self, text: str) -> Markdown:
        """Return a piece of the answer as it is being written.

        A marker that names no source is taken out, with the space before it. In a checked answer
        such a thing is no marker, and stays.
        """
        return self._rendered(reset_markers(text, self._sources), (), self._sources)

    def _rendered(
        self, text: str, citations: Sequence[Citation], numbers: Collection[int]
    ) -> Markdown:
        tokens, places = parse(text, numbers), Places(text)
        for token in tokens:
            if token.type == "inline":
                children = list(places.children(token))
                token.children = list(self._inline(children, citations))
        markdown = Markdown("", hyperlinks=True)
        markdown.parsed = tokens
        return markdown

    def _inline(
        self, tokens: Sequence[tuple[Token, Span]], citations: Sequence[Citation]
    ) -> Iterator[Token]:
        behind = [token for token, _ in tokens[1:]]
        for (token, (start, _)), following in zip_longest(tokens, behind):
            source = self._sources.get(following.meta["n"]) if _is_marker(following) else None
            match token.type:
                case "text" if _is_marker(following) and source is None:
                    yield _text(token.content.removesuffix(" "))
                case "link_open" | "link_close":
                    continue  # the model's own links: their text stays, their target does not
                case "image":
                    yield _text(token.content)
                case "citation":
                    if token.meta["n"] in self._sources:
                        yield from self._marker(
                            mark_of(self._sources[token.meta["n"]], citations, start)
                        )
                case _:
                    yield token

    def _marker(self, mark: Mark) -> Iterator[Token]:
        if self._links and mark.url:
            yield Token("link_open", "a", 1, attrs={"href": mark.url})
            yield _text(f"[{mark.n}]")
            yield Token("link_close", "a", -1)
        else:
            yield _text(f"[{mark.n}]")
        if mark.sign:
            yield _text(mark.sign)


class StreamedMarkdown:
    """The answer while it is written: finished blocks are rendered once, the open tail every time."""

    def __init__(self, text: AnswerMarkdown) -> None:
        self._text = text
        self._tail = ""
        self._blocks: list[str] = []
        self._lines: list[Line] = []
        self._width = 0

    def add(self, piece: str) -> None:
        """Take in what the model wrote next."""
        self._tail += piece

    def emptied(self) -> StreamedMarkdown:
        """Return a draft of the same sources in which nothing is written yet."""
        return StreamedMarkdown(self._text)

    def lines(self, console: Console, options: ConsoleOptions) -> list[Line]:
        """Return the whole draft as lines of the given width."""
        if options.max_width != self._width:
            self._width = options.max_width
            self._lines = []
            blocks, self._blocks = self._blocks, []
            for block in blocks:
                self._finish(block, console, options)
        if end := end_of_finished(self._tail):
            self._finish(self._tail[:end], console, options)
            self._tail = self._tail[end:]
        tail = self._tail.strip()
        return [*self._lines, *(self._drawn(tail, console, options) if tail else [])]

    def _finish(self, block: str, console: Console, options: ConsoleOptions) -> None:
        self._blocks.append(block)
        self._lines += [*self._drawn(block, console, options), []]

    def _drawn(self, block: str, console: Console, options: ConsoleOptions) -> list[Line]:
        lines = console.render_lines(self._text.draft(block), options, pad=False)
        # rich begins a list with an empty line, which the blank line before the block already is.
        return list(dropwhile(lambda line: not any(s.text.strip() for s in line), lines))


@dataclass(frozen=True, slots=True)
class Mark:
    """One marker in the text. `url` is empty where nothing may be opened; `sign` says a doubt."""

    n: int
    url: str
    sign: str

    def __str__(self) -> str:
        """Return the marker as plain text, its sign behind it."""
        return f"[{self.n}]{self.sign}"


def mark_of(source: Source, citations: Sequence[Citation], at: int) -> Mark:
    """Return the marker of a source that stands at a place of an answer."""
    citation = citation_at(citations, source.n, at)
    return Mark(
        source.n,
        link_of(source, citation.quote if citation else ""),
        SIGNS[citation.support] if citation else "",
    )


def replace_marks(
    text: str,
    sources: Sequence[Source],
    citations: Sequence[Citation],
    write: Callable[[Mark], str],
) -> str:
    """Write each marker of a checked answer anew."""
    by_number = {source.n: source for source in sources}
    pieces: list[str] = []
    done = 0
    for found in markers(text, by_number):
        mark = mark_of(by_number[found.n], citations, found.start)
        pieces += [text[done : found.start], write(mark)]
        done = found.end
    return "".join([*pieces, text[done:]])


def end_of_finished(text: str) -> int:
    """Return where the finished blocks end: behind the last blank line outside of code, or 0."""
    panels = outlines(text).panels
    end = 0
    for start, stop in line_spans(text):
        is_blank = stop < len(text) and not text[start:stop].strip()
        if is_blank and not any(first <= start < last for first, last in panels):
            end = stop + 1
    return end if text[:end].strip() else 0


def _is_marker(token: Token | None) -> TypeGuard[Token]:
    return token is not None and token.type == CITATION


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
