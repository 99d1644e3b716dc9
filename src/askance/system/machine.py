"""This machine: its names, its free memory and disk, what a process takes of it, its battery, and which program listens on a port."""

from __future__ import annotations

import getpass
import platform
import re
import shutil
import sys
from contextlib import suppress
from pathlib import Path

from askance.domain.messages import NOTHING, Message

# So many machines and users have these names, or these words in them, that they tell nobody apart:
# `Annas-MacBook-Pro.local`, `thinkpad-x1`, `DESKTOP-7A6B5C4`. In a query they are common words.
_COMMON_NAMES = """
admin administrator air apple arch archlinux book carbon chromebook computer debian desktop dev dell
fedora guest home host hp imac lan laptop latitude lenovo linux local localdomain localhost mac macbook
mini mint my notebook nuc office owner pc pi pro raspberry raspberrypi root server studio surface test
thinkpad ubuntu user users windows work workstation xps
"""
_COMMON = frozenset(_COMMON_NAMES.split())
_BETWEEN = re.compile(r"[\W_]+")
# A card with less is part of the processor, or too small for any model.
_LEAST_CARD_BYTES = 2_000_000_000
# A letter or a number alone names nobody: `x1`, `2`.
_NAMELESS = re.compile(r"\w?\d*")


def free_memory() -> int:
    """Return the bytes that programs can still take; 0 where the system does not tell."""
    import psutil  # noqa: PLC0415 - few need it

    try:
        return psutil.virtual_memory().available
    except (psutil.Error, OSError, KeyError, ValueError):
        return 0


def graphics_memory() -> int:
    """Return the bytes of memory of the largest graphics card that can run a model; 0 where there is none.

    By hand, because psutil knows no graphics cards. An integrated one has too little memory of its own to count; on
    Apple's chips it shares that of the processor.
    """
    if sys.platform == "darwin" and platform.machine() == "arm64":
        return free_memory()
    return max(_nvidia_memory(), *(_drm_memory() or (0,)))


def _drm_memory() -> list[int]:
    """Return the memory of AMD's cards, as the kernel of Linux tells it."""
    found = list[int]()
    for file in Path("/sys/class/drm").glob("card*/device/mem_info_vram_total"):
        with suppress(OSError, ValueError):
            size = int(file.read_text("ascii"))
            found += [size] if size >= _LEAST_CARD_BYTES else []
    return found


def _nvidia_memory() -> int:
    """Return the memory of the first of Nvidia's cards, as its own library tells it."""
    import ctypes  # noqa: PLC0415 - only this and `give_back_memory` need it

    name = "nvml.dll" if sys.platform == "win32" else "libnvidia-ml.so.1"
    figures = (ctypes.c_ulonglong * 3)()  # total, free, used
    card = ctypes.c_void_p()
    # OSError: the library is not there.
    with suppress(OSError, AttributeError):
        nvml = ctypes.CDLL(name)
        if nvml.nvmlInit_v2() == 0:
            if nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(card)) == 0:
                nvml.nvmlDeviceGetMemoryInfo(card, figures)
            nvml.nvmlShutdown()
    return int(figures[0])


def give_back_memory() -> bool:
    """Let the system have the freed memory that this program's C library keeps for later.

    Return whether it was asked to: glibc can be, on Linux. By hand, because psutil only measures.
    """
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415 - only this needs it

    try:
        ctypes.CDLL(None).malloc_trim(0)
    # Not glibc: musl has no such function.
    except AttributeError:
        return False
    return True


# Of glibc's malloc.h.
_M_ARENA_MAX = -8


def use_one_arena() -> None:
    """Have all threads allocate from one heap: glibc gives back the end of no other. Call it before there are threads."""
    if sys.platform != "linux":
        return
    import ctypes  # noqa: PLC0415 - only this needs it

    # AttributeError: not glibc, as in `give_back_memory`.
    with suppress(AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def is_on_battery() -> bool:
    """Whether this machine runs on a battery; False where that cannot be told."""
    import psutil  # noqa: PLC0415 - a start need not wait for it

    try:
        battery = psutil.sensors_battery()
    except (OSError, RuntimeError):
        return False
    # `power_plugged` is None where the system does not say.
    return battery is not None and battery.power_plugged is False


def program_on(port: int) -> Message:
    """Return a program's name and process id, such as `python3 (process 4711)`.

    Empty where the system does not tell, as it mostly does not of another user's program.
    """
    import psutil  # noqa: PLC0415 - only where a port is taken

    try:
        try:
            found = [(held, held.pid) for held in psutil.net_connections("tcp")]
        except psutil.AccessDenied:  # without root, macOS shows a user's own processes only
            found = [
                (held, process.pid)
                for process in psutil.process_iter(["net_connections"])
                for held in process.info["net_connections"] or ()
            ]
        for held, pid in found:
            is_server = held.status == psutil.CONN_LISTEN
            if is_server and pid and held.laddr and held.laddr.port == port:
                name = psutil.Process(pid).name()
                return Message("{name} (process {status})", name=name, status=str(pid))
    except (psutil.Error, OSError):  # the program has ended, or the system says nothing
        pass
    return NOTHING


def own_names() -> tuple[str, ...]:
    """Return the names of the user, the machine and the home folder, as far as they are known.

    A query must not have them of itself.
    """
    names = {platform.node()}
    with suppress(KeyError, OSError, RuntimeError, ImportError):  # not every user has a name
        names |= {getpass.getuser(), Path.home().name}
    return distinctive(*names)


def distinctive(*names: str) -> tuple[str, ...]:
    """Return the words of these names that tell one machine or user from others."""
    words = {word for name in names for word in _BETWEEN.split(name)}
    return tuple(
        sorted(w for w in words if not _NAMELESS.fullmatch(w) and w.lower() not in _COMMON)
    )


def free_disk(folder: Path) -> int | None:
    """Return what is free where a folder is, or would be made; None where that is not known."""
    try:
        there = next(path for path in (folder, *folder.parents) if path.exists())
        return shutil.disk_usage(there).free
    except (OSError, StopIteration):
        return None
