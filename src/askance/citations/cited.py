"""Which citation a marker in a checked answer stands for."""

from __future__ import annotations

from collections.abc import Sequence

from askance.domain.evidence import Citation

REACH = 8
"""A marker may stand just behind the sentence it belongs to; further away it belongs to none."""


def distance(citation: Citation, at: int) -> int:
    """Return how many characters lie between a citation's sentence and a place."""
    return max(citation.start - at, at - citation.end, 0)


def citation_at(citations: Sequence[Citation], n: int, at: int) -> Citation | None:
    """Return the citation of source `n` whose sentence is nearest to a place, if one is near."""
    near = [c for c in citations if c.n == n and distance(c, at) <= REACH]
    return min(near, key=lambda citation: distance(citation, at), default=None)
