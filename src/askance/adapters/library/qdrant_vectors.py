"""Vectors of the library's passages on a Qdrant server. The passages themselves stay in the library's file.

A point has its vector and a number, and no word, title or address. Which passage it stands for only the file knows: so
a point that is left over after a break, or that a server makes up, is never found.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import sqlite3
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path

import numpy as np

from askance.adapters.library.library_vectors import (
    CANDIDATES,
    SqliteVectors,
    VectorSearch,
    embedding_number,
    insert_vector,
)
from askance.adapters.library.qdrant_server import QdrantServer, connect
from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.adapters.network.own_services import distant_host_of
from askance.adapters.storage.database import utc_now
from askance.adapters.storage.ledger import RemoteLibraryAudit, SqliteLedger
from askance.config.settings import LibrarySettings
from askance.domain.errors import StorageError
from askance.domain.library import EVERY, Filters, LibraryHit, Removed
from askance.domain.ports.model import Identity, Unembedded, Vector

# `gone_point` are points that the server may still have, and that no passage stands for: the next change
# deletes them there. A name for the library keeps apart what several libraries store on one server.
_TABLES = (
    "CREATE TABLE IF NOT EXISTS qdrant (library TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS point (vector INTEGER PRIMARY KEY "
    "REFERENCES vector (id) ON DELETE CASCADE, collection TEXT NOT NULL, id TEXT NOT NULL, "
    "UNIQUE (collection, id))",
    "CREATE TABLE IF NOT EXISTS gone_point (collection TEXT NOT NULL, id TEXT NOT NULL, "
    "PRIMARY KEY (collection, id)) WITHOUT ROWID",
    "CREATE TRIGGER IF NOT EXISTS point_goes AFTER DELETE ON point BEGIN "
    "INSERT OR IGNORE INTO gone_point VALUES (old.collection, old.id); END",
)
# Our namespace for UUIDs of version 5 (RFC 9562, 5.5).
_POINTS = uuid.UUID("6f1a2f0e-8f43-4d0c-9e0b-3c9f6f4a7b11")
_NO_NAME = re.compile(r"[^a-z0-9]+")
# For people who look at the server; what tells collections apart is the hash behind it.
_LONGEST_NAME = 40
_KEY_BYTES = 8
_MOST_DELETED = 1_000
# A filter that lets more passages through is not narrow: its own are among the candidates.
_AMONG, _MOST_AMONG = 5_000, 50_000
# A product of no similarity at all is not found; what rounding makes of it is not, either.
_LEAST = 1e-6
# The key of an identity whose vectors are on a server is not that of one whose are in the file.
_ON_SERVER = "@qdrant"


def point_of(content: str, number: int) -> str:
    """Return the number of a passage's point: the same text has the same one each time."""
    return str(uuid.uuid5(_POINTS, f"{content}:{number}"))


