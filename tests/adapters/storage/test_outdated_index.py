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
    kept = library(tmp_path)
    kept.add([page("https://a.example/", FERRY), page("https://b.example/", KATAKANA)])
    (gone,) = kept.add([page("https://c.example/", MILL)])
    kept.remove([gone.id])
    kept.close()
    as_an_earlier_version_made_it(tmp_path)
    kept = library(tmp_path)
    assert kept.outdated() == 2
    assert kept.check() == ("The index holds passages as an earlier version made them: 2.",)
    assert urls(kept, "ferry") == ["https://a.example/"]
    assert urls(kept, "フェリー") == ["https://b.example/"]
    assert kept.outdated() == 0
    assert kept.check() == ()
    assert kept.stats().passages == 2


def test_a_large_library_is_brought_up_to_date_search_by_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = library(tmp_path)
    kept.add([page(f"https://a.example/{n}", f"{FERRY} Boat {n}.") for n in range(5)])
    kept.close()
    as_an_earlier_version_made_it(tmp_path)
    monkeypatch.setattr(module, "_RENEWED_AT_ONCE", 2)
    kept = library(tmp_path)
    assert [(len(urls(kept, "ferry")), kept.outdated()) for _ in range(4)] == [
        (2, 3), (4, 1), (5, 0), (5, 0),
    ]  # fmt: skip


def test_the_index_that_is_built_anew_is_up_to_date(tmp_path: Path) -> None:
    kept = library(tmp_path)
    kept.add([page("https://a.example/", FERRY)])
    kept.close()
    as_an_earlier_version_made_it(tmp_path)
    kept = library(tmp_path)
    assert kept.rebuild(lambda _: None) == 1
    assert kept.outdated() == 0
    assert urls(kept, "ferry") == ["https://a.example/"]


def test_a_library_that_is_up_to_date_is_not_looked_through_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = library(tmp_path)
    kept.add([page("https://a.example/", FERRY)])
    assert urls(kept, "ferry") == ["https://a.example/"]
    kept.close()
    monkeypatch.setattr(module, "outdated", pytest.fail)
    kept = library(tmp_path)
    kept.add([page("https://b.example/", MILL)])
    assert urls(kept, "mill") == ["https://b.example/"]
    assert kept.outdated() == 0
