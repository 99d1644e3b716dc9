"""Which files of a folder are opened, by whomever: Qt's own code opens without asking Python."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

only_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="who opens a file is told by inotify: run it on Linux"
)
_OPENED = 0x20
_NOT_WAITING = os.O_NONBLOCK


class OpenedFiles:
    """Tells whether something below a folder was opened since the last time it was asked."""

    def __init__(self, folder: Path) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self._handle = libc.inotify_init1(_NOT_WAITING)
        watched = libc.inotify_add_watch(self._handle, os.fsencode(folder), _OPENED)
        assert min(self._handle, watched) >= 0, os.strerror(ctypes.get_errno())

    def close(self) -> None:
        os.close(self._handle)

    @property
    def any(self) -> bool:
        try:
            return bool(os.read(self._handle, 65_536))
        except BlockingIOError:
            return False


@contextmanager
def opened_files(folder: Path) -> Iterator[OpenedFiles]:
    """Watch a folder."""
    watching = OpenedFiles(folder)
    try:
        yield watching
    finally:
        watching.close()
