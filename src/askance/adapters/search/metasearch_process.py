"""One query in a child process: a thread that waits for an engine could not be stopped."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from askance.adapters.system.program import NO_WINDOW, child_command

_LONGEST_LINE = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of a query: one row an engine, as the worker wrote it.

    `ended` says how it ended: every engine was heard, the time was up, or the process was gone
    before that.
    """

    rows: tuple[dict[str, Any], ...]
    ended: str


WHOLE, OUT_OF_TIME, GONE = "whole", "out of time", "gone"


async def hear(
    request: Mapping[str, Any],
    *,
    limit_s: float,
    stragglers_s: float,
    before_sending: Callable[[], None],
) -> Heard:
    """Ask the engines of a request in a process of its own, which is gone when this returns.

    Once an engine has brought results, the others get as long again as it took, and at least
    `stragglers_s`; all of them together get `limit_s`. Cancelling ends the process.
    """
    async with asyncio.TaskGroup() as group:
        # Starting and ending go on when this is cancelled: asyncio leaves a process lying about
        # that was abandoned half-way through either.
        starting = group.create_task(_started())
        try:
            child = await asyncio.shield(starting)
            if isinstance(child, OSError):
                return Heard((), GONE)
            before_sending()
            return await _rows(child, request, limit_s, stragglers_s)
        finally:
            ending = group.create_task(_end(starting))
            try:
                await asyncio.shield(ending)
            except asyncio.CancelledError:
                await ending
                raise


async def _started() -> asyncio.subprocess.Process | OSError:
    # A proxy in the environment would be taken where the settings name none.
    environment = {
        name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")
    }
    # glibc sets address space aside for each thread that asks for memory, against the limit.
    environment["MALLOC_ARENA_MAX"] = "2"
    try:
        return await asyncio.create_subprocess_exec(
            *child_command("askance.adapters.search.metasearch_worker"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=environment,
            limit=_LONGEST_LINE,
            # Ctrl-C in the terminal is for the parent, which then ends its child.
            start_new_session=True,
            creationflags=NO_WINDOW,
        )
    except OSError as exc:
        return exc


async def _rows(
    child: asyncio.subprocess.Process,
    request: Mapping[str, Any],
    limit_s: float,
    stragglers_s: float,
) -> Heard:
    assert child.stdin is not None
    assert child.stdout is not None
    loop = asyncio.get_running_loop()
    began, rows, fruitful = loop.time(), list[dict[str, Any]](), False
    try:
        async with asyncio.timeout(limit_s) as limit:
            # By the pipe, and not as an argument: anyone on the machine can read those, and a
            # proxy's address may hold a password.
            child.stdin.write(json.dumps(request).encode() + b"\n")
            await child.stdin.drain()
            while len(rows) < len(request["engines"]):
                if (row := _row(await child.stdout.readline())) is None:
                    return Heard(tuple(rows), GONE)
                rows.append(row)
                if row.get("results") and not fruitful:
                    fruitful = True
                    patience_s = max(stragglers_s, loop.time() - began)
                    limit.reschedule(min(began + limit_s, loop.time() + patience_s))
    except TimeoutError:
        return Heard(tuple(rows), OUT_OF_TIME)
    except (ConnectionError, ValueError):  # a closed pipe; a line without end, or not JSON
        return Heard(tuple(rows), GONE)
    return Heard(tuple(rows), WHOLE)


def _row(line: bytes) -> dict[str, Any] | None:
    if not line:
        return None
    row: Any = json.loads(line)
    match row:
        case {"engine": str()}:
            return cast("dict[str, Any]", row)
        case _:
            raise ValueError("not a row")


async def _end(starting: asyncio.Task[asyncio.subprocess.Process | OSError]) -> None:
    child = await starting
    if isinstance(child, OSError):
        return
    if child.returncode is None:
        _kill(child)
    if child.stdin is not None:
        child.stdin.close()
    await child.wait()


def _kill(child: asyncio.subprocess.Process) -> None:
    if sys.platform == "win32":
        child.kill()
        return
    # `child.kill` would look whether the process has ended, and take its status from asyncio.
    with suppress(ProcessLookupError):
        os.kill(child.pid, signal.SIGKILL)
