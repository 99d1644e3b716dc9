"""Search by meaning: vectors beside the library, found by their signs and ranked by themselves.

What is in memory may be older than the files, and somebody may be writing to those. Therefore nothing is
believed but what the tables say now, and no vector whose bytes have another checksum than stands there.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from askance.adapters.storage.library import SqliteLibrary
from askance.adapters.storage.library_schema import unpacked
from askance.adapters.storage.library_search import RankedPassage, condition, hit_of, stems_of
from askance.adapters.storage.vector_bits import Floats, Numbers, Words, nearest, signs_of
from askance.adapters.storage.vector_rows import (
    Store,
    VectorFiles,
    drop,
    forget,
    has_holes,
    name_rows,
    reserve,
    still_wanted,
    store_of,
    stores,
    tidy,
    words_of,
)
from askance.domain.embeddings import Identity, Unembedded, Vector
from askance.domain.library import EVERY, Filters, LibraryHit

# docs/decisions/0031-embeddings.md: nine of ten best are among so many, however the vectors lie.
CANDIDATES = 1_000
# So many of them are looked up at once; more only where one text has them all.
_LOOKED_UP = 100
# So many of the last vectors, and about as many of all, show whether the files are those of the tables.
_LOOKED_AT = 64
# A line on a passage is made of so much of its text's beginning.
_AROUND_CHARACTERS = 4_000


@dataclass(slots=True)
class _Memory:
    """What is loaded of a model's vectors: `rows` of them, the signs as columns, the rest mapped."""

    file: str
    reshaped: int
    rows: int
    columns: Words
    vectors: Floats

    @property
    def signs(self) -> Words:
        return self.columns[:, : self.rows]


