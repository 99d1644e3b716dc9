"""The paragraphs of a page, its blocks of code, and passages: stretches of it that are long enough to be understood and
short enough to be paid for.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from statistics import median

from askance.domain.file_formats import syntax_named
from askance.domain.patterns import lazy_re
from askance.domain.web_pages import LONGEST_PAGE_CHARACTERS, MOST_PAGE_BLOCKS
from askance.text.languages.sentences import sentence_spans
from askance.text.ranking.index_terms import count_words, merged, term_spans

# In lists and quotes they stand further in.
_FENCE = lazy_re(r"^[ \t>]{0,16}+(`{3,}+|~{3,}+)([^`\n]*)$", re.MULTILINE)
_NAME = lazy_re(r"\{?[.\s]{0,4}([^\s{}:,;]{1,40})")


@dataclass(frozen=True, slots=True)
class FencedBlock:
    """A block with its fences: where it begins and ends, and its language by its one name, or ""."""

    start: int
    end: int
    syntax: str


def fenced_blocks(markdown: str) -> Iterator[FencedBlock]:
    """Yield the blocks of a text in their order. A fence that is never closed fences nothing."""
    if "```" not in markdown and "~~~" not in markdown:
        return
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(markdown):
        if opened is None:
            opened = fence
        # CommonMark, 4.5: a fence closes with one of the same sign, as long at least, and nothing
        # behind it.
        elif fence[1].startswith(opened[1]) and not fence[2].strip():
            named = _NAME.match(opened[2].strip())
            syntax = syntax_named(named[1]) if named else ""
            yield FencedBlock(opened.start(), fence.end(), syntax)
            opened = None


def without_fences(text: str) -> str:
    """Return a text without the lines that are fences, one of blocks that it has in part included."""
    return _FENCE.sub("", text) if "```" in text or "~~~" in text else text


def syntaxes_within(
    blocks: Sequence[FencedBlock], spans: Sequence[tuple[int, int]]
) -> list[tuple[str, ...]]:
    """Return, for each span of a text, the languages of the blocks that lie in it, wholly or in part.

    The blocks come in the order of the text.
    """
    starts, ends = [block.start for block in blocks], [block.end for block in blocks]
    within = (blocks[bisect_right(ends, a) : bisect_left(starts, b)] for a, b in spans)
    return [tuple(sorted({block.syntax for block in each} - {""})) for each in within]


# Lines that hold something. What may be white space alone is matched in one way only: a page may
# hold a megabyte of it.
_LINE = r"[^\S\n]*\S.*"
_BLOCK = lazy_re(rf"^{_LINE}(?:\n{_LINE})*", re.MULTILINE)
# What has no spaces is no paragraph at all, and cut anywhere.
LONGEST_RUN_CHARACTERS = 1_000
_RUN = lazy_re(rf"\S{{1,{LONGEST_RUN_CHARACTERS}}}")
_HEADING = lazy_re(r"#{1,6}\s+(.*)")

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
    # 40,000 tiny paragraphs took ten seconds of the event loop; of 93 real pages none has more than
    # 196 (decision 13).
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
        numbered = enumerate(self.paragraphs, self.first)
        runs = groupby(numbered, key=lambda each: is_wanted(*each))
        left = [list(run) for is_left, run in runs if is_left]
        return [Candidate(run[0][0], tuple(paragraph for _, paragraph in run)) for run in left]


def cut_candidates(markdown: str, max_words: int) -> list[Candidate]:
    """Return every stretch of a page that could serve as a passage; stretches may overlap.

    A page with real paragraphs gives one candidate a paragraph. On a page that breaks its lines
    every other sentence, what stands under one heading is one candidate if it has up to `max_words`,
    and gives a window at each of its paragraphs if it is longer.
    """
    paragraphs = split_paragraphs(markdown)
    if not paragraphs:
        return []
    # A writer's paragraph was four to six points better at the first place than a window of about
    # the same length (decision 3).
    if median(p.words for p in paragraphs) >= WRITTEN_PARAGRAPH_WORDS:
        return [Candidate(i, (p,)) for i, p in enumerate(paragraphs)]
    headings = [p.heading for p in paragraphs]
    starts = [i for i, heading in enumerate(headings) if i == 0 or heading != headings[i - 1]]
    found: list[Candidate] = []
    for first, end in zip(starts, [*starts[1:], len(paragraphs)], strict=True):
        # Up to 200 words: above that the budget begins to pay for filling (decision 3).
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


# A document cut into passages for the library: none overlaps another, and code stays whole.
#
# The passages of a run (`cut_candidates`) are windows around what was asked; these are made once,
# before anybody asks, and each is found by itself.

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

_HEADING_LINE = lazy_re(r"^#{1,6}\s+(\S.*)$", re.MULTILINE)
# A line without end, as of a script that was made small, is cut in pieces too.
_CODE_LINE = lazy_re(rf"[^\n]{{1,{_LONGEST_CODE_CHARACTERS}}}\n?|\n")
# What begins at the margin begins something; brackets that close and comments do not.
_BEGINS = lazy_re(r"[^\W\d]|@|<|\[|#!")
_HUMP = lazy_re(r"(?<=[a-z0-9])(?=[A-Z])")
_IDENTIFIER = lazy_re(r"[^\W_]{3,}")
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


def cut_document(text: str, *, is_code: bool) -> list[Chunk]:
    """Cut a document into passages, one at least: what has no text, such as a bookmark, is found by its title.

    Source code is cut into blocks: from a line at the margin on, up to `CODE_LINES` lines; the heading of
    one is the line that begins it. Markdown is cut into neighbours under one heading, up to `PASSAGE_WORDS`
    words; a block of code is one with what stands before it, or cut as code is where it is long.
    """
    if is_code:
        blocks = _code_spans(text, 0, len(text))
        chunks = [Chunk(start, end, _first_line(text, start, end)) for start, end in blocks]
    else:
        chunks = list(_joined(_chunk_units(text)))
    return chunks or [Chunk(0, len(text), "")]


def spelled_out(source: str) -> str:
    """Return code with the parts of its joined names behind it: `openFile` is found by `file`."""
    humps = [_HUMP.sub(" ", name) for name in _IDENTIFIER.findall(source) if not name.islower()]
    parts = [name for name in humps if " " in name]
    return " ".join((source, *parts)) if parts else source


def _chunk_units(markdown: str) -> Iterator[_Unit]:
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
        for title in _HEADING_LINE.finditer(prose):
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
        # At a blank line where there is one, so that no paragraph is cut by the size of a piece.
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
        # At least one: a unit of signs alone has no words, and `words` tells whether a passage is
        # open.
        start, end, heading, words = unit.start, unit.end, unit.heading, max(unit.words, 1)
    if words:
        yield Chunk(start, end, heading)


def _code_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the blocks of code between two places, without the blank lines around them."""
    begin = stop = start
    lines, after_blank = 0, False
    for line in _CODE_LINE.finditer(text, start, end):
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
    lines = filter(_BEGINS.match, source[start:end].splitlines())
    return next(lines, "").strip()[:LONGEST_HEADING_CHARACTERS]


