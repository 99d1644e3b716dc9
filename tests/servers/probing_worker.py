"""The real worker, on which some pages work as an attacker would who had taken it over.

`python probing_worker.py MEMORY_MIB CPU_S` is the worker; a page such as `read /etc/passwd` tries that.
`python probing_worker.py bare MEMORY_MIB CPU_S` is the same on a system that offers no protection.
`python probing_worker.py without-parsers MEMORY_MIB CPU_S` loads none: a page is its own text.
`python probing_worker.py with PROTECTION ATTEMPT...` tries each where that one protection alone holds,
or `nothing` does, and prints what was said of each and how it ended, as JSON.
"""

from __future__ import annotations

import ctypes
import errno
import json
import mmap
import os
import resource
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from askance.domain.web_pages import PageStatus
from askance.extract import extracted
from askance.extract.extracted import Extracted
from askance.extract.sandbox import confine, kernel
from askance.extract.sandbox import kernel as landlock
from askance.extract.sandbox import kernel as seccomp
from askance.extract.sandbox import kernel as syscalls
from askance.extract.worker import main

DONE = "done"


def _replies() -> int:
    """The pipe to the parent. A library in C may have opened a file of its own before it was made."""
    for descriptor in range(3, 64):
        try:
            os.lseek(descriptor, 0, os.SEEK_CUR)
        except OSError as exc:
            if exc.errno == errno.ESPIPE:
                return descriptor
    raise AssertionError("there is no pipe")


def _connect(port: str) -> None:
    with socket.socket() as sock:
        sock.connect(("127.0.0.1", int(port)))


def _fork(_: str) -> None:
    if os.fork() == 0:
        os._exit(0)
    os.wait()


def _trace(pid: str) -> None:
    if ctypes.CDLL(None, use_errno=True).ptrace(16, int(pid), None, None) == -1:
        raise OSError(ctypes.get_errno(), "ptrace")


def _know(name: str) -> None:
    if name not in os.environ:
        raise OSError(errno.ENOENT, name)


def _allocate(_: str) -> None:
    retained = []
    while True:
        retained.append(mmap.mmap(-1, 64 * 2**20))


def _flood(_: str) -> None:
    while True:
        os.write(_replies(), b"\xff" * 65_536)


def _lie(reply: str) -> None:
    os.write(_replies(), extracted.frame(reply.encode()))


def _compute(_: str) -> None:
    while True:
        pass


def _lift(_: str) -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, max(most, 64)))


ATTEMPTS: dict[str, Callable[[str], object]] = {
    "socket": lambda _: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close(),
    "connect": _connect,
    "read": lambda file: Path(file).read_bytes(),
    "write": lambda file: Path(file).write_text("taken", encoding="utf-8"),
    "look": lambda file: Path(file).stat(),
    "execute": lambda file: os.execv(file, [file]),  # noqa: S606
    "run": lambda file: subprocess.run([file], check=True),  # noqa: S603
    "fork": _fork,
    "signal": lambda pid: os.kill(int(pid), 10),
    "trace": _trace,
    "know": _know,
    "hold": lambda descriptor: os.lseek(int(descriptor), 0, os.SEEK_CUR),
    "allocate": _allocate,
    "flood": _flood,
    "lie": _lie,
    "compute": _compute,
    "lift": _lift,
}
PROTECTIONS: dict[str, Callable[[], object]] = {
    "nothing": lambda: None,
    "landlock": lambda: landlock.deny(reading=True, network=True),
    "namespace": kernel.leave_network,
    "limits": confine._open_nothing,
    "seccomp": lambda: seccomp.install(seccomp.COMPUTE, seccomp.SeccompAction.UNKNOWN),
    "conversation": confine.only_converse,
}


# prctl, capset, unshare, setrlimit, and the three calls of Landlock.
_OFFERS: syscalls.Numbers = {
    "prctl": (157, 167), "capset": (126, 91), "unshare": (272, 97),
    "prlimit64": (302, 261), "setrlimit": (160, 164), "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445), "landlock_restrict_self": (446, 446),
}  # fmt: skip


def attempt(what: str) -> str:
    """Try something, and return `done` or the name of the error."""
    name, _, argument = what.partition(" ")
    try:
        ATTEMPTS[name](argument)
    except OSError as exc:
        return errno.errorcode[exc.errno or 0]
    return DONE


def _no_parsers() -> ModuleType:
    """Return what stands for the parsers, which take most of a start."""
    module: Any = ModuleType("askance.extract.page")
    module.preload = lambda: None
    module.extract_page = lambda data, *_: Extracted(
        PageStatus.OK, markdown=data.decode(), words=len(data.split())
    )
    return module


def _extract(data: bytes, url: str, content_type: str) -> Extracted:
    if data.partition(b" ")[0].decode() not in ATTEMPTS:
        # Imported by `main`, after the measures that it takes before.
        from askance.extract.page import extract_page  # noqa: PLC0415

        return extract_page(data, url, content_type)
    return Extracted(PageStatus.OK, markdown=attempt(data.decode()), words=1)


def _alone(protection: str, what: str) -> tuple[str, int]:
    """Try something in a child that one protection holds; its status is 1 where there is none."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            PROTECTIONS[protection]()
        except OSError:
            os._exit(1)
        os.write(theirs, attempt(what).encode())
        os._exit(0)
    os.close(theirs)
    with open(ours, encoding="ascii") as pipe:  # noqa: PTH123 - no path
        text = pipe.read()
    return text, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    if sys.argv[1] == "with":
        kernel.gain_nothing()
        outcomes = [_alone(sys.argv[2], what) for what in sys.argv[3:]]
        os.write(1, json.dumps(outcomes).encode())
    else:
        if sys.argv[1] == "bare":
            del sys.argv[1]
            kernel.gain_nothing()
            seccomp.install(((_OFFERS, seccomp.SeccompAction.REFUSE),), seccomp.SeccompAction.ALLOW)
        if sys.argv[1] == "without-parsers":
            del sys.argv[1]
            sys.modules["askance.extract.page"] = _no_parsers()
        main(_extract)
