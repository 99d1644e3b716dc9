"""This machine: its names, its free memory, what a process takes of it, its battery, and which program listens on a port."""

from __future__ import annotations

import getpass
import platform
import re
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
# A letter or a number alone names nobody: `x1`, `2`.
_NAMELESS = re.compile(r"\w?\d*")


def free_memory() -> int:
    """Return the bytes that programs can still take; 0 where the system does not tell."""
    import psutil  # noqa: PLC0415 - few need it

    try:
        return psutil.virtual_memory().available
    except (psutil.Error, OSError, KeyError, ValueError):
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
    # Not glibc: musl has no such function.
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
