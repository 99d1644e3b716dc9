"""`askance up`, `down`, `status` and `logs`: the two services in their containers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any, Protocol, TypeVar

from askance import stores
from askance.adapters.containers.compose_output import Progress
from askance.adapters.containers.state import LogLine, Survey
from askance.cli.exits import Exit
from askance.cli.render import services as view
from askance.cli.render.output import say
from askance.cli.shell import Shell
from askance.config.folders import Folders
from askance.config.settings import Settings
from askance.stores import local_services

LINES = 100
_TICK_S = 0.2
_Result = TypeVar("_Result")


class Services(stores.Services, Protocol):
    """What the commands need beside that: volumes to remove, and the logs."""

    async def down(self, report: Callable[[Progress], None], *, volumes: bool = False) -> bool:
        """Stop and remove it; return whether there was anything."""
        ...

    async def log(self, service: str = "", *, lines: int) -> list[LogLine]:
        """Return the last lines of its logs."""
        ...

    async def follow(
        self, service: str = "", *, lines: int, emit: Callable[[LogLine], None]
    ) -> None:
        """Hand over the lines of its logs as they come."""
        ...


Opener = Callable[[Settings, Folders, Mapping[str, str]], Services]


def up(
    shell: Shell, overrides: Mapping[str, Any], *, open_services: Opener = local_services
) -> Exit:
    """Start both services, and say where they are."""
    services = open_services(shell.settings(overrides), shell.folders, shell.environment)
    try:
        started = _watched(shell, services.up)
    except KeyboardInterrupt:
        say(shell.stderr, "What was begun stays as it is; `askance down` takes it away.")
        raise
    shell.stdout.line(view.started_text(started))
    return _told(shell, started.survey)


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
    survey = asyncio.run(services.survey())
    if as_json:
        for record in view.records(survey):
            shell.stdout.line(record)
        return Exit.DONE if survey.ok else Exit.SERVICE_FAILED
    if not survey.begun:
        how = survey.lacking or "`askance up` starts SearXNG and the page reader."
        shell.stdout.line(f"Nothing is started. {how}")
        return Exit.SERVICE_FAILED
    for line in view.table(survey):
        shell.stdout.line(line)
    return _told(shell, survey)


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
        shell.stdout.line(view.log_text(line, named=not service))

    if follow:
        asyncio.run(services.follow(service or "", lines=lines, emit=show))
        return Exit.DONE
    for line in asyncio.run(services.log(service or "", lines=lines)):
        show(line)
    return Exit.DONE


def _watched(
    shell: Shell, work: Callable[[Callable[[Progress], None]], Coroutine[Any, Any, _Result]]
) -> _Result:
    """Run a piece of work, and show how far it is."""
    with contextlib.closing(_front(shell)) as front:
        return asyncio.run(_ticking(front, work(front.show)))


def _front(shell: Shell) -> view.ProgressFront:
    if not shell.redraws:
        return view.PlainProgress(shell.stdout)
    from askance.cli.render.live import Screen  # noqa: PLC0415 - rich costs 100 ms

    return view.LiveProgress(Screen(shell.stdout, shell.environment))


async def _ticking(front: view.ProgressFront, work: Coroutine[Any, Any, _Result]) -> _Result:
    async with asyncio.TaskGroup() as group:
        ticking = group.create_task(_tick(front))
        try:
            return await work
        finally:
            ticking.cancel()


async def _tick(front: view.ProgressFront) -> None:
    while True:
        front.tick()
        await asyncio.sleep(_TICK_S)


def _told(shell: Shell, survey: Survey) -> Exit:
    for sentence in view.troubles(survey):
        say(shell.stderr, f"askance: {sentence}")
    return Exit.DONE if survey.ok else Exit.SERVICE_FAILED
