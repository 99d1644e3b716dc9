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
        """Return what has answered a question, in the order of the evidence; nothing once a part of it is gone.

        Of what did not answer it, what is left.
        """
        if not self._database.exists:
            return ()
        rows = self._database.read(
            lambda c: c.execute(
                "SELECT document, start, stop, heading, digest FROM answer WHERE question = ? "
                "AND (total <= (SELECT count(*) FROM answer WHERE question = ?) "
                "OR EXISTS (SELECT 1 FROM unanswered WHERE question = ?)) ORDER BY number",
                (question,) * 3,
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
            connection.execute("DELETE FROM unanswered WHERE question = ?", (question,))
            if _put(connection, question, places):
                connection.execute("INSERT INTO unanswered VALUES (?, ?)", (question, at))

        self._database.write(keep)

    def forget_unanswered(self, question: str) -> None:
        """Forget that a question was not answered: now it was."""
        if not self.unanswered_at(question):
            return

        def forget(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM unanswered WHERE question = ?", (question,))
            connection.execute("DELETE FROM answer WHERE question = ?", (question,))

        self._database.write(forget)

    def unanswered_at(self, question: str) -> str:
        """Return when a question was last searched and not answered; empty if it never was."""
        if not self._database.exists:
            return ""
        query = "SELECT at FROM unanswered WHERE question = ?"
        row = self._database.read(lambda c: c.execute(query, (question,)).fetchone())
        return "" if row is None else str(row[0])


def _put(connection: sqlite3.Connection, question: str, places: Sequence[AnsweringPlace]) -> bool:
    """Keep places under a question, and return whether there is any; `total` tells once one has gone."""
    rows = [
        (question, number, p.start, p.stop, p.heading, p.digest, len(places), place_of(p.document))
        for number, p in enumerate(places)
    ]
    connection.execute("DELETE FROM answer WHERE question = ?", (question,))
    added = connection.executemany(
        "INSERT INTO answer (question, number, start, stop, heading, digest, total, document) "
        "SELECT ?, ?, ?, ?, ?, ?, ?, id FROM document WHERE place = ?",
        rows,
    )
    return added.rowcount > 0
