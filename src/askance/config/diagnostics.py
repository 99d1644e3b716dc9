"""What the program writes down about itself: its log, and reports of its crashes. Nothing is sent.

The log has one JSON object a line, in one file for all processes of this user. The window and any number of
commands write at once, which `RotatingFileHandler` cannot: each would rotate the file under the others'
hands. Here every record is appended with one write to the file that has the name just then, and whoever
finds it full rotates it under a lock. A process that has opened the file while another rotates it writes
into the older part: no line is lost or torn.

Nothing a person typed or read belongs into a record: neither a question, nor a page's text, address or
name, nor the text of an error, which may quote them. Other libraries' records never enter it, because
theirs do.
"""

from __future__ import annotations

import faulthandler
import json
import logging
import os
import platform
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Generator, Iterable
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any, cast

from askance import __version__
from askance.config.folders import Folders
from askance.config.private_files import append, make_folder, open_lock, replace_file, try_lock
from askance.domain.errors import place_of

LARGEST_BYTES = 1_000_000
MOST_FILES = 3
"""So many older parts are stored beside the file."""
_LONGEST = 2_000
# Not the root logger: other libraries log addresses and texts.
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
            # Which closes one that others could look into.
            make_folder(self._file.parent)
            self._has_folder = True
        try:
            return append(self._file, line)
        # The folder was removed meanwhile.
        except FileNotFoundError:
            make_folder(self._file.parent)
            return append(self._file, line)

    def _rotate(self) -> None:
        lock = open_lock(self._file.with_name(f"{self._file.name}.lock"))
        try:
            # The size is checked again under the lock: another process may have rotated it since.
            if not try_lock(lock) or self._file.stat().st_size < self._largest_bytes:
                return
            newer = parts(self._file)
            # From the oldest on, which is overwritten: each part takes the next older name.
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


def last_entries(file: Path, most: int) -> list[LogEntry]:
    """Return the last entries of a log, the newest last. A file that cannot be read has none."""
    found: deque[LogEntry] = deque(maxlen=most)
    for part in parts(file):
        with suppress(OSError):
            found.extend(_entries(part.read_bytes()))
    return list(found)


def _entries(text: bytes) -> list[LogEntry]:
    found = (_entry(line) for line in text.splitlines())
    return [entry for entry in found if entry is not None]


def _entry(line: bytes) -> LogEntry | None:
    try:
        data: Any = json.loads(line)
    # RecursionError: thousands of brackets are nested too deep for the parser.
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


# Reports of crashes: private files that stay on this machine until their owner deletes them, and
# what is set up so that they are written.
#
# A report has the version, the platform, where in the program it happened, and the last lines of
# the log. It has no values: neither local variables nor, for most errors, their text, which may
# quote what was asked or read.

MOST_REPORTS = 10
"""So many reports are stored."""
FAULT_SUFFIX = ".fault"
"""What `faulthandler` writes into, one file for each process."""
_SUFFIX = ".txt"
_REPORTED = "told"
_LOG_LINES = 30
_MOST_FRAMES = 60
_MOST_ERRORS = 8
_LARGEST_FAULT = 100_000
_CRASHED = (b"Fatal Python error", b"fatal exception")
# Their text is about the program, not about what it works on.
_SPEAKING = {
    *(AttributeError, ImportError, ModuleNotFoundError, NameError, UnboundLocalError),
    *(RecursionError, TypeError, ZeroDivisionError),
}
# A slot that fails may do so with every frame that is drawn.
_MOST_REPORTS = 5
_log = logging.getLogger(__name__)


@contextmanager
def reporting(folders: Folders) -> Generator[None]:
    """Leave a report of every error that nobody handles, in whatever thread, and of `report`.

    What is printed besides, such as a traceback on the error stream, is printed as before.
    """
    reporter = _Reporter(folders)
    before, thread_before = sys.excepthook, threading.excepthook

    def hook(kind: type[BaseException], error: BaseException, place: TracebackType | None) -> None:
        report(error)
        before(kind, error, place)

    def thread_hook(ended: threading.ExceptHookArgs) -> None:
        if ended.exc_value is not None:
            report(ended.exc_value)
        thread_before(ended)

    # Of the whole process: hooks, slots and threads report from wherever they fail.
    _Now.reporter = reporter
    sys.excepthook, threading.excepthook = hook, thread_hook
    try:
        yield
    except Exception as exc:
        report(exc)
        raise
    finally:
        _Now.reporter = None
        sys.excepthook, threading.excepthook = before, thread_before


