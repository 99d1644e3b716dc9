"""Ranking: BM25F over the fields of texts, the fusion of rankings, and the choice of what enters the evidence.

All of it is pure Python: a few hundred short texts take well under a millisecond. The best passages of all pages
enter, copies aside, up to a budget.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, pairwise

from askance.domain.evidence import Passage
from askance.domain.library import Origin
from askance.domain.web_pages import Page
from askance.text.caches import text_cache
from askance.text.languages.language import CODES, language
from askance.text.languages.scripts import has_case
from askance.text.ranking.index_terms import compared_in, query_terms, terms, words
from askance.text.ranking.passages import Candidate, Paragraph, cut_candidates

Terms = Sequence[str]
# As in the paper of `fuse`.
# Fixed there in a pilot and not altered after it: without it the first of one list would outweigh
# what several lists agree on.
_FUSED_FROM = 60


K1 = 1.2
"""How soon a term that comes again adds no more: the saturation of BM25, as Lucene has it."""


@dataclass(frozen=True, slots=True)
class ScoredField:
    """Weight and length normalisation of one field."""

    weight: float = 1.0
    # As in Lucene; 0.5 < b < 0.8 and 1.2 < k1 < 2 are good in many circumstances
    # (Robertson, Zaragoza, "The Probabilistic Relevance Framework", 2009).
    b: float = 0.75


@dataclass(frozen=True, slots=True)
class Collection:
    """What is known of all documents where only some are ranked.

    `documents` is how many there are, `frequencies` how many of them hold a term, `lengths` the mean
    number of terms in each field.
    """

    documents: int
    frequencies: Mapping[str, int]
    lengths: Mapping[str, float]


class Bm25f:
    """Simple BM25F: term frequencies are normalised and weighted per field, added up, then saturated.

    score(d, q) = Σ_t idf(t) · tf'(t, d) / (k1 + tf'(t, d)),
    tf'(t, d) = Σ_f w_f · tf_f(t, d) / (1 - b_f + b_f · len_f(d) / avglen_f),
    idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5)), never negative.

    Source: Zaragoza, Craswell, Taylor, Saria, Robertson, "Microsoft Cambridge at TREC-13" (2004);
    the form of idf is Lucene's. A term counts once for each document that holds it in any field.

    N, df and avglen are those of the documents, or of a `collection` that they are the best of. `rarity` is
    a power for idf: below 1 rare terms and common ones count more alike.
    """

    def __init__(
        self,
        documents: Sequence[Mapping[str, Terms]],
        fields: Mapping[str, ScoredField],
        *,
        collection: Collection | None = None,
        rarity: float = 1.0,
    ) -> None:
        self._fields = fields
        self._lengths = collection.lengths if collection else _mean_lengths(documents, fields)
        # What the collection does not name counts nothing, and is not counted.
        counted = collection.frequencies if collection else None
        self._frequencies = [_weighted(d, fields, self._lengths, counted) for d in documents]
        df: Mapping[str, int] = (
            collection.frequencies
            if collection
            else Counter(term for frequencies in self._frequencies for term in frequencies)
        )
        n = collection.documents if collection else len(documents)
        # The weight of Robertson and Spärck Jones without relevance, with 1 added inside: else a
        # term that most of a small pool holds would count against it.
        self._idf = {t: math.log(1 + (n - c + 0.5) / (c + 0.5)) ** rarity for t, c in df.items()}

    def idf(self, term: str) -> float:
        """Return the inverse document frequency of a term; 0 for one that no document holds."""
        return self._idf.get(term, 0.0)

    def scores(self, query: Terms) -> list[float]:
        """Return the score of every document, in their order. Repeated query terms count once."""
        wanted = self._wanted(query)
        return [self._sum(wanted, frequencies) for frequencies in self._frequencies]

    def scores_of(self, document: Mapping[str, Terms], queries: Iterable[Terms]) -> list[float]:
        """Return the score of any document for each query, measured by this collection."""
        frequencies = _weighted(document, self._fields, self._lengths)
        return [self._sum(self._wanted(query), frequencies) for query in queries]

    def _wanted(self, query: Terms) -> list[tuple[str, float]]:
        return [(t, self._idf[t]) for t in dict.fromkeys(query) if t in self._idf]

    def _sum(self, wanted: list[tuple[str, float]], frequencies: Mapping[str, float]) -> float:
        # No factor (K1 + 1): it is the same for all terms and changes no order.
        return sum(idf * tf / (K1 + tf) for t, idf in wanted if (tf := frequencies.get(t)))


def fuse(rankings: Sequence[Sequence[str]]) -> list[str]:
    """Merge rankings of keys, best first: score(d) = Σ 1 / (60 + rank). Ties are settled by key.

    Source: Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual
    Rank Learning Methods" (SIGIR 2009).
    """
    shares: defaultdict[str, list[float]] = defaultdict(list)
    for ranking in rankings:
        for rank, key in enumerate(dict.fromkeys(ranking), 1):
            shares[key].append(1.0 / (_FUSED_FROM + rank))
    # An exact sum: added up one by one, equal scores would differ by the order of the rankings.
    scores = {key: math.fsum(parts) for key, parts in shares.items()}
    return sorted(scores, key=lambda key: (-scores[key], key))


def _mean_lengths(
    documents: Sequence[Mapping[str, Terms]], fields: Mapping[str, ScoredField]
) -> dict[str, float]:
    n = len(documents) or 1
    return {name: sum(len(d.get(name, ())) for d in documents) / n for name in fields}


def _weighted(
    document: Mapping[str, Terms],
    fields: Mapping[str, ScoredField],
    average: Mapping[str, float],
    counted: Container[str] | None = None,
) -> dict[str, float]:
    total: dict[str, float] = {}
    for name, field in fields.items():
        found = document.get(name, ())
        if not found:
            continue
        relative = len(found) / average[name] if average[name] else 1.0
        # Fields are weighted before saturation: a sum of one BM25 a field would count a word in two
        # fields twice in full (Robertson, Zaragoza 2009, "Multiple Streams and BM25F").
        norm = field.weight / (1 - field.b + field.b * relative)
        weighed = found if counted is None else [each for each in found if each in counted]
        for each, count in Counter(weighed).items():
            total[each] = total.get(each, 0.0) + norm * count
    return total


def stretched(scores: Sequence[float]) -> list[float]:
    """Return scores of one list so that they reach from 0 to 1, to be added to those of another; equal ones are 1."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    # Min-max as in Lee, "Analyses of Multiple Evidence Combination" (SIGIR 1997). On HotpotQA a sum
    # of such scores found .813, fusion by ranks .746 (decision 31).
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]


