"""Child processes that are started whole and ended whole, however often those who wait are cancelled.

asyncio leaves a process lying about, and its pipes open, where either was broken off half-way.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import Process
from contextlib import suppress
from typing import Any, TypeVar, cast

_T = TypeVar("_T")
# Standard input, output and error, as a transport numbers its pipes.
_STREAMS = (0, 1, 2)


class _Whole(asyncio.Task[_T]):
    """A task that cannot be cancelled: whoever awaits it and is cancelled hears of that at its end.

    `asyncio.timeout` and task groups inside would cancel it, and have no effect.
    """

    def cancel(self, msg: Any | None = None) -> bool:  # noqa: ARG002 - the signature is asyncio's
        """Refuse."""
        return False


async def start_child(*command: str, **options: Any) -> Process:
    """Start a process, as `asyncio.create_subprocess_exec` does. Cancelling ends it.

    Raises:
        OSError: it cannot be started.
    """
    loop = asyncio.get_running_loop()
    starting = _Whole(asyncio.create_subprocess_exec(*command, **options), loop=loop)
    try:
        return await starting
    except asyncio.CancelledError:
        # The task could not be cancelled, so the process is there although nobody waits for it
        # any more.
        if starting.exception() is None:
            await end_child(starting.result())
        raise


def kill_child(process: Process) -> None:
    """Kill a process that still runs, and the group that it leads, if it leads one."""
    if process.returncode is not None:
        return
    if sys.platform == "win32":
        with suppress(ProcessLookupError):
            process.kill()
        return
    # `process.kill` would look whether the process has ended, and take its status from asyncio.
    with suppress(ProcessLookupError):
        # Only a group that the child leads: a child in our own group would take this program with
        # it.
        kill = os.killpg if os.getpgid(process.pid) == process.pid else os.kill
        kill(process.pid, signal.SIGKILL)


async def end_child(process: Process) -> int:
    """Kill a process, wait until it is gone and its pipes are closed, and return its status.

    One that has ended keeps its status. Cancelling is heard once all of that is done.
    """
    return await _Whole(_ended(process), loop=asyncio.get_running_loop())


async def _ended(process: Process) -> int:
    kill_child(process)
    # Before the pipes are closed asyncio does not say that a process is gone, and it never sees that of
    # one that nobody reads, or that another process has inherited. Its `Process` cannot close them.
    transport: asyncio.SubprocessTransport = cast("Any", process)._transport  # noqa: SLF001
    for stream in _STREAMS:
        pipe = transport.get_pipe_transport(stream)
        if pipe is None or pipe.is_closing():
            continue
        # What was not written yet, nobody reads.
        pipe.abort() if isinstance(pipe, asyncio.WriteTransport) else pipe.close()
    status = await process.wait()
    transport.close()
    if process.stdin is not None:
        # Before 3.11.4 asyncio logs the error of a broken pipe that nobody asked for.
        with suppress(OSError):
            await process.stdin.wait_closed()
    await asyncio.sleep(0)  # a closed pipe lets go of its file in the next turn of the loop
    return status
