"""The library in one SQLite file: its documents, which places answered which questions, and the folders added to it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import zip_longest
from pathlib import Path
from typing import Any

from askance.adapters.library.library_search import condition, search
from askance.adapters.library.library_tables import (
    PASSING_BEFORE,
    SCHEMA,
    WORDS,
    add_document,
    add_tags,
    clear,
    content,
    differences,
    index,
    index_heads,
    place_of,
    remove_documents,
    remove_passing,
    settle,
    tidy_tags,
    unpacked,
)
from askance.adapters.storage.database import (
    Database,
    copies_of,
    delete_copies,
    expunge,
    log_of,
    utc_now,
    written,
)
from askance.domain.characters import storable
from askance.domain.library import (
    EVERY,
    Added,
    AnsweringPlace,
    Document,
    DocumentKind,
    DocumentRecord,
    DocumentVersion,
    FileRecord,
    FileState,
    Filters,
    Folder,
    LibraryHit,
    LibraryStats,
    Origin,
    Prepared,
    Removed,
)
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.model import model_of
from askance.text.ranking.intent import readings

# Adding many documents holds the file for a while; others wait for it.
BUSY_TIMEOUT_S = 10.0
# So many pages are taken out at once, or all that are due where one is so long overdue.
_MANY_PAGES = 100
_OVERDUE = timedelta(days=7)
# An identity may be shortened to so many characters, as long as it is the only one that begins so.
SHORTEST_ID = 4
_RECORD = (
    "SELECT document.id, url, title, origin, kind, syntax, content.language, published, "
    "fetched_at, content.hash, content.words, "
    "(SELECT count(*) FROM passage WHERE passage.content = content.id), "
    "(SELECT count(*) FROM version WHERE version.document = document.id), "
    "(SELECT group_concat(tag, char(10)) FROM tag WHERE tag.document = document.id), "
    "EXISTS (SELECT 1 FROM passing WHERE passing.document = document.id) "
    "FROM document JOIN content ON content.id = document.content"
)


class SqliteLibrary:
    """A `Library` in a file, which is made with the first document. For any thread, and several
    processes at once.

    `versions_days` is how long an earlier version can be cited. `on_error` is called with one plain
    sentence where the file was damaged and had to be begun anew. `clock` tells the present time, aware.
    """

    def __init__(
        self,
        file: Path,
        versions_days: int,
        on_error: Callable[[str], None],
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._file = file
        self._versions_days = versions_days
        self._database = Database(file, SCHEMA, on_error, busy_timeout_s=BUSY_TIMEOUT_S)
        # A connection of its own: in this process, too, a search does not wait for what is being added.
        self._reading = Database(file, SCHEMA, on_error, busy_timeout_s=BUSY_TIMEOUT_S)
        self._clock = clock

    @property
    def book(self) -> SqliteFolderIndex:
        """What became of the files of each folder; it is stored in the same file."""
        return SqliteFolderIndex(self._database)

    @property
    def answers(self) -> SqliteAnswerIndex:
        """Which documents have answered which question; it is stored in the same file."""
        return SqliteAnswerIndex(self._database)

    @property
    def file(self) -> Path:
        """Where it is stored, vectors included."""
        return self._file

    @property
    def database(self) -> Database:
        """The file, for whoever looks at it more closely."""
        return self._database

    def add(
        self, documents: Sequence[Document], prepared: Sequence[Prepared | None] = ()
    ) -> tuple[Added, ...]:
        """Keep documents, in their order, all or none; `prepared` as `Library.add` says."""
        now = written(self._clock())

        def add(connection: sqlite3.Connection) -> tuple[Added, ...]:
            pairs = zip_longest(documents, prepared)
            return tuple(add_document(connection, *pair, now) for pair in pairs)

        return self._database.write(add)

    def search(
        self, words: str, limit: int, filters: Filters = EVERY, *, passages_each: int = 1
    ) -> tuple[LibraryHit, ...]:
        """Return the passages that fit some words best, best first; of each text so many at most."""
        if not self._database.exists:
            return ()

        def found(connection: sqlite3.Connection) -> tuple[LibraryHit, ...]:
            for query in readings(words):
                if query.words and (
                    hits := search(connection, query, limit, filters, passages_each)
                ):
                    return hits
            return ()

        return self._reading.read(found)

    def documents(
        self, filters: Filters = EVERY, limit: int = -1, skip: int = 0
    ) -> tuple[DocumentRecord, ...]:
        """Return documents, the one that was read last first."""
        where, values = condition(filters, of_documents=True)
        clause = f"WHERE {where} " if where else ""
        order = "ORDER BY fetched_at DESC, document.id LIMIT ? OFFSET ?"
        return self._records(f"{clause}{order}", (*values, limit, skip))

    def find(self, reference: str) -> tuple[DocumentRecord, ...]:
        """Return the documents that are meant by an address, an identity, or the beginning of one."""
        meant = storable(reference.strip())
        found = self._records("WHERE place = ? OR document.id = ?", (place_of(meant), meant))
        # Of letters and digits alone, since the beginning becomes a pattern of GLOB, which reads
        # `*`, `?` and `[` otherwise.
        if found or len(meant) < SHORTEST_ID or not meant.isalnum():
            return found
        return self._records("WHERE document.id GLOB ? || '*'", (meant.lower(),))

    def copies(self, document: str) -> tuple[DocumentRecord, ...]:
        """Return the other documents that have the same text as one."""
        same = "WHERE document.content = (SELECT content FROM document WHERE id = ?)"
        return self._records(f"{same} AND document.id <> ? ORDER BY place", (document, document))

    def text(self, document: str, content_hash: str = "") -> str | None:
        """Return the text of a document, or that of an earlier version; None if it is not kept."""
        # It becomes a pattern of GLOB, too.
        if not (content_hash.isalnum() or not content_hash):
            return None
        prefix = storable(content_hash)
        found = self._database.rows(
            "SELECT text FROM content WHERE hash GLOB ? || '*' AND id IN "
            "(SELECT content FROM document WHERE id = ? "
            "UNION SELECT content FROM version WHERE document = ? AND ? <> '')",
            (prefix, document, document, prefix),
        )
        return unpacked(found[0][0]) if found else None

    def versions(self, document: str) -> tuple[DocumentVersion, ...]:
        """Return the earlier versions that can still be cited, the newest first."""
        rows = self._database.rows(
            "SELECT hash, title, fetched_at, until FROM version "
            "JOIN content ON content.id = version.content WHERE document = ? ORDER BY until DESC",
            (document,),
        )
        return tuple(DocumentVersion(*row) for row in rows)

    def tag(self, document: str, add: Sequence[str], remove: Sequence[str]) -> tuple[str, ...]:
        """Change the tags of a document, and return those that it has now."""

        def change(connection: sqlite3.Connection) -> tuple[str, ...]:
            found = connection.execute(
                "SELECT content FROM document WHERE id = ?", (document,)
            ).fetchone()
            if found is None:
                return ()
            # A page of a search that a user has tagged is kept: `prune` leaves it.
            connection.execute("DELETE FROM passing WHERE document = ?", (document,))
            add_tags(connection, document, add)
            connection.executemany(
                "DELETE FROM tag WHERE document = ? AND tag = ?",
                ((document, tag) for tag in tidy_tags(remove)),
            )
            index_heads(connection, found[0])
            rows = connection.execute(
                "SELECT tag FROM tag WHERE document = ? ORDER BY tag", (document,)
            )
            return tuple(tag for (tag,) in rows)

        return self._database.write(change) if self._database.exists else ()

    def remove(self, documents: Sequence[str]) -> Removed:
        """Delete documents with their versions, and leave no word of them in the file."""
        if not documents or not self._database.exists:
            return Removed(0, 0, 0, copies=tuple(copies_of(self._file)))
        removed = self._database.write(lambda c: remove_documents(c, documents))
        log = self._database.shrink()
        return Removed(*removed, tuple(copies_of(self._file)), log)

    def clear(self) -> Removed:
        """Delete everything, damaged files that were set aside included."""
        removed, log = (0, 0, 0, 0), None
        if self._database.exists:
            removed = self._database.write(clear)
            log = self._database.shrink()
        delete_copies(self._file, SCHEMA.name)
        return Removed(*removed, log=log)

    def prune(self, pages_days: int = 0) -> int:
        """Delete the versions that are older than `library.versions_days`, and return how many they were.

        With `pages_days` the pages of searches go, too, that were read longer ago.
        """
        if pages_days and self._database.exists:
            self._prune_pages(self._clock() - timedelta(days=pages_days))
        limit = written(self._clock() - timedelta(days=self._versions_days))
        is_old = "FROM version WHERE until < ?"
        if not self._database.rows(f"SELECT 1 {is_old} LIMIT 1", (limit,)):
            return 0

        def prune(connection: sqlite3.Connection) -> int:
            old = connection.execute(f"SELECT content {is_old}", (limit,)).fetchall()
            connection.execute(f"DELETE {is_old}", (limit,))
            for (number,) in dict.fromkeys(old):
                settle(connection, number)
            expunge(connection)
            return len(old)

        gone = self._database.write(prune)
        self._database.shrink()
        return gone

    def _prune_pages(self, before: datetime) -> None:
        """Many at once, or what is long overdue: each time costs as much as the index is long."""
        limit, overdue = written(before), written(before - _OVERDUE)
        due = len(self._database.rows(f"{PASSING_BEFORE} LIMIT {_MANY_PAGES}", (limit,)))
        if due == _MANY_PAGES or self._database.rows(f"{PASSING_BEFORE} LIMIT 1", (overdue,)):
            self._database.write(lambda c: remove_passing(c, limit))
            self._database.shrink()

    def stats(self) -> LibraryStats:
        """Count what is stored."""
        if not self._database.exists:
            return LibraryStats(0, 0, 0, 0, 0)

        def count(connection: sqlite3.Connection) -> LibraryStats:
            documents, versions, words = connection.execute(
                "SELECT (SELECT count(*) FROM document), (SELECT count(*) FROM version), "
                "(SELECT coalesce(sum(words), 0) FROM content WHERE is_indexed)"
            ).fetchone()
            origins, kinds, languages, tags = (
                dict(connection.execute(f"SELECT {counted} ORDER BY 2 DESC, 1").fetchall())
                for counted in (
                    "origin, count(*) FROM document GROUP BY 1",
                    "kind, count(*) FROM document GROUP BY 1",
                    "language, passages FROM total WHERE passages > 0",
                    "tag, count(*) FROM tag GROUP BY 1",
                )
            )
            passages = sum(languages.values())
            parts = (self._file, log_of(self._file))
            size = sum(part.stat().st_size for part in parts if part.exists())
            counts = (documents, passages, versions, words, size)
            return LibraryStats(*counts, origins, kinds, languages, tags, _embedded(connection))

        return self._database.read(count)

    def check(self) -> tuple[str, ...]:
        """Return in what the index and the tables differ; nothing where they agree."""
        return self._database.write(differences) if self._database.exists else ()

    def rebuild(self, advance: Callable[[int], None]) -> int:
        """Build the index anew from the texts, and return the number of passages."""
        if not self._database.exists:
            return 0

        def anew(connection: sqlite3.Connection) -> int:
            # The table and not its rows: to delete one, FTS5 would first read the index that may
            # be damaged.
            connection.execute("DROP TABLE words")
            connection.execute(WORDS)
            connection.execute("DELETE FROM total")
            connection.execute("UPDATE content SET is_indexed = 0")
            total = 0
            numbers = connection.execute("SELECT DISTINCT content FROM document").fetchall()
            for (number,) in numbers:
                done = index(connection, content(connection, number))
                advance(done)
                total += done
            return total

        return self._database.write(anew)

    def every(self) -> Iterator[tuple[DocumentRecord, str]]:
        """Yield every document with its text, by the order of addresses."""
        last = ""
        # By places, one at a time: the file may change between two of them, and no cursor is left
        # open.
        while found := self._records("WHERE place > ? ORDER BY place LIMIT 1", (last,)):
            (record,) = found
            last = place_of(record.url)
            yield record, self.text(record.id) or ""

    def close(self) -> None:
        """Close the file. A later use opens it again."""
        self._database.close()
        self._reading.close()

    def _records(self, clause: str, values: tuple[Any, ...]) -> tuple[DocumentRecord, ...]:
        return tuple(map(_record, self._database.rows(f"{_RECORD} {clause}", values)))


def _embedded(connection: sqlite3.Connection) -> dict[str, int]:
    """Return how many passages have a vector, by the model that made it."""
    counts: dict[str, int] = {}
    for identity, n in connection.execute(
        "SELECT identity, count(*) FROM vector JOIN embedding ON embedding.id = vector.embedding "
        "GROUP BY embedding"
    ):
        # One model may have several identities (another digest, other prefixes); their passages
        # are mostly the same, so the numbers are not added up.
        model = model_of(identity)
        counts[model] = max(n, counts.get(model, 0))
    return counts


def _record(row: tuple[Any, ...]) -> DocumentRecord:
    number, url, title, origin, kind, *rest, tags, in_passing = row
    sorted_tags = tuple(sorted(tags.split("\n"))) if tags else ()
    codes = Origin(origin), DocumentKind(kind)
    return DocumentRecord(
        number, url, title, *codes, *rest, tags=sorted_tags, in_passing=bool(in_passing)
    )


class SqliteAnswerIndex:
    """An `AnswerIndex` in the library's file. What it knows of a document goes with the document."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def store(self, question: str, places: Sequence[AnsweringPlace]) -> None:
        """Keep what has answered a question, in this order; what did before counts no more."""
        if places and self._database.exists:
            self._database.write(lambda c: _put(c, question, places))

    def places(self, question: str) -> tuple[AnsweringPlace, ...]:
        """Return what has answered a question, in the order of the evidence; nothing once a part of it is gone."""
        rows = self._database.rows(
            "SELECT document, start, stop, heading, digest FROM answer WHERE question = ? "
            "AND total <= (SELECT count(*) FROM answer WHERE question = ?) ORDER BY number",
            (question,) * 2,
        )
        return tuple(AnsweringPlace(*row) for row in rows)


