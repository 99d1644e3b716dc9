"""Vectors for the tests: each word has a direction of its own, so texts that share words are similar."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence

import numpy as np

from askance.domain.library import EVERY
from askance.domain.ports.model import Identity, VectorStore, unit

DIMENSION = 72
MODEL = Identity("hashed", "d1", DIMENSION)
OTHER = Identity("hashed", "d2", DIMENSION)


def direction(text: str, dimension: int = DIMENSION) -> list[float]:
    total = [0.0] * dimension
    for word in text.lower().replace(".", " ").split():
        drawn = random.Random(hashlib.sha256(word.encode()).digest())  # noqa: S311 - no secret
        total = [a + drawn.gauss(0.0, 1.0) for a in total]
    found = unit(total)
    assert found is not None
    return found


def embed_all(vectors: VectorStore, identity: Identity = MODEL, batch: int = 64) -> int:
    """Give every passage that has none a vector, and return how many got one."""
    retained = 0
    while waiting := vectors.unembedded(identity, batch):
        retained += vectors.store(
            identity, [(p, direction(f"{p.title} {p.text}")) for p in waiting]
        )
    return retained


def found(
    vectors: VectorStore, words: str, identity: Identity = MODEL, **options: object
) -> list[str]:
    asked = {"filters": EVERY, **options}
    hits = vectors.nearest(identity, direction(words), 10, words=words, **asked)
    return [hit.url for hit in hits]


def as_bytes(vector: Sequence[float]) -> bytes:
    return np.asarray(vector, dtype=np.float32).tobytes()
