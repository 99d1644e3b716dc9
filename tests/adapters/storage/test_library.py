"""Documents in the library: kept once, in versions, moved, tagged, and deleted without a trace."""

from __future__ import annotations

import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest

from adapters.storage.shelf import (
    FERRY,
    MILL,
    NOW,
    bytes_of,
    library,
    page,
    urls,
)
from askance.domain.errors import StorageError
from askance.domain.library import (
    AddOutcome,
    Document,
    DocumentKind,
    Filters,
    Origin,
)


def test_identities_come_from_the_address_alone(tmp_path: Path) -> None:
    (here,) = library(tmp_path / "a").add([page("https://www.a.example/x/?utm_source=y", FERRY)])
    (there,) = library(tmp_path / "b").add([page("http://a.example/x", MILL)])
    assert here.id == there.id


def test_an_address_has_many_spellings(tmp_path: Path) -> None:
    stored = library(tmp_path)
    stored.add([page("https://a.example/x", FERRY)])
    (again,) = stored.add([page("http://www.a.example/x/#top", FERRY)])
    assert again.outcome is AddOutcome.UNCHANGED
    assert len(stored.documents()) == 1


def test_the_same_text_is_stored_once_and_found_under_each_address(tmp_path: Path) -> None:
    stored = library(tmp_path)
    (first,) = stored.add([page("https://a.example/", FERRY, "Boats")])
    stored.add([page("https://b.example/", FERRY, "Ships")])
    assert stored.stats().passages == 1
    assert stored.stats().documents == 2
    assert len(urls(stored, "ships")) == len(urls(stored, "boats")) == 1
    stored.remove([first.id])
    assert urls(stored, "ferry") == ["https://b.example/"]
    assert urls(stored, "boats") == urls(stored, "ships") == ["https://b.example/"]
    assert stored.check() == ()


def test_versions_go_when_their_time_is_over(tmp_path: Path) -> None:
    now = [NOW]
    stored = library(tmp_path, versions_days=30, clock=lambda: now[0])
    stored.add([page("https://a.example/", FERRY)])
    (changed,) = stored.add([page("https://a.example/", MILL)])
    now[0] += timedelta(days=29)
    assert stored.prune() == 0
    now[0] += timedelta(days=2)
    assert stored.prune() == 1
    assert stored.versions(changed.id) == ()
    stored.close()
    assert b"hesperay" not in bytes_of(tmp_path).lower()
    assert stored.check() == ()


def test_what_is_deleted_is_deleted_everywhere(tmp_path: Path) -> None:
    stored = library(tmp_path)
    (stored_on,) = stored.add([page("https://b.example/", MILL, "Mill")])
    (added,) = stored.add(
        [page("https://a.example/secretaddress", "Zanzibarquux sleeps.", "Qwertz")]
    )
    stored.add([page("https://a.example/secretaddress", "Zanzibarquux wakes.", "Qwertz", "hidden")])
    (tmp_path / "library.damaged-0.sqlite3").write_bytes(b"old")
    removed = stored.remove([added.id])
    assert (removed.documents, removed.passages, removed.versions) == (1, 1, 1)
    assert removed.copies == (tmp_path / "library.damaged-0.sqlite3",)
    assert urls(stored, "zanzibarquux") == urls(stored, "qwertz") == []
    assert stored.find(added.id) == ()
    stored.close()
    left = bytes_of(tmp_path).lower()
    for word in (b"zanzibarquux", b"qwertz", b"secretaddress", b"hidden"):
        assert word not in left
    assert [record.id for record in stored.documents()] == [stored_on.id]
    assert stored.check() == ()


def test_clearing_deletes_the_copies_too(tmp_path: Path) -> None:
    stored = library(tmp_path)
    stored.add([page("https://a.example/", FERRY), page("https://b.example/", MILL)])
    (tmp_path / "library.damaged-1.sqlite3").write_bytes(b"old")
    removed = stored.clear()
    assert (removed.documents, removed.copies) == (2, ())
    stored.close()
    assert [path.name for path in tmp_path.iterdir()] == ["library.sqlite3"]
    assert b"ferri" not in bytes_of(tmp_path)


def test_all_documents_of_one_call_are_kept_or_none(tmp_path: Path) -> None:
    stored = library(tmp_path)
    bad = Document("https://b.example/", "b", MILL, None)  # type: ignore[arg-type]
    with pytest.raises(sqlite3.IntegrityError):
        stored.add([page("https://a.example/", FERRY), bad])
    assert stored.documents() == ()
    assert stored.check() == ()


def test_the_index_is_built_anew_from_the_texts(tmp_path: Path) -> None:
    stored = library(tmp_path)
    stored.add([page("https://a.example/", FERRY, "Boats"), page("https://b.example/", MILL)])
    stored.database.write(lambda c: c.execute("DELETE FROM words WHERE rowid = 1"))
    assert len(stored.check()) == 2
    done: list[int] = []
    assert stored.rebuild(done.append) == sum(done) == 2
    assert stored.check() == ()
    assert urls(stored, "boats") == ["https://a.example/"]


def test_nothing_is_made_by_looking(tmp_path: Path) -> None:
    stored = library(tmp_path)
    assert (
        stored.search("ferry", 10) == stored.documents() == stored.find("x") == stored.check() == ()
    )
    assert stored.text("x") is None
    assert stored.stats().documents == stored.prune() == stored.rebuild(lambda _: None) == 0
    assert stored.remove(["x"]).documents == stored.clear().documents == 0
    assert list(tmp_path.iterdir()) == []


def test_a_newer_file_is_not_touched(tmp_path: Path) -> None:
    stored = library(tmp_path)
    stored.add([page("https://a.example/", FERRY)])
    stored.close()
    connection = sqlite3.connect(tmp_path / "library.sqlite3")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StorageError):
        stored.documents()


def test_a_damaged_index_is_put_together_anew(tmp_path: Path) -> None:
    stored = library(tmp_path)
    stored.add([page(f"https://a.example/{i}", f"{FERRY} {i}") for i in range(200)])
    stored.database.write(
        lambda c: c.execute("UPDATE words_data SET block = x'ff00ff' WHERE id > 10")
    )
    assert len(stored.search("ferry", 10)) == 10
    assert stored.check() == ()


def test_counts_are_told_by_origin_kind_and_tag(tmp_path: Path) -> None:
    stored = library(tmp_path)
    stored.add([
        page("https://a.example/", FERRY, "", "x", "y"),
        Document("file:///a.py", "a.py", "def ferry(): ...", Origin.FILE, DocumentKind.CODE, "python"),
    ])  # fmt: skip
    stats = stored.stats()
    assert stats.origins == {"file": 1, "web": 1}
    assert stats.kinds == {"code": 1, "page": 1}
    assert stats.tags == {"x": 1, "y": 1}
    assert stats.languages == {"en": 2}
    assert stats.bytes > 0
    (record,) = stored.documents(Filters(syntax="python"))
    assert record.url == "file:///a.py"
