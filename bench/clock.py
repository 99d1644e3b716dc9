"""An event loop whose clock jumps to the next timer instead of waiting for it."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
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
    machine. For work in one process: what a socket or a child brings arrives at a moment that this
    clock knows nothing of. What would go to a thread is done at once.
    """

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Return the simulated seconds since the loop was made."""
        return self._jumping.elapsed_s

    def run_in_executor(
        self, executor: Any, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        """Do the work and return its result, ready to be awaited."""
        del executor
        done: asyncio.Future[T] = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as exc:  # noqa: BLE001 - whoever awaits it gets it, as from a thread
            done.set_exception(exc)
        return done


def simulate(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end in a simulated loop of its own, and return its result.

    Raises:
        Stalled: nothing in it can go on.
    """
    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        return runner.run(main)
