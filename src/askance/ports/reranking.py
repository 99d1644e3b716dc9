"""A second look at what was found, as the library's search needs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """A model that reads a question together with each text, and says how well that answers it."""

    @property
    def host(self) -> str:
        """The host of the server, where that is another machine."""
        ...

    async def scores(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return a score for each text, in their order; more is better.

        Raises:
            ServiceError: it is down, slow, refuses, or sends what cannot be understood.
            ModelMissing, SettingsError: it is not there, or set up wrongly.
        """
        ...
