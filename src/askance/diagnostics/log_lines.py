"""Reading the program's own log."""

from __future__ import annotations

import json
import os
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from askance.diagnostics.log_file import parts

_HEAD = ("time", "level", "logger", "message")


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One record. `time` is ISO 8601 in UTC; `details` is what was given besides."""

    time: str
    level: str
    logger: str
    message: str
    details: dict[str, Any]

    @property
    def told(self) -> str:
        """All of it but its time. It may hold anything: clean it for a terminal."""
        details = (f"{k}={v}" for k, v in self.details.items() if k != "pid")
        name = self.logger.removeprefix("askance.")
        return " ".join([f"{self.level:<8} {name}: {self.message}", *details])


class LogReader:
    """Reads the last entries, and then those that come. Close it.

    A file that cannot be read has no entries; lines that are none are left out.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._open: BinaryIO | None = None
        self._begun = b""

    def last(self, most: int) -> list[LogEntry]:
        """Return so many entries at most, the newest last."""
        found: deque[LogEntry] = deque(maxlen=most)
        # Opened first: what is rotated away meanwhile is read from here, and what comes, by `more`.
        newest = self.more()
        for part in parts(self._file)[:-1]:
            with suppress(OSError):
                found.extend(_entries(part.read_bytes()))
        found.extend(newest)
        return list(found)

    def more(self) -> list[LogEntry]:
        """Return the entries that came since the last call, also where the log was rotated."""
        found = self._read()
        if self._was_rotated():
            found += self._read()
            self.close()
            found += self._read()
        return found

    def close(self) -> None:
        """Let go of the file."""
        if self._open is not None:
            self._open.close()
            self._open, self._begun = None, b""

    def _read(self) -> list[LogEntry]:
        try:
            if self._open is None:
                self._open = self._file.open("rb")
            text = self._begun + self._open.read()
        except OSError:
            return []
        whole, end, self._begun = text.rpartition(b"\n")
        return _entries(whole + end)

    def _was_rotated(self) -> bool:
        if self._open is None:
            return False
        try:
            here, there = self._file.stat(), os.fstat(self._open.fileno())
        except OSError:
            return False
        return here.st_ino != there.st_ino


def last_entries(file: Path, most: int) -> list[LogEntry]:
    """Return the last entries of a log, the newest last."""
    reader = LogReader(file)
    try:
        return reader.last(most)
    finally:
        reader.close()


def _entries(text: bytes) -> list[LogEntry]:
    found = (_entry(line) for line in text.splitlines())
    return [entry for entry in found if entry is not None]


def _entry(line: bytes) -> LogEntry | None:
    try:
        said: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict):
        return None
    fields = cast("dict[str, Any]", said)
    match [fields.pop(name, None) for name in _HEAD]:
        case [str(at), str(level), str(logger), str(message)]:
            return LogEntry(at, level, logger, message, fields)
        case _:
            return None
