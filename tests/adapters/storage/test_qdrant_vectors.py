"""What is Qdrant's own of vectors: what lies there, breaks in the middle, failures, and the ledger."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from qdrant_client import QdrantClient

from adapters.storage.shelf import (
    FERRY,
    MILL,
    MODEL,
    OTHER,
    beside_qdrant,
    direction,
    embed_all,
    found,
    library,
    page,
)
from askance.adapters.library import qdrant_vectors
from askance.adapters.library.library_tables import content_hash
from askance.adapters.library.library_vectors import SqliteVectors
from askance.adapters.library.qdrant_vectors import (
    Bounds,
    LibraryBesideQdrant,
    connect,
    point_of,
)
from askance.adapters.storage.ledger import EACH_S, RemoteLibraryAudit, SqliteLedger
from askance.domain.errors import StorageError
from askance.domain.library import Filters
from sampled import sampled
from servers.loopback import serve
from servers.lying_qdrant import FLOODS, HARMLESS, LIES, lying, truthful
from servers.qdrant import KEY, Life, serve_qdrant

A, B = "https://a.example/", "https://b.example/"
SHEEP = "Sheep graze above the village."
LONG_AGO = datetime(1990, 1, 1, tzinfo=UTC)


@pytest.fixture
def memory() -> Iterator[QdrantClient]:
    made = QdrantClient(":memory:")
    yield made
    made.close()


@pytest.fixture
def url(memory: QdrantClient) -> Iterator[str]:
    with serve_qdrant(memory=memory) as address:
        yield address


def filled(
    url: str, folder: Path, leaving: RemoteLibraryAudit | None = None
) -> LibraryBesideQdrant:
    stored = beside_qdrant(connect(url, KEY), url, folder, leaving)
    stored.add([page(A, FERRY, "Kelhaven"), page(B, SHEEP)])
    return stored


def points_in(memory: QdrantClient) -> list[str]:
    names = [collection.name for collection in memory.get_collections().collections]
    return sorted(str(point.id) for name in names for point in memory.scroll(name, limit=99)[0])


def test_a_point_has_a_number_of_its_own_and_nothing_beside_its_vector(
    memory: QdrantClient, url: str, tmp_path: Path
) -> None:
    stored = filled(url, tmp_path)
    embed_all(stored.vectors)
    embed_all(stored.vectors, OTHER)
    first, second = memory.get_collections().collections
    for collection in (first, second):
        points, _ = memory.scroll(collection.name)
        assert [point.payload for point in points] == [{}, {}]
        assert {point.id for point in points} == {
            point_of(content_hash(text), 0) for text in (FERRY, SHEEP)
        }
    stored.close()


def test_libraries_that_share_a_server_do_not_share_vectors(
    memory: QdrantClient, url: str, tmp_path: Path
) -> None:
    one, other = filled(url, tmp_path / "one"), filled(url, tmp_path / "other")
    embed_all(one.vectors)
    embed_all(other.vectors)
    one.clear()
    assert found(one.vectors, "sheep graze") == []
    assert found(other.vectors, "sheep graze")[0] == B
    assert len(points_in(memory)) == 2
    one.close()
    other.close()


def test_what_is_changed_or_deleted_is_deleted_on_the_server(
    memory: QdrantClient, url: str, tmp_path: Path
) -> None:
    stored = filled(url, tmp_path)
    embed_all(stored.vectors)
    stored.add([page(A, MILL)])
    embed_all(stored.vectors)
    texts = [MILL, SHEEP]
    assert points_in(memory) == sorted(point_of(content_hash(text), 0) for text in texts)
    stored.remove([stored.find(A)[0].id])
    assert points_in(memory) == [point_of(content_hash(SHEEP), 0)]
    stored.close()


def test_what_a_server_that_is_away_does_not_delete_goes_with_the_next_change(
    memory: QdrantClient, tmp_path: Path
) -> None:
    life, reported = Life(), list[str]()
    with serve_qdrant(life, memory) as url:
        stored = beside_qdrant(connect(url, KEY), url, tmp_path, on_error=reported.append)
        stored.add([page(A, FERRY), page(B, SHEEP)])
        embed_all(stored.vectors)
        life.writes = -1
        assert stored.remove([stored.find(A)[0].id]).vectors == 1
        assert len(reported) == 1
        assert len(points_in(memory)) == 2
        life.writes = None
        stored.add([page("https://c.example/", MILL)])
        embed_all(stored.vectors)
        assert len(points_in(memory)) == 2
        assert found(stored.vectors, FERRY, least=0.9) == []
        stored.close()


@pytest.mark.parametrize("writes", [0, 1])
@pytest.mark.parametrize("does_last", [False, True])
def test_what_a_killed_server_left_half_done_waits_and_is_done_the_next_time(
    memory: QdrantClient, tmp_path: Path, writes: int, does_last: bool
) -> None:
    life = Life()
    with serve_qdrant(life, memory) as url:
        stored = filled(url, tmp_path)
        life.writes, life.does_last = writes, does_last
        with pytest.raises(StorageError):
            embed_all(stored.vectors)
        assert stored.vectors.counted(MODEL) == (0, 2)
        life.writes = None
        assert embed_all(stored.vectors) == 2
        assert len(points_in(memory)) == 2
        assert found(stored.vectors, "sheep graze")[0] == B
        stored.close()


def test_a_passage_that_goes_while_its_vector_is_sent_leaves_nothing(
    memory: QdrantClient, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored, other = filled(url, tmp_path), library(tmp_path)
    waiting = stored.vectors.unembedded(MODEL, 9)
    really = memory.upsert

    def upsert(*arguments: object, **named: object) -> object:
        other.remove([other.find(B)[0].id])
        return really(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(memory, "upsert", upsert)
    assert stored.vectors.store(MODEL, [(p, direction(p.text)) for p in waiting]) == 1
    stored.vectors.delete_gone()
    assert points_in(memory) == [point_of(content_hash(FERRY), 0)]
    stored.close()


def test_a_narrow_filter_finds_what_is_not_among_the_nearest(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(qdrant_vectors, "CANDIDATES", 3)
    stored = filled(url, tmp_path)
    stored.add([page(f"https://m.example/{n}", f"ferry morning {n}") for n in range(9)])
    stored.tag(stored.find(B)[0].id, ["wool"], [])
    embed_all(stored.vectors)
    assert found(stored.vectors, "ferry morning sheep", filters=Filters(tags=("wool",))) == [B]
    stored.close()


def test_vectors_in_the_file_are_not_taken_for_those_on_the_server(
    url: str, tmp_path: Path
) -> None:
    local = library(tmp_path)
    local.add([page(A, FERRY)])
    in_file = SqliteVectors(local)
    embed_all(in_file)
    stored = beside_qdrant(connect(url, KEY), url, tmp_path)
    assert stored.vectors.counted(MODEL) == (0, 1)
    assert stored.vectors.identities() == (MODEL.key,)
    embed_all(stored.vectors)
    assert found(stored.vectors, "ferry") == found(in_file, "ferry") == [A]
    assert stored.vectors.forget_others(MODEL) == 1
    assert stored.vectors.counted(MODEL) == (1, 1)
    assert in_file.counted(MODEL) == (0, 1)
    stored.close()


def test_a_server_that_is_not_there_costs_the_meaning_and_not_the_words(tmp_path: Path) -> None:
    url = "http://127.0.0.1:1"
    stored = filled(url, tmp_path)
    assert [hit.url for hit in stored.search("sheep", 5)] == [B]
    with pytest.raises(StorageError) as caught:
        embed_all(stored.vectors)
    assert url in str(caught.value)
    assert "library.qdrant_url" in caught.value.fix
    stored.close()


def test_a_key_that_is_refused_is_reported_and_not_shown(url: str, tmp_path: Path) -> None:
    stored = beside_qdrant(connect(url, "secretive"), url, tmp_path)
    stored.add([page(A, FERRY)])
    with pytest.raises(StorageError) as caught:
        embed_all(stored.vectors)
    stored.close()
    assert "library.qdrant_key" in caught.value.fix
    assert "secretive" not in f"{caught.value} {caught.value.__cause__}"


def test_what_goes_to_another_machine_is_entered_before_it_goes(url: str, tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.sqlite3", 30, pytest.fail)
    now = [0.0]
    audit = RemoteLibraryAudit(ledger, "box.example:6333", clock=lambda: now[0])
    stored = filled(url, tmp_path, audit)
    embed_all(stored.vectors)
    found(stored.vectors, "boats of the north")
    entries = ledger.entries(LONG_AGO)
    contents = [entry.content for entry in entries]
    assert "boats of the north" in contents
    (collection,) = {text.partition(":")[0] for text in contents if ": " in text}
    assert {f"{collection}: {what}" for what in ("2", "read", "write")} < set(contents)
    assert {(e.to, e.sending, e.through, e.occasion) for e in entries} == {
        ("box.example:6333", "library", "this program", "library")
    }
    assert len(contents) == len(set(contents))
    now[0] = EACH_S
    found(stored.vectors, "boats of the south")
    again = [entry.content for entry in ledger.entries(LONG_AGO)]
    assert again.count(f"{collection}: read") == 2
    stored.close()


def test_nothing_goes_to_another_machine_that_the_ledger_cannot_take(
    memory: QdrantClient, url: str, tmp_path: Path
) -> None:
    file = tmp_path / "ledger.sqlite3"
    file.mkdir()
    ledger = SqliteLedger(file, 30, lambda _: None)
    stored = filled(url, tmp_path / "library", RemoteLibraryAudit(ledger, "box.example"))
    with pytest.raises(StorageError, match="ledger"):
        embed_all(stored.vectors)
    assert points_in(memory) == []
    stored.close()


SMALL = Bounds(most_bytes=100_000, limit_s=0.3)
# For servers of which nothing comes in time whatever the limit is: each operation waits for it.
HASTY = replace(SMALL, limit_s=0.1)
NEVER_IN_TIME = frozenset({"silence", "a drip", "a dripping head"})
# What the server of the test and the client's own objects take; a flood is 64 MiB at the least.
MOST_MEMORY = 16 * 1024 * 1024


def lied_to(url: str, folder: Path, bounds: Bounds = SMALL) -> LibraryBesideQdrant:
    """Return a library with a passage that has a vector on a server at an address."""
    stored = beside_qdrant(connect(url, "", bounds), url, folder, on_error=lambda _: None)
    stored.add([page(A, FERRY)])
    return stored


def embed(stored: LibraryBesideQdrant) -> int:
    (waiting,) = stored.vectors.unembedded(MODEL, 9)
    return stored.vectors.store(MODEL, [(waiting, direction(FERRY))])


OPERATIONS: dict[str, Callable[[LibraryBesideQdrant], object]] = {
    "search": lambda stored: found(stored.vectors, "ferry"),
    "embed": lambda stored: (stored.add([page("https://b.example/", "Sheep.")]), embed(stored)),
    "delete": lambda stored: (
        stored.remove([stored.find(A)[0].id]),
        stored.vectors.delete_gone(),
    ),
}


def problem_of(
    operate: Callable[[LibraryBesideQdrant], object], stored: LibraryBesideQdrant
) -> str:
    """Return the problem of an operation that failed, "" of one that did not."""
    try:
        operate(stored)
    except StorageError as exc:
        return str(exc.problem)
    return ""


@pytest.mark.parametrize("about_all", [True, False], ids=["in all", "in part"])
@pytest.mark.parametrize("lie", sampled(LIES, every=3))
async def test_a_lie_ends_each_operation_in_one_sentence(
    tmp_path: Path, lie: str, about_all: bool
) -> None:
    bounds = HASTY if lie in NEVER_IN_TIME else SMALL
    async with serve(truthful) as before:
        stored = lied_to(before.url, tmp_path)
        assert await asyncio.to_thread(embed, stored) == 1
        await asyncio.to_thread(stored.close)
    async with serve(lying(lie, about_all=about_all)) as server:
        stored = lied_to(server.url, tmp_path, bounds)
        reported = [
            await asyncio.to_thread(problem_of, operate, stored) for operate in OPERATIONS.values()
        ]
        await asyncio.to_thread(stored.close)
        assert len(server.requests) < 20
    assert all(server.url in text for text in reported if text)
    assert any(reported) or lie in HARMLESS


@pytest.mark.parametrize("lie", FLOODS)
async def test_a_flood_takes_no_more_memory_than_a_reply_may_have(tmp_path: Path, lie: str) -> None:
    async with serve(lying(lie, about_all=True)) as server:
        stored = lied_to(server.url, tmp_path)
        tracemalloc.start()
        try:
            assert server.url in await asyncio.to_thread(problem_of, embed, stored)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        await asyncio.to_thread(stored.close)
    assert peak < MOST_MEMORY


async def test_a_server_that_does_not_lie_is_believed_of_what_the_library_has(
    tmp_path: Path,
) -> None:
    async with serve(truthful) as server:
        stored = lied_to(server.url, tmp_path)
        assert await asyncio.to_thread(embed, stored) == 1
        # It names three points; of two of them no passage has been embedded.
        assert await asyncio.to_thread(found, stored.vectors, "ferry") == [A]
        for operate in OPERATIONS.values():
            assert await asyncio.to_thread(problem_of, operate, stored) == ""
        await asyncio.to_thread(stored.close)
