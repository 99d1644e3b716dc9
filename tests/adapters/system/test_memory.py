"""Memory that a program has freed goes back to the system."""

from __future__ import annotations

import ctypes
import re
import sys
from pathlib import Path

import pytest

from askance.adapters.system.memory import give_back_memory

BLOCK, BLOCKS = 65_536, 600


def own_kb() -> int:
    found = re.search(
        r"\nPrivate_Dirty:\s+(\d+)", Path("/proc/self/smaps_rollup").read_text("ascii")
    )
    assert found
    return int(found[1])


@pytest.mark.skipif(sys.platform != "linux", reason="glibc and /proc: run it on Linux")
def test_what_was_freed_below_what_is_still_held_is_given_back() -> None:
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    libc.free.argtypes = [ctypes.c_void_p]
    blocks = [libc.malloc(BLOCK) for _ in range(BLOCKS)]
    for block in blocks:
        ctypes.memset(block, 1, BLOCK)
    # The last one stays, and keeps those below it.
    for block in blocks[:-1]:
        libc.free(block)
    before = own_kb()
    assert give_back_memory()
    assert own_kb() < before - BLOCK * BLOCKS // 1024 // 2
    libc.free(blocks[-1])
