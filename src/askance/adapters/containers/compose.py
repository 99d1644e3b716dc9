"""Compose: the command-line tool that has it, Docker's or Podman's; the project brought up and down by it, and what its
output says of progress and problems.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import codecs
import contextlib
import json
import os
import platform
import re
import shutil
import signal
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from askance.adapters.containers import problems
from askance.domain.errors import ServiceError, SettingsError
from askance.domain.messages import Message
from askance.domain.ports.containers import ComposeProgress, ResourceKind
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
    raise problems.NoCli(chosen)


def find_executable(name: str, environment: Mapping[str, str]) -> str:
    """Return the path of a command, empty if there is none."""
    places = [environment.get("PATH", ""), *_MORE_PLACES]
    separator = ";" if sys.platform == "win32" else ":"
    return shutil.which(name, path=separator.join(filter(None, places))) or ""


async def output_of(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return what a short command writes; nothing where it fails, cannot be started or does not end in time."""
    out: list[str] = []
    try:
        async with asyncio.timeout(_LIMIT_S):
            status = await run_lines(command, environment, out=out.append, err=lambda _: None)
    except (OSError, TimeoutError):
        return ""
    return "\n".join(out) if status == 0 else ""


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
    for command in ((executable, "compose"), (alone,)):
        if not command[0]:
            continue
        version_text = await output_of([*command, "version"], environment)
        if found := _DOCKER_COMPOSE.search(version_text):
            version, numbers = found[1], (int(found[2]), int(found[3]))
            if numbers >= _OLDEST:
                progress = "json" if numbers >= _WITH_JSON else "plain"
                return Tool(cli, command, version, progress, waits=True)
            too_old = too_old or version
        elif found := _PODMAN_COMPOSE.search(version_text):
            return Tool(cli, command, found[1])
    raise problems.NoComposePlugin(cli, found=too_old, fix=_remedy(cli, environment))


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


COMPOSE_FILE, ENV_FILE = "docker-compose.yml", ".env"
# All that the file knows.
PROFILES = "server"
Report = Callable[[ComposeProgress], None]

# Those that would point compose at another project, or change how it speaks.
_LEFT_OUT = frozenset(
    {
        *("COMPOSE_FILE", "COMPOSE_PROJECT_NAME", "COMPOSE_PROFILES", "COMPOSE_ENV_FILES"),
        *("COMPOSE_PROGRESS", "COMPOSE_ANSI", "BUILDKIT_PROGRESS"),
    }
)


class Compose:
    """One laid-out project in `folder`.

    Variables of the environment that begin with `ASKANCE_` are not handed on: compose would take
    them before the project's own file. What fails is raised as one of `problems`.
    """

    def __init__(self, tool: Tool, folder: Path, environment: Mapping[str, str]) -> None:
        self._tool = tool
        self._folder = folder
        self._environment = {
            name: value
            for name, value in environment.items()
            if name not in _LEFT_OUT and not name.startswith("ASKANCE_")
        }

    async def up(
        self, services: Sequence[str], report: Report, *, build: bool, start_limit_s: float
    ) -> None:
        """Get images, build the reader's if `build` says so, start the services and wait until they
        are healthy, where the tool can. Cancelling ends the tool, not what it has started.
        """
        waiting = ("--wait", "--wait-timeout", f"{max(1, round(start_limit_s))}")
        await self._run(
            "up",
            "--detach",
            *(("--build",) if build else ()),
            *(waiting if self._tool.waits else ()),
            *services,
            report=report,
        )

    async def down(self, report: Report, *, volumes: bool = False) -> None:
        """Stop and remove the containers and networks; with `volumes` what they have stored, too."""
        also = ("--volumes",) if volumes else ()
        # Compose would leave alone what a profile has started, and the networks with it.
        await self._run("down", "--remove-orphans", *also, report=report, profiles=PROFILES)

    async def _run(self, *arguments: str, report: Report, profiles: str = "") -> None:
        output = ProgressReader()

        def each_line(line: str) -> None:
            if (step := output.read(line)) is not None:
                report(step)

        command = [*self._tool.compose, *self._place(), *arguments]
        try:
            status = await run_lines(
                command,
                self._environment | ({"COMPOSE_PROFILES": profiles} if profiles else {}),
                out=each_line,
                err=each_line,
                # Not the current folder, where compose could find another project.
                folder=self._folder if self._folder.is_dir() else Path(self._folder.anchor),
            )
        except OSError as exc:
            output.errors.append(f"{command[0]}: {exc.strerror or exc}")
            raise diagnose(self._tool.name, output) from exc
        if status != 0:
            raise diagnose(self._tool.name, output)

    def _place(self) -> list[str]:
        place = ["--progress", self._tool.progress] if self._tool.progress else []
        place += ["--project-name", PROJECT]
        # A project whose files are gone can still be taken down, by the names of its containers.
        if (self._folder / COMPOSE_FILE).exists():
            place += ["--file", str(self._folder / COMPOSE_FILE)]
            place += ["--env-file", str(self._folder / ENV_FILE)]
        return place


