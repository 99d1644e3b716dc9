"""The full-text index of the history, kept in step within the transactions of its one writer."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager

from askance.adapters.storage.database import storable
from askance.adapters.storage.history_words import pairs
from askance.adapters.storage.troubles import is_damage
from askance.domain.events import Answered, ClarifyAsked, RunEvent, SourcesReady
from askance.domain.evidence import Source
from askance.domain.history import TimedEvent


class IndexDamaged(Exception):
    """The index is to be built anew. If that does not help, the file itself is damaged."""


def index_exchange(
    connection: sqlite3.Connection, exchange: int, events: Sequence[TimedEvent]
) -> None:
    """Let an exchange be found by its question, its answer and its sources."""
    text, quote = connection.execute(
        "SELECT text, quote FROM exchange WHERE id = ?", (exchange,)
    ).fetchone()
    texts = [f"{text}\n{quote}".strip(), storable(_answer(events)), storable(_sources(events))]
    connection.execute(
        "INSERT OR REPLACE INTO words (rowid, title, question, answer, sources, title_pairs, pairs)"
        " VALUES (?, '', ?, ?, ?, '', ?)",
        (exchange, *texts, pairs("\n".join(texts))),
    )


def index_title(connection: sqlite3.Connection, conversation: int) -> None:
    """Let a title be found once a conversation: at its first exchange that was finished."""
    found = connection.execute(
        "SELECT title, (SELECT min(id) FROM exchange WHERE conversation = ?1 AND ended) "
        "FROM conversation WHERE id = ?1",
        (conversation,),
    ).fetchone()
    if found is not None:
        title, first = found
        change = "UPDATE words SET title = ?, title_pairs = ? WHERE rowid = ?"
        connection.execute(change, (title, pairs(title), first))
        # A run that began earlier may end later, and become the first.
        connection.execute(
            "UPDATE words SET title = '', title_pairs = '' WHERE title <> '' AND rowid <> ?1 "
            "AND rowid IN (SELECT id FROM exchange WHERE conversation = ?2)",
            (first, conversation),
        )


def expunge(connection: sqlite3.Connection) -> None:
    """Take the words of deleted rows out of the index, which only notes that they are gone."""
    connection.execute("INSERT INTO words (words) VALUES ('optimize')")


@contextmanager
def suspecting() -> Generator[None]:
    """Suspect the index first where damage is found: it is what can be had again.

    Raises:
        IndexDamaged: something in the file is damaged.
    """
    try:
        yield
    except sqlite3.DatabaseError as exc:
        if is_damage(exc):
            raise IndexDamaged from exc
        raise


def rebuild(connection: sqlite3.Connection) -> None:
    """Build the index anew from the texts that are kept beside it."""
    connection.execute("INSERT INTO words (words) VALUES ('rebuild')")


def _answer(events: Iterable[TimedEvent]) -> str:
    """Return what a run said in the end: its answer, or the question it asked back."""
    for timed in events:
        match timed.event:
            case Answered(answer=text) | ClarifyAsked(question=text):
                return text
            case _:
                pass
    return ""


def _sources(events: Iterable[TimedEvent]) -> str:
    """Return the titles and addresses of the sources, one a line."""
    found: dict[Source, None] = {}
    for timed in events:
        found |= dict.fromkeys(_sources_of(timed.event))
    return "\n".join(f"{source.title} {source.url}" for source in found)


def _sources_of(event: RunEvent) -> tuple[Source, ...]:
    match event:
        case SourcesReady(sources=sources) | Answered(sources=sources):
            return sources
        case _:
            return ()