@contextmanager
def logged(folders: Folders, program: str) -> Generator[None]:
    """Log the start and the end of a program, and keep what a crash below Python leaves.

    `program` names what it does: `window`, or a command. Nothing is raised where the folder cannot
    be written.
    """
    with ExitStack() as stack:
        stack.enter_context(logging_to(folders.log))
        stack.enter_context(_faults_recorded(folders))
        begun = time.monotonic()
        details = {"program": program, "version": __version__, "system": system()}
        _log.info("Started.", extra=details | {"python": sys.version.split()[0]})
        try:
            yield
        except Exception as exc:
            _log.critical(
                "Ended by an unhandled error: %s", place_of(exc), extra={"program": program}
            )
            raise
        seconds = round(time.monotonic() - begun, 1)
        _log.info("Ended.", extra={"program": program, "seconds": seconds})


def report(error: BaseException) -> None:
    """Leave a report of an error that nobody expected, if this program is watched over."""
    if _Now.reporter is not None and isinstance(error, Exception):
        _Now.reporter.report(error)


def write_report(folders: Folders, error: BaseException) -> Path | None:
    """Write a report of an error that nobody expected. None where it cannot be written."""
    return _write(folders, "\n".join(_errors(error)))


def reports(folders: Folders) -> list[Path]:
    """Return all reports, the oldest first."""
    try:
        return sorted(file for file in folders.crashes.iterdir() if file.suffix == _SUFFIX)
    except OSError:
        return []


def new_reports(folders: Folders) -> list[Path]:
    """Return the reports that were shown to nobody yet, the oldest first.

    What a process that is gone has left of a crash below Python becomes a report first.
    """
    _gather_faults(folders)
    reported = _reported(folders)
    return [file for file in reports(folders) if file.name not in reported]


def mark_reported(folders: Folders, files: Iterable[Path]) -> None:
    """Remember that these reports were shown."""
    names = _reported(folders) | {file.name for file in files}
    # Names of deleted reports are dropped, or the file would grow for ever.
    names_left = sorted(names & {file.name for file in reports(folders)})
    with suppress(OSError):
        replace_file(folders.crashes / _REPORTED, "\n".join(names_left).encode())


def delete_reports(folders: Folders) -> None:
    """Delete all reports.

    Raises:
        OSError: one of them cannot be deleted.
    """
    for file in reports(folders):
        file.unlink(missing_ok=True)


def system() -> str:
    """Return the system this runs on, without any name of the machine or its user."""
    # Not `platform.platform()`, which starts a program or asks a service on some systems.
    if sys.platform == "win32":
        found = sys.getwindowsversion()
        return f"Windows {found.major}.{found.minor}.{found.build} {os.environ.get('PROCESSOR_ARCHITECTURE', '')}"
    found = os.uname()
    return f"{found.sysname} {found.release} {found.machine}"


def head() -> str:
    """Return the first line of a report: what crashed, and on what."""
    return f"Askance {__version__}, Python {platform.python_version()}, {system()}"


def _write(folders: Folders, what: str, first: str = "") -> Path | None:
    now = datetime.now(UTC)
    lines = [f"{entry.time}  {entry.full_text}" for entry in last_entries(folders.log, _LOG_LINES)]
    text = "\n".join([
        *(first or head(), f"{now:%Y-%m-%d %H:%M:%S} UTC", "", what.rstrip(), ""),
        *("The last lines of the log:", *lines, ""),
    ])  # fmt: skip
    file = folders.crashes / f"crash-{now:%Y%m%d-%H%M%S-%f}-{os.getpid()}{_SUFFIX}"
    try:
        make_folder(folders.crashes)
        replace_file(file, _without_home(text).encode(errors="replace"))
        for old in reports(folders)[:-MOST_REPORTS]:
            old.unlink(missing_ok=True)
    except OSError:
        return None
    return file


