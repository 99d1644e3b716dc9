"""Calls to the Linux kernel for which Python has no function: Landlock and seccomp.

All raise OSError where it refuses.
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
from functools import cache

# From <linux/prctl.h>.
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 4, 38
# From <linux/sched.h>.
_CLONE_NEWUSER, _CLONE_NEWNET = 0x1000_0000, 0x4000_0000
# From <linux/capability.h>.
_CAPABILITY_VERSION_3 = 0x2008_0522


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


def disable_core_dumps() -> None:
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


# From <linux/landlock.h>: it takes rights on files, and more, away from a process.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_BENEATH = 1
_ASK_VERSION = 1

# LANDLOCK_ACCESS_FS_*: the first bit, counted from 0, that a version of the interface does not know.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_EXECUTE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 2, 1 << 3
_MAKE_SOCKET = 1 << 9
# Those on files, and not on folders: write, read, truncate, control a device.
_OF_FILES = 1 << 1 | _READ_FILE | 1 << 14 | 1 << 15
_NETWORK_FROM, _SCOPES_FROM = 4, 6
# LANDLOCK_ACCESS_NET_*: bind and connect by TCP.
_NETWORK_RIGHTS = 0b11
# LANDLOCK_SCOPE_*: Unix sockets without a file, and signals, of processes that are not confined.
_SCOPES = 0b11


def version() -> int:
    """Return the version of the interface that the kernel has."""
    return syscall(_CREATE_RULESET, 0, 0, _ASK_VERSION)


def deny(*, reading: bool, network: bool, but: str = "") -> int:
    """Take from this process what Landlock can take, and return the version of the interface.

    No file can be changed, and none be executed, afterwards; none be read either with `reading`.
    Files that are open already stay usable, and so does what lies in the folder `but`, where one is given: programs may
    be executed then. `gain_nothing` comes first.

    Raises:
        OSError: the kernel has no Landlock.
    """
    has = version()
    files = (1 << _FILE_RIGHTS[min(has, max(_FILE_RIGHTS))]) - 1
    if not reading:
        files &= ~(_READ_FILE | _READ_DIR)
    files &= ~_EXECUTE if but else ~0
    fields = [files]
    if has >= _NETWORK_FROM:
        fields.append(_NETWORK_RIGHTS if network else 0)
    if has >= _SCOPES_FROM:
        fields.append(_SCOPES if network else _SCOPES & ~1)
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    address = ctypes.cast(buffer, ctypes.c_void_p)
    ruleset = syscall(_CREATE_RULESET, address, len(attributes), 0)
    try:
        # Without such a folder nothing is allowed again by a rule: what is open is all that is left.
        # A program makes its sockets in /tmp, where it may change nothing that is there.
        for place, allowed in ((but, files), ("/dev/null", _OF_FILES), ("/tmp", _MAKE_SOCKET)):  # noqa: S108
            if but:
                _allow(ruleset, place, files & allowed)
        syscall(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return has


# O_PATH and O_CLOEXEC of Linux' include/uapi/asm-generic/fcntl.h: no other system has the first.
_PATH_ALONE = 0o10000000 | 0o2000000


def _allow(ruleset: int, place: str, files: int) -> None:
    descriptor = os.open(place, _PATH_ALONE)
    try:
        rule = ctypes.create_string_buffer(struct.pack("=Qi", files, descriptor))
        syscall(_ADD_RULE, ruleset, _BENEATH, ctypes.cast(rule, ctypes.c_void_p), 0)
    finally:
        os.close(descriptor)


# Numbers of system calls: (x86_64, aarch64), None where a machine does not have that call.
#
# From Linux' arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h. Numbers
# are never given away twice, so that a table never grows wrong; calls from 424 on have one number on
# all machines.
Numbers = dict[str, tuple[int | None, int | None]]

# What computing in memory, over pipes that are open, takes.
COMPUTING: Numbers = {
    "read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66), "close": (3, 57),
    "fstat": (5, 80), "lseek": (8, 62), "mmap": (9, 222), "mprotect": (10, 226),
    "munmap": (11, 215), "mremap": (25, 216), "brk": (12, 214), "madvise": (28, 233),
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
    "sigaltstack": (131, 132), "restart_syscall": (219, 128), "futex": (202, 98),
    "sched_yield": (24, 124), "sched_getaffinity": (204, 123), "getpid": (39, 172),
    "gettid": (186, 178), "getppid": (110, 173), "getuid": (102, 174), "geteuid": (107, 175),
    "getgid": (104, 176), "getegid": (108, 177), "clock_gettime": (228, 113),
    "clock_getres": (229, 114), "clock_nanosleep": (230, 115), "nanosleep": (35, 101),
    "gettimeofday": (96, 169), "time": (201, None), "getitimer": (36, 102),
    "setitimer": (38, 103), "times": (100, 153), "getrusage": (98, 165), "uname": (63, 160),
    "getrandom": (318, 278), "rseq": (334, 293), "set_robust_list": (273, 99),
    "exit": (60, 93), "exit_group": (231, 94),
}  # fmt: skip

# Calls that name a file. Libraries try them without need, for a cache or a time zone.
FILES: Numbers = {
    "open": (2, None), "openat": (257, 56), "openat2": (437, 437), "creat": (85, None),
    "stat": (4, None), "lstat": (6, None), "newfstatat": (262, 79), "statx": (332, 291),
    "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439),
    "readlink": (89, None), "readlinkat": (267, 78), "getdents64": (217, 61),
    "mkdir": (83, None), "mkdirat": (258, 34), "unlink": (87, None), "unlinkat": (263, 35),
    "rename": (82, None), "renameat": (264, 38), "renameat2": (316, 276),
}  # fmt: skip

NETWORK: Numbers = {
    "socket": (41, 198), "socketpair": (53, 199), "connect": (42, 203), "bind": (49, 200),
    "listen": (50, 201), "accept": (43, 202), "accept4": (288, 242), "sendto": (44, 206),
    "sendmsg": (46, 211), "sendmmsg": (307, 269), "recvfrom": (45, 207), "recvmsg": (47, 212),
    "recvmmsg": (299, 243),
}  # fmt: skip

PROGRAMS: Numbers = {
    "execve": (59, 221), "execveat": (322, 281), "fork": (57, None), "vfork": (58, None),
}  # fmt: skip

# The same two calls make threads and processes.
CLONES: Numbers = {"clone": (56, 220), "clone3": (435, 435)}

SIGNALS: Numbers = {
    "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
}  # fmt: skip

# Ways into other processes, and into parts of the kernel in which holes were found again and again.
INTRUSIONS: Numbers = {
    "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424), "pidfd_getfd": (438, 438),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "kcmp": (312, 272), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429),
    "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "unshare": (272, 97), "setns": (308, 268), "bpf": (321, 280),
    "perf_event_open": (298, 241), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "userfaultfd": (323, 282), "memfd_create": (319, 279),
    "memfd_secret": (447, 447), "add_key": (248, 217), "request_key": (249, 218),
    "keyctl": (250, 219), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "kexec_load": (246, 104), "kexec_file_load": (320, 294),
    "open_by_handle_at": (304, 265),
}  # fmt: skip


# From <linux/seccomp.h>, <linux/filter.h>, <linux/bpf_common.h> and <linux/audit.h>.
_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
# struct seccomp_data: the number of the call, then the machine that it is made for.
_NUMBER_AT, _MACHINE_AT = 0, 4
# Set in all numbers of x32, a second set of calls on x86_64.
_X32 = 0x4000_0000
_INSTRUCTION = struct.Struct("=HBBI")


class SeccompAction(IntEnum):
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

Rules = tuple[tuple[Numbers, SeccompAction], ...]

# A process that computes. What it never does by accident ends it.
COMPUTE: Rules = (
    (COMPUTING, SeccompAction.ALLOW),
    (FILES, SeccompAction.REFUSE),
    (NETWORK, SeccompAction.END),
    (PROGRAMS, SeccompAction.END),
    (CLONES, SeccompAction.END),
    (SIGNALS, SeccompAction.END),
    (INTRUSIONS, SeccompAction.END),
)
# A process that speaks to the network from several threads, and starts no program.
CONVERSE: Rules = (
    (PROGRAMS, SeccompAction.END),
    (INTRUSIONS, SeccompAction.END),
)


def this_machine() -> Machine:
    """Return the machine on which this process runs.

    Raises:
        OSError: there is no table of its system calls.
    """
    assert sys.platform != "win32"
    name = os.uname().machine
    # A process of 32 bits uses other numbers than its kernel.
    if sys.maxsize <= 2**32 or sys.byteorder != "little" or name not in MACHINES:
        raise OSError(errno.ENOSYS, f"the system calls of {name} are not known")
    return MACHINES[name]


def program(rules: Rules, otherwise: SeccompAction, machine: Machine) -> bytes:
    """Return the filter as the kernel takes it: the first rule that names a call decides."""
    lines = [
        (_LOAD, 0, 0, _MACHINE_AT),
        (_EQUAL, 1, 0, machine.audit),
        (_RETURN, 0, 0, SeccompAction.END),
        (_LOAD, 0, 0, _NUMBER_AT),
        # No table of a machine is that long, so the rule does no harm elsewhere.
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, SeccompAction.END),
        *_judgements(rules, machine),
        (_RETURN, 0, 0, otherwise),
    ]
    return b"".join(_INSTRUCTION.pack(*line) for line in lines)


def install(rules: Rules, otherwise: SeccompAction) -> None:
    """Judge all calls of this thread, and of those that it starts, from now on and for ever.

    `gain_nothing` comes first.

    Raises:
        OSError: the kernel has no seccomp, or this machine is not known.
    """
    code = program(rules, otherwise, this_machine())
    buffer = ctypes.create_string_buffer(code, len(code))
    head = struct.pack("@HP", len(code) // _INSTRUCTION.size, ctypes.addressof(buffer))
    description = ctypes.create_string_buffer(head, len(head))
    prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.cast(description, ctypes.c_void_p))


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _judgements(rules: Rules, machine: Machine) -> Iterable[tuple[int, int, int, int]]:
    for numbers, action in rules:
        for both in numbers.values():
            if (number := both[machine.column]) is not None:
                yield _EQUAL, 0, 1, number
                yield _RETURN, 0, 0, action
