"""Windows: passages of whole sentences that overlap, for a prompt that has nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from askance.languages.recognition import language_of
from askance.languages.sentences import sentence_spans
from askance.ranking.paragraphs import split_paragraphs
from askance.ranking.scoring import Bm25f, Field
from askance.ranking.selection import (
    HEAD_WEIGHT,
    PAIR_WEIGHT,
    SNIPPET_RUN,
    SNIPPET_WEIGHT,
    Cost,
    Found,
    containment,
    shingles,
)
from askance.ranking.tokens import terms

# Tokens of a window: as many as a small model reads at a glance, and enough to be understood alone.
LEAST_TOKENS, MOST_TOKENS = 250, 400
# What a window has in common with the one before, as a share of it: a fact at a border stands in one.
LEAST_OVERLAP, MOST_OVERLAP = 0.15, 0.20
# A section shorter than this is joined with the next one.
SMALLEST_SECTION_TOKENS = 60


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive sentences of a page: where they begin and end in its Markdown, and their heading."""

    start: int
    end: int
    heading: str


@dataclass(frozen=True, slots=True)
class _Sentence:
    start: int
    end: int
    heading: str
    tokens: int
    ends_paragraph: bool


@dataclass(frozen=True, slots=True)
class Ranked:
    """A window, the page that it stands on, its text, and how well it fits a question."""

    found: Found
    window: Window
    text: str
    score: float


def cut_windows(
    markdown: str, cost: Cost, *, least: int = LEAST_TOKENS, most: int = MOST_TOKENS
) -> list[Window]:
    """Cut a page into windows of `least` to `most` tokens, as `cost` counts them.

    None crosses a heading, so that one of a short section is shorter; nor does one break a sentence that
    fits. Each begins with the last sentences of the one before.
    """
    return [
        window
        for section in _sections(list(_sentences(markdown, cost, most)))
        for window in _windows(section, least, most)
    ]


def rank_windows(question: str, pages: Sequence[Found], cost: Cost) -> list[Ranked]:
    """Return the windows of all pages that share a word with the question, best first.

    BM25F over the pool of them, pairs of words, and the place that the search engine's snippet shows.
    Ties are settled by URL and place.
    """
    code = language_of(found.page.markdown for found in pages)
    pool = [(f, w) for f in pages for w in cut_windows(f.page.markdown, cost)]
    texts = [found.page.markdown[w.start : w.end] for found, w in pool]
    documents = [
        {"text": terms(text, code), "head": terms(f"{found.page.title} {w.heading}", code)}
        for (found, w), text in zip(pool, texts, strict=True)
    ]
    index = Bm25f(documents, {"text": Field(1.0), "head": Field(HEAD_WEIGHT, 0.0)})
    wanted = terms(question, code)
    pairs = set(pairwise(wanted))

    def together(found: Sequence[str]) -> float:
        held = pairs & set(pairwise(found))
        return PAIR_WEIGHT * math.fsum(min(index.idf(a), index.idf(b)) for a, b in held)

    scores = [
        score + together(document["text"]) if score > 0 else 0.0
        for score, document in zip(index.scores(wanted), documents, strict=True)
    ]
    shown_is_worth = SNIPPET_WEIGHT * max(scores, default=0.0)
    ranked = [
        Ranked(found, window, text, score + shown_is_worth * _shown(found, text))
        for (found, window), text, score in zip(pool, texts, scores, strict=True)
        if score > 0
    ]
    return sorted(ranked, key=lambda r: (-r.score, r.found.page.url, r.window.start))


def _shown(found: Found, text: str) -> float:
    """Return how much of a snippet of the page stands in a text, 0 to 1."""
    held = shingles(text, SNIPPET_RUN)
    return max((containment(shingles(s, SNIPPET_RUN), held) for s in found.snippets), default=0.0)


def _sentences(markdown: str, cost: Cost, most: int) -> Iterator[_Sentence]:
    for paragraph in split_paragraphs(markdown):
        spans = [
            piece
            for span in sentence_spans(paragraph.text)
            for piece in _fitting(paragraph.text, span, cost, most)
        ]
        for number, (start, end) in enumerate(spans, 1):
            yield _Sentence(
                paragraph.offset + start,
                paragraph.offset + end,
                paragraph.heading,
                max(1, cost(paragraph.text[start:end])),
                number == len(spans),
            )


def _fitting(
    text: str, span: tuple[int, int], cost: Callable[[str], int], most: int
) -> list[tuple[int, int]]:
    """Halve what is longer than a window, at a space where there is one."""
    done: list[tuple[int, int]] = []
    open_ = [span]
    while open_:
        start, end = open_.pop()
        if end - start <= 1 or cost(text[start:end]) <= most:
            done.append((start, end))
            continue
        middle = (start + end) // 2
        space = text.rfind(" ", start + 1, middle)
        cut = space + 1 if space > (start + middle) // 2 else middle
        open_ += [(cut, end), (start, cut)]
    return done


def _sections(sentences: Sequence[_Sentence]) -> Iterator[list[_Sentence]]:
    section: list[_Sentence] = []
    tokens = 0
    for sentence in sentences:
        is_new = section and sentence.heading != section[-1].heading
        if is_new and tokens >= SMALLEST_SECTION_TOKENS:
            yield section
            section, tokens = [], 0
        section.append(sentence)
        tokens += sentence.tokens
    if section:
        yield section


def _windows(section: Sequence[_Sentence], least: int, most: int) -> Iterator[Window]:
    start = 0
    while True:
        stop, total = _filled(section, start, least, most)
        yield Window(section[start].start, section[stop - 1].end, section[start].heading)
        if stop == len(section):
            return
        again = stop
        shared = 0
        while (
            again - 1 > start
            and shared < LEAST_OVERLAP * total
            and shared + section[again - 1].tokens <= MOST_OVERLAP * total
        ):
            again -= 1
            shared += section[again].tokens
        start = again


def _filled(section: Sequence[_Sentence], start: int, least: int, most: int) -> tuple[int, int]:
    """Return where a window ends that begins there, and its tokens: behind a paragraph, if one ends in time."""
    stop, total = start + 1, section[start].tokens
    whole = (stop, total) if total >= least and section[start].ends_paragraph else None
    while stop < len(section) and total + section[stop].tokens <= most:
        total += section[stop].tokens
        stop += 1
        if total >= least and section[stop - 1].ends_paragraph:
            whole = stop, total
    return (stop, total) if stop == len(section) or whole is None else whole
