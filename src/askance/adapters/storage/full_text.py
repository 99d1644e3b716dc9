"""The index of full texts, `words`, that a file may have: deleted words leave it, and it is built anew
before it comes to harm."""

from __future__ import annotations

import sqlite3

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
