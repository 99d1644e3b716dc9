"""BM25 over one field or several, and reciprocal rank fusion, in pure Python: a few hundred short texts
take well under a millisecond."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

Terms = Sequence[str]
# As in the paper of `fuse`.
_FUSED_FROM = 60


@dataclass(frozen=True, slots=True)
class ScoredField:
    """Weight and length normalisation of one field."""

    weight: float = 1.0
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
        k1: float = 1.2,
        collection: Collection | None = None,
        rarity: float = 1.0,
    ) -> None:
        self._k1 = k1
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
        self._idf = {t: math.log(1 + (n - c + 0.5) / (c + 0.5)) ** rarity for t, c in df.items()}

    def idf(self, term: str) -> float:
        """Return the inverse document frequency of a term; 0 for one that no document holds."""
        return self._idf.get(term, 0.0)

    def scores(self, query: Terms) -> list[float]:
        """Return the score of every document, in their order. Repeated query terms count once."""
        wanted = self._wanted(query)
        return [self._sum(wanted, frequencies) for frequencies in self._frequencies]

    def score(self, query: Terms, document: Mapping[str, Terms]) -> float:
        """Return the score of any document, measured by this collection."""
        return self._sum(self._wanted(query), _weighted(document, self._fields, self._lengths))

    def _wanted(self, query: Terms) -> list[tuple[str, float]]:
        return [(t, self._idf[t]) for t in dict.fromkeys(query) if t in self._idf]

    def _sum(self, wanted: list[tuple[str, float]], frequencies: Mapping[str, float]) -> float:
        k1 = self._k1
        return sum(idf * tf / (k1 + tf) for t, idf in wanted if (tf := frequencies.get(t)))


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
        norm = field.weight / (1 - field.b + field.b * relative)
        terms = found if counted is None else [term for term in found if term in counted]
        for term, count in Counter(terms).items():
            total[term] = total.get(term, 0.0) + norm * count
    return total


def stretched(scores: Sequence[float]) -> list[float]:
    """Return scores of one list so that they reach from 0 to 1, to be added to those of another; equal ones are 1."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / (high - low) if high > low else 1.0 for score in scores]
