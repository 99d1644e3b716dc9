"""The tables of the library's file: texts and their passages, and the full-text index."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from askance.adapters.storage.database import storable
from askance.adapters.storage.library_schema import syntaxes_of, unpacked
from askance.domain.library import Document, DocumentKind
from askance.text.languages.language import CODES, ENGLISH
from askance.text.languages.recognition import recognise
from askance.text.ranking.passages import Chunk, cut_code, cut_text, spelled_out
from askance.text.ranking.tokens import count_words, terms
from askance.text.ranking.urls import canonical

INDEX_VERSION = 2
"""Raised whenever the terms of a text become others than those that are stored. It stands in `is_indexed` of each text,
so that those of an earlier Askance are known; `renew` brings them up to date."""
_ID_CHARACTERS = 16
_IS_TAKEN = "SELECT 1 FROM document WHERE id = ?"
_IS_OLD = "is_indexed > 0 AND is_indexed < ?"
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


def new_id(connection: sqlite3.Connection, place: str) -> str:
    """Return the identity of a document at a place: that of its address, if nothing moved away from it."""
    return identity(place, lambda made: bool(connection.execute(_IS_TAKEN, (made,)).fetchone()))


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


def put_content(connection: sqlite3.Connection, document: Document) -> int:
    """Store the text of a document with its passages, if it is not there yet; return its number."""
    text = storable(document.text)
    digest = content_hash(text)
    row = connection.execute("SELECT id FROM content WHERE hash = ?", (digest,)).fetchone()
    if row is not None:
        return int(row[0])
    is_code = document.kind is DocumentKind.CODE
    declared = document.language[:2].lower()
    known = declared if declared in CODES else recognise(text) or ENGLISH
    made = connection.execute(
        "INSERT INTO content (hash, language, is_code, words, text) VALUES (?, ?, ?, ?, ?)",
        (digest, known, is_code, count_words(text), zlib.compress(text.encode(), 3)),
    )
    number = made.lastrowid
    assert number is not None
    # What has no text, such as a bookmark, is found by its title.
    chunks = (cut_code if is_code else cut_text)(text) or [Chunk(0, len(text), "")]
    spans = [(chunk.start, chunk.end) for chunk in chunks]
    syntaxes = [""] * len(chunks) if is_code else syntaxes_of(text, spans)
    connection.executemany(
        "INSERT INTO passage (content, number, start, stop, heading, syntaxes) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (
            (number, i, chunk.start, chunk.end, chunk.heading, names)
            for i, (chunk, names) in enumerate(zip(chunks, syntaxes, strict=True))
        ),
    )
    return number


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
    title, tags = _heads(connection, record)
    rows: _Rows = []
    for number, heading, start, stop in connection.execute(
        "SELECT id, heading, start, stop FROM passage WHERE content = ?", (record.id,)
    ):
        passage_text = (
            f"{heading}\n{record.text[start:stop]}" if heading else record.text[start:stop]
        )
        stems = terms(
            spelled_out(passage_text) if record.is_code else passage_text, record.language
        )
        rows.append((number, title, " ".join(stems), tags))
    connection.executemany(
        "INSERT INTO words (rowid, title, content, tags) VALUES (?, ?, ?, ?)", rows
    )
    connection.execute("UPDATE content SET is_indexed = ? WHERE id = ?", (INDEX_VERSION, record.id))
    _count(connection, record.language, rows, 1)
    return len(rows)


def index_heads(connection: sqlite3.Connection, number: int) -> None:
    """Let a text be found by the titles and tags that its documents have now."""
    record = content(connection, number)
    title, tags = _heads(connection, record)
    before = _indexed(connection, number)
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


def outdated(connection: sqlite3.Connection) -> int:
    """Return how many passages are in the index with the terms of an earlier version."""
    found = connection.execute(
        f"SELECT count(*) FROM passage WHERE content IN (SELECT id FROM content WHERE {_IS_OLD})",  # noqa: S608 - a constant
        (INDEX_VERSION,),
    )
    return int(found.fetchone()[0])


def renew(connection: sqlite3.Connection, most: int) -> int:
    """Bring texts in the index up to date that have terms of an earlier version, until so many passages are done."""
    done = 0
    for (number,) in connection.execute(
        f"SELECT id FROM content WHERE {_IS_OLD} ORDER BY id LIMIT ?",  # noqa: S608 - a constant
        (INDEX_VERSION, most),
    ).fetchall():
        done += _unindex(connection, number)
        index(connection, content(connection, number))
        if done >= most:
            break
    return done


def _take_out(connection: sqlite3.Connection, number: int) -> int:
    gone = _unindex(connection, number)
    _drop_vectors(connection, number)
    return gone


def _unindex(connection: sqlite3.Connection, number: int) -> int:
    rows = _indexed(connection, number)
    connection.executemany("DELETE FROM words WHERE rowid = ?", ((row[0],) for row in rows))
    connection.execute("UPDATE content SET is_indexed = 0 WHERE id = ?", (number,))
    (language,) = connection.execute(
        "SELECT language FROM content WHERE id = ?", (number,)
    ).fetchone()
    _count(connection, language, rows, -1)
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


def _heads(connection: sqlite3.Connection, record: Content) -> tuple[str, str]:
    """Return the stems of the titles and of the tags of all documents that have a text."""
    titles = connection.execute(
        "SELECT DISTINCT title FROM document WHERE content = ? ORDER BY title", (record.id,)
    ).fetchall()
    tags = connection.execute(
        "SELECT DISTINCT tag FROM tag JOIN document ON document.id = tag.document "
        "WHERE content = ? ORDER BY tag",
        (record.id,),
    ).fetchall()
    return _stems(titles, record.language), _stems(tags, record.language)


def _stems(rows: Sequence[tuple[str]], language: str) -> str:
    return " ".join(stem for (column,) in rows for stem in terms(column, language))


def _count(connection: sqlite3.Connection, language: str, rows: _Rows, sign: int) -> None:
    """Add rows of the index to the totals, or take them away."""
    sums = [
        sign * sum(len(stems.split()) for stems in column)
        for column in ([row[1] for row in rows], [row[2] for row in rows], [row[3] for row in rows])
    ]
    connection.execute(
        "INSERT INTO total (language, passages, title, content, tags) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (language) DO UPDATE SET passages = passages + excluded.passages, "
        "title = title + excluded.title, content = content + excluded.content, "
        "tags = tags + excluded.tags",
        (language, sign * len(rows), *sums),
    )
