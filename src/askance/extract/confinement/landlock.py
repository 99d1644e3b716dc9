"""Landlock: the kernel takes rights on files, and more, away from a process. From <linux/landlock.h>."""

from __future__ import annotations

import ctypes
import os
import struct

from askance.extract.confinement import kernel

_CREATE_RULESET, _RESTRICT_SELF = 444, 446
_ASK_VERSION = 1

# LANDLOCK_ACCESS_FS_*: the first bit, counted from 0, that a version of the interface does not know.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
_NETWORK_FROM, _SCOPES_FROM = 4, 6
# LANDLOCK_ACCESS_NET_*: bind and connect by TCP.
_NETWORK_RIGHTS = 0b11
# LANDLOCK_SCOPE_*: Unix sockets without a file, and signals, of processes that are not confined.
_SCOPES = 0b11


def version() -> int:
    """Return the version of the interface that the kernel has."""
    return kernel.syscall(_CREATE_RULESET, 0, 0, _ASK_VERSION)


def deny(*, reading: bool, network: bool) -> int:
    """Take from this process what Landlock can take, and return the version of the interface.

    No file can be changed, and none be executed, afterwards; none be read either with `reading`.
    Files that are open already stay usable. `kernel.gain_nothing` comes first.

    Raises:
        OSError: the kernel has no Landlock.
    """
    has = version()
    files = (1 << _FILE_RIGHTS[min(has, max(_FILE_RIGHTS))]) - 1
    if not reading:
        files &= ~(_READ_FILE | _READ_DIR)
    fields = [files]
    if has >= _NETWORK_FROM:
        fields.append(_NETWORK_RIGHTS if network else 0)
    if has >= _SCOPES_FROM:
        fields.append(_SCOPES if network else _SCOPES & ~1)
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    address = ctypes.cast(buffer, ctypes.c_void_p)
    ruleset = kernel.syscall(_CREATE_RULESET, address, len(attributes), 0)
    try:
        # Nothing is allowed again by a rule: what is open is all that is left.
        kernel.syscall(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return has