def _without_home(text: str) -> str:
    """Return a text without the name of the user, which is part of most paths."""
    home = os.path.expanduser("~")  # noqa: PTH111 - Path.home() raises where there is none
    return text.replace(home + os.sep, "~" + os.sep) if len(home) > 1 else text


def _errors(error: BaseException) -> Iterable[str]:
    """Yield each error of a chain or a group, the one that was raised last first."""
    # Chains of exceptions can be circular.
    waiting, seen = [error], set[int]()
    while waiting and len(seen) < _MOST_ERRORS:
        found = waiting.pop(0)
        if id(found) in seen:
            continue
        seen.add(id(found))
        frames = traceback.extract_tb(found.__traceback__, -_MOST_FRAMES)
        yield "".join(["Traceback:\n", *traceback.format_list(frames), _named(found), "\n"])
        if isinstance(found, BaseExceptionGroup):
            waiting.extend(cast("BaseExceptionGroup[BaseException]", found).exceptions)
        cause = found.__cause__ or (None if found.__suppress_context__ else found.__context__)
        if cause is not None:
            waiting.append(cause)


def _named(error: BaseException) -> str:
    kind = type(error)
    name = (
        kind.__qualname__
        if kind.__module__ == "builtins"
        else f"{kind.__module__}.{kind.__qualname__}"
    )
    # Exactly these classes: a library's subclass may put anything into its text.
    if kind in _SPEAKING:
        return f"{name}: {error}"
    if isinstance(error, OSError) and error.strerror:
        return f"{name}: {error.strerror}"
    return name


def _reported(folders: Folders) -> set[str]:
    try:
        return set((folders.crashes / _REPORTED).read_text("utf-8").splitlines())
    except (OSError, ValueError):
        return set()


def _gather_faults(folders: Folders) -> None:
    """Make reports of what processes that are gone have left."""
    try:
        left = sorted(folders.crashes.glob(f"*{FAULT_SUFFIX}"))
    except OSError:
        return
    for file in left:
        with suppress(OSError):
            _gather_fault(folders, file)


def _gather_fault(folders: Folders, file: Path) -> None:
    handle = open_lock(file)
    try:
        # Whoever is still running has it locked.
        if not try_lock(handle):
            return
        written = os.read(handle, _LARGEST_FAULT)
    finally:
        os.close(handle)
    file.unlink()
    if any(sign in written for sign in _CRASHED):
        first, _, rest = written.decode(errors="replace").partition("\n")
        _write(folders, rest, first)


class _Reporter:
    """Writes a report for each place at which something went wrong."""

    def __init__(self, folders: Folders) -> None:
        self._folders = folders
        self._places: set[str] = set()
        self._lock = threading.Lock()

    def report(self, error: BaseException) -> None:
        with self._lock:
            place = place_of(error)
            if place in self._places or len(self._places) >= _MOST_REPORTS:
                return
            self._places.add(place)
            _log.critical("Unhandled error: %s", place)
            write_report(self._folders, error)


class _Now:
    reporter: _Reporter | None = None


@contextmanager
def _faults_recorded(folders: Folders) -> Generator[None]:
    """Let Python write where it was if the process crashes below it, into a file of its own.

    The file is locked for as long as the process lives, by which others see that it does.
    """
    # Enabled already, as by PYTHONFAULTHANDLER: what was set up there stays.
    if faulthandler.is_enabled():
        yield
        return
    file = folders.crashes / f"{os.getpid()}{FAULT_SUFFIX}"
    # Of processes that were killed: no window may ever come to look at them.
    _gather_faults(folders)
    try:
        make_folder(folders.crashes)
        handle = open_lock(file)
    except OSError:
        yield
        return
    try:
        with suppress(OSError):
            try_lock(handle)
            os.ftruncate(handle, 0)
            # Written now: at a crash `faulthandler` writes nothing but the stacks.
            os.write(handle, f"{head()}\n".encode())
        faulthandler.enable(handle)
        yield
    finally:
        faulthandler.disable()
        os.close(handle)
        with suppress(OSError):
            file.unlink()