class QdrantVectors(SqliteVectors):
    """A `VectorStore` on a server, beside a library in SQLite that knows which of its passages have a vector there."""

    def __init__(self, library: SqliteLibrary, server: QdrantServer) -> None:
        super().__init__(library)
        self._server = server

    def nearest(
        self,
        identity: Identity,
        vector: Vector,
        limit: int,
        filters: Filters = EVERY,
        *,
        words: str,
        passages_each: int = 1,
        least: float = 0.0,
    ) -> tuple[LibraryHit, ...]:
        """Return the passages that are most similar to a vector, best first."""
        if len(vector) != identity.dimension or not (collection := self._filled(identity)):
            return ()
        self._server.enter(words)
        least = max(least, _LEAST)

        def hits(scores: Mapping[str, float]) -> tuple[LibraryHit, ...]:
            def chosen(connection: sqlite3.Connection) -> tuple[LibraryHit, ...]:
                search = VectorSearch(connection, filters, limit, passages_each)
                rows = connection.execute(
                    "SELECT vector, point.id FROM json_each(?) AS asked "
                    "JOIN point ON point.id = asked.value AND collection = ?",
                    (json.dumps([*scores]), collection),
                ).fetchall()
                numbers = np.asarray([number for number, _ in rows], dtype=np.intp)
                found = np.asarray([scores[point] for _, point in rows], dtype=np.float32)
                return search.hits(search.best(numbers, found), words)

            return self._database.read(chosen)

        near = self._server.find(collection, vector, CANDIDATES, least)
        found = hits(near)
        # A narrow filter may have refused all candidates: then its own vectors are the candidates.
        if len(found) < limit and filters != EVERY and len(near) == CANDIDATES:
            allowed = self._allowed(self._own(identity), filters)
            near: dict[str, float] = {}
            for start in range(0, len(allowed), _AMONG):
                part = allowed[start : start + _AMONG]
                near |= self._server.find(collection, vector, CANDIDATES, least, part)
            best = sorted(near.items(), key=itemgetter(1), reverse=True)
            found = hits(dict(islice(best, CANDIDATES)))
        return found

    def unembedded(self, identity: Identity, limit: int, after: int = 0) -> tuple[Unembedded, ...]:
        """Return passages without a vector, by their rows, from the one behind `after` on."""
        return super().unembedded(self._own(identity), limit, after)

    def store(self, identity: Identity, vectors: Sequence[tuple[Unembedded, Vector]]) -> int:
        """Store vectors, all or none, and return how many. One whose passage has gone is left out."""
        if not vectors or not self._database.exists:
            return 0
        self.delete_gone()
        own = self._own(identity)
        points = {point_of(p.content, p.number): (p, vector) for p, vector in vectors}

        def begin(connection: sqlite3.Connection) -> str:
            collection = _collection(connection, own, makes=True)
            # What breaks off from here on is deleted on the server by the next change.
            connection.executemany(
                "INSERT OR IGNORE INTO gone_point VALUES (?, ?)",
                ((collection, point) for point in points),
            )
            return collection

        collection = self._database.write(begin)
        self._server.enter(f"{collection}: {len(points)}")
        self._server.make(collection, identity.dimension)
        self._server.put(collection, {point: vector for point, (_, vector) in points.items()})

        def end(connection: sqlite3.Connection) -> int:
            embedding = embedding_number(connection, own, makes=True)
            stored = 0
            for point, (passage, _) in points.items():
                # One that another process has deleted on the server meanwhile waits for the next time.
                marked = (collection, point)
                if not connection.execute(
                    "SELECT 1 FROM gone_point WHERE collection = ? AND id = ?", marked
                ).fetchone():
                    continue
                if row := insert_vector(connection, embedding, passage, b""):
                    connection.execute("INSERT INTO point VALUES (?, ?, ?)", (row, *marked))
                    connection.execute(
                        "DELETE FROM gone_point WHERE collection = ? AND id = ?", marked
                    )
                    stored += 1
            return stored

        return self._database.write(end)

    def counted(self, identity: Identity | None) -> tuple[int, int]:
        """Return how many passages have a vector, and how many there are."""
        return super().counted(identity and self._own(identity))

    def identities(self) -> tuple[str, ...]:
        """Return the keys of the identities of which vectors are stored."""
        return tuple(dict.fromkeys(key.replace(_ON_SERVER, "", 1) for key in super().identities()))

    def forget_others(self, identity: Identity) -> int:
        """Delete the vectors of all other identities, and return how many they were."""
        gone = super().forget_others(self._own(identity))
        self.delete_gone()
        return gone

    def delete_gone(self) -> None:
        """Delete on the server what is gone here; what it does not take is deleted the next time.

        Raises:
            StorageError: it does not answer.
        """

        def delete(connection: sqlite3.Connection) -> bool:
            if not _has_tables(connection):
                return False
            rows = connection.execute(
                "SELECT collection, id FROM gone_point ORDER BY collection LIMIT ?",
                (_MOST_DELETED,),
            ).fetchall()
            # Within the transaction: what is stored anew meanwhile waits, and is not deleted.
            for collection, group in groupby(rows, itemgetter(0)):
                self._server.delete(collection, [point for _, point in group])
            connection.executemany("DELETE FROM gone_point WHERE collection = ? AND id = ?", rows)
            return len(rows) == _MOST_DELETED

        while self._database.exists and self._database.write(delete):
            pass

    def _own(self, identity: Identity) -> Identity:
        return replace(identity, digest=f"{identity.digest}{_ON_SERVER}")

    def _filled(self, identity: Identity) -> str:
        """Return the collection of an identity of which there are vectors, empty where there are none."""
        own = self._own(identity)

        def look(connection: sqlite3.Connection) -> str:
            if not _has_tables(connection) or embedding_number(connection, own) is None:
                return ""
            return _collection(connection, own)

        return self._database.read(look) if self._database.exists else ""

    def _allowed(self, own: Identity, filters: Filters) -> list[str]:
        """Return the points of all passages that the filters let through; none where those are too many."""

        def look(connection: sqlite3.Connection) -> list[str]:
            numbers = VectorSearch(connection, filters).allowed(embedding_number(connection, own))
            rows = connection.execute(
                "SELECT point.id FROM json_each(?) AS asked JOIN point ON vector = asked.value",
                (json.dumps(numbers.tolist()),),
            )
            return [point for (point,) in rows]

        allowed = self._database.read(look)
        return allowed if len(allowed) <= _MOST_AMONG else []


