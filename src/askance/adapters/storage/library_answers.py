"""What of the library's documents has answered which question."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime, timedelta

from askance.adapters.storage.database import Database, written
from askance.adapters.storage.library_tables import place_of
from askance.domain.library import AnsweringPlace

# As long as the longest setting of `library.unanswered_minutes`.
UNANSWERED_FOR = timedelta(days=7)


class SqliteAnswerBook:
    """An `AnswerBook` in the library's file. What it knows of a document goes with the document."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, question: str, places: Sequence[AnsweringPlace]) -> None:
        """Keep what has answered a question, in this order; what did before counts no more."""
        if places and self._database.exists:
            self._database.write(lambda c: _put(c, question, places))

    def places(self, question: str) -> tuple[AnsweringPlace, ...]:
        """Return what has answered a question, in the order of the evidence."""
        if not self._database.exists:
            return ()
        rows = self._database.read(
            lambda c: c.execute(
                "SELECT document, start, stop, heading, digest FROM answer WHERE question = ? "
                "ORDER BY number",
                (question,),
            ).fetchall()
        )
        return tuple(AnsweringPlace(*row) for row in rows)

    def keep_unanswered(self, question: str, places: Sequence[AnsweringPlace], at: str) -> None:
        """Keep when a question was searched and not answered, and what was found then.

        Of others that were kept so, those go that are too old to count.
        """
        if not self._database.exists:
            return
        too_old = written(datetime.fromisoformat(at) - UNANSWERED_FOR)

        def keep(connection: sqlite3.Connection) -> None:
            old = "SELECT question FROM unanswered WHERE at < ?"
            connection.execute(f"DELETE FROM answer WHERE question IN ({old})", (too_old,))  # noqa: S608 - constants
            connection.execute("DELETE FROM unanswered WHERE at < ?", (too_old,))
            connection.execute("INSERT OR REPLACE INTO unanswered VALUES (?, ?)", (question, at))
            _put(connection, question, places)

        self._database.write(keep)

    def unanswered_at(self, question: str) -> str:
        """Return when a question was last searched and not answered; empty if it never was."""
        if not self._database.exists:
            return ""
        query = "SELECT at FROM unanswered WHERE question = ?"
        row = self._database.read(lambda c: c.execute(query, (question,)).fetchone())
        return "" if row is None else str(row[0])


def _put(connection: sqlite3.Connection, question: str, places: Sequence[AnsweringPlace]) -> None:
    rows = [
        (question, number, p.start, p.stop, p.heading, p.digest, place_of(p.document))
        for number, p in enumerate(places)
    ]
    connection.execute("DELETE FROM answer WHERE question = ?", (question,))
    connection.executemany(
        "INSERT INTO answer (question, number, start, stop, heading, digest, document) "
        "SELECT ?, ?, ?, ?, ?, ?, id FROM document WHERE place = ?",
        rows,
    )
