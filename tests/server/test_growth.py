"""The server does not grow with the calls that it has served."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from server.daemons import Program, introduced
from waiting import patience

DAEMON = Path(__file__).parents[1] / "servers" / "counting_daemon.py"
# What a call leaves until it is collected, spread over all calls.
MOST_OBJECTS_A_CALL = 3


async def connected(environment: dict[str, str]) -> Program:
    """Connect to a daemon as soon as it is up."""
    async with patience():
        while True:
            with suppress(OSError):
                return await introduced(environment, "tester")
            await asyncio.sleep(0)


async def objects_after(program: Program, calls: int) -> int:
    """Call so many times, and return how many objects the daemon had at the last one."""
    found = 0
    for number in range(calls):
        program.call("objects", number)
        found = int((await program.heard(number))["result"]["structuredContent"]["result"])
    return found


@pytest.mark.exhaustive
async def test_the_daemon_in_the_background_collects_what_calls_leave_behind(
    tmp_path: Path,
) -> None:
    environment = {**os.environ, "ASKANCE_HOME": str(tmp_path)}
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(DAEMON), env=environment, stderr=subprocess.DEVNULL
    )
    try:
        program = await connected(environment)
        at_first = await objects_after(program, 500)
        at_last = await objects_after(program, 1_000)
        await program.close()
    finally:
        process.terminate()
        async with patience():
            await process.wait()
    assert at_last - at_first < 1_000 * MOST_OBJECTS_A_CALL
