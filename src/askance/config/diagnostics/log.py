"""The program's own log: one JSON object a line, in one file for all processes of this user.

The window and any number of commands write at once, which `RotatingFileHandler` cannot: each would
rotate the file under the others' hands. Here every record is appended with one write to the file that
has the name just then, and whoever finds it full rotates it under a lock. A process that has opened the
file while another rotates it writes into the older part: no line is lost or torn.

Nothing a person typed or read belongs into a record: neither a question, nor a page's text, address or
name, nor the text of an error, which may quote them. Other libraries' records never enter it, because
theirs do.
"""

from __future__ import annotations

import json
import logging
import os
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, cast

from askance.config.private_files import append, make_folder, open_lock, try_lock

LARGEST_BYTES = 1_000_000
MOST_FILES = 3
"""So many older parts are stored beside the file."""
_LONGEST = 2_000
_OWN = logging.getLogger("askance")
# What every record has, whether anything was given as `extra` or not.
_USUAL = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
_HEAD = ("time", "level", "logger", "message")


class JsonLines(logging.Formatter):
    """Writes a record as one line of ASCII, so that no terminal obeys anything in it."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without its end."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage()[:_LONGEST],
            "pid": record.process,
        }
        line |= {k: v for k, v in vars(record).items() if k not in _USUAL and k not in line}
        # The text of a value that is none of JSON's may be anything.
        return json.dumps(line, default=lambda value: type(value).__name__)


class LogFile(logging.Handler):
    """Appends records to a file. A disk that is full or cannot be written costs the record alone."""

    def __init__(self, file: Path, *, largest_bytes: int = LARGEST_BYTES) -> None:
        super().__init__()
        self._file, self._largest_bytes = file, largest_bytes
        self._has_folder = self._is_torn = False
        self.setFormatter(JsonLines())

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        try:
            # A line that a full disk has cut must not take the next one with it.
            line = ("\n" if self._is_torn else "") + self.format(record) + "\n"
            self._is_torn = True
            size = self._append(line.encode("ascii"))
            self._is_torn = False
            if size >= self._largest_bytes:
                self._rotate()
        except Exception:  # noqa: BLE001 - whatever it is: who logs has something else to do
            return

    def _append(self, line: bytes) -> int:
        if not self._has_folder:
            make_folder(self._file.parent)
            self._has_folder = True
        try:
            return append(self._file, line)
        except FileNotFoundError:  # somebody has removed the folder
            make_folder(self._file.parent)
            return append(self._file, line)

    def _rotate(self) -> None:
        lock = open_lock(self._file.with_name(f"{self._file.name}.lock"))
        try:
            if not try_lock(lock) or self._file.stat().st_size < self._largest_bytes:
                return  # another process does it, or has done it
            newer = parts(self._file)
            for older, part in pairwise(newer):
                if part.exists():
                    os.replace(part, older)  # noqa: PTH105 - as everywhere
        finally:
            os.close(lock)


def parts(file: Path) -> list[Path]:
    """Return the places of the log's parts, the oldest first and the file itself last."""
    return [*(file.with_name(f"{file.name}.{n}") for n in range(MOST_FILES, 0, -1)), file]


@contextmanager
def logging_to(file: Path) -> Generator[None]:
    """Let what this program logs go into the file, for as long as the context lasts."""
    before, handler = _OWN.level, LogFile(file)
    _OWN.setLevel(logging.INFO)
    _OWN.addHandler(handler)
    try:
        yield
    finally:
        _OWN.removeHandler(handler)
        _OWN.setLevel(before)


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One record. `time` is ISO 8601 in UTC; `details` is what was given besides."""

    time: str
    level: str
    logger: str
    message: str
    details: dict[str, Any]

    @property
    def full_text(self) -> str:
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
        data: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    fields = cast("dict[str, Any]", data)
    match [fields.pop(name, None) for name in _HEAD]:
        case [str(at), str(level), str(logger), str(message)]:
            return LogEntry(at, level, logger, message, fields)
        case _:
            return None
