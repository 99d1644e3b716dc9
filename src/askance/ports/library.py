"""The local library: pages that were read before, and the user's own."""

from __future__ import annotations

from typing import Protocol

from askance.domain.evidence import Passage


class Library(Protocol):
    """A store of passages that is asked before the web."""

    async def recall(self, question: str, *, wanted: int) -> tuple[Passage, ...]:
        """Return the passages that answer a question best, best first.

        Raises:
            ServiceError: the store cannot be read.
        """
        ...
