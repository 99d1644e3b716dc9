"""The container engine: where it listens, and our services' states, health and logs as Docker's own library tells them.

The library is imported when the first engine is opened, since that takes half a second, and it
blocks, so every call of it runs in a thread.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

import asyncio
import dataclasses
import re
import socket
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from askance.adapters.containers.compose import CLIS, PROJECT, find_executable, output_of
from askance.adapters.containers.problems import DaemonDown, RemoteEngine, ToolFailed
from askance.adapters.network.own_services import is_this_machine
from askance.domain.errors import InputError
from askance.domain.messages import Message, Remedy
from askance.domain.ports.containers import (
    READER,
    READER_NET,
    RUNNING,
    SEARCH_GATEWAY,
    SEARXNG,
    EngineInfo,
    Health,
    LogLine,
    ServiceState,
)

Record = dict[str, Any]
# The engine is on this machine; one that is busy pulling answers within a second, too.
_TIMEOUT_S = 20
POLL_S = 1.0
"""So often a log that is followed is looked at."""
_OF_PROJECT = f"com.docker.compose.project={PROJECT}"
# As docker-compose.yml has them.
_IN_NETWORK_OF = {SEARCH_GATEWAY: SEARXNG, READER: READER_NET}
_Answer = TypeVar("_Answer")
_DOCKER_SOCKET = "/var/run/docker.sock"
_PODMAN_SOCKET = "/run/podman/podman.sock"
_DOCKER_PIPE = "npipe:////./pipe/docker_engine"


async def find_engine(environment: Mapping[str, str], cli: str = "") -> str:
    """Return the engine's address, such as `unix:///var/run/docker.sock`; it need not answer.

    `cli` is `docker` or `podman`; empty takes the first that is found, its command or its socket.

    Raises:
        RemoteEngine: it is on another machine.
    """
    cli = cli or next((name for name in CLIS if find_executable(name, environment)), "")
    named = environment.get("DOCKER_HOST", "")
    if not named and cli == "podman":
        named = environment.get("CONTAINER_HOST", "")
    if not named and cli != "podman":
        named = await _of_context(environment)
    address = named or _usual(environment, cli)
    if not is_local(address):
        raise RemoteEngine(address)
    return address


def is_local(address: str) -> bool:
    """Return whether an engine's address is on this machine."""
    parts = urlsplit(address)
    if parts.scheme in {"unix", "npipe", ""}:
        return True
    return parts.scheme != "ssh" and is_this_machine(parts.hostname or "")


@asynccontextmanager
async def open_engine(address: str) -> AsyncGenerator[ContainerEngine]:
    """Open a connection to the engine for as long as the context lasts.

    Raises:
        DaemonDown: it does not answer, or not to this user.
    """
    client = await asyncio.to_thread(_connected, address)
    try:
        yield ContainerEngine(client, address)
    finally:
        client.close()


