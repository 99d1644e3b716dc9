"""The tables of the library's file: documents, their texts, passages and tags, and the full-text index."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from askance.adapters.library.prepared import passage_of, prepare, stems_of
from askance.adapters.storage.database import Schema, expunge
from askance.domain.characters import storable
from askance.domain.library import Added, AddOutcome, Document, DocumentKind, Origin, Prepared
from askance.domain.messages import Message
from askance.text.ranking.index_terms import index_terms
from askance.text.ranking.urls import canonical

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
    has_index=True,
)

# 64 bits. Where two addresses collide, the second one is hashed again with a number.
_ID_CHARACTERS = 16
_IS_TAKEN = "SELECT 1 FROM document WHERE id = ?"
# Only addresses of the web have many spellings for one page; a file's is compared as it is.
_WEB = ("http://", "https://")
_Rows = list[tuple[int, str, str, str]]


@dataclass(frozen=True, slots=True)
class Content:
    """A text that is stored."""

    id: int
    text: str
    language: str
    is_code: bool


def place_of(url: str) -> str:
    """Return what an address is compared by: pages are the same under many spellings."""
    url = storable(url.strip())
    return f"web:{canonical(url)}" if url.lower().startswith(_WEB) else url


def identity(place: str, is_taken: Callable[[str], bool]) -> str:
    """Return the first free identity of a place: the same in every store."""
    number = 0
    while True:
        key = f"{place}\n{number}" if number else place
        made = hashlib.sha256(key.encode()).hexdigest()[:_ID_CHARACTERS]
        if not is_taken(made):
            return made
        number += 1


def content_hash(text: str) -> str:
    """Return what a text is known by: the same as `Page.content_hash`."""
    return hashlib.sha256(text.encode()).hexdigest()


def tidy_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags as they are stored: in small letters, each once, in order."""
    tidy = (" ".join(storable(tag).lower().split()) for tag in tags)
    return tuple(sorted({tag for tag in tidy if tag}))


def put_content(
    connection: sqlite3.Connection, document: Document, prepared: Prepared | None
) -> tuple[int, Prepared | None]:
    """Store the text of a document with its passages, if it is not there yet; return its number.

    A text that is new is to be indexed, with what was prepared of it.
    """
    digest = content_hash(storable(document.text))
    row = connection.execute("SELECT id FROM content WHERE hash = ?", (digest,)).fetchone()
    if row is not None:
        return int(row[0]), None
    is_code = document.kind is DocumentKind.CODE
    known = prepared or prepare(document.text, document.language, is_code=is_code)
    # Called indexed from the start: to change that, SQLite would write the whole row again.
    made = connection.execute(
        "INSERT INTO content (hash, language, is_code, words, is_indexed, text) "
        "VALUES (?, ?, ?, ?, 1, ?)",
        (digest, known.language, is_code, known.words, known.packed),
    )
    number = made.lastrowid
    assert number is not None
    connection.executemany(
        "INSERT INTO passage (content, number, start, stop, heading, syntaxes) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        ((number, i, *passage[:-1]) for i, passage in enumerate(known.passages)),
    )
    return number, known


def content(connection: sqlite3.Connection, number: int) -> Content:
    """Return a text by its number."""
    language, is_code, packed = connection.execute(
        "SELECT language, is_code, text FROM content WHERE id = ?", (number,)
    ).fetchone()
    return Content(number, unpacked(packed), language, bool(is_code))


def settle(connection: sqlite3.Connection, number: int) -> int:
    """Bring what is stored of a text into line with who needs it; return how many passages left the index.

    It is indexed while a document has it, stored while a version has it, and else deleted.
    """
    held, cited, is_indexed = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM document WHERE content = ?), "
        "EXISTS (SELECT 1 FROM version WHERE content = ?), "
        "(SELECT is_indexed FROM content WHERE id = ?)",
        (number,) * 3,
    ).fetchone()
    gone = 0
    if held and not is_indexed:
        index(connection, content(connection, number))
    elif is_indexed and not held:
        gone = _take_out(connection, number)
    if not held and not cited:
        connection.execute("DELETE FROM content WHERE id = ?", (number,))
    return gone


