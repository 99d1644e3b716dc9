"""The command-line tool that starts the containers, Docker's or Podman's: found and run."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import platform
import re
import shutil
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from askance.adapters.containers.problems import NoCli, NoComposePlugin
from askance.domain.errors import SettingsError
from askance.domain.messages import Message
from askance.system.children import end_child, start_child
from askance.system.program import NO_WINDOW

PROJECT = "askance"
CLIS = ("docker", "podman")
# A cold disk and a virus scanner included.
_LIMIT_S = 30.0
# `--wait-timeout` and `--progress` are there from here on, `--progress json` from the second.
_OLDEST, _WITH_JSON = (2, 20), (2, 25)
# `Docker Compose version v2.29.1`, `docker-compose version 1.29.2, build …`.
_DOCKER_COMPOSE = re.compile(r"(?i)docker[ -]compose version:? v?((\d+)\.(\d+)[\w.+-]*)")
_PODMAN_COMPOSE = re.compile(r"(?i)podman-compose version:? v?([\d.]+)")

EachLine = Callable[[str], None]
_INSTRUCTIONS = "https://docs.docker.com/compose/install/linux/"
# What compose needs to put down what it has in its hands.
_GRACE_S = 5.0
# BuildKit's machine-readable lines carry whole logs; a longer one is cut, not kept growing.
_LONGEST_LINE = 1_000_000

# A program that the desktop starts does not see what a shell adds to PATH.
_MORE_PLACES = (
    ("/usr/local/bin", "/opt/homebrew/bin", "/Applications/Docker.app/Contents/Resources/bin")
    if sys.platform == "darwin"
    else ()
)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that can start containers.

    `compose` is the command that compose's own arguments follow; `version` is compose's. `progress`
    is what it takes for `--progress`, empty where it knows none; `waits` whether it can wait until
    the containers are healthy.
    """

    cli: str
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


def find_executable(name: str, environment: Mapping[str, str]) -> str:
    """Return the path of a command, empty if there is none."""
    places = [environment.get("PATH", ""), *_MORE_PLACES]
    separator = ";" if sys.platform == "win32" else ":"
    return shutil.which(name, path=separator.join(filter(None, places))) or ""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How a short command ended: its exit status, and what it wrote to standard output."""

    status: int
    out: str


async def ask(
    command: Sequence[str], environment: Mapping[str, str], *, limit_s: float
) -> CommandResult:
    """Run a short command to its end.

    Raises:
        OSError: it cannot be started.
        TimeoutError: it took longer than `limit_s` seconds, and was ended.
    """
    out: list[str] = []
    async with asyncio.timeout(limit_s):
        status = await run_lines(command, environment, out=out.append, err=lambda _: None)
    return CommandResult(status, "\n".join(out))


async def run_lines(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    out: EachLine,
    err: EachLine,
    folder: Path | None = None,
) -> int:
    """Run a command, hand over its lines as they come, and return its exit status.

    Cancelling ends the command, and the processes that it started, before it returns.
    """
    child = await start_child(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(environment),
        cwd=folder,
        # Ctrl-C in the terminal is for this program, which then ends the whole group.
        start_new_session=True,
        creationflags=NO_WINDOW,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(_read(child.stdout, out))
            group.create_task(_read(child.stderr, err))
        return await child.wait()
    finally:
        await _end(child)


async def _with_compose(cli: str, environment: Mapping[str, str]) -> Tool | None:
    executable = find_executable(cli, environment)
    # Compose 1 and podman-compose are programs of their own.
    alone = find_executable(f"{cli}-compose", environment)
    if not executable and not alone:
        return None
    too_old = ""
    commands = [(executable, "compose")] if executable else []
    commands += [(alone,)] if alone else []
    for command in commands:
        version_text = await _version_text(command, environment)
        if found := _DOCKER_COMPOSE.search(version_text):
            version, numbers = found[1], (int(found[2]), int(found[3]))
            if numbers >= _OLDEST:
                progress = "json" if numbers >= _WITH_JSON else "plain"
                return Tool(cli, command, version, progress, waits=True)
            too_old = too_old or version
        elif found := _PODMAN_COMPOSE.search(version_text):
            return Tool(cli, command, found[1])
    raise NoComposePlugin(cli, found=too_old, fix=_remedy(cli, environment))


def _remedy(cli: str, environment: Mapping[str, str]) -> Message:
    if cli == "podman":
        return Message("Install podman-compose 1.1 or newer, or Docker's compose.")
    fix = (
        Message("See {address} for how to install it.", address=_INSTRUCTIONS)
        if platform.system() == "Linux"
        else Message("Install a newer Docker Desktop.")
    )
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


async def _read(stream: asyncio.StreamReader, each_line: EachLine) -> None:
    # A block can end within a character.
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    rest = ""
    while block := await stream.read(65_536):
        *lines, rest = (rest + decoder.decode(block)).split("\n")
        for line in lines:
            each_line(line.rstrip("\r"))
        rest = rest[:_LONGEST_LINE]
    if rest:
        each_line(rest)


async def _end(child: asyncio.subprocess.Process) -> None:
    """Ask a command that still runs to end, and kill it and all of its group if it does not."""
    try:
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                if sys.platform == "win32":
                    child.terminate()
                else:
                    # `docker` runs compose in a process of its own, in the same group.
                    os.killpg(child.pid, signal.SIGTERM)
            async with asyncio.timeout(_GRACE_S):
                await child.wait()
    except TimeoutError:
        pass
    finally:
        await end_child(child)
