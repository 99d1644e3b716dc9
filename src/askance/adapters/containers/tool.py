"""Which command-line tool starts the containers: Docker's or Podman's, with its compose."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from askance.adapters.containers.child import ask
from askance.adapters.containers.executables import find_executable
from askance.adapters.containers.packages import compose_remedy
from askance.adapters.containers.problems import NoCli, NoComposePlugin
from askance.domain.errors import SettingsError
from askance.domain.messages import Message

CLIS = ("docker", "podman")
# A cold disk and a virus scanner included.
_LIMIT_S = 30.0
# `--wait-timeout` and `--progress` are there from here on, `--progress json` from the second.
_OLDEST, _WITH_JSON = (2, 20), (2, 25)
_DOCKER_COMPOSE = re.compile(r"(?i)docker[ -]compose version:? v?((\d+)\.(\d+)[\w.+-]*)")
_PODMAN_COMPOSE = re.compile(r"(?i)podman-compose version:? v?([\d.]+)")


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that can start containers.

    `compose` is the command that compose's own arguments follow; `version` is compose's. `progress`
    is what it takes for `--progress`, empty where it knows none; `waits` whether it can wait until
    the containers are healthy. `executable` is empty where compose stands alone.
    """

    cli: str
    executable: str
    compose: tuple[str, ...]
    version: str
    progress: str = ""
    waits: bool = False

    @property
    def name(self) -> str:
        """`Docker` or `Podman`."""
        return self.cli.capitalize()


async def find_tool(environment: Mapping[str, str], chosen: str = "") -> Tool:
    """Return the tool that the settings name, or the first that is found. Its engine is the one
    that `addresses` finds, so another is not taken where this one lacks its compose.

    Raises:
        SettingsError: `chosen` is the name of no such tool.
        NoCli: there is none.
        NoComposePlugin: there is one, but its compose is missing or too old.
    """
    if chosen and chosen not in CLIS:
        raise SettingsError(
            Message(
                "services.runtime = {said} is not allowed: it must be docker, podman or empty.",
                said=repr(chosen),
            ),
            fix=Message("`askance config set services.runtime docker` sets it."),
        )
    for cli in (chosen,) if chosen else CLIS:
        if tool := await _with_compose(cli, environment):
            return tool
    raise NoCli(chosen)


async def _with_compose(cli: str, environment: Mapping[str, str]) -> Tool | None:
    executable = find_executable(cli, environment)
    alone = find_executable(f"{cli}-compose", environment)
    if not executable and not alone:
        return None
    too_old = ""
    commands = [(executable, "compose")] if executable else []
    commands += [(alone,)] if alone else []
    for command in commands:
        said = await _version_text(command, environment)
        if found := _DOCKER_COMPOSE.search(said):
            version, numbers = found[1], (int(found[2]), int(found[3]))
            if numbers >= _OLDEST:
                progress = "json" if numbers >= _WITH_JSON else "plain"
                return Tool(cli, executable, command, version, progress, waits=True)
            too_old = too_old or version
        elif found := _PODMAN_COMPOSE.search(said):
            return Tool(cli, executable, command, found[1])
    raise NoComposePlugin(cli, found=too_old, fix=await _remedy(cli, environment))


async def _remedy(cli: str, environment: Mapping[str, str]) -> Message:
    if cli == "podman":
        return Message("Install podman-compose 1.1 or newer, or Docker's compose.")
    fix = await compose_remedy(environment, _OLDEST)
    if find_executable("podman", environment):
        podman = Message(
            "Or use Podman, which is here: `askance config set services.runtime podman`."
        )
        return Message.joined(fix, podman)
    return fix


async def _version_text(command: Sequence[str], environment: Mapping[str, str]) -> str:
    try:
        reply = await ask([*command, "version"], environment, limit_s=_LIMIT_S)
    except (OSError, TimeoutError):
        return ""
    return reply.out if reply.status == 0 else ""
