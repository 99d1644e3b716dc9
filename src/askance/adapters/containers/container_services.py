"""The two services as a front end uses them: up, down, how they are, and what they log."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from http import HTTPStatus

from askance.adapters.containers.compose import (
    CLIS,
    Compose,
    Report,
    Tool,
    find_executable,
    find_tool,
    short_name,
)
from askance.adapters.containers.compose_project import (
    Installation,
    lay_out,
    remove_mounted,
    wanted_services,
)
from askance.adapters.containers.engine import ContainerEngine, find_engine, open_engine
from askance.adapters.containers.problems import (
    DaemonDown,
    NoCli,
    NoComposePlugin,
    PortTaken,
    StillStarting,
    ToolFailed,
    Unhealthy,
)
from askance.adapters.network.guarded_http import reason_of
from askance.adapters.network.own_services import LIMIT_S, reply_of
from askance.config.folders import Folders
from askance.config.settings import Settings
from askance.domain.errors import (
    AskanceError,
    InputError,
    ServiceError,
    ServiceTimeout,
    StorageError,
)
from askance.domain.messages import Message
from askance.domain.ports.containers import (
    KNOWN,
    READER,
    RUNNING,
    SEARCH_GATEWAY,
    SERVER,
    ComposeProgress,
    Health,
    LogLine,
    ResourceKind,
    RoundTrip,
    ServiceState,
    StartResult,
    Survey,
)
from askance.system.machine import program_on

STARTUP_TIMEOUT_S = 300.0
"""How long the containers may take until they are well; getting their images is not counted."""
# Of a container that failed: enough for its reason, few enough to be read.
_LAST_LINES = 5
_POLL_S = 0.5
# Where they say that they are well, the gateway with what SearXNG says; the others speak to nobody.
_ANSWERING = {SEARCH_GATEWAY: "/healthz", READER: "/healthz", SERVER: "/health"}


class LocalServices:
    """SearXNG and the page reader of this user.

    Every method raises a ServiceError, mostly one of `problems`, where a tool or the engine fails,
    and an InputError where a setting, the user's engine list or a service's name is in the way.
    """

    def __init__(
        self, settings: Settings, folders: Folders, environment: Mapping[str, str]
    ) -> None:
        self._settings = settings
        self._folders = folders
        self._environment = environment

    async def up(self, report: Report) -> StartResult:
        """Lay the project out, get and build its images, start it and wait until it is well.

        Cancelling stops at once; what was begun stays until `down`.
        """
        began = time.monotonic()
        tool = await self._tool()
        await find_engine(self._environment, tool.cli)  # refuses one on another machine
        installed = await asyncio.to_thread(
            lay_out, self._settings, self._folders, self._environment
        )
        try:
            await self._compose(tool).up(
                installed.services, report, build=installed.build, start_limit_s=STARTUP_TIMEOUT_S
            )
            if not tool.waits:
                await self._wait(installed.services, report, STARTUP_TIMEOUT_S)
        except ServiceError as exc:
            raise await self._explained(exc, installed) from exc
        # Noted only now: after a start that failed, the next one builds the images again.
        await asyncio.to_thread(installed.complete)
        survey = await self.survey()
        # How the server is says nothing of what was started here.
        started = tuple(state for state in survey.services if state.name != SERVER)
        trips = tuple(trip for trip in survey.round_trips if trip.service != SERVER)
        survey = replace(survey, services=started, round_trips=trips)
        took_s = time.monotonic() - began
        return StartResult(survey, installed.engine_list, took_s, installed.notes)

    async def down(self, report: Report, *, volumes: bool = False) -> bool:
        """Stop and remove the containers; images and the engine list stay. With `volumes` what
        containers keep goes, too. Return whether there was anything.

        The tokens go: without the reader's, `reader.mode = auto` reads pages in this program and
        does not look for a service that was ended on purpose; without the gateway's, a SearXNG of
        the user's own can take its place. The next `up` makes others.
        """
        tool = await self._tool()
        # Not every tool tells what it does, so the engine is asked; where it is down, compose says so.
        existing: tuple[ServiceState, ...] = ()
        with suppress(ServiceError):
            async with self._engine() as engine:
                existing = await engine.states()
        try:
            await self._compose(tool).down(report, volumes=volumes)
        except ToolFailed as exc:
            raise await self._by_state(exc, ()) from exc
        for token in (self._folders.reader_token, *self._folders.search_tokens()):
            try:
                remove_mounted(token)
            except OSError as exc:
                problem = Message("{file} cannot be removed: {problem}.", file=token, problem=exc)
                raise StorageError(
                    problem, fix=Message("Check its owner and permissions.")
                ) from exc
        return bool(existing)

    async def survey(self) -> Survey:
        """Look at every wanted service, and at any other that is there: its container, and the time
        that it takes to answer.
        """
        async with self._engine() as engine:
            info, states = await engine.info(), await engine.states()
        found = {state.name: state for state in states}
        wanted = wanted_services(self._settings)
        shown = [name for name in KNOWN if name in wanted or name in found]
        services = tuple(found.get(name) or ServiceState(name) for name in shown)
        async with asyncio.TaskGroup() as group:
            trips = [
                group.create_task(
                    round_trip(state.name, f"http://{state.addresses[0]}", _ANSWERING[state.name])
                )
                for state in services
                if state.name in _ANSWERING and state.state == RUNNING and state.addresses
            ]
        survey = Survey(info, services, tuple(trip.result() for trip in trips))
        return survey if survey.begun else replace(survey, lacking=await self._lacking())

    async def log(self, service: str = "", *, lines: int) -> list[LogLine]:
        """Return the last lines of the log of a service, or of all of them, oldest first."""
        services = named(service)
        async with self._engine() as engine:
            return await engine.log(services, lines)

    async def follow(
        self, service: str = "", *, lines: int, emit: Callable[[LogLine], None]
    ) -> None:
        """Hand over the last lines of a log, or of all, then each new one, until cancelled."""
        services = named(service)
        async with self._engine() as engine:
            await engine.follow(services, lines, emit)

    async def _tool(self) -> Tool:
        """Return what starts containers. Where the engine does not answer either, that comes first: so does
        `survey` say it, and no compose could start anything.
        """
        try:
            return await find_tool(self._environment, self._settings.services.runtime)
        except NoComposePlugin:
            async with self._engine():
                raise

    async def _lacking(self) -> AskanceError | None:
        """Return what `up` would refuse with for want of a tool; None if there is one."""
        try:
            await find_tool(self._environment, self._settings.services.runtime)
        except AskanceError as exc:
            return exc
        return None

    def _compose(self, tool: Tool) -> Compose:
        return Compose(tool, self._folders.services, self._environment)

    @asynccontextmanager
    async def _engine(self) -> AsyncGenerator[ContainerEngine]:
        cli = self._settings.services.runtime
        try:
            address = await find_engine(self._environment, cli)
            async with open_engine(address) as engine:
                yield engine
        except DaemonDown:
            if not any(find_executable(name, self._environment) for name in CLIS):
                # Without a command-line tool, a missing installation is the reason to name.
                raise NoCli(cli) from None
            raise

    async def _wait(self, services: Sequence[str], report: Report, limit_s: float) -> None:
        """Wait until all are well, for a tool that does not."""
        reported: set[str] = set()
        states: dict[str, ServiceState] = {}
        try:
            async with asyncio.timeout(limit_s), self._engine() as engine:
                while True:
                    states = {state.name: state for state in await engine.states()}
                    for name in services:
                        if (state := states.get(name)) is None:
                            continue
                        _refuse_ill(state)
                        if state.ok and name not in reported:
                            reported.add(name)
                            report(
                                ComposeProgress(ResourceKind.CONTAINER, name, "Healthy", done=True)
                            )
                    if reported.issuperset(services):
                        return
                    await asyncio.sleep(_POLL_S)
        except TimeoutError as exc:
            raise StillStarting(_not_well(services, states), limit_s) from exc

    async def _explained(self, problem: ServiceError, installed: Installation) -> ServiceError:
        """Return a problem with what only the engine or the system can tell of it."""
        match problem:
            case Unhealthy():
                return await self._with_log(problem)
            case ToolFailed():
                problem = await self._by_state(problem, installed.services)
                return await self._with_log(problem) if isinstance(problem, Unhealthy) else problem
            case PortTaken(port=port, holder=holder):
                settings = {
                    installed.searxng_port: "search.url",
                    installed.reader_port: "reader.url",
                }
                return PortTaken(port, settings.get(port, ""), holder or await self._holder(port))
            case _:
                pass
        return problem

    async def _by_state(self, problem: ToolFailed, services: Sequence[str]) -> ServiceError:
        """Return what the state of the engine and of the containers says of a failure whose words say nothing."""
        try:
            async with self._engine() as engine:
                states = {state.name: state for state in await engine.states()}
        except DaemonDown as exc:
            return exc
        except ServiceError:
            return problem
        # An ended container may be left from another day: it is to blame if compose names it.
        named = {short_name(ResourceKind.CONTAINER, word) for word in problem.reason.split()}
        for name in services:
            state = states.get(name)
            if state is not None and name in named and not state.ok:
                return Unhealthy(name, _how_ill(state))
        not_well = _not_well(services, states)
        if not_well and all(name in states and states[name].state == RUNNING for name in services):
            return StillStarting(not_well, STARTUP_TIMEOUT_S)
        return problem

    async def _with_log(self, problem: Unhealthy) -> Unhealthy:
        how, lines = problem.how, list[LogLine]()
        with suppress(ServiceError, InputError):
            async with self._engine() as engine:
                for state in await engine.states():
                    if state.name == problem.service and state.restarts:
                        # One that was just started again has no status at this moment.
                        how = (
                            Message(
                                "ends with status {status} each time that it is started",
                                status=str(state.exit_code),
                            )
                            if state.exit_code
                            else Message("ends each time that it is started")
                        )
                lines = await engine.log((problem.service,), _LAST_LINES)
        return Unhealthy(problem.service, how, [line.text for line in lines if line.text.strip()])

    async def _holder(self, port: int) -> str:
        with suppress(ServiceError):
            async with self._engine() as engine:
                if name := await engine.holder_of(port):
                    return Message("the container {name}", name=name)
        return await asyncio.to_thread(program_on, port)


def named(service: str) -> tuple[str, ...]:
    """Return the services that a word names: all for none."""
    if service and service not in KNOWN:
        raise InputError(
            Message("There is no service {name}.", name=repr(service)),
            fix=Message("There are {names}.", names=", ".join(KNOWN)),
        )
    return (service,) if service else KNOWN


async def round_trip(service: str, url: str, path: str = "/healthz") -> RoundTrip:
    """Ask a service at its address whether it is well. What goes wrong stands in the value."""
    try:
        status, _, ms = await reply_of(service, url, path)
    except ServiceTimeout:
        return RoundTrip(service, url, problem=Message("did not answer within {n} s", n=LIMIT_S))
    except ServiceError as exc:
        reason = reason_of(exc.__cause__ or exc)
        return RoundTrip(service, url, problem=Message("does not answer ({said})", said=reason))
    if status != HTTPStatus.OK:
        problem = Message("answered with status {status}", status=str(status))
        return RoundTrip(service, url, ms, problem)
    return RoundTrip(service, url, ms)


def _refuse_ill(state: ServiceState) -> None:
    if state.health is Health.UNHEALTHY or state.state in {"exited", "dead"}:
        raise Unhealthy(state.name, _how_ill(state))


def _how_ill(state: ServiceState) -> Message:
    if state.state == RUNNING:
        return Message("reports that it is unhealthy")
    return Message("ended with status {status}", status=str(state.exit_code))


def _not_well(services: Sequence[str], states: Mapping[str, ServiceState]) -> list[str]:
    return [name for name in services if name not in states or not states[name].ok]
