"""The paragraphs of a page, and passages: stretches of it that are long enough to be understood and short
enough to be paid for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import median

from askance.domain.web import LONGEST_PAGE_CHARACTERS, MOST_PAGE_BLOCKS
from askance.text.ranking.fences import fenced_blocks
from askance.text.ranking.tokens import count_words, sentence_spans

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
    for begin, stop in islice(_blocks(markdown), MOST_PAGE_BLOCKS):
        block = markdown[begin:stop]
        text = block.strip()
        if title := _HEADING.fullmatch(text):
            heading = title.group(1).strip()
        elif text:
            offset = begin + block.index(text)
            found += (
                Paragraph(text[start:end], offset + start, heading, count)
                for start, end, count in _parts(text)
            )
    return found


def _blocks(markdown: str) -> Iterator[tuple[int, int]]:
    """Yield what blank lines part; a block of code is one with those in it, unless it is overlong."""
    fenced = fenced_blocks(markdown[:LONGEST_PAGE_CHARACTERS])
    code = next(fenced, None)
    begin = end = -1
    for block in _BLOCK.finditer(markdown, 0, LONGEST_PAGE_CHARACTERS):
        while code is not None and code.end <= block.start():
            code = next(fenced, None)
        start, stop = block.span()
        if start >= end:
            if end > begin:
                yield begin, end
            begin = start
        end = max(end, stop)
        # Code that this block begins.
        while code is not None and code.start < stop:
            if code.end > end and _fits(count_words(markdown[begin : code.end]), code.end - begin):
                end = code.end
            code = next(fenced, None)
    if end > begin:
        yield begin, end


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


# A page whose paragraphs are this long in the median has paragraphs in the writer's sense: each is
# a passage of its own. Below it, line breaks say nothing, and neighbours are joined.
WRITTEN_PARAGRAPH_WORDS = 48
# A window into a long section stops growing at this share of what a whole section may have.
WINDOW_SHARE = 0.65


@dataclass(frozen=True, slots=True)
class Candidate:
    """Consecutive paragraphs of one page, the first being its paragraph number `first`."""

    first: int
    paragraphs: tuple[Paragraph, ...]

    @property
    def offset(self) -> int:
        """Where it starts in the page's Markdown, in characters."""
        return self.paragraphs[0].offset

    @property
    def end(self) -> int:
        """Where it ends in the page's Markdown."""
        return self.paragraphs[-1].end

    @property
    def heading(self) -> str:
        """The heading above it."""
        return self.paragraphs[0].heading

    @property
    def text(self) -> str:
        """Its paragraphs, a blank line between them."""
        return "\n\n".join(p.text for p in self.paragraphs)

    def runs(self, is_wanted: Callable[[int, Paragraph], bool]) -> list[Candidate]:
        """Return what is left of it where only some paragraphs, by number, remain."""
        found: list[Candidate] = []
        run: list[Paragraph] = []
        for number, paragraph in enumerate(self.paragraphs, self.first):
            if is_wanted(number, paragraph):
                run.append(paragraph)
            elif run:
                found.append(Candidate(number - len(run), tuple(run)))
                run = []
        if run:
            found.append(Candidate(self.first + len(self.paragraphs) - len(run), tuple(run)))
        return found


def cut_candidates(markdown: str, max_words: int) -> list[Candidate]:
    """Return every stretch of a page that could serve as a passage; stretches may overlap.

    A page with real paragraphs gives one candidate a paragraph. On a page that breaks its lines
    every other sentence, what stands under one heading is one candidate if it has up to `max_words`,
    and gives a window at each of its paragraphs if it is longer.
    """
    paragraphs = split_paragraphs(markdown)
    if not paragraphs:
        return []
    if median(p.words for p in paragraphs) >= WRITTEN_PARAGRAPH_WORDS:
        return [Candidate(i, (p,)) for i, p in enumerate(paragraphs)]
    headings = [p.heading for p in paragraphs]
    starts = [i for i, heading in enumerate(headings) if i == 0 or heading != headings[i - 1]]
    found: list[Candidate] = []
    for first, end in zip(starts, [*starts[1:], len(paragraphs)], strict=True):
        if sum(p.words for p in paragraphs[first:end]) <= max_words:
            found.append(Candidate(first, tuple(paragraphs[first:end])))
        else:
            found += _windows(paragraphs, first, end, max_words)
    return found


def _windows(
    paragraphs: Sequence[Paragraph], first: int, end: int, max_words: int
) -> list[Candidate]:
    """One window from each paragraph on, up to the last that fits; none that lies in the one before."""
    found: list[Candidate] = []
    reached = first
    for start in range(first, end):
        stop, total = start + 1, paragraphs[start].words
        while (
            stop < end
            and total < WINDOW_SHARE * max_words
            and total + paragraphs[stop].words <= max_words
        ):
            total += paragraphs[stop].words
            stop += 1
        if stop > reached:
            found.append(Candidate(start, tuple(paragraphs[start:stop])))
            reached = stop
    return found
