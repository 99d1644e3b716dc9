"""Seccomp: a small program in the kernel that judges each system call of this process.

From <linux/seccomp.h>, <linux/filter.h>, <linux/bpf_common.h> and <linux/audit.h>.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from askance.extract.confinement import kernel, syscalls
from askance.extract.confinement.syscalls import Numbers

_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
# struct seccomp_data: the number of the call, then the machine that it is made for.
_NUMBER_AT, _MACHINE_AT = 0, 4
# Set in all numbers of x32, a second set of calls on x86_64.
_X32 = 0x4000_0000
_INSTRUCTION = struct.Struct("=HBBI")


class Action(IntEnum):
    """What becomes of a call: it is made, it fails, or the process is ended by SIGSYS."""

    ALLOW = 0x7FFF_0000
    # As of a file that may not be read.
    REFUSE = 0x0005_0000 | errno.EACCES
    # As of a call that the kernel does not have: libraries then do without.
    UNKNOWN = 0x0005_0000 | errno.ENOSYS
    END = 0x8000_0000


@dataclass(frozen=True, slots=True)
class Machine:
    """A processor: how the kernel calls it, and which of the two numbers of a call are its own."""

    audit: int
    column: int


MACHINES = {"x86_64": Machine(0xC000_003E, 0), "aarch64": Machine(0xC000_00B7, 1)}

Rules = tuple[tuple[Numbers, Action], ...]

# A process that computes. What it never does by accident ends it.
COMPUTE: Rules = (
    (syscalls.COMPUTING, Action.ALLOW),
    (syscalls.FILES, Action.REFUSE),
    (syscalls.NETWORK, Action.END),
    (syscalls.PROGRAMS, Action.END),
    (syscalls.CLONES, Action.END),
    (syscalls.SIGNALS, Action.END),
    (syscalls.INTRUSIONS, Action.END),
)
# A process that speaks to the network from several threads, and starts no program.
CONVERSE: Rules = (
    (syscalls.PROGRAMS, Action.END),
    (syscalls.INTRUSIONS, Action.END),
)


def this_machine() -> Machine:
    """Return the machine on which this process runs.

    Raises:
        OSError: there is no table of its system calls.
    """
    name = os.uname().machine
    # A process of 32 bits uses other numbers than its kernel.
    if sys.maxsize <= 2**32 or sys.byteorder != "little" or name not in MACHINES:
        raise OSError(errno.ENOSYS, f"the system calls of {name} are not known")
    return MACHINES[name]


def program(rules: Rules, otherwise: Action, machine: Machine) -> bytes:
    """Return the filter as the kernel takes it: the first rule that names a call decides."""
    lines = [
        (_LOAD, 0, 0, _MACHINE_AT),
        (_EQUAL, 1, 0, machine.audit),
        (_RETURN, 0, 0, Action.END),
        (_LOAD, 0, 0, _NUMBER_AT),
        # No table of a machine is that long, so the rule does no harm elsewhere.
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, Action.END),
        *_judgements(rules, machine),
        (_RETURN, 0, 0, otherwise),
    ]
    return b"".join(_INSTRUCTION.pack(*line) for line in lines)


def _judgements(rules: Rules, machine: Machine) -> Iterable[tuple[int, int, int, int]]:
    for numbers, action in rules:
        for both in numbers.values():
            if (number := both[machine.column]) is not None:
                yield _EQUAL, 0, 1, number
                yield _RETURN, 0, 0, action


def install(rules: Rules, otherwise: Action) -> None:
    """Judge all calls of this thread, and of those that it starts, from now on and for ever.

    `kernel.gain_nothing` comes first.

    Raises:
        OSError: the kernel has no seccomp, or this machine is not known.
    """
    code = program(rules, otherwise, this_machine())
    buffer = ctypes.create_string_buffer(code, len(code))
    head = struct.pack("@HP", len(code) // _INSTRUCTION.size, ctypes.addressof(buffer))
    description = ctypes.create_string_buffer(head, len(head))
    kernel.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.cast(description, ctypes.c_void_p))
