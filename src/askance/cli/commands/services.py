"""`askance up`, `down`, `status` and `logs`: the services in containers."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any, TypeVar

from askance.app.container import local_services
from askance.cli.exits import Exit, run_async, write_line
from askance.cli.shell import Shell
from askance.config.folders import Folders
from askance.config.settings import Settings
from askance.domain.characters import clean, one_line
from askance.domain.ports.containers import (
    KNOWN,
    MISSING,
    READER,
    SEARCH_GATEWAY,
    ComposeProgress,
    ContainerServices,
    LogLine,
    ResourceKind,
    ServiceState,
    StartResult,
    Survey,
)

LINES = 100
_NAME_WIDTH = max(map(len, KNOWN))
_MEGABYTE = 1_000_000
_Result = TypeVar("_Result")


Opener = Callable[[Settings, Folders, Mapping[str, str]], ContainerServices]


def up(
    shell: Shell, overrides: Mapping[str, Any], *, open_services: Opener = local_services
) -> Exit:
    """Start both services, and say where they are."""
    services = open_services(shell.settings(overrides), shell.folders, shell.environment)
    try:
        started = _watched(shell, services.up)
    except KeyboardInterrupt:
        write_line(shell.stderr, "What was begun stays as it is; `askance down` takes it away.")
        raise
    shell.stdout.line(started_text(started))
    return _report(shell, started.survey)


def down(shell: Shell, *, volumes: bool = False, open_services: Opener = local_services) -> Exit:
    """Stop and remove the containers."""
    services = open_services(shell.settings(), shell.folders, shell.environment)
    there_was = _watched(shell, partial(services.down, volumes=volumes))
    shell.stdout.line(
        "The services are stopped; `askance up` starts them again."
        if there_was
        else "There was nothing to stop."
    )
    return Exit.DONE


def status(shell: Shell, *, as_json: bool = False, open_services: Opener = local_services) -> Exit:
    """Show how the services are, and return 0 if all are well."""
    services = open_services(shell.settings(), shell.folders, shell.environment)
    survey = run_async(services.survey())
    if as_json:
        for record in records(survey):
            shell.stdout.line(record)
        return Exit.DONE if survey.ok else Exit.SERVICE_FAILED
    if not survey.begun:
        how = survey.lacking or "`askance up` starts SearXNG and the page reader."
        shell.stdout.line(f"Nothing is started. {how}")
        return Exit.SERVICE_FAILED
    for line in table(survey):
        shell.stdout.line(line)
    return _report(shell, survey)


def logs(
    shell: Shell,
    service: str | None = None,
    *,
    follow: bool = False,
    lines: int = LINES,
    open_services: Opener = local_services,
) -> Exit:
    """Show the last lines of a service's log, or of all of them; `follow` waits for more."""
    services = open_services(shell.settings(), shell.folders, shell.environment)

    def show(line: LogLine) -> None:
        shell.stdout.line(log_text(line, named=not service))

    if follow:
        run_async(services.follow(service or "", lines=lines, emit=show))
        return Exit.DONE
    for line in run_async(services.log(service or "", lines=lines)):
        show(line)
    return Exit.DONE


def _watched(
    shell: Shell, work: Callable[[Callable[[ComposeProgress], None]], Coroutine[Any, Any, _Result]]
) -> _Result:
    """Run a piece of work, and show its last step on a line that is drawn over; elsewhere write each new one,
    without its megabytes."""
    if shell.redraws:
        from askance.cli.live import PlainConsole, drawn_line  # noqa: PLC0415 - rich costs 100 ms

        screen = PlainConsole(shell.stdout, shell.environment)
        with drawn_line(screen, "Looking for Docker or Podman") as show:
            return run_async(work(lambda step: show(step_text(step))))
    reported: set[str] = set()

    def on_progress(step: ComposeProgress) -> None:
        if (text := step_text(step, counted=False)) not in reported:
            reported.add(text)
            shell.stdout.line(text)

    return run_async(work(on_progress))


def _report(shell: Shell, survey: Survey) -> Exit:
    for sentence in troubles(survey):
        write_line(shell.stderr, f"askance: {sentence}")
    return Exit.DONE if survey.ok else Exit.SERVICE_FAILED


def step_text(step: ComposeProgress, *, counted: bool = True) -> str:
    """Return a step on one line, with its megabytes where they are `counted` and known."""
    doing = one_line(step.doing)
    if step.kind is ResourceKind.BUILD:
        return f"Building the images: {doing}"
    text = f"{step.kind.capitalize()} {one_line(step.name)}: {doing.lower()}"
    if counted and step.total_bytes:
        done, whole = step.current_bytes / _MEGABYTE, step.total_bytes / _MEGABYTE
        text += f" {done:,.0f} of {whole:,.0f} MB"
    return text


def started_text(started: StartResult) -> str:
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
                # A container can be healthy and still not be reachable at its published port.
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
    # Logs of containers are foreign text, which may hold terminal escape sequences.
    text = clean(line.text).replace("\n", " ")
    return f"{line.service:<{_NAME_WIDTH}} | {text}" if named else text


def _row(survey: Survey, state: ServiceState) -> tuple[str, str, str, str, str, str]:
    trip = survey.round_trip(state.name)
    # Only services that run and publish a port are asked; the others have no round trip.
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
        # For a container that has ended, the exit status tells more than its last health.
        how = f"is {one_line(state.state)}, with status {state.exit_code}"
    why = f": {one_line(state.reason)}" if state.reason else ""
    return f"{state.name} {how}{why}. `askance logs {state.name}` tells more."
