"""Files of others, opened for reading only if they are regular files: pipes and devices have no end."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path
from typing import BinaryIO

from askance.domain.errors import StorageError
from askance.domain.messages import Message

_READING = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
# What has taken the place of a file between the two looks at it is not waited for.
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)


class NotRegular(OSError):
    """Something is no regular file: a pipe, a socket, a device, a folder."""


def open_regular(
    file: Path | str, *, dir_fd: int | None = None, follow_links: bool = True
) -> BinaryIO:
    """Open a file for reading bytes. With `dir_fd` its name is relative to that open folder.

    The stream ends where the file ended when it was opened, so one that grows has an end, too.

    Raises:
        NotRegular: it is no regular file. Such a thing is not opened.
        OSError: it cannot be opened.
    """
    _require_regular(os.stat(file, dir_fd=dir_fd, follow_symlinks=follow_links))
    reading = _READING | _NO_WAIT | (0 if follow_links else _NO_LINK)
    descriptor = os.open(file, reading, dir_fd=dir_fd)
    try:
        opened = os.fstat(descriptor)
        _require_regular(opened)
    except OSError:
        os.close(descriptor)
        raise
    return io.BufferedReader(_Part(descriptor, opened.st_size))


def _require_regular(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise NotRegular("it is no regular file")


class _Part(io.FileIO):
    """The first `size` bytes of an open file."""

    def __init__(self, descriptor: int, size: int) -> None:
        super().__init__(descriptor, "rb")
        self._left = size

    def readinto(self, buffer: bytearray | memoryview) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        view = memoryview(buffer)[: self._left]
        read = super().readinto(view) or 0
        self._left -= read
        return read

    def read(self, size: int | None = -1, /) -> bytes:
        wanted = self._left if size is None or size < 0 else min(size, self._left)
        data = super().read(wanted) or b""
        self._left -= len(data)
        return data

    def readall(self) -> bytes:
        parts: list[bytes] = []
        while part := self.read(self._left):
            parts.append(part)
        return b"".join(parts)


def out_of_reach(error: OSError, name: str, file: Path) -> StorageError:
    """Return what a person can do where the file system itself refuses."""
    problem = Message(
        "{name}, {file}, cannot be opened: {problem}.", name=name, file=file, problem=error
    )
    fix = Message("Make its folder writable, or set ASKANCE_HOME to a folder of yours.")
    return StorageError(problem, fix=fix)
