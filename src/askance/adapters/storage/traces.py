"""Traces: every recorded run as one file of JSON Lines, whole or not there at all.

A file has a header record, then one record an event, the last one its end.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BufferedWriter
from pathlib import Path
from typing import Any, Self, cast, get_args

from askance.config.folders import Folders
from askance.config.private_files import create_file, make_folder, put_in_place
from askance.config.settings import TraceSettings
from askance.domain.errors import InputError
from askance.domain.events import Answered, Cancelled, RunEnd, RunEvent
from askance.domain.history import (
    StoredTrace,
    TimedEvent,
    TraceSummary,
    from_record,
    to_record,
    type_name,
)
from askance.domain.messages import Message

VERSION = 1
# A run lasts minutes: an unfinished file this old was left by a process that was killed.
ABANDONED_AFTER_S = 86_400.0
_NAME = re.compile(r"\d{8}T\d{12}Z-[0-9a-f]{8}\.jsonl")
# Names in their order are runs in theirs.
_STAMP = "%Y%m%dT%H%M%S%fZ"


class TraceStore:
    """The folder of traces, of which the newest `most` stay.

    `on_error` is called with one plain sentence where the trace of a run cannot be stored.
    """

    def __init__(self, folder: Path, most: int, on_error: Callable[[str], None]) -> None:
        self._folder = folder
        self._most = most
        self._on_error = on_error

    def begin(self, question: str, started: datetime | None = None) -> TraceWriter:
        """Begin the trace of a run, now or at an aware time; never raises for the file's sake."""
        moment = (started or datetime.now(UTC)).astimezone(UTC)
        name = f"{moment:{_STAMP}}-{secrets.token_hex(4)}.jsonl"
        file = self._folder / name
        return TraceWriter(file, header_record(question, moment), self._on_error, self.prune)

    def summaries(self) -> list[TraceSummary]:
        """Return the traces, newest first. A damaged file is in the list, with its damage.

        Only the first and the last line of each are read: damage between them shows in `read`.

        Raises:
            InputError: the folder cannot be read.
        """
        return [summarise(file) for file in self._files()]

    def since(self, moment: datetime) -> Iterator[StoredTrace | TraceSummary]:
        """Yield the traces of runs that began at an aware moment or later, newest first.

        One that cannot be read comes as its summary, with its damage.

        Raises:
            InputError: the folder cannot be read.
        """
        begin = f"{moment.astimezone(UTC):{_STAMP}}"
        for file in self._files():
            # The files come newest first, and their names begin with the moment: the first older
            # one ends the list.
            if file.name < begin:
                return
            try:
                yield load(file)
            except InputError as exc:
                yield TraceSummary(trace_id(file), damage=exc.problem)

    def last(self) -> StoredTrace:
        """Return the newest trace.

        Raises:
            InputError: there is none, or the file is damaged or of another version.
        """
        for file in self._files():
            return load(file)
        raise InputError("There is no trace yet.", fix="Every `askance ask` leaves one.")

    def read(self, prefix: str) -> StoredTrace:
        """Return the trace whose id begins so.

        Raises:
            InputError: no trace or several begin so, or the file is damaged or of another version.
        """
        found = [
            file for file in self._files() if prefix and trace_id(file).startswith(prefix.lower())
        ]
        match found:
            case [file]:
                return load(file)
            case []:
                raise InputError(
                    f"There is no trace {prefix!r}.", fix="`askance trace list` shows all of them."
                )
            case _:
                ids = ", ".join(trace_id(file) for file in found[:5])
                raise InputError(
                    f"{len(found)} traces begin with {prefix!r}: {ids}.", fix="Give more of the id."
                )

    def prune(self) -> int:
        """Delete all but the newest traces, and what killed runs left; return how many files went.

        A file that cannot be deleted stays.
        """
        with contextlib.suppress(InputError):
            return sum(map(_removed, [*self._files()[self._most :], *self._abandoned()]))
        return 0

    def _files(self) -> list[Path]:
        try:
            names = [entry for entry in self._folder.iterdir() if _NAME.fullmatch(entry.name)]
        except FileNotFoundError:
            return []
        except OSError as exc:
            raise InputError(f"The traces in {self._folder} cannot be read: {exc}.") from exc
        return sorted(names, key=lambda file: file.name, reverse=True)

    def _abandoned(self) -> list[Path]:
        deadline = time.time() - ABANDONED_AFTER_S
        return [file for file in self._folder.glob("*.part") if _modified(file) < deadline]


