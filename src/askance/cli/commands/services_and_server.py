"""`askance up`, `down`, `status` and `logs`, `serve` and `clients`: services in containers, and the server."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager
from functools import partial
from shlex import quote
from typing import Any, TypeVar

from askance.app.container import local_services
from askance.cli.exits import Exit, run_async
from askance.cli.render.output import write_line
from askance.cli.shell import Shell
from askance.config.folders import Folders
from askance.config.settings import Settings
from askance.domain.characters import clean, one_line
from askance.domain.errors import InputError
from askance.domain.messages import Message
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
from askance.domain.ports.storage import Capability, ClientRecord, ClientRegistry, cleaned_name
from askance.presentation.i18n import counted
from askance.server.clients import DEFAULT, checked_name
from askance.server.serving import serve_here

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
    """Run a piece of work, and show how far it is."""
    with _progress(shell) as show:
        return run_async(work(show))


@contextmanager
def _progress(shell: Shell) -> Generator[Callable[[ComposeProgress], None]]:
    """Show the last step on a line that is drawn over; elsewhere write each new one, without its megabytes."""
    if shell.redraws:
        from askance.cli.render.live import PlainConsole, drawn_line  # noqa: PLC0415 - rich costs 100 ms

        screen = PlainConsole(shell.stdout, shell.environment)
        with drawn_line(screen, "Looking for Docker or Podman") as show:
            yield lambda step: show(step_text(step))
        return
    reported: set[tuple[ResourceKind, str, str]] = set()

    def on_progress(step: ComposeProgress) -> None:
        key = (step.kind, step.name, step.doing)
        if key not in reported:
            reported.add(key)
            shell.stdout.line(step_text(step, counted=False))

    yield on_progress


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


# `askance serve` and `askance clients`: the server for other programs, and which of them may use it.


def serve(shell: Shell, overrides: Mapping[str, Any]) -> Exit:
    """Serve other programs over HTTP, and at the socket, until Ctrl-C.

    Raises:
        InputError: a package is missing, another server runs already, or the port is taken.
        SettingsError: the token cannot be read.
    """
    settings = shell.settings(overrides)

    def up(url: str) -> None:
        write_line(
            shell.stderr, f"askance: MCP at {url}/mcp, OpenAI's API at {url}/v1; Ctrl-C ends it."
        )
        write_line(shell.stderr, f"askance: The token is in {shell.folders.server_token}.")

    serve_here(settings, shell.folders, shell.environment, up)
    return Exit.DONE


def list_clients(shell: Shell, *, as_json: bool = False) -> Exit:
    """List the programs that have asked, the last one first, and what each may do."""
    with _book(shell) as book:
        records = book.records()
    for record in records:
        shell.stdout.line(json.dumps(_client_record(record)) if as_json else _client_text(record))
    if not records and not as_json:
        shell.stdout.line("No program has asked yet. `askance mcp` is what they start.")
    return Exit.DONE


def add_client(shell: Shell, name: str) -> Exit:
    """Give a program a token of its own, and show it once.

    Raises:
        InputError: the name cannot be one, or has a token.
    """
    name = checked_name(name)
    with _book(shell) as book:
        # A new token would replace the one that the program may be using.
        if name == DEFAULT or any(r.has_token and r.client.name == name for r in book.records()):
            raise InputError(
                Message("{name} has a token already.", name=name),
                fix=Message(
                    "`{command}` ends it and makes another one.",
                    command=f"askance clients renew {quote(name)}",
                ),
            )
        token = book.make_token(name)
    return _token_shown(shell, name, token)


def renew_client(shell: Shell, name: str) -> Exit:
    """Give a program another token in the place of the one it has, and show it once. It may do what it might.

    Raises:
        InputError: there is no such program, it has no token, or it is the one that is in a file.
    """
    if cleaned_name(name) == DEFAULT:
        raise InputError(
            Message(
                "The token of {name} is in {file}.", name=DEFAULT, file=shell.folders.server_token
            ),
            fix=Message(
                "Delete the file, end the server and start it again: that makes a new one."
            ),
        )
    with _book(shell) as book:
        known = _known_client(book.records(), name)
        name = known.client.name
        if not known.has_token:
            raise InputError(
                Message("{name} has no token.", name=name),
                fix=Message("`{command}` makes one.", command=f"askance clients add {quote(name)}"),
            )
        token = book.make_token(name)
    write_line(shell.stderr, f"askance: The token that {name} had has ended.")
    return _token_shown(shell, name, token)


def change_client(shell: Shell, name: str, capabilities: list[str], *, allow: bool) -> Exit:
    """Allow a program something, or no longer.

    Raises:
        InputError: there is no such program, or no such capability.
    """
    wanted = _capabilities(capabilities)
    with _book(shell) as book:
        known = _known_client(book.records(), name)
        allowed = known.client.allowed | wanted if allow else known.client.allowed - wanted
        book.allow(known.client.name, allowed)
    shown_names = ", ".join(sorted(allowed)) or "nothing"
    shell.stdout.line(one_line(f"{known.client.name} may: {shown_names}"))
    # With both, private text can leak through queries: decision 37.
    if {Capability.WEB, Capability.LIBRARY_READ} <= allowed:
        write_line(
            shell.stderr,
            "askance: It can read your library and search the web: what it reads may leave this computer.",
        )
    return Exit.DONE


def forget_client(shell: Shell, name: str) -> Exit:
    """Delete a program, its token and what is known of its calls.

    Raises:
        InputError: there is no such program.
    """
    with _book(shell) as book:
        known = _known_client(book.records(), name)
        book.forget(known.client.name)
    shell.stdout.line(one_line(f"Forgotten: {known.client.name}"))
    return Exit.DONE


def show_calls(shell: Shell, name: str, limit: int, *, as_json: bool = False) -> Exit:
    """Show the last calls of a program, newest first.

    Raises:
        InputError: there is no such program.
    """
    with _book(shell) as book:
        known = _known_client(book.records(), name)
        calls = book.calls(known.client.name, limit)
    for call in calls:
        record = {"at": call.at, "tool": call.tool, "outcome": call.outcome, "ms": call.ms}
        shell.stdout.line(
            json.dumps(record)
            if as_json
            else one_line(f"{call.at}  {call.tool}  {call.outcome}  {call.ms} ms")
        )
    return Exit.DONE


@contextmanager
def _book(shell: Shell) -> Generator[ClientRegistry]:
    with shell.container() as parts:
        yield parts.clients


def _token_shown(shell: Shell, name: str, token: str) -> Exit:
    write_line(shell.stderr, f"askance: The token of {name}; it is not shown again:")
    # Alone on standard output, for scripts. Only its digest is stored.
    shell.stdout.line(token)
    return Exit.DONE


def _client_record(record: ClientRecord) -> dict[str, Any]:
    return {
        "name": record.client.name,
        "allowed": sorted(record.client.allowed),
        "has_token": record.has_token,
        "first_seen": record.first_seen,
        "last_seen": record.last_seen,
        "calls": record.calls,
    }


def _client_text(record: ClientRecord) -> str:
    allowed = ", ".join(sorted(record.client.allowed)) or "nothing"
    over = ", own token" if record.has_token else ""
    calls = counted(record.calls, "call")
    return one_line(f"{record.client.name}: {allowed}; {calls}, last {record.last_seen}{over}")


def _capabilities(names: list[str]) -> frozenset[Capability]:
    wrong = [name for name in names if name not in set(Capability)]
    if wrong or not names:
        raise InputError(
            Message("{name} is nothing that can be allowed.", name=repr(" ".join(wrong))),
            fix=Message("Choose from {names}.", names=", ".join(Capability)),
        )
    return frozenset(map(Capability, names))


def _known_client(records: Any, name: str) -> ClientRecord:
    wanted = cleaned_name(name)
    found = next((record for record in records if record.client.name == wanted), None)
    if found is None:
        raise InputError(
            Message("No program called {name} has asked.", name=repr(name)),
            fix=Message("`{command}` lists them.", command="askance clients"),
        )
    return found
