"""Traces: every kept run as one file of JSON Lines, whole or not there at all."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from io import BufferedWriter
from pathlib import Path
from typing import Any, Self, get_args

from askance.adapters.storage.trace_lines import (
    Trace,
    TraceSummary,
    header_record,
    load,
    summarise,
    trace_id,
)
from askance.config.private_files import create_file, make_folder, put_in_place
from askance.domain.errors import InputError
from askance.domain.events import Cancelled, RunEnd, RunEvent
from askance.domain.messages import Message
from askance.domain.records import to_record

# A run lasts minutes: an unfinished file this old was left by a process that was killed.
ABANDONED_AFTER_S = 86_400.0
_NAME = re.compile(r"\d{8}T\d{12}Z-[0-9a-f]{8}\.jsonl")


class TraceWriter:
    """Writes the trace of one run as it goes. Nothing here raises: a run is worth more than its trace.

    A context manager. The event that ends the run completes the file, under its name for the first
    time; `Cancelled`, or leaving the context before the end, removes it.
    """

    def __init__(
        self,
        file: Path,
        header: dict[str, Any],
        trouble: Callable[[str], None],
        kept: Callable[[], object],
    ) -> None:
        self._file = file
        self._kept = kept
        self._part = file.with_suffix(".part")
        self._trouble = trouble
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
        self._kept()

    def _give_up(self, exc: OSError) -> None:
        self._drop()
        reason = exc.strerror or exc
        self._trouble(
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


class TraceStore:
    """The folder of traces, of which the newest `keep` stay.

    `trouble` is called with one plain sentence where the trace of a run cannot be kept.
    """

    def __init__(self, folder: Path, keep: int, trouble: Callable[[str], None]) -> None:
        self._folder = folder
        self._keep = keep
        self._trouble = trouble

    def begin(self, question: str, started: datetime | None = None) -> TraceWriter:
        """Begin the trace of a run, now or at an aware time; never raises for the file's sake."""
        moment = (started or datetime.now(UTC)).astimezone(UTC)
        name = f"{moment:%Y%m%dT%H%M%S%fZ}-{secrets.token_hex(4)}.jsonl"
        file = self._folder / name
        return TraceWriter(file, header_record(question, moment), self._trouble, self.prune)

    def summaries(self) -> list[TraceSummary]:
        """Return the traces, newest first. A damaged file is in the list, with its damage.

        Only the first and the last line of each are read: damage between them shows in `read`.

        Raises:
            InputError: the folder cannot be read.
        """
        return [summarise(file) for file in self._files()]

    def last(self) -> Trace:
        """Return the newest trace.

        Raises:
            InputError: there is none, or the file is damaged or of another version.
        """
        for file in self._files():
            return load(file)
        raise InputError("There is no trace yet.", fix="Every `askance ask` leaves one.")

    def read(self, prefix: str) -> Trace:
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
            return sum(map(_removed, [*self._files()[self._keep :], *self._abandoned()]))
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
