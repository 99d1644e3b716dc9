"""The shape of the library's file, in numbered steps."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from askance.adapters.storage.database import Schema
from askance.domain.file_formats import syntax_named
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


def _add_syntaxes(connection: sqlite3.Connection) -> None:
    """Fill in the languages of code in the passages that were stored before these were recognised."""
    texts = connection.execute("SELECT id FROM content WHERE NOT is_code").fetchall()
    for (number,) in texts:
        (packed,) = connection.execute(
            "SELECT text FROM content WHERE id = ?", (number,)
        ).fetchone()
        rows = connection.execute(
            "SELECT id, start, stop FROM passage WHERE content = ? ORDER BY number", (number,)
        ).fetchall()
        try:
            text = unpacked(packed)
        except (zlib.error, UnicodeDecodeError):
            continue  # damage: it must not keep all the others away
        syntaxes = syntaxes_of(text, [(start, stop) for _, start, stop in rows])
        connection.executemany(
            "UPDATE passage SET syntaxes = ? WHERE id = ?",
            ((names, row[0]) for names, row in zip(syntaxes, rows, strict=True) if names),
        )
    for (syntax,) in connection.execute("SELECT DISTINCT syntax FROM document").fetchall():
        if (name := syntax_named(syntax)) not in {"", syntax}:
            connection.execute("UPDATE document SET syntax = ? WHERE syntax = ?", (name, syntax))


def _take_in_vectors(connection: sqlite3.Connection) -> None:
    """Copy vectors out of the files that stood beside the library, and delete those.

    One whose file is gone, or whose checksum is another, is made anew by whoever embeds the library; so
    are all of them where the process ends between the last file's deletion and the commit.
    """
    (place,) = [
        file for _, name, file in connection.execute("PRAGMA database_list") if name == "main"
    ]
    library = Path(place)
    stores = connection.execute("SELECT id, identity, dimension, file FROM former_embedding")
    for number, identity, dimension, name in stores.fetchall():
        connection.execute(
            "INSERT INTO embedding (id, identity, dimension) VALUES (?, ?, ?)",
            (number, identity, dimension),
        )
        floats, signs = (library.with_name(f"{name}.{suffix}") for suffix in ("f32", "bits"))
        # Vectors whose file is gone are no reason to lose the library: they can be made anew.
        with (
            suppress(FileNotFoundError),
            floats.open("rb") as all_data,
            signs.open("rb") as all_signs,
        ):
            # Four bytes for each number, and a bit for each sign, in whole words of 64.
            lengths = dimension * 4, -(-dimension // 64) * 8
            rows = connection.execute(
                "SELECT slot, passage, checksum FROM former_vector WHERE embedding = ? ORDER BY slot",
                (number,),
            )
            for slot, passage, checksum in rows:
                parts = [
                    # Always true: `seek` returns the new place, and comes before `read` this way.
                    file.read(length) if file.seek(slot * length) >= 0 else b""
                    for file, length in zip((all_data, all_signs), lengths, strict=True)
                ]
                if zlib.crc32(parts[0]) == checksum and len(parts[1]) == lengths[1]:
                    vector = connection.execute(
                        "INSERT INTO vector (embedding, passage, signs) VALUES (?, ?, ?)",
                        (number, passage, parts[1]),
                    ).lastrowid
                    connection.execute("INSERT INTO vector_data VALUES (?, ?)", (vector, parts[0]))
    for file in library.parent.glob(f"{library.stem}.vectors-*"):
        file.unlink(missing_ok=True)


# A step that was released never changes: users have files of every one of these formats.
SCHEMA = Schema(
    Message("The library"),
    (
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
                document TEXT NOT NULL
            ) WITHOUT ROWID
            """,
            "CREATE INDEX file_folder ON file (folder)",
        ),
        (
            # A question is stored by what its words hash to.
            """
            CREATE TABLE answer (
                question TEXT NOT NULL,
                number INTEGER NOT NULL,
                document TEXT NOT NULL REFERENCES document (id) ON DELETE CASCADE,
                start INTEGER NOT NULL,
                stop INTEGER NOT NULL,
                heading TEXT NOT NULL,
                digest TEXT NOT NULL,
                PRIMARY KEY (question, number)
            ) WITHOUT ROWID
            """,
            "CREATE INDEX answer_document ON answer (document)",
        ),
        (
            # Where the vectors of each embedding model stood in files beside this one, and whose they
            # were; the last step takes them in.
            """
            CREATE TABLE embedding (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                identity TEXT NOT NULL UNIQUE,
                dimension INTEGER NOT NULL,
                file TEXT NOT NULL UNIQUE,
                rows INTEGER NOT NULL DEFAULT 0,
                reserved INTEGER NOT NULL DEFAULT 0,
                reshaped INTEGER NOT NULL DEFAULT 0
            )
            """,
            """
            CREATE TABLE vector (
                embedding INTEGER NOT NULL REFERENCES embedding (id),
                slot INTEGER NOT NULL,
                passage INTEGER NOT NULL REFERENCES passage (id) ON DELETE CASCADE,
                checksum INTEGER NOT NULL,
                PRIMARY KEY (embedding, slot)
            ) WITHOUT ROWID
            """,
            "CREATE UNIQUE INDEX vector_passage ON vector (passage, embedding)",
            # What stood there is to be overwritten.
            """
            CREATE TABLE hole (
                embedding INTEGER NOT NULL,
                slot INTEGER NOT NULL,
                PRIMARY KEY (embedding, slot)
            ) WITHOUT ROWID
            """,
            """
            CREATE TRIGGER vector_gone AFTER DELETE ON vector BEGIN
                INSERT OR IGNORE INTO hole (embedding, slot) VALUES (OLD.embedding, OLD.slot);
            END
            """,
        ),
        (
            # The pages of searches that nobody has added since.
            """
            CREATE TABLE passing (
                document TEXT NOT NULL PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE
            ) WITHOUT ROWID
            """,
            # When a whole search left a question unanswered; what it found stands in `answer`.
            "CREATE TABLE unanswered (question TEXT NOT NULL PRIMARY KEY, at TEXT NOT NULL)",
            "ALTER TABLE answer ADD COLUMN total INTEGER NOT NULL DEFAULT 0",
        ),
        (
            # The programming languages of the blocks of code that lie in a passage.
            "ALTER TABLE passage ADD COLUMN syntaxes TEXT NOT NULL DEFAULT ''",
            _add_syntaxes,
            # Whoever deletes vectors notes by hand where they stood, as all else here is done.
            "DROP TRIGGER IF EXISTS vector_gone",
        ),
        (
            # That a question was searched in vain is not remembered any more.
            "DELETE FROM answer WHERE question IN (SELECT question FROM unanswered)",
            "DROP TABLE unanswered",
        ),
        (
            # Vectors stand in this file. Their signs are read all at once and so have a table without
            # the rest. A row's number is never used again: who has read up to one reads on from there.
            "DROP INDEX vector_passage",
            "DROP TABLE hole",
            "ALTER TABLE vector RENAME TO former_vector",
            "ALTER TABLE embedding RENAME TO former_embedding",
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
            _take_in_vectors,
            "DROP TABLE former_vector",
            "DROP TABLE former_embedding",
        ),
        ("ALTER TABLE file ADD COLUMN reading INTEGER NOT NULL DEFAULT 0",),
    ),
)
