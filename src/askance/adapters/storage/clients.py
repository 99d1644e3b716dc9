"""The programs that may use the server: what each may do, what it did, and a digest of its token."""

from __future__ import annotations

import hmac
import secrets
import sqlite3
from collections.abc import Callable, Collection
from datetime import datetime
from pathlib import Path

from askance.adapters.storage.database import Database, Schema, utc_now, written
from askance.domain.characters import storable
from askance.domain.messages import Message
from askance.domain.ports.storage import AT_FIRST, Capability, Client, ClientCall, ClientRecord
from askance.local_service.credentials import digest_of

SCHEMA = Schema(
    Message("The list of programs"),
    (
        """
        CREATE TABLE client (
            name TEXT PRIMARY KEY,
            allowed TEXT NOT NULL,
            chosen INTEGER NOT NULL,
            digest TEXT,
            first_seen TEXT NOT NULL,
            last_seen TEXT NOT NULL,
            calls INTEGER NOT NULL
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE call (
            id INTEGER PRIMARY KEY,
            client TEXT NOT NULL REFERENCES client (name) ON DELETE CASCADE,
            tool TEXT NOT NULL,
            at TEXT NOT NULL,
            outcome TEXT NOT NULL,
            ms INTEGER NOT NULL
        )
        """,
        "CREATE INDEX call_client ON call (client, id)",
    ),
)
# Who asks waits for it: another process, which writes a line, is done in a millisecond.
BUSY_TIMEOUT_S = 1.0
MOST_CALLS = 500
"""Calls that are stored of one client."""
MOST_CLIENTS = 200
"""Clients that are stored: a program over stdio says itself what it is called."""
LONGEST_WORD = 60
_TOKEN_BYTES = 32
_COLUMNS = "name, allowed, digest IS NOT NULL, first_seen, last_seen, calls"


