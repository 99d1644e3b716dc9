"""The tables of the library's file."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from askance.adapters.storage.database import Schema
from askance.domain.messages import Message
from askance.text.ranking.passages import fenced_blocks, syntaxes_within

# A row is a passage, and its columns hold stems, not words: whatever is no ASCII letter or digit
# belongs to one, and so does the apostrophe. The index keeps a copy of the stems: a row can go by its
# number alone, and candidates are ranked without being stemmed again.
WORDS = """
    CREATE VIRTUAL TABLE words USING fts5 (
        title, content, tags, tokenize = "ascii tokenchars ''''"
    )
"""


def unpacked(packed: bytes) -> str:
    """Return a text as it was before it was packed."""
    return zlib.decompress(packed).decode()


def syntaxes_of(text: str, spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return the programming languages of the code in each passage of a Markdown text, as they are stored.

    Each stands between spaces, so that one is found by its name and the spaces around it.
    """
    found = syntaxes_within(list(fenced_blocks(text)), spans)
    return [f" {' '.join(names)} " if names else "" for names in found]


SCHEMA = Schema(
    Message("The library"),
    (
        # Long columns come last: the others are read without them.
        """
        CREATE TABLE content (
            id INTEGER PRIMARY KEY,
            hash TEXT NOT NULL UNIQUE,
            language TEXT NOT NULL,
            is_code INTEGER NOT NULL,
            words INTEGER NOT NULL,
            is_indexed INTEGER NOT NULL DEFAULT 0,
            text BLOB NOT NULL
        )
        """,
        """
        CREATE TABLE document (
            id TEXT NOT NULL PRIMARY KEY,
            place TEXT NOT NULL UNIQUE,
            url TEXT NOT NULL,
            title TEXT NOT NULL,
            origin TEXT NOT NULL,
            kind TEXT NOT NULL,
            syntax TEXT NOT NULL,
            published TEXT NOT NULL,
            fetched_at TEXT NOT NULL,
            content INTEGER NOT NULL REFERENCES content (id)
        )
        """,
        "CREATE INDEX document_content ON document (content)",
        "CREATE INDEX document_fetched ON document (fetched_at, id)",
        """
        CREATE TABLE tag (
            document TEXT NOT NULL REFERENCES document (id) ON DELETE CASCADE,
            tag TEXT NOT NULL,
            PRIMARY KEY (document, tag)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX tag_tag ON tag (tag)",
        # Earlier texts of documents, which are cited and not found any more.
        """
        CREATE TABLE version (
            document TEXT NOT NULL REFERENCES document (id) ON DELETE CASCADE,
            content INTEGER NOT NULL REFERENCES content (id),
            title TEXT NOT NULL,
            fetched_at TEXT NOT NULL,
            until TEXT NOT NULL,
            PRIMARY KEY (document, content)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX version_content ON version (content)",
        """
        CREATE TABLE passage (
            id INTEGER PRIMARY KEY,
            content INTEGER NOT NULL REFERENCES content (id) ON DELETE CASCADE,
            number INTEGER NOT NULL,
            start INTEGER NOT NULL,
            stop INTEGER NOT NULL,
            heading TEXT NOT NULL,
            -- The programming languages of the blocks of code that lie in it.
            syntaxes TEXT NOT NULL,
            UNIQUE (content, number)
        )
        """,
        WORDS,
        # How many passages are indexed in each language, and how many terms they have.
        """
        CREATE TABLE total (
            language TEXT NOT NULL PRIMARY KEY,
            passages INTEGER NOT NULL,
            title INTEGER NOT NULL,
            content INTEGER NOT NULL,
            tags INTEGER NOT NULL
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE folder (
            path TEXT NOT NULL PRIMARY KEY,
            include TEXT NOT NULL,
            exclude TEXT NOT NULL,
            tags TEXT NOT NULL
        ) WITHOUT ROWID
        """,
        """
        CREATE TABLE file (
            path TEXT NOT NULL PRIMARY KEY,
            folder TEXT NOT NULL REFERENCES folder (path) ON DELETE CASCADE,
            state TEXT NOT NULL,
            rule TEXT NOT NULL,
            detail TEXT NOT NULL,
            size INTEGER NOT NULL,
            changed_ns INTEGER NOT NULL,
            content_hash TEXT NOT NULL,
            identity TEXT NOT NULL,
            document TEXT NOT NULL,
            is_cut INTEGER NOT NULL
        ) WITHOUT ROWID
        """,
        "CREATE INDEX file_folder ON file (folder)",
        # A question is stored by what its words hash to. `total` is how many places it has had.
        """
        CREATE TABLE answer (
            question TEXT NOT NULL,
            number INTEGER NOT NULL,
            document TEXT NOT NULL REFERENCES document (id) ON DELETE CASCADE,
            start INTEGER NOT NULL,
            stop INTEGER NOT NULL,
            heading TEXT NOT NULL,
            digest TEXT NOT NULL,
            total INTEGER NOT NULL,
            PRIMARY KEY (question, number)
        ) WITHOUT ROWID
        """,
        "CREATE INDEX answer_document ON answer (document)",
        # The pages of searches that nobody has added since.
        """
        CREATE TABLE passing (
            document TEXT NOT NULL PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE
        ) WITHOUT ROWID
        """,
        # Signs are read all at once and so have a table without the vectors. A row's number is
        # never used again: who has read up to one reads on from there.
        """
        CREATE TABLE embedding (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            identity TEXT NOT NULL UNIQUE,
            dimension INTEGER NOT NULL
        )
        """,
        """
        CREATE TABLE vector (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            embedding INTEGER NOT NULL REFERENCES embedding (id),
            passage INTEGER NOT NULL REFERENCES passage (id) ON DELETE CASCADE,
            signs BLOB NOT NULL,
            UNIQUE (passage, embedding)
        )
        """,
        "CREATE INDEX vector_embedding ON vector (embedding)",
        """
        CREATE TABLE vector_data (
            vector INTEGER PRIMARY KEY REFERENCES vector (id) ON DELETE CASCADE,
            data BLOB NOT NULL
        )
        """,
    ),
)
