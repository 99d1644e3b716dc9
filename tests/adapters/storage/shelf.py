"""A library for the tests, and documents to put into it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from qdrant_client import QdrantClient

from askance.adapters.library.qdrant_server import QdrantServer
from askance.adapters.library.qdrant_vectors import LibraryBesideQdrant
from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.adapters.storage.ledger import RemoteLibraryAudit
from askance.domain.library import Document, DocumentKind, Origin

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
