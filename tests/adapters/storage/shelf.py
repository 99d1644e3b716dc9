"""A library for the tests, documents to put into it, and vectors: each word has a direction of its own."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from qdrant_client import QdrantClient

from askance.adapters.library.qdrant_vectors import LibraryBesideQdrant, QdrantServer
from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.adapters.storage.ledger import RemoteLibraryAudit
from askance.domain.library import EVERY, Document, DocumentKind, Origin
from askance.domain.ports.model import Identity, VectorStore, unit

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
FERRY = "The ferry to Hesperay leaves Kelhaven at nine in the morning."
MILL = "The mill burned down in the winter of 1899 and was rebuilt by its owner."


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


def library(
    folder: Path,
    *,
    versions_days: int = 90,
    clock: Callable[[], datetime] = lambda: NOW,
    on_error: Callable[[str], None] = pytest.fail,
) -> SqliteLibrary:
    return SqliteLibrary(folder / "library.sqlite3", versions_days, on_error, clock)


def beside_qdrant(
    client: QdrantClient,
    url: str,
    folder: Path,
    leaving: RemoteLibraryAudit | None = None,
    *,
    clock: Callable[[], datetime] = lambda: NOW,
    on_error: Callable[[str], None] = pytest.fail,
) -> LibraryBesideQdrant:
    server = QdrantServer(client, url, leaving)
    return LibraryBesideQdrant(folder / "library.sqlite3", 30, on_error, server, clock)


def page(url: str, text: str, title: str = "", *tags: str, published: str = "") -> Document:
    return Document(
        url, title or url, text, Origin.WEB, DocumentKind.PAGE, tags=tags, published=published
    )


def urls(found: SqliteLibrary, words: str) -> list[str]:
    return [hit.url for hit in found.search(words, 10)]


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("library*")))


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
