"""Passages: stretches of a page that are long enough to be understood and short enough to be paid for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from askance.ranking.paragraphs import Paragraph, split_paragraphs

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

    def runs(self, keep: Callable[[int, Paragraph], bool]) -> list[Candidate]:
        """Return what is left of it where only some paragraphs, by number, are kept."""
        found: list[Candidate] = []
        run: list[Paragraph] = []
        for number, paragraph in enumerate(self.paragraphs, self.first):
            if keep(number, paragraph):
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
