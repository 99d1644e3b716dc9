"""The answer while it is written: blocks that are drawn once, and the tail that is drawn anew."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from askance.citations.grammar import parse_line
from askance.domain.evidence import Source
from askance.ui.model.markup import Piece, render_draft
from askance.ui.model.stream import Block, BlockKind, BlockStream

_RUN = re.compile(r"\*{1,3}|_{1,3}|~~")
_OPENING = re.compile(r"[*_~`]")
_TICKS = re.compile(r"`+")
_HALF_MARKER = re.compile(r"[ \t]?(?:\[[0-9]{0,3}|【[0-9]{0,3})$")
_HALF_LINK = re.compile(r"!?\[([^\[\]]{0,500})\]\([^()\s]{0,2000}$")


@dataclass(frozen=True, slots=True)
class DraftView:
    """What is written so far. `pieces` only ever grows at its end; `tail` changes."""

    pieces: tuple[Piece, ...]
    tail: tuple[Piece, ...]


class Drafting:
    """Collects the tokens of a run."""

    def __init__(self) -> None:
        self._stream = BlockStream()
        self._numbers: frozenset[int] = frozenset()
        self._urls: frozenset[str] | None = None
        self._pieces: list[Piece] = []
        self._drawn = 0

    def know(self, sources: Sequence[Source]) -> None:
        """Take note of the sources that a marker may name."""
        self._numbers = frozenset(source.n for source in sources)
        self._urls = frozenset(source.url for source in sources) if sources else None

    def add(self, text: str) -> None:
        """Take in what the model wrote next."""
        self._stream.add(text)

    @property
    def view(self) -> DraftView | None:
        """What to show; None while nothing was written."""
        for block in self._stream.since(self._drawn):
            self._pieces += render_draft(block, self._numbers, self._urls)
        self._drawn = self._stream.count
        tail = self._stream.tail
        shown = render_draft(replace(tail, text=closed(tail)), self._numbers, self._urls)
        return DraftView(tuple(self._pieces), shown) if self._pieces or shown else None


def closed(tail: Block) -> str:
    """Return the text of an open block as it may be drawn: emphasis and code closed at its end.

    A marker or an address of which only a part has come is left out, so that nothing flickers.
    """
    head, cut, line = tail.text.rpartition("\n")
    if tail.kind is BlockKind.CODE or not line.strip():
        return tail.text
    line = _HALF_LINK.sub(r"\1", _HALF_MARKER.sub("", line))
    return head + cut + _closed_line(line)


def _closed_line(line: str) -> str:
    if not _OPENING.search(line):
        return line
    prose = list(line)
    for token, (start, end) in parse_line(line):
        is_verbatim = token.type == "text" and len(token.content) == end - start
        if is_verbatim and (ticks := _TICKS.search(token.content)):
            at = start + ticks.start()
            return line + ticks.group() if line[start + ticks.end() :].strip() else line[:at]
        if not is_verbatim and token.tag not in ("strong", "em", "s"):
            prose[start:end] = "x" * (end - start)
    opened: list[str] = []
    text = "".join(prose)
    for run in _RUN.finditer(text):
        before = text[max(run.start() - 1, 0) : run.start()]
        after = text[run.end() : run.end() + 1]
        if opened and opened[-1] == run.group() and before.strip():
            opened.pop()
        elif not after:
            return _ended(line[: run.start()], opened)
        elif after.strip() and not before.isalnum():
            opened.append(run.group())
    return _ended(line, opened)


def _ended(line: str, opened: Sequence[str]) -> str:
    body = line.rstrip()
    return body + "".join(reversed(opened)) + line[len(body) :]
