"""Which folders the library reads, and what became of each of their files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from askance.adapters.storage.database import Database, storable
from askance.domain.library import FileRecord, FileState, Folder
from askance.domain.messages import Message

_COLUMNS = "path, folder, state, rule, detail, size, changed_ns, content_hash, identity, document"


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

        if rows or gone:
            self._database.write(note)


def _row(record: FileRecord) -> tuple[Any, ...]:
    detail = json.dumps({"text": str(record.detail), **record.detail.to_record()})
    return (
        record.path, record.folder, record.state, storable(record.rule), detail, record.size,
        record.changed_ns, record.content_hash, record.identity, record.document,
    )  # fmt: skip


def _file(row: tuple[Any, ...]) -> FileRecord:
    path, folder, state, rule, reason, *rest = row
    detail = json.loads(reason)
    message = Message.from_record(detail["text"], detail)
    return FileRecord(path, folder, FileState(state), message, rule, *rest)
