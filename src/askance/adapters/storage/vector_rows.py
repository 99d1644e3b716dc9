"""Two files of numbers beside the library, the vectors of one model and the signs of their parts; whose each of
them is, in the library's tables; and what keeps the two in step.

Rows stand without gaps, each of the same length. A file never becomes shorter while it has its name,
since others may have it mapped into their memory.

A row of the files counts once the table `vector` names it, which is committed after the bytes are on
the disk; each has the checksum of its bytes there. What is written before that is overwritten or wiped:
`reserved` says, before anything is written, how far that may reach. A deleted passage takes its rows of
the table along in its own transaction; what stood there is overwritten by the last vectors, whose
places are wiped. Each of the steps may be the last of its process, and is taken again by the next.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedRandom
from pathlib import Path
from secrets import token_hex

from askance.adapters.storage.database import Database
from askance.config.private_files import create_file, open_for_update, put_in_place
from askance.domain.embeddings import Identity, Unembedded, model_of

_FLOAT_BYTES = 4
_WORD_BITS, _WORD_BYTES = 64, 8
_COPIED_BYTES = 4_194_304
# Rows that are reserved beyond those that are needed: the next batches then need none.
_RESERVE = 1024
# A file that is more than twice as long as it need be, and by so many rows, is written anew.
_IDLE_ROWS = 16_384
_SUFFIXES = ("f32", "bits", "f32.part", "bits.part")


def words_of(dimension: int) -> int:
    """Return how many words of 64 bits the signs of a vector take."""
    return -(-dimension // _WORD_BITS)


@dataclass(frozen=True, slots=True)
class VectorFiles:
    """The files of one model, called `name` and one of two suffixes."""

    folder: Path
    name: str
    dimension: int

    @property
    def vectors(self) -> Path:
        """Each row is a vector, as float32."""
        return self.folder / f"{self.name}.f32"

    @property
    def signs(self) -> Path:
        """Each row is the signs of a rotated vector, as uint64."""
        return self.folder / f"{self.name}.bits"

    def holds(self, rows: int) -> bool:
        """Whether both files are there, and as long as so many rows."""
        return all(_size(file) >= rows * length for file, length in self._lengths())

    @property
    def capacity(self) -> int:
        """How many rows the longer of the files takes on the disk."""
        return max(_size(file) // length for file, length in self._lengths())

    def write(self, row: int, vectors: bytes, signs: bytes) -> None:
        """Write rows from one on, and see to it that they are on the disk."""
        for (file, length), content in zip(self._lengths(), (vectors, signs), strict=True):
            with _changing(file) as stream:
                stream.seek(row * length)
                stream.write(content)

    def copy(self, moves: Iterable[tuple[int, int]]) -> None:
        """Copy rows to other places, each given as from where and to where."""
        moves = tuple(moves)
        for file, length in self._lengths():
            with _changing(file) as stream:
                for source, target in moves:
                    stream.seek(source * length)
                    content = stream.read(length)
                    stream.seek(target * length)
                    stream.write(content)

    def wipe(self, first: int, end: int) -> None:
        """Overwrite rows with zeros, as far as the files reach."""
        for file, length in self._lengths():
            start, stop = first * length, min(end * length, _size(file))
            if stop <= start:
                continue
            with _changing(file) as stream:
                stream.seek(start)
                for at in range(start, stop, _COPIED_BYTES):
                    stream.write(bytes(min(_COPIED_BYTES, stop - at)))

    def copied(self, name: str, rows: int) -> VectorFiles:
        """Write the first rows into files of another name, and return those."""
        fresh = VectorFiles(self.folder, name, self.dimension)
        for (source, length), (target, _) in zip(self._lengths(), fresh._lengths(), strict=True):
            part = target.with_name(f"{target.name}.part")
            part.unlink(missing_ok=True)
            with source.open("rb") as old, os.fdopen(create_file(part), "wb") as new:
                left = rows * length
                while left and (content := old.read(min(left, _COPIED_BYTES))):
                    new.write(content)
                    left -= len(content)
            put_in_place(part, target)
        return fresh

    def delete(self) -> None:
        """Delete both files. Who has them mapped keeps what there was."""
        for file, _ in self._lengths():
            file.unlink(missing_ok=True)

    def _lengths(self) -> tuple[tuple[Path, int], tuple[Path, int]]:
        return (
            (self.vectors, self.dimension * _FLOAT_BYTES),
            (self.signs, words_of(self.dimension) * _WORD_BYTES),
        )


@dataclass(frozen=True, slots=True)
class Store:
    """The vectors of one model. `reshaped` counts how often rows have changed their places."""

    id: int
    identity: str
    dimension: int
    file: str
    rows: int
    reserved: int
    reshaped: int

    def files(self, database: Path) -> VectorFiles:
        """Return its files, which lie beside the library's."""
        return VectorFiles(database.parent, self.file, self.dimension)