class ContainerEngine:
    """An engine that answers. Every method raises `DaemonDown` once it does not any more, and
    `ToolFailed` where it refuses; logs raise `InputError` where no such service has a container.
    """

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._address = address

    async def info(self) -> EngineInfo:
        """Return what the engine is."""
        return await self._asked(self._info)

    async def states(self) -> tuple[ServiceState, ...]:
        """Return the state of every service that has a container, by name."""
        return await self._asked(self._states)

    async def log(self, services: Sequence[str], lines: int) -> list[LogLine]:
        """Return the last lines of each service's log, oldest first."""
        return await self._asked(lambda: self._log(services, lines))

    async def follow(
        self, services: Sequence[str], lines: int, emit: Callable[[LogLine], None]
    ) -> None:
        """Hand over the last lines of the services' logs, then each new one soon after it is written, until
        this is cancelled.
        """
        chosen = await self._asked(lambda: self._chosen(services))
        seen: dict[str, list[LogLine]] = {}
        while True:
            fresh: list[LogLine] = []
            for service, identity in chosen.items():
                before = seen.get(service, [])
                read = await self._asked(partial(self._lines, service, identity, lines, before))
                known = set(before)
                fresh += [line for line in read if line not in known]
                seen[service] = read or before
            for line in sorted(fresh, key=lambda line: line.at):
                emit(line)
            await asyncio.sleep(POLL_S)

    async def holder_of(self, port: int) -> str:
        """Return the name of the running container that publishes a port here, empty if none does."""

        def ask() -> str:
            for container in self._client.containers(all=False, filters={}):
                if any(entry.get("PublicPort") == port for entry in container.get("Ports") or ()):
                    return str(next(iter(container.get("Names") or ()), "")).lstrip("/")
            return ""

        return await self._asked(ask)

    async def _asked(self, question: Callable[[], _Answer]) -> _Answer:
        def ask() -> _Answer:
            with _translated(self._address):
                return question()

        return await asyncio.to_thread(ask)

    def _info(self) -> EngineInfo:
        version = self._client.version()
        parts: list[Record] = version.get("Components") or []
        names = [str(part.get("Name", "")) for part in parts]
        # Podman answers to Docker's own interface, and says so only among its components.
        podman = any("Podman" in name for name in names)
        return EngineInfo(
            "Podman" if podman else "Docker",
            str(version.get("Version", "")),
            str(version.get("ApiVersion", "")),
            self._address,
        )

    def _states(self) -> tuple[ServiceState, ...]:
        states: dict[str, ServiceState] = {}
        for service, identity in self._identities().items():
            if (record := self._inspected(identity)) is not None:
                states[service] = state_of(service, record)
        # Ports that a container publishes for another one in its network are those of that other.
        for name, owner in _IN_NETWORK_OF.items():
            if name in states and owner in states:
                addresses = states[owner].addresses
                states[name] = dataclasses.replace(states[name], addresses=addresses)
                states[owner] = dataclasses.replace(states[owner], addresses=())
        return tuple(states[name] for name in sorted(states))

    def _inspected(self, identity: str) -> Record | None:
        from docker.errors import NotFound

        try:
            return self._client.inspect_container(identity)
        except NotFound:
            return None  # removed this instant

    def _identities(self) -> dict[str, str]:
        """Return the containers' ids by service; of several the newest."""
        newest: dict[str, tuple[int, str]] = {}
        for container in self._client.containers(all=True, filters={"label": _OF_PROJECT}):
            if service := table(container, "Labels").get("com.docker.compose.service"):
                age = (int(container.get("Created") or 0), str(container["Id"]))
                newest[service] = max(newest.get(service, age), age)
        return {service: identity for service, (_, identity) in newest.items()}

    def _log(self, services: Sequence[str], lines: int) -> list[LogLine]:
        read: list[LogLine] = []
        for service, identity in self._chosen(services).items():
            read += self._lines(service, identity, lines)
        return sorted(read, key=lambda line: line.at)

    def _lines(
        self, service: str, identity: str, lines: int, before: Sequence[LogLine] = ()
    ) -> list[LogLine]:
        """Return the last lines of a log, or all from the second on in which the last of `before` was written."""
        last = _moment(before[-1].at) if before else None
        asked = {"since": int(last.timestamp())} if last else {"tail": lines}
        log: bytes = self._client.logs(
            identity, stream=False, follow=False, timestamps=True, **asked
        )
        return split_log(service, log)

    def _chosen(self, services: Sequence[str]) -> dict[str, str]:
        known = self._identities()
        chosen = {name: known[name] for name in services if name in known}
        if not chosen:
            names = " or ".join(services)
            raise InputError(
                Message("There is no container of {names}.", names=names),
                fix=Remedy("`askance up` starts it.", command="askance up"),
            )
        return chosen


def state_of(service: str, record: Record) -> ServiceState:
    """Return the state of a service from `GET /containers/ID/json`."""
    state = table(record, "State")
    status = str(state.get("Status") or "unknown")
    began = state.get("StartedAt") if status == RUNNING else state.get("FinishedAt")
    return ServiceState(
        name=service,
        state=status,
        health=_health(state),
        image=str(table(record, "Config").get("Image") or record.get("ImageName") or ""),
        since=_moment(began) or _moment(record.get("Created")),
        addresses=_addresses(record),
        exit_code=int(state.get("ExitCode") or 0),
        restarts=int(record.get("RestartCount") or 0),
        reason=_reason(status, state),
    )


