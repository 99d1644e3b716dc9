"""One SQLite file, opened well: made, written, and left alone where a newer program made it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from adapters.storage.notebook import (
    NOTES,
    Notebook,
    mode,
    names,
    set_version,
)
from askance.adapters.storage.database import Schema, expunge, rebuild
from askance.domain.errors import StorageError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "notes.sqlite3"


def test_nothing_is_made_before_the_first_use(file: Path) -> None:
    notes = Notebook(file)
    assert not notes.database.exists
    assert not file.parent.exists()


def test_what_is_written_is_for_its_owner_alone_and_stays(file: Path) -> None:
    notes = Notebook(file)
    notes.write("one", "two")
    assert mode(file.parent) == 0o700
    assert {f.name: mode(f) for f in file.parent.iterdir()} == dict.fromkeys(names(file), 0o600)
    assert names(file) == ["notes.sqlite3", "notes.sqlite3-shm", "notes.sqlite3-wal"]
    notes.database.close()
    assert names(file) == ["notes.sqlite3"]
    again = Notebook(file)
    assert again.database.exists
    assert again.texts() == ["one", "two"]
    assert (again.number("user_version"), again.number("foreign_keys")) == (1, 1)
    assert (again.number("auto_vacuum"), again.number("synchronous")) == (2, 1)
    assert again.troubles == []


def test_a_file_that_others_could_read_is_closed_to_them(file: Path) -> None:
    Notebook(file).write("one")
    file.chmod(0o644)
    assert Notebook(file).texts() == ["one"]
    assert mode(file) == 0o600


def test_an_action_that_fails_leaves_nothing_behind(file: Path) -> None:
    notes = Notebook(file)
    notes.write("one")

    def half_done(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM note")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        notes.database.write(half_done)
    assert notes.texts() == ["one"]


def test_a_bug_is_not_taken_for_a_broken_file(file: Path) -> None:
    notes = Notebook(file)
    notes.write("one")
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        notes.database.read(lambda c: c.execute("SELECT * FROM nonsense"))
    assert (notes.texts(), notes.troubles) == (["one"], [])


def test_a_read_sees_one_moment(file: Path) -> None:
    notes, other = Notebook(file), Notebook(file)
    notes.write("one")

    def count_twice(connection: sqlite3.Connection) -> list[Any]:
        first = connection.execute("SELECT count(*) FROM note").fetchone()
        other.write("two")
        return [first, connection.execute("SELECT count(*) FROM note").fetchone()]

    assert notes.database.read(count_twice) == [(1,), (1,)]
    assert notes.texts() == ["one", "two"]


def test_threads_share_one_database(file: Path) -> None:
    notes = Notebook(file)
    threads = [threading.Thread(target=notes.write, args=(str(i),)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(notes.texts()) == [str(i) for i in range(8)]


def test_tables_of_which_one_cannot_be_made_are_not_made_at_all(file: Path) -> None:
    broken = Notebook(file, Schema("The notebook", (NOTES, "NONSENSE")))
    with pytest.raises(sqlite3.OperationalError, match="syntax"):
        broken.texts()
    notes = Notebook(file)
    notes.write("one")
    assert (notes.texts(), notes.number("user_version")) == (["one"], 1)
    notes.database.close()
    assert names(file) == ["notes.sqlite3"]


@pytest.mark.parametrize("version", [2, -1])
def test_a_file_of_another_format_is_refused_and_not_touched(file: Path, version: int) -> None:
    notes = Notebook(file)
    notes.write("one")
    notes.database.close()
    set_version(file, version)
    before = file.read_bytes()
    for _ in range(2):
        with pytest.raises(StorageError, match=r"newer Askance.*Update Askance"):
            notes.write("two")
    notes.database.close()
    assert file.read_bytes() == before
    assert (names(file), notes.troubles) == (["notes.sqlite3"], [])


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
