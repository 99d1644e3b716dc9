"""The outbound ledger: what left this machine, when, on what occasion, to whom and through what.

`RemoteLibraryAudit` enters what goes to a library on another machine.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from askance.adapters.storage.database import Database, Schema, utc_now, written
from askance.domain.characters import storable
from askance.domain.errors import StorageError, place_of
from askance.domain.events import LedgerEntry, RequestSent, Sending
from askance.domain.messages import Message

SCHEMA = Schema(
    Message("The ledger"),
    (
        """
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY,
            at TEXT NOT NULL,
            occasion TEXT NOT NULL,
            sending TEXT NOT NULL,
            recipient TEXT NOT NULL,
            through TEXT NOT NULL,
            content TEXT NOT NULL
        )
        """,
        "CREATE INDEX entry_at ON entry (at)",
    ),
)
# Entries are written in the event loop: another process is waited for only briefly, and a file that
# cannot be written is not tried again for a while.
BUSY_TIMEOUT_S = 0.5
REST_S = 5.0
LONGEST_OCCASION = 500
LIBRARY = "library"
"""The occasion of what goes to a library on another machine."""
# It is read in thousands of requests: of one kind so many seconds have one entry.
EACH_S = 60.0
_Row = tuple[str, ...]
_COLUMNS = "at, occasion, sending, recipient, through, content"
_log = logging.getLogger(__name__)


class SqliteLedger:
    """An `OutboundLedger` in a file, which keeps entries for `keep_days`. They are added from one thread.

    All methods but `close` raise StorageError where the file cannot be used; unless it is `required`, `add`
    logs that.
    `on_error` is called with one plain sentence where the file was damaged and had to be begun anew.
    """

    def __init__(
        self,
        file: Path,
        keep_days: int,
        on_error: Callable[[str], None],
        *,
        required: bool = True,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._database = Database(file, SCHEMA, on_error, busy_timeout_s=BUSY_TIMEOUT_S)
        self._lifetime = timedelta(days=keep_days)
        self._required = required
        self._clock = clock
        self._failure: StorageError | None = None
        self._rests_until = 0.0
        self._pruned = False

    def add(self, sent: RequestSent, occasion: str) -> None:
        """Keep one entry, under the present time. Takes well under a millisecond.

        Raises:
            StorageError: it cannot be written, and is required.
        """
        texts = (occasion[:LONGEST_OCCASION], sent.sending, sent.to, sent.through, sent.content)
        try:
            self._write((written(self._clock()), *map(storable, texts)))
        except StorageError as exc:
            if self._required:
                raise
            _log.info("not entered into the ledger: %s", place_of(exc))

    def entries(self, since: datetime) -> list[LedgerEntry]:
        """Return the entries from an aware time on, the newest first."""
        # In the order in which they came: the clock may have been set back between them.
        query = f"SELECT {_COLUMNS} FROM entry WHERE at >= ? ORDER BY id DESC"  # noqa: S608 - constants
        rows = self._database.rows(query, (written(since),))
        return [LedgerEntry(datetime.fromisoformat(at), *texts) for at, *texts in rows]

    def clear(self) -> int:
        """Forget all entries, for good, and return how many they were."""
        return self._database.clear("entry")

    def check(self) -> None:
        """Write an entry, and delete it: a full disk or a wrong owner shows itself in no other way."""
        self._database.write(lambda connection: self._insert(connection, ("",) * 6))
        self._database.write(
            lambda connection: connection.execute("DELETE FROM entry WHERE at = ''")
        )

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _write(self, row: _Row) -> None:
        if self._failure is not None and time.monotonic() < self._rests_until:
            # A new one each time: an exception that is raised again and again drags a growing
            # traceback along.
            raise StorageError(self._failure.problem, fix=self._failure.fix)
        try:
            self._database.write(lambda connection: self._insert(connection, row))
        except StorageError as exc:
            self._failure = exc
            self._rests_until = time.monotonic() + REST_S
            raise
        self._failure = None
        self._pruned = True

    def _insert(self, connection: sqlite3.Connection, row: _Row) -> None:
        # Once a process, with its first entry.
        if not self._pruned:
            deadline = written(self._clock() - self._lifetime)
            connection.execute("DELETE FROM entry WHERE at < ?", (deadline,))
        insert = f"INSERT INTO entry ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"  # noqa: S608 - constants
        connection.execute(insert, row)


class RemoteLibraryAudit:
    """Enters what goes to a library on another machine before it goes. For any thread.

    Its methods raise StorageError where that cannot be written: then nothing may be sent.
    """

    def __init__(
        self, ledger: SqliteLedger, host: str, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._ledger = ledger
        self._host = host
        self._clock = clock
        self._entered: dict[str, float] = {}
        self._one_at_a_time = threading.Lock()

    def enter(self, content: str) -> None:
        """Enter words that are searched, or documents that are sent."""
        with self._one_at_a_time:
            self._enter(content)

    def goes_on(self, kind: str) -> None:
        """Enter a request by its kind, unless that was done just now."""
        with self._one_at_a_time:
            now = self._clock()
            # A kind that was never entered counts as entered just long enough ago.
            if now - self._entered.get(kind, now - EACH_S) >= EACH_S:
                self._enter(kind)
                self._entered[kind] = now

    def close(self) -> None:
        """Close the ledger."""
        with self._one_at_a_time:
            self._ledger.close()

    def _enter(self, content: str) -> None:
        sent = RequestSent(Sending.LIBRARY, self._host, Message("this program"), content)
        self._ledger.add(sent, LIBRARY)
