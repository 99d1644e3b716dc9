"""Calls to the Linux kernel for which Python has no function. All raise OSError where it refuses."""

from __future__ import annotations

import ctypes
import os
from functools import cache

# From <linux/prctl.h>.
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
# From <linux/sched.h>.
_CLONE_NEWUSER, _CLONE_NEWNET = 0x1000_0000, 0x4000_0000
# From <linux/capability.h>.
_CAPABILITY_VERSION_3 = 0x2008_0522


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def checked(result: int) -> int:
    """Return what a call returned; -1 is raised as the error that it stands for."""
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def prctl(option: int, *arguments: int | ctypes.c_void_p) -> None:
    """Change something about this process."""
    padded = (*arguments, *[0] * (4 - len(arguments)))
    words = [a if isinstance(a, ctypes.c_void_p) else ctypes.c_ulong(a) for a in padded]
    checked(_libc().prctl(option, *words))


def syscall(number: int, *arguments: int | ctypes.c_void_p) -> int:
    """Make a system call by its number."""
    words = [a if isinstance(a, ctypes.c_void_p) else ctypes.c_long(a) for a in arguments]
    return checked(_libc().syscall(ctypes.c_long(number), *words))


def end_with_parent(signal: int) -> None:
    """Have the kernel send this process a signal when its parent ends."""
    prctl(_PR_SET_PDEATHSIG, signal)


def gain_nothing() -> None:
    """Let no program that is started from here have more rights than this process."""
    prctl(_PR_SET_NO_NEW_PRIVS, 1)


def keep_from_dumps() -> None:
    """Write no core of this process, whatever its limits say, and let no equal look into it."""
    prctl(_PR_SET_DUMPABLE, 0)


def leave_network() -> None:
    """Move into a network namespace that has no network."""
    checked(_libc().unshare(_CLONE_NEWUSER | _CLONE_NEWNET))


def drop_capabilities() -> None:
    """Give up what root, and the first process of a user namespace, may do beyond others."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    none = (ctypes.c_uint32 * 6)()
    checked(_libc().capset(header, none))
