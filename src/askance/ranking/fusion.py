"""Reciprocal rank fusion."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence


def fuse(rankings: Sequence[Sequence[str]], *, k: int = 60) -> list[str]:
    """Merge rankings of keys, best first: score(d) = Σ 1 / (k + rank). Ties are settled by key.

    Source: Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual
    Rank Learning Methods" (SIGIR 2009).
    """
    scores: defaultdict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, key in enumerate(dict.fromkeys(ranking), 1):
            scores[key] += 1.0 / (k + rank)
    return sorted(scores, key=lambda key: (-scores[key], key))
