"""A Qdrant server, spoken to: every call that the library makes, with its failures put into words.

Whatever the server sends is bounded in bytes, values and time, and checked before anything is made of it: it may be
another program, on another machine.
"""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

import httpx
from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import (
    ApiException,
    ResponseHandlingException,
    UnexpectedResponse,
)

from askance.adapters.library.qdrant.points import (
    RECORD_FIELDS,
    Payload,
    ascending,
    at_most,
    count_of,
    next_page,
    payload_of,
    score_of,
)
from askance.adapters.library.qdrant.transport import BlockingTransport, Bounds, ReplyTooLarge
from askance.adapters.storage.ledger import RemoteLibraryAudit
from askance.domain.addresses import bare_address
from askance.domain.errors import StorageError
from askance.domain.file_formats import syntax_named
from askance.domain.library import Filters
from askance.domain.messages import Message

WORDS, MEANING = "words", "meaning"
READ, WRITE, DELETE = "read", "write", "delete"
PAGE = 256
# A server takes 32 MiB in one request, and a character has up to six bytes in JSON.
_MOST_CHARACTERS = 2_000_000
# As much as a server takes in one request comes back in one reply; and with all their fields the points of a page
# have some 20,000 values.
BOUNDS = Bounds(most_bytes=33_554_432, most_values=200_000, limit_s=30.0)
_CONNECT_S = 5.0
# For so long slow requests may hold an operation up, beyond what each of them and each point is allowed to take.
_PATIENCE_S, _REQUEST_S, _POINT_S = 45.0, 0.25, 0.02
# Other machines may be adding while all points are read.
_PAGES_UNCOUNTED, _MORE_POINTS = 8, 10_000
_REFUSED = frozenset({401, 403})
# What the client's library raises over a reply that its own models do not fit, and what the checks do.
_OVER_REPLIES = (
    QdrantException, AssertionError, ValueError, TypeError, KeyError, AttributeError, RecursionError,
)  # fmt: skip
_NOT_THERE = 404
_MANY = 10_000
_KEYWORD, _INTEGER, _FLOAT = (
    models.PayloadSchemaType.KEYWORD,
    models.PayloadSchemaType.INTEGER,
    models.PayloadSchemaType.FLOAT,
)
_FACTS = dict.fromkeys(
    ("document", "hash", "origin", "kind", "syntax", "syntaxes", "language", "tags"), _KEYWORD
)
INDEXED_OF_DOCUMENTS = {
    **_FACTS,
    **dict.fromkeys(("state", "begins", "place"), _KEYWORD),
    **dict.fromkeys(("fetched", "until_at"), _FLOAT),
    "day": _INTEGER,
}
INDEXED_OF_PASSAGES = {**_FACTS, "day": _INTEGER}
INDEXED_OF_VECTORS = {**_FACTS, "day": _INTEGER, "said": _KEYWORD}
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


def same(field: str, value: str) -> models.FieldCondition:
    """Ask for what has a value, as one of several where there are more."""
    return models.FieldCondition(key=field, match=models.MatchValue(value=value))


def any_of(field: str, values: Sequence[str]) -> models.FieldCondition:
    """Ask for what has one of some values."""
    return models.FieldCondition(key=field, match=models.MatchAny(any=list(values)))


def among(points: Sequence[str]) -> models.HasIdCondition:
    """Ask for points by their numbers."""
    return models.HasIdCondition(has_id=list(points))


def every(*conditions: models.Condition) -> models.Filter:
    """Ask for what meets all conditions; for everything where there is none."""
    return models.Filter(must=list(conditions) or None)


def conditions(
    filters: Filters, tags: Sequence[str], since: int, until: int
) -> list[models.Condition]:
    """Return what filters ask for; `since` and `until` are days as numbers, 0 for any."""
    wanted = {
        "origin": filters.origin,
        "language": filters.language,
        "kind": filters.kind,
    }
    found: list[models.Condition] = [same(name, value) for name, value in wanted.items() if value]
    if syntax := syntax_named(filters.syntax) or filters.syntax:
        # A source file counts as a whole, of other texts what holds code in that language.
        found.append(models.Filter(should=[same("syntax", syntax), same("syntaxes", syntax)]))
    found += [same("tags", tag) for tag in tags]
    if filters.documents:
        found.append(any_of("document", filters.documents))
    if since or until:
        span = models.Range(gte=since or None, lte=until or None)
        found.append(models.FieldCondition(key="day", range=span))
    return found


