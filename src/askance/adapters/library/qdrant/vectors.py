"""Search by meaning on a Qdrant server: vectors in a collection for each identity, beside that of the passages.

A vector's point has the number of its passage's, and says what it was made of. It counts where the passage
says the same now: so a vector of what a passage said before is never found, whoever writes at the time.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from qdrant_client import models

from askance.adapters.library.qdrant.points import (
    PASSAGES,
    Held,
    Payload,
    passage_point,
    passages_of,
    text_digest,
)
from askance.adapters.library.qdrant.qdrant_server import (
    INDEXED_OF_VECTORS,
    QdrantServer,
    among,
    any_of,
    every,
    same,
)
from askance.domain.library import EVERY, Filters, LibraryHit
from askance.domain.ports.model import Identity, Unembedded, Vector, model_of

MEANINGS: Final = "askance_meaning"
FIRST = "00000000-0000-0000-0000-000000000000"
AT_ONCE = 1_000
_STORED_FIELDS = (
    *("document", "hash", "number", "said", "origin", "kind", "syntax", "syntaxes"),
    *("language", "day", "tags"),
)
_NO_NAME = re.compile(r"[^a-z0-9]+")
# For people who look at the server; what tells collections apart is the hash behind it.
_LONGEST_NAME = 40
_KEY_BYTES = 8
# A product of no similarity at all is not found; what rounding makes of it is not, either.
_LEAST = 1e-6
# A line on a passage is made of so much of its text's beginning, which so many passages hold.
_AROUND_CHARACTERS = 4_000
_AROUND_PASSAGES = 6


def collection_of(identity: Identity) -> str:
    """Return where vectors of an identity lie: none has those of another one among them."""
    name = _NO_NAME.sub("_", identity.model.lower()).strip("_")[:_LONGEST_NAME]
    key = hashlib.blake2b(identity.key.encode(), digest_size=_KEY_BYTES).hexdigest()
    return f"{MEANINGS}_{name}_{identity.dimension}_{key}"


def vector_payload(passage: Payload, identity: Identity) -> Payload:
    """Return what is stored of a passage beside its vector: what filters ask for, and none of its words."""
    return {**_facts(passage), "model": identity.key}


def point_of(payload: Payload) -> str:
    """Return the number of a passage's point, which its vector has, too."""
    return passage_point(payload["document"], payload["number"])


