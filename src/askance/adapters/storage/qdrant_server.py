"""A Qdrant server, spoken to: every call that the library makes, with its failures put into words."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

from qdrant_client import QdrantClient, models
from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

from askance.adapters.storage.ledger import Leaving
from askance.adapters.storage.qdrant_points import Payload
from askance.domain.errors import StoreUnusable
from askance.domain.library import Filters
from askance.domain.messages import Message
from askance.domain.syntaxes import syntax_named

WORDS, MEANING = "words", "meaning"
READ, WRITE, DELETE = "read", "write", "delete"
PAGE = 256
# A server takes 32 MiB in one request, and a character has up to six bytes in JSON.
_MOST_CHARACTERS = 2_000_000
_TIMEOUT_S = 30
_REFUSED = frozenset({401, 403})
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
INDEXED_OF_VECTORS = {**INDEXED_OF_PASSAGES, "said": _KEYWORD}
# What is kept of vectors in memory has eight bits a number: the best are measured again by all of them.
_ANEW = models.SearchParams(
    quantization=models.QuantizationSearchParams(rescore=True, oversampling=2.0)
)


def connect(url: str, key: str) -> QdrantClient:
    """Return a client of a server. Nothing is sent before it is used, and nothing goes through a proxy."""
    with warnings.catch_warnings():
        # A key without TLS: the settings' own text says so, and on this machine it is as it should be.
        warnings.simplefilter("ignore", UserWarning)
        return QdrantClient(
            url=url,
            api_key=key or None,
            timeout=_TIMEOUT_S,
            check_compatibility=False,
            trust_env=False,
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
    """The collections of a server. All raise StoreUnusable where it does not answer, or refuses.

    `is_local` says that the client keeps all in this process, as tests do; it has no indexes of facts.
    `leaving` is told of each request before it is made, where the server is on another machine.
    """

    def __init__(
        self,
        client: QdrantClient,
        address: str,
        *,
        is_local: bool = False,
        leaving: Leaving | None = None,
    ) -> None:
        self._client = client
        self._address = address
        self._leaving = leaving
        self._is_local = is_local
        self._known: set[str] = set()

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def exists(self, collection: str) -> bool:
        """Whether there is such a collection."""
        if collection not in self._known:
            with self._told(collection, READ):
                if self._client.collection_exists(collection):
                    self._known.add(collection)
        return collection in self._known

    def collections(self, prefix: str) -> list[str]:
        """Return the collections whose names begin so."""
        with self._told(prefix, READ):
            found = {one.name for one in self._client.get_collections().collections}
        self._known = found
        return sorted(name for name in found if name.startswith(prefix))

    def drop(self, collection: str) -> None:
        """Delete a collection with all that is in it."""
        with self._told(collection, DELETE):
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
        sparse = {WORDS: models.SparseVectorParams(modifier=models.Modifier.IDF)}
        try:
            with self._told(collection, WRITE):
                self._client.create_collection(
                    collection,
                    vectors_config=dense,
                    sparse_vectors_config=sparse if dimensions == 0 else None,
                    on_disk_payload=True,
                )
        except StoreUnusable:
            # Another machine was faster.
            if not self.exists(collection):
                raise
        with self._told(collection, WRITE):
            for field, kind in () if self._is_local else indexed.items():
                self._client.create_payload_index(collection, field, field_schema=kind)
        self._known.add(collection)

    def read(
        self, collection: str, points: Sequence[str], fields: Sequence[str] | None = None
    ) -> list[Payload]:
        """Return what is kept of some points; of those that are not there, nothing."""
        if not points or not self.exists(collection):
            return []
        with self._told(collection, READ):
            found = self._client.retrieve(collection, list(points), with_payload=_asked(fields))
        return [one.payload or {} for one in found]

    def page(
        self, collection: str, begin: str, limit: int, fields: Sequence[str]
    ) -> list[tuple[str, Payload]]:
        """Return so many points, from a number on, by the order of their numbers."""
        if not self.exists(collection):
            return []
        with self._told(collection, READ):
            found, _ = self._client.scroll(
                collection, limit=limit, offset=begin, with_payload=_asked(fields)
            )
        return [(str(one.id), one.payload or {}) for one in found]

    def scan(
        self, collection: str, wanted: models.Filter | None, fields: Sequence[str] | None = None
    ) -> Iterator[Payload]:
        """Yield what is kept of all points that meet a filter, in no order."""
        offset: Any = None
        while self.exists(collection):
            with self._told(collection, READ):
                found, offset = self._client.scroll(
                    collection, wanted, limit=PAGE, offset=offset, with_payload=_asked(fields)
                )
            yield from (one.payload or {} for one in found)
            if offset is None:
                return

    def newest(
        self, collection: str, wanted: models.Filter, field: str, limit: int
    ) -> list[Payload]:
        """Return so many points whose field is highest, without their texts."""
        if limit <= 0 or not self.exists(collection):
            return []
        order = models.OrderBy(key=field, direction=models.Direction.DESC)
        with self._told(collection, READ):
            found, _ = self._client.scroll(
                collection, wanted, limit=limit, order_by=order,
                with_payload=models.PayloadSelectorExclude(exclude=["text", "begins"]),
            )  # fmt: skip
        return [one.payload or {} for one in found]

    def count(self, collection: str, wanted: models.Filter | None = None) -> int:
        """Return how many points meet a filter."""
        if not self.exists(collection):
            return 0
        with self._told(collection, READ):
            return self._client.count(collection, wanted, exact=True).count

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
        with self._told(collection, READ):
            found = self._client.facet(collection, field, wanted, limit=_MANY, exact=exact).hits
        ordered = sorted(found, key=lambda hit: (-hit.count, str(hit.value)))
        return {str(hit.value): hit.count for hit in ordered}

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
        asked = _sparse(query) if isinstance(query, Mapping) else [float(n) for n in query]
        with self._told(collection, READ):
            found = self._client.query_points(
                collection, asked, using=WORDS if is_sparse else MEANING, query_filter=wanted,
                limit=limit, offset=skip, score_threshold=least, with_payload=True,
                search_params=None if is_sparse or self._is_local else _ANEW,
            ).points  # fmt: skip
        return [(one.score, one.payload or {}) for one in found]

    def put(
        self,
        collection: str,
        points: Sequence[tuple[str, Payload, Mapping[int, float] | None, Sequence[float] | None]],
    ) -> None:
        """Keep points with what is told of them, their stems and their meaning, where they have them."""
        made = [
            models.PointStruct(
                id=point, payload=payload, vector=cast("Any", _vectors(stems, dense))
            )
            for point, payload, stems, dense in points
        ]
        with self._told(collection, WRITE):
            for portion in _portions(made):
                self._client.upsert(collection, portion, wait=True)

    def put_stems(self, collection: str, points: Mapping[str, Mapping[int, float]]) -> None:
        """Give points other stems; what is told of them stays, and so does their meaning."""
        made = [
            models.PointVectors(id=point, vector=cast("Any", {WORDS: _sparse(stems)}))
            for point, stems in points.items()
        ]
        with self._told(collection, WRITE):
            for i in range(0, len(made), PAGE):
                self._client.update_vectors(collection, made[i : i + PAGE], wait=True)

    def tell(self, collection: str, facts: Payload, wanted: models.Filter) -> None:
        """Change what is told of all points that meet a filter."""
        with self._told(collection, WRITE):
            self._client.set_payload(collection, facts, points=wanted, wait=True)

    def delete(self, collection: str, wanted: models.Filter) -> None:
        """Delete all points that meet a filter."""
        if not self.exists(collection):
            return
        with self._told(collection, DELETE):
            self._client.delete(collection, models.FilterSelector(filter=wanted), wait=True)

    @contextmanager
    def _told(self, collection: str, doing: str) -> Generator[None]:
        if self._leaving is not None:
            self._leaving.goes_on(f"{collection}: {doing}")
        try:
            yield
        except UnexpectedResponse as exc:
            if exc.status_code == _NOT_THERE:
                # Another machine has deleted a collection: the next call looks anew.
                self._known = set()
            if exc.status_code in _REFUSED:
                problem = Message("Qdrant at {url} refuses the key.", url=self._address)
                raise StoreUnusable(problem, fix=Message("Set library.qdrant_key.")) from exc
            problem = Message(
                "Qdrant at {url} answered {status}.", url=self._address, status=exc.status_code or 0
            )
            raise StoreUnusable(problem, fix=Message("Look into the server's own log.")) from exc
        except (ApiException, OSError) as exc:
            problem = Message("Qdrant does not answer at {url}.", url=self._address)
            fix = Message("Start it, or set library.qdrant_url.")
            raise StoreUnusable(problem, fix=fix) from exc


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
