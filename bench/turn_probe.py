"""How long the window's thread was kept by a single turn of its event loop, in processor time.

A turn delivers all events that are there, the drawing of what they changed included: until it ends
no key is taken. Processor time, because the clock also runs while other programs have the processor.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from PySide6.QtCore import QAbstractEventDispatcher, QEventLoop, QTimer

LIMIT_S = 60.0
_LOOK_MS = 5


@dataclass
class Turns:
    """The turns of an event loop. `longest_ms` has the longest turn of each step, by its name."""

    longest_ms: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def worst(self) -> tuple[str, float]:
        """The step with the longest turn, and that turn in milliseconds."""
        return max(self.longest_ms.items(), key=lambda step: step[1], default=("", 0.0))

    def until(self, step: str, is_true: Callable[[], bool]) -> None:
        """Let the event loop turn until something is true; what is asked costs the turns nothing.

        Raises:
            TimeoutError: it was not within a minute.
        """
        dispatcher = QAbstractEventDispatcher.instance()
        ends_s = time.monotonic() + LIMIT_S
        while not is_true():
            if time.monotonic() > ends_s:
                raise TimeoutError(f"{step}: what was waited for did not happen")
            # What is young is collected between turns in the program, too.
            gc.collect(0)
            self._turn(step, dispatcher)

    def do(self, step: str, action: Callable[[], object]) -> None:
        """Do something in a turn, as a key or a click does it."""
        done: list[object] = []
        QTimer.singleShot(0, lambda: done.append(action()))
        self.until(step, lambda: bool(done))

    def _turn(self, step: str, dispatcher: QAbstractEventDispatcher) -> None:
        started = time.thread_time()
        dispatcher.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        took_ms = 1000 * (time.thread_time() - started)
        self.longest_ms[step] = max(self.longest_ms.get(step, 0.0), took_ms)


@contextmanager
def turning() -> Generator[Turns]:
    """Measure turns while the context is open; garbage is not collected in the midst of them."""
    looks = QTimer()
    looks.start(_LOOK_MS)  # so that a turn that waits for events comes to its end
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield Turns()
    finally:
        looks.stop()
        if was_enabled:
            gc.enable()
