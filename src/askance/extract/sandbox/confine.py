"""Taking from this process all that it does not need, one protection after the other.

Each is independent of the others, and none is needed: where the system lacks one the rest holds,
and what is missing is told with its reason.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import BinaryIO

from askance.extract.sandbox import Protection, Protections, kernel

if sys.platform != "win32":
    # Here, since nothing can be imported later on.
    import resource

_MIB = 1024 * 1024


def own_output() -> BinaryIO:
    """Return the pipe to the parent, and let whatever a library prints go to standard error."""
    pipe = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # A word of a library between two frames would end the worker as one that is damaged.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return pipe


def limit_memory(size_mib: int) -> str:
    """Bound the address space. Return why not where the platform cannot, "" where it can."""
    if sys.platform == "win32":
        return "Windows has no such limit"
    size = size_mib * _MIB
    return _reason(lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size)))


def end_with_parent() -> None:
    """Have the system end this process with its parent, where it can (Linux).

    A worker that is idle ends when its pipe closes; one that is busy with a page would not see it.
    """
    if sys.platform == "linux":
        _reason(lambda: kernel.end_with_parent(signal.SIGKILL))


def limit_computing(seconds: float) -> None:
    """Have the kernel end this process once it has computed for so long from now on; 0 lifts that.

    Whoever gave the work has a clock of their own; this one holds where theirs has stopped.
    """
    if sys.platform != "win32":
        # SIGPROF ends a process that has no handler for it.
        signal.setitimer(signal.ITIMER_PROF, seconds)


def only_compute(memory: str) -> Protections:
    """Leave this process its memory, its processor and the pipes that are open, as far as can be.

    Everything that it is ever to load must be loaded. `memory` is what `limit_memory` said.
    No failure: what the system lacks is told.
    """
    missing = {Protection.MEMORY: memory} if memory else dict[Protection, str]()
    if sys.platform == "win32":
        reason = "Windows does not have it"
        return Protections({**missing, **dict.fromkeys(_OTHERS, reason)})
    _preload_time_zone()
    os.chdir("/")
    found = Protections()
    if sys.platform == "linux":
        # Before the rights are dropped that it brings, and the filter ends whoever asks for it.
        missing[Protection.NAMESPACE] = _reason(kernel.leave_network)
        # The move into a namespace may have taken this back.
        end_with_parent()
        _reason(kernel.gain_nothing)
        _reason(kernel.disable_core_dumps)
        found, missing[Protection.LANDLOCK] = _landlock()
        # Root, and whoever entered a namespace, could lift the limits again.
        _reason(kernel.drop_capabilities)
        missing[Protection.LIMITS] = _reason(_open_nothing)
        # Last: it takes from this process what the others needed.
        missing[Protection.SECCOMP] = _reason(
            lambda: kernel.install(kernel.COMPUTE, kernel.SeccompAction.UNKNOWN)
        )
    else:
        missing[Protection.LIMITS] = _reason(_open_nothing)
        missing.update(dict.fromkeys(_OF_LINUX, "only Linux has it"))
    return replace(found, missing={name: why for name, why in missing.items() if why})


_OF_LINUX = (Protection.NAMESPACE, Protection.LANDLOCK, Protection.SECCOMP)
_OTHERS = (Protection.LIMITS, *_OF_LINUX)


def only_convert(folder: str, memory_mib: int, seconds: int, size_mib: int) -> None:
    """Leave a program that this process becomes one folder to write into, no network, and so much of the machine.

    It may read what its user may. No failure: what the system lacks is left out.
    """
    if sys.platform == "win32":
        return
    limit_memory(memory_mib)
    for limit, value in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, size_mib * _MIB),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (value, value))
    if sys.platform == "linux":
        _reason(kernel.leave_network)
        end_with_parent()
        _reason(kernel.gain_nothing)
        _reason(lambda: kernel.deny(reading=False, network=True, but=folder))
        _reason(kernel.drop_capabilities)


def only_converse() -> None:
    """Leave this process the network and what it may read, where the system can (Linux).

    It changes no file, starts no program and looks into no other process from now on. Called
    before the first thread begins.
    """
    if sys.platform != "linux":
        return
    _reason(kernel.gain_nothing)
    _reason(kernel.disable_core_dumps)
    _reason(lambda: kernel.deny(reading=False, network=False))
    _reason(lambda: kernel.install(kernel.CONVERSE, kernel.SeccompAction.ALLOW))


def _landlock() -> tuple[Protections, str]:
    try:
        return Protections(landlock=kernel.deny(reading=True, network=True)), ""
    except OSError as exc:
        return Protections(), _error_text(exc)


def _open_nothing() -> None:
    """Let no file be opened, grow or be dumped, and no process be started."""
    assert sys.platform != "win32"
    nothing = (0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, nothing)
    resource.setrlimit(resource.RLIMIT_FSIZE, nothing)
    # Counted over all processes of the user: with 0 none can be added.
    resource.setrlimit(resource.RLIMIT_NPROC, nothing)
    # What is open stays open. This holds for sockets, too.
    resource.setrlimit(resource.RLIMIT_NOFILE, nothing)


def _preload_time_zone() -> None:
    """Have the C library keep the time zone: without a name it looks for the file again and again."""
    assert sys.platform != "win32"
    os.environ.setdefault("TZ", ":/etc/localtime")
    time.tzset()


def _reason(change: Callable[[], object]) -> str:
    """Do something that the system may refuse, and return why it did, or ""."""
    try:
        change()
    except (OSError, ValueError) as exc:
        return _error_text(exc)
    return ""


def _error_text(exc: OSError | ValueError) -> str:
    return getattr(exc, "strerror", None) or str(exc)
