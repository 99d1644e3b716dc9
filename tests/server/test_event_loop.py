"""The event loop of the server waits for no file: what is locked holds up only those who need it."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from askance.adapters.storage import clients as stored_clients
from askance.domain.ports.storage import Capability
from server.daemons import running
from server.requests_at import BODY, head, replied, status
from waiting import patience


@contextmanager
def write_lock(file: Path) -> Generator[sqlite3.Connection]:
    """Hold the lock for writing that another process would hold."""
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other


@pytest.fixture(autouse=True)
def waits_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits for the file does so until the lock is given back."""
    monkeypatch.setattr(stored_clients, "BUSY_TIMEOUT_S", 5.0)


async def test_others_are_served_while_a_newcomer_waits_for_a_locked_file(tmp_path: Path) -> None:
    async with running(tmp_path, http=True) as run:
        old = await run.program("old")
        assert await old.said_to("first") == "first"
        assert status(await replied(run, head(run, "/v1/echo") + BODY)) == 200
        with write_lock(tmp_path / "clients.sqlite3") as other:
            newcomers = [await run.program(f"newcomer {n}") for n in range(5)]
            for newcomer in newcomers:
                newcomer.call("echo", text="late")
            for n in range(10):
                assert await old.said_to(f"{n}", n) == f"{n}"
                assert status(await replied(run, head(run, "/v1/echo") + BODY)) == 200
            assert not any(name.startswith("newcomer") for name in run.tools.begun)
            other.execute("ROLLBACK")
            for newcomer in newcomers:
                assert "result" in await newcomer.heard()
        for program in (old, *newcomers):
            await program.close()


async def test_lookups_do_not_wait_behind_what_cannot_be_written(tmp_path: Path) -> None:
    async with running(tmp_path, http=True) as run:
        old = await run.program("old")
        assert await old.said_to("first") == "first"
        assert status(await replied(run, head(run, "/v1/echo") + BODY)) == 200
        with write_lock(tmp_path / "clients.sqlite3") as other:
            loop = asyncio.get_running_loop()
            allowing = loop.run_in_executor(None, run.book.allow, "old", {Capability.READ})
            for n in range(10):
                assert await old.said_to(f"{n}", n) == f"{n}"
                assert status(await replied(run, head(run, "/v1/echo") + BODY)) == 200
            assert not allowing.done()
            other.execute("ROLLBACK")
        async with patience():
            await allowing
        await old.close()


async def test_a_token_that_is_revoked_opens_nothing_from_the_next_request_on(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, http=True) as run:
        token = await asyncio.to_thread(run.book.make_token, "editor")
        shown = head(run, "/v1/echo", authorization=f"Bearer {token}") + BODY
        assert status(await replied(run, shown)) == 200
        await asyncio.to_thread(run.book.forget, "editor")
        assert status(await replied(run, shown)) == 401


async def test_the_settings_are_looked_at_beside_the_loop(tmp_path: Path) -> None:
    looked_in: set[int] = set()
    is_over = asyncio.Event()
    loop = asyncio.get_running_loop()

    def is_outdated() -> bool:
        looked_in.add(threading.get_ident())
        loop.call_soon_threadsafe(is_over.set)
        return False

    async with running(tmp_path, stays=False, is_outdated=is_outdated), patience():
        await is_over.wait()
    assert threading.get_ident() not in looked_in
