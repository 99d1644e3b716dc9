"""What of the library's documents has answered which question."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from askance.adapters.storage.database import Database
from askance.adapters.storage.library_tables import place_of
from askance.domain.library import AnsweringPlace


class SqliteAnswerIndex:
    """An `AnswerIndex` in the library's file. What it knows of a document goes with the document."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def store(self, question: str, places: Sequence[AnsweringPlace]) -> None:
        """Keep what has answered a question, in this order; what did before counts no more."""
        if places and self._database.exists:
            self._database.write(lambda c: _put(c, question, places))

    def places(self, question: str) -> tuple[AnsweringPlace, ...]:
        """Return what has answered a question, in the order of the evidence; nothing once a part of it is gone."""
        if not self._database.exists:
            return ()
        rows = self._database.read(
            lambda c: c.execute(
                "SELECT document, start, stop, heading, digest FROM answer WHERE question = ? "
                "AND total <= (SELECT count(*) FROM answer WHERE question = ?) ORDER BY number",
                (question,) * 2,
            ).fetchall()
        )
        return tuple(AnsweringPlace(*row) for row in rows)


def _put(connection: sqlite3.Connection, question: str, places: Sequence[AnsweringPlace]) -> None:
    """Store places under a question; `total` shows later whether one of them has gone."""
    rows = [
        (question, number, p.start, p.stop, p.heading, p.digest, len(places), place_of(p.document))
        for number, p in enumerate(places)
    ]
    connection.execute("DELETE FROM answer WHERE question = ?", (question,))
    connection.executemany(
        "INSERT INTO answer (question, number, start, stop, heading, digest, total, document) "
        "SELECT ?, ?, ?, ?, ?, ?, ?, id FROM document WHERE place = ?",
        rows,
    )
