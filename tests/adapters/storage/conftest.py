"""What every test of a store starts from."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from qdrant_client import QdrantClient

from adapters.storage.shelf import Clock, beside_qdrant, library
from askance.adapters.library.qdrant_vectors import connect
from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.adapters.storage.database import Database
from servers.qdrant import KEY, serve_qdrant

SERVER = os.environ.get("ASKANCE_TEST_QDRANT_URL", "")


@pytest.fixture(autouse=True)
def databases_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close every database of a test at its end, as newer Pythons ask for."""
    made: list[Database] = []
    really = Database.__init__

    def noted(self: Database, *arguments: object, **named: object) -> None:
        made.append(self)
        really(self, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Database, "__init__", noted)
    yield
    for database in made:
        database.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


def emptied(client: QdrantClient) -> None:
    for collection in client.get_collections().collections:
        if collection.name.startswith("askance_"):
            client.delete_collection(collection.name)


@pytest.fixture(params=["sqlite", "qdrant", pytest.param("server", marks=pytest.mark.real)])
def kept(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[SqliteLibrary]:
    match request.param:
        case "sqlite":
            local = library(tmp_path, versions_days=30, clock=clock)
            yield local
            local.close()
        case "qdrant":
            with serve_qdrant() as url:
                reached = beside_qdrant(connect(url, KEY), url, tmp_path, clock=clock)
                yield reached
                reached.close()
        case _:
            if not SERVER:
                pytest.skip(
                    "a Qdrant server: name one without a library in ASKANCE_TEST_QDRANT_URL"
                )
            client = connect(SERVER, "")
            emptied(client)
            stored = beside_qdrant(client, SERVER, tmp_path, clock=clock)
            yield stored
            emptied(client)
            stored.close()
