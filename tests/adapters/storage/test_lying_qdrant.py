"""A Qdrant server that lies costs the operation, in one sentence that names it: never the memory, the time or a crash."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.storage.shelf import FERRY, library, page
from askance.adapters.library.qdrant import qdrant_server
from askance.adapters.library.qdrant.qdrant_library import QdrantLibrary
from askance.adapters.library.qdrant.qdrant_server import connect
from askance.adapters.library.qdrant.transport import Bounds, JsonValues
from askance.domain.errors import StorageError
from sampled import sampled
from servers.loopback import serve
from servers.lying_qdrant import FLOODS, HARMLESS, LIES, lying, truthful

SMALL = Bounds(most_bytes=400_000, most_values=20_000, limit_s=0.3)
# For servers of which nothing comes in time whatever the limit is: each operation waits for it.
HASTY = replace(SMALL, limit_s=0.1)
NEVER_IN_TIME = frozenset({"silence", "a drip", "a dripping head"})
# What the server of the test and the client's own objects take; a flood is 64 MiB at the least.
MOST_MEMORY = 16 * 1024 * 1024

OPERATIONS: dict[str, Callable[[QdrantLibrary], object]] = {
    "search": lambda stored: stored.search("ferry", 5),
    "add": lambda stored: stored.add([page("https://a.example/", FERRY)]),
    "export": lambda stored: sum(1 for _ in stored.every()),
    "documents": lambda stored: stored.documents(limit=20),
    "check": lambda stored: stored.check(),
}


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(qdrant_server, "_PATIENCE_S", 0.5)
    monkeypatch.setattr(qdrant_server, "_REQUEST_S", 0.02)
    monkeypatch.setattr(qdrant_server, "_POINT_S", 0.0)
    monkeypatch.setattr(qdrant_server, "_MORE_POINTS", 500)


def told_by(operate: Callable[[QdrantLibrary], object], stored: QdrantLibrary) -> str:
    """Return what is said of an operation that failed, "" of one that did not."""
    try:
        operate(stored)
    except StorageError as exc:
        return str(exc.problem)
    return ""


@pytest.mark.parametrize("about_all", [True, False], ids=["in all", "in part"])
@pytest.mark.parametrize("lie", sampled(LIES, every=3))
async def test_a_lie_ends_each_operation_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lie: str, about_all: bool
) -> None:
    if lie == "a slow scroll":
        monkeypatch.setattr(qdrant_server, "_PATIENCE_S", 0.3)
    local, reported = library(tmp_path), list[str]()
    bounds = HASTY if lie in NEVER_IN_TIME else SMALL
    async with serve(lying(lie, about_all=about_all)) as server:
        client = connect(server.url, "", bounds)
        for operate in OPERATIONS.values():
            stored = QdrantLibrary(client, server.url, local, 30)
            reported.append(await asyncio.to_thread(told_by, operate, stored))
        await asyncio.to_thread(client.close)
        assert len(server.requests) < 100
    assert all(server.url in text for text in reported if text)
    assert any(reported) or lie in HARMLESS


@pytest.mark.parametrize("lie", FLOODS)
async def test_a_flood_takes_no_more_memory_than_a_reply_may_have(tmp_path: Path, lie: str) -> None:
    local = library(tmp_path)
    async with serve(lying(lie, about_all=True)) as server:
        stored = QdrantLibrary(connect(server.url, "", SMALL), server.url, local, 30)
        tracemalloc.start()
        try:
            assert server.url in await asyncio.to_thread(told_by, OPERATIONS["search"], stored)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        await asyncio.to_thread(stored.server.close)
    assert peak < MOST_MEMORY


async def test_a_server_that_does_not_lie_is_believed(tmp_path: Path) -> None:
    async with serve(truthful) as server:
        stored = QdrantLibrary(connect(server.url, "", SMALL), server.url, library(tmp_path), 30)
        for operate in OPERATIONS.values():
            assert await asyncio.to_thread(told_by, operate, stored) == ""
        found = await asyncio.to_thread(stored.search, "ferry", 5)
        assert len(found) == 1  # the three have one text
        await asyncio.to_thread(stored.server.close)


@pytest.mark.parametrize("cut", [1, 2, 3, 7, 1000])
def test_values_are_counted_without_a_parser_however_the_text_is_cut(cut: int) -> None:
    text = rb'{"a,[{": ["\\", "\"{,", "\\\"["], "b": {"c": 1, "d": []}}'
    counting, values = JsonValues(), 0
    for start in range(0, len(text), cut):
        values = counting.count(text[start : start + cut])
    assert values == 8
