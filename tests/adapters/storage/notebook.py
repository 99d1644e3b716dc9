"""A database of notes for the tests of what files can suffer."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from askance.adapters.storage.database import Database, Schema, pragma

NOTES = "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)"
SCHEMA = Schema("The notebook", (NOTES,))
THROWAWAY = Schema("The scratch pad", (NOTES,), disposable=True)
NOBODY = 65_534


class Notebook:
    """A database of notes, and what it had to say."""

    def __init__(self, file: Path, schema: Schema = SCHEMA, busy_timeout_s: float = 5.0) -> None:
        self.file = file
        self.troubles: list[str] = []
        self.database = Database(file, schema, self.troubles.append, busy_timeout_s=busy_timeout_s)

    def write(self, *texts: str) -> None:
        rows = [(text,) for text in texts]
        self.database.write(lambda c: c.executemany("INSERT INTO note (text) VALUES (?)", rows))

    def texts(self) -> list[str]:
        rows = self.database.read(
            lambda c: c.execute("SELECT text FROM note ORDER BY id").fetchall()
        )
        return [row[0] for row in rows]

    def number(self, name: str) -> int:
        return self.database.read(lambda c: pragma(c, name))


def names(file: Path) -> list[str]:
    return sorted(f.name for f in file.parent.iterdir())


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def damage_the_middle(file: Path) -> None:
    """Write nonsense over everything behind the first page, where the tables are."""
    data = file.read_bytes()
    file.write_bytes(data[:4096] + b"\xa5" * (len(data) - 4096))


def set_version(file: Path, version: int) -> None:
    connection = sqlite3.connect(file)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
