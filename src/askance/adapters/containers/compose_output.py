"""What compose says, in its JSON lines, its plain ones and a builder's: how far it is, and which problem a
failure means.

The words are those of Docker 20 to 29, compose 2 to 5, Podman 4 and 5 and podman-compose 1.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from askance.adapters.containers import problems
from askance.adapters.containers.state import PROJECT
from askance.domain.errors import ServiceError
from askance.domain.messages import Message
from askance.domain.ports.containers import ComposeProgress, ResourceKind

_KINDS = "|".join(kind.capitalize() for kind in ResourceKind if kind is not ResourceKind.BUILD)
_PLAIN = re.compile(rf"^\s*({_KINDS}) (\S+)\s+([A-Z]\w+)\b ?(.*?)\s*$")
_NAMED = re.compile(rf"^({_KINDS}) (\S+)$")
_STEP = re.compile(r"^(?:Step (\d+/\d+) :|(?:#\d+ )?\[(?:[\w-]+ +)?(\d+/\d+)\]) *(.+)$")
_BUILDKIT_LINE = re.compile(r"^#\d+ (?:[\d.]+ )?(.*)$")
_LAST = frozenset({"Created", "Started", "Healthy", "Running", "Stopped", "Removed", "Pulled"})
_TAIL_LINES = 60


class ProgressReader:
    """Reads the lines of one run of compose.

    `errors` are the sentences with which it failed, `failed_image` the image that it could not get,
    `tail` its last lines in words.
    """

    def __init__(self) -> None:
        self.errors: list[str] = []
        self.failed_image = ""
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
        return self._words(line)

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

    def _words(self, line: str) -> ComposeProgress | None:
        if not (stripped := line.strip()):
            return None
        if plain := _PLAIN.match(line):
            kind, name, text, details = plain.groups()
            return self._step(ResourceKind(kind.lower()), name, text, details)
        self.tail.append(_BUILDKIT_LINE.sub(r"\1", stripped))
        if step := _STEP.match(stripped):
            number = step[1] or step[2]
            return ComposeProgress(ResourceKind.BUILD, "reader", f"Step {number}: {step[3]}")
        return None

    def _step(self, kind: ResourceKind, name: str, text: str, details: str) -> ComposeProgress:
        if text == "Error":
            self.tail.append(f"{kind.capitalize()} {name}: {details or text}")
            if kind is ResourceKind.IMAGE:
                self.failed_image = name
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
        current, total = map(sum, zip(*layers.values(), strict=True))
        doing = "Downloading" if current < total or not total else "Extracting"
        return ComposeProgress(kind, short_name(kind, image), doing, False, current, total)

    def _build(self, record: dict[str, Any]) -> ComposeProgress | None:
        self._build_logs(record)
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
_UNREACHABLE = (
    r"no such host|i/o timeout|network is unreachable|no route to host|server misbehaving"
    r"|[Tt]emporary failure in name resolution|Name or service not known|TLS handshake timeout"
    r"|proxyconnect tcp|Client\.Timeout exceeded|context deadline exceeded"
    r"|connection reset by peer|connection refused|Network unreachable|: EOF$"
)
# Those words are said of other connections, too.
_ON_THE_WAY_OUT = re.compile(r"https?://|dial tcp|lookup |registry|name resolution")


@dataclass(frozen=True, slots=True)
class ComposeFailure:
    """What is known of a failed run: the tool's name, what it said, the image it could not get."""

    name: str
    error_line: str
    lines: Sequence[str] = ()
    image: str = ""

    @property
    def reason(self) -> str:
        """What it said, without the words that only say that it is an error."""
        return _PREFIXES.sub("", self.error_line.strip())

    @property
    def last_lines(self) -> list[str]:
        """The last lines before that."""
        return [line for line in self.lines if line.strip() and line != self.error_line][
            -_LAST_LINES:
        ]


_Make = Callable[[re.Match[str], ComposeFailure], ServiceError]


def _denied(found: re.Match[str], failure: ComposeFailure) -> ServiceError:
    return problems.DaemonDown(failure.name, found["address"] or "", denied=True)


def _down(found: re.Match[str], failure: ComposeFailure) -> ServiceError:
    name = "Podman" if "Podman" in found[0] else failure.name
    return problems.DaemonDown(name, (found.groupdict()["address"] or "").rstrip(".;:,"))


def _port(found: re.Match[str], _failure: ComposeFailure) -> ServiceError:
    reserved = "forbidden by its access permissions" in found.string
    holder = Message("Windows, which keeps ranges of ports for itself") if reserved else ""
    return problems.PortTaken(int(found["port"]), holder=holder)


def _no_space(_found: re.Match[str], failure: ComposeFailure) -> ServiceError:
    return problems.NoSpace(failure.name)


def _ill(found: re.Match[str], _failure: ComposeFailure) -> ServiceError:
    code = found["code"]
    how = (
        Message("ended with status {status}", status=str(code))
        if code
        else Message("reports that it is unhealthy")
    )
    return problems.Unhealthy(short_name(ResourceKind.CONTAINER, found["container"]), how)