# The question counts in full, the query that found the page a little less.
QUERY_WEIGHT = 0.7
# Two words of the question that stand side by side are worth this share of the rarer one again.
# Without it .935 of the sentences of real articles enter 400 tokens instead of .952 (decision 4).
PAIR_WEIGHT = 0.5
# Chinese terms are pairs of characters already: pairs of them cost two points (docs/bench/questions.md).
_WITHOUT_PAIRS = frozenset({"zh"})
# A word in the page's title or the passage's heading counts this much of one in its text.
HEAD_WEIGHT = 0.3
# A snippet shows where on the page the search engine found what was asked: that place is worth this
# share of the best score of all.
# On pages with broken lines 0.2 finds .966 of the passages, 0.4 .978, 0.7 .981 (decision 4).
SNIPPET_WEIGHT = 0.5
# Runs of three words tell the place even where the engine cut the snippet in mid-sentence.
SNIPPET_RUN = 3
# A later round reads pages for what is missing: they come before what earlier rounds passed over.
NEW_PAGE_BONUS = 0.5
# What surrounds a passage that was chosen is worth this share of it: evidence grows around hits.
# 0.3 and 0.7 lose one point (decision 4).
GROWTH = 0.5
# Length up to which neighbouring short paragraphs are joined around a hit: measured, see
# `docs/decisions/0003-passages.md`.
PASSAGE_WORDS = 200
# Share of a text's five-word runs that must stand in another one to make it a near-copy.
NEAR_COPY = 0.8
# A paragraph shorter than this says too little to be distinguished from its like.
SHORTEST_COPY_WORDS = 8
_TOKEN = re.compile(r"\w+(?:[.,:]\d+)*")

SHINGLE = 5
# Of so many texts it is known that they share a run of words.
_MOST_ALIKE = 8
# Share of a snippet, which is cut anywhere, that tells whether its place on the page has entered.
KNOWN_SNIPPET = 0.5
Shingles = frozenset[int]
"""The runs of words of a text, each as the hash of its words: as words, those of a search take megabytes."""