class SqliteVectors:
    """A `VectorStore` beside a library in SQLite."""

    def __init__(self, library: SqliteLibrary) -> None:
        self._database = library.database
        self._file = library.file
        # Used within the database's lock alone.
        self._memory: dict[int, _Memory] = {}

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
        if not self._database.exists or len(vector) != identity.dimension:
            return ()
        wanted = np.asarray(vector, dtype=np.float32)

        def search(connection: sqlite3.Connection) -> tuple[LibraryHit, ...]:
            store = store_of(connection, identity)
            memory = None if store is None else self._loaded(store)
            if store is None or memory is None:
                return ()
            asked = _Asked(connection, store, filters, limit, passages_each, least)
            chosen = asked.best(memory, wanted, nearest(memory.signs, _signs(wanted), CANDIDATES))
            if len(chosen) < limit and filters != EVERY and memory.rows > CANDIDATES:
                allowed = asked.allowed(memory.rows)
                near = nearest(memory.signs[:, allowed], _signs(wanted), CANDIDATES)
                chosen = asked.best(memory, wanted, allowed[near])
            marks = {
                row.language: dict.fromkeys(stems_of(words, row.language), 1.0) for row in chosen
            }
            where, values = condition(filters)
            hits = (hit_of(connection, row, where, values, marks) for row in chosen)
            return tuple(hit for hit in hits if hit is not None)

        return self._database.read(search)

    def unembedded(self, identity: Identity, limit: int, after: int = 0) -> tuple[Unembedded, ...]:
        """Return passages without a vector, by their rows, from the one behind `after` on."""
        if not self._database.exists:
            return ()

        def look(connection: sqlite3.Connection) -> tuple[Unembedded, ...]:
            store = store_of(connection, identity)
            rows = connection.execute(
                "SELECT passage.id, hash, number, heading, start, stop, text, coalesce((SELECT title "
                "FROM document WHERE document.content = content.id AND title <> '' ORDER BY title "
                "LIMIT 1), '') FROM passage CROSS JOIN content ON content.id = passage.content "
                "WHERE is_indexed AND passage.id > ? AND NOT EXISTS (SELECT 1 FROM vector "
                "WHERE passage = passage.id AND embedding = ?) ORDER BY passage.id LIMIT ?",
                (after, 0 if store is None else store.id, limit),
            )
            return tuple(_unembedded(row) for row in rows)

        return self._database.read(look)

    def store(self, identity: Identity, vectors: Sequence[tuple[Unembedded, Vector]]) -> int:
        """Keep vectors, all or none, and return how many. One whose passage has gone is left out."""
        if not vectors or not self._database.exists:
            return 0
        given = np.asarray([vector for _, vector in vectors], dtype=np.float32)
        passages = [passage for passage, _ in vectors]
        signs = signs_of(given)
        if self._database.read(has_holes):
            self.tidy()
        self._database.write(lambda c: reserve(c, self._file, identity, len(vectors)))

        def write(connection: sqlite3.Connection) -> int | None:
            store = store_of(connection, identity)
            if store is None or store.rows + len(vectors) > store.reserved:
                return None
            places = still_wanted(connection, store, passages)
            if places:
                rows = given[places]
                store.files(self._file).write(store.rows, rows.tobytes(), signs[places].tobytes())
                sums = [zlib.crc32(row.tobytes()) for row in rows]
                name_rows(connection, store, [passages[i].row for i in places], sums)
            return len(places)

        stored = self._database.write(write)
        # Somebody has tidied up in between.
        return self.store(identity, vectors) if stored is None else stored

    def counted(self, identity: Identity | None) -> tuple[int, int]:
        """Return how many passages have a vector, and how many there are."""
        if not self._database.exists:
            return 0, 0

        def count(connection: sqlite3.Connection) -> tuple[int, int]:
            (passages,) = connection.execute(
                "SELECT coalesce(sum(passages), 0) FROM total"
            ).fetchone()
            store = None if identity is None else store_of(connection, identity)
            if store is None:
                return 0, passages
            (holes,) = connection.execute(
                "SELECT count(*) FROM hole WHERE embedding = ?", (store.id,)
            ).fetchone()
            return store.rows - holes, passages

        return self._database.read(count)

    def identities(self) -> tuple[str, ...]:
        """Return the keys of the identities of which vectors are kept."""
        if not self._database.exists:
            return ()
        found = self._database.read(stores)
        return tuple(store.identity for store in found if store.rows)

    def forget_others(self, identity: Identity) -> int:
        """Delete the vectors of all other identities, and return how many they were."""
        if not self._database.exists:
            return 0

        def drop(connection: sqlite3.Connection) -> int:
            others = [store for store in stores(connection) if store.identity != identity.key]
            return sum(forget(connection, store) for store in others)

        gone = self._database.write(drop)
        self.tidy()
        return gone

    def tidy(self) -> None:
        """Leave nothing of deleted vectors in any file."""
        tidy(self._database, self._file)

    def check(self) -> int:
        """Return how many vectors are not in the files as the tables say; each is never found."""
        if not self._database.exists:
            return 0

        def compare(connection: sqlite3.Connection) -> int:
            return sum(len(self._wrong(connection, store)) for store in stores(connection))

        return self._database.write(compare)

    def mend(self, *, thoroughly: bool = False) -> int:
        """Delete vectors that are not in the files as the tables say, and return how many."""
        if not self._database.exists:
            return 0

        def mend(connection: sqlite3.Connection) -> int:
            gone = 0
            for store in stores(connection):
                if not thoroughly and not self._wrong(connection, store, _LOOKED_AT):
                    continue
                wrong = self._wrong(connection, store)
                gone += len(wrong)
                for slot in wrong:
                    drop(connection, "embedding = ? AND slot = ?", (store.id, slot))
            return gone

        if gone := self._database.write(mend):
            self.tidy()
        return gone

    def _wrong(self, connection: sqlite3.Connection, store: Store, most: int = 0) -> list[int]:
        """Return the rows whose bytes have another checksum than the tables say; of `most` of them, or all."""
        asked = "SELECT slot, checksum FROM vector WHERE embedding = ?"
        if most:
            sums = connection.execute(
                f"{asked} AND (slot >= ? OR slot % ? = 0)",
                (store.id, store.rows - most, max(1, store.rows // most)),
            ).fetchall()
        else:
            sums = connection.execute(asked, (store.id,)).fetchall()
        files = store.files(self._file)
        if not sums or not files.holds(store.rows):
            return [slot for slot, _ in sums]
        vectors = _mapped(files, store.rows)
        return [slot for slot, checksum in sums if zlib.crc32(vectors[slot].tobytes()) != checksum]

    def _loaded(self, store: Store) -> _Memory | None:
        """Return a model's vectors with those that have come since the last time."""
        files = store.files(self._file)
        if not store.rows or not files.holds(store.rows):
            return None
        memory = self._memory.get(store.id)
        if memory is None or (memory.file, memory.reshaped) != (store.file, store.reshaped):
            width = words_of(store.dimension)
            memory = _Memory(
                store.file,
                store.reshaped,
                0,
                np.empty((width, store.rows), dtype=np.uint64),
                _mapped(files, store.rows),
            )
            self._memory[store.id] = memory
        if memory.rows < store.rows:
            _extend(memory, files, store.rows)
        return memory


@dataclass(frozen=True, slots=True)
class _Asked:
    """One search, within one moment of the tables."""

    connection: sqlite3.Connection
    store: Store
    filters: Filters
    limit: int
    passages_each: int
    least: float

    def best(self, memory: _Memory, wanted: Floats, near: Numbers) -> list[RankedPassage]:
        """Return the passages of some rows that are similar enough, best first, few of each text."""
        scores = memory.vectors[near] @ wanted
        order = np.argsort(-scores, kind="stable")
        order = order[scores[order] >= max(self.least, 1e-6)]
        taken: dict[int, int] = {}
        chosen: list[RankedPassage] = []
        for start in range(0, len(order), _LOOKED_UP):
            part = order[start : start + _LOOKED_UP]
            known = self._known(near[part].tolist())
            for place in part.tolist():
                slot = int(near[place])
                found = known.get(slot)
                if found is None or zlib.crc32(memory.vectors[slot].tobytes()) != found[0]:
                    continue
                _, passage, content, language = found
                taken[content] = taken.get(content, 0) + 1
                if taken[content] <= self.passages_each:
                    chosen.append(RankedPassage(float(scores[place]), passage, language))
                if len(chosen) == self.limit:
                    return chosen
        return chosen

    def allowed(self, rows: int) -> Numbers:
        """Return all rows that the filters let through."""
        where, values = condition(self.filters)
        slots = self.connection.execute(
            "SELECT DISTINCT slot FROM document JOIN content ON content.id = document.content "  # noqa: S608 - constants
            "JOIN passage ON passage.content = content.id JOIN vector ON vector.passage = passage.id "
            f"WHERE embedding = ? AND slot < ? AND {where}",
            (self.store.id, rows, *values),
        ).fetchall()
        return np.sort(np.asarray([slot for (slot,) in slots], dtype=np.intp))

    def _known(self, slots: list[int]) -> dict[int, tuple[int, int, int, str]]:
        """Return, for each row that counts, its checksum, its passage, that one's text and language."""
        where, values = condition(self.filters)
        wanted = (
            "AND EXISTS (SELECT 1 FROM document WHERE document.content = content.id "  # noqa: S608 - constants
            f"AND {where})"
            if where
            else ""
        )
        # Crossed, so that SQLite takes them in this order: it would begin with all the texts.
        rows = self.connection.execute(
            "SELECT slot, checksum, passage.id, passage.content, language FROM json_each(?) AS asked "  # noqa: S608 - constants
            "CROSS JOIN vector ON vector.embedding = ? AND slot = asked.value "
            "CROSS JOIN passage ON passage.id = vector.passage "
            f"CROSS JOIN content ON content.id = passage.content WHERE is_indexed {wanted}",
            (json.dumps(slots), self.store.id, *values),
        )
        return {slot: tuple(rest) for slot, *rest in rows}


def _extend(memory: _Memory, files: VectorFiles, rows: int) -> None:
    """Load the rows behind those that are loaded."""
    width = len(memory.columns)
    with files.signs.open("rb") as stream:
        stream.seek(memory.rows * width * 8)
        fresh = np.fromfile(stream, dtype=np.uint64, count=(rows - memory.rows) * width)
    if memory.columns.shape[1] < rows:
        grown = np.empty((width, rows + rows // 8), dtype=np.uint64)
        grown[:, : memory.rows] = memory.signs
        memory.columns = grown
    memory.columns[:, memory.rows : rows] = fresh.reshape(-1, width).T
    if len(memory.vectors) < rows:
        memory.vectors = _mapped(files, rows)
    memory.rows = rows


def _mapped(files: VectorFiles, rows: int) -> Any:
    return np.memmap(files.vectors, dtype=np.float32, mode="r", shape=(rows, files.dimension))


def _signs(vector: Floats) -> Words:
    return signs_of(vector[np.newaxis, :])[0]


def _unembedded(row: tuple[Any, ...]) -> Unembedded:
    number, digest, place, heading, start, stop, packed, title = row
    text = unpacked(packed)
    passage = f"{heading}\n{text[start:stop]}" if heading else text[start:stop]
    return Unembedded(number, digest, place, title, passage, text[:_AROUND_CHARACTERS])
