from __future__ import annotations

import asyncio

import pytest
from bench.clock import Stalled, simulate


def test_hours_pass_in_no_time_and_waits_beside_each_other_cost_the_longest() -> None:
    ended: list[tuple[str, float]] = []

    async def nap(name: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        ended.append((name, asyncio.get_running_loop().time()))

    async def naps() -> None:
        async with asyncio.timeout(7000), asyncio.TaskGroup() as group:
            for name, seconds in (("never", 9000.0), ("short", 2.0), ("long", 5000.0)):
                group.create_task(nap(name, seconds))

    async def limited() -> float:
        with pytest.raises(TimeoutError):
            await naps()
        return asyncio.get_running_loop().time()

    # Every simulation begins at zero.
    for _ in range(2):
        assert simulate(limited()) == 7000
        assert ended == [("short", 2), ("long", 5000)]
        ended.clear()


def test_waiting_for_nothing_is_an_error_and_not_a_standstill() -> None:
    async def wait_in_vain() -> None:
        await asyncio.Event().wait()

    with pytest.raises(Stalled, match="never come"):
        simulate(wait_in_vain())
