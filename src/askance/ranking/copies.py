"""Near-copies: text that says, in the same words, what is already there."""

from __future__ import annotations

from functools import lru_cache

from askance.ranking.tokens import words

SHINGLE = 5
Shingles = frozenset[tuple[str, ...]]


@lru_cache(maxsize=4096)
def shingles(text: str, size: int = SHINGLE) -> Shingles:
    """Return the runs of `size` words; a shorter text is one run."""
    tokens = words(text)
    if len(tokens) < size:
        return frozenset({tuple(tokens)}) if tokens else frozenset()
    return frozenset(tuple(tokens[i : i + size]) for i in range(len(tokens) - size + 1))


def containment(part: Shingles, whole: Shingles) -> float:
    """Return the share of `part` that stands in `whole`, 0 to 1; 0 for an empty part.

    One-sided on purpose: a snippet inside a passage must not throw the passage out.
    Source: Broder, "On the resemblance and containment of documents" (1997).
    """
    return len(part & whole) / len(part) if part else 0.0


class CopyIndex:
    """Remembers texts and tells which new ones are near-copies of what they say."""

    def __init__(self, threshold: float, size: int = SHINGLE) -> None:
        self.threshold = threshold
        self._size = size
        self._seen: set[tuple[str, ...]] = set()

    def copy(self) -> CopyIndex:
        """Return one that remembers the same."""
        other = CopyIndex(self.threshold, self._size)
        other._seen = set(self._seen)
        return other

    def add(self, text: str) -> None:
        """Remember a text."""
        self._seen |= shingles(text, self._size)

    def share(self, text: str) -> float:
        """Return how much of a text stands in those remembered, taken together, 0 to 1."""
        found = shingles(text, self._size)
        return sum(run in self._seen for run in found) / len(found) if found else 0.0

    def is_copy(self, text: str) -> bool:
        """Say whether a text stands, up to the threshold, in those remembered, taken together."""
        return (share := self.share(text)) > 0 and share >= self.threshold
