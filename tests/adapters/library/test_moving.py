"""A library that is moved: whole, with its identities, and after it broke off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from qdrant_client import QdrantClient

from adapters.storage.shelf import FERRY, MILL, NOW, library, page
from askance.adapters.library.moving import Moved, delete_all, move, state_of, verify
from askance.adapters.library.qdrant.qdrant_library import QdrantLibrary
from askance.adapters.library.sqlite.sqlite_library import SqliteLibrary
from askance.domain.library import EVERY, Added, Document, Folder, Origin
from sampled import sampled


@pytest.fixture
def file(tmp_path: Path) -> Iterator[SqliteLibrary]:
    stored = library(tmp_path)
    yield stored
    stored.close()


@pytest.fixture
def server(tmp_path: Path, file: SqliteLibrary) -> Iterator[QdrantLibrary]:
    client = QdrantClient(":memory:")
    yield QdrantLibrary(client, "here", file, 90, is_local=True, clock=lambda: NOW)
    client.close()


def fill(stored: SqliteLibrary, count: int = 5) -> None:
    stored.book.store_folder(Folder("/notes"))
    stored.add(
        [page(f"https://a.example/{i}", f"{FERRY} Number {i}.", f"T{i}") for i in range(count)]
    )
    stored.add([page("https://a.example/1", MILL, "New", "old mill")])
    stored.add([Document("file:///a/x.md", "x", "Sheep graze.", Origin.FILE)])
    stored.add(
        [Document("file:///b.md", "x", "Sheep graze.", Origin.FILE, moved_from="file:///a/x.md")]
    )


def everything(stored: SqliteLibrary | QdrantLibrary) -> list[object]:
    return [
        (record, text, [(v.content_hash, v.title) for v in stored.versions(record.id)])
        for record, text in stored.every()
    ]


def test_all_is_there_and_back_again(file: SqliteLibrary, server: QdrantLibrary) -> None:
    fill(file)
    before = everything(file)
    done: list[int] = []
    moved = move(file, server, done.append)
    verify(file, server, moved, lambda _: None)
    assert (moved.documents, moved.versions, moved.there, moved.verified) == (6, 1, 0, 6)
    assert (sum(done), moved.wrong) == (6, [])
    assert everything(server) == before
    assert server.check() == ()
    assert delete_all(file, file.remove) == 6
    assert file.documents() == ()
    assert file.book.folders() == (Folder("/notes"),)
    back = move(server, file, lambda _: None)
    verify(server, file, back, lambda _: None)
    assert (back.verified, back.wrong) == (6, [])
    assert delete_all(server, server.remove_from_server) == 6
    assert server.documents() == ()
    assert everything(file) == before


class Killed(Exception):
    pass


@pytest.mark.parametrize("calls", sampled(range(4), every=3))
def test_one_that_broke_off_goes_on(
    file: SqliteLibrary, server: QdrantLibrary, monkeypatch: pytest.MonkeyPatch, calls: int
) -> None:
    # Three groups, as 150 documents are of those that are moved at once.
    monkeypatch.setattr("askance.adapters.library.moving._AT_ONCE", 16)
    fill(file, 38)
    left, really = [calls], server.add

    def breaking(documents: Sequence[Document]) -> tuple[Added, ...]:
        if not left[0]:
            raise Killed
        left[0] -= 1
        return really(documents)

    with monkeypatch.context() as patched:
        patched.setattr(server, "add", breaking)
        with pytest.raises(Killed):
            move(file, server, lambda _: None)
    there = server.stats().documents
    moved = move(file, server, lambda _: None)
    verify(file, server, moved, lambda _: None)
    # The beginning of one that has an earlier text is there, and is taken up again.
    assert moved.there in {there, there - 1}
    assert (moved.verified, moved.wrong) == (39, [])
    assert everything(server) == everything(file)


def test_what_changed_there_meanwhile_stays(file: SqliteLibrary, server: QdrantLibrary) -> None:
    file.add([page("https://a.example/", FERRY)])
    move(file, server, lambda _: None)
    later = "2026-06-02T12:00:00.000+00:00"
    server.add([Document("https://a.example/", "", MILL, Origin.WEB, fetched_at=later)])
    moved = move(file, server, lambda _: None)
    verify(file, server, moved, lambda _: None)
    assert (moved.there, moved.verified) == (1, 1)
    assert [text for _, text in server.every()] == [MILL]


def test_what_is_not_there_as_it_should_be_is_named(
    file: SqliteLibrary, server: QdrantLibrary
) -> None:
    fill(file)
    moved = move(file, server, lambda _: None)
    (record,) = server.find("https://a.example/3")
    server.remove_from_server([record.id])
    verify(file, server, moved, lambda _: None)
    assert (moved.verified, moved.wrong) == (5, ["https://a.example/3"])


def test_a_library_says_whether_anything_came(file: SqliteLibrary) -> None:
    before = state_of(file)
    file.add([page("https://a.example/", FERRY)])
    assert state_of(file) != before
    assert state_of(file) == state_of(file)
    assert file.documents(EVERY, 1)
    assert Moved().wrong == []
