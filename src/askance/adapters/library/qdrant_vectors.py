"""Vectors of the library's passages on a Qdrant server. The passages themselves stay in the library's file.

A point has its vector and a number, and no word, title or address. Which passage it stands for only the file knows: so
a point that is left over after a break, or that a server makes up, is never found."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import re
import secrets
import sqlite3
import uuid
import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import cast

import httpx
import numpy as np
from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import (
    ApiException,
    ResponseHandlingException,
    UnexpectedResponse,
)

from askance.adapters.library.library_vectors import (
    CANDIDATES,
    SqliteVectors,
    VectorSearch,
    embedding_number,
    insert_vector,
)
from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.adapters.network.guarded_http import PlainTransport, service_pool
from askance.adapters.network.own_services import distant_host_of
from askance.adapters.storage.database import utc_now
from askance.adapters.storage.ledger import RemoteLibraryAudit, SqliteLedger
from askance.config.settings import LibrarySettings
from askance.domain.addresses import bare_address
from askance.domain.errors import StorageError
from askance.domain.library import EVERY, Filters, LibraryHit, Removed
from askance.domain.messages import Message
from askance.domain.ports.model import Identity, Unembedded, Vector


class ReplyTooLarge(httpx.DecodingError):
    """A reply that has more bytes than its bounds allow."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a reply may have: bytes as they come, and seconds from the request to its end."""

    most_bytes: int
    limit_s: float


