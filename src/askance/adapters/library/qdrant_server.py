"""A Qdrant server, spoken to: every request that the vectors need, with its failures put into words.

Whatever the server sends is bounded in bytes, values and time, and checked before anything is made of it: it may be
another program, on another machine.
"""

from __future__ import annotations

import asyncio
import math
import re
import threading
import warnings
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import cast

import httpx
from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import (
    ApiException,
    ResponseHandlingException,
    UnexpectedResponse,
)

from askance.adapters.network.guarded_http import PlainTransport, service_pool
from askance.adapters.storage.ledger import RemoteLibraryAudit
from askance.domain.addresses import bare_address
from askance.domain.errors import StorageError
from askance.domain.messages import Message

_ESCAPED = re.compile(rb"\\.", re.DOTALL)
_QUOTED = re.compile(rb'"[^"]*"')
# What is left of JSON is its quotes, and one sign for each value that a parser would make.
_DROPPED = bytes(sign for sign in range(256) if sign not in b'",[{')


class ReplyTooLarge(httpx.DecodingError):
    """A reply that has more bytes, or more values, than its bounds allow."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a reply may have: bytes as they come, values in its JSON, and seconds from the request to its end."""

    most_bytes: int
    most_values: int
    limit_s: float


class BlockingTransport(httpx.BaseTransport):
    """Carries the requests of a client that blocks over guarded connections, from any thread.

    Whatever a server does ends as an `httpx.TransportError`, or as `ReplyTooLarge`; the request's own timeouts do not count.
    """

    def __init__(self, base_url: str, bounds: Bounds, *, connect_timeout_s: float) -> None:
        self._base_url = base_url
        self._bounds = bounds
        self._connect_timeout_s = connect_timeout_s
        self._starting = threading.Lock()
        self._running: _LoopThread | None = None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request, and return its whole reply."""
        with self._starting:
            running = self._running = self._running or _LoopThread(self._base_url)
        sending = asyncio.run_coroutine_threadsafe(
            self._exchange(request, running.transport), running.loop
        )
        try:
            return sending.result()
        except CancelledError as exc:
            raise httpx.ReadError("the client was closed") from exc
        except BaseException:
            # The caller was interrupted; in the other thread the request would go on.
            sending.cancel()
            raise

    def close(self) -> None:
        """Close all connections. A later request opens others."""
        with self._starting:
            running, self._running = self._running, None
        if running is not None:
            running.end()

    async def _exchange(self, request: httpx.Request, transport: PlainTransport) -> httpx.Response:
        # The client would ask for packed replies, in which a few bytes can be gigabytes.
        outgoing = httpx.Request(
            request.method,
            request.url,
            headers=[
                *[
                    (name, value)
                    for name, value in request.headers.raw
                    if name.lower() != b"accept-encoding"
                ],
                (b"Accept-Encoding", b"identity"),
            ],
            content=request.read(),
            extensions={"timeout": {"connect": self._connect_timeout_s}},
        )
        try:
            async with asyncio.timeout(self._bounds.limit_s):
                reply = await transport.handle_async_request(outgoing)
                try:
                    pieces: list[bytes] = []
                    length, values = 0, JsonValues()
                    async for piece in cast("httpx.AsyncByteStream", reply.stream):
                        length += len(piece)
                        if (
                            length > self._bounds.most_bytes
                            or values.count(piece) > self._bounds.most_values
                        ):
                            raise ReplyTooLarge("the reply is larger than any that was asked for")
                        if b"\0" in piece:
                            # In UTF-16 what is counted could hide, and parsers read that, too.
                            raise httpx.DecodingError("the reply is not in UTF-8")
                        pieces.append(piece)
                    body = b"".join(pieces)
                finally:
                    await reply.aclose()
        except TimeoutError as exc:
            raise httpx.ReadTimeout("the whole reply did not come in time") from exc
        # httpx sets the length of the body that it is given.
        headers = [
            (name, value) for name, value in reply.headers.raw if name.lower() != b"content-length"
        ]
        return httpx.Response(reply.status_code, headers=headers, content=body, request=request)


class JsonValues:
    """Counts the values of a JSON text as it comes in, without parsing it: a few bytes of it can become a hundred."""

    def __init__(self) -> None:
        self._count = 0
        self._is_in_string = self._is_escaped = False

    def count(self, piece: bytes) -> int:
        """Take in the next piece, and return the values so far. Linear in the piece."""
        # A backslash at the end of a piece escapes the first byte of the next one.
        if self._is_escaped:
            piece, self._is_escaped = piece[1:], not piece
        piece = _ESCAPED.sub(b"", piece)
        self._is_escaped = self._is_escaped or piece.endswith(b"\\")
        marks = piece.translate(None, _DROPPED)
        if self._is_in_string:
            _, ended, marks = marks.partition(b'"')
            self._is_in_string = not ended
        outside, opened, _ = _QUOTED.sub(b"", marks).partition(b'"')
        self._is_in_string = self._is_in_string or bool(opened)
        self._count += len(outside)
        return self._count


class _LoopThread:
    """An event loop in a thread of its own, and the connections in it."""

    def __init__(self, base_url: str) -> None:
        self.transport = PlainTransport(service_pool(base_url))
        self._has_begun = threading.Event()
        self._thread = threading.Thread(target=self._run, name="blocking-http", daemon=True)
        self._thread.start()
        # Until its loop runs, no request can be handed over.
        self._has_begun.wait()

    def end(self) -> None:
        """Cancel what is under way, close the connections, and wait for that."""
        self.loop.call_soon_threadsafe(self._ended.set)
        self._thread.join()

    def _run(self) -> None:
        asyncio.run(self._until_ended())

    async def _until_ended(self) -> None:
        self.loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        self._has_begun.set()
        await self._ended.wait()
        await self.transport.aclose()


_READ, _WRITE, _DELETE = "read", "write", "delete"
# A server takes 32 MiB in one request: a number has some 20 bytes in JSON, a vector up to 4,096 of them.
_AT_ONCE = 256
BOUNDS = Bounds(most_bytes=33_554_432, most_values=200_000, limit_s=30.0)
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
            transport=BlockingTransport(url, bounds, connect_timeout_s=_CONNECT_S),
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
