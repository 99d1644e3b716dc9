"""Choosing what enters the evidence: the best passages of all pages read, copies aside, up to a budget."""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from askance.domain.evidence import Passage
from askance.domain.web import Page, host_of
from askance.ranking.bm25 import Bm25f, Field
from askance.ranking.copies import CopyIndex
from askance.ranking.paragraphs import Paragraph
from askance.ranking.passages import Candidate, cut_candidates
from askance.ranking.tokens import terms

# The question counts in full, the query that found the page a little less.
QUERY_WEIGHT = 0.7
# The passage that the page's title opens is the one that the page is about.
TITLE_OPENS_BONUS = 0.3
OPENING_TERMS = 14
# What surrounds a passage that was chosen is worth this share of it: evidence grows around hits.
GROWTH = 0.5
# Passages that score less than this share of the best one are not evidence but filling.
WORTHLESS = 0.2
# A paragraph shorter than this says too little to be told from its like.
SHORTEST_COPY_WORDS = 8

DENSE = 0.0
PAIRS = 0.0
Cost = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Found:
    """A page that was read, and the queries whose results named it."""

    page: Page
    queries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Budget:
    """How much may enter. 0 for a count means no limit."""

    tokens: int
    passages: int = 0
    per_page: int = 0
    per_host: int = 0


@dataclass(frozen=True, slots=True)
class Selection:
    """The passages chosen, best first; how many were copies, and how many good ones did not fit."""

    passages: tuple[Passage, ...]
    copies: int
    dropped: int


@dataclass(frozen=True, slots=True)
class _Scored:
    score: float
    found: Found
    candidate: Candidate

    def __lt__(self, other: _Scored) -> bool:
        return self._key < other._key

    @property
    def _key(self) -> tuple[float, str, int]:
        return (-self.score, self.found.page.url, self.candidate.first)


class Selector:
    """Selects round by round; no paragraph, and no near-copy of one, is taken twice."""

    def __init__(self, question: str, *, max_words: int, near_copy: float) -> None:
        self._question = question
        self._max_words = max_words
        self._seen = CopyIndex(near_copy)
        self._taken: defaultdict[str, set[int]] = defaultdict(set)
        self._per_page: Counter[str] = Counter()
        self._per_host: Counter[str] = Counter()

    def is_known(self, text: str) -> bool:
        """Say whether a text stands, all but literally, in what was selected."""
        return self._seen.is_copy(text)

    def select(self, pages: Sequence[Found], budget: Budget, cost: Cost) -> Selection:
        """Fill the budget with the best passages of all pages together.

        A passage is ranked by BM25 over the pool of all passages, against the question and against
        the query that found its page. Ties are settled by URL and place.
        """
        heap = _score(self._question, pages, self._max_words)
        floor = WORTHLESS * max((item.score for item in heap), default=0.0)
        heapq.heapify(heap)
        chosen: list[_Scored] = []
        copies = dropped = spent = 0
        while heap:
            item = heapq.heappop(heap)
            if item.score <= floor:
                break
            fresh = item.candidate.runs(self._is_fresh(item.found.page.url))
            if not fresh:
                copies += not self._taken[item.found.page.url] & _numbers(item.candidate)
            elif fresh != [item.candidate]:
                for rest in fresh:
                    heapq.heappush(heap, _Scored(GROWTH * item.score, item.found, rest))
            else:
                price = cost(item.candidate.text)
                full = budget.passages and len(chosen) >= budget.passages
                if full or spent + price > budget.tokens or not self._allows(item, budget):
                    dropped += 1
                    continue
                spent += price
                self._take(item)
                chosen.append(item)
        return Selection(tuple(_passage(item) for item in chosen), copies, dropped)

    def _is_fresh(self, url: str) -> Callable[[int, Paragraph], bool]:
        taken = self._taken[url]

        def is_fresh(number: int, paragraph: Paragraph) -> bool:
            return number not in taken and not (
                paragraph.words >= SHORTEST_COPY_WORDS and self._seen.is_copy(paragraph.text)
            )

        return is_fresh

    def _allows(self, item: _Scored, budget: Budget) -> bool:
        url = item.found.page.url
        return (not budget.per_page or self._per_page[url] < budget.per_page) and (
            not budget.per_host or self._per_host[host_of(url)] < budget.per_host
        )

    def _take(self, item: _Scored) -> None:
        url = item.found.page.url
        self._taken[url] |= _numbers(item.candidate)
        self._per_page[url] += 1
        self._per_host[host_of(url)] += 1
        for paragraph in item.candidate.paragraphs:
            self._seen.add(paragraph.text)


@dataclass(frozen=True, slots=True)
class _Analysed:
    candidate: Candidate
    text: tuple[str, ...]
    head: tuple[str, ...]
    parts: tuple[frozenset[str], ...]


@lru_cache(maxsize=128)
def _analyse(markdown: str, title: str, max_words: int) -> tuple[_Analysed, ...]:
    """Cut and tokenise a page once; every later round asks for the same."""
    return tuple(
        _Analysed(
            c,
            tuple(terms(c.text)),
            tuple(terms(f"{title} {c.heading}")),
            tuple(frozenset(terms(p.text)) for p in c.paragraphs),
        )
        for c in cut_candidates(markdown, max_words)
    )


def _score(question: str, pages: Sequence[Found], max_words: int) -> list[_Scored]:
    pool = [(f, a) for f in pages for a in _analyse(f.page.markdown, f.page.title, max_words)]
    index = Bm25f(
        [{"text": a.text, "head": a.head} for _, a in pool],
        {"text": Field(1.0), "head": Field(0.3, 0.0)},
    )
    asked = index.scores(terms(question))
    q = terms(question)
    wanted = frozenset(q)
    pairs = set(zip(q, q[1:], strict=False))
    searched = {q: index.scores(terms(q)) for q in {q for f in pages for q in f.queries}}
    scored: list[_Scored] = []
    for i, (found, analysed) in enumerate(pool):
        query = max((searched[q][i] for q in found.queries), default=0.0)
        opening = _share(set(terms(found.page.title)), set(analysed.text[:OPENING_TERMS]))
        score = (asked[i] + QUERY_WEIGHT * query) * (1 + TITLE_OPENS_BONUS * opening)
        if DENSE:
            dense = max(sum(index.idf(t) for t in wanted & part) for part in analysed.parts)
            score += DENSE * dense
        if PAIRS:
            have = set(zip(analysed.text, analysed.text[1:], strict=False))
            score += PAIRS * sum(min(index.idf(a),index.idf(b)) for a, b in pairs & have)
        scored.append(_Scored(score, found, analysed.candidate))
    return scored


def _share(part: set[str], whole: set[str]) -> float:
    return len(part & whole) / len(part) if part else 0.0


def _numbers(candidate: Candidate) -> set[int]:
    return set(range(candidate.first, candidate.first + len(candidate.paragraphs)))


def _passage(item: _Scored) -> Passage:
    page, candidate = item.found.page, item.candidate
    query = item.found.queries[0] if item.found.queries else ""
    return Passage(
        page.url, page.title, candidate.text, candidate.offset, candidate.heading, query
    )