class BlockingTransport(httpx.BaseTransport):
    """Carries the requests of a client that blocks over guarded connections, in a thread without an event loop.

    Whatever a server does ends as an `httpx.TransportError`, or as `ReplyTooLarge`; the request's own timeouts do not count.
    """

    def __init__(self, base_url: str, bounds: Bounds) -> None:
        self._base_url = base_url
        self._bounds = bounds

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request, over a connection of its own, and return its whole reply."""
        # Blocking sockets have a limit for each read alone, of which a server can make any number necessary.
        return asyncio.run(self._exchange(request))

    async def _exchange(self, request: httpx.Request) -> httpx.Response:
        # The client would ask for packed replies, in which a few bytes can be gigabytes.
        request.headers["Accept-Encoding"] = "identity"
        outgoing = httpx.Request(
            request.method,
            request.url,
            headers=request.headers,
            content=request.read(),
            extensions={"timeout": {"connect": _CONNECT_S}},
        )
        body = bytearray()
        try:
            async with (
                asyncio.timeout(self._bounds.limit_s),
                PlainTransport(service_pool(self._base_url)) as transport,
            ):
                reply = await transport.handle_async_request(outgoing)
                async with aclosing(reply):
                    async for piece in cast("httpx.AsyncByteStream", reply.stream):
                        body += piece
                        if len(body) > self._bounds.most_bytes:
                            raise ReplyTooLarge("the reply is larger than any that was asked for")
        except TimeoutError as exc:
            raise httpx.ReadTimeout("the whole reply did not come in time") from exc
        # httpx sets the length of the body that it is given.
        headers = [
            (name, value) for name, value in reply.headers.raw if name.lower() != b"content-length"
        ]
        return httpx.Response(
            reply.status_code, headers=headers, content=bytes(body), request=request
        )


_READ, _WRITE, _DELETE = "read", "write", "delete"
# A server takes 32 MiB in one request: a number has some 20 bytes in JSON, a vector up to 4,096 of them.
_AT_ONCE = 256
# No reply has more than the thousand nearest points, without their vectors: 100 bytes each. What JSON takes in memory is
# up to a hundred times its length.
BOUNDS = Bounds(most_bytes=1_048_576, limit_s=30.0)
_CONNECT_S = 5.0
_REFUSED = frozenset({401, 403})
_NOT_THERE = 404
# What the client's library raises over a reply that its own models do not fit, and what the checks do.
_OVER_REPLIES = (
    QdrantException, AssertionError, ValueError, TypeError, KeyError, AttributeError, RecursionError,
)  # fmt: skip
_POINT = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# What is stored of vectors in memory has eight bits a number: the best are measured again by all of them.
_ANEW = models.SearchParams(
    quantization=models.QuantizationSearchParams(rescore=True, oversampling=2.0)
)


def connect(url: str, key: str, bounds: Bounds = BOUNDS) -> QdrantClient:
    """Return a client of a server. Nothing is sent before it is used, and nothing goes through a proxy.

    `bounds` hold for each reply.
    """
    with warnings.catch_warnings():
        # A key without TLS: the settings' own text says so, and on this machine it is as it should be.
        warnings.simplefilter("ignore", UserWarning)
        return QdrantClient(
            url=url,
            api_key=key or None,
            timeout=int(bounds.limit_s) or 1,
            # The check would ask the server when the client is made, and only warn.
            check_compatibility=False,
            trust_env=False,
            transport=BlockingTransport(url, bounds),
        )


class QdrantServer:
    """Collections of vectors on a server; points have UUIDs, and nothing beside their vectors. All methods
    raise StorageError where it does not answer, or refuses.

    `leaving` is called with each request before it is made, where the server is on another machine.
    """

    def __init__(
        self, client: QdrantClient, address: str, leaving: RemoteLibraryAudit | None = None
    ) -> None:
        self._client = client
        self._address = bare_address(address)
        self._leaving = leaving

    def close(self) -> None:
        """Close the connection, and the ledger."""
        self._client.close()
        if self._leaving is not None:
            self._leaving.close()

    def enter(self, content: str) -> None:
        """Enter into the ledger what is about to be sent to another machine."""
        if self._leaving is not None:
            self._leaving.enter(content)

    def make(self, collection: str, dimension: int) -> None:
        """Make a collection if it is not there."""
        with self._request(collection, _READ):
            if self._client.collection_exists(collection):
                return
        with self._request(collection, _WRITE):
            self._client.create_collection(
                collection,
                vectors_config=models.VectorParams(
                    size=dimension,
                    distance=models.Distance.COSINE,
                    on_disk=True,
                    quantization_config=models.ScalarQuantization(
                        scalar=models.ScalarQuantizationConfig(
                            type=models.ScalarType.INT8, always_ram=True
                        )
                    ),
                ),
            )

    def drop(self, collection: str) -> None:
        """Delete a collection with all that is in it."""
        with self._request(collection, _DELETE):
            self._client.delete_collection(collection)

    def put(self, collection: str, vectors: Mapping[str, Sequence[float]]) -> None:
        """Store vectors under the numbers of their points, in the place of earlier ones."""
        remaining = iter(vectors.items())
        while portion := [*islice(remaining, _AT_ONCE)]:
            # A vector may hold numbers of numpy, which JSON does not take.
            made = [
                models.PointStruct(id=point, vector=[float(n) for n in vector])
                for point, vector in portion
            ]
            with self._request(collection, _WRITE):
                self._client.upsert(collection, made, wait=True)

    def delete(self, collection: str, points: Sequence[str]) -> None:
        """Delete points; those that are not there are none."""
        if not points:
            return
        selector = models.PointIdsList(points=list(points))
        with self._request(collection, _DELETE, or_nothing=True):
            self._client.delete(collection, selector, wait=True)

    def find(
        self,
        collection: str,
        vector: Sequence[float],
        limit: int,
        least: float,
        among: Sequence[str] | None = None,
    ) -> dict[str, float]:
        """Return the points whose vectors are most similar to one, best first, with how similar they are.

        `among` are those that may be found; None allows all.
        """
        wanted = None
        if among is not None:
            wanted = models.Filter(must=[models.HasIdCondition(has_id=list(among))])
        scores: dict[str, float] = {}
        with self._request(collection, _READ, or_nothing=True):
            found = self._client.query_points(
                collection, [float(n) for n in vector], query_filter=wanted, limit=limit,
                score_threshold=least, with_payload=False, search_params=_ANEW,
            ).points  # fmt: skip
            scores = {str(point.id): float(point.score) for point in found}
            if len(found) > limit or not all(map(_POINT.fullmatch, scores)):
                raise ValueError("more than was asked for, or a point that is none of ours")
            if not all(map(math.isfinite, scores.values())):
                raise ValueError("a score is no number")
        return scores

    @contextmanager
    def _request(self, collection: str, doing: str, *, or_nothing: bool = False) -> Generator[None]:
        """Make one request, and check its reply, inside: it is entered first, and what fails is put into words.

        With `or_nothing` a collection that is not there is no failure.
        """
        if self._leaving is not None:
            self._leaving.goes_on(f"{collection}: {doing}")
        try:
            yield
        except UnexpectedResponse as exc:
            if exc.status_code == _NOT_THERE and or_nothing:
                return
            if exc.status_code in _REFUSED:
                problem = Message("Qdrant at {url} refuses the key.", url=self._address)
                raise StorageError(problem, fix=Message("Set library.qdrant_key.")) from exc
            problem = Message(
                "Qdrant at {url} answered {status}.", url=self._address, status=exc.status_code or 0
            )
            raise StorageError(problem, fix=Message("Look into the server's own log.")) from exc
        except ResponseHandlingException as exc:
            raise self._unanswered(exc.source) from exc
        except (ApiException, OSError) as exc:
            raise self._unanswered(exc) from exc
        except _OVER_REPLIES as exc:
            raise self._nonsense() from exc

    def _unanswered(self, error: Exception) -> StorageError:
        """Return in words why no reply came of a request, or none that can be read."""
        if isinstance(error, httpx.ReadTimeout):
            problem = Message(
                "Qdrant at {url} is too slow: it has taken {n} s.",
                url=self._address,
                n=f"{BOUNDS.limit_s:g}",
            )
            return StorageError(problem, fix=Message("Look into the server's own log."))
        unreadable = httpx.DecodingError | httpx.RemoteProtocolError | ReplyTooLarge | ValueError
        if isinstance(error, unreadable):
            return self._nonsense()
        problem = Message("Qdrant does not answer at {url}.", url=self._address)
        return StorageError(problem, fix=Message("Start it, or set library.qdrant_url."))

    def _nonsense(self) -> StorageError:
        problem = Message("What Qdrant at {url} sends cannot be read.", url=self._address)
        return StorageError(problem, fix=Message("Look into the server's own log."))


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