class QdrantVectors:
    """A `VectorStore` beside a library on a Qdrant server. `row` is the number of a passage's point.

    `nearest` gives the passages whose vectors in a collection are most similar to one.
    """

    def __init__(
        self, server: QdrantServer, nearest: Callable[..., tuple[LibraryHit, ...]]
    ) -> None:
        self._server = server
        self._nearest = nearest

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
        if len(vector) != identity.dimension:
            return ()
        return self._nearest(
            collection_of(identity),
            vector,
            limit,
            filters,
            words=words,
            passages_each=passages_each,
            least=max(least, _LEAST),
        )

    def unembedded(self, identity: Identity, limit: int, after: int = 0) -> tuple[Unembedded, ...]:
        """Return passages without a vector, by their numbers, from the one behind `after` on."""
        collection = collection_of(identity)
        begin, size = point_numbered(after + 1) if after else FIRST, limit
        lacking: list[str] = []
        while len(lacking) < limit:
            page = self._server.page(PASSAGES, begin, size, ["said"])
            digests = self.text_digests(collection, [point for point, _ in page])
            lacking += [point for point, payload in page if digests.get(point) != payload["said"]]
            if len(page) < size:
                break
            begin = behind(page[-1][0])
            # Where much is embedded, what waits is far between.
            size = min(size * 2, max(AT_ONCE, limit))
        found = self._server.read(PASSAGES, lacking[:limit])
        around = self._around({payload["document"] for payload in found})
        waiting = [_unembedded(payload, around) for payload in found]
        return tuple(sorted(waiting, key=lambda passage: passage.row))

    def store(self, identity: Identity, vectors: Sequence[tuple[Unembedded, Vector]]) -> int:
        """Keep vectors, and return how many. One whose passage has gone is left out."""
        collection = collection_of(identity)
        by_point = {point_numbered(passage.row): passage for passage, _ in vectors}
        passages = self._matching_passages(by_point)
        known = self.text_digests(collection, list(passages))
        wanted = [
            (point, vector_payload(passages[point], identity), None, vector)
            for point, (_, vector) in zip(by_point, vectors, strict=True)
            if point in passages and known.get(point) != passages[point]["said"]
        ]
        if not wanted:
            return 0
        self._server.make(collection, INDEXED_OF_VECTORS, dimensions=identity.dimension)
        self._server.put(collection, wanted)
        # Whoever deletes passages deletes their vectors next: these may have come in between.
        still = self._matching_passages({point: by_point[point] for point, *_ in wanted})
        if gone := [point for point, *_ in wanted if point not in still]:
            self._server.delete(collection, every(among(gone)))
        return len(still)

    def counted(self, identity: Identity | None) -> tuple[int, int]:
        """Return how many passages have a vector, and how many there are."""
        done = 0 if identity is None else self._server.count(collection_of(identity))
        return done, self._server.count(PASSAGES)

    def identities(self) -> tuple[str, ...]:
        """Return the keys of the identities of which vectors are stored."""
        first = [
            self._server.page(collection, FIRST, 1, ["model"]) for collection in self.collections()
        ]
        return tuple(payload["model"] for page in first for _, payload in page)

    def forget_others(self, identity: Identity) -> int:
        """Delete the vectors of all other identities, and return how many they were."""
        own = collection_of(identity)
        return self.drop([one for one in self.collections() if one != own])

    def collections(self) -> list[str]:
        """Return the names of those that there are."""
        return self._server.collections(MEANINGS)

    def embedded(self) -> dict[str, int]:
        """Return how many passages have a vector, by the model that made it."""
        counts: dict[str, int] = {}
        for collection in self.collections():
            for _, payload in self._server.page(collection, FIRST, 1, ["model"]):
                model = model_of(payload["model"])
                counts[model] = max(self._server.count(collection), counts.get(model, 0))
        return counts

    def set_fields(self, facts: Payload, wanted: models.Filter) -> None:
        """Change what filters ask for of vectors."""
        for collection in self.collections():
            self._server.set_fields(collection, _facts(facts), wanted)

    def retain_only(self, documents: Sequence[Held]) -> None:
        """Delete the vectors of documents but those of what they say now."""
        # Without documents nothing is asked: each call costs a request for each collection.
        for collection in self.collections() if documents else ():
            named = any_of("document", [held.record.id for held in documents])
            if not self._server.count(collection, every(named)):
                continue
            for held in documents:
                digests = [passage.payload["said"] for passage in passages_of(held)]
                others = models.Filter(
                    must=[same("document", held.record.id)], must_not=[any_of("said", digests)]
                )
                self._server.delete(collection, others)

    def delete(self, wanted: models.Filter) -> int:
        """Delete the vectors that meet a filter, and return how many they were."""
        gone = 0
        for collection in self.collections():
            if n := self._server.count(collection, wanted):
                self._server.delete(collection, wanted)
                gone += n
        return gone

    def drop(self, collections: Sequence[str]) -> int:
        """Delete whole collections, and return how many vectors they had."""
        gone = 0
        for collection in collections:
            gone += self._server.count(collection)
            self._server.drop(collection)
        return gone

    def left_over(self, *, delete: bool = False) -> int:
        """Count the vectors of what no passage says, and delete them, if that is wanted."""
        wrong = 0
        for collection in self.collections():
            for points in self._stale(collection):
                wrong += len(points)
                if delete and points:
                    self._server.delete(collection, every(among(points)))
        return wrong

    def passages(self, page: Sequence[tuple[float, Payload]]) -> list[tuple[float, Payload]]:
        """Return the passages of vectors that were found, without those that say something else now."""
        found = self._server.read(PASSAGES, [point_of(payload) for _, payload in page])
        by_point = {point_of(payload): payload for payload in found}
        pairs = [(score, payload, by_point.get(point_of(payload))) for score, payload in page]
        return [
            (score, passage)
            for score, payload, passage in pairs
            if passage is not None and passage["said"] == payload["said"]
        ]

    def text_digests(self, collection: str, points: Sequence[str]) -> dict[str, str]:
        """Return what stands for what some points were made of, or say; nothing for those not there."""
        found = self._server.read(collection, points, ["document", "number", "said"])
        return {point_of(payload): payload["said"] for payload in found}

    def _stale(self, collection: str) -> Iterator[list[str]]:
        begin = FIRST
        while page := self._server.page(collection, begin, AT_ONCE, ["said"]):
            digests = self.text_digests(PASSAGES, [point for point, _ in page])
            yield [point for point, payload in page if digests.get(point) != payload["said"]]
            # By number and not by offset: points may go while all are looked at.
            begin = behind(page[-1][0])

    def _matching_passages(self, by_point: Mapping[str, Unembedded]) -> dict[str, Payload]:
        """Return the passages that say what they said."""
        found = {
            point_of(payload): payload for payload in self._server.read(PASSAGES, list(by_point))
        }
        return {
            point: payload
            for point, payload in found.items()
            if payload["said"] == text_digest(point, by_point[point].title, by_point[point].text)
        }

    def _around(self, documents: set[str]) -> dict[str, str]:
        """Return how the text of each document begins."""
        points = [
            passage_point(document, number)
            for document in documents
            for number in range(_AROUND_PASSAGES)
        ]
        found = self._server.read(PASSAGES, points, ["document", "number", "start", "text"])
        texts: dict[str, str] = {}
        for payload in sorted(found, key=lambda payload: payload["number"]):
            before = texts.get(payload["document"], "")
            # Passages may overlap.
            texts[payload["document"]] = before[: payload["start"]] + payload["text"]
        return {document: text[:_AROUND_CHARACTERS] for document, text in texts.items()}


def behind(point: str) -> str:
    """Return the number of the first point that may come behind one."""
    return point_numbered(number_of(point) + 1)


def number_of(point: str) -> int:
    """Return a point's number as one."""
    return int(point.replace("-", ""), 16)


def point_numbered(number: int) -> str:
    """Return a number as Qdrant writes it."""
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _facts(payload: Payload) -> Payload:
    return {field: payload[field] for field in _STORED_FIELDS if field in payload}


def _unembedded(payload: Payload, around: Mapping[str, str]) -> Unembedded:
    heading, text = payload["heading"], payload["text"]
    return Unembedded(
        number_of(point_of(payload)),
        payload["hash"],
        payload["number"],
        payload["title"],
        f"{heading}\n{text}" if heading else text,
        around.get(payload["document"], ""),
    )
