"""A Qdrant server, spoken to: every request that the vectors need, with its failures put into words.

Whatever the server sends is bounded in bytes, values and time, and checked before anything is made of it: it may be
another program, on another machine.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice

import httpx
from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import (
    ApiException,
    ResponseHandlingException,
    UnexpectedResponse,
)

from askance.adapters.library.qdrant.transport import BlockingTransport, Bounds, ReplyTooLarge
from askance.adapters.storage.ledger import RemoteLibraryAudit
from askance.domain.addresses import bare_address
from askance.domain.errors import StorageError
from askance.domain.messages import Message

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
