"""When the reader service was last heard, by whichever program of this user."""

from __future__ import annotations

import math
import os
import time
from contextlib import suppress
from pathlib import Path

from askance.config.private_files import create_file, make_folder


class LastHeard:
    """Remembers a moment, over the end of this program too: the file's own time of change."""

    def __init__(self, file: Path | None = None) -> None:
        """The file need not exist, nor be writable: this program's own memory then has to do."""
        self._file = file
        self._own = -math.inf

    def note(self) -> None:
        """The service was heard now."""
        self._own = time.monotonic()
        if self._file is None:
            return
        with suppress(OSError):
            try:
                os.utime(self._file)
            except FileNotFoundError:
                make_folder(self._file.parent)
                os.close(create_file(self._file))

    def seconds_ago(self) -> float:
        """Return how long ago that was, in seconds; infinite if it is not known."""
        own = time.monotonic() - self._own
        if self._file is None:
            return own
        try:
            others = time.time() - self._file.stat().st_mtime
        except OSError:
            return own
        # One that lies ahead is of a clock that has been set since.
        return min(own, others) if others >= 0 else own