# The piece of a passage that shows best why it was found.

SNIPPET_CHARACTERS = 240
_BEFORE_CHARACTERS = 60
Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a text on one line, and the ranges in it to be marked, in order and apart."""

    text: str
    marks: tuple[Range, ...]


def snippet(text: str, weights: Mapping[str, float], code: str = "") -> Snippet:
    """Return the piece of a text whose terms weigh most together; of equal ones, the first.

    `weights` are those of the terms of a query, `code` is the language of the text. Where no term
    stands in it the piece is its beginning. Fences of code are left out.
    """
    line = " ".join(without_fences(text).split())
    found = [(term, start, end) for term, start, end in term_spans(line, code) if term in weights]
    first, last = _densest(found, weights)
    return cut_around(line, [(start, end) for _, start, end in found[first:last]])


def cut_around(
    line: str,
    marks: Iterable[Range],
    *,
    characters: int = SNIPPET_CHARACTERS,
    before: int = _BEFORE_CHARACTERS,
) -> Snippet:
    """Cut a line around the first of its marks, at words where there are some near; marks that meet are one."""
    apart = merged(sorted(marks))
    start = max(apart[0][0] - before, 0) if apart else 0
    if start and (space := line.find(" ", start, apart[0][0])) >= 0:
        start = space + 1
    # A word that is cut off says less than none: the end goes back to a space if one is near.
    end = min(start + characters, len(line))
    if end < len(line) and (space := line.rfind(" ", start + characters // 2, end)) >= 0:
        end = space
    head, tail = "…" if start else "", "…" if end < len(line) else ""
    shift = len(head) - start
    retained = tuple((a + shift, min(b, end) + shift) for a, b in apart if a < end)
    return Snippet(f"{head}{line[start:end]}{tail}", retained)


def _densest(found: list[tuple[str, int, int]], weights: Mapping[str, float]) -> tuple[int, int]:
    """Return the slice of the terms found that weighs most and fits into a snippet."""
    best, place = -1.0, (0, 0)
    held: Counter[str] = Counter()
    weight, first = 0.0, 0
    for last, (term, _, end) in enumerate(found):
        weight += 0.0 if held[term] else weights[term]
        held[term] += 1
        # Both ends only go forwards, so that a long text is looked through once.
        while end - found[first][1] > SNIPPET_CHARACTERS - _BEFORE_CHARACTERS and first < last:
            gone = found[first][0]
            held[gone] -= 1
            weight -= 0.0 if held[gone] else weights[gone]
            first += 1
        # Sums of the same weights in another order differ in their last digits: of equal stretches
        # the first is meant to win.
        if weight > best + 1e-9:
            best, place = weight, (first, last + 1)
        elif place[0] == first:
            place = (first, last + 1)
    return place
