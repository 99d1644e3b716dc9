"""Vectors of the library's passages, in tables of its file, and their search.

The signs of all vectors of a model are read into memory at the first search and compared there; only the
vectors of the candidates that they choose are read from the file. A vector goes with its passage, in one
transaction: what is in memory may be older than the file, and never decides what is found.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from askance.adapters.library.library_search import (
    RankedPassage,
    condition,
    hits_of,
    stems_of,
)
from askance.adapters.library.library_tables import unpacked
from askance.adapters.library.prepared import passage_of
from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.domain.library import EVERY, Filters, LibraryHit
from askance.domain.ports.model import Identity, Unembedded, Vector

Floats = npt.NDArray[np.float32]
Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.intp]

# Which vectors are nearest to one is found by the signs of their parts, a few processor cycles for each.
# Vectors are rotated first, so that no part of them says more than the others: signs of raw parts say
# little where all vectors of a model lie in one direction. A rotation by signs and Hadamard transforms
# needs no matrix, and is the same on every machine.
# Of vectors that all lie on one side of space the candidates hold .973 of the ten nearest when
# rotated, and .222 as they are (docs/bench/library-choices.md).
_ROUNDS = 2
# As many as stay in a core's cache, with what is made of them.
_BLOCK = 32_768
_WORD_BITS = 64


def words_of(dimension: int) -> int:
    """Return how many words of 64 bits the signs of a vector take."""
    return -(-dimension // _WORD_BITS)


def signs_of(vectors: Floats) -> Words:
    """Return a row of 64-bit words for each vector: the signs of its rotated parts."""
    rotated = _rotated(vectors)
    count, dimension = rotated.shape
    signs = np.zeros((count, words_of(dimension) * _WORD_BITS), dtype=bool)
    np.greater(rotated, 0.0, out=signs[:, :dimension])
    return np.packbits(signs, axis=1).view(np.uint64)


def nearest(columns: Words, wanted: Words, most: int) -> Numbers:
    """Return the rows whose signs differ least from those wanted: about `most`, by their numbers.

    `columns` has a row for each word of the signs, and a column for each vector.
    """
    width, count = columns.shape
    if count <= most:
        return np.arange(count, dtype=np.intp)
    # A difference is at most the number of parts, which 16 bits hold for every model.
    differences = np.empty(count, dtype=np.uint16)
    for start in range(0, count, _BLOCK):
        end = min(start + _BLOCK, count)
        total = differences[start:end]
        np.copyto(total, np.bitwise_count(columns[0, start:end] ^ wanted[0]))
        for word in range(1, width):
            total += np.bitwise_count(columns[word, start:end] ^ wanted[word])
    # The smallest difference that at least `most` vectors do not exceed.
    below = np.cumsum(np.bincount(differences))
    limit = int(np.searchsorted(below, most))
    near = np.flatnonzero(differences <= limit)
    if len(near) > most:
        near = near[np.argsort(differences[near], kind="stable")[:most]]
        near.sort()
    return near


def _rotated(vectors: Floats) -> Floats:
    """Return vectors turned in space: their products stay as they are."""
    turned = vectors.astype(np.float32, copy=True)
    dimension = turned.shape[1]
    power = 1 << (dimension.bit_length() - 1)
    for turn in range(_ROUNDS):
        turned *= _flips(dimension, turn)
        # First the first parts, then the last ones: what lies between is mixed with both.
        turned[:, :power] = _transformed(turned[:, :power])
        if power < dimension:
            turned[:, -power:] = _transformed(turned[:, -power:])
    return turned


def _transformed(parts: Floats) -> Floats:
    """Return a Hadamard transform of each row; the number of parts is a power of two."""
    count, length = parts.shape
    whole, half = np.ascontiguousarray(parts), 1
    while half < length:
        pairs = whole.reshape(count, length // (2 * half), 2, half)
        whole = np.stack((pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]), axis=2)
        half *= 2
    return whole.reshape(count, length) / np.float32(np.sqrt(length))


def _flips(dimension: int, turn: int) -> Floats:
    """Return signs that look random and are always the same."""
    # No generator of numpy, whose numbers another version may change (NEP 19): the signs of all
    # vectors in the file were made with these.
    drawn = hashlib.shake_256(f"{dimension}/{turn}".encode()).digest(-(-dimension // 8))
    bits = np.unpackbits(np.frombuffer(drawn, dtype=np.uint8))[:dimension]
    return (1.0 - 2.0 * bits).astype(np.float32)


# docs/bench/library-choices.md: nine of ten best are among so many, however the vectors lie.
CANDIDATES = 1_000
# So many of them are looked up at once; more only where one text has them all.
_LOOKED_UP = 100
# A line on a passage is made of so much of its text's beginning.
_AROUND_CHARACTERS = 4_000
_FLOAT_BYTES, _WORD_BYTES = 4, 8


@dataclass(slots=True)
class _Signs:
    """The signs of a model's vectors in memory: the first `count` columns, each with the number of its row.

    `seen` is the last row of the table that was looked at, of whatever model.
    """

    connection: sqlite3.Connection
    columns: Words
    numbers: Numbers = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    count: int = 0
    seen: int = 0

    def extend(self, embedding: int) -> None:
        """Read the signs of the rows that have come since the last time."""
        (last,) = self.connection.execute("SELECT coalesce(max(id), 0) FROM vector").fetchone()
        if last <= self.seen:
            return
        width = len(self.columns)
        found = [
            row
            for row in self.connection.execute(
                "SELECT id, signs FROM vector WHERE id > ? AND embedding = ? ORDER BY id",
                (self.seen, embedding),
            )
            if len(row[1]) == width * _WORD_BYTES
        ]
        self.seen = last
        total = self.count + len(found)
        if self.columns.shape[1] < total:
            # An eighth more than is needed, so that a library that grows is not copied each time.
            columns = np.empty((width, total + total // 8), dtype=np.uint64)
            columns[:, : self.count] = self.columns[:, : self.count]
            self.columns = columns
        # Transposed: `nearest` goes through one word of all vectors after the other.
        fresh = np.frombuffer(b"".join(signs for _, signs in found), dtype=np.uint64)
        self.columns[:, self.count : total] = fresh.reshape(-1, width).T
        numbers = np.fromiter((number for number, _ in found), dtype=np.intp, count=len(found))
        self.numbers = np.concatenate((self.numbers, numbers))
        self.count = total

    def near(self, wanted: Words) -> Numbers:
        """Return the rows whose signs are nearest to those wanted."""
        return self.numbers[nearest(self.columns[:, : self.count], wanted, CANDIDATES)]

    def near_among(self, wanted: Words, allowed: Numbers) -> Numbers:
        """Return the nearest of some rows."""
        places = np.flatnonzero(np.isin(self.numbers, allowed))
        return self.numbers[places[nearest(self.columns[:, places], wanted, CANDIDATES)]]


class SqliteVectors:
    """A `VectorStore` in the file of a library in SQLite."""

    def __init__(self, library: SqliteLibrary) -> None:
        self._database = library.database
        # By the number of the embedding; used within the database's lock alone.
        self._signs: dict[int, _Signs] = {}

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
        signs = signs_of(wanted[np.newaxis, :])[0]

        def search(connection: sqlite3.Connection) -> tuple[LibraryHit, ...]:
            embedding = embedding_number(connection, identity)
            if embedding is None:
                return ()
            asked = VectorSearch(connection, filters, limit, passages_each)

            def best(near: Numbers) -> tuple[list[RankedPassage], bool]:
                numbers, scores, is_stale = _scores(connection, near, wanted)
                # A similarity of zero is no hit, nor is what rounding makes of it.
                similar = scores >= max(least, 1e-6)
                return asked.best(numbers[similar], scores[similar]), is_stale

            loaded = self._loaded(connection, embedding, identity)
            chosen, is_stale = best(loaded.near(signs))
            if is_stale:  # vectors were deleted, and stood in the place of others
                del self._signs[embedding]
                loaded = self._loaded(connection, embedding, identity)
                chosen, _ = best(loaded.near(signs))
            # A narrow filter may have refused all candidates: then its own vectors are the
            # candidates.
            if len(chosen) < limit and filters != EVERY and loaded.count > CANDIDATES:
                chosen, _ = best(loaded.near_among(signs, asked.allowed(embedding)))
            return asked.hits(chosen, words)

        return self._database.read(search)

    def unembedded(self, identity: Identity, limit: int, after: int = 0) -> tuple[Unembedded, ...]:
        """Return passages without a vector, by their rows, from the one behind `after` on."""
        rows = self._database.rows(
            "SELECT passage.id, hash, number, heading, start, stop, text, coalesce((SELECT title "
            "FROM document WHERE document.content = content.id AND title <> '' ORDER BY title "
            "LIMIT 1), '') FROM passage CROSS JOIN content ON content.id = passage.content "
            "WHERE is_indexed AND passage.id > ? AND NOT EXISTS (SELECT 1 FROM vector WHERE passage = "
            "passage.id AND embedding = (SELECT id FROM embedding WHERE identity = ?)) "
            "ORDER BY passage.id LIMIT ?",
            (after, identity.key, limit),
        )
        return tuple(map(_unembedded, rows))

    def store(self, identity: Identity, vectors: Sequence[tuple[Unembedded, Vector]]) -> int:
        """Store vectors, all or none, and return how many. One whose passage has gone is left out."""
        if not vectors or not self._database.exists:
            return 0
        given = np.asarray([vector for _, vector in vectors], dtype=np.float32)
        signs = signs_of(given)

        def write(connection: sqlite3.Connection) -> int:
            embedding = embedding_number(connection, identity, makes=True)
            stored = 0
            for i, (passage, _) in enumerate(vectors):
                if row := insert_vector(connection, embedding, passage, signs[i].tobytes()):
                    connection.execute(
                        "INSERT INTO vector_data (vector, data) VALUES (?, ?)",
                        (row, given[i].tobytes()),
                    )
                    stored += 1
            return stored

        return self._database.write(write)

    def counted(self, identity: Identity | None) -> tuple[int, int]:
        """Return how many passages have a vector, and how many there are."""
        key = "" if identity is None else identity.key
        rows = self._database.rows(
            "SELECT (SELECT count(*) FROM vector WHERE embedding = (SELECT id FROM embedding "
            "WHERE identity = ?)), (SELECT coalesce(sum(passages), 0) FROM total)",
            (key,),
        )
        return rows[0] if rows else (0, 0)

    def identities(self) -> tuple[str, ...]:
        """Return the keys of the identities of which vectors are stored."""
        rows = self._database.rows(
            "SELECT identity FROM embedding WHERE EXISTS "
            "(SELECT 1 FROM vector WHERE embedding = embedding.id) ORDER BY id"
        )
        return tuple(key for (key,) in rows)

    def forget_others(self, identity: Identity) -> int:
        """Delete the vectors of all other identities, and return how many they were."""
        if not self._database.exists:
            return 0

        def delete(connection: sqlite3.Connection) -> int:
            deleted = connection.execute(
                "DELETE FROM vector WHERE embedding IN (SELECT id FROM embedding WHERE identity <> ?)",
                (identity.key,),
            )
            connection.execute("DELETE FROM embedding WHERE identity <> ?", (identity.key,))
            return deleted.rowcount

        gone = self._database.write(delete)
        self._database.shrink()
        return gone

    def _loaded(self, connection: sqlite3.Connection, embedding: int, identity: Identity) -> _Signs:
        """Return the signs of a model's vectors, with those that have come since the last time."""
        loaded = self._signs.get(embedding)
        # Another connection may be to another file: one that was restored, or begun anew.
        if loaded is None or loaded.connection is not connection:
            columns = np.empty((words_of(identity.dimension), 0), dtype=np.uint64)
            loaded = self._signs[embedding] = _Signs(connection, columns)
        loaded.extend(embedding)
        return loaded


