"""Past conversations in one SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from askance.adapters.storage.database import Database, storable, utc_now, written
from askance.adapters.storage.full_text import expunge
from askance.adapters.storage.history_tables import (
    SCHEMA,
    excerpt,
    index_exchange,
    index_title,
    packed,
    query_of,
    unpacked,
)
from askance.adapters.storage.problems import delete_copies
from askance.domain.history import (
    ConversationRecord,
    ConversationSummary,
    Exchange,
    ExchangeKey,
    SearchHit,
    TimedEvent,
    title_of,
)
from askance.domain.messages import NOTHING

# Title, question, answer, sources; then the bigrams of the title, and of the rest.
_WEIGHTS = "bm25(5.0, 3.0, 1.0, 0.5, 5.0, 1.0)"
_SUMMARY = (
    "SELECT id, title, created_at, updated_at, "
    "(SELECT count(*) FROM exchange WHERE conversation = conversation.id) FROM conversation"
)
_EXCHANGE = "SELECT id, command, text, quote, asked_at, ended, events FROM exchange"

# Another process changes a few rows, or forgets all of them; a program that ends waits no longer.
BUSY_TIMEOUT_S = 2.0


class SqliteHistory:
    """A `History` in a file, which is made with the first question. For any thread, and several
    processes at once.

    `on_error` is called with one plain sentence where the file was damaged and had to be begun anew.
    `clock` tells the present time, aware.
    """

    def __init__(
        self,
        file: Path,
        on_error: Callable[[str], None],
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._file = file
        self._database = Database(file, SCHEMA, on_error, busy_timeout_s=BUSY_TIMEOUT_S)
        self._clock = clock

    def begin_exchange(
        self, conversation: int | None, command: str, text: str, quote: str = ""
    ) -> ExchangeKey:
        """Keep a question before its run starts; without a conversation a new one begins."""
        now, text, quote = written(self._clock()), storable(text), storable(quote)

        def begin(connection: sqlite3.Connection) -> ExchangeKey:
            number = conversation
            # Two clocks, or one that went back, must not put the last question before others.
            touched = "UPDATE conversation SET updated_at = max(updated_at, ?) WHERE id = ?"
            if number is None or not connection.execute(touched, (now, number)).rowcount:
                made = "INSERT INTO conversation (title, created_at, updated_at) VALUES (?, ?, ?)"
                number = _number(connection.execute(made, (title_of(text, quote), now, now)))
            asked = connection.execute(
                "INSERT INTO exchange (conversation, command, text, quote, asked_at) "
                "VALUES (?, ?, ?, ?, ?)",
                (number, command, text, quote, now),
            )
            return ExchangeKey(number, _number(asked))

        return self._database.write(begin)

    def finish_exchange(self, key: ExchangeKey, events: Sequence[TimedEvent]) -> bool:
        """Keep the events of a run that has ended; False if the exchange was deleted meanwhile."""
        blob = packed(events)

        def finish(connection: sqlite3.Connection) -> bool:
            done = "UPDATE exchange SET ended = 1, events = ? WHERE id = ?"
            if not connection.execute(done, (blob, key.exchange)).rowcount:
                return False
            index_exchange(connection, key.exchange, events)
            index_title(connection, key.conversation)
            return True

        return self._database.write_index(finish)

    def note_events(self, key: ExchangeKey, events: Sequence[TimedEvent]) -> None:
        """Keep how far a run is that goes on."""
        blob, noted = packed(events), "UPDATE exchange SET events = ? WHERE id = ? AND NOT ended"
        self._database.write(lambda connection: connection.execute(noted, (blob, key.exchange)))

    def drop_exchange(self, key: ExchangeKey) -> None:
        """Forget an exchange, and its conversation too if that has no other."""

        def drop(connection: sqlite3.Connection) -> None:
            if connection.execute("DELETE FROM words WHERE rowid = ?", (key.exchange,)).rowcount:
                expunge(connection)
            connection.execute("DELETE FROM exchange WHERE id = ?", (key.exchange,))
            connection.execute(
                "UPDATE conversation SET updated_at = coalesce((SELECT max(asked_at) "
                "FROM exchange WHERE conversation = conversation.id), updated_at) WHERE id = ?",
                (key.conversation,),
            )
            connection.execute(
                "DELETE FROM conversation WHERE id = ? "
                "AND NOT EXISTS (SELECT 1 FROM exchange WHERE conversation = conversation.id)",
                (key.conversation,),
            )
            index_title(connection, key.conversation)

        self._database.write_index(drop)
        self._database.shrink()

    def conversations(
        self, limit: int, before: ConversationSummary | None = None
    ) -> tuple[ConversationSummary, ...]:
        """Return conversations, last used first; those that follow `before` in this order."""
        where = "WHERE (updated_at, id) < (?, ?)" if before else ""
        query = f"{_SUMMARY} {where} ORDER BY updated_at DESC, id DESC LIMIT ?"
        last = (before.updated_at, before.id) if before else ()
        rows = self._database.rows(query, (*last, limit))
        return tuple(ConversationSummary(*row) for row in rows)

    def conversation(self, number: int) -> ConversationRecord | None:
        """Return a whole conversation, or None if there is none of that number."""
        if not self._database.exists:
            return None

        def find(connection: sqlite3.Connection) -> ConversationRecord | None:
            summary = connection.execute(f"{_SUMMARY} WHERE id = ?", (number,)).fetchone()
            if summary is None:
                return None
            query = f"{_EXCHANGE} WHERE conversation = ? ORDER BY id"
            rows = connection.execute(query, (number,))
            return ConversationRecord(ConversationSummary(*summary), tuple(map(_exchange, rows)))

        return self._database.read(find)

    def asked_since(self, moment: datetime) -> Iterator[Exchange]:
        """Yield what was asked since an aware moment, oldest first, each with its run."""
        last, since = 0, written(moment)
        query = f"{_EXCHANGE} WHERE id > ? AND asked_at >= ? ORDER BY id LIMIT 1"
        while rows := self._database.rows(query, (last, since)):
            last = rows[0][0]
            yield _exchange(rows[0])

    def search(self, words: str, limit: int = 50) -> tuple[SearchHit, ...]:
        """Return the exchanges that hold all the words, or words that begin so, best first."""
        query = query_of(words)
        if not query or not self._database.exists:
            return ()
        rows = self._database.read_index(
            lambda c: c.execute(
                # The texts are read for the best rows alone.
                "SELECT exchange.conversation, exchange.id, conversation.title, asked_at, "
                "words.title, question, answer, sources FROM (SELECT rowid AS n, rank AS place "
                "FROM words WHERE words MATCH ? AND rank MATCH ? ORDER BY rank LIMIT ?) "
                "JOIN words ON words.rowid = n JOIN exchange ON exchange.id = n "
                "JOIN conversation ON conversation.id = exchange.conversation "
                "ORDER BY place, exchange.id DESC",
                (query, _WEIGHTS, limit),
            ).fetchall(),
        )
        return tuple(_hit(words, row) for row in rows)

    def rename(self, number: int, title: str) -> bool:
        """Give a conversation a title; a blank one makes it that of its first question again."""

        def rename(connection: sqlite3.Connection) -> bool:
            first = connection.execute(
                "SELECT text, quote FROM exchange WHERE conversation = ? ORDER BY id LIMIT 1",
                (number,),
            ).fetchone()
            if first is None:
                return False
            chosen = " ".join(storable(title).split()) or title_of(*first)
            connection.execute("UPDATE conversation SET title = ? WHERE id = ?", (chosen, number))
            index_title(connection, number)
            return True

        return self._database.exists and self._database.write_index(rename)

    def delete(self, number: int) -> bool:
        """Forget a conversation, so that none of its words stays in the file."""
        return self._forget("SELECT id FROM conversation WHERE id = ?", (number,)) > 0

    def delete_all(self) -> int:
        """Forget all conversations, and what was stored of damaged or older files with them."""
        gone = self._forget("SELECT id FROM conversation", ())
        delete_copies(self._file, SCHEMA.name)
        return gone

    def prune(self, keep_days: int) -> int:
        """Forget the conversations that were not used for so many days; 0 keeps all."""
        if not keep_days:
            return 0
        limit = written(self._clock() - timedelta(days=keep_days))
        return self._forget("SELECT id FROM conversation WHERE updated_at < ?", (limit,))

    def close(self) -> None:
        """Close the file. A later use opens it again."""
        self._database.close()

    def _forget(self, chosen: str, values: tuple[object, ...]) -> int:
        if not self._database.exists:
            return 0

        def forget(connection: sqlite3.Connection) -> int:
            numbers = connection.execute(chosen, values).fetchall()
            connection.executemany(
                "DELETE FROM words WHERE rowid IN (SELECT id FROM exchange WHERE conversation = ?)",
                numbers,
            )
            connection.executemany("DELETE FROM conversation WHERE id = ?", numbers)
            if numbers:
                expunge(connection)
            return len(numbers)

        if gone := self._database.write_index(forget):
            self._database.shrink()
        return gone


def _exchange(row: Iterable[Any]) -> Exchange:
    number, command, text, quote, asked_at, ended, stored = row
    events, damage = unpacked(stored) if ended or stored is not None else ((), NOTHING)
    return Exchange(number, command, text, quote, asked_at, events, bool(ended), damage)


def _hit(words: str, row: Sequence[Any]) -> SearchHit:
    conversation, exchange, title, asked_at, *texts = row
    indexed, question, answer, sources = (str(text) for text in texts)
    found = excerpt(words, (question, answer, sources, indexed))
    return SearchHit(conversation, exchange, title, asked_at, found.text, found.marks)


def _number(cursor: sqlite3.Cursor) -> int:
    assert cursor.lastrowid is not None
    return cursor.lastrowid
