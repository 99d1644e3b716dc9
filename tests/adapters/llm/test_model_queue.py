"""The queue before a model server: first come, first served, in one process and in several."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.llm import model_queue
from askance.adapters.llm.model_queue import FileQueue, queue_name
from askance.config.settings import LlmSettings

posix_only = pytest.mark.skipif(
    sys.platform == "win32", reason="signals of POSIX: run it on Linux or macOS"
)


def queue_in(folder: Path, **fields: Any) -> FileQueue:
    return FileQueue(folder / "queue", poll_s=0.01, **fields)


def nobody(ahead: int) -> None:
    pytest.fail(f"waited behind {ahead}")


def tickets(folder: Path) -> list[str]:
    return sorted(p.name for p in (folder / "queue").glob("0*"))


class Asker:
    """A run that waits, has its turn for as long as it is let, and leaves."""

    def __init__(self, queue: FileQueue, name: str, order: list[str]) -> None:
        self.told: list[int] = []
        self.waits, self.has_it, self.leave = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._queue, self._name, self._order = queue, name, order

    async def run(self) -> None:
        def waiting(ahead: int) -> None:
            self.told.append(ahead)
            self.waits.set()

        async with self._queue.turn(waiting):
            self._order.append(self._name)
            self.has_it.set()
            await self.leave.wait()


async def test_whoever_comes_first_has_the_first_turn_and_others_are_told(tmp_path: Path) -> None:
    order: list[str] = []
    askers = [Asker(queue_in(tmp_path), name, order) for name in "abc"]
    first, second, third = askers
    async with asyncio.TaskGroup() as group:
        group.create_task(first.run())
        await first.has_it.wait()
        group.create_task(second.run())
        await second.waits.wait()
        group.create_task(third.run())
        await third.waits.wait()
        assert order == ["a"]
        for asker in askers:
            asker.leave.set()

    assert order == ["a", "b", "c"]
    assert (first.told, second.told, third.told[0]) == ([], [1], 2)
    assert tickets(tmp_path) == []


async def test_it_is_free_until_somebody_has_their_turn(tmp_path: Path) -> None:
    queue = queue_in(tmp_path)
    assert queue.is_free()
    async with queue.turn(nobody):
        assert not queue.is_free()
    assert queue.is_free()


async def test_whoever_is_stopped_while_waiting_holds_up_nobody(tmp_path: Path) -> None:
    order: list[str] = []
    first, second, third = (Asker(queue_in(tmp_path), name, order) for name in "abc")
    async with asyncio.TaskGroup() as group:
        group.create_task(first.run())
        await first.has_it.wait()
        waiting = group.create_task(second.run())
        await second.waits.wait()
        group.create_task(third.run())
        await third.waits.wait()
        waiting.cancel()
        first.leave.set()
        third.leave.set()

    assert waiting.cancelled()
    assert order == ["a", "c"]
    assert tickets(tmp_path) == []


async def test_a_run_that_takes_the_place_of_one_being_stopped_tells_of_no_wait(
    tmp_path: Path,
) -> None:
    order: list[str] = []
    first, second = (Asker(queue_in(tmp_path, grace_s=1.0), name, order) for name in "ab")
    async with asyncio.TaskGroup() as group:
        stopped = group.create_task(first.run())
        await first.has_it.wait()
        group.create_task(second.run())
        stopped.cancel()
        await second.has_it.wait()
        second.leave.set()

    assert (order, second.told) == (["a", "b"], [])


async def test_a_run_that_fails_leaves_the_queue(tmp_path: Path) -> None:
    queue = queue_in(tmp_path)
    with pytest.raises(ZeroDivisionError):
        async with queue.turn(nobody):
            raise ZeroDivisionError
    async with queue.turn(nobody):
        assert len(tickets(tmp_path)) == 1


# Has its turn, says so, and keeps it; or takes several, and says when each begins and ends.
OTHER = """
import asyncio, os, sys
from pathlib import Path
from askance.adapters.llm import model_queue
from askance.adapters.llm.model_queue import FileQueue

async def main():
    queue = FileQueue(Path(sys.argv[1]), poll_s=0.01)
    for _ in range(int(sys.argv[2])):
        async with queue.turn(lambda ahead: None):
            os.write(1, b"in\\n")
            await asyncio.sleep(0)
            os.write(1, b"out\\n")
    async with queue.turn(lambda ahead: None):
        os.write(1, b"keeps\\n")
        await asyncio.Event().wait()

