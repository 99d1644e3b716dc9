"""Files that are damaged, deleted, locked, read-only or full."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from adapters.storage.notebook import (
    NOBODY,
    THROWAWAY,
    Notebook,
    damage_the_middle,
    names,
    set_version,
)
from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.adapters.storage.clients import SqliteClientBook
from askance.adapters.storage.history import SqliteHistory
from askance.adapters.storage.ledger import SqliteLedger
from askance.adapters.storage.page_cache import PageCache
from askance.domain.errors import StorageError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "notes.sqlite3"


Store = SqliteHistory | SqliteLedger | SqliteClientBook | PageCache | SqliteLibrary
# Each file of ours: its name in sentences, how it is opened, and something that reads it.
STORES: dict[str, tuple[Callable[[Path, Callable[[str], None]], Store], Callable[[Any], object]]] = {
    "The history of conversations": (SqliteHistory, lambda history: history.conversations(9)),
    "The ledger": (lambda file, error: SqliteLedger(file, 9, error), lambda ledger: ledger.check()),
    "The list of programs": (SqliteClientBook, lambda book: book.known("editor")),
    "The page cache": (lambda file, error: PageCache(file, 1, error), lambda cache: cache.touch("")),
    "The library": (lambda file, error: SqliteLibrary(file, 9, error), lambda kept: kept.documents()),
}  # fmt: skip


@pytest.mark.parametrize("name", STORES)
def test_each_store_reports_what_is_wrong_with_its_file(file: Path, name: str) -> None:
    (make, use), troubles = STORES[name], list[str]()
    file.mkdir(parents=True)
    with pytest.raises(StorageError, match=f"{name}, "):
        use(make(file, pytest.fail))
    file.rmdir()
    file.write_bytes(b"no database" * 1000)
    store = make(file, troubles.append)
    use(store)
    use(store)
    assert [text.startswith(f"{name} was damaged") for text in troubles] == [True]
    asides = [aside.read_bytes() for aside in file.parent.glob("notes.damaged-*.sqlite3")]
    assert asides == ([] if name == "The page cache" else [b"no database" * 1000])
    store.close()
    set_version(file, 99)
    before = file.read_bytes()
    with pytest.raises(StorageError, match="newer Askance"):
        use(store)
    store.close()
    assert file.read_bytes() == before


@pytest.mark.parametrize("nonsense", [b"x" * 10_000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_no_database_is_set_aside(file: Path, nonsense: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(nonsense)
    notes = Notebook(file)
    notes.write("one")
    assert notes.texts() == ["one"]
    (aside,) = file.parent.glob("notes.damaged-2*Z.sqlite3")
    assert aside.read_bytes() == nonsense
    (reported,) = notes.troubles
    assert reported.startswith("The notebook was damaged (")
    assert str(aside) in reported


def test_damage_that_shows_later_is_met_like_damage_at_once(file: Path) -> None:
    notes = Notebook(file)
    notes.write(*(f"{i} " + "long " * 500 for i in range(20)))
    notes.database.close()
    damage_the_middle(file)
    assert notes.texts() == []
    notes.write("new")
    assert notes.texts() == ["new"]
    assert len(notes.troubles) == 1
    assert len(list(file.parent.glob("notes.damaged-*.sqlite3"))) == 1


def test_a_damaged_disposable_file_is_deleted(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"x" * 5000)
    notes = Notebook(file, THROWAWAY)
    notes.write("one")
    notes.database.close()
    assert names(file) == ["notes.sqlite3"]
    assert len(notes.troubles) == 1


def test_the_log_of_a_damaged_file_does_not_flow_into_the_new_one(file: Path) -> None:
    notes = Notebook(file)
    notes.write(*("long " * 500 for _ in range(20)))
    notes.database.close()
    notes.write("one")
    log = file.with_name("notes.sqlite3-wal").read_bytes()
    damage_the_middle(file)
    again = Notebook(file)
    assert again.texts() == []
    (aside,) = file.parent.glob("notes.damaged-*.sqlite3-wal")
    assert aside.read_bytes() == log
    again.write("two")
    notes.write("three")
    assert Notebook(file).texts() == ["two", "three"]


def test_a_backup_in_the_place_of_an_open_file_is_what_is_read_from_then_on(file: Path) -> None:
    notes, other = Notebook(file), Notebook(file)
    notes.write(*(f"of the backup {i}" for i in range(200)))
    notes.database.close()
    backup = file.with_name("backup")
    shutil.copyfile(file, backup)
    of_backup = notes.texts()
    for i in range(200):
        notes.write(f"since then {i} " + "long " * 100)
    assert len(other.texts()) == 400
    backup.replace(file)  # the log beside it is that of the file before
    assert notes.texts() == other.texts() == of_backup
    other.write("new")
    assert notes.texts() == Notebook(file).texts() == [*of_backup, "new"]
    assert notes.troubles == other.troubles == []


def test_the_new_file_of_another_process_is_not_set_aside(file: Path) -> None:
    first, second = Notebook(file), Notebook(file)
    first.write(*("long " * 500 for _ in range(20)))
    first.database.close()
    second.number("user_version")
    damage_the_middle(file)
    assert first.texts() == []
    first.write("new")
    assert second.texts() == ["new"]
    assert (len(first.troubles), second.troubles) == (1, [])


def test_a_file_that_another_process_sets_aside_in_the_same_moment_is_set_aside_once(
    file: Path,
) -> None:
    first, second = Notebook(file), Notebook(file)
    first.write(*("long " * 500 for _ in range(20)))
    first.database.close()
    second.number("user_version")
    damage_the_middle(file)

    def too_late(connection: sqlite3.Connection) -> list[Any]:
        assert first.texts() == []
        return connection.execute("SELECT text FROM note").fetchall()

    assert second.database.read(too_late) == []
    assert (len(first.troubles), second.troubles) == (1, [])
    assert len(list(file.parent.glob("notes.damaged-*.sqlite3"))) == 1


def test_where_sqlite_does_not_wait_for_another_process_it_is_asked_again(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of six that make one file at once, one in two hundred is told at once that it is locked.
    notes = Notebook(file)
    really, failures = notes.database._open, [1, 2, 3]

    def failing_at_first() -> sqlite3.Connection:
        if not failures:
            return really()
        failures.pop()
        error = sqlite3.OperationalError("database is locked")
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise error

    monkeypatch.setattr(notes.database, "_open", failing_at_first)
    notes.write("one")
    assert (notes.texts(), failures) == (["one"], [])


def test_a_file_that_is_deleted_under_the_program_is_begun_anew(file: Path) -> None:
    notes = Notebook(file)
    notes.write("one")
    file.unlink()
    notes.write("two")
    assert notes.texts() == ["two"]
    assert Notebook(file).texts() == ["two"]


def test_a_file_that_another_program_holds_is_told_and_works_again_later(file: Path) -> None:
    notes = Notebook(file, busy_timeout_s=0.05)
    notes.write("one")
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match=r"in use by another program.*Try again"):
        notes.write("two")
    assert notes.texts() == ["one"]
    other.execute("COMMIT")
    other.close()
    notes.write("three")
    assert notes.texts() == ["one", "three"]


def test_a_full_disk_is_told_and_costs_nothing_that_was_there(file: Path) -> None:
    notes = Notebook(file)
    notes.write("one")
    notes.database.read(lambda c: c.execute("PRAGMA max_page_count = 8"))
    with pytest.raises(StorageError, match=r"disk is full.*Free some space"):
        notes.write("long " * 50_000)
    assert notes.texts() == ["one"]
    notes.write("two")
    assert notes.texts() == ["one", "two"]


@pytest.fixture
def somebody() -> Iterator[Path]:
    """A folder that may be looked into by all, while the test is nobody in particular."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)
        inner = root / "data"
        inner.mkdir()
        powerful = os.geteuid() == 0
        if powerful:
            os.chown(inner, NOBODY, NOBODY)
            os.seteuid(NOBODY)
        try:
            yield inner
        finally:
            if powerful:
                os.seteuid(0)
            inner.chmod(0o755)


