"""Which documents of the library have answered which question."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from askance.adapters.storage.database import Database
from askance.adapters.storage.library_tables import place_of


class SqliteAnswerBook:
    """An `AnswerBook` in the library's file. What it knows of a document goes with the document."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, question: str, urls: Iterable[str]) -> None:
        """Keep which documents have answered a question; those of an earlier answer count no more."""
        places = [place_of(url) for url in urls]
        if not places or not self._database.exists:
            return

        def keep(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM answer WHERE question = ?", (question,))
            connection.executemany(
                "INSERT OR IGNORE INTO answer (question, document) "
                "SELECT ?, id FROM document WHERE place = ?",
                ((question, place) for place in places),
            )

        self._database.write(keep)

    def documents(self, question: str) -> tuple[str, ...]:
        """Return the identities of the documents that have answered a question."""
        if not self._database.exists:
            return ()
        rows = self._database.read(
            lambda c: c.execute(
                "SELECT document FROM answer WHERE question = ? ORDER BY document", (question,)
            ).fetchall()
        )
        return tuple(document for (document,) in rows)