def _put(connection: sqlite3.Connection, question: str, places: Sequence[AnsweringPlace]) -> None:
    """Store places under a question; `total` shows later whether one of them has gone."""
    rows = [
        (question, number, p.start, p.stop, p.heading, p.digest, len(places), place_of(p.document))
        for number, p in enumerate(places)
    ]
    connection.execute("DELETE FROM answer WHERE question = ?", (question,))
    connection.executemany(
        "INSERT INTO answer (question, number, start, stop, heading, digest, total, document) "
        "SELECT ?, ?, ?, ?, ?, ?, ?, id FROM document WHERE place = ?",
        rows,
    )


_COLUMNS = (
    "path, folder, state, rule, detail, size, changed_ns, content_hash, identity, document, is_cut"
)


class SqliteFolderIndex:
    """A `FolderIndex` in the library's file."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def folders(self) -> tuple[Folder, ...]:
        """Return the folders, by their paths."""
        query = "SELECT path, include, exclude, tags FROM folder ORDER BY path"
        rows = self._database.rows(query)
        return tuple(
            Folder(path, *(tuple(json.loads(column)) for column in rest)) for path, *rest in rows
        )

    def store_folder(self, folder: Folder) -> None:
        """Keep a folder, or its changed patterns."""
        lists = [json.dumps(values) for values in (folder.include, folder.exclude, folder.tags)]
        self._database.write(
            lambda c: c.execute(
                "INSERT INTO folder (path, include, exclude, tags) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (path) DO UPDATE SET include = excluded.include, "
                "exclude = excluded.exclude, tags = excluded.tags",
                (folder.path, *lists),
            )
        )

    def drop_folder(self, path: str) -> None:
        """Forget a folder and its files."""
        if self._database.exists:
            self._database.write(lambda c: c.execute("DELETE FROM folder WHERE path = ?", (path,)))

    def files(self, folder: str = "") -> tuple[FileRecord, ...]:
        """Return the files of a folder, or of all, by their paths."""
        query = f"SELECT {_COLUMNS} FROM file WHERE ? IN ('', folder) ORDER BY path"  # noqa: S608 - constants
        return tuple(map(_file, self._database.rows(query, (folder,))))

    def file(self, path: str) -> FileRecord | None:
        """Return what became of a file, None if nothing is known of it."""
        query = f"SELECT {_COLUMNS} FROM file WHERE path = ?"  # noqa: S608 - constants
        found = self._database.rows(query, (storable(path),))
        return _file(found[0]) if found else None

    def documents_of(self, path: str) -> tuple[str, ...]:
        """Return the identities of the documents that a file holds: by its address, or one below it."""
        # A number sign begins what is below an address, and a dollar sign comes next.
        rows = self._database.rows(
            "SELECT id FROM document WHERE place = ? OR (place > ? || '#' AND place < ? || '$')",
            (Path(path).as_uri(),) * 3,
        )
        return tuple(found for (found,) in rows)

    def note(self, records: Sequence[FileRecord], gone: Sequence[str] = ()) -> None:
        """Keep what became of some files; forget those that are gone."""
        rows = [_row(record) for record in records]
        marks = ", ".join("?" * (_COLUMNS.count(",") + 1))

        def note(connection: Any) -> None:
            connection.executemany("DELETE FROM file WHERE path = ?", ((path,) for path in gone))
            connection.executemany(
                f"INSERT OR REPLACE INTO file ({_COLUMNS}) VALUES ({marks})",  # noqa: S608 - constants
                rows,
            )

        # A look that found nothing new must not wait for the file, nor change it.
        if rows or gone:
            self._database.write(note)


def _row(record: FileRecord) -> tuple[Any, ...]:
    detail = _written(record.detail) if record.detail else _NO_DETAIL
    return (
        record.path, record.folder, record.state, storable(record.rule), detail, record.size,
        record.changed_ns, record.content_hash, record.identity, record.document, record.is_cut,
    )  # fmt: skip


def _file(row: tuple[Any, ...]) -> FileRecord:
    path, folder, state, rule, reason, *rest, is_cut = row
    message = NOTHING
    # Most files have none, and a look at a folder reads the records of all.
    if reason != _NO_DETAIL:
        detail = json.loads(reason)
        message = Message.from_record(detail["text"], detail)
    return FileRecord(path, folder, FileState(state), message, rule, *rest, is_cut=bool(is_cut))


def _written(detail: Message) -> str:
    return json.dumps({"text": str(detail), **detail.to_record()})


_NO_DETAIL = _written(NOTHING)
