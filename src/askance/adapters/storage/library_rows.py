"""What is done to the library's tables in one transaction: documents come, change and go."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from askance.adapters.storage.database import storable
from askance.adapters.storage.full_text import expunge
from askance.adapters.storage.library_tables import (
    index_heads,
    new_id,
    outdated,
    place_of,
    put_content,
    settle,
    tidy_tags,
)
from askance.domain.library import Added, AddOutcome, Document, Origin
from askance.domain.messages import Message

PASSING_BEFORE = (
    "SELECT document FROM passing JOIN document ON document.id = passing.document "
    "WHERE fetched_at < ? AND document NOT IN (SELECT document FROM tag)"
)
"""What searches have stored, nobody has added or tagged, and was read before a moment."""


def add_document(connection: sqlite3.Connection, given: Document, now: str) -> Added:
    """Keep a document, and say whether it is news. `now` ends the version that it takes the place of.

    What was read of a page of the web stays as it is, whatever else is known of its address.
    """
    place, url, title = place_of(given.url), storable(given.url.strip()), storable(given.title)
    row, outcome = _known(connection, given, place)
    if row is not None and row[3] == Origin.WEB and given.origin != Origin.WEB:
        return _tagged(connection, row[0], row[1], given)
    text = put_content(connection, given)
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
    if not given.in_passing:
        connection.execute("DELETE FROM passing WHERE document = ?", (document,))
    elif row is None:
        connection.execute("INSERT INTO passing (document) VALUES (?)", (document,))
    is_updated = add_tags(connection, document, given.tags) or (
        row is not None and title not in {"", row[2]}
    )
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
    """Return the identity that a document had in another store, if it is free here; else a new one."""
    taken = "SELECT 1 FROM document WHERE id = ?"
    if given.id and connection.execute(taken, (given.id,)).fetchone() is None:
        return given.id
    return new_id(connection, place)


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
    had = _count(connection, "SELECT 1 FROM vector")
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
    return gone, passages, versions, had - _count(connection, "SELECT 1 FROM vector")


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
    connection.execute("DELETE FROM folder")
    return removed


def differences(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return in what the index and the tables differ."""
    indexed = "SELECT passage.id FROM passage JOIN content ON content.id = content WHERE is_indexed"
    held = "SELECT content FROM document"
    lacking = _count(connection, f"{indexed} EXCEPT SELECT rowid FROM words")  # noqa: S608 - constants
    left_over = _count(connection, f"SELECT rowid FROM words EXCEPT {indexed}")  # noqa: S608 - constants
    wrongly = _count(
        connection,
        f"SELECT id FROM content WHERE (is_indexed > 0) <> (id IN ({held}))",  # noqa: S608 - constants
    )
    idle = _count(
        connection,
        f"SELECT id FROM content WHERE id NOT IN ({held}) "  # noqa: S608 - constants
        "AND id NOT IN (SELECT content FROM version)",
    )
    old = outdated(connection)
    miscounted = _count(
        connection,
        "SELECT 1 WHERE (SELECT coalesce(sum(passages), 0) FROM total) "
        "<> (SELECT count(*) FROM words)",
    )
    found = {
        Message("The index lacks passages: {n}.", n=lacking): lacking,
        Message("The index holds passages that are not kept: {n}.", n=left_over): left_over,
        Message("Texts are found that should not be, or the reverse: {n}.", n=wrongly): wrongly,
        Message("The index holds passages as an earlier version made them: {n}.", n=old): old,
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


def _count(connection: sqlite3.Connection, query: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM ({query})").fetchone()[0])  # noqa: S608 - constants