def test_a_folder_that_is_read_only_is_told(somebody: Path) -> None:
    somebody.chmod(0o555)
    with pytest.raises(StorageError, match=r"Permission denied.*ASKANCE_HOME"):
        Notebook(somebody / "notes.sqlite3").write("one")


def test_a_file_that_is_read_only_is_told(somebody: Path) -> None:
    file = somebody / "notes.sqlite3"
    notes = Notebook(file)
    notes.write("one")
    notes.database.close()
    file.chmod(0o400)
    somebody.chmod(0o555)
    with pytest.raises(StorageError, match=r"cannot be opened for writing.*writable"):
        notes.write("two")


def test_a_folder_that_may_not_be_looked_into_is_told(somebody: Path) -> None:
    somebody.chmod(0o000)
    notes = Notebook(somebody / "notes.sqlite3")
    with pytest.raises(StorageError, match="Permission denied"):
        notes.texts()
    with pytest.raises(StorageError, match="Permission denied"):
        _ = notes.database.exists


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder", encoding="ascii")
    with pytest.raises(StorageError, match=r"The notebook, .*notes.sqlite3, cannot be opened"):
        Notebook(tmp_path / "data" / "notes.sqlite3").texts()


def test_a_folder_in_the_place_of_the_file_is_told(file: Path) -> None:
    file.mkdir(parents=True)
    with pytest.raises(StorageError, match=r"notes\.sqlite3"):
        Notebook(file).write("one")


def test_what_was_deleted_stays_nowhere_in_the_files(file: Path) -> None:
    notes = Notebook(file)
    notes.write(*(f"a secret of number {i}" for i in range(2000)))
    assert b"a secret of number 7" in file.with_name("notes.sqlite3-wal").read_bytes()
    notes.database.write(lambda c: c.execute("DELETE FROM note"))
    notes.database.shrink()
    for part in file.parent.iterdir():
        assert b"a secret of number" not in part.read_bytes()
    assert file.stat().st_size < 20_000
