"""Windows: passages of whole sentences that overlap, for a prompt that has nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from askance.text.languages.sentences import sentence_spans
from askance.text.ranking.index_terms import compared_in, query_terms, terms
from askance.text.ranking.passages import split_paragraphs
from askance.text.ranking.scoring import (
    HEAD_WEIGHT,
    SNIPPET_WEIGHT,
    Bm25f,
    Cost,
    FoundPage,
    ScoredField,
    asked_pairs,
    pair_score,
    share_shown,
)

# Tokens of a window: as many as a small model reads at a glance, and enough to be understood alone.
LEAST_TOKENS, MOST_TOKENS = 250, 400
# What a window has in common with the one before, as a share of it: a fact at a border stands in one.
LEAST_OVERLAP, MOST_OVERLAP = 0.15, 0.20
# A section shorter than this is joined with the next one.
SMALLEST_SECTION_TOKENS = 60
# What is rare among pages that were found for a question is seldom its subject: rarity counts by its root.
RARITY = 0.5
# The first page of the search's ranking is worth this share more, the second half of it, and so on.
PLACE_WEIGHT = 0.6
# What a search showed of a page that was not read is worth this share of a page's text.
UNREAD_WEIGHT = 0.3
# So many windows, the best, are moved so that what was asked for stands in their middle; by less than this
# share of their length none is.
CENTRED, LEAST_MOVE = 24, 0.1


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
class _Cut:
    """A window as sentences of its section: from `first` to before `stop`."""

    section: Sequence[_Sentence]
    first: int
    stop: int

    @property
    def window(self) -> Window:
        start, end = self.section[self.first], self.section[self.stop - 1]
        return Window(start.start, end.end, start.heading)


@dataclass(frozen=True, slots=True)
class RankedWindow:
    """A window, the page that it stands on, its text, and how well it fits a question."""

    found: FoundPage
    window: Window
    text: str
    score: float


def rank_windows(question: str, pages: Sequence[FoundPage], cost: Cost) -> list[RankedWindow]:
    """Return the windows of all pages that share a word with the question, best first.

    BM25F over the pool of them, pairs of words, the place that the search engine's snippet shows, and
    the place of the page: `pages` come as the search ranks them. Ties are settled by URL and place. The
    best are moved, within their section, to have in their middle what was asked for.
    """
    code = compared_in(question, (found.page.markdown for found in pages))
    pool = [
        (place, found, cut)
        for place, found in enumerate(pages, 1)
        for cut in _cuts(found.page.markdown, cost)
    ]
    texts = [_text(found, cut.window) for _, found, cut in pool]
    documents = [
        {"text": terms(text, code), "head": terms(f"{f.page.title} {cut.window.heading}", code)}
        for (_, f, cut), text in zip(pool, texts, strict=True)
    ]
    # By the statistics of all windows together: by those of its own page a page's subject is
    # common, and .78 of the evidence was found in the place of .93.
    index = Bm25f(
        documents, {"text": ScoredField(1.0), "head": ScoredField(HEAD_WEIGHT, 0.0)}, rarity=RARITY
    )
    wanted = query_terms(question, code)
    pairs = asked_pairs(terms(question, code), code)
    scores = [
        score + pair_score(index, pairs, document["text"]) if score > 0 else 0.0
        for score, document in zip(index.scores(wanted), documents, strict=True)
    ]
    shown_is_worth = SNIPPET_WEIGHT * max(scores, default=0.0)
    ranked = sorted(
        (
            (
                -(score + shown_is_worth * share_shown(found, text))
                * (1 + PLACE_WEIGHT / place)
                * (1.0 if found.is_read else UNREAD_WEIGHT),
                found,
                cut,
            )
            for (place, found, cut), text, score in zip(pool, texts, scores, strict=True)
            if score > 0
        ),
        key=lambda row: (row[0], row[1].page.url, row[2].window.start),
    )

    def scorer(found: FoundPage) -> Callable[[_Sentence], float]:
        return lambda sentence: math.fsum(
            index.idf(term)
            for term in set(wanted)
            & set(terms(found.page.markdown[sentence.start : sentence.end], code))
        )

    # Only the best: moving one weighs its sentences, and the rest is seldom shown.
    best = [(s, f, _centred(cut, scorer(f))) for s, f, cut in ranked[:CENTRED]]
    return [
        RankedWindow(found, cut.window, _text(found, cut.window), -score)
        for score, found, cut in [*best, *ranked[CENTRED:]]
    ]


def _text(found: FoundPage, window: Window) -> str:
    return found.page.markdown[window.start : window.end]


def _centred(cut: _Cut, weight: Callable[[_Sentence], float]) -> _Cut:
    """Move a window along its section until what weighs most is in its middle."""
    section = cut.section
    ends = list(accumulate((sentence.tokens for sentence in section), initial=0))
    inside = range(cut.first, cut.stop)
    # Squared: one sentence with all of it outweighs many with a word each.
    weights = [weight(section[i]) ** 2 for i in inside]
    if not any(weights):
        return cut
    middles = [(ends[i] + ends[i + 1]) / 2 for i in inside]
    centre = sum(w * m for w, m in zip(weights, middles, strict=True)) / math.fsum(weights)
    length = ends[cut.stop] - ends[cut.first]
    if abs(centre - (ends[cut.first] + ends[cut.stop]) / 2) <= LEAST_MOVE * length:
        return cut
    first = next(i for i in inside if centre <= ends[i + 1])
    stop = first + 1
    while True:
        # It grows on the side that leaves the centre nearer to its middle, as long as it fits.
        before = first > 0 and ends[stop] - ends[first - 1] <= MOST_TOKENS
        behind = stop < len(section) and ends[stop + 1] - ends[first] <= MOST_TOKENS
        if before and not (behind and ends[stop + 1] - centre < centre - ends[first - 1]):
            first -= 1
        elif behind:
            stop += 1
        else:
            return _Cut(section, first, stop)


def _cuts(markdown: str, cost: Cost) -> list[_Cut]:
    """Cut a page into windows of `LEAST_TOKENS` to `MOST_TOKENS`, as `cost` counts them.

    None crosses a heading, so that one of a short section is shorter; nor does one break a sentence that
    fits. Each begins with the last sentences of the one before.
    """
    return [
        cut for section in _sections(list(_sentences(markdown, cost))) for cut in _windows(section)
    ]


def _sentences(markdown: str, cost: Cost) -> Iterator[_Sentence]:
    for paragraph in split_paragraphs(markdown):
        spans = [
            piece
            for span in sentence_spans(paragraph.text)
            for piece in _fitting(paragraph.text, span, cost)
        ]
        for number, (start, end) in enumerate(spans, 1):
            yield _Sentence(
                paragraph.offset + start,
                paragraph.offset + end,
                paragraph.heading,
                max(1, cost(paragraph.text[start:end])),
                number == len(spans),
            )


def _fitting(text: str, span: tuple[int, int], cost: Cost) -> list[tuple[int, int]]:
    """Halve what is longer than a window, at a space where there is one."""
    done: list[tuple[int, int]] = []
    open_ = [span]
    while open_:
        start, end = open_.pop()
        if end - start <= 1 or cost(text[start:end]) <= MOST_TOKENS:
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
        # A section that is too short for a window of its own takes in the next one.
        is_new = section and sentence.heading != section[-1].heading
        if is_new and tokens >= SMALLEST_SECTION_TOKENS:
            yield section
            section, tokens = [], 0
        section.append(sentence)
        tokens += sentence.tokens
    if section:
        yield section


def _windows(section: Sequence[_Sentence]) -> Iterator[_Cut]:
    start = 0
    while True:
        stop, total = _filled(section, start)
        yield _Cut(section, start, stop)
        if stop == len(section):
            return
        # From the end backwards: so many sentences as are 15 to 20 % of this window begin the next
        # one.
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


def _filled(section: Sequence[_Sentence], start: int) -> tuple[int, int]:
    """Return where a window ends that begins there, and its tokens: behind a paragraph, if one ends in time."""
    stop, total = start + 1, section[start].tokens
    whole = (stop, total) if total >= LEAST_TOKENS and section[start].ends_paragraph else None
    while stop < len(section) and total + section[stop].tokens <= MOST_TOKENS:
        total += section[stop].tokens
        stop += 1
        if total >= LEAST_TOKENS and section[stop - 1].ends_paragraph:
            whole = stop, total
    # The rest of a section is one window, however short: nothing of the page may get lost.
    return (stop, total) if stop == len(section) or whole is None else whole