def table(record: Record, key: str) -> Record:
    """Return a table inside a record, an empty one where there is none."""
    inner = record.get(key)
    return cast("Record", inner) if isinstance(inner, dict) else {}


def _connected(address: str) -> Any:
    """Return Docker's own `APIClient`, which has no types."""
    import docker

    with _translated(address):
        _knock(address)
        return docker.APIClient(base_url=address, version="auto", timeout=_TIMEOUT_S)


def _knock(address: str) -> None:
    """Connect once: the library leaves a socket open where that fails, and blurs why it did."""
    if address.startswith("unix://") and sys.platform != "win32":
        with socket.socket(socket.AF_UNIX) as knocking:
            knocking.settimeout(_TIMEOUT_S)
            knocking.connect(address.removeprefix("unix://"))


@contextmanager
def _translated(address: str) -> Generator[None]:
    from docker.errors import APIError, DockerException

    name = "Podman" if "podman" in address else "Docker"
    try:
        yield
    except APIError as exc:
        raise ToolFailed(name, str(exc.explanation or exc)) from exc
    except (DockerException, OSError) as exc:  # the library lets those of its transport pass
        denied = isinstance(exc, PermissionError) or "Permission denied" in str(exc)
        raise DaemonDown(name, address, denied=denied) from exc


def _health(state: Record) -> Health:
    try:
        return Health(str(table(state, "Health").get("Status")))
    except ValueError:  # Podman leaves it empty where there is no check
        return Health.NONE


def _reason(status: str, state: Record) -> str:
    if status == RUNNING:
        return ""
    if state.get("OOMKilled"):
        return Message("it ran out of memory")
    return str(state.get("Error") or "")


def _moment(text: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return moment if moment.year > 1 else None  # the year 1 stands for never


def _addresses(record: Record) -> tuple[str, ...]:
    ports = cast(
        "dict[str, list[dict[str, str]] | None]", table(table(record, "NetworkSettings"), "Ports")
    )
    bindings = [binding for listed in ports.values() for binding in listed or ()]
    # An empty address stands for all of this machine.
    return tuple(sorted({f"{b['HostIp'] or '0.0.0.0'}:{b['HostPort']}" for b in bindings}))  # noqa: S104


async def _of_context(environment: Mapping[str, str]) -> str:
    if not (docker := find_executable("docker", environment)):
        return ""
    command = [docker, "context", "inspect", "--format", "{{.Endpoints.docker.Host}}"]
    address = (await output_of(command, environment)).strip()
    if "://" not in address:
        return ""  # such as Podman under the name of docker, which knows no contexts
    # Without any context Docker names its own socket, there or not; another engine may be there.
    is_default = address == f"unix://{_DOCKER_SOCKET}"
    return "" if is_default and not _exists(_DOCKER_SOCKET) else address


def _usual(environment: Mapping[str, str], cli: str) -> str:
    if sys.platform == "win32":
        return _DOCKER_PIPE
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    of_docker = [_DOCKER_SOCKET, *([f"{runtime}/docker.sock"] if runtime else [])]
    of_podman = [*([f"{runtime}/podman/podman.sock"] if runtime else []), _PODMAN_SOCKET]
    sockets = {"docker": of_docker, "podman": of_podman}.get(cli, of_docker + of_podman)
    return "unix://" + next((path for path in sockets if _exists(path)), sockets[0])


def _exists(path: str) -> bool:
    return Path(path).exists()


_TIME = re.compile(r"^(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) ?")


def split_log(service: str, log: bytes) -> list[LogLine]:
    """Return the lines of a log whose every line begins with its time."""
    return [_line(service, line) for line in log.decode(errors="replace").splitlines()]


def _line(service: str, text: str) -> LogLine:
    text = text.rstrip("\r")
    found = _TIME.match(text)
    return LogLine(service, found[1], text[found.end() :]) if found else LogLine(service, "", text)
