"""What is known of the services and of the engine that runs them, and their logs."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from askance.domain.errors import AskanceError

PROJECT = "askance"
SEARXNG, SEARCH_GATEWAY = "searxng", "search-gateway"
READER_NET, READER = "reader-net", "reader"
SERVICES = (SEARXNG, SEARCH_GATEWAY, READER_NET, READER)
# What other programs ask: `askance up` does not start it, and it is shown where somebody has.
SERVER = "server"
KNOWN = (*SERVICES, SERVER)
RUNNING, MISSING = "running", "missing"
_TIME = re.compile(r"^(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) ?")


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
        ill = {s.name for s in self.services if not s.ok}
        silent = {t.service for t in self.round_trips if t.problem}
        return bool((ill | silent) - {SERVER})

    def round_trip(self, service: str) -> RoundTrip | None:
        """Return the round trip to a service, None where it was not asked."""
        return next((trip for trip in self.round_trips if trip.service == service), None)


@dataclass(frozen=True, slots=True)
class StartResult:
    """What `up` has brought about. `took_s` is in seconds; `notes` are to be told."""

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


_Item = LogLine | BaseException | None
"""A line, the end of one stream, or why it ended."""


class Blocks(Protocol):
    """A log that grows: blocks of bytes until its end, or until it is closed from outside."""

    def __iter__(self) -> Iterator[bytes]:
        """Return the blocks."""
        ...

    def close(self) -> None:
        """Stop whoever waits for a block."""
        ...


class Stream:
    """The growing log of one service, read by one thread and closed by another.

    `open_log` returns its blocks, or None where the engine has not answered yet: Podman is silent
    until a container writes its first line. It is then asked again.
    """

    def __init__(self, service: str, open_log: Callable[[], Blocks | None]) -> None:
        self.service = service
        self._open_log = open_log
        self._opened: Blocks | None = None
        self._closed = False

    def blocks(self) -> Iterator[bytes]:
        """Yield the blocks until the log ends, or is closed."""
        while self._opened is None and not self._closed:
            self._opened = self._open_log()
        if self._opened is not None and not self._closed:
            with contextlib.suppress(OSError, ValueError):  # closed under its reader
                yield from self._opened
        self.close()

    def close(self) -> None:
        """End the log for its reader. May be called from any thread, at any time, repeatedly."""
        self._closed = True
        if self._opened is not None:
            # One that has ended by itself has no socket any more.
            with contextlib.suppress(OSError, AttributeError):
                self._opened.close()


def split_log(service: str, log: bytes) -> list[LogLine]:
    """Return the lines of a log whose every line begins with its time."""
    return [_line(service, line) for line in log.decode(errors="replace").splitlines()]


async def follow_streams(streams: Sequence[Stream], emit: Callable[[LogLine], None]) -> None:
    """Hand over the lines of all streams as they come, until all have ended.

    Leaving, by cancellation or because `emit` raises, closes the streams and ends their threads.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[_Item] = asyncio.Queue()

    def put(item: _Item) -> None:
        loop.call_soon_threadsafe(queue.put_nowait, item)

    pumps = [loop.run_in_executor(None, _pump, stream, put) for stream in streams]
    try:
        running = len(pumps)
        while running:
            match await queue.get():
                case LogLine() as line:
                    emit(line)
                case None:
                    running -= 1
                case error:
                    raise error
    finally:
        for stream in streams:
            stream.close()
        await asyncio.wait(pumps)


def _pump(stream: Stream, put: Callable[[_Item], None]) -> None:
    rest = b""
    try:
        for block in stream.blocks():
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                put(_line(stream.service, line.decode(errors="replace")))
    except Exception as exc:  # noqa: BLE001 - raised again where it is waited for
        put(exc)
    else:
        put(None)


def _line(service: str, text: str) -> LogLine:
    text = text.rstrip("\r")
    found = _TIME.match(text)
    return LogLine(service, found[1], text[found.end() :]) if found else LogLine(service, "", text)