class SqliteClientBook:
    """A `ClientRegistry` in a file. All methods but `close` raise StorageError where it cannot be used.

    A name is what `domain.ports.storage.cleaned_name` makes of it. `on_error` is called with one plain sentence where the
    file was damaged and had to be begun anew: all tokens are gone then, and nobody has more than the web.
    """

    def __init__(
        self,
        file: Path,
        on_error: Callable[[str], None],
        *,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._database = Database(file, SCHEMA, on_error, busy_timeout_s=BUSY_TIMEOUT_S)
        # A connection of its own: who is looked up does not wait behind what cannot be written.
        self._reading = Database(file, SCHEMA, on_error, busy_timeout_s=BUSY_TIMEOUT_S)
        self._clock = clock

    def look_up(self, name: str) -> Client | None:
        """See `ClientRegistry.look_up`."""
        query = "SELECT allowed FROM client WHERE name = ?"
        row = self._reading.read(lambda c: c.execute(query, (name,)).fetchone())
        return Client(name, _capabilities(row[0])) if row is not None else None

    def known(self, name: str) -> Client:
        """See `ClientRegistry.known`."""
        if (found := self.look_up(name)) is not None:
            return found

        def enter(connection: sqlite3.Connection) -> None:
            # Let go of who was seen least lately, beyond those that the user has said something about.
            (there,) = connection.execute("SELECT count(*) FROM client").fetchone()
            if there >= MOST_CLIENTS:
                connection.execute(
                    "DELETE FROM client WHERE name IN (SELECT name FROM client "
                    "WHERE chosen = 0 AND digest IS NULL ORDER BY last_seen, name LIMIT ?)",
                    (there - MOST_CLIENTS + 1,),
                )
            self._enter(connection, name)

        self._database.write(enter)
        return Client(name)

    def by_token(self, token: str) -> Client | None:
        """See `ClientRegistry.by_token`."""
        given = digest_of(token)
        query = "SELECT name, allowed, digest FROM client WHERE digest IS NOT NULL ORDER BY name"
        found: Client | None = None
        # All digests are compared, each in constant time, so that the time of an answer says
        # nothing about a guess.
        for name, allowed, digest in self._reading.read(lambda c: c.execute(query).fetchall()):
            if hmac.compare_digest(digest, given):
                found = Client(name, _capabilities(allowed))
        return found

    def allow(self, name: str, capabilities: Collection[Capability]) -> None:
        """See `ClientRegistry.allow`. One that is not known yet is entered."""

        def set_allowed(connection: sqlite3.Connection) -> None:
            self._enter(connection, name)
            change = "UPDATE client SET allowed = ?, chosen = 1 WHERE name = ?"
            connection.execute(change, (_words(capabilities), name))

        self._database.write(set_allowed)

    def make_token(self, name: str) -> str:
        """See `ClientRegistry.make_token`. One that is not known yet is entered."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)

        def set_digest(connection: sqlite3.Connection) -> None:
            self._enter(connection, name)
            change = "UPDATE client SET digest = ? WHERE name = ?"
            connection.execute(change, (digest_of(token), name))

        self._database.write(set_digest)
        return token

    def forget(self, name: str) -> None:
        """See `ClientRegistry.forget`."""
        # Its calls go with it by the foreign key, and by `shrink` out of the file's free room.
        self._database.write(lambda c: c.execute("DELETE FROM client WHERE name = ?", (name,)))
        self._database.shrink()

    def note(self, call: ClientCall) -> None:
        """See `ClientRegistry.note`. What a client does that was just forgotten enters it anew."""
        tool, outcome = storable(call.tool[:LONGEST_WORD]), storable(call.outcome[:LONGEST_WORD])

        def add(connection: sqlite3.Connection) -> None:
            self._enter(connection, call.client)
            insert = "INSERT INTO call (client, tool, at, outcome, ms) VALUES (?, ?, ?, ?, ?)"
            row = (call.client, tool, call.at, outcome, call.ms)
            connection.execute(insert, row)
            # `max`, since a clock that was set back must not make a client look older than it is.
            change = (
                "UPDATE client SET calls = calls + 1, last_seen = max(last_seen, ?) WHERE name = ?"
            )
            connection.execute(change, (written(self._clock()), call.client))
            connection.execute(
                "DELETE FROM call WHERE client = ? AND id <= (SELECT id FROM call WHERE client = ? "
                "ORDER BY id DESC LIMIT 1 OFFSET ?)",
                (call.client, call.client, MOST_CALLS),
            )

        self._database.write(add)

    def records(self) -> list[ClientRecord]:
        """See `ClientRegistry.records`."""
        query = f"SELECT {_COLUMNS} FROM client ORDER BY last_seen DESC, name"  # noqa: S608 - constants
        return [
            ClientRecord(Client(name, _capabilities(allowed)), bool(has_token), first, last, calls)
            for name, allowed, has_token, first, last, calls in self._reading.rows(query)
        ]

    def calls(self, name: str, limit: int) -> list[ClientCall]:
        """See `ClientRegistry.calls`."""
        rows = self._reading.rows(
            "SELECT client, tool, at, outcome, ms FROM call WHERE client = ? "
            "ORDER BY id DESC LIMIT ?",
            (name, limit),
        )
        return [ClientCall(*row) for row in rows]

    def close(self) -> None:
        """Close the file. A later use opens it again."""
        self._reading.close()
        self._database.close()

    def _enter(self, connection: sqlite3.Connection, name: str) -> None:
        now = written(self._clock())
        insert = "INSERT OR IGNORE INTO client VALUES (?, ?, 0, NULL, ?, ?, 0)"
        connection.execute(insert, (name, _words(AT_FIRST), now, now))


def _words(capabilities: Collection[Capability]) -> str:
    return " ".join(sorted(capabilities))


def _capabilities(words: str) -> frozenset[Capability]:
    """What a newer Askance has allowed, and this one does not know, is not allowed."""
    known = {capability.value: capability for capability in Capability}
    return frozenset(known[word] for word in words.split() if word in known)
