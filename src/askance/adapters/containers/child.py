"""One run of a command-line tool: its lines as they come, and its end, whatever happens."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from askance.adapters.system.program import NO_WINDOW

EachLine = Callable[[str], None]

# What compose needs to put down what it has in its hands.
_GRACE_S = 5.0
# BuildKit's machine-readable lines carry whole logs; a longer one is cut, not kept growing.
_LONGEST_LINE = 1_000_000


@dataclass(frozen=True, slots=True)
class Reply:
    """How a short command ended: its exit status, and what it wrote."""

    status: int
    out: str
    err: str


async def ask(command: Sequence[str], environment: Mapping[str, str], *, limit_s: float) -> Reply:
    """Run a short command to its end.

    Raises:
        OSError: it cannot be started.
        TimeoutError: it took longer than `limit_s` seconds, and was ended.
    """
    out: list[str] = []
    err: list[str] = []
    async with asyncio.timeout(limit_s):
        status = await run_lines(command, environment, out=out.append, err=err.append)
    return Reply(status, "\n".join(out), "\n".join(err))


async def run_lines(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    out: EachLine,
    err: EachLine,
    folder: Path | None = None,
) -> int:
    """Run a command, hand over its lines as they come, and return its exit status.

    Cancelling ends the command, and the processes that it started, before it returns.
    """
    child = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(environment),
        cwd=folder,
        # Ctrl-C in the terminal is for this program, which then ends the whole group.
        start_new_session=True,
        creationflags=NO_WINDOW,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(_read(child.stdout, out))
            group.create_task(_read(child.stderr, err))
        return await child.wait()
    finally:
        if child.returncode is None:
            await _end(child)


async def _read(stream: asyncio.StreamReader, each_line: EachLine) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    rest = ""
    while block := await stream.read(65_536):
        *lines, rest = (rest + decoder.decode(block)).split("\n")
        for line in lines:
            each_line(line.rstrip("\r"))
        rest = rest[:_LONGEST_LINE]
    if rest:
        each_line(rest)


async def _end(child: asyncio.subprocess.Process) -> None:
    try:
        _send(child, signal.SIGTERM)
        async with asyncio.timeout(_GRACE_S):
            await child.wait()
    except TimeoutError:
        pass
    finally:
        if child.returncode is None:
            child.kill() if sys.platform == "win32" else _send(child, signal.SIGKILL)
            await child.wait()


def _send(child: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        if sys.platform == "win32":
            child.send_signal(number)
        else:
            # `docker` runs compose in a process of its own, in the same group.
            os.killpg(child.pid, number)
