"""A file system of which a part never answers: `python -m servers.stalled_folder FOLDER WHAT`, with fusepy.

WHAT is `read`, `open` or `getattr` of the file m-stalled.md, or `readdir` of the folder m-stalled.
"""

from __future__ import annotations

import errno
import stat
import sys
import threading
from importlib import import_module
from typing import Any

# Not among what the tests need: without it they are skipped.
fuse: Any = import_module("fuse")
GOOD = {"a-good.md": b"The first heron note.\n", "z-good.md": b"The last heron note.\n"}
NAME = "/m-stalled"


class Stalled(fuse.Operations):
    """Two files, and between them one thing that never answers."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._name = NAME if what == "readdir" else f"{NAME}.md"

    def __call__(self, op: str, path: str, *arguments: Any) -> Any:
        """Answer, but for what stalls."""
        if op == self._what and path == self._name:
            threading.Event().wait()
        return super().__call__(op, path, *arguments)

    def getattr(self, path: str, _handle: Any = None) -> dict[str, float]:
        """Say what a path is."""
        times = {"st_mtime": 1.7e9, "st_ctime": 1.7e9, "st_atime": 1.7e9}
        if path in {"/", NAME}:
            return {"st_mode": stat.S_IFDIR | 0o755, "st_nlink": 2, **times}
        if path != self._name and path[1:] not in GOOD:
            raise fuse.FuseOSError(errno.ENOENT)
        size = len(GOOD.get(path[1:], b"x" * 4_000))
        return {"st_mode": stat.S_IFREG | 0o644, "st_nlink": 1, "st_size": size, **times}

    def readdir(self, _path: str, _handle: Any) -> list[str]:
        """Name what is there."""
        return [".", "..", self._name[1:], *GOOD]

    def read(self, path: str, size: int, offset: int, _handle: Any) -> bytes:
        """Return a piece of a file."""
        return GOOD[path[1:]][offset : offset + size]


if __name__ == "__main__":
    fuse.FUSE(Stalled(sys.argv[2]), sys.argv[1], foreground=True, nothreads=False)