class LibraryBesideQdrant(SqliteLibrary):
    """A library in a file whose vectors are on a Qdrant server: what is deleted is deleted on both."""

    def __init__(
        self,
        file: Path,
        versions_days: int,
        on_error: Callable[[str], None],
        server: QdrantServer,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        super().__init__(file, versions_days, on_error, clock)
        self._server = server
        self._on_error = on_error
        self.vectors = QdrantVectors(self, server)

    def remove(self, documents: Sequence[str]) -> Removed:
        """Delete documents with their versions, and leave no word of them in the file."""
        return self._followed(super().remove(documents))

    def clear(self) -> Removed:
        """Delete everything, damaged files that were set aside included."""
        return self._followed(super().clear())

    def close(self) -> None:
        """Close the file, the connection and the ledger."""
        self._server.close()
        super().close()

    def _followed(self, removed: Removed) -> Removed:
        try:
            self.vectors.delete_gone()
        except StorageError as exc:
            # The file has no word of it any more; the next change deletes the vectors.
            self._on_error(exc.message)
        return removed


def open_library(
    settings: LibrarySettings,
    file: Path,
    on_error: Callable[[str], None],
    open_ledger: Callable[[], SqliteLedger],
) -> LibraryBesideQdrant:
    """Return a library whose vectors are on a server.

    What goes to a server on another machine is entered into the ledger.
    """
    url = settings.qdrant_url
    host = distant_host_of(url)
    leaving = RemoteLibraryAudit(open_ledger(), host) if host else None
    server = QdrantServer(connect(url, settings.qdrant_key.get_secret_value()), url, leaving)
    return LibraryBesideQdrant(file, settings.versions_days, on_error, server)


def _has_tables(connection: sqlite3.Connection) -> bool:
    query = "SELECT 1 FROM sqlite_master WHERE name = 'gone_point'"
    return connection.execute(query).fetchone() is not None


def _collection(connection: sqlite3.Connection, own: Identity, *, makes: bool = False) -> str:
    """Return where vectors of an identity lie: none has those of another one, or of another library, among them."""
    if makes:
        for statement in _TABLES:
            connection.execute(statement)
        if connection.execute("SELECT 1 FROM qdrant").fetchone() is None:
            connection.execute("INSERT INTO qdrant VALUES (?)", (secrets.token_hex(_KEY_BYTES),))
    (library,) = connection.execute("SELECT library FROM qdrant").fetchone()
    name = _NO_NAME.sub("_", own.model.lower()).strip("_")[:_LONGEST_NAME]
    key = hashlib.blake2b(f"{library}{own.key}".encode(), digest_size=_KEY_BYTES).hexdigest()
    return f"askance_{name}_{own.dimension}_{key}"
