"""What compose says while it works, as values: from its JSON lines, its plain ones and a builder's."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

from askance.adapters.containers.state import PROJECT


class Kind(StrEnum):
    """What moves."""

    IMAGE = "image"
    CONTAINER = "container"
    NETWORK = "network"
    VOLUME = "volume"
    BUILD = "build"


@dataclass(frozen=True, slots=True)
class Progress:
    """One step. `doing` is the tool's own word, such as `Downloading`.

    Bytes are those of all layers of an image that are known of by now, 0 where nothing is counted.
    """

    kind: Kind
    name: str
    doing: str
    done: bool = False
    current_bytes: int = 0
    total_bytes: int = 0


_KINDS = "|".join(kind.capitalize() for kind in Kind if kind is not Kind.BUILD)
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

    def read(self, line: str) -> Progress | None:
        """Take in one line; return the step that it tells of, if any."""
        if line.lstrip().startswith("{"):
            try:
                record: Any = json.loads(line)
            except ValueError:
                record = None
            if isinstance(record, dict):
                return self._record(cast("dict[str, Any]", record))
        return self._words(line)

    def _record(self, record: dict[str, Any]) -> Progress | None:
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

    def _words(self, line: str) -> Progress | None:
        if not (said := line.strip()):
            return None
        if plain := _PLAIN.match(line):
            kind, name, text, details = plain.groups()
            return self._step(Kind(kind.lower()), name, text, details)
        self.tail.append(_BUILDKIT_LINE.sub(r"\1", said))
        if step := _STEP.match(said):
            number = step[1] or step[2]
            return Progress(Kind.BUILD, "reader", f"Step {number}: {step[3]}")
        return None

    def _step(self, kind: Kind, name: str, text: str, details: str) -> Progress:
        if text == "Error":
            self.tail.append(f"{kind.capitalize()} {name}: {details or text}")
            if kind is Kind.IMAGE:
                self.failed_image = name
        return Progress(kind, short_name(kind, name), text, done=text in _LAST)

    def _layer(self, layer: str, parent: str, text: str, record: dict[str, Any]) -> Progress | None:
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
        return Progress(kind, short_name(kind, image), doing, False, current, total)

    def _build(self, record: dict[str, Any]) -> Progress | None:
        self._build_logs(record)
        begun: Progress | None = None
        for vertex in cast("list[Any]", record["vertexes"]):
            match vertex:
                case {"error": str(error)} if error:
                    self.tail.append(error)
                case {"name": str(name), "started": str()} if "completed" not in vertex:
                    begun = Progress(Kind.BUILD, "reader", name)
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


def short_name(kind: Kind, name: str) -> str:
    """Return a name as people know it: `askance-searxng-1` is `searxng`."""
    if kind is Kind.IMAGE:
        return name
    return re.sub(r"[-_]\d+$", "", name.removeprefix(f"{PROJECT}-").removeprefix(f"{PROJECT}_"))


def _kind_of(name: str, text: str) -> tuple[Kind, str]:
    """Compose before version 5 names an image by its service alone."""
    if named := _NAMED.match(name):
        return Kind(named[1].lower()), named[2]
    return (Kind.BUILD if text.startswith("Buil") else Kind.IMAGE), name


def _number(record: dict[str, Any], key: str) -> int:
    value = record.get(key, 0)
    return value if isinstance(value, int) else 0
