"""The outbound ledger: what left this machine, when, on what occasion, to whom and through what.

`RemoteLibraryAudit` enters what goes to a library on another machine.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from askance.adapters.storage.database import Database, Schema, storable, utc_now, written
from askance.domain.errors import StorageError, place_of
from askance.domain.events import LedgerEntry, RequestSent, Sending
from askance.domain.messages import Message

SCHEMA = Schema(
    Message("The ledger"),
    (
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
    ),
)
# Entries are written in the event loop: another process is waited for only briefly, and a file that
# is in trouble is left alone for a while.
BUSY_TIMEOUT_S = 0.5
REST_S = 5.0
MOST_WAITING = 10_000
LONGEST_OCCASION = 500
LIBRARY = "library"
"""The occasion of what goes to a library on another machine."""
# It is read in thousands of requests: of one kind so many seconds have one entry.
EACH_S = 60.0
_Row = tuple[str, ...]
_COLUMNS = "at, occasion, sending, recipient, through, content"
_log = logging.getLogger(__name__)


class SqliteLedger:
    """An `OutboundLedger` in a file, which keeps entries for `keep_days`.

    Entries that cannot be written wait, under the time when they came, for the next that can. They
    are added from one thread. All methods but `close` raise StorageError where the file cannot be
    used.
    `on_error` is called with one plain sentence where the file was damaged and had to be begun anew.
    """

    def __init__(
        self,
        file: Path,
        keep_days: int,
        on_error: Callable[[str], None],
        *,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._database = Database(file, SCHEMA, on_error, busy_timeout_s=BUSY_TIMEOUT_S)
        self._lifetime = timedelta(days=keep_days)
        self._clock = clock
        # Where the file stays unusable for so long, the oldest of those that wait are lost.
        self._waiting: deque[_Row] = deque(maxlen=MOST_WAITING)
        self._failure: StorageError | None = None
        self._rests_until = 0.0
        self._pruned = False

    def add(self, sent: RequestSent, occasion: str) -> None:
        """Keep one entry, under the present time. Takes well under a millisecond.

        Raises:
            StorageError: it cannot be written yet.
        """
        texts = (occasion[:LONGEST_OCCASION], sent.sending, sent.to, sent.through, sent.content)
        self._waiting.append((written(self._clock()), *map(storable, texts)))
        if self._failure is not None and time.monotonic() < self._rests_until:
            # A new one each time: an exception that is raised again and again drags a growing
            # traceback along.
            raise StorageError(self._failure.problem, fix=self._failure.fix)
        self._write_waiting()

    def entries(self, since: datetime) -> list[LedgerEntry]:
        """Return the entries from an aware time on, the newest first."""
        # In the order in which they came: the clock may have been set back between them.
        query = f"SELECT {_COLUMNS} FROM entry WHERE at >= ? ORDER BY id DESC"  # noqa: S608 - constants
        rows = self._database.rows(query, (written(since),))
        return [LedgerEntry(datetime.fromisoformat(at), *texts) for at, *texts in rows]

    def clear(self) -> int:
        """Forget all entries, for good, and return how many they were."""
        self._waiting.clear()
        return self._database.clear("entry")

    def close(self) -> None:
        """Write what still waits, if it can be written, and close the file."""
        # The program ends: nobody can be told of the failure any more.
        with suppress(StorageError):
            self._write_waiting()
        self._database.close()

    def _write_waiting(self) -> None:
        if not self._waiting:
            return
        try:
            self._database.write(self._insert)
        except StorageError as exc:
            self._failure = exc
            self._rests_until = time.monotonic() + REST_S
            raise
        self._failure = None
        self._pruned = True
        self._waiting.clear()

    def _insert(self, connection: sqlite3.Connection) -> None:
        # Once a process, with its first entry.
        if not self._pruned:
            deadline = written(self._clock() - self._lifetime)
            connection.execute("DELETE FROM entry WHERE at < ?", (deadline,))
        insert = f"INSERT INTO entry ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"  # noqa: S608 - constants
        connection.executemany(insert, self._waiting)


class RemoteLibraryAudit:
    """Enters what goes to a library on another machine before it goes. For any thread.

    What cannot be written yet waits in the ledger, and holds nothing up.
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
                self._entered[kind] = now
                self._enter(kind)

    def close(self) -> None:
        """Close the ledger."""
        with self._one_at_a_time:
            self._ledger.close()

    def _enter(self, content: str) -> None:
        sent = RequestSent(Sending.LIBRARY, self._host, Message("this program"), content)
        try:
            self._ledger.add(sent, LIBRARY)
        except StorageError as exc:
            _log.info("not entered into the ledger yet: %s", place_of(exc))
