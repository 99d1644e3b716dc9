"""Ctrl-C where it should stop one run, and not the program."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

_Result = TypeVar("_Result")


async def stoppable(work: Coroutine[Any, Any, _Result]) -> _Result | None:
    """Run to the end, or until Ctrl-C cancels it; then return None. For the main thread only."""
    loop = asyncio.get_running_loop()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(work)

        def stop(_number: int, _frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(task.cancel)  # wakes a loop that waits for the network

        before = signal.signal(signal.SIGINT, stop)
        task.add_done_callback(lambda _: signal.signal(signal.SIGINT, before))
    return None if task.cancelled() else task.result()


@contextmanager
def interruptible() -> Generator[None]:
    """Let Ctrl-C raise KeyboardInterrupt at once, as it does outside of an event loop."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
