"""An answer's Markdown on a terminal: markers as links, nothing that leads elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import dropwhile

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console, ConsoleOptions
from rich.markdown import Markdown
from rich.segment import Segment

from askance.cli.render.marks import Mark, replace_marks
from askance.domain.evidence import Citation, Source

# Two private-use characters hold the place of a marker while Markdown is parsed; cleaning has
# taken all of them out of the text before.
_PLACE = re.compile("\ue000(\\d+)\ue001")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")

Line = list[Segment]


class AnswerText:
    """Builds rich Markdown of an answer. `links` says whether the terminal can show hyperlinks."""

    def __init__(self, sources: Sequence[Source], *, links: bool) -> None:
        self._sources = sources
        self._links = links
        # Tags that a model writes are shown as they are: a terminal has no other use for them.
        self._parser = MarkdownIt("commonmark", {"html": False}).enable(["strikethrough", "table"])

    def checked(self, text: str, citations: Sequence[Citation]) -> Markdown:
        """Return the finished answer; `citations` say which quote each marker opens."""
        return self._rendered(text, citations, checked=True)

    def draft(self, text: str) -> Markdown:
        """Return a piece of the answer as it is being written."""
        return self._rendered(text, (), checked=False)

    def _rendered(self, text: str, citations: Sequence[Citation], *, checked: bool) -> Markdown:
        marks: list[Mark] = []

        def place(mark: Mark) -> str:
            marks.append(mark)
            return f"\ue000{len(marks) - 1}\ue001"

        placed = replace_marks(text, self._sources, citations, place, checked=checked)
        tokens = self._parser.parse(placed)
        for token in tokens:
            _spell_out(token, marks)
            if token.children is not None:
                token.children = list(self._inline(token.children, marks))
        markdown = Markdown("", hyperlinks=True)
        markdown.parsed = tokens
        return markdown

    def _inline(self, tokens: Sequence[Token], marks: Sequence[Mark]) -> Iterator[Token]:
        for token in tokens:
            match token.type:
                case "text":
                    yield from self._with_links(token.content, marks)
                case "link_open" | "link_close":
                    continue  # the model's own links: their text stays, their target does not
                case "image":
                    yield from self._with_links(token.content, marks)
                case _:
                    _spell_out(token, marks)
                    yield token

    def _with_links(self, text: str, marks: Sequence[Mark]) -> Iterator[Token]:
        pieces = _PLACE.split(text)
        for i, piece in enumerate(pieces):
            if i % 2 == 0:
                if piece:
                    yield _text(piece)
                continue
            mark = marks[int(piece)]
            if self._links and mark.url:
                yield Token("link_open", "a", 1, attrs={"href": mark.url})
                yield _text(f"[{mark.n}]")
                yield Token("link_close", "a", -1)
            else:
                yield _text(f"[{mark.n}]")
            if mark.sign:
                yield _text(mark.sign)


class Draft:
    """The answer while it is written: finished blocks are rendered once, the open tail every time."""

    def __init__(self, text: AnswerText) -> None:
        self._text = text
        self._tail = ""
        self._blocks: list[str] = []
        self._lines: list[Line] = []
        self._width = 0

    def add(self, piece: str) -> None:
        """Take in what the model wrote next."""
        self._tail += piece

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


def end_of_finished(text: str) -> int:
    """Return where the finished blocks end: behind the last blank line outside a code fence, or 0."""
    end = position = 0
    fence = ""
    for line in text.splitlines(keepends=True):
        position += len(line)
        if match := _FENCE.match(line):
            mark = match.group(1)
            fence = "" if fence == mark else fence or mark
        if not fence and not line.strip() and line.endswith("\n"):
            end = position
    return end if text[:end].strip() else 0


def _spell_out(token: Token, marks: Sequence[Mark]) -> None:
    token.content = _PLACE.sub(lambda match: f"[{marks[int(match.group(1))].n}]", token.content)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)
