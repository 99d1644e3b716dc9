"""A document cut into passages for the library: none overlaps another, and code stays whole.

The passages of a run (`ranking.passages`) are windows around what was asked; these are made once,
before anybody asks, and each is found by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from askance.domain.web import MOST_PAGE_BLOCKS
from askance.text.ranking.fences import fenced_blocks
from askance.text.ranking.passages import split_paragraphs
from askance.text.ranking.tokens import count_words

# As the passages of a run that are joined from short paragraphs.
PASSAGE_WORDS = 200
# A function that is longer is cut at its blank lines, then anywhere: it is read in pieces anyway.
CODE_LINES = 60
_LONGEST_CODE_CHARACTERS = 6_000
# Lines that stand alone, such as imports, are no block of their own.
_FEWEST_CODE_LINES = 6
# A text is looked at in pieces, so that no limit of paragraphs cuts it short: one of three characters,
# its blank line included, is the shortest.
_PIECE_CHARACTERS = 3 * MOST_PAGE_BLOCKS

_HEADING = re.compile(r"^#{1,6}\s+(\S.*)$", re.MULTILINE)
_LINE = re.compile(rf"[^\n]{{1,{_LONGEST_CODE_CHARACTERS}}}\n?|\n")
# What begins at the margin begins something; brackets that close and comments do not.
_BEGINS = re.compile(r"[^\W\d]|@|<|\[|#!")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_IDENTIFIER = re.compile(r"[^\W_]{3,}")
LONGEST_HEADING_CHARACTERS = 120


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a document: where it begins and ends in the text, in characters, and its heading."""

    start: int
    end: int
    heading: str


@dataclass(frozen=True, slots=True)
class _Unit:
    start: int
    end: int
    heading: str
    words: int


def cut_text(markdown: str) -> list[Chunk]:
    """Cut Markdown into passages: neighbours under one heading, up to `PASSAGE_WORDS` words.

    A block of code is one with what stands before it, or cut as code is where it is long.
    """
    return list(_joined(_units(markdown)))


def cut_code(source: str) -> list[Chunk]:
    """Cut source code into blocks: from a line at the margin on, up to `CODE_LINES` lines.

    The heading of a block is the line that begins it.
    """
    return [
        Chunk(start, end, _first_line(source, start, end))
        for start, end in _code_spans(source, 0, len(source))
    ]


def spelled_out(source: str) -> str:
    """Return code with the parts of its joined names behind it: `openFile` is found by `file`."""
    humps = [_HUMP.sub(" ", name) for name in _IDENTIFIER.findall(source) if not name.islower()]
    parts = [name for name in humps if " " in name]
    return " ".join((source, *parts)) if parts else source


def _units(markdown: str) -> Iterator[_Unit]:
    heading = ""
    for start, end, is_code in _segments(markdown):
        if is_code:
            for begin, stop in _code_spans(markdown, start, end):
                yield _Unit(begin, stop, heading, count_words(markdown[begin:stop]))
            continue
        prose = markdown[start:end]
        for found in split_paragraphs(prose):
            yield _Unit(
                start + found.offset, start + found.end, found.heading or heading, found.words
            )
        for title in _HEADING.finditer(prose):
            heading = title[1].strip()


def _segments(markdown: str) -> Iterator[tuple[int, int, bool]]:
    """Yield what stands outside of code fences, and what stands in them with the fences."""
    done = 0
    for block in fenced_blocks(markdown):
        yield from _pieces(markdown, done, block.start)
        yield block.start, block.end, True
        done = block.end
    yield from _pieces(markdown, done, len(markdown))


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    while start < end:
        stop = min(start + _PIECE_CHARACTERS, end)
        if stop < end and (between := text.rfind("\n\n", start, stop)) > start:
            stop = between
        yield start, stop, False
        start = stop


def _joined(units: Iterator[_Unit]) -> Iterator[Chunk]:
    start, end, heading, words = 0, 0, "", 0
    for unit in units:
        if words and unit.heading == heading and words + unit.words <= PASSAGE_WORDS:
            end, words = unit.end, words + unit.words
            continue
        if words:
            yield Chunk(start, end, heading)
        start, end, heading, words = unit.start, unit.end, unit.heading, max(unit.words, 1)
    if words:
        yield Chunk(start, end, heading)


def _code_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the blocks of code between two places, without the blank lines around them."""
    begin = stop = start
    lines, after_blank = 0, False
    for line in _LINE.finditer(text, start, end):
        written = line.group()
        if not written.strip():
            after_blank, lines = True, lines + 1
            continue
        is_full = lines >= CODE_LINES or line.end() - begin > _LONGEST_CODE_CHARACTERS
        begins = after_blank and lines >= _FEWEST_CODE_LINES and _BEGINS.match(written)
        if stop > begin and (begins or is_full):
            yield begin, stop
            begin, lines = line.start(), 0
        elif stop == begin:
            begin = line.start()
        stop, lines, after_blank = line.end(), lines + 1, False
    if stop > begin and text[begin:stop].strip():
        yield begin, stop


def _first_line(source: str, start: int, end: int) -> str:
    for line in source[start:end].splitlines():
        if _BEGINS.match(line):
            return line.strip()[:LONGEST_HEADING_CHARACTERS]
    return ""
