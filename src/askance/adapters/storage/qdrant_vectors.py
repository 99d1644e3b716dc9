"""Search by meaning on a Qdrant server: what waits for a vector, and what has one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from askance.adapters.storage.qdrant import PASSAGES, QdrantLibrary
from askance.adapters.storage.qdrant_meaning import (
    AT_ONCE,
    FIRST,
    collection_of,
    number_of,
    point_numbered,
    point_of,
    vector_payload,
)
from askance.adapters.storage.qdrant_points import Payload, passage_point, said_in
from askance.adapters.storage.qdrant_server import INDEXED_OF_VECTORS, among, every
from askance.domain.embeddings import Identity, Unembedded, Vector
from askance.domain.library import EVERY, Filters, LibraryHit

# A product of no similarity at all is not found; what rounding makes of it is not, either.
_LEAST = 1e-6
# A line on a passage is made of so much of its text's beginning, which so many passages hold.
_AROUND_CHARACTERS = 4_000
_AROUND_PASSAGES = 6


class QdrantVectors:
    """A `VectorStore` beside a library on a Qdrant server. `row` is the number of a passage's point."""

    def __init__(self, library: QdrantLibrary) -> None:
        self._library = library
        self._server = library.server
        self._meanings = library.meanings

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
        return self._library.nearest(
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
            said = self._meanings.said(collection, [point for point, _ in page])
            lacking += [point for point, told in page if said.get(point) != told["said"]]
            if len(page) < size:
                break
            begin = point_numbered(number_of(page[-1][0]) + 1)
            # Where much is embedded, what waits is far between.
            size = min(size * 2, max(AT_ONCE, limit))
        found = self._server.read(PASSAGES, lacking[:limit])
        around = self._around({payload["document"] for payload in found})
        waiting = [_unembedded(payload, around) for payload in found]
        return tuple(sorted(waiting, key=lambda passage: passage.row))

    def keep(self, identity: Identity, vectors: Sequence[tuple[Unembedded, Vector]]) -> int:
        """Keep vectors, and return how many. One whose passage has gone is left out."""
        collection = collection_of(identity)
        told = {point_numbered(passage.row): passage for passage, _ in vectors}
        passages = self._as_told(told)
        known = self._meanings.said(collection, list(passages))
        wanted = [
            (point, vector_payload(passages[point], identity), None, vector)
            for point, (_, vector) in zip(told, vectors, strict=True)
            if point in passages and known.get(point) != passages[point]["said"]
        ]
        if not wanted:
            return 0
        self._server.make(collection, INDEXED_OF_VECTORS, dimensions=identity.dimension)
        self._server.put(collection, wanted)
        # Whoever deletes passages deletes their vectors next: these may have come in between.
        still = self._as_told({point: told[point] for point, *_ in wanted})
        if gone := [point for point, *_ in wanted if point not in still]:
            self._server.delete(collection, every(among(gone)))
        return len(still)

    def counted(self, identity: Identity | None) -> tuple[int, int]:
        """Return how many passages have a vector, and how many there are."""
        done = 0 if identity is None else self._server.count(collection_of(identity))
        return done, self._server.count(PASSAGES)

    def identities(self) -> tuple[str, ...]:
        """Return the keys of the identities of which vectors are kept."""
        first = [
            self._server.page(collection, FIRST, 1, ["model"])
            for collection in self._meanings.collections()
        ]
        return tuple(payload["model"] for page in first for _, payload in page)

    def forget_others(self, identity: Identity) -> int:
        """Delete the vectors of all other identities, and return how many they were."""
        own = collection_of(identity)
        return self._meanings.drop([one for one in self._meanings.collections() if one != own])

    def _as_told(self, told: Mapping[str, Unembedded]) -> dict[str, Payload]:
        """Return the passages that say what they said."""
        found = {point_of(payload): payload for payload in self._server.read(PASSAGES, list(told))}
        return {
            point: payload
            for point, payload in found.items()
            if payload["said"] == said_in(point, told[point].title, told[point].text)
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
