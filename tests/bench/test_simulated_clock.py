from __future__ import annotations

import asyncio
from time import perf_counter

import pytest
from bench.clock import Stalled, simulate


def test_an_hour_passes_in_no_time() -> None:
    async def wait() -> float:
        await asyncio.sleep(3600)
        return asyncio.get_running_loop().time()

    started = perf_counter()
    assert simulate(wait()) == 3600
    assert perf_counter() - started < 60


def test_waits_beside_each_other_cost_the_longest_of_them() -> None:
    ended: list[tuple[str, float]] = []

    async def nap(name: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        ended.append((name, asyncio.get_running_loop().time()))

    async def naps() -> float:
        async with asyncio.TaskGroup() as group:
            for name, seconds in (("long", 7.0), ("short", 2.0), ("middle", 5.0)):
                group.create_task(nap(name, seconds))
        return asyncio.get_running_loop().time()

    assert simulate(naps()) == 7
    assert ended == [("short", 2), ("middle", 5), ("long", 7)]


def test_a_time_limit_strikes_at_its_simulated_moment() -> None:
    async def limited() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(90):
                await asyncio.sleep(1000)
        return asyncio.get_running_loop().time()

    assert simulate(limited()) == 90


def test_every_simulation_begins_at_zero() -> None:
    async def now() -> float:
        before = asyncio.get_running_loop().time()
        await asyncio.sleep(1)
        return before

    assert [simulate(now()), simulate(now())] == [0, 0]


def test_waiting_for_nothing_is_an_error_and_not_a_standstill() -> None:
    async def wait_in_vain() -> None:
        await asyncio.Event().wait()

    with pytest.raises(Stalled, match="never come"):
        simulate(wait_in_vain())
