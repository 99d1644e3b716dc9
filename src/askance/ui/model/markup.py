"""An answer's Markdown as the window draws it: markers are links, doubts are marked, nothing loads.

Doubtful words stand between two kinds of space that nothing else in the text has. The window draws
the text, finds the pairs (`pairs_in`), underlines what is between, and takes them out. Spaces, and
not letters, so that emphasis beside them is still read as emphasis.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from askance.citations.addresses import own_links_only
from askance.citations.markers import lift_markers, set_markers
from askance.domain.evidence import Citation
from askance.ui.model.doubts import Doubt, assign, doubts_of
from askance.ui.model.inline import Kind, Line, Token, write
from askance.ui.model.sentence_ends import stops_first
from askance.ui.model.stream import Block, BlockKind, Code, code_of, split

OPENING, CLOSING = "\u205f", "\u2005"
"""What stands before and behind doubtful words until the window takes it out."""
SCHEME = "cite:"

# A carriage return ends a line for some readers of Markdown, and would end a span of code.
_MARKS = str.maketrans({OPENING: " ", CLOSING: " ", "\r": " "})
_PAIR = re.compile(f"{OPENING}[^{OPENING}{CLOSING}]*{CLOSING}")
_TARGET = re.compile(rf"{SCHEME}([0-9]{{1,3}})(?:/([0-9]{{1,6}}))?")
_DELIMITERS = frozenset(" \t>|:+*-")
_RULE = "***"


@dataclass(frozen=True, slots=True)
class Piece:
    """A block, ready to be drawn. `code` is what a block of code holds, for copying and colouring.

    `doubts` belong to the pairs of marks in `markdown`, in order.
    """

    kind: BlockKind
    markdown: str
    code: Code | None = None
    doubts: tuple[Doubt, ...] = ()
    is_tight: bool = False


@dataclass(frozen=True, slots=True)
class Rendered:
    """A whole answer, ready to be drawn."""

    pieces: tuple[Piece, ...] = ()

    @property
    def markdown(self) -> str:
        """All of it as one text."""
        return joined(self.pieces)

    @property
    def doubts(self) -> tuple[Doubt, ...]:
        """Those of all pieces, as their marks stand in `markdown`."""
        return tuple(doubt for piece in self.pieces for doubt in piece.doubts)


@dataclass(frozen=True, slots=True)
class Target:
    """What a marker's link names: a source, and a citation by its index if one was checked."""

    n: int
    citation: int | None = None


def render(
    text: str,
    numbers: Collection[int] = (),
    citations: Sequence[Citation] = (),
    urls: Collection[str] | None = None,
) -> Rendered:
    """Return a finished answer, ready to be drawn. `numbers` are those of its sources.

    `urls` are their addresses: nothing leads elsewhere. None where the answer stands on no sources.
    """
    text = text.translate(_MARKS)
    blocks = split(text)
    lines: list[list[list[Token]]] = []
    offset = 0
    for block in blocks:
        lines.append(_read(block, offset, numbers, urls))
        offset += len(block.text)
    markers = [t for block in lines for line in block for t in line if t.kind is Kind.MARKER]
    assigned = assign(markers, citations)
    targets = {
        marker.start: SCHEME + (str(marker.n) if i is None else f"{marker.n}/{i}")
        for marker, i in zip(markers, assigned, strict=True)
    }
    doubts = doubts_of(text, markers, assigned, citations)
    pieces = [
        _piece(block, tokens, targets, doubts)
        for block, tokens in zip(blocks, lines, strict=True)
        if block.text.strip()
    ]
    return Rendered(tuple(pieces))


def render_draft(
    block: Block, numbers: Collection[int] = (), urls: Collection[str] | None = None
) -> Piece:
    """Return a block of an answer that is being written, its markers in the form they will have.

    Where there are sources, what names none of them or leads elsewhere is taken out, as the check
    will do.
    """
    text = block.text.translate(_MARKS)
    if numbers and block.kind is not BlockKind.CODE:
        text = own_links_only(text, urls or ())
        draft = lift_markers(text, frozenset(numbers))
        places: dict[int, list[int]] = {}
        for anchor in draft.anchors:
            places.setdefault(anchor.at, []).extend(anchor.numbers)
        text = set_markers(draft.text, places).text
    block = replace(block, text=text)
    tokens = _read(block, 0, numbers, urls)
    targets = {t.start: f"{SCHEME}{t.n}" for line in tokens for t in line}
    return _piece(block, tokens, targets, ())


