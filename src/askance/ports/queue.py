"""The queue before a model server: who may ask it, and who waits."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

Waiting = Callable[[int], None]
"""Is told how many questions are ahead, when there are any, and again when that number changes."""


class ModelQueue(Protocol):
    """Lets one run after the other to a model server: first come, first served."""

    def turn(self, waiting: Waiting) -> AbstractAsyncContextManager[None]:
        """Wait until it is this run's turn, which lasts as long as the context. It never fails."""
        ...
