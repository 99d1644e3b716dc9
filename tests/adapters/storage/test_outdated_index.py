"""An index whose terms an earlier version made: searches bring it up to date, with no flag to know."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from adapters.storage.shelf import FERRY, MILL, library, page, urls
from askance.adapters.storage import library as module

KATAKANA = "ﾌｪﾘｰは九時に出る。"


def as_an_earlier_version_made_it(folder: Path) -> None:
    """Give all texts terms that no query has now, and the mark of an earlier version."""
    with sqlite3.connect(folder / "library.sqlite3") as connection:
        rows = connection.execute("SELECT rowid, content FROM words").fetchall()
        connection.executemany(
            "UPDATE words SET content = ? WHERE rowid = ?",
            [(" ".join(f"old{term}" for term in terms.split()), number) for number, terms in rows],
        )
        connection.execute("UPDATE content SET is_indexed = 1 WHERE is_indexed")
        connection.execute("PRAGMA application_id = 0")
    connection.close()


def test_the_first_search_finds_words_by_their_present_terms(tmp_path: Path) -> None:
    stored = library(tmp_path)
    stored.add([page("https://a.example/", FERRY), page("https://b.example/", KATAKANA)])
    (gone,) = stored.add([page("https://c.example/", MILL)])
    stored.remove([gone.id])
    stored.close()
    as_an_earlier_version_made_it(tmp_path)
    stored = library(tmp_path)
    assert stored.outdated() == 2
    assert stored.check() == ("The index holds passages as an earlier version made them: 2.",)
    assert urls(stored, "ferry") == ["https://a.example/"]
    assert urls(stored, "フェリー") == ["https://b.example/"]
    assert stored.outdated() == 0
    assert stored.check() == ()
    assert stored.stats().passages == 2


def test_a_large_library_is_brought_up_to_date_search_by_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = library(tmp_path)
    stored.add([page(f"https://a.example/{n}", f"{FERRY} Boat {n}.") for n in range(5)])
    stored.close()
    as_an_earlier_version_made_it(tmp_path)
    monkeypatch.setattr(module, "_RENEWED_AT_ONCE", 2)
    stored = library(tmp_path)
    assert [(len(urls(stored, "ferry")), stored.outdated()) for _ in range(4)] == [
        (2, 3), (4, 1), (5, 0), (5, 0),
    ]  # fmt: skip


def test_the_index_that_is_built_anew_is_up_to_date(tmp_path: Path) -> None:
    stored = library(tmp_path)
    stored.add([page("https://a.example/", FERRY)])
    stored.close()
    as_an_earlier_version_made_it(tmp_path)
    stored = library(tmp_path)
    assert stored.rebuild(lambda _: None) == 1
    assert stored.outdated() == 0
    assert urls(stored, "ferry") == ["https://a.example/"]


def test_a_library_that_is_up_to_date_is_not_looked_through_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = library(tmp_path)
    stored.add([page("https://a.example/", FERRY)])
    assert urls(stored, "ferry") == ["https://a.example/"]
    stored.close()
    monkeypatch.setattr(module, "outdated", pytest.fail)
    stored = library(tmp_path)
    stored.add([page("https://b.example/", MILL)])
    assert urls(stored, "mill") == ["https://b.example/"]
    assert stored.outdated() == 0