def joined(pieces: Sequence[Piece]) -> str:
    """Return pieces as one text. The items of a list stay as close as they were written."""
    text = ""
    for before, piece in zip((None, *pieces), pieces, strict=False):
        if before is not None:
            both = before.kind is piece.kind is BlockKind.LIST
            text += "\n" if both and before.is_tight else "\n\n"
        text += piece.markdown
    return text


def target_of(link: str) -> Target | None:
    """Return what a link of the answer names, or None if it leads to the web."""
    found = _TARGET.fullmatch(link)
    if found is None:
        return None
    return Target(int(found[1]), int(found[2]) if found[2] else None)


def pairs_in(drawn: str) -> list[tuple[int, int]]:
    """Return where the pairs of marks stand in the drawn text: the place of each of the two."""
    return [(found.start(), found.end() - 1) for found in _PAIR.finditer(drawn)]


def _read(
    block: Block, offset: int, numbers: Collection[int], urls: Collection[str] | None
) -> list[list[Token]]:
    """Return the pieces of each line of a block, the indentation that is left out not among them."""
    if block.kind in (BlockKind.CODE, BlockKind.RULE):
        return []
    lines = block.text.rstrip("\n").split("\n")
    in_table = bool(block.head) or any(
        _DELIMITERS.issuperset(line) and {"|", "-"} <= set(line) for line in lines
    )
    first = next((line for line in lines if line.strip()), "")
    indent = len(first) - len(first.lstrip(" \t"))
    if block.kind in (BlockKind.PARAGRAPH, BlockKind.TABLE):
        indent = len(block.text)
    read: list[list[Token]] = []
    for line in lines:
        cut = min(indent, len(line) - len(line.lstrip(" \t")))
        body = Line(line[cut:], offset=offset + cut, numbers=numbers, urls=urls, in_table=in_table)
        read.append(list(body.tokens()))
        offset += len(line) + 1
    return read


def _piece(
    block: Block,
    lines: Sequence[Sequence[Token]],
    targets: Mapping[int, str],
    doubts: Sequence[Doubt],
) -> Piece:
    if block.kind is BlockKind.CODE:
        code = code_of(block)
        return Piece(block.kind, _fenced(code), code)
    if block.kind is BlockKind.RULE:
        return Piece(block.kind, _RULE)
    written = [t for line in lines for t in line]
    last = written[-1].end if written else 0
    here = _within(doubts, written[0].start, last) if written else ()
    # Words of doubt may go on in the next block where a paragraph was too long for one.
    marks = [
        (place, mark)
        for d in here
        for place, mark in ((d.start, OPENING), (min(d.end, last), CLOSING))
    ]
    text = "\n".join(
        "".join(_marked(t, marks, targets) for t in stops_first(line)) for line in lines
    )
    is_tight = block.text.count("\n", len(block.text.rstrip(" \t\n"))) < 2
    text = _head_again(block) + text.strip("\n")
    return Piece(block.kind, text, doubts=tuple(here), is_tight=is_tight)


def _head_again(block: Block) -> str:
    """Return the head of a table that goes on, its numbers as plain characters."""
    lines = block.head.splitlines()
    tokens = (Line(line, in_table=True).tokens() for line in lines)
    return "".join("".join(write(t, {}) for t in line) + "\n" for line in tokens)


def _within(doubts: Sequence[Doubt], start: int, end: int) -> Sequence[Doubt]:
    """Return those that begin between two places."""
    first = bisect_left(doubts, start, key=lambda doubt: doubt.start)
    return doubts[first : bisect_left(doubts, end, lo=first, key=lambda doubt: doubt.start)]


def _marked(token: Token, marks: Sequence[tuple[int, str]], targets: Mapping[int, str]) -> str:
    """Write a piece with the marks that fall on it: inside of text, around everything else."""
    opens = bisect_left(marks, (token.start, ""))
    inside = [mark for mark in marks[opens:] if mark[0] <= token.end]
    text, done, behind = "", 0, ""
    for place, mark in inside:
        at = place - token.start
        if (mark == OPENING and place == token.end) or (mark == CLOSING and at == 0):
            continue  # it belongs to the next piece, or to the one before
        if token.kind is Kind.TEXT:
            text += token.text[done:at] + mark
            done = at
        elif mark == OPENING:
            text += mark
        else:
            behind += mark
    if token.kind is Kind.TEXT:
        return text + token.text[done:]
    return text + write(token, targets) + behind


def _fenced(code: Code) -> str:
    runs = re.findall(r"`+", code.text)
    fence = "`" * max(3, 1 + max(map(len, runs), default=0))
    return f"{fence}{code.language}\n{code.text}\n{fence}"