def _late(found: re.Match[str], _failure: ComposeFailure) -> ServiceError:
    return problems.StillStarting((), float(found["seconds"]))


def _limited(_found: re.Match[str], failure: ComposeFailure) -> ServiceError:
    return problems.PullsLimited(failure.name, failure.reason.removeprefix("toomanyrequests: "))


def _unknown(found: re.Match[str], failure: ComposeFailure) -> ServiceError:
    image = failure.image or found.groupdict().get("image") or ""
    return problems.ImageUnknown(failure.name, image, failure.reason)


def _offline(found: re.Match[str], failure: ComposeFailure) -> ServiceError:
    image = failure.image or found.groupdict().get("image") or ""
    if not image and not _ON_THE_WAY_OUT.search(found.string):
        return problems.ToolFailed(failure.name, failure.reason)
    return problems.ImageMissingOffline(failure.name, image, failure.reason)


def _unbuilt(_found: re.Match[str], failure: ComposeFailure) -> ServiceError:
    """A build that failed because a package could not be fetched says so in its log alone."""
    for line in reversed(failure.lines):
        if re.search(_UNREACHABLE, line):
            return problems.ImageMissingOffline(failure.name, "", line)
    return problems.BuildFailed(failure.name, failure.reason, failure.last_lines)


def _apart(_found: re.Match[str], failure: ComposeFailure) -> ServiceError:
    fix = Message(
        "Update {name}: its command and its engine have versions too far apart.",
        name=failure.name,
    )
    return problems.ToolFailed(failure.name, failure.reason, fix=fix)


_AT = r"(?: at (?P<address>(?:unix|tcp|npipe|http)\S+?)[.;:]*(?=\s|$))"
# The first row that matches is taken, so rows that look for less come later.
_ROWS: tuple[tuple[str, _Make], ...] = (
    (rf"permission denied while trying to connect to .*?(?:{_AT}|$)", _denied),
    (r"(?P<address>unix:\S+?)?:? connect: permission denied", _denied),
    (rf"(?:Cannot|failed to) connect to the [Dd]ocker (?:daemon|API){_AT}?", _down),
    (r"(?:Cannot connect to Podman|unable to connect to Podman)(?P<address>)", _down),
    (r"error during connect: .*?(?P<address>//\./pipe/\w+|npipe\S+)?: ?The system cannot", _down),
    (r"dial unix (?P<address>\S+?): connect: (?:no such file|connection refused)", _down),
    (r"listen (?:tcp|udp)[46]? \S*:(?P<port>\d+): bind: ", _port),
    (r"Bind for \S*:(?P<port>\d+) failed: port is already allocated", _port),
    (r"failed to bind host port (?:for )?[\d.\[\]:]*?:(?P<port>\d+)[:/]", _port),
    (r"exposing port \w+ \S*?:(?P<port>\d+) ->", _port),
    (r"no space left on device|disk quota exceeded|not enough space on the disk", _no_space),
    (r"container (?P<container>[\w.-]+) (?:is unhealthy|exited \((?P<code>\d+)\))", _ill),
    (r"application not healthy after (?P<seconds>[\d.]+)s", _late),
    (r"toomanyrequests|pull rate limit", _limited),
    (r"manifest (?:for (?P<image>\S+) not found|unknown)", _unknown),
    (r"pull access denied for (?P<image>[^\s,]+)|access to the resource is denied", _unknown),
    (r"resolve source metadata for (?P<image>\S+): .*: not found$", _unknown),
    (rf"resolve source metadata for (?P<image>\S+): .*(?:{_UNREACHABLE})", _offline),
    (r"returned a non-zero code: \d+|did not complete successfully|failed to solve", _unbuilt),
    (_UNREACHABLE, _offline),
    (r"client version \S+ is too (?:new|old)", _apart),
)
_TABLE = tuple((re.compile(pattern, re.MULTILINE), make) for pattern, make in _ROWS)


def diagnose(name: str, output: ProgressReader) -> ServiceError:
    """Return what a failed run of the tool `name` (`Docker`, `Podman`) means."""
    lines = [*output.tail]
    error_line = output.errors[-1] if output.errors else _last_words(lines)
    failure = ComposeFailure(name, error_line, lines, output.failed_image)
    for text in (
        error_line[:_LOOKED_THROUGH_CHARACTERS],
        "\n".join(lines)[-_LOOKED_THROUGH_CHARACTERS:],
    ):
        for pattern, make in _TABLE:
            if found := pattern.search(text):
                return make(found, failure)
    return problems.ToolFailed(name, failure.reason)


def _last_words(lines: Sequence[str]) -> str:
    """Return the last line that tells a failure, or the last of all."""
    errors = [line for line in lines if re.search(r"(?i)\berror\b|failed|denied|cannot", line)]
    return (errors or list(lines) or [""])[-1]
