"""A model that makes vectors of texts, and one that reads a question beside each text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from askance.domain.embeddings import Identity, Unembedded, Vector
from askance.domain.library import Filters, LibraryHit


class Embedder(Protocol):
    """A model that puts texts into vectors. `host` is another machine's that they go to, else empty.

    All methods raise
        ServiceError: it is down, slow, refuses, or sends what cannot be understood.
        ModelMissing, ModelRefused, SettingsError: it is not there, or set up wrongly.
    """

    @property
    def host(self) -> str:
        """The host of the server, where that is another machine."""
        ...

    async def identity(self) -> Identity:
        """Say what it is now. A server may have got another model under the same name."""
        ...

    async def embed_query(self, text: str) -> Vector:
        """Return the vector of a question, of length 1."""
        ...

    async def embed_passages(self, passages: Sequence[tuple[str, str]]) -> Sequence[Vector]:
        """Return the vectors of passages, each given as title and text, in their order."""
        ...


class VectorStore(Protocol):
    """Keeps vectors of the library's passages, those of each identity apart.

    Its methods block. All raise StorageError where the store cannot be read or written.
    """

    def nearest(
        self,
        identity: Identity,
        vector: Vector,
        limit: int,
        filters: Filters,
        *,
        words: str,
        passages_each: int = 1,
        least: float = 0.0,
    ) -> tuple[LibraryHit, ...]:
        """Return the passages that are most similar to a vector, best first; `score` is how similar.

        None is less similar than `least`. `words` are those that are marked in the snippets.
        """
        ...

    def unembedded(self, identity: Identity, limit: int, after: int = 0) -> tuple[Unembedded, ...]:
        """Return passages without a vector, by their rows, from the one behind `after` on."""
        ...

    def store(self, identity: Identity, vectors: Sequence[tuple[Unembedded, Vector]]) -> int:
        """Keep vectors, all or none, and return how many. One whose passage has gone is left out."""
        ...

    def counted(self, identity: Identity | None) -> tuple[int, int]:
        """Return how many passages have a vector, and how many there are."""
        ...

    def identities(self) -> tuple[str, ...]:
        """Return the keys of the identities of which vectors are stored."""
        ...

    def forget_others(self, identity: Identity) -> int:
        """Delete the vectors of all other identities, and return how many they were."""
        ...


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
