"""The services as people and programs see them: progress, a table, lines of a log."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from askance.adapters.containers.compose_output import Kind, Progress
from askance.adapters.containers.state import (
    KNOWN,
    MISSING,
    READER,
    SEARCH_GATEWAY,
    LogLine,
    ServiceState,
    Started,
    Survey,
)
from askance.cli.render.output import Output
from askance.presentation.sanitizing import clean, one_line

if TYPE_CHECKING:
    from askance.cli.render.live import Screen

_NAME_WIDTH = max(map(len, KNOWN))
_MEGABYTE = 1_000_000
_MS = 1000


class ProgressFront(Protocol):
    """Shows how far the work is."""

    def show(self, step: Progress) -> None:
        """Take in one step."""
        ...

    def tick(self) -> None:
        """Draw what moves anew, if anything does."""

    def close(self) -> None:
        """Take away what moves."""


class PlainProgress(ProgressFront):
    """A line for each new step; what is counted in bytes is told once."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._told: set[tuple[Kind, str, str]] = set()

    def show(self, step: Progress) -> None:
        """Tell a step that was not told yet."""
        key = (step.kind, step.name, step.doing)
        if key not in self._told:
            self._told.add(key)
            self._output.line(step_text(step, counted=False))


class LiveProgress(ProgressFront):
    """One line that is drawn over: the step that came last, and the seconds since the beginning."""

    def __init__(self, screen: Screen, clock: Callable[[], float] = time.monotonic) -> None:
        from rich.live import Live  # noqa: PLC0415 - rich costs 100 ms

        self._clock, self._began = clock, clock()
        self._step = "Looking for Docker or Podman"
        self._live = Live(console=screen, auto_refresh=False, transient=True)
        self._live.start()

    def show(self, step: Progress) -> None:
        """Take in one step; it is drawn at the next tick."""
        self._step = step_text(step)

    def tick(self) -> None:
        """Draw the line anew."""
        from rich.text import Text  # noqa: PLC0415

        line = Text(f"{self._step}  ", no_wrap=True, overflow="ellipsis")
        line.append(f"{self._clock() - self._began:.0f} s", style="dim")
        self._live.update(line, refresh=True)

    def close(self) -> None:
        """Take the line away."""
        self._live.stop()


def step_text(step: Progress, *, counted: bool = True) -> str:
    """Return a step on one line, with its megabytes where they are `counted` and known."""
    doing = one_line(step.doing)
    if step.kind is Kind.BUILD:
        return f"Building the images: {doing}"
    text = f"{step.kind.capitalize()} {one_line(step.name)}: {doing.lower()}"
    if counted and step.total_bytes:
        done, whole = step.current_bytes / _MEGABYTE, step.total_bytes / _MEGABYTE
        text += f" {done:,.0f} of {whole:,.0f} MB"
    return text


def started_text(started: Started) -> str:
    """Return what is there now, and what to type next."""
    where = {s.name: f"http://{s.addresses[0]}" for s in started.survey.services if s.addresses}
    parts = [
        f"{title} at {where[name]}"
        for name, title in ((SEARCH_GATEWAY, "SearXNG"), (READER, "the page reader"))
        if name in where
    ]
    lines = [f"Up after {started.took_s:,.0f} s: {', '.join(parts)}."]
    lines += [one_line(note) for note in started.notes]
    lines += [
        f"The engine list is {started.engine_list}; `askance up` takes over what you change in it.",
        'Next: `askance ask "…"`. `askance status` shows how both are, `askance down` stops them.',
    ]
    return "\n".join(clean(line) for line in lines)


def table(survey: Survey) -> list[str]:
    """Return a line a service, under a heading, and one for the engine."""
    rows = [("SERVICE", "STATE", "HEALTH", "SINCE", "ADDRESS", "ANSWERS IN")]
    rows += [_row(survey, state) for state in survey.services]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    engine = survey.engine
    return [*lines, one_line(f"{engine.name} {engine.version} at {engine.address}")]


def troubles(survey: Survey) -> list[str]:
    """Return a sentence with its remedy for each service that is not well."""
    sentences = [_trouble(state) for state in survey.services if not state.ok]
    sentences += [
        f"{trip.service} {one_line(trip.problem)}. `askance logs {trip.service}` tells more."
        for trip in survey.round_trips
        if trip.problem
    ]
    return sentences


def records(survey: Survey) -> list[str]:
    """Return the same as JSON, an object a line: the engine, then each service."""
    lines: list[dict[str, object]] = [{"type": "engine", **dataclasses.asdict(survey.engine)}]
    for state in survey.services:
        trip = survey.round_trip(state.name)
        lines.append(
            {
                "type": "service",
                "service": state.name,
                "ok": state.ok and not (trip and trip.problem),
                "state": state.state,
                "health": state.health,
                "image": state.image,
                "since": state.since.isoformat() if state.since else None,
                "addresses": state.addresses,
                "exit_code": state.exit_code,
                "restarts": state.restarts,
                "reason": state.reason,
                "round_trip_ms": round(trip.ms, 1) if trip and not trip.problem else None,
                "problem": trip.problem if trip else "",
            }
        )
    return [json.dumps(line) for line in lines]


def log_text(line: LogLine, *, named: bool) -> str:
    """Return a line of a log, cleaned, with the name of its service where several are shown."""
    text = clean(line.text).replace("\n", " ")
    return f"{line.service:<{_NAME_WIDTH}} | {text}" if named else text


def _row(survey: Survey, state: ServiceState) -> tuple[str, str, str, str, str, str]:
    trip = survey.round_trip(state.name)
    answers = "" if trip is None else "no" if trip.problem else f"{trip.ms:,.0f} ms"
    since = f"{state.since.astimezone():%Y-%m-%d %H:%M}" if state.since else ""
    health = "" if state.state == MISSING else str(state.health)
    address = ", ".join(state.addresses)
    return (state.name, one_line(state.state), health, since, one_line(address), answers)


def _trouble(state: ServiceState) -> str:
    if state.state == MISSING:
        return f"{state.name} has no container. `askance up` makes one."
    how = f"is {one_line(state.state)}, its health {state.health}"
    if state.exit_code:
        how = f"is {one_line(state.state)}, with status {state.exit_code}"
    why = f": {one_line(state.reason)}" if state.reason else ""
    return f"{state.name} {how}{why}. `askance logs {state.name}` tells more."
