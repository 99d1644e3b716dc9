"""An answer while it is written: its blocks as far as they are there, the last one closed so that it can be drawn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from markdown_it.token import Token

from askance.citations.markdown.grammar import CAN_OPEN, parse_blocks, parse_inline
from askance.citations.markdown.marker_forms import Span
from askance.domain.events import DraftRetracted, TokenArrived
from askance.domain.evidence import Source
from askance.text.languages.scripts import CJK
from askance.ui.overlay.answer.markdown_blocks import BlockStream, MarkdownBlock, MarkdownBlockKind
from askance.ui.overlay.answer.markup import Piece, render_draft

# What can begin emphasis, code, an escape, a marker, a link or an address. Without any of these
# nothing has to be closed.
_OPENING = re.compile(r"[*_~`\\\[<【]")
_TICKS = re.compile(r"`+")
_MARKS_AND_BLANKS = "*_~ \t\n"
# Accepts ` [`, ` [12` and `【3` at the end: more digits and the closing bracket may come.
_HALF_MARKER = re.compile(r"(?<!\\)[ \t]?(?:(?<!\\)\[[0-9]{0,3}|【[0-9]{0,3})$")
# Accepts `[words](https://exa` at the end, of which the words are shown meanwhile.
_HALF_LINK = re.compile(r"(?<!\\)!?(?<!\\)\[([^\[\]\n]{0,500})\]\([^()\s]{0,2000}$")
# Accepts `<https://exa` at the end, which is shown without its bracket.
_HALF_ADDRESS = re.compile(r"(?<!\\)<(https?:[^\s<>]{0,2000})$", re.IGNORECASE)
_CLOSING = frozenset({"strong_close", "em_close", "s_close"})
_UNSPACED = re.compile(f"[{CJK}]")
_PARAGRAPH_END = 2
"""Line breaks behind which a paragraph does not go on."""


@dataclass(frozen=True, slots=True)
class DraftView:
    """What is written so far. `pieces` grows at its end, until it is retracted; `tail` changes."""

    pieces: tuple[Piece, ...]
    tail: tuple[Piece, ...]


class AnswerDraft:
    """Collects the tokens of a run."""

    def __init__(self) -> None:
        self._stream = BlockStream()
        self._numbers: frozenset[int] = frozenset()
        self._urls: frozenset[str] | None = None
        self._pieces: list[Piece] = []
        self._drawn = 0
        self.cited: dict[int, int] = {}
        """The sources that it cites so far, by their numbers, each with the one that is shown: from 1."""

    def know(self, sources: Sequence[Source]) -> None:
        """Take note of the sources that a marker may name."""
        self._numbers = frozenset(source.n for source in sources)
        self._urls = frozenset(source.url for source in sources) if sources else None

    def add(self, text: str) -> None:
        """Take in what the model wrote next."""
        self._stream.add(text)

    def take(self, event: TokenArrived | DraftRetracted) -> None:
        """Take in what the model wrote next, or forget all of that, and not the sources."""
        if isinstance(event, TokenArrived):
            self.add(event.text)
        else:
            self._stream, self._pieces, self._drawn = BlockStream(), [], 0
            self.cited.clear()

    @property
    def view(self) -> DraftView | None:
        """What to show; None while nothing was written."""
        # Finished blocks never change: each is rendered once, however many views are made.
        for block in self._stream.since(self._drawn):
            self._pieces += self._numbered(render_draft(block, self._numbers, self._urls))
        self._drawn = self._stream.count
        tail = self._stream.tail
        # A marker is whole or not there: what it is numbered stays, also where its block goes on.
        shown = self._numbered(
            render_draft(replace(tail, text=closed(tail)), self._numbers, self._urls)
        )
        return DraftView(tuple(self._pieces), shown) if self._pieces or shown else None

    def _numbered(self, pieces: Iterable[Piece]) -> tuple[Piece, ...]:
        return tuple(
            piece.renumbered(lambda n: self.cited.setdefault(n, len(self.cited) + 1))
            for piece in pieces
        )


def closed(tail: MarkdownBlock) -> str:
    """Return the text of an open block as it may be drawn: emphasis and code closed at its end.

    Only the last paragraph, heading or cell can still be closed; it is read with the grammar that
    draws it. What may be the first half of a mark, a marker or an address is left out until the
    next character decides.
    """
    text = tail.text.rstrip()
    blanks = tail.text[len(text) :]
    content = _open_content(tail) if blanks.count("\n") < _PARAGRAPH_END else ""
    if not content or not _OPENING.search(content):
        return tail.text
    shown = _closed_inline(content)
    # A half-written mark that was left out may have stood alone on its lines: they go with it.
    if (dropped := content.count("\n") - shown.count("\n")) > 0:
        text, blanks = text.rsplit("\n", dropped)[0].rstrip(), ""
    # In a cell a bar is written with a backslash, and read without.
    written = content.split("\n")[shown.count("\n")].strip().replace("|", r"\|")
    written = written if text.endswith(written) else written.replace(r"\|", "|")
    # A heading may end in signs that are none of its words: `# Title #` (CommonMark 0.31, 4.2).
    if tail.kind is MarkdownBlockKind.HEADING and not text.endswith(written):
        bare = text.rstrip("#").rstrip()
        text, blanks = bare, text[len(bare) :] + blanks
    # Words that are written otherwise than they are read cannot be found in the text. It is left
    # alone then: closing may never show a sign that was not written.
    if not text.endswith(written):
        return tail.text
    return text.removesuffix(written) + shown.rpartition("\n")[2].lstrip() + blanks


def _open_content(tail: MarkdownBlock) -> str:
    """Return the words that come last in a block; "" if it ends with code."""
    for token in reversed(parse_blocks(tail.markdown)):
        if token.content:
            return token.content if token.type == "inline" else ""
    return ""


def _closed_inline(content: str) -> str:
    tokens = parse_inline(content)
    if _ends_with_mark(tokens) and not _opening_marks(tokens):
        return content
    code = _open_code(tokens)
    behind = content[code[1] :].rstrip("`").rstrip() if code else ""
    if code and behind:
        # Code ends with as many backticks as it began with. A blank keeps one of its own at its end
        # from counting among them (CommonMark 0.31, 6.1).
        ticks = content[code[0] : code[1]]
        shown = content[: code[1]] + behind + (" " if behind.endswith("`") else "") + ticks
    else:
        shown = _without_halves(content[: code[0]] if code else content)
    if shown != content:
        tokens = parse_inline(shown)
    marks = [mark for mark, at in _opening_marks(tokens) if not _is_in_word(shown, at)]
    if not marks:
        return shown
    # A few sequences of opening marks, such as `<*<*a`, no sequence of closing ones can close.
    for closing in (marks, marks[-1:]):
        with_ends = shown + "".join(reversed(closing))
        if _is_hidden(with_ends, len(shown)):
            return with_ends
    return shown if code else content


def _is_hidden(text: str, begin: int) -> bool:
    """Whether all marks of emphasis from a place on close something."""
    return not any(
        token.type == "text" and token.content and start >= begin
        for token, (start, _) in parse_inline(text)
    )


def _ends_with_mark(tokens: Sequence[tuple[Token, Span]]) -> bool:
    """Whether the last character of a text closes emphasis."""
    shown = (token for token, _ in reversed(tokens) if token.type != "text" or token.content)
    return next(shown).type in _CLOSING


def _open_code(tokens: Sequence[tuple[Token, Span]]) -> Span | None:
    """Return where the backticks stand that begin code whose end has not come."""
    for token, (start, end) in tokens:
        is_verbatim = token.type == "text" and len(token.content) == end - start
        if is_verbatim and (ticks := _TICKS.search(token.content)):
            return start + ticks.start(), start + ticks.end()
    return None


def _without_halves(text: str) -> str:
    """Return a text without the marks at its end, of which more may come."""
    text = _HALF_ADDRESS.sub(r"\1", _HALF_LINK.sub(r"\1", _HALF_MARKER.sub("", text)))
    while True:
        bare = text.rstrip(_MARKS_AND_BLANKS)
        if _is_escaped(text, len(bare)):
            if escaped := text[len(bare) : len(bare) + 1].strip():
                return bare + escaped
            bare = bare[:-1]
        if bare == text:
            return bare
        text = bare


def _is_escaped(text: str, at: int) -> bool:
    # Backslashes escape each other in pairs: only an odd one is left to escape (CommonMark 0.31, 2.4).
    return (at - len(text[:at].rstrip("\\"))) % 2 == 1


def _opening_marks(tokens: Sequence[tuple[Token, Span]]) -> list[tuple[str, int]]:
    """Return the marks of emphasis that words behind the text may close, each with its place."""
    marks: list[tuple[str, int]] = []
    depth = 0
    for token, (start, _) in tokens:
        depth += token.nesting
        if not depth and token.type == "text" and token.content and CAN_OPEN in token.meta:
            marks.append((token.content, start))
    return marks


def _is_in_word(text: str, at: int) -> bool:
    """Whether a mark of emphasis is taken for itself (2*3), as one within a word is.

    In scripts that part no words, only a single one is.
    """
    mark = text[at]
    before = text[:at].rstrip(mark)[-1:]
    is_doubled = mark in (text[at + 1 : at + 2], text[at - 1 : at])
    return before.isalnum() and not (is_doubled and _UNSPACED.match(before))
