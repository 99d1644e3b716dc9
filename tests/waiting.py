"""How long a test waits for what must come: one generous time for all of them.

It decides nothing but "never": what comes is seen at once, and a machine whose cores are busy with
something else may take many times as long as an idle one. A limit that is itself the fact under test
is no matter of this module.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

PATIENCE_S = 120.0
PATIENCE_MS = int(PATIENCE_S * 1000)
# Of the processor: longer than a scheduler's turn, so that it sees who else is served.
_PROBE_S = 0.1
# Who looks without a pause takes the processor from what is waited for.
_LOOK_S, _LOOK_AT_FILES_S = 0.002, 0.02
# What is sent over loopback is there with the next look.
_QUIET_LOOKS, _QUIET_LOOK_S = 5, 0.01
# Several processes of ours wait for their turns, one after the other.
_ROOM = 3.0


def patience() -> asyncio.Timeout:
    """Let what happens inside take as long as a busy machine needs.

    Raises:
        TimeoutError: on leaving, if it did not end within `PATIENCE_S` seconds.
    """
    return asyncio.timeout(PATIENCE_S)


async def until(is_so: Callable[[], object], *, every_s: float = _LOOK_S) -> None:
    """Wait until something is so that no event tells of, looking at it every so many seconds.

    Raises:
        TimeoutError: it was not within `PATIENCE_S` seconds.
    """
    async with patience():
        while not is_so():  # noqa: ASYNC110
            await asyncio.sleep(every_s)


async def until_stored(is_so: Callable[[], object]) -> None:
    """Wait like `until`, where looking takes a while: at a file or a socket, in a thread.

    Raises:
        TimeoutError: it was not within `PATIENCE_S` seconds.
    """
    async with patience():
        while not await asyncio.to_thread(is_so):  # noqa: ASYNC110
            await asyncio.sleep(_LOOK_AT_FILES_S)


def skip_waits(loop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the clock of a loop go on to its next timer as soon as nothing but that is waited for.

    Where all that a run speaks to stalls, its limit is reached at once, in the same order as by the
    clock on the wall. What is waited for has to be in this process: on the loop or in its threads.
    """
    select, clock, in_thread = loop._selector.select, loop.time, loop.run_in_executor
    skipped_s, threads = 0.0, set[asyncio.Future[Any]]()

    def look(limit_s: float | None) -> Any:
        nonlocal skipped_s
        quiet = 0
        while limit_s is not None and limit_s > _QUIET_LOOK_S and quiet < _QUIET_LOOKS:
            if found := select(_QUIET_LOOK_S):
                return found
            limit_s -= _QUIET_LOOK_S
            quiet = 0 if threads else quiet + 1
        if quiet < _QUIET_LOOKS:
            return select(limit_s)
        skipped_s += limit_s or 0.0
        return []

    def watched(*call: Any) -> asyncio.Future[Any]:
        running = in_thread(*call)
        threads.add(running)
        running.add_done_callback(threads.discard)
        return running

    monkeypatch.setattr(loop._selector, "select", look)
    monkeypatch.setattr(loop, "time", lambda: clock() + skipped_s)
    monkeypatch.setattr(loop, "run_in_executor", watched)


def stretched(limit_s: float) -> float:
    """Return how long a limit of wall-clock time is on this machine just now, in seconds.

    The program promises some limits to a person at an idle machine. Where other programs share the
    cores, each step takes so many times as long as a fixed piece of work waits for its turn.
    """
    begun, worked = time.monotonic(), time.thread_time()
    while time.thread_time() - worked < _PROBE_S:
        pass
    times = (time.monotonic() - begun) / _PROBE_S
    return min(limit_s * max(1.0, _ROOM * (times - 1) + 1), PATIENCE_S)


class PatientBot(QtBot):
    """The person of the window's tests, who by default waits no mere five seconds."""

    def waitUntil(  # noqa: N802 - the name is Qt's
        self, callback: Callable[[], bool | None], *, timeout: int = PATIENCE_MS
    ) -> None:
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal: Any, *, timeout: int = PATIENCE_MS, **options: Any) -> Any:  # noqa: N802
        return super().waitSignal(signal, timeout=timeout, **options)

    def waitSignals(self, signals: Any, *, timeout: int = PATIENCE_MS, **options: Any) -> Any:  # noqa: N802
        return super().waitSignals(signals, timeout=timeout, **options)

    def waitExposed(self, widget: Any, *, timeout: int = PATIENCE_MS) -> Any:  # noqa: N802
        return super().waitExposed(widget, timeout=timeout)

    def waitActive(self, widget: Any, *, timeout: int = PATIENCE_MS) -> Any:  # noqa: N802
        return super().waitActive(widget, timeout=timeout)
