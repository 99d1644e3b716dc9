"""The lines of a trace file: a header record, then one record an event, the last one its end."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, cast, get_args

from askance.domain.errors import InputError
from askance.domain.events import Answered, RunEnd, RunEvent
from askance.domain.records import from_record, type_name

VERSION = 1


@dataclass(frozen=True, slots=True)
class TraceSummary:
    """A trace in the list. `seconds` is how long the run took.

    `outcome` is that of the answer (`web`, `library`, …), or `clarify_asked` or `failed`. `damage`
    is empty, or says what is wrong with the file; the fields that cannot be read are then empty.
    """

    id: str
    question: str = ""
    started: str = ""
    outcome: str = ""
    seconds: float = 0.0
    damage: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """A whole trace: what was asked, when (ISO, UTC), and each event with its second in the run."""

    id: str
    question: str
    started: str
    events: tuple[tuple[float, RunEvent], ...]


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


def load(file: Path) -> Trace:
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
    return Trace(trace_id(file), header["question"], header["started"], events)


def _lines(file: Path) -> list[bytes]:
    try:
        return file.read_bytes().removesuffix(b"\n").split(b"\n")
    except OSError as exc:
        raise InputError(f"{exc.strerror or exc}.") from exc


def _record(line: bytes) -> dict[str, Any]:
    try:
        record: Any = json.loads(line)
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
