"""The queue before a model server: what no person waits for lets others go first."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from adapters.llm.test_model_queue import (
    OTHER,
    Asker,
    another_process,
    queue_in,
    tickets,
    until_it_keeps_the_turn,
)
from waiting import patience, until_stored

posix_only = pytest.mark.skipif(
    sys.platform == "win32", reason="signals of POSIX: run it on Linux or macOS"
)
LATER = OTHER.replace("poll_s=0.01", "poll_s=0.01, gives_way=True")


class Queueing:
    """Who asks, in the order in which they had their turn. A name in capitals is of one that a person waits for."""

    def __init__(self, folder: Path, group: asyncio.TaskGroup) -> None:
        self.order: list[str] = []
        self._folder, self._group = folder, group

    async def comes(self, name: str) -> Asker:
        """Have somebody come, and wait until they have the turn or wait for it."""
        queue = queue_in(self._folder, gives_way=name.islower())
        asker = Asker(queue, name, self.order)
        self._group.create_task(asker.run())
        waiting = [self._group.create_task(e.wait()) for e in (asker.waits, asker.has_it)]
        async with patience():
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()
        return asker

    async def come(self, *names: str) -> list[Asker]:
        return [await self.comes(name) for name in names]


async def test_a_person_is_next_whoever_else_waits_and_nobody_loses_a_turn(tmp_path: Path) -> None:
    names = [f"d{number}" for number in range(11)]
    async with asyncio.TaskGroup() as group:
        queueing = Queueing(tmp_path, group)
        programs = await queueing.come(*names)
        person = await queueing.comes("W")
        # What has its turn keeps it.
        assert queueing.order == ["d0"]
        assert person.told == [1]
        for asker in (*programs, person):
            asker.leave.set()
    assert queueing.order == ["d0", "W", *names[1:]]
    assert tickets(tmp_path) == []


async def test_people_are_served_in_the_order_in_which_they_came(tmp_path: Path) -> None:
    async with asyncio.TaskGroup() as group:
        queueing = Queueing(tmp_path, group)
        askers = await queueing.come("A", "d", "e", "B", "C")
        for asker in askers:
            asker.leave.set()
    assert queueing.order == ["A", "B", "C", "d", "e"]


async def test_a_free_place_is_had_at_once(tmp_path: Path) -> None:
    async with queue_in(tmp_path, gives_way=True).turn(lambda ahead: pytest.fail(f"{ahead}")):
        assert not queue_in(tmp_path).is_free()
    assert queue_in(tmp_path, gives_way=True).is_free()


@posix_only
@pytest.mark.parametrize("script", [OTHER, LATER], ids=["first", "later"])
async def test_whoever_is_killed_with_the_turn_holds_up_nobody(tmp_path: Path, script: str) -> None:
    async with another_process(tmp_path, script=script) as other, asyncio.TaskGroup() as group:
        await until_it_keeps_the_turn(other)
        queueing = Queueing(tmp_path, group)
        d, person = await queueing.come("d", "W")
        assert queueing.order == []
        other.kill()
        await person.has_it.wait()
        d.leave.set()
        person.leave.set()
    assert queueing.order == ["W", "d"]
    assert tickets(tmp_path) == []


@posix_only
async def test_whoever_is_killed_while_waiting_holds_up_nobody(tmp_path: Path) -> None:
    async with asyncio.TaskGroup() as group:
        queueing = Queueing(tmp_path, group)
        first = await queueing.comes("A")
        async with another_process(tmp_path, script=LATER) as other:
            await until_stored(lambda: len(tickets(tmp_path)) == 2)
            d = await queueing.comes("d")
            assert d.told == [2]
            other.kill()
            await other.wait()
        first.leave.set()
        await d.has_it.wait()
        d.leave.set()
    assert tickets(tmp_path) == []


@posix_only
async def test_processes_of_both_kinds_never_have_a_turn_together(tmp_path: Path) -> None:
    """All of them write to one pipe, so that what they say is in order."""
    reading, writing = os.pipe()
    ends = [
        script.replace('b"keeps\\n"', 'b""').replace("await asyncio.Event().wait()", "pass")
        for script in (OTHER, LATER, OTHER, LATER)
    ]
    others = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", script, str(tmp_path / "queue"), "20"), stdout=writing
        )
        for script in ends
    ]
    os.close(writing)
    with os.fdopen(reading) as pipe:
        texts = (await asyncio.to_thread(pipe.read)).split()
    for other in others:
        assert await other.wait() == 0
    assert texts == ["in", "out"] * 80