def index(connection: sqlite3.Connection, record: Content) -> int:
    """Let the passages of a text be found; return how many they are."""
    passages = connection.execute(
        "SELECT heading, start, stop FROM passage WHERE content = ? ORDER BY number", (record.id,)
    )
    texts = (passage_of(record.text, *passage) for passage in passages)
    stems = [stems_of(text, record.language, is_code=record.is_code) for text in texts]
    connection.execute("UPDATE content SET is_indexed = 1 WHERE id = ?", (record.id,))
    return _index_stems(connection, record.id, record.language, stems)


def _index_stems(
    connection: sqlite3.Connection, number: int, language: str, stems: Sequence[str]
) -> int:
    title, tags = _heads(connection, number, language)
    ids = connection.execute("SELECT id FROM passage WHERE content = ? ORDER BY number", (number,))
    rows = [(rowid, title, of, tags) for (rowid,), of in zip(ids, stems, strict=True)]
    connection.executemany(
        "INSERT INTO words (rowid, title, content, tags) VALUES (?, ?, ?, ?)", rows
    )
    _count(connection, language, rows, 1)
    return len(rows)


def index_heads(connection: sqlite3.Connection, number: int) -> None:
    """Let a text be found by the titles and tags that its documents have now."""
    record = content(connection, number)
    title, tags = _heads(connection, number, record.language)
    before = _indexed(connection, number)
    # Title and tags of the first row stand for all: they are the same in each passage of a text.
    if before and before[0][1::2] != (title, tags):
        after = [(rowid, title, stems, tags) for rowid, _, stems, _ in before]
        connection.executemany(
            "UPDATE words SET title = ?, tags = ? WHERE rowid = ?",
            ((title, tags, rowid) for rowid, *_ in before),
        )
        _count(connection, record.language, before, -1)
        _count(connection, record.language, after, 1)
        if before[0][1] != title:
            _drop_vectors(connection, number)  # the title is part of what was embedded


def _take_out(connection: sqlite3.Connection, number: int) -> int:
    rows = _indexed(connection, number)
    connection.executemany("DELETE FROM words WHERE rowid = ?", ((row[0],) for row in rows))
    connection.execute("UPDATE content SET is_indexed = 0 WHERE id = ?", (number,))
    (language,) = connection.execute(
        "SELECT language FROM content WHERE id = ?", (number,)
    ).fetchone()
    _count(connection, language, rows, -1)
    _drop_vectors(connection, number)
    return len(rows)


def _drop_vectors(connection: sqlite3.Connection, number: int) -> None:
    connection.execute(
        "DELETE FROM vector WHERE passage IN (SELECT id FROM passage WHERE content = ?)", (number,)
    )


def _indexed(connection: sqlite3.Connection, number: int) -> _Rows:
    return connection.execute(
        "SELECT rowid, title, content, tags FROM words "
        "WHERE rowid IN (SELECT id FROM passage WHERE content = ?) ORDER BY rowid",
        (number,),
    ).fetchall()


def _heads(connection: sqlite3.Connection, number: int, language: str) -> tuple[str, str]:
    """Return the stems of the titles and of the tags of all documents that have a text."""
    titles = connection.execute(
        "SELECT DISTINCT title FROM document WHERE content = ? ORDER BY title", (number,)
    ).fetchall()
    tags = connection.execute(
        "SELECT DISTINCT tag FROM tag JOIN document ON document.id = tag.document "
        "WHERE content = ? ORDER BY tag",
        (number,),
    ).fetchall()
    return _stems(titles, language), _stems(tags, language)


def _stems(rows: Sequence[tuple[str]], language: str) -> str:
    return " ".join(stem for (column,) in rows for stem in index_terms(column, language))


def _count(connection: sqlite3.Connection, language: str, rows: _Rows, sign: int) -> None:
    """Add rows of the index to the totals, or take them away."""
    # Title, content, tags, behind the row's number.
    sums = [sign * sum(len(str(row[i]).split()) for row in rows) for i in (1, 2, 3)]
    connection.execute(
        "INSERT INTO total (language, passages, title, content, tags) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (language) DO UPDATE SET passages = passages + excluded.passages, "
        "title = title + excluded.title, content = content + excluded.content, "
        "tags = tags + excluded.tags",
        (language, sign * len(rows), *sums),
    )


