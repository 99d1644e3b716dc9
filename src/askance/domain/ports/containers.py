"""The services that run in containers: how they are, how starting them goes on, and their logs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from askance.domain.errors import AskanceError

SEARXNG, SEARCH_GATEWAY = "searxng", "search-gateway"
READER_NET, READER = "reader-net", "reader"
SERVICES = (SEARXNG, SEARCH_GATEWAY, READER_NET, READER)
# What other programs ask: `askance up` does not start it, and it is shown where somebody has.
SERVER = "server"
KNOWN = (*SERVICES, SERVER)
# Engines say the first; the second is ours, since they have no word for a container that is not
# there.
RUNNING, MISSING = "running", "missing"


class Health(StrEnum):
    """What a container's own health check says. `NONE` is a container without one."""

    HEALTHY = "healthy"
    STARTING = "starting"
    UNHEALTHY = "unhealthy"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class ServiceState:
    """One service as its engine sees it.

    `state` is the engine's word (`running`, `exited`, `restarting`, …), or `missing` where there is
    no container. `since` is when that state began. `addresses` are published ports on this machine,
    as `host:port`. `reason` says why it does not run, where the engine knows.
    """

    name: str
    state: str = MISSING
    health: Health = Health.NONE
    image: str = ""
    since: datetime | None = None
    addresses: tuple[str, ...] = ()
    exit_code: int = 0
    restarts: int = 0
    reason: str = ""

    @property
    def ok(self) -> bool:
        """Whether it runs, and does not say that it is ill or still starting."""
        # Without a health check in its image a container that runs is all that an engine knows of.
        return self.state == RUNNING and self.health in {Health.HEALTHY, Health.NONE}


@dataclass(frozen=True, slots=True)
class EngineInfo:
    """The engine that runs the containers: `Docker` or `Podman`, its version and its address."""

    name: str
    version: str
    api_version: str
    address: str


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """One request to a service's `/healthz`: how long it took, or what went wrong."""

    service: str
    url: str
    ms: float = 0.0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Survey:
    """Everything about the services at one moment.

    `services` holds every one that is wanted, in a fixed order, missing ones too. `lacking` says why
    `askance up` could start nothing; it is looked for only where nothing is there.
    """

    engine: EngineInfo
    services: tuple[ServiceState, ...]
    round_trips: tuple[RoundTrip, ...] = ()
    lacking: AskanceError | None = None

    @property
    def ok(self) -> bool:
        """Whether every service runs, is healthy and answers."""
        return all(s.ok for s in self.services) and not any(t.problem for t in self.round_trips)

    @property
    def begun(self) -> bool:
        """Whether there is any container at all."""
        return any(s.state != MISSING for s in self.services)

    @property
    def startable(self) -> bool:
        """Whether anything is not well that `askance up` starts: it does not start the server."""
        # Healthy by its own check, from inside, a service may still answer nothing from outside.
        ill = {s.name for s in self.services if not s.ok}
        silent = {t.service for t in self.round_trips if t.problem}
        return bool((ill | silent) - {SERVER})

    def round_trip(self, service: str) -> RoundTrip | None:
        """Return the round trip to a service, None where it was not asked."""
        return next((trip for trip in self.round_trips if trip.service == service), None)


@dataclass(frozen=True, slots=True)
class StartResult:
    """What `up` has brought about. `took_s` is in seconds; `notes` are to be shown."""

    survey: Survey
    engine_list: Path
    took_s: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of a container's log. `at` is the engine's RFC 3339 time, empty where it has none."""

    service: str
    at: str
    text: str


class ResourceKind(StrEnum):
    """What moves."""

    IMAGE = "image"
    CONTAINER = "container"
    NETWORK = "network"
    VOLUME = "volume"
    BUILD = "build"


@dataclass(frozen=True, slots=True)
class ComposeProgress:
    """One step. `doing` is the tool's own word, such as `Downloading`.

    Bytes are those of all layers of an image that are known of by now, 0 where nothing is counted.
    """

    kind: ResourceKind
    name: str
    doing: str
    done: bool = False
    current_bytes: int = 0
    total_bytes: int = 0


class Services(Protocol):
    """The services that the settings ask for."""

    async def up(self, report: Callable[[ComposeProgress], None]) -> StartResult:
        """Start them."""
        ...

    async def down(self, report: Callable[[ComposeProgress], None]) -> bool:
        """Stop and remove them; return whether there was anything."""
        ...

    async def survey(self) -> Survey:
        """Look at them."""
        ...


class ContainerServices(Services, Protocol):
    """The same with what a terminal does beside that: remove volumes, and show the logs."""

    async def down(
        self, report: Callable[[ComposeProgress], None], *, volumes: bool = False
    ) -> bool:
        """Stop and remove them, with `volumes` what they keep as well; return whether there was anything."""
        ...

    async def log(self, service: str = "", *, lines: int) -> list[LogLine]:
        """Return the last lines of their logs."""
        ...

    async def follow(
        self, service: str = "", *, lines: int, emit: Callable[[LogLine], None]
    ) -> None:
        """Hand over the lines of their logs as they come."""
        ...


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """A service that answers: its version, "" where it tells none, and its round trip."""

    version: str
    ms: float
