"""One SQLite file: its schema in numbered steps, private, shared by several processes, and its full-text index.

What can be wrong with it is put into one sentence, a damaged file is moved out of the way, and a damaged index is
built anew.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from glob import escape
from pathlib import Path
from typing import Any, TypeVar

from askance.config.folders import out_of_reach
from askance.config.private_files import OURS_ALONE, create_file, exists, make_folder
from askance.domain.errors import DiskFull, StorageError
from askance.domain.messages import Message

# A database in WAL mode is three files. The main one comes last: as long as it is there, whoever
# opens it finds the damage again; beside a new one, an old log would be taken for its own.
_LOG = ("-wal", "-shm")
_PARTS = (*_LOG, "")
# Extended result codes carry the primary one in their lowest byte: SQLITE_IOERR_WRITE, 778, is
# SQLITE_IOERR, 10, and 3 times 256.
_PRIMARY = 0xFF
_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_FORBIDDEN = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM})


def unusable(error: sqlite3.Error, name: str, file: Path) -> StorageError | None:
    """Return what a person can do about an error, or None if it is a bug of ours."""
    code = _code(error)
    where = {"name": name, "file": file, "problem": error}
    if code in _BUSY:
        problem = Message("{name}, {file}, is in use by another program.", **where)
        fix = Message("Try again when that has finished.")
    elif code == sqlite3.SQLITE_FULL:
        problem = Message("{name}, {file}, cannot be written: the disk is full.", **where)
        return DiskFull(problem, fix=Message("Free some space on it."))
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
    """Return the damaged files that were set aside beside a database, with their logs."""
    return sorted(file.parent.glob(f"{escape(file.stem)}.damaged-*"))


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


def remove(file: Path, parts: Sequence[str] = _PARTS) -> None:
    """Delete a database, or some parts of it."""
    for part in parts:
        _part(file, part).unlink(missing_ok=True)


def log_of(file: Path) -> Path:
    """Return where the log of a database is, while there is one."""
    return _part(file, _LOG[0])


def _part(file: Path, part: str) -> Path:
    return file.with_name(file.name + part)


def _code(error: sqlite3.Error) -> int:
    """The primary result code; the module raises some errors of its own, which have none."""
    return getattr(error, "sqlite_errorcode", 0) & _PRIMARY


# The log of one long transaction would keep its size on the disk for good.
_LOG_LIMIT_BYTES = 4_194_304
_SETTINGS = (
    "PRAGMA foreign_keys = ON",
    # With a write-ahead log a power cut may cost the last transactions, never the file.
    "PRAGMA synchronous = NORMAL",
    # What was deleted is private, and must not stay readable in the file's free room.
    "PRAGMA secure_delete = ON",
    f"PRAGMA journal_size_limit = {_LOG_LIMIT_BYTES}",
)

_Result = TypeVar("_Result")
_Action = Callable[[sqlite3.Connection], _Result]
FORMAT = 1
"""The `user_version` of every file."""
_RETRY_S = 0.01
# Closing any descriptor of a file drops all locks that the process holds on it (POSIX): a file is
# made, and that descriptor closed, before anybody here can have opened it as a database.
_MAKING = threading.Lock()


@dataclass(frozen=True, slots=True)
class Schema:
    """What a file is called in sentences, and the SQL statements that make its tables.

    A `disposable` file holds nothing that cannot be had again: it is deleted where it is damaged.
    `has_index` says that one table, `words`, is an index of full texts, which is built anew where it is damaged.
    """

    name: str
    statements: tuple[str, ...]
    disposable: bool = False
    has_index: bool = False


class Database:
    """An SQLite file that is opened at its first use, and may be used from any thread. Whatever needs
    it raises StorageError where it cannot be used.

    A damaged file is set aside under a name that bears the date, or deleted if its schema says that
    it is disposable; a new one takes its place, and `on_error` is called with one plain sentence. A
    file that was moved or deleted meanwhile is begun anew. `busy_timeout_s` is how long another process
    is waited for.
    """

    def __init__(
        self,
        file: Path,
        schema: Schema,
        on_error: Callable[[str], None],
        *,
        busy_timeout_s: float = 5.0,
    ) -> None:
        self._file = file
        self._schema = schema
        self._on_error = on_error
        self._busy_timeout_s = busy_timeout_s
        self._connection: sqlite3.Connection | None = None
        # Of the file that is open, and of its log.
        self._identity: tuple[int, int] | None = None
        self._log: tuple[int, int] | None = None
        self._lock = threading.Lock()

    @property
    def exists(self) -> bool:
        """Whether there is a file yet."""
        try:
            return exists(self._file)
        except OSError as exc:
            raise out_of_reach(exc, self._schema.name, self._file) from exc

    def read(self, action: _Action[_Result]) -> _Result:
        """Return what an action finds; all that it reads is of one moment.

        The action may be called a second time, on a new and empty file.
        """
        return self._do(action, "BEGIN")

    def write(self, action: _Action[_Result]) -> _Result:
        """Let an action change the file: what it does is done whole, or not at all.

        The action may be called a second time, on a new and empty file.
        """
        return self._do(action, "BEGIN IMMEDIATE")

    def rows(self, query: str, values: Sequence[object] = ()) -> list[Any]:
        """Return what a query finds; nothing where there is no file yet."""
        return self.read(lambda c: c.execute(query, values).fetchall()) if self.exists else []

    def clear(self, table: str) -> int:
        """Delete all rows of a table, leave no trace of them, and return how many they were."""
        if not self.exists:
            return 0
        rows = self.write(lambda c: c.execute(f"DELETE FROM {table}").rowcount)  # noqa: S608 - ours
        self.shrink()
        return rows

    def shrink(self) -> Path | None:
        """Give the room of deleted rows back to the disk, and leave no trace of them in the log.

        Where another connection reads for longer than it is waited for, the log is returned, which still
        holds them then.
        """
        self.write(lambda c: give_back(c, pragma(c, "freelist_count")))
        return None if self._do(_has_emptied_log, "") else log_of(self._file)

    def close(self) -> None:
        """Close the file. A later use opens it again."""
        with self._lock:
            self._drop()

    def _do(self, action: _Action[_Result], begin: str) -> _Result:
        with self._lock:
            try:
                try:
                    return self._once(action, begin)
                except sqlite3.DatabaseError as exc:
                    if _code(exc) not in _DAMAGE:
                        raise
                    if self._schema.has_index:
                        return self._with_new_index(action, begin)
                    self._replace(exc)
                return self._once(action, begin)
            except sqlite3.Error as exc:
                self._drop()
                if known := unusable(exc, self._schema.name, self._file):
                    raise known from exc
                raise
            except OSError as exc:
                self._drop()
                raise out_of_reach(exc, self._schema.name, self._file) from exc

    def _with_new_index(self, action: _Action[_Result], begin: str) -> _Result:
        """Suspect the index first, which shows damage as late as when a change is committed: it can be
        had again."""
        try:
            self._once(rebuild, "BEGIN IMMEDIATE")
            return self._once(action, begin)
        except sqlite3.DatabaseError as exc:
            if _code(exc) not in _DAMAGE:
                raise
            self._replace(exc)
        return self._once(action, begin)

    def _once(self, action: _Action[_Result], begin: str) -> _Result:
        connection = self._opened()
        if not begin:
            return action(connection)
        connection.execute(begin)
        try:
            result = action(connection)
            connection.execute("COMMIT")
        # An interrupt between the two statements, too, must not leave a transaction open: it
        # would lock the file for all others.
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise
        return result

    def _opened(self) -> sqlite3.Connection:
        if self._connection is not None and _identity(self._file) == self._identity:
            return self._connection
        if self._connection is not None:
            self._drop()
            # SQLite would read the log of the old file into one that was put in its place.
            if _identity(log_of(self._file)) == self._log:
                remove(self._file, _LOG)
        deadline = time.monotonic() + self._busy_timeout_s
        while True:
            try:
                return self._open()
            except sqlite3.OperationalError as exc:
                self._drop()
                # SQLite does not wait on its own where two processes make one file at once, nor tell
                # when the other is done. It is waited for as SQLite waits for a lock: in the caller's
                # thread, up to the time limit.
                if _code(exc) not in _BUSY or time.monotonic() >= deadline:
                    raise
            time.sleep(_RETRY_S)

    def _open(self) -> sqlite3.Connection:
        make_folder(self._file.parent)
        with _MAKING, suppress(FileExistsError):  # another process was quicker
            if not exists(self._file):
                os.close(create_file(self._file))
        # A copy out of a backup may have lost its modes. A new log takes that of the file.
        close_to_others(self._file)
        self._identity = _identity(self._file)
        # Transactions are begun by hand, since the module begins none for reading. The check of
        # threads is off: the lock around every use does its work.
        connection = sqlite3.connect(
            self._file, timeout=self._busy_timeout_s, isolation_level=None, check_same_thread=False
        )
        try:
            prepare(connection, self._schema, self._file)
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        self._log = _identity(log_of(self._file))
        return connection

    def _replace(self, error: sqlite3.DatabaseError) -> None:
        """Make room for a new file in the place of the damaged one."""
        damaged = self._identity
        self._drop()
        if _identity(self._file) != damaged:
            return  # another process was quicker
        values = {"name": self._schema.name, "problem": error}
        if self._schema.disposable:
            remove(self._file)
            trouble = Message(
                "{name} was damaged ({problem}) and starts again empty: {file}.",
                **values,
                file=self._file,
            )
        else:
            trouble = Message(
                "{name} was damaged ({problem}) and starts again empty; the damaged one is kept "
                "as {file}.",
                **values,
                file=set_aside(self._file),
            )
        self._on_error(trouble)

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()


def prepare(connection: sqlite3.Connection, schema: Schema, file: Path) -> None:
    """Make the tables of a file that was just opened, and bring the connection into its mode.

    Raises:
        StorageError: a newer Askance wrote the file; it is not touched.
        sqlite3.Error: a statement failed; no table is made then.
    """
    version = pragma(connection, "user_version")
    if version not in (0, FORMAT):
        problem = Message(
            "{name}, {file}, was written by a newer Askance: its format is {n}, this program "
            "knows formats up to {known}.",
            name=schema.name,
            file=file,
            n=version,
            known=FORMAT,
        )
        raise StorageError(problem, fix=Message("Update Askance, or move the file away."))
    for setting in _SETTINGS:
        connection.execute(setting)
    if version == 0:
        # Only a file without a single page can still learn to shrink.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("PRAGMA journal_mode = WAL")
    if version == 0:
        _make_tables(connection, schema.statements)


def written(moment: datetime) -> str:
    """Return a moment in the one form whose order as text is that of time."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")


