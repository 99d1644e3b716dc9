"""Whoever searches the library does not wait for whoever writes to it, here or in another process."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from adapters.storage.shelf import FERRY, MILL, library, page, urls
from askance.adapters.library import sqlite_library as module
from waiting import PATIENCE_S


def test_a_search_does_not_wait_for_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BUSY_TIMEOUT_S", 10 * PATIENCE_S)
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
