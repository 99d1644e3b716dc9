"""Child processes: none is left behind, whoever is cancelled and however often."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

import pytest

from askance.system.children import end_child, start_child
from leftovers import begun_and_cancelled, cancelled_over_and_over, nothing_left_behind
from waiting import patience

PIPE = asyncio.subprocess.PIPE
pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="signals and /proc: run it on Linux"
)
STATES_UP = "import os, signal, sys; print(os.getpid(), flush=True); signal.pause()"
# Starts another process and tells its number. What is run before it may put it elsewhere.
HAS_ANOTHER = """
import os, signal
if not (pid := os.fork()):
    {first}
    signal.pause()
print(pid, flush=True)
signal.pause()
"""


async def running(script: str, **options: object) -> asyncio.subprocess.Process:
    python = (sys.executable, "-ISc", script)
    return await start_child(*python, stdin=PIPE, stdout=PIPE, **options)


async def number_told_by(process: asyncio.subprocess.Process) -> int:
    assert process.stdout is not None
    async with patience():
        return int(await process.stdout.readline())


async def test_a_start_that_is_cancelled_leaves_nothing_behind() -> None:
    with nothing_left_behind():
        for turns in range(8):
            await begun_and_cancelled(running(STATES_UP), turns=turns)


async def test_an_end_that_is_cancelled_over_and_over_is_whole_all_the_same() -> None:
    with nothing_left_behind():
        process = await running(STATES_UP)
        await number_told_by(process)
        async with asyncio.TaskGroup() as group:
            ends = [group.create_task(end_child(process)) for _ in range(3)]
            await asyncio.sleep(0)
            await cancelled_over_and_over(ends[0])
        assert all(end.cancelled() for end in ends)
        assert await end_child(process) == process.returncode == -signal.SIGKILL


async def test_a_process_that_has_ended_keeps_its_status() -> None:
    with nothing_left_behind():
        process = await running("raise SystemExit(3)")
        async with patience():
            await process.wait()
        assert [await end_child(process), await end_child(process)] == [3, 3]


async def test_a_process_whose_pipes_are_full_is_ended() -> None:
    with nothing_left_behind():
        process = await running("while True: print('a' * 4096)")
        assert process.stdin is not None
        process.stdin.write(b"a" * 10_000_000)
        async with patience():
            assert await end_child(process) == -signal.SIGKILL


async def test_pipes_that_another_process_holds_keep_nobody_waiting() -> None:
    with nothing_left_behind():
        process = await running(HAS_ANOTHER.format(first="os.setsid()"))
        another = await number_told_by(process)
        async with patience():
            assert await end_child(process) == -signal.SIGKILL
        os.kill(another, signal.SIGKILL)


async def test_the_group_that_a_process_leads_goes_with_it() -> None:
    reading, writing = os.pipe()
    script = HAS_ANOTHER.format(first="pass")
    with nothing_left_behind():
        process = await running(script, start_new_session=True, pass_fds=(writing,))
        os.close(writing)
        await number_told_by(process)
        await end_child(process)
        async with patience():  # both held the other end
            assert await asyncio.to_thread(os.read, reading, 1) == b""
    os.close(reading)
