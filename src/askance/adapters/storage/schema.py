"""The shape of an SQLite file: numbered steps, each taken once, whole or not at all."""

from __future__ import annotations

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from askance.config.private_files import create_file, put_in_place
from askance.domain.errors import StoreUnusable
from askance.domain.messages import Message

_LOG_KEPT_BYTES = 4_194_304
_SETTINGS = (
    "PRAGMA foreign_keys = ON",
    # With a write-ahead log a power cut may cost the last transactions, never the file.
    "PRAGMA synchronous = NORMAL",
    # What was deleted is private, and must not stay readable in the file's free room.
    "PRAGMA secure_delete = ON",
    f"PRAGMA journal_size_limit = {_LOG_KEPT_BYTES}",
)


@dataclass(frozen=True, slots=True)
class Schema:
    """What a file is called in sentences, and the steps that lead to its shape.

    A step is a few SQL statements. One that was released is never changed; new ones are appended,
    and their number is the file's `user_version`. A `disposable` file holds nothing that cannot be
    had again: it is not copied before a step, and deleted where it is damaged.
    """

    name: str
    steps: tuple[tuple[str, ...], ...]
    disposable: bool = False


def prepare(connection: sqlite3.Connection, schema: Schema, file: Path) -> None:
    """Bring a file that was just opened into its present shape, and the connection into its mode.

    Raises:
        StoreUnusable: a newer Askance wrote the file; it is not touched.
        sqlite3.Error: a statement failed; the step that it belongs to is undone.
    """
    version = _version(connection)
    if not 0 <= version <= len(schema.steps):
        raise StoreUnusable(
            Message(
                "{name}, {file}, was written by a newer Askance: its format is {n}, this program "
                "knows formats up to {known}.",
                name=schema.name,
                file=file,
                n=version,
                known=len(schema.steps),
            ),
            fix=Message("Update Askance, or move the file away."),
        )
    for setting in _SETTINGS:
        connection.execute(setting)
    if version == 0:
        # Only a file without a single page can still learn to shrink.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("PRAGMA journal_mode = WAL")
    if 0 < version < len(schema.steps) and not schema.disposable:
        _copy(connection, file, version)
    for number in range(version + 1, len(schema.steps) + 1):
        _take(connection, number, schema.steps[number - 1])


def _take(connection: sqlite3.Connection, number: int, statements: tuple[str, ...]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _version(connection) < number:  # else another process was quicker
            for statement in statements:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _copy(connection: sqlite3.Connection, file: Path, version: int) -> None:
    """Leave a copy of the file as it is, for its owner alone. The first copy of a version stays."""
    copy = file.with_name(f"{file.stem}.format-{version}{file.suffix}")
    if copy.exists():
        return
    part = copy.with_name(f"{copy.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    os.close(create_file(part))
    connection.execute("VACUUM INTO ?", (str(part),))
    put_in_place(part, copy)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
