"""Where in the text of an answer the tokens stand that were read from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

Span = tuple[int, int]

AS_READ = str.maketrans({"\r": " ", "\0": "\ufffd"})
"""What is read for what is written, character by character. A carriage return ends a line for some
readers of Markdown, and would end a span of code."""

_HEADING = re.compile(r"[^#]*#{1,6}")
_ESCAPED_BORDER = re.compile(r"\\\|")
_BORDER = re.compile(r"(?<!\\)\|")


class Places:
    """Finds where in a text the tokens stand that were read from it. They are asked for in order.

    The text itself begins at `offset`. The lines that were read may be less indented than its own.
    """

    def __init__(self, text: str, offset: int = 0) -> None:
        self.text = text
        self._lines = text.translate(AS_READ).split("\n")
        self._starts = [offset]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._row, self._cells = -1, iter(list[Span]())

    def lines_of(self, code: Token) -> Span:
        """Return the lines that a block of code takes, up to the text's end if it is not closed."""
        first, last = code.map or (0, 1)
        last = min(last, len(self._lines))
        rest = self._lines[last:]
        if not any(rest) and code.type == "fence" and not is_closed(code, self._lines[last - 1]):
            return self._starts[first], self._starts[-1] - 1
        return self._starts[first], self._starts[last] - 1

    def bodies(self, block: Token) -> Iterator[Span]:
        """Yield for each line of an inline token where it starts, and where its words begin."""
        first = (block.map or (0, 1))[0]
        for i, (_, at) in enumerate(self._segments(block)):
            yield self._starts[first + i], at
            if block.meta.get("cell"):
                return

    def children(self, block: Token) -> Iterator[tuple[Token, Span]]:
        """Yield what is in an inline token, each with its place in the text."""
        segments = self._segments(block)
        i = 0
        for token in block.children or ():
            start, end = token.meta["at"]
            while i + 1 < len(segments) and segments[i + 1][0] <= start:
                i += 1
            last = i
            while last + 1 < len(segments) and segments[last + 1][0] < end:
                last += 1
            yield (
                token,
                (
                    start - segments[i][0] + segments[i][1],
                    end - segments[last][0] + segments[last][1],
                ),
            )

    def _segments(self, block: Token) -> list[Span]:
        """Return pairs of places, in the token and in the text, from each of which both go on."""
        if "segments" not in block.meta:
            block.meta["segments"] = self._found(block)
        return block.meta["segments"]

    def segments(self, block: Token) -> list[Span]:
        """Return pairs of places, in an inline token and in the text, from each of which both go on."""
        return self._found(block)

    def _found(self, block: Token) -> list[Span]:
        first, last = block.map or (0, 1)
        if block.meta.get("cell"):
            return self._cell(first, block.content)
        segments: list[Span] = []
        at = 0
        for i, content in enumerate(block.content.split("\n"), first):
            line = self._lines[i]
            words = content.strip()
            if last - first == 1 and not line.rstrip().endswith(words):
                heading = _HEADING.match(line)
                column = line.find(words, heading.end() if heading else 0)
            else:
                column = len(line.rstrip()) - len(words)
            blanks = len(content) - len(content.lstrip())
            segments.append((at, self._starts[i] + column - blanks))
            at += len(content) + 1
        return segments

    def _cell(self, line: int, content: str) -> list[Span]:
        if line != self._row:
            self._row, self._cells = line, iter(_cells(self._lines[line]))
        start = end = len(self._lines[line])
        for begin, stop in self._cells if content else ():
            if self._lines[line][begin:stop].replace(r"\|", "|") == content:
                start, end = begin, stop
                break
        segments = [(0, self._starts[line] + start)]
        for n, border in enumerate(_ESCAPED_BORDER.finditer(self._lines[line], start, end)):
            at = border.start() - start - n
            segments.append((at, self._starts[line] + border.end() - 1))
        return segments


def _cells(row: str) -> list[Span]:
    """Return where the words of the cells of a row stand, as GFM parts them."""
    indent = len(row) - len(row.lstrip(" \t>"))
    borders = [indent - 1, *(m.start() for m in _BORDER.finditer(row, indent)), len(row)]
    spans: list[Span] = []
    for before, after in pairwise(borders):
        cell = row[before + 1 : after]
        start = before + 1 + len(cell) - len(cell.lstrip())
        spans.append((start, max(start, before + 1 + len(cell.rstrip()))))
    if row.startswith("|", indent):
        del spans[0]
    return spans


def is_closed(fence: Token, last_line: str) -> bool:
    """Say whether a block of code ends with a fence; `last_line` is the last of its lines."""
    bare = last_line.strip(" \t>\r\n")
    lines = fence.map[1] - fence.map[0] if fence.map else 0
    return lines > 1 and len(bare) >= len(fence.markup) and not bare.strip(fence.markup[:1])


class PlacedState(StateInline):
    """Knows where the text begins that is not a token yet: behind the last token."""

    placed = 0

    def pushPending(self) -> Token:  # noqa: N802 - the parser's interface
        """Make a token of the text that is not one yet."""
        token = super().pushPending()
        token.meta["at"] = (self.placed, self.placed + len(token.content))
        return token


class PlacingInline(ParserInline):
    """Reads what is in a paragraph, and notes in `meta["at"]` of each token where it stands."""

    def tokenize(self, state: StateInline) -> None:
        """Generate the tokens of a stretch, as the parser does."""
        assert isinstance(state, PlacedState)
        rules = self.ruler.getRules("")
        end = state.posMax
        deepest = state.md.options["maxNesting"]
        state.placed = state.pos
        while state.pos < end:
            pos, count = state.pos, len(state.tokens)
            for rule in rules if state.level < deepest else ():
                if rule(state, False):
                    if len(state.tokens) > count:
                        _place(state.tokens[count:], pos, state.pos)
                        state.placed = state.pos
                    break
            else:
                state.append_pending(state.src[pos])
                state.pos += 1
        if state.pending:
            state.pushPending()
            state.placed = state.pos

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """Read what is in a paragraph into `tokens`."""
        state = PlacedState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def _place(tokens: Sequence[Token], start: int, end: int) -> None:
    """Note the places of what a rule made of the characters from `start` to `end`."""
    made = [token for token in tokens if "at" not in token.meta]
    if any(token.type != "text" for token in made):
        for token in made:
            token.meta["at"] = (start, end)
        return
    for token in made:  # a run of asterisks: each may open or close something of its own
        token.meta["at"] = (start, start + len(token.content))
        start += len(token.content)
