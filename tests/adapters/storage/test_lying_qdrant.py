"""A Qdrant server that lies costs the operation, in one sentence that names it: never the memory, the time or a crash."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.storage.directions import MODEL, direction, found
from adapters.storage.shelf import FERRY, beside_qdrant, page
from askance.adapters.library.qdrant_server import Bounds, JsonValues, connect
from askance.adapters.library.qdrant_vectors import LibraryBesideQdrant
from askance.domain.errors import StorageError
from sampled import sampled
from servers.loopback import serve
from servers.lying_qdrant import FLOODS, HARMLESS, LIES, lying, truthful

A = "https://a.example/"
SMALL = Bounds(most_bytes=400_000, most_values=20_000, limit_s=0.3)
# For servers of which nothing comes in time whatever the limit is: each operation waits for it.
HASTY = replace(SMALL, limit_s=0.1)
NEVER_IN_TIME = frozenset({"silence", "a drip", "a dripping head"})
# What the server of the test and the client's own objects take; a flood is 64 MiB at the least.
MOST_MEMORY = 16 * 1024 * 1024


def filled(url: str, folder: Path, bounds: Bounds = SMALL) -> LibraryBesideQdrant:
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
        stored = filled(before.url, tmp_path)
        assert await asyncio.to_thread(embed, stored) == 1
        await asyncio.to_thread(stored.close)
    async with serve(lying(lie, about_all=about_all)) as server:
        stored = filled(server.url, tmp_path, bounds)
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
        stored = filled(server.url, tmp_path)
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
        stored = filled(server.url, tmp_path)
        assert await asyncio.to_thread(embed, stored) == 1
        # It names three points; of two of them no passage has been embedded.
        assert await asyncio.to_thread(found, stored.vectors, "ferry") == [A]
        for operate in OPERATIONS.values():
            assert await asyncio.to_thread(problem_of, operate, stored) == ""
        await asyncio.to_thread(stored.close)


@pytest.mark.parametrize("cut", [1, 2, 3, 7, 1000])
def test_values_are_counted_without_a_parser_however_the_text_is_cut(cut: int) -> None:
    text = rb'{"a,[{": ["\\", "\"{,", "\\\"["], "b": {"c": 1, "d": []}}'
    counting, values = JsonValues(), 0
    for start in range(0, len(text), cut):
        values = counting.count(text[start : start + cut])
    assert values == 8
