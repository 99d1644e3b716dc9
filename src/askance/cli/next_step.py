"""The last line of `askance doctor`: the one command that leads on from here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from askance.checkup.first_steps import Step, command_of, look_at_model, look_at_search
from askance.checkup.network import has_network
from askance.cli import services
from askance.cli.shell import Shell
from askance.config.settings import SearchSettings, Settings
from askance.domain.errors import AskanceError

HasNetwork = Callable[[SearchSettings], bool]


def say_next(
    shell: Shell,
    settings: Settings,
    limit_s: float,
    open_services: services.Opener,
    is_online: HasNetwork = has_network,
) -> None:
    """Say what to do next where a search cannot be answered in full; nothing if that is not known."""
    try:
        command = asyncio.run(_command(shell, settings, limit_s, open_services, is_online))
    except (AskanceError, TimeoutError):
        return  # what is wrong stands above
    if command != Step.ASK:
        shell.stdout.line(f"Next: {command}")


async def _command(
    shell: Shell,
    settings: Settings,
    limit_s: float,
    open_services: services.Opener,
    is_online: HasNetwork,
) -> str:
    folders, online = shell.folders, is_online(settings.search)
    containers = open_services(settings, folders, shell.environment)
    async with asyncio.timeout(limit_s), shell.open_app(settings, folders) as app:
        model = await look_at_model(app, shell.environment, online=online)
        search = await look_at_search(settings, folders, containers.survey, online=online)
    return command_of(model, search)
