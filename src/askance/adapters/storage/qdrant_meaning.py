"""Vectors of meaning on a Qdrant server: a collection for each identity, beside that of the passages.

A vector's point has the number of its passage's, and says what it was made of. It counts where the passage
says the same now: so a vector of what a passage said before is never found, whoever writes at the time.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Final

from qdrant_client import models

from askance.adapters.storage.qdrant_points import Held, Payload, passage_point, passages_of
from askance.adapters.storage.qdrant_server import QdrantServer, among, any_of, every, same
from askance.domain.embeddings import Identity, model_of

MEANINGS: Final = "askance_meaning"
FIRST = "00000000-0000-0000-0000-000000000000"
AT_ONCE = 1_000
_KEPT = (
    "document",
    "hash",
    "number",
    "said",
    "origin",
    "kind",
    "syntax",
    "language",
    "day",
    "tags",
)
_NO_NAME = re.compile(r"[^a-z0-9]+")
_LONGEST_NAME = 40
_KEY_BYTES = 8


def collection_of(identity: Identity) -> str:
    """Return where vectors of an identity lie: none has those of another one among them."""
    name = _NO_NAME.sub("_", identity.model.lower()).strip("_")[:_LONGEST_NAME]
    key = hashlib.blake2b(identity.key.encode(), digest_size=_KEY_BYTES).hexdigest()
    return f"{MEANINGS}_{name}_{identity.dimension}_{key}"


def vector_payload(passage: Payload, identity: Identity) -> Payload:
    """Return what is kept of a passage beside its vector: what filters ask for, and none of its words."""
    return {**_facts(passage), "model": identity.key}


def point_of(payload: Payload) -> str:
    """Return the number of a passage's point, which its vector has, too."""
    return passage_point(payload["document"], payload["number"])


class Meanings:
    """The collections of vectors of a server, all at once."""

    def __init__(self, server: QdrantServer, passages: str) -> None:
        self._server = server
        self._passages = passages

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

    def tell(self, facts: Payload, wanted: models.Filter) -> None:
        """Change what filters ask for of vectors."""
        for collection in self.collections():
            self._server.tell(collection, _facts(facts), wanted)

    def keep_only(self, documents: Sequence[Held]) -> None:
        """Delete the vectors of documents but those of what they say now."""
        for collection in self.collections() if documents else ():
            named = any_of("document", [held.record.id for held in documents])
            if not self._server.count(collection, every(named)):
                continue
            for held in documents:
                said = [passage.payload["said"] for passage in passages_of(held)]
                others = models.Filter(
                    must=[same("document", held.record.id)], must_not=[any_of("said", said)]
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
        found = self._server.read(self._passages, [point_of(payload) for _, payload in page])
        by_point = {point_of(payload): payload for payload in found}
        pairs = [(score, told, by_point.get(point_of(told))) for score, told in page]
        return [
            (score, passage)
            for score, told, passage in pairs
            if passage is not None and passage["said"] == told["said"]
        ]

    def said(self, collection: str, points: Sequence[str]) -> dict[str, str]:
        """Return what stands for what some points were made of, or say; nothing for those not there."""
        found = self._server.read(collection, points, ["document", "number", "said"])
        return {point_of(payload): payload["said"] for payload in found}

    def _stale(self, collection: str) -> Iterator[list[str]]:
        begin = FIRST
        while page := self._server.page(collection, begin, AT_ONCE, ["said"]):
            said = self.said(self._passages, [point for point, _ in page])
            yield [point for point, told in page if said.get(point) != told["said"]]
            begin = behind(page[-1][0])


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
    return {field: payload[field] for field in _KEPT if field in payload}