@dataclass(frozen=True, slots=True)
class VectorSearch:
    """One search, within one moment of the tables."""

    connection: sqlite3.Connection
    filters: Filters
    limit: int = 0
    passages_each: int = 1

    def best(self, numbers: Numbers, scores: Floats) -> list[RankedPassage]:
        """Return the passages of some vectors, the most similar first, few of each text."""
        order = np.argsort(-scores, kind="stable")
        taken: dict[int, int] = {}
        chosen: list[RankedPassage] = []
        for start in range(0, len(order), _LOOKED_UP):
            part = order[start : start + _LOOKED_UP]
            known = self._known(numbers[part].tolist())
            for place in part.tolist():
                found = known.get(int(numbers[place]))
                if found is None:
                    continue
                passage, content, language = found
                taken[content] = taken.get(content, 0) + 1
                if taken[content] <= self.passages_each:
                    chosen.append(RankedPassage(float(scores[place]), passage, language))
                if len(chosen) == self.limit:
                    return chosen
        return chosen

    def hits(self, chosen: Sequence[RankedPassage], words: str) -> tuple[LibraryHit, ...]:
        """Return passages with their documents; `words` are marked in the snippets."""
        marks = {row.language: dict.fromkeys(stems_of(words, row.language), 1.0) for row in chosen}
        return hits_of(self.connection, chosen, self.filters, marks)

    def allowed(self, embedding: int | None) -> Numbers:
        """Return the vectors of all passages that the filters let through."""
        where, values = condition(self.filters)
        rows = self.connection.execute(
            "SELECT DISTINCT vector.id FROM document JOIN content ON content.id = document.content "  # noqa: S608 - constants
            "JOIN passage ON passage.content = content.id JOIN vector ON vector.passage = passage.id "
            f"WHERE embedding = ? AND {where}",
            (embedding, *values),
        )
        return np.asarray([number for (number,) in rows], dtype=np.intp)

    def _known(self, numbers: list[int]) -> dict[int, tuple[int, int, str]]:
        """Return, for each vector that counts, its passage, that one's text and language."""
        where, values = condition(self.filters)
        wanted = (
            "AND EXISTS (SELECT 1 FROM document WHERE document.content = content.id "  # noqa: S608 - constants
            f"AND {where})"
            if where
            else ""
        )
        # Crossed, so that SQLite takes them in this order: it would begin with all the texts.
        rows = self.connection.execute(
            "SELECT vector.id, passage.id, passage.content, language FROM json_each(?) AS asked "  # noqa: S608 - constants
            "CROSS JOIN vector ON vector.id = asked.value "
            "CROSS JOIN passage ON passage.id = vector.passage "
            f"CROSS JOIN content ON content.id = passage.content WHERE is_indexed {wanted}",
            (json.dumps(numbers), *values),
        )
        return {number: tuple(rest) for number, *rest in rows}


