"""Files of a folder opened as what the walk found them to be: no link, no pipe, and the same to the end."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

# A pipe that has taken the place of a file would be waited for without end.
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)


class Changing(Exception):
    """A file was written to while it was read: what was read of it may be half of each."""


@contextmanager
def opened_file(path: Path) -> Generator[BinaryIO]:
    """Open a file that was one when its folder was walked, and look that it stays as it is.

    Raises:
        Changing: on leaving, if it was written to meanwhile.
        OSError: it cannot be read, or is no file any more.
    """
    with os.fdopen(os.open(path, _FLAGS), "rb") as stream:
        before = os.fstat(stream.fileno())
        if not stat.S_ISREG(before.st_mode):
            raise OSError("it is no file any more")
        yield stream
        if _stamp(os.fstat(stream.fileno())) != _stamp(before):
            raise Changing


def read_file(path: Path, limit: int) -> bytes:
    """Return what is in a file, one byte more than `limit` at the most. It raises as `opened_file` does."""
    with opened_file(path) as stream:
        return stream.read(limit + 1)


def _stamp(told: os.stat_result) -> tuple[int, int]:
    return told.st_size, told.st_mtime_ns
