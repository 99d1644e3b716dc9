"""How long the event loop was kept by a single callback, in processor time of its thread.

Processor time, because the clock also runs while other programs have the processor.
"""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass
class Kept:
    """The longest time that a callback kept the loop, in milliseconds, and which it was."""

    longest_ms: float = 0.0
    by: str = ""


@contextmanager
def keeping() -> Iterator[Kept]:
    """Measure every callback of every loop of this process while the context is open."""
    stored = Kept()
    handle: Any = asyncio.events.Handle
    run = handle._run  # noqa: SLF001 - there is no other way in

    def measured(self: Any) -> None:
        started = time.thread_time()
        try:
            run(self)
        finally:
            took_ms = 1000 * (time.thread_time() - started)
            if took_ms > stored.longest_ms:
                stored.longest_ms, stored.by = took_ms, repr(self)

    # What a test before this one left behind is not of this one's making.
    gc.collect()
    handle._run = measured  # noqa: SLF001
    try:
        yield stored
    finally:
        handle._run = run  # noqa: SLF001