PASSING_BEFORE = (
    "SELECT document FROM passing JOIN document ON document.id = passing.document "
    "WHERE fetched_at < ? AND document NOT IN (SELECT document FROM tag)"
)
"""What searches have stored, nobody has added or tagged, and was read before a moment."""


def add_document(
    connection: sqlite3.Connection, given: Document, prepared: Prepared | None, now: str
) -> Added:
    """Keep a document, and say whether it is news. `now` ends the version that it takes the place of.

    What was read of a page of the web stays as it is, whatever else is known of its address.
    """
    place, url, title = place_of(given.url), storable(given.url.strip()), storable(given.title)
    row, outcome = _known(connection, given, place)
    if row is not None and row[3] == Origin.WEB and given.origin != Origin.WEB:
        return _tagged(connection, row[0], row[1], given)
    text, new = put_content(connection, given, prepared)
    fetched_at = given.fetched_at or now
    if row is None:
        document, before = _identity(connection, given, place), text
        connection.execute(
            "INSERT INTO document (id, place, url, title, origin, kind, syntax, published, "
            "fetched_at, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (document, place, url, title, given.origin, given.kind, given.syntax,
             storable(given.published), fetched_at, text),
        )  # fmt: skip
    else:
        document, before, old_title, _ = row
        if text != before:
            outcome = AddOutcome.CHANGED
            connection.execute(
                "INSERT OR REPLACE INTO version (document, content, title, fetched_at, until) "
                "SELECT id, content, title, fetched_at, ? FROM document WHERE id = ?",
                (now, document),
            )
            # A text that comes back is no earlier one any more.
            connection.execute(
                "DELETE FROM version WHERE document = ? AND content = ?", (document, text)
            )
        connection.execute(
            "UPDATE document SET place = ?, url = ?, title = ?, origin = ?, kind = ?, syntax = ?, "
            "published = ?, fetched_at = ?, content = ? WHERE id = ?",
            (place, url, title or old_title, given.origin, given.kind, given.syntax,
             storable(given.published), fetched_at, text, document),
        )  # fmt: skip
    if row is not None and not given.in_passing:
        connection.execute("DELETE FROM passing WHERE document = ?", (document,))
    elif row is None and given.in_passing:
        connection.execute("INSERT INTO passing (document) VALUES (?)", (document,))
    # A read without a title keeps the old one, so that it changes nothing in the index.
    is_updated = add_tags(connection, document, given.tags) or (
        row is not None and title not in {"", row[2]}
    )
    if new is not None:
        _index_stems(connection, text, new.language, [one.stems for one in new.passages])
    if row is None and new is not None:
        return Added(document, outcome, len(new.passages))
    # The old text as well, which may belong to nobody any more.
    for number in dict.fromkeys((before, text)):
        settle(connection, number)
    is_shared = connection.execute(
        "SELECT 1 FROM document WHERE content = ? AND id <> ? LIMIT 1", (text, document)
    ).fetchone()
    if (row is not None and is_updated) or is_shared:
        index_heads(connection, text)
    return Added(document, outcome, _passages(connection, text))


def _tagged(connection: sqlite3.Connection, document: str, text: int, given: Document) -> Added:
    """Give a document that stays as it is the tags of another."""
    connection.execute("DELETE FROM passing WHERE document = ?", (document,))
    if add_tags(connection, document, given.tags):
        index_heads(connection, text)
    return Added(document, AddOutcome.UNCHANGED, _passages(connection, text))


def _passages(connection: sqlite3.Connection, text: int) -> int:
    found = connection.execute("SELECT count(*) FROM passage WHERE content = ?", (text,))
    return int(found.fetchone()[0])


def _identity(connection: sqlite3.Connection, given: Document, place: str) -> str:
    """Return the identity that a document had in another store, if it is free here.

    Else it is that of its address, if nothing moved away from it.
    """

    def is_taken(made: str) -> bool:
        return connection.execute(_IS_TAKEN, (made,)).fetchone() is not None

    if given.id and not is_taken(given.id):
        return given.id
    return identity(place, is_taken)