class TraceWriter:
    """Writes the trace of one run as it goes. Nothing here raises: a run is worth more than its trace.

    A context manager. The event that ends the run completes the file, under its name for the first
    time; `Cancelled`, or leaving the context before the end, removes it.
    """

    def __init__(
        self,
        file: Path,
        header: dict[str, Any],
        on_error: Callable[[str], None],
        on_stored: Callable[[], object],
    ) -> None:
        self._file = file
        self._on_stored = on_stored
        self._part = file.with_suffix(".part")
        self._on_error = on_error
        self._stream: BufferedWriter | None = None
        try:
            make_folder(self._part.parent)
            self._stream = os.fdopen(create_file(self._part), "wb")
        except OSError as exc:
            self._give_up(exc)
        self._write(header)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.discard()

    def add(self, event: RunEvent, at_s: float) -> None:
        """Append an event; `at_s` is seconds since the run began. After the end nothing is added."""
        if isinstance(event, Cancelled):
            self.discard()
            return
        self._write(to_record(event, at_s))
        if isinstance(event, get_args(RunEnd)):
            self._finish()

    def discard(self) -> None:
        """Remove the file of a run that has not ended; a finished trace stays."""
        if self._stream is not None:
            self._drop()

    def _write(self, record: dict[str, Any]) -> None:
        # The trace was given up: the rest of the run is not recorded.
        if self._stream is None:
            return
        try:
            self._stream.write(json.dumps(record).encode() + b"\n")
        except OSError as exc:
            self._give_up(exc)

    def _finish(self) -> None:
        if self._stream is None:
            return
        try:
            self._stream.close()
            put_in_place(self._part, self._file)
        except OSError as exc:
            self._give_up(exc)
            return
        self._stream = None
        # Only a finished trace lets old ones be deleted: cancelled runs delete none.
        self._on_stored()

    def _give_up(self, exc: OSError) -> None:
        self._drop()
        reason = exc.strerror or exc
        self._on_error(
            Message(
                "The trace of this run is not kept: {file}: {problem}.",
                file=self._file.parent,
                problem=reason,
            )
        )

    def _drop(self) -> None:
        stream, self._stream = self._stream, None
        with contextlib.suppress(OSError):  # closing writes what is buffered, to the same full disk
            if stream is not None:
                stream.close()
        with contextlib.suppress(OSError):
            self._part.unlink(missing_ok=True)


@contextmanager
def traced_run(
    folders: Folders,
    settings: TraceSettings,
    question: str,
    on_error: Callable[[str], None],
) -> Generator[Callable[[TimedEvent], None]]:
    """Give an observer that records each event of a run, where the settings say so.

    A trace that cannot be stored costs the run nothing: `on_error` is called with one sentence.
    """
    if not settings.keep:
        yield lambda _: None
        return
    store = TraceStore(folders.traces, settings.keep, on_error)
    with store.begin(question) as writer:
        yield lambda timed: writer.add(timed.event, timed.at_s)


def header_record(question: str, started: datetime) -> dict[str, Any]:
    """Return the first record of a trace. `started` is aware, in UTC."""
    return {
        "type": "trace",
        "version": VERSION,
        "question": question,
        "started": started.isoformat(timespec="milliseconds"),
    }


def trace_id(file: Path) -> str:
    """Return the id that the name of a trace file ends with."""
    return file.stem.rpartition("-")[2]


def summarise(file: Path) -> TraceSummary:
    """Return what the first and the last line of a trace say, or its damage."""
    header: dict[str, Any] = {}
    try:
        first, *rest = _lines(file)
        header = _header(first)
        seconds, end = _end(rest)
    except InputError as exc:
        known = header.get("question", ""), header.get("started", "")
        return TraceSummary(trace_id(file), *known, damage=exc.problem)
    outcome = end.outcome.value if isinstance(end, Answered) else type_name(type(end))
    return TraceSummary(trace_id(file), header["question"], header["started"], outcome, seconds)


def load(file: Path) -> StoredTrace:
    """Return a whole trace.

    Raises:
        InputError: it is damaged, breaks off, or is of another version.
    """
    try:
        first, *rest = _lines(file)
        header = _header(first)
        events = (*map(_event, rest[:-1]), _end(rest))
    except InputError as exc:
        raise InputError(f"The trace {trace_id(file)} cannot be read: {exc.problem}") from exc
    return StoredTrace(trace_id(file), header["question"], header["started"], events)


def _lines(file: Path) -> list[bytes]:
    try:
        return file.read_bytes().removesuffix(b"\n").split(b"\n")
    except OSError as exc:
        raise InputError(f"{exc.strerror or exc}.") from exc


def _record(line: bytes) -> dict[str, Any]:
    try:
        record: Any = json.loads(line)
    # The file may have been edited: JSON that is nested deep enough exhausts the stack.
    except (ValueError, RecursionError) as exc:
        raise InputError("It holds a line that is not JSON.") from exc
    if not isinstance(record, dict):
        raise InputError("It holds a line that is not a record.")
    return cast("dict[str, Any]", record)


def _header(line: bytes) -> dict[str, Any]:
    header = _record(line)
    question, started = header.get("question"), header.get("started")
    if header.get("type") != "trace" or not (
        isinstance(question, str) and isinstance(started, str)
    ):
        raise InputError("It does not begin with the header of a trace.")
    if header.get("version") != VERSION:
        raise InputError(f"It is of version {header.get('version')}, this program reads {VERSION}.")
    return header


def _event(line: bytes) -> tuple[float, RunEvent]:
    record = _record(line)
    at_s = record.get("at_s")
    if not isinstance(at_s, int | float):
        raise InputError("It holds an event without its time.")
    return float(at_s), from_record(record)


def _end(events: list[bytes]) -> tuple[float, RunEvent]:
    at_s, event = _event(events[-1]) if events else (0.0, None)
    if not isinstance(event, get_args(RunEnd)):
        raise InputError("It breaks off before the end of the run.")
    return at_s, cast("RunEvent", event)


def _modified(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:  # its run ended meanwhile
        return float("inf")


def _removed(file: Path) -> bool:
    try:
        file.unlink()
    except OSError:
        return False
    return True
