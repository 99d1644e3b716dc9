"""Child processes: whether one is there, and what they leave behind where all who wait for them are cancelled."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from waiting import patience


def children() -> set[int]:
    """The child processes of this one, dead ones that nobody has waited for among them."""
    if not Path("/proc/self").exists():
        pytest.skip("this system does not list its processes in /proc: run it on Linux")
    found: set[int] = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            found.add(int(stat.parent.name))
    return found


def is_there(pid: int) -> bool:
    """Whether a process exists, a zombie included."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def open_transports() -> set[asyncio.BaseTransport]:
    """Those of child processes and of the pipes to them that are not closed."""
    return {
        thing
        for thing in gc.get_objects()
        if issubclass(type(thing), asyncio.BaseTransport) and _is_open(thing)
    }


def _is_open(transport: Any) -> bool:
    if isinstance(transport, asyncio.SubprocessTransport):
        return not transport.is_closing()
    return getattr(transport, "_pipe", None) is not None


@contextmanager
def nothing_left_behind() -> Generator[None]:
    """Fail where there is a child or an open transport at the end that was not there before."""
    processes, transports = children(), open_transports()
    yield
    assert children() <= processes
    assert open_transports() <= transports


async def cancelled_over_and_over(task: asyncio.Task[Any]) -> None:
    """Cancel all tasks but this one in each turn of the loop, until a task has ended."""
    async with patience():
        while not task.done():
            for other in asyncio.all_tasks() - {asyncio.current_task()}:
                # asyncio's own, without which it never hears that a process has ended.
                if "_connect_pipes" not in repr(other.get_coro()):
                    other.cancel()
            await asyncio.sleep(0)


async def begun_and_cancelled(work: Coroutine[Any, Any, Any], *, turns: int) -> None:
    """Let a piece of work begin, for so many turns of the loop, and cancel it over and over."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(work)
        for _ in range(turns):
            await asyncio.sleep(0)
        await cancelled_over_and_over(task)
