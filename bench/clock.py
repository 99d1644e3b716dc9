"""An event loop whose clock jumps to the next timer instead of waiting for it."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Stalled(RuntimeError):
    """Everything waits, and no timer is set that could end it."""


class _Jumping(selectors.DefaultSelector):
    """Never blocks: what would have been waited for is added to `elapsed_s`."""

    elapsed_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is None:
            raise Stalled("The simulated run waits for something that will never come.")
        self.elapsed_s += max(timeout, 0.0)
        return ready


class SimulatedLoop(asyncio.SelectorEventLoop):
    """A loop in which waiting takes no time and computing takes none either.

    Its clock starts at 0 and moves only by timers, so that a run gives the same times on every
    machine. For work in one process and one thread: what a socket, a thread or a child brings
    arrives at a moment that this clock knows nothing of.
    """

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Return the simulated seconds since the loop was made."""
        return self._jumping.elapsed_s


def simulate(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end in a simulated loop of its own, and return its result.

    Raises:
        Stalled: nothing in it can go on.
    """
    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        return runner.run(main)
