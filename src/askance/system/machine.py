"""What this machine has: memory to give, and to be given back, and where its power comes from."""

from __future__ import annotations

import sys


def free_memory() -> int:
    """Return the bytes that programs can still take; 0 where the system does not tell."""
    import psutil  # noqa: PLC0415 - few need it

    try:
        return psutil.virtual_memory().available
    except (psutil.Error, OSError, KeyError, ValueError):
        return 0


def memory_of(pid: int) -> int:
    """Return the bytes of memory that a process takes; 0 where the system does not tell."""
    import psutil  # noqa: PLC0415 - few need it

    try:
        return psutil.Process(pid).memory_info().rss
    except (psutil.Error, OSError):
        return 0


def give_back_memory() -> bool:
    """Let the system have the freed memory that this program's C library keeps for later.

    Return whether it was asked to: glibc can be, on Linux. By hand, because psutil only measures.
    """
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415 - only this needs it

    try:
        ctypes.CDLL(None).malloc_trim(0)
    except AttributeError:
        return False
    return True


def is_on_battery() -> bool:
    """Whether this machine runs on a battery; False where that cannot be told."""
    import psutil  # noqa: PLC0415 - a start need not wait for it

    try:
        battery = psutil.sensors_battery()
    except (OSError, RuntimeError):
        return False
    return battery is not None and battery.power_plugged is False