# What compose says, in its JSON lines, its plain ones and a builder's: how far it is, and which problem a
# failure means.
#
# The words are those of Docker 20 to 29, compose 2 to 5, Podman 4 and 5 and podman-compose 1.

_KINDS = "|".join(kind.capitalize() for kind in ResourceKind if kind is not ResourceKind.BUILD)
# ` Container askance-searxng-1  Started`.
_PLAIN = re.compile(rf"^\s*({_KINDS}) (\S+)\s+([A-Z]\w+)\b ?(.*?)\s*$")
_NAMED = re.compile(rf"^({_KINDS}) (\S+)$")
# `Step 3/12 : RUN …` of the former builder, `#7 [reader 3/12] RUN …` of BuildKit.
_STEP = re.compile(r"^(?:Step (\d+/\d+) :|(?:#\d+ )?\[(?:[\w-]+ +)?(\d+/\d+)\]) *(.+)$")
_BUILDKIT_LINE = re.compile(r"^#\d+ (?:[\d.]+ )?(.*)$")
_LAST = frozenset({"Created", "Started", "Healthy", "Running", "Stopped", "Removed", "Pulled"})
_TAIL_LINES = 60


class ProgressReader:
    """Reads the lines of one run of compose.

    `errors` are the sentences with which it failed, `failed_image` the image that it could not get,
    `tail` its last lines in words; `is_building` says that it was building an image in the end.
    """

    def __init__(self) -> None:
        self.errors: list[str] = []
        self.failed_image = ""
        self.is_building = False
        self.tail: deque[str] = deque(maxlen=_TAIL_LINES)
        self._layers: dict[str, dict[str, tuple[int, int]]] = {}

    def read(self, line: str) -> ComposeProgress | None:
        """Take in one line; return the step that it tells of, if any."""
        if line.lstrip().startswith("{"):
            try:
                record: Any = json.loads(line)
            except ValueError:
                record = None
            if isinstance(record, dict):
                return self._record(cast("dict[str, Any]", record))
        if not (stripped := line.strip()):
            return None
        if plain := _PLAIN.match(line):
            kind, name, text, details = plain.groups()
            return self._step(ResourceKind(kind.lower()), name, text, details)
        self.tail.append(_BUILDKIT_LINE.sub(r"\1", stripped))
        if step := _STEP.match(stripped):
            number = step[1] or step[2]
            self.is_building = True
            return ComposeProgress(ResourceKind.BUILD, "reader", f"Step {number}: {step[3]}")
        return None

    def _record(self, record: dict[str, Any]) -> ComposeProgress | None:
        match record:
            case {"error": True, "message": str(message)}:
                self._failed(message)
            case {"level": "error" | "fatal", "msg": str(message)}:
                self._failed(message)
            case {"vertexes": list()}:
                return self._build(record)
            case {"logs": list()}:
                self._build_logs(record)
            case {"id": str(layer), "parent_id": str(parent), "text": str(text)}:
                return self._layer(layer, parent, text, record)
            case {"id": str(name), "text": str(text), **rest}:
                details = str(rest.get("details", ""))
                return self._step(*_kind_of(name, text), text, details)
            case _:
                pass
        return None

    def _step(self, kind: ResourceKind, name: str, text: str, details: str) -> ComposeProgress:
        if text == "Error":
            self.tail.append(f"{kind.capitalize()} {name}: {details or text}")
            if kind is ResourceKind.IMAGE:
                self.failed_image = name
        # Networks and containers are made when all images are there.
        self.is_building &= kind in {ResourceKind.IMAGE, ResourceKind.BUILD}
        return ComposeProgress(kind, short_name(kind, name), text, done=text in _LAST)

    def _layer(
        self, layer: str, parent: str, text: str, record: dict[str, Any]
    ) -> ComposeProgress | None:
        kind, image = _kind_of(parent, "Pulling")
        layers = self._layers.setdefault(image, {})
        _, known = layers.get(layer, (0, 0))
        match text:
            case "Downloading":
                layers[layer] = (_number(record, "current"), _number(record, "total"))
            case "Download complete" | "Extracting" | "Pull complete":
                layers[layer] = (known, known)
            case _:
                return None
        # Only layers that were named by now count, so the total grows at first.
        current, total = map(sum, zip(*layers.values(), strict=True))
        doing = "Downloading" if current < total or not total else "Extracting"
        return ComposeProgress(kind, short_name(kind, image), doing, False, current, total)

    def _build(self, record: dict[str, Any]) -> ComposeProgress | None:
        self._build_logs(record)
        self.is_building = True
        begun: ComposeProgress | None = None
        for vertex in cast("list[Any]", record["vertexes"]):
            match vertex:
                case {"error": str(error)} if error:
                    self.tail.append(error)
                case {"name": str(name), "started": str()} if "completed" not in vertex:
                    begun = ComposeProgress(ResourceKind.BUILD, "reader", name)
                case _:
                    pass
        return begun

    def _build_logs(self, record: dict[str, Any]) -> None:
        for entry in cast("list[Any]", record.get("logs") or []):
            match entry:
                case {"data": str(data)}:
                    try:
                        text = base64.b64decode(data).decode(errors="replace")
                    # The log is only shown: a line that cannot be decoded is left out.
                    except binascii.Error:
                        continue
                    self.tail.extend(line for line in text.splitlines() if line.strip())
                case _:
                    pass

    def _failed(self, message: str) -> None:
        self.errors.append(message)
        self.tail.append(message)


