"""The index of full texts stays whole however often words leave it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

import pytest

from askance.adapters.storage.database import expunge, rebuild

DELETIONS, STORED = 1_100, 20


@pytest.fixture
def words() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE VIRTUAL TABLE words USING fts5 (text)")
    return connection


def add(words: sqlite3.Connection, number: int) -> None:
    # Of many words, else SQLite keeps them in one part, and merges nothing.
    text = " ".join([f"n{number}", "kept", *(f"w{number * i % 3_000}" for i in range(40))])
    words.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, text))


def test_a_thousand_deletions_leave_the_index_whole(words: sqlite3.Connection) -> None:
    for number in range(STORED):
        add(words, number)
    for number in range(STORED, STORED + DELETIONS):
        add(words, number)
        words.execute("DELETE FROM words WHERE rowid = ?", (number - STORED,))
        expunge(words)
    words.execute("INSERT INTO words (words) VALUES ('integrity-check')")
    found = words.execute("SELECT rowid FROM words WHERE words MATCH 'kept' ORDER BY 1").fetchall()
    assert [number for (number,) in found] == list(range(DELETIONS, DELETIONS + STORED))


@pytest.mark.parametrize("take_out", [expunge, rebuild])
def test_no_deleted_word_stays_in_the_index(
    words: sqlite3.Connection, take_out: Callable[[sqlite3.Connection], None]
) -> None:
    add(words, 1)
    add(words, 2)
    words.execute("DELETE FROM words WHERE rowid = 2")
    take_out(words)
    held = b"".join(block for (block,) in words.execute("SELECT block FROM words_data"))
    assert b"n1" in held
    assert b"n2" not in held