class QdrantServer:
    """The collections of a server. All raise StorageError where it does not answer, or refuses.

    `is_local` says that the client keeps all in this process, as tests do; it has no indexes of facts.
    `leaving` is called with each request before it is made, where the server is on another machine.
    """

    def __init__(
        self,
        client: QdrantClient,
        address: str,
        *,
        is_local: bool = False,
        leaving: RemoteLibraryAudit | None = None,
    ) -> None:
        self._client = client
        self._address = bare_address(address)
        self._leaving = leaving
        self._is_local = is_local
        self._known: set[str] = set()
        self._delay = _Delay()

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def exists(self, collection: str) -> bool:
        """Whether there is such a collection."""
        if collection not in self._known:
            with self._request(collection, READ):
                if self._client.collection_exists(collection):
                    self._known.add(collection)
        return collection in self._known

    def collections(self, prefix: str) -> list[str]:
        """Return the collections whose names begin so."""
        with self._request(prefix, READ):
            found = {one.name for one in self._client.get_collections().collections}
        self._known = found
        return sorted(name for name in found if name.startswith(prefix))

    def drop(self, collection: str) -> None:
        """Delete a collection with all that is in it."""
        with self._request(collection, DELETE):
            self._client.delete_collection(collection)
        self._known.discard(collection)

    def make(
        self,
        collection: str,
        indexed: Mapping[str, models.PayloadSchemaType],
        *,
        dimensions: int | None,
    ) -> None:
        """Make a collection if it is not there. None makes one without vectors, 0 one of stems."""
        if self.exists(collection):
            return
        dense = {
            MEANING: models.VectorParams(
                size=dimensions,
                distance=models.Distance.COSINE,
                on_disk=True,
                quantization_config=models.ScalarQuantization(
                    scalar=models.ScalarQuantizationConfig(type=models.ScalarType.INT8, always_ram=True)
                ),
            )
        } if dimensions else {}  # fmt: skip
        # How rare a stem is only the server knows: it multiplies by that when it is asked.
        sparse = {WORDS: models.SparseVectorParams(modifier=models.Modifier.IDF)}
        try:
            with self._request(collection, WRITE):
                self._client.create_collection(
                    collection,
                    vectors_config=dense,
                    sparse_vectors_config=sparse if dimensions == 0 else None,
                    on_disk_payload=True,
                )
        except StorageError:
            # Another machine was faster.
            if not self.exists(collection):
                raise
        for field, kind in () if self._is_local else indexed.items():
            with self._request(collection, WRITE):
                self._client.create_payload_index(collection, field, field_schema=kind)
        self._known.add(collection)

    def read(
        self, collection: str, points: Sequence[str], fields: Sequence[str] | None = None
    ) -> list[Payload]:
        """Return what is stored of some points; of those that are not there, nothing."""
        if not points or not self.exists(collection):
            return []
        try:
            with self._request(collection, READ, len(points)):
                found = self._client.retrieve(collection, list(points), with_payload=_asked(fields))
                return [payload_of(p, collection, fields) for p in at_most(found, len(points))]
        except _ReplyTooLarge:
            # Long texts: fewer at once.
            half = len(points) // 2
            if not half:
                raise
        both = points[:half], points[half:]
        return [payload for part in both for payload in self.read(collection, part, fields)]

    def page(
        self, collection: str, begin: str, limit: int, fields: Sequence[str]
    ) -> list[tuple[str, Payload]]:
        """Return so many points, from a number on, by the order of their numbers."""
        if not self.exists(collection):
            return []
        with self._request(collection, READ, limit):
            found, _ = self._client.scroll(
                collection, limit=limit, offset=begin, with_payload=_asked(fields)
            )
            numbers = ascending(at_most(found, limit), begin)
            payloads = [payload_of(one, collection, fields) for one in found]
        return list(zip(numbers, payloads, strict=True))

    def scan(
        self, collection: str, wanted: models.Filter | None, fields: Sequence[str] | None = None
    ) -> Iterator[Payload]:
        """Yield what is stored of all points that meet a filter, by the order of their numbers."""
        begin: str | None = None
        size, pages, seen, most = PAGE, 0, 0, 0
        while self.exists(collection):
            try:
                with self._request(collection, READ, size):
                    found, after = self._client.scroll(
                        collection, wanted, limit=size, offset=begin, with_payload=_asked(fields)
                    )
                    begin = next_page(after, ascending(at_most(found, size), begin))
                    payloads = [payload_of(one, collection, fields) for one in found]
            except _ReplyTooLarge:
                # Long texts: fewer at once.
                if size == 1:
                    raise
                size = max(1, size // 8)
                continue
            yield from payloads
            if begin is None:
                return
            pages, seen = pages + 1, seen + len(payloads)
            # Otherwise a server that always names a further page is followed for ever.
            if pages == _PAGES_UNCOUNTED:
                most = 2 * self.count(collection, wanted) + _MORE_POINTS
            if pages > _PAGES_UNCOUNTED and seen > most:
                raise self.nonsense()

    def newest(
        self, collection: str, wanted: models.Filter, field: str, limit: int
    ) -> list[Payload]:
        """Return so many points whose field is highest, without their texts."""
        if limit <= 0 or not self.exists(collection):
            return []
        order = models.OrderBy(key=field, direction=models.Direction.DESC)
        with self._request(collection, READ, limit):
            found, _ = self._client.scroll(
                collection, wanted, limit=limit, order_by=order,
                with_payload=models.PayloadSelectorExclude(exclude=["text", "begins"]),
            )  # fmt: skip
            return [payload_of(one, collection, RECORD_FIELDS) for one in at_most(found, limit)]

    def count(self, collection: str, wanted: models.Filter | None = None) -> int:
        """Return how many points meet a filter."""
        if not self.exists(collection):
            return 0
        with self._request(collection, READ):
            return count_of(self._client.count(collection, wanted, exact=True).count)

    def values(
        self,
        collection: str,
        field: str,
        wanted: models.Filter | None = None,
        *,
        exact: bool = True,
    ) -> dict[str, int]:
        """Return how many points have each value of a field, the most frequent first."""
        if not self.exists(collection):
            return {}
        with self._request(collection, READ):
            found = self._client.facet(collection, field, wanted, limit=_MANY, exact=exact).hits
            counts = {str(hit.value): count_of(hit.count) for hit in at_most(found, _MANY)}
        ordered = sorted(counts.items(), key=lambda hit: (-hit[1], hit[0]))
        return dict(ordered)

    def find(
        self,
        collection: str,
        query: Mapping[int, float] | Sequence[float],
        wanted: models.Filter,
        limit: int,
        skip: int = 0,
        least: float | None = None,
    ) -> list[tuple[float, Payload]]:
        """Return the points that are nearest to a vector of stems, or of meaning, best first."""
        if not self.exists(collection):
            return []
        is_sparse = isinstance(query, Mapping)
        # A vector may hold numbers of numpy, which JSON does not take.
        asked = _sparse(query) if isinstance(query, Mapping) else [float(n) for n in query]
        with self._request(collection, READ, limit):
            found = self._client.query_points(
                collection, asked, using=WORDS if is_sparse else MEANING, query_filter=wanted,
                limit=limit, offset=skip, score_threshold=least, with_payload=True,
                search_params=None if is_sparse or self._is_local else _ANEW,
            ).points  # fmt: skip
            return [(score_of(p), payload_of(p, collection, None)) for p in at_most(found, limit)]

    def put(
        self,
        collection: str,
        points: Sequence[tuple[str, Payload, Mapping[int, float] | None, Sequence[float] | None]],
    ) -> None:
        """Store points with their payloads, stems and vectors of meaning, where they have them."""
        made = [
            models.PointStruct(
                id=point, payload=payload, vector=cast("Any", _vectors(stems, dense))
            )
            for point, payload, stems, dense in points
        ]
        for portion in _portions(made):
            with self._request(collection, WRITE, len(portion)):
                # Waited for, as all writing is: the order of writes is what makes a change whole.
                self._client.upsert(collection, portion, wait=True)

    def put_stems(self, collection: str, points: Mapping[str, Mapping[int, float]]) -> None:
        """Give points other stems; their payloads stay, and so do their vectors of meaning."""
        made = [
            models.PointVectors(id=point, vector=cast("Any", {WORDS: _sparse(stems)}))
            for point, stems in points.items()
        ]
        for i in range(0, len(made), PAGE):
            with self._request(collection, WRITE, PAGE):
                self._client.update_vectors(collection, made[i : i + PAGE], wait=True)

    def set_fields(self, collection: str, facts: Payload, wanted: models.Filter) -> None:
        """Change the payload of all points that meet a filter."""
        with self._request(collection, WRITE):
            self._client.set_payload(collection, facts, points=wanted, wait=True)

    def delete(self, collection: str, wanted: models.Filter) -> None:
        """Delete all points that meet a filter."""
        if not self.exists(collection):
            return
        with self._request(collection, DELETE):
            self._client.delete(collection, models.FilterSelector(filter=wanted), wait=True)

    @contextmanager
    def _request(self, collection: str, doing: str, points: int = 1) -> Generator[None]:
        """Make one request, and check its reply, inside: it is entered first, and ends in time or in words."""
        if self._leaving is not None:
            self._leaving.goes_on(f"{collection}: {doing}")
        began = time.monotonic()
        try:
            yield
        except UnexpectedResponse as exc:
            if exc.status_code == _NOT_THERE:
                # Another machine has deleted a collection: the next call looks anew.
                self._known = set()
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
            raise self.nonsense() from exc
        if self._delay.is_too_long(time.monotonic() - began, points):
            raise self._too_slow(_PATIENCE_S)

    def _unanswered(self, error: Exception) -> StorageError:
        """Return in words why no reply came of a request, or none that can be read."""
        if isinstance(error, ReplyTooLarge):
            nonsense = self.nonsense()
            return _ReplyTooLarge(nonsense.problem, fix=nonsense.fix)
        if isinstance(error, httpx.ReadTimeout):
            return self._too_slow(BOUNDS.limit_s)
        if isinstance(error, httpx.DecodingError | httpx.RemoteProtocolError | ValueError):
            return self.nonsense()
        problem = Message("Qdrant does not answer at {url}.", url=self._address)
        return StorageError(problem, fix=Message("Start it, or set library.qdrant_url."))

    def nonsense(self) -> StorageError:
        """Return the error over a reply that no server with a library of ours would send."""
        problem = Message("What Qdrant at {url} sends cannot be read.", url=self._address)
        return StorageError(problem, fix=Message("Look into the server's own log."))

    def _too_slow(self, seconds: float) -> StorageError:
        problem = Message(
            "Qdrant at {url} is too slow: it has taken {n} s.",
            url=self._address,
            n=f"{seconds:g}",
        )
        return StorageError(problem, fix=Message("Look into the server's own log."))


class _ReplyTooLarge(StorageError):
    """More came in one reply than is taken in: less may be asked for at once."""


class _Delay:
    """How long requests have held their callers up, beyond what they and their points are allowed to take.

    Each request that is quick takes some of it back; so a server that drips is given up, and one that is busy is not.
    For any thread.
    """

    def __init__(self) -> None:
        self._seconds = 0.0
        self._one_at_a_time = threading.Lock()

    def is_too_long(self, took_s: float, points: int) -> bool:
        """Add a request; where that was too much, whatever comes next begins anew."""
        with self._one_at_a_time:
            allowed = _REQUEST_S + _POINT_S * points
            self._seconds = max(0.0, self._seconds + took_s - allowed)
            if self._seconds <= _PATIENCE_S:
                return False
            self._seconds = 0.0
            return True


def _portions(points: Sequence[models.PointStruct]) -> Iterator[list[models.PointStruct]]:
    """Yield points in requests that a server takes: whole texts are among them."""
    portion: list[models.PointStruct] = []
    characters = 0
    for point in points:
        long = len((point.payload or {}).get("text", ""))
        if portion and (len(portion) == PAGE or characters + long > _MOST_CHARACTERS):
            yield portion
            portion, characters = [], 0
        portion.append(point)
        characters += long
    if portion:
        yield portion


def _asked(fields: Sequence[str] | None) -> bool | list[str]:
    return True if fields is None else list(fields)


def _sparse(stems: Mapping[int, float]) -> models.SparseVector:
    return models.SparseVector(indices=list(stems), values=list(stems.values()))


def _vectors(stems: Mapping[int, float] | None, dense: Sequence[float] | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if stems is not None:
        found[WORDS] = _sparse(stems)
    if dense is not None:
        found[MEANING] = [float(n) for n in dense]
    return found
