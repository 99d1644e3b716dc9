"""Reciprocal rank fusion."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence


def fuse(rankings: Sequence[Sequence[str]], *, k: int = 60) -> list[str]:
    """Merge rankings of keys, best first: score(d) = Σ 1 / (k + rank). Ties are settled by key.

    Source: Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual
    Rank Learning Methods" (SIGIR 2009).
    """
    shares: defaultdict[str, list[float]] = defaultdict(list)
    for ranking in rankings:
        for rank, key in enumerate(dict.fromkeys(ranking), 1):
            shares[key].append(1.0 / (k + rank))
    # An exact sum: added up one by one, equal scores would differ by the order of the rankings.
    scores = {key: math.fsum(parts) for key, parts in shares.items()}
    return sorted(scores, key=lambda key: (-scores[key], key))