Cost = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page that was read, the queries whose results named it, and the snippets they showed of it.

    `library_origin` is where a document of the library came from; None for a page that was read now. Without
    `is_read` its text is but what a search showed of it.
    """

    page: Page
    queries: tuple[str, ...]
    snippets: tuple[str, ...] = ()
    library_origin: Origin | None = None
    is_read: bool = True


@dataclass(frozen=True, slots=True)
class Budget:
    """How much may enter. 0 for a count means no limit."""

    tokens: int
    passages: int = 0


@dataclass(frozen=True, slots=True)
class Selection:
    """The passages chosen, best first; how many were copies, and how many good ones did not fit."""

    passages: tuple[Passage, ...]
    copies: int
    dropped: int


@dataclass(frozen=True, slots=True)
class _Scored:
    score: float
    found: FoundPage
    candidate: Candidate

    # The heap compares nothing else: ties go by URL and place, and never by the order of the reads.
    def __lt__(self, other: _Scored) -> bool:
        return self._key < other._key

    @property
    def _key(self) -> tuple[float, str, int]:
        return (-self.score, self.found.page.url, self.candidate.first)


class PassageSelector:
    """Selects round by round; no paragraph, and no near-copy of one, is taken twice."""

    def __init__(
        self, question: str, *, max_words: int = PASSAGE_WORDS, near_copy: float = NEAR_COPY
    ) -> None:
        self._question = question
        self._max_words = max_words
        self._seen = CopyIndex(near_copy)
        self._taken: defaultdict[str, set[int]] = defaultdict(set)
        self._known: set[str] = set()
        self._earlier: set[str] = set()

    def copy(self) -> PassageSelector:
        """Return one that has seen the same: what it selects, this one does not know of."""
        other = PassageSelector(
            self._question, max_words=self._max_words, near_copy=self._seen.threshold
        )
        other._seen = self._seen.copy()
        other._taken.update({url: set(numbers) for url, numbers in self._taken.items()})
        other._known, other._earlier = set(self._known), set(self._earlier)
        return other

    def remember(self, text: str) -> None:
        """Take note of a text that is there, selected or not: no copy of it is."""
        self._seen.add(text)

    def holds(self, snippet: str) -> bool:
        """Say whether most of a snippet stands in what was selected, and nothing that contradicts it."""
        return self._seen.is_copy(snippet, threshold=KNOWN_SNIPPET)

    def select(
        self, pages: Sequence[FoundPage], budget: Budget, cost: Cost, *, more: bool = False
    ) -> Selection:
        """Fill the budget with the best passages of all pages together.

        `more` goes on with the round of the selection before.

        A passage is ranked by BM25 over the pool of all passages, against the question and against
        the query that found its page. Ties are settled by URL and place.
        """
        scorer = _Scorer(self._question, pages, self._max_words)
        # A page of one repeated line has thousands of equal passages: each text is priced once.
        price_of = cache(cost)
        if not more:
            self._earlier = set(self._known)
        heap = scorer.pool(self._earlier)
        self._known |= {found.page.url for found in pages}
        heapq.heapify(heap)
        chosen: list[_Scored] = []
        copies = dropped = spent = 0
        while heap:
            item = heapq.heappop(heap)
            if item.score <= 0:
                break
            fresh = item.candidate.runs(self._is_fresh(item.found.page.url))
            # Candidates overlap: what was taken or is a copy is cut out, and the rest competes
            # anew.
            if not fresh:
                copies += not self._taken[item.found.page.url] & _numbers(item.candidate)
            elif fresh != [item.candidate]:
                for rest in fresh:
                    heapq.heappush(heap, scorer.remainder(item, rest))
            else:
                price = price_of(item.candidate.text)
                full = budget.passages and len(chosen) >= budget.passages
                # A shorter one further down may still fit: the search goes on to the end of the
                # heap.
                if full or spent + price > budget.tokens:
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

    def _take(self, item: _Scored) -> None:
        url = item.found.page.url
        self._taken[url] |= _numbers(item.candidate)
        for paragraph in item.candidate.paragraphs:
            self.remember(paragraph.text)


class CopyIndex:
    """Remembers texts and tells which new ones are near-copies of what they say.

    A text that differs in a name, a number, a date or a negation is no copy, however much else is the same.
    """

    def __init__(self, threshold: float, size: int = SHINGLE) -> None:
        self.threshold = threshold
        self._size = size
        self._texts: dict[str, None] = {}
        self._seen: dict[int, tuple[str, ...]] = {}

    def copy(self) -> CopyIndex:
        """Return one that remembers the same."""
        other = CopyIndex(self.threshold, self._size)
        other._texts, other._seen = dict(self._texts), dict(self._seen)
        return other

    def add(self, text: str) -> None:
        """Remember a text."""
        if text in self._texts:
            return
        self._texts[text] = None
        for run in shingles(text, self._size):
            known = self._seen.get(run, ())
            if len(known) < _MOST_ALIKE:  # thousands of entries of a list may begin alike
                self._seen[run] = (*known, text)

    def share(self, text: str) -> float:
        """Return how much of a text stands in those remembered, taken together, 0 to 1."""
        found = shingles(text, self._size)
        return sum(run in self._seen for run in found) / len(found) if found else 0.0

    def is_copy(self, text: str, *, threshold: float | None = None) -> bool:
        """Say whether a text stands, up to the threshold, in those remembered, taken together.

        With another `threshold` the text is one that was cut: at its ends it may go on with what is not known.
        """
        is_cut, size = threshold is not None, self._size
        threshold = self.threshold if threshold is None else threshold
        if not 0 < self.share(text) >= threshold:
            return False
        found = shingles(text, size)
        # Where one text has most of it alone, that is what it copies or contradicts.
        counts = Counter(known for run in found for known in self._seen.get(run, ()))
        alone = [known for known, n in counts.items() if n >= threshold * len(found)]
        if alone:
            return any(not _contradicts(text, known, size=size, is_cut=is_cut) for known in alone)
        gaps = _gaps(text, self._seen, size)
        return not _is_distinctive(text, gaps[1:-1] if is_cut else gaps)


def _contradicts(text: str, known: str, *, size: int, is_cut: bool) -> bool:
    """Say whether one of two alike texts has a name, a number, a date or a negation where the other has not.

    What one goes on with where the other ends is no contradiction, of `text` only if it `is_cut`.
    """
    ours = _gaps(text, shingles(known, size), size)
    theirs = _gaps(known, shingles(text, size), size)
    for edge in (0, -1):
        if not ours[edge]:
            theirs[edge] = []
        elif is_cut and not theirs[edge]:
            ours[edge] = []
    # Longer stretches are other sentences.
    theirs = [gap for gap in theirs if len(gap) <= size]
    ours = [gap for gap in ours if len(gap) <= size or not is_cut]
    return _is_distinctive(text, ours) or _is_distinctive(known, theirs)


def _is_distinctive(text: str, gaps: Iterable[Iterable[str]]) -> bool:
    return not distinctive_words(text).isdisjoint(chain.from_iterable(gaps))


def _gaps(text: str, known: Container[int], size: int) -> list[list[str]]:
    """Return the stretches of words in none of the known runs: that at the beginning, all inside, that at the end."""
    tokens = words(text)
    covered = [False] * len(tokens)
    size = min(size, len(tokens))
    for i in range(len(tokens) - size + 1):
        if hash(tuple(tokens[i : i + size])) in known:
            covered[i : i + size] = [True] * size
    gaps: list[list[str]] = [[]]
    for word, is_known in zip(tokens, covered, strict=True):
        if not is_known:
            gaps[-1].append(word)
        elif gaps[-1] or len(gaps) == 1:
            gaps.append([])
    return gaps if len(gaps) > 1 else [*gaps, []]


@text_cache(4096)
def shingles(text: str, size: int = SHINGLE) -> Shingles:
    """Return the runs of `size` words; a shorter text is one run."""
    tokens = words(text)
    if len(tokens) < size:
        return frozenset({hash(tuple(tokens))}) if tokens else frozenset()
    return frozenset(hash(tuple(tokens[i : i + size])) for i in range(len(tokens) - size + 1))


def containment(part: Shingles, whole: Shingles) -> float:
    """Return the share of `part` that stands in `whole`, 0 to 1; 0 for an empty part.

    One-sided on purpose: a snippet inside a passage must not throw the passage out.
    Source: Broder, "On the resemblance and containment of documents" (1997).
    """
    return len(part & whole) / len(part) if part else 0.0


def share_shown(found: FoundPage, text: str) -> float:
    """Return how much of a snippet of the page stands in a text, 0 to 1."""
    held = shingles(text, SNIPPET_RUN)
    return max((containment(shingles(s, SNIPPET_RUN), held) for s in found.snippets), default=0.0)


def asked_pairs(question: Sequence[str], code: str) -> set[tuple[str, str]]:
    """Return the terms of a question that stand side by side and count more where they do so again."""
    return set() if code in _WITHOUT_PAIRS else set(pairwise(question))


def pair_score(index: Bm25f, pairs: Set[tuple[str, str]], found: Terms) -> float:
    """Return what it is worth that terms of a question stand side by side in a text, as they do in the question."""
    # The rarer word of a pair counts: a pair with a common one is no more than that word. An exact
    # sum: a set has no order, and equal scores must be equal.
    together = pairs & set(pairwise(found))
    return PAIR_WEIGHT * math.fsum(min(index.idf(a), index.idf(b)) for a, b in together)


@text_cache(128)
def _cut(markdown: str, max_words: int) -> tuple[Candidate, ...]:
    """Cut a page once; every later round asks for the same."""
    return tuple(cut_candidates(markdown, max_words))


@text_cache(8192)
def distinctive_words(text: str) -> frozenset[str]:
    """Return the words in which alike texts contradict each other: names, numbers, dates and negations.

    Where letters have no case any word may be a name.
    """
    found, (idle, listed) = set(words(text)), _word_lists()
    written = (t for t in _TOKEN.findall(text) if t[0].isupper() or any(c.isdigit() for c in t))
    named = {*words(" ".join(written)), *(w for w in found if not any(map(has_case, w)))}
    denied = {word for word in found if word.endswith("n't")}
    return frozenset(named - idle | found & listed | denied)


@cache
def _word_lists() -> tuple[frozenset[str], frozenset[str]]:
    """Return the function words of all languages, and their negations, number words and months: a copy may mix them."""
    known = [language(code) for code in CODES]
    idle = frozenset[str]().union(*(each.stop_words for each in known))
    written = chain.from_iterable(
        (*each.negations, *each.numbers, *chain.from_iterable(each.months)) for each in known
    )
    return idle, frozenset(word for phrase in written for word in words(phrase))


@text_cache(8192)
def _terms(text: str, code: str) -> tuple[str, ...]:
    """Terms of a paragraph: it stands in several candidates, and comes back every round."""
    return tuple(terms(text, code))


class _Scorer:
    """Scores stretches of the pages by the statistics of all of them."""

    def __init__(self, question: str, pages: Sequence[FoundPage], max_words: int) -> None:
        # One language for all: a name has one stem in the question and on every page.
        self._code = compared_in(question, (found.page.markdown for found in pages))
        self._pairs = asked_pairs(terms(question, self._code), self._code)
        self._question = query_terms(question, self._code)
        self._candidates = [(f, c) for f in pages for c in _cut(f.page.markdown, max_words)]
        self._index = Bm25f(
            [self._document(f, c) for f, c in self._candidates],
            # b = 0: that a title is long does not make it say less of each of its words.
            {"text": ScoredField(1.0), "head": ScoredField(HEAD_WEIGHT, 0.0)},
        )

    def pool(self, known: set[str]) -> list[_Scored]:
        """Score all candidates of the pages; those of `known` addresses had their chance before."""
        scored = [_Scored(self._score(f, c), f, c) for f, c in self._candidates]
        best = max((item.score for item in scored), default=0.0)
        pool: list[_Scored] = []
        for item in scored:
            score = item.score + SNIPPET_WEIGHT * best * share_shown(
                item.found, item.candidate.text
            )
            if known and item.found.page.url not in known:
                score *= 1 + NEW_PAGE_BONUS
            pool.append(replace(item, score=score))
        return pool

    def remainder(self, item: _Scored, rest: Candidate) -> _Scored:
        """Score what is left of a candidate: by itself, or as what surrounds a hit."""
        own = self._score(item.found, rest)
        return _Scored(min(item.score, max(own, GROWTH * item.score)), item.found, rest)

    def _score(self, found: FoundPage, candidate: Candidate) -> float:
        index, document = self._index, self._document(found, candidate)
        queries = (self._question, *(query_terms(q, self._code) for q in found.queries))
        asked, *others = index.scores_of(document, queries)
        # The best of its queries, not their sum: a page that many queries found is not about more.
        searched = max(others, default=0.0)
        return asked + QUERY_WEIGHT * searched + pair_score(index, self._pairs, document["text"])

    def _document(self, found: FoundPage, candidate: Candidate) -> dict[str, tuple[str, ...]]:
        texts = (_terms(p.text, self._code) for p in candidate.paragraphs)
        head = f"{found.page.title} {candidate.heading}"
        return {"text": tuple(chain.from_iterable(texts)), "head": _terms(head, self._code)}


def _numbers(candidate: Candidate) -> set[int]:
    return set(range(candidate.first, candidate.first + len(candidate.paragraphs)))


def _passage(item: _Scored) -> Passage:
    page, candidate = item.found.page, item.candidate
    query = item.found.queries[0] if item.found.queries else ""
    return Passage(page.url, page.title, candidate.text, candidate.offset, candidate.heading, query)