def _scores(
    connection: sqlite3.Connection, near: Numbers, wanted: Floats
) -> tuple[Numbers, Floats, bool]:
    """Return rows with how similar their vectors are, and whether some of the rows are not there."""
    size = len(wanted) * _FLOAT_BYTES
    rows = connection.execute(
        # A list in one parameter, since older SQLites take 999 of them and no more.
        "SELECT vector, data FROM json_each(?) AS asked "
        "CROSS JOIN vector_data ON vector = asked.value",
        (json.dumps(near.tolist()),),
    ).fetchall()
    whole = [row for row in rows if len(row[1]) == size]
    numbers = np.asarray([number for number, _ in whole], dtype=np.intp)
    vectors = np.frombuffer(b"".join(data for _, data in whole), dtype=np.float32)
    return numbers, vectors.reshape(-1, len(wanted)) @ wanted, len(rows) < len(near)


def embedding_number(
    connection: sqlite3.Connection, identity: Identity, *, makes: bool = False
) -> int | None:
    """Return the number under which the vectors of an identity stand; None if there is none, unless it
    `makes` one."""
    if makes:
        connection.execute(
            "INSERT OR IGNORE INTO embedding (identity, dimension) VALUES (?, ?)",
            (identity.key, identity.dimension),
        )
    row = connection.execute(
        "SELECT id FROM embedding WHERE identity = ?", (identity.key,)
    ).fetchone()
    return None if row is None else row[0]


def insert_vector(
    connection: sqlite3.Connection, embedding: int | None, passage: Unembedded, signs: bytes
) -> int:
    """Note that a passage has a vector, and return the number of its row; 0 where the passage has gone."""
    row = connection.execute(
        "INSERT OR IGNORE INTO vector (embedding, passage, signs) "
        "SELECT ?, passage.id, ? FROM passage JOIN content ON content.id = content "
        "WHERE passage.id = ? AND number = ? AND hash = ? AND is_indexed",
        (embedding, signs, passage.row, passage.number, passage.content),
    )
    return (row.lastrowid or 0) if row.rowcount else 0


def _unembedded(row: tuple[Any, ...]) -> Unembedded:
    number, digest, place, heading, start, stop, packed, title = row
    text = unpacked(packed)
    passage = passage_of(text, heading, start, stop)
    return Unembedded(number, digest, place, title, passage, text[:_AROUND_CHARACTERS])
