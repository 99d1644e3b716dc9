"""How much memory this machine has to give, and giving back what is not used any more."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_KIB = 1024


def free_memory(told: Path = Path("/proc/meminfo")) -> int:
    """Return the bytes that programs can still take; 0 where the system does not tell.

    A Mac tells only what it has in all, most of which its programs can take: that is returned there.
    """
    if sys.platform == "darwin":
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if sys.platform == "win32":
        return _windows()
    try:
        fields = dict(line.split(":", 1) for line in told.read_text("ascii").splitlines())
        return int(fields["MemAvailable"].split()[0]) * _KIB
    except (OSError, KeyError, ValueError, IndexError):
        return 0


def give_back_memory() -> bool:
    """Let the system have the freed memory that this program's C library keeps for later.

    Return whether it was asked to: glibc can be, on Linux.
    """
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415 - only this needs it

    try:
        ctypes.CDLL(None).malloc_trim(0)
    except AttributeError:
        return False
    return True


def _windows() -> int:
    assert sys.platform == "win32"
    import ctypes  # noqa: PLC0415 - only Windows needs it

    class Status(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            ("sizes", ctypes.c_ulonglong * 7),
        )

    status = Status(length=ctypes.sizeof(Status))
    # The second size is what is free.
    return (
        status.sizes[1] if ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)) else 0
    )
