"""How much work something is, in calls and not in time: a busy machine makes as many."""

from __future__ import annotations

import gc
from collections.abc import Callable
from cProfile import Profile


def count_calls(action: Callable[[], object]) -> int:
    """Return how many functions an action calls, those of the interpreter included."""
    profile = Profile(subcalls=False)
    # Collecting garbage calls functions, too, whenever it happens to be due.
    gc.disable()
    try:
        profile.runcall(action)
    finally:
        gc.enable()
    return sum(entry.callcount for entry in profile.getstats())
