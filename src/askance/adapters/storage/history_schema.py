"""The shape of the history's file."""

from __future__ import annotations

from askance.adapters.storage.schema import Schema
from askance.domain.messages import Message

# The index keeps its own copy of the texts. It is the only plain copy of answers and sources, whose
# full record is the compressed `events`; and a row can go by its number alone, while an index over
# another table must be told the old texts word by word, and is spoiled by one wrong word.
SCHEMA = Schema(
    Message("The history of conversations"),
    (
        (
            """
            CREATE TABLE conversation (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                title TEXT NOT NULL,
                created_at TEXT NOT NULL,
                updated_at TEXT NOT NULL
            )
            """,
            "CREATE INDEX conversation_updated ON conversation (updated_at, id)",
            """
            CREATE TABLE exchange (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                conversation INTEGER NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
                command TEXT NOT NULL,
                text TEXT NOT NULL,
                quote TEXT NOT NULL,
                asked_at TEXT NOT NULL,
                ended INTEGER NOT NULL DEFAULT 0,
                events BLOB
            )
            """,
            "CREATE INDEX exchange_conversation ON exchange (conversation, id)",
            """
            CREATE VIRTUAL TABLE words USING fts5 (
                title, question, answer, sources, title_pairs, pairs,
                tokenize = 'unicode61 remove_diacritics 2'
            )
            """,
        ),
    ),
)