asyncio.run(main())
"""


@asynccontextmanager
async def another_process(
    folder: Path, turns: int = 0, script: str = OTHER
) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", script, str(folder / "queue"), str(turns)),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def until_it_keeps_the_turn(process: asyncio.subprocess.Process) -> None:
    assert process.stdout is not None
    assert await process.stdout.readline() == b"keeps\n"


@posix_only
async def test_a_process_that_gives_no_sign_for_long_counts_no_more(tmp_path: Path) -> None:
    waiter = Asker(queue_in(tmp_path, hung_s=0.5), "here", [])
    async with another_process(tmp_path) as other, asyncio.TaskGroup() as group:
        await until_it_keeps_the_turn(other)
        other.send_signal(signal.SIGSTOP)
        group.create_task(waiter.run())
        await waiter.has_it.wait()
        assert waiter.told == [1]
        waiter.leave.set()


class Counted:
    """A function that is called so many times, which can be waited for."""

    def __init__(self, function: Callable[..., Any], wanted: int) -> None:
        self.reached = asyncio.Event()
        self._function, self._left = function, wanted

    def __call__(self, *arguments: Any) -> Any:
        result = self._function(*arguments)
        self._left -= 1
        if self._left <= 0:
            self.reached.set()
        return result


async def test_a_long_turn_is_kept_by_signs_of_life(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder, waiter = (
        Asker(queue_in(tmp_path, renew_s=0.02, hung_s=5.0), name, []) for name in ("a", "b")
    )
    async with asyncio.TaskGroup() as group:
        group.create_task(holder.run())
        await holder.has_it.wait()
        file = tmp_path / "queue" / tickets(tmp_path)[0]
        before = file.stat().st_mtime_ns
        renewed = Counted(os.utime, 3)
        monkeypatch.setattr(os, "utime", renewed)
        await renewed.reached.wait()
        assert file.stat().st_mtime_ns > before
        group.create_task(waiter.run())
        await waiter.waits.wait()
        assert not waiter.has_it.is_set()
        holder.leave.set()
        waiter.leave.set()


async def test_a_ticket_that_was_taken_away_is_drawn_anew_and_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder = Asker(queue_in(tmp_path, renew_s=0.02), "a", [])
    waiter = Asker(queue_in(tmp_path), "b", [])
    async with asyncio.TaskGroup() as group:
        group.create_task(holder.run())
        await holder.has_it.wait()
        drawn = Counted(model_queue.create_file, 1)
        monkeypatch.setattr(model_queue, "create_file", drawn)
        for name in tickets(tmp_path):
            (tmp_path / "queue" / name).unlink()
        await drawn.reached.wait()
        group.create_task(waiter.run())
        await waiter.waits.wait()
        holder.leave.set()
        await waiter.has_it.wait()
        waiter.leave.set()


async def test_where_no_folder_can_be_made_there_is_no_queue(tmp_path: Path) -> None:
    (tmp_path / "queue").write_text("in the way", "utf-8")
    queue = queue_in(tmp_path)
    async with queue.turn(nobody), queue.turn(nobody):
        pass


async def test_what_else_lies_in_the_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "queue").mkdir()
    (tmp_path / "queue" / "notes.txt").write_text("mine", "utf-8")
    async with queue_in(tmp_path).turn(nobody):
        pass
    assert (tmp_path / "queue" / "notes.txt").read_text("utf-8") == "mine"


@posix_only
async def test_nobody_else_can_look_into_the_queue(
    tmp_path: Path, umask: Callable[[int], None]
) -> None:
    umask(0)
    async with queue_in(tmp_path).turn(nobody):
        folder = tmp_path / "queue"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}


@pytest.fixture
def umask() -> AsyncIterator[Callable[[int], None]] | Any:
    before = os.umask(0o077)
    yield os.umask
    os.umask(before)


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"url": "http://127.0.0.1:11434"}, "localhost-11434"),
        ({"url": "http://LOCALHOST:11434/v1", "api": "openai"}, "localhost-11434"),
        ({"url": "http://[::1]:8080"}, "localhost-8080"),
        ({"url": "https://gpu.example"}, "gpu.example-443"),
        ({"url": "http://[fe80::1]"}, "fe80__1-80"),
        ({"url": "http://a..b/../../x"}, "a..b-80"),
        ({"api": "embedded", "gguf": "x"}, "embedded"),
    ],
)
def test_one_server_has_one_queue_however_it_is_written(
    settings: dict[str, Any], name: str
) -> None:
    assert queue_name(LlmSettings.model_validate(settings)) == name
