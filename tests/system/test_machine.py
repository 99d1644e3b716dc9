"""How much memory is free is known, and what a program has freed goes back to the system."""

from __future__ import annotations

import ctypes
import re
import sys
from pathlib import Path

import psutil
import pytest

from askance.system.machine import free_memory, give_back_memory

BLOCK, BLOCKS = 65_536, 600


def own_kb() -> int:
    found = re.search(
        r"\nPrivate_Dirty:\s+(\d+)", Path("/proc/self/smaps_rollup").read_text("ascii")
    )
    assert found
    return int(found[1])


def test_free_memory_is_in_bytes_and_less_than_all() -> None:
    assert 1_000_000 < free_memory() < psutil.virtual_memory().total


@pytest.mark.skipif(sys.platform != "linux", reason="it is told in /proc: run it on Linux")
def test_free_memory_is_unknown_where_it_is_not_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(psutil, "PROCFS_PATH", str(tmp_path))
    assert free_memory() == 0
    text = tmp_path / "meminfo"
    text.write_text("MemTotal: 2000 kB\n", encoding="ascii")
    assert free_memory() == 0
    others = ("MemFree", "Buffers", "Cached", "Shmem", "Active", "Inactive")
    lines = "".join(f"{name}: 0 kB\n" for name in others)
    text.write_text(f"MemTotal: 2000 kB\n{lines}MemAvailable:    1000 kB\n", encoding="ascii")
    assert free_memory() == 1_024_000


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
