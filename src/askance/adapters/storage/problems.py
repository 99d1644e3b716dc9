"""What can be wrong with an SQLite file: said in one sentence, and the file moved out of the way."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from datetime import UTC, datetime
from glob import escape
from pathlib import Path

from askance.config.private_files import OURS_ALONE
from askance.config.regular_files import out_of_reach
from askance.domain.errors import StorageError
from askance.domain.messages import Message

# A database in WAL mode is three files. The main one comes last: as long as it is there, whoever
# opens it finds the damage again; beside a new one, an old log would be taken for its own.
_LOG = ("-wal", "-shm")
_PARTS = (*_LOG, "")
_PRIMARY = 0xFF
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_FORBIDDEN = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM})


def is_damage(error: sqlite3.Error) -> bool:
    """Whether SQLite found that the file is damaged, or no database at all."""
    return _code(error) in _DAMAGE


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another connection was in the way."""
    return _code(error) in _BUSY


def unusable(error: sqlite3.Error, name: str, file: Path) -> StorageError | None:
    """Return what a person can do about an error, or None if it is a bug of ours."""
    code = _code(error)
    where = {"name": name, "file": file, "problem": error}
    if code in _BUSY:
        problem = Message("{name}, {file}, is in use by another program.", **where)
        fix = Message("Try again when that has finished.")
    elif code == sqlite3.SQLITE_FULL:
        problem = Message("{name}, {file}, cannot be written: the disk is full.", **where)
        fix = Message("Free some space on it.")
    elif code in _FORBIDDEN:
        problem = Message("{name}, {file}, cannot be opened for writing ({problem}).", **where)
        fix = Message(
            "Make the file and its folder writable, or set ASKANCE_HOME to a folder of yours."
        )
    elif code == sqlite3.SQLITE_IOERR:
        problem = Message("{name}, {file}, cannot be read or written ({problem}).", **where)
        fix = Message("Check its disk and your quota.")
    elif code in _DAMAGE:
        problem = Message("{name}, {file}, is damaged ({problem}).", **where)
        fix = Message("Move it away; Askance then starts a new one.")
    else:
        return None
    return StorageError(problem, fix=fix)


def close_to_others(file: Path) -> None:
    """Take from others what they may do with a database, its log included, where that can be."""
    for part in _PARTS:
        with suppress(OSError):
            _part(file, part).chmod(OURS_ALONE)


def set_aside(file: Path) -> Path:
    """Rename a damaged database, with its log, to a name that bears the date. Return that name."""
    aside = file.with_name(f"{file.stem}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}{file.suffix}")
    for part in _PARTS:
        with suppress(FileNotFoundError):
            _part(file, part).rename(_part(aside, part))
    return aside


def copies_of(file: Path) -> list[Path]:
    """Return what is left beside a database: copies from before a new format, and damaged files."""
    stem = escape(file.stem)
    return sorted(
        copy for kind in ("format", "damaged") for copy in file.parent.glob(f"{stem}.{kind}-*")
    )


def delete_copies(file: Path, name: str) -> None:
    """Delete the copies beside a database.

    Raises:
        StorageError: one cannot be deleted.
    """
    try:
        for copy in copies_of(file):
            copy.unlink(missing_ok=True)
    except OSError as exc:
        raise out_of_reach(exc, name, file) from exc


def remove(file: Path) -> None:
    """Delete a database with its log."""
    for part in _PARTS:
        _part(file, part).unlink(missing_ok=True)


def remove_log(file: Path) -> None:
    """Delete the log beside a database."""
    for part in _LOG:
        _part(file, part).unlink(missing_ok=True)


def log_of(file: Path) -> Path:
    """Return where the log of a database is, while there is one."""
    return _part(file, _LOG[0])


def _part(file: Path, part: str) -> Path:
    return file.with_name(file.name + part)


def _code(error: sqlite3.Error) -> int:
    """The primary result code; the module raises some errors of its own, which have none."""
    return getattr(error, "sqlite_errorcode", 0) & _PRIMARY