_COLUMNS = "id, identity, dimension, file, rows, reserved, reshaped"


def stores(connection: sqlite3.Connection) -> list[Store]:
    """Return what there is of vectors."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM embedding ORDER BY id")  # noqa: S608 - constants
    return [Store(*row) for row in rows]


def store_of(connection: sqlite3.Connection, identity: Identity) -> Store | None:
    """Return the vectors of one identity."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM embedding WHERE identity = ?",  # noqa: S608 - constants
        (identity.key,),
    ).fetchone()
    return None if row is None else Store(*row)


def embedded(connection: sqlite3.Connection) -> dict[str, int]:
    """Return how many passages have a vector, by the model that made it."""
    counts: dict[str, int] = {}
    for store in stores(connection):
        (holes,) = connection.execute(
            "SELECT count(*) FROM hole WHERE embedding = ?", (store.id,)
        ).fetchone()
        if n := store.rows - holes:
            model = model_of(store.identity)
            counts[model] = max(n, counts.get(model, 0))
    return counts


def reserve(connection: sqlite3.Connection, database: Path, identity: Identity, rows: int) -> None:
    """Note that so many further rows may be written. Committed before any is."""
    store = store_of(connection, identity)
    if store is not None and not store.files(database).holds(store.rows):
        forget(connection, store)  # the files are gone, and with them what they held
        store = None
    if store is None:
        connection.execute(
            "INSERT INTO embedding (identity, dimension, file, reserved) VALUES (?, ?, ?, ?)",
            (identity.key, identity.dimension, _new_name(database), rows + _RESERVE),
        )
    elif store.rows + rows > store.reserved:
        connection.execute(
            "UPDATE embedding SET reserved = ? WHERE id = ?",
            (store.rows + rows + _RESERVE, store.id),
        )


def still_wanted(
    connection: sqlite3.Connection, store: Store, passages: Sequence[Unembedded]
) -> list[int]:
    """Return which of the passages are as they were, and have no vector yet, by their places."""
    return [
        i
        for i, passage in enumerate(passages)
        if connection.execute(
            "SELECT 1 FROM passage JOIN content ON content.id = passage.content "
            "WHERE passage.id = ? AND number = ? AND hash = ? AND is_indexed AND NOT EXISTS "
            "(SELECT 1 FROM vector WHERE passage = passage.id AND embedding = ?)",
            (passage.row, passage.number, passage.content, store.id),
        ).fetchone()
    ]


def name_rows(
    connection: sqlite3.Connection, store: Store, passages: Sequence[int], checksums: Sequence[int]
) -> None:
    """Let the rows behind the last be vectors of passages; they are on the disk."""
    connection.executemany(
        "INSERT INTO vector (embedding, slot, passage, checksum) VALUES (?, ?, ?, ?)",
        (
            (store.id, store.rows + i, passage, checksum)
            for i, (passage, checksum) in enumerate(zip(passages, checksums, strict=True))
        ),
    )
    connection.execute(
        "UPDATE embedding SET rows = rows + ? WHERE id = ?", (len(passages), store.id)
    )