def _known(
    connection: sqlite3.Connection, given: Document, place: str
) -> tuple[tuple[str, int, str, str] | None, AddOutcome]:
    """Return the document of an address, or that of the file that was moved there."""
    query = "SELECT id, content, title, origin FROM document WHERE place = ?"
    row = connection.execute(query, (place,)).fetchone()
    if row is not None:
        return row, AddOutcome.UNCHANGED
    if given.moved_from:
        row = connection.execute(query, (place_of(given.moved_from),)).fetchone()
    return row, AddOutcome.ADDED if row is None else AddOutcome.MOVED


def add_tags(connection: sqlite3.Connection, document: str, tags: Sequence[str]) -> bool:
    """Give a document tags; return whether it had not all of them."""
    added = connection.executemany(
        "INSERT OR IGNORE INTO tag (document, tag) VALUES (?, ?)",
        ((document, tag) for tag in tidy_tags(tags)),
    )
    return added.rowcount > 0


def remove_documents(
    connection: sqlite3.Connection, documents: Sequence[str]
) -> tuple[int, int, int, int]:
    """Delete documents; return how many, and how many passages, versions and vectors with them."""
    # Vectors go with their passages by the foreign key, which does not say how many went.
    had = _row_count(connection, "SELECT 1 FROM vector")
    gone = passages = versions = 0
    texts: dict[int, None] = {}
    for document in documents:
        rows = connection.execute(
            "SELECT content, 1 FROM version WHERE document = ? "
            "UNION ALL SELECT content, 0 FROM document WHERE id = ?",
            (document, document),
        ).fetchall()
        texts |= dict.fromkeys(row[0] for row in rows)
        versions += sum(row[1] for row in rows)
        gone += connection.execute("DELETE FROM document WHERE id = ?", (document,)).rowcount
    for number in texts:
        passages += settle(connection, number)
    if gone:
        expunge(connection)
    return gone, passages, versions, had - _row_count(connection, "SELECT 1 FROM vector")


def remove_passing(connection: sqlite3.Connection, before: str) -> int:
    """Delete what searches kept and read before a moment for the last time; return how many.

    What somebody has given a tag is his own.
    """
    old = connection.execute(PASSING_BEFORE, (before,)).fetchall()
    return remove_documents(connection, [document for (document,) in old])[0] if old else 0


def clear(connection: sqlite3.Connection) -> tuple[int, int, int, int]:
    """Delete all documents and folders."""
    documents = connection.execute("SELECT id FROM document").fetchall()
    removed = remove_documents(connection, [document for (document,) in documents])
    # Folders go, too: the next look at them would bring all of it back.
    connection.execute("DELETE FROM folder")
    return removed


def differences(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return in what the index and the tables differ."""
    indexed = "SELECT passage.id FROM passage JOIN content ON content.id = content WHERE is_indexed"
    held = "SELECT content FROM document"
    lacking = _row_count(connection, f"{indexed} EXCEPT SELECT rowid FROM words")  # noqa: S608 - constants
    left_over = _row_count(connection, f"SELECT rowid FROM words EXCEPT {indexed}")  # noqa: S608 - constants
    wrongly = _row_count(
        connection,
        f"SELECT id FROM content WHERE is_indexed <> (id IN ({held}))",  # noqa: S608 - constants
    )
    idle = _row_count(
        connection,
        f"SELECT id FROM content WHERE id NOT IN ({held}) "  # noqa: S608 - constants
        "AND id NOT IN (SELECT content FROM version)",
    )
    miscounted = _row_count(
        connection,
        "SELECT 1 WHERE (SELECT coalesce(sum(passages), 0) FROM total) "
        "<> (SELECT count(*) FROM words)",
    )
    found = {
        Message("The index lacks passages: {n}.", n=lacking): lacking,
        Message("The index holds passages that are not kept: {n}.", n=left_over): left_over,
        Message("Texts are found that should not be, or the reverse: {n}.", n=wrongly): wrongly,
        Message("Texts are kept that no document has: {n}.", n=idle): idle,
        Message("The number of passages is wrong."): miscounted,
    }
    messages = [message for message, n in found.items() if n]
    # Raises what damage raises where the index does not hold what it was made from.
    try:
        connection.execute("INSERT INTO words (words) VALUES ('integrity-check')")
    except sqlite3.DatabaseError as exc:
        messages.append(Message("The index is damaged: {problem}.", problem=exc))
    return tuple(messages)


def _row_count(connection: sqlite3.Connection, query: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM ({query})").fetchone()[0])  # noqa: S608 - constants