def utc_now() -> datetime:
    """Return the present time, aware."""
    return datetime.now(UTC)


def pragma(connection: sqlite3.Connection, name: str) -> int:
    """Return one of the numbers that SQLite keeps about a file."""
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def give_back(connection: sqlite3.Connection, pages: int) -> None:
    """Give so many free pages of the file back to the disk."""
    for _ in range(pages):
        # Given more than one page, the statement would have to be stepped, which `execute` does once.
        connection.execute("PRAGMA incremental_vacuum(1)")


def _make_tables(connection: sqlite3.Connection, statements: Sequence[str]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        if pragma(connection, "user_version") == 0:  # else another process was quicker
            for statement in statements:
                connection.execute(statement)
            # In the same transaction: a process that is killed has made all tables, or none.
            connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    except BaseException:
        # After a full disk or a failed write SQLite has rolled back by itself, and a second
        # ROLLBACK would raise in the place of the reason.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _has_emptied_log(connection: sqlite3.Connection) -> bool:
    # The first of three numbers says that a reader or a writer was in the way: the log still
    # holds something.
    is_busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not is_busy


def _identity(file: Path) -> tuple[int, int] | None:
    """What tells a file from another one of the same name."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


# The index of full texts, `words`, that a file may have: deleted words leave it, and it is built anew
# before it comes to harm.

# SQLite's own numbers of the records that say how long the rows are, and of which parts the index
# consists, see fts5_index.c. Each level of parts takes two bytes at least.
_AVERAGES, _STRUCTURE = 1, 10
# Up to SQLite 3.40 each `optimize` adds a level or two, and an index with more than 2,000 counts as
# damaged; later ones stop at 64.
_MOST_LEVELS = 1_000


def expunge(connection: sqlite3.Connection) -> None:
    """Take the words of deleted rows out of the index, which only notes that they are gone."""
    connection.execute("INSERT INTO words (words) VALUES ('optimize')")
    (length,) = connection.execute(
        "SELECT length(block) FROM words_data WHERE id = ?", (_STRUCTURE,)
    ).fetchone()
    if length > 2 * _MOST_LEVELS:
        rebuild(connection)


def rebuild(connection: sqlite3.Connection) -> None:
    """Build the index anew from the words that it keeps of each row, however damaged it is."""
    # As it is made at first, since SQLite opens no index whose records it cannot read.
    connection.execute("DELETE FROM words_data")
    connection.execute("DELETE FROM words_idx")
    connection.execute(
        "INSERT INTO words_data (id, block) VALUES (?, x''), (?, x'00000000000000')",
        (_AVERAGES, _STRUCTURE),
    )
    connection.execute("INSERT INTO words (words) VALUES ('rebuild')")