def short_name(kind: ResourceKind, name: str) -> str:
    """Return a name as people know it: `askance-searxng-1` is `searxng`."""
    if kind is ResourceKind.IMAGE:
        return name
    return re.sub(r"[-_]\d+$", "", name.removeprefix(f"{PROJECT}-").removeprefix(f"{PROJECT}_"))


def _kind_of(name: str, text: str) -> tuple[ResourceKind, str]:
    """Compose before version 5 names an image by its service alone."""
    if named := _NAMED.match(name):
        return ResourceKind(named[1].lower()), named[2]
    return (ResourceKind.BUILD if text.startswith("Buil") else ResourceKind.IMAGE), name


def _number(record: dict[str, Any], key: str) -> int:
    value = record.get(key, 0)
    return value if isinstance(value, int) else 0


_LAST_LINES = 6
# What a tool says of a failure is some lines; more than this of them is not looked through.
_LOOKED_THROUGH_CHARACTERS = 4000
_PREFIXES = re.compile(r"^(?:Error response from daemon: |Error: |error: |failed to solve: )+")

# The only wordings of tools that are known here; they are those of their operating system, of a registry or of
# Go's network library, and outlast versions. Whether the engine answers and how the containers are, the engine is
# asked (`services`); whatever else there is, is shown as it was said.

# `0.0.0.0:25017`, `[::]:25017` or `:::25017`: a port behind the end of an address.
_PORT = re.compile(r"(?:\.\d{1,3}|\]|::):(?P<port>\d{1,5})\b")
# What is said of a port beside its number, on the same line.
_BOUND = ("bind: ", "in use", "already allocated")
_UNREACHABLE = re.compile(
    r"no such host|i/o timeout|[Nn]etwork (?:is )?unreachable|no route to host|server misbehaving"
    r"|[Tt]emporary failure in name resolution|Name or service not known|TLS handshake timeout"
    r"|proxyconnect tcp|Client\.Timeout exceeded|context deadline exceeded"
    r"|connection reset by peer|connection refused|: EOF$",
    re.MULTILINE,
)
# Such words are said of connections to the engine, too: one to a registry names where it goes.
_OUTWARDS = ("https://", "http://", "dial tcp", "lookup ", "registry", "name resolution")


def diagnose(name: str, output: ProgressReader) -> ServiceError:
    """Return what a failed run of the tool `name` (`Docker`, `Podman`) means; `ToolFailed` with what it said last
    where its words are none of those that are known."""
    lines = [*output.tail]
    error_line = output.errors[-1] if output.errors else _last_words(lines)
    reason = _PREFIXES.sub("", error_line.strip())
    # A build that could not fetch a package says so in its log alone.
    for text in (
        error_line[:_LOOKED_THROUGH_CHARACTERS],
        "\n".join(lines)[-_LOOKED_THROUGH_CHARACTERS:],
    ):
        bound = (line for line in text.splitlines() if any(word in line for word in _BOUND))
        if found := next(filter(None, map(_PORT.search, bound)), None):
            reserved = "forbidden by its access permissions" in text
            holder = Message("Windows, which keeps ranges of ports for itself") if reserved else ""
            return problems.PortTaken(int(found["port"]), holder=holder)
        if found := _UNREACHABLE.search(text):
            start = text.rfind("\n", 0, found.start()) + 1
            line = text[start:].partition("\n")[0]
            if output.failed_image or output.is_building or any(word in line for word in _OUTWARDS):
                line = _PREFIXES.sub("", line.strip())
                return problems.ImageMissingOffline(name, output.failed_image, line)
    if output.is_building:
        before = [line for line in lines if line.strip() and line != error_line]
        return problems.BuildFailed(name, reason, before[-_LAST_LINES:])
    return problems.ToolFailed(name, reason)


def _last_words(lines: Sequence[str]) -> str:
    """Return the last line that tells a failure, or the last of all."""
    errors = [line for line in lines if re.search(r"(?i)\berror\b|failed|denied|cannot", line)]
    return (errors or list(lines) or [""])[-1]