def drop(connection: sqlite3.Connection, condition: str, values: Sequence[object]) -> None:
    """Delete the vectors that meet a condition, and note where they stood: `tidy` overwrites it."""
    stood = f"SELECT embedding, slot FROM vector WHERE {condition}"  # noqa: S608 - ours
    connection.execute(f"INSERT OR IGNORE INTO hole (embedding, slot) {stood}", values)
    connection.execute(f"DELETE FROM vector WHERE {condition}", values)  # noqa: S608 - ours


def forget(connection: sqlite3.Connection, store: Store) -> int:
    """Delete all vectors of a model, and return how many; `tidy` deletes the files."""
    gone = connection.execute("DELETE FROM vector WHERE embedding = ?", (store.id,)).rowcount
    connection.execute("DELETE FROM hole WHERE embedding = ?", (store.id,))
    connection.execute("DELETE FROM embedding WHERE id = ?", (store.id,))
    return gone


def has_holes(connection: sqlite3.Connection) -> bool:
    """Whether vectors are to be overwritten."""
    return connection.execute("SELECT 1 FROM hole LIMIT 1").fetchone() is not None


def tidy(database: Database, file: Path) -> None:
    """Leave nothing of deleted vectors in any file."""
    database.write(lambda connection: _fill_holes(connection, file))
    database.write(lambda connection: _wipe(connection, file))
    database.write(lambda connection: _delete_strays(connection, file))


def files_of(database: Path) -> Iterator[Path]:
    """Yield all files of vectors beside a library."""
    for suffix in _SUFFIXES:
        yield from database.parent.glob(f"{database.stem}.vectors-*.{suffix}")


def _fill_holes(connection: sqlite3.Connection, file: Path) -> None:
    """Move the last vectors to where deleted ones stood."""
    for store in stores(connection):
        holes = [
            slot
            for (slot,) in connection.execute(
                "SELECT slot FROM hole WHERE embedding = ? ORDER BY slot", (store.id,)
            )
        ]
        if not holes:
            continue
        files = store.files(file)
        if len(holes) >= store.rows or not files.holds(store.rows):
            forget(connection, store)
            continue
        left = store.rows - len(holes)
        last = connection.execute(
            "SELECT slot FROM vector WHERE embedding = ? AND slot >= ? ORDER BY slot",
            (store.id, left),
        ).fetchall()
        moves = [
            (source, target)
            for (source,), target in zip(last, (h for h in holes if h < left), strict=True)
        ]
        files.copy(moves)
        connection.executemany(
            "UPDATE vector SET slot = ? WHERE embedding = ? AND slot = ?",
            ((target, store.id, source) for source, target in moves),
        )
        connection.execute(
            "UPDATE embedding SET rows = ?, reserved = max(reserved, rows), reshaped = reshaped + 1 "
            "WHERE id = ?",
            (left, store.id),
        )
        connection.execute("DELETE FROM hole WHERE embedding = ?", (store.id,))


def _wipe(connection: sqlite3.Connection, file: Path) -> None:
    """Overwrite what may stand behind the last vector; write a file anew that is much too long."""
    for store in stores(connection):
        files = store.files(file)
        files.wipe(store.rows, store.reserved)
        name = store.file
        if files.capacity > 2 * store.rows + _IDLE_ROWS:
            name = files.copied(_new_name(file), store.rows).name
        connection.execute(
            "UPDATE embedding SET reserved = rows, file = ? WHERE id = ?", (name, store.id)
        )


def _delete_strays(connection: sqlite3.Connection, file: Path) -> None:
    """Delete the files that belong to no model any more."""
    known = {store.file for store in stores(connection)}
    for path in files_of(file):
        if path.name.removesuffix(".part").rpartition(".")[0] not in known:
            path.unlink(missing_ok=True)


def _new_name(database: Path) -> str:
    return f"{database.stem}.vectors-{token_hex(4)}"


@contextmanager
def _changing(file: Path) -> Generator[BufferedRandom]:
    """Open a file to change bytes of it, and see to it that they are on the disk."""
    with os.fdopen(open_for_update(file), "r+b") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0
