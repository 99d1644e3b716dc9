"""Passages on a Qdrant server whose stems an earlier version made: searches bring them up to date."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from qdrant_client import QdrantClient, models

from adapters.storage.shelf import FERRY, MILL, NOW, library, page
from askance.adapters.qdrant import library as module
from askance.adapters.qdrant.library import PASSAGES, QdrantLibrary
from askance.adapters.qdrant.points import VERSION_FIELD, stem_number
from askance.adapters.qdrant.server import WORDS, QdrantServer, connect, every
from askance.adapters.storage.library_tables import INDEX_VERSION
from askance.domain.library import Document
from servers.qdrant import KEY, serve_qdrant

KATAKANA = "ﾌｪﾘｰは九時に出る。"
_NO_TERM = models.SparseVector(indices=[stem_number("old")], values=[1.0])


@pytest.fixture(params=["memory", "http"])
def client(request: pytest.FixtureRequest) -> Iterator[QdrantClient]:
    if request.param == "memory":
        made = QdrantClient(":memory:")
        yield made
        made.close()
        return
    with serve_qdrant() as url:
        made = connect(url, KEY)
        yield made
        made.close()


def opened(client: QdrantClient, folder: Path) -> QdrantLibrary:
    """Return the library as a new process opens it."""
    return QdrantLibrary(client, "here", library(folder), 30, is_local=True, clock=lambda: NOW)


def filled(client: QdrantClient, folder: Path, *pages: Document) -> QdrantLibrary:
    """Return a library with pages, all of them found by no word that is in them, and of an earlier version."""
    opened(client, folder).add(pages)
    made_of_version(client, INDEX_VERSION - 1)
    return opened(client, folder)


def made_of_version(client: QdrantClient, version: int) -> None:
    points, _ = client.scroll(PASSAGES, limit=1_000)
    client.update_vectors(
        PASSAGES, [models.PointVectors(id=one.id, vector={WORDS: _NO_TERM}) for one in points]
    )
    client.set_payload(PASSAGES, {VERSION_FIELD: version}, points=every())


def urls(stored: QdrantLibrary, words: str) -> list[str]:
    return [hit.url for hit in stored.search(words, 10)]


def test_the_first_search_finds_words_by_their_present_stems(
    client: QdrantClient, tmp_path: Path
) -> None:
    stored = filled(
        client, tmp_path, page("https://a.example/", FERRY), page("https://b.example/", KATAKANA)
    )
    assert stored.outdated() == 2
    assert stored.check() == ("The index holds passages as an earlier version made them: 2.",)
    assert urls(stored, "ferry") == ["https://a.example/"]
    assert urls(stored, "フェリー") == ["https://b.example/"]
    assert stored.outdated() == 0
    assert stored.check() == ()


def test_passages_that_do_not_name_their_version_are_of_the_first(tmp_path: Path) -> None:
    client = QdrantClient(":memory:")
    stored = filled(client, tmp_path, page("https://a.example/", FERRY))
    client.delete_payload(PASSAGES, [VERSION_FIELD], points=every())
    assert stored.outdated() == 1
    assert urls(stored, "ferry") == ["https://a.example/"]
    assert stored.outdated() == 0
    client.close()


def test_passages_of_a_later_version_stay_as_they_are(client: QdrantClient, tmp_path: Path) -> None:
    opened(client, tmp_path).add([page("https://a.example/", FERRY)])
    made_of_version(client, INDEX_VERSION + 1)
    stored = opened(client, tmp_path)
    assert stored.outdated() == 0
    assert urls(stored, "ferry") == []


def test_a_large_library_is_brought_up_to_date_search_by_search(
    client: QdrantClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = (page(f"https://a.example/{n}", f"{FERRY} Boat {n}.") for n in range(5))
    stored = filled(client, tmp_path, *pages)
    monkeypatch.setattr(module, "_RENEWED_AT_ONCE", 2)
    assert [(len(urls(stored, "ferry")), stored.outdated()) for _ in range(4)] == [
        (2, 3), (4, 1), (5, 0), (5, 0),
    ]  # fmt: skip


def test_stems_are_those_of_a_new_index(client: QdrantClient, tmp_path: Path) -> None:
    text = "# Timetable\n\n" + f"{FERRY} {MILL}\n\n" * 40
    given = page("https://a.example/", text, "Crossings", "boats")
    opened(client, tmp_path).add([given])
    before = [vector.vector for vector in client.scroll(PASSAGES, limit=99, with_vectors=True)[0]]
    made_of_version(client, INDEX_VERSION - 1)
    urls(opened(client, tmp_path), "ferry")
    after = [vector.vector for vector in client.scroll(PASSAGES, limit=99, with_vectors=True)[0]]
    assert len(after) > 1
    assert after == before


def test_the_index_that_is_built_anew_is_up_to_date(client: QdrantClient, tmp_path: Path) -> None:
    stored = filled(client, tmp_path, page("https://a.example/", FERRY))
    assert stored.rebuild(lambda _: None) == 1
    assert stored.outdated() == 0
    assert urls(stored, "ferry") == ["https://a.example/"]


def test_what_another_machine_changes_meanwhile_is_found_by_what_it_says_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = QdrantClient(":memory:")
    stored = filled(client, tmp_path, page("https://a.example/", FERRY))
    really: Callable[..., None] = QdrantServer.put_stems

    def put_late(server: QdrantServer, *arguments: object) -> None:
        monkeypatch.undo()
        opened(client, tmp_path).add([page("https://a.example/", MILL)])
        really(server, *arguments)

    monkeypatch.setattr(QdrantServer, "put_stems", put_late)
    assert urls(stored, "mill") == ["https://a.example/"]
    assert urls(stored, "ferry") == []
    client.close()


def test_a_library_that_is_up_to_date_is_not_looked_through_again(
    client: QdrantClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = opened(client, tmp_path)
    stored.add([page("https://a.example/", FERRY)])
    assert urls(stored, "ferry") == ["https://a.example/"]
    monkeypatch.setattr(module, "renew", pytest.fail)
    assert urls(stored, "ferry") == ["https://a.example/"]
