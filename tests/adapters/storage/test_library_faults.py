"""A library that is killed, full, damaged or in use: nothing acknowledged is lost."""

from __future__ import annotations

import sqlite3
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from bench.library_kills import kill_often

from adapters.storage.notebook import damage_the_middle
from adapters.storage.shelf import FERRY, MILL, library, page, urls
from askance.adapters.library import sqlite_library as library_module
from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.domain.errors import StorageError
from waiting import PATIENCE_S

# A record of the index, by SQLite's own number.
SPOIL = "UPDATE words_data SET block = x'ffffffffffffffffff' WHERE id = ?"


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork: run it on Linux")
def test_a_kill_at_any_moment_costs_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    outcome = kill_often(tmp_path, 30, seed=7)
    assert outcome.problems == []
    assert outcome.kills == 30
    assert outcome.added + outcome.deleted > 10  # 30 and more where no other program is busy


def test_a_full_disk_costs_only_what_did_not_fit(tmp_path: Path) -> None:
    stored = library(tmp_path)
    stored.add([page("https://a.example/", FERRY)])
    pages = stored.database.read(lambda c: c.execute("PRAGMA page_count").fetchone()[0])
    stored.database.read(lambda c: c.execute(f"PRAGMA max_page_count = {pages + 2}").fetchone())
    long = [page(f"https://b.example/{i}", f"{FERRY} {i} " * 400) for i in range(50)]
    with pytest.raises(StorageError) as raised:
        stored.add(long)
    assert "disk is full" in str(raised.value)
    assert urls(stored, "ferry") == ["https://a.example/"]
    assert stored.check() == ()
    stored.add(long[:1])
    assert len(stored.documents()) == 2


def test_a_library_that_another_program_writes_is_waited_for_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_module, "BUSY_TIMEOUT_S", 0.1)
    stored = library(tmp_path)
    stored.add([page("https://a.example/", FERRY)])
    other = sqlite3.connect(tmp_path / "library.sqlite3", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError):
        stored.add([page("https://b.example/", FERRY)])
    assert urls(stored, "ferry") == ["https://a.example/"]
    other.execute("ROLLBACK")
    other.close()
    stored.add([page("https://b.example/", FERRY)])
    assert stored.check() == ()


def test_a_deletion_beside_a_reader_says_where_the_words_stay_and_the_next_one_takes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_module, "BUSY_TIMEOUT_S", 0.1)
    stored = library(tmp_path)
    stored.add([page("https://a.example/", "a secret"), page("https://b.example/", FERRY)])
    first, second = (record.id for record in stored.documents())
    other = sqlite3.connect(tmp_path / "library.sqlite3", isolation_level=None)
    other.execute("BEGIN")
    other.execute("SELECT count(*) FROM document").fetchone()
    removed = stored.remove([first])
    log = tmp_path / "library.sqlite3-wal"
    assert removed.log == log
    assert [text.values["file"] for text in removed.left] == [str(log)]
    other.execute("ROLLBACK")
    other.close()
    assert stored.remove([second]).left == ()
    assert log.stat().st_size == 0


def test_a_damaged_library_is_set_aside_and_named(tmp_path: Path) -> None:
    troubles: list[str] = []
    stored = library(tmp_path, on_error=troubles.append)
    stored.add([page(f"https://a.example/{i}", f"{FERRY} {i}") for i in range(100)])
    stored.close()
    damage_the_middle(tmp_path / "library.sqlite3")
    assert stored.documents() == ()
    stored.add([page("https://b.example/", FERRY)])
    assert len(troubles) == 1
    (aside,) = tmp_path.glob("library.damaged-*.sqlite3")
    (record,) = stored.documents()
    assert stored.remove([record.id]).copies == (aside,)


@pytest.mark.parametrize(
    "use",
    [
        lambda stored: stored.add([page("https://b.example/", MILL)]),
        lambda stored: stored.remove([stored.find("https://a.example/1")[0].id]),
        lambda stored: stored.search("ferry", 10),
        lambda stored: stored.check(),
        lambda stored: stored.rebuild(lambda _: None),
    ],
    ids=["add", "remove", "search", "check", "rebuild"],
)
def test_an_index_that_is_found_damaged_at_whatever_moment_costs_nothing(
    tmp_path: Path, use: Callable[[SqliteLibrary], object]
) -> None:
    library(tmp_path).add([page(f"https://a.example/{i}", f"{FERRY} {i}") for i in range(20)])
    stored = library(tmp_path)
    # What the index consists of: SQLite reads it when the index is opened, or when a change is committed.
    stored.database.write(lambda c: c.execute(SPOIL, (10,)))
    stored.close()
    use(stored)
    assert {f"https://a.example/{i}" for i in range(20)} - {r.url for r in stored.documents()} <= {
        "https://a.example/1"
    }
    assert stored.check() == ()
    assert len(stored.search("ferry", 10)) == 10


def test_a_change_whose_index_turns_out_damaged_when_it_is_committed_costs_nothing(
    tmp_path: Path,
) -> None:
    stored = library(tmp_path)
    stored.add([page("https://a.example/", FERRY)])
    stored.database.write(lambda c: c.execute(SPOIL, (10,)))  # the index is open already
    stored.add([page("https://b.example/", MILL)])
    assert [record.url for record in stored.documents()] == [
        "https://a.example/",
        "https://b.example/",
    ]
    assert urls(stored, "who rebuilt the mill") == ["https://b.example/"]
    assert stored.check() == ()


def test_averages_that_are_wrong_are_told_and_mended_by_building_the_index_anew(
    tmp_path: Path,
) -> None:
    stored = library(tmp_path)
    stored.add([page("https://a.example/", FERRY)])
    stored.database.write(lambda c: c.execute(SPOIL, (1,)))
    assert len(stored.check()) == 1
    stored.rebuild(lambda _: None)
    assert stored.check() == ()


def test_two_writers_take_turns(tmp_path: Path) -> None:
    one, other = library(tmp_path), library(tmp_path)
    for i in range(10):
        one.add([page(f"https://a.example/{i}", f"{FERRY} {i}")])
        other.add([page(f"https://a.example/{i}", f"{FERRY} {i} again")])
    assert len(one.documents()) == len(other.documents()) == 10
    assert one.stats().versions == 10
    assert one.check() == other.check() == ()


def test_a_search_does_not_wait_for_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_module, "BUSY_TIMEOUT_S", 10 * PATIENCE_S)
    stored = library(tmp_path)
    stored.add([page("https://a.example/", FERRY)])
    other = sqlite3.connect(tmp_path / "library.sqlite3", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert urls(stored, "ferry") == ["https://a.example/"]
    other.execute("ROLLBACK")
    other.close()
    # Whoever writes waits, as before.
    assert stored.add([page("https://b.example/", MILL)])


def test_a_search_does_not_wait_for_another_thread(tmp_path: Path) -> None:
    stored = library(tmp_path)
    stored.add([page("https://a.example/", FERRY)])
    assert urls(stored, "ferry") == ["https://a.example/"]
    begun, ended = threading.Event(), threading.Event()

    def write(connection: sqlite3.Connection) -> None:
        connection.execute("DELETE FROM tag")
        begun.set()
        assert ended.wait(PATIENCE_S)

    writing = threading.Thread(target=stored.database.write, args=(write,))
    writing.start()
    try:
        assert begun.wait(PATIENCE_S)
        assert urls(stored, "ferry") == ["https://a.example/"]
        assert not ended.is_set()
    finally:
        ended.set()
        writing.join()
