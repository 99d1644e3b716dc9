"""A page's Markdown as paragraphs that know their heading and place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from askance.domain.web import LONGEST_PAGE_CHARACTERS, MOST_PAGE_BLOCKS
from askance.ranking.tokens import count_words, sentence_spans

# Lines that hold something. What may be white space alone is matched in one way only: a page may
# hold a megabyte of it.
_LINE = r"[^\S\n]*\S.*"
_BLOCK = re.compile(rf"^{_LINE}(?:\n{_LINE})*", re.MULTILINE)
# What has no spaces is no paragraph at all, and cut anywhere.
LONGEST_RUN_CHARACTERS = 1_000
_RUN = re.compile(rf"\S{{1,{LONGEST_RUN_CHARACTERS}}}")
_HEADING = re.compile(r"#{1,6}\s+(.*)")

# No writer's paragraph is this long: it is a list, a table, or a page that has no paragraphs.
# Uncut, it would fit into no budget.
LONGEST_PARAGRAPH_WORDS = 400
# The longest of 93 real pages has 2,390 characters.
LONGEST_PARAGRAPH_CHARACTERS = 6_000


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph. `offset` is its place in the Markdown, in characters."""

    text: str
    offset: int
    heading: str
    words: int

    @property
    def end(self) -> int:
        """The place behind its last character."""
        return self.offset + len(self.text)


def split_paragraphs(markdown: str) -> list[Paragraph]:
    """Cut Markdown at blank lines, and overlong blocks at their lines or sentences.

    Headings are no paragraphs: they name those below them. Of a text that is longer than a page may
    be, the beginning is cut.
    """
    found: list[Paragraph] = []
    heading = ""
    blocks = _BLOCK.finditer(markdown, 0, LONGEST_PAGE_CHARACTERS)
    for block in islice(blocks, MOST_PAGE_BLOCKS):
        text = block.group().strip()
        if title := _HEADING.fullmatch(text):
            heading = title.group(1).strip()
        elif text:
            offset = block.start() + block.group().index(text)
            found += (
                Paragraph(text[start:end], offset + start, heading, count)
                for start, end, count in _parts(text)
            )
    return found


def _parts(text: str) -> list[tuple[int, int, int]]:
    """Start, end and words of the parts of a block: one, unless it is overlong."""
    total = count_words(text)
    if _fits(total, len(text)):
        return [(0, len(text), total)]
    parts: list[tuple[int, int, int]] = []
    for start, end, count in _units(text):
        if parts and _fits(parts[-1][2] + count, end - parts[-1][0]):
            parts[-1] = (parts[-1][0], end, parts[-1][2] + count)
        else:
            parts.append((start, end, count))
    return parts


def _units(text: str) -> Iterator[tuple[int, int, int]]:
    """Sentences and lines; where one is overlong itself, what stands between its spaces."""
    for start, end in sentence_spans(text):
        count = count_words(text[start:end])
        if _fits(count, end - start):
            yield start, end, count
        else:
            for run in _RUN.finditer(text, start, end):
                yield run.start(), run.end(), count_words(run.group())


def _fits(words: int, characters: int) -> bool:
    return words <= LONGEST_PARAGRAPH_WORDS and characters <= LONGEST_PARAGRAPH_CHARACTERS
