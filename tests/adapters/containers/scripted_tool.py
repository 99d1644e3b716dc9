"""A `docker` or `podman` that plays what a test gives it, as a real program on a PATH of its own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from python_program import write_python_program

# It plays the first scene whose words all stand among its arguments.
_PROGRAM = """
import json, os, signal, sys
folder = {folder!r}
arguments = sys.argv[1:]
with open(os.path.join(folder, {name!r} + ".calls"), "a") as calls:
    calls.write(json.dumps([arguments, dict(os.environ), os.getcwd()]) + "\\n")
with open(os.path.join(folder, {name!r} + ".scenes")) as scenes:
    for scene in json.load(scenes):
        if all(word in arguments for word in scene["words"]):
            if scene["deaf"]:
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
            sys.stdout.write(scene["out"]); sys.stdout.flush()
            sys.stderr.write(scene["err"].replace("PID", str(os.getpid()))); sys.stderr.flush()
            while scene["hangs"]:
                signal.pause()
            sys.exit(scene["status"])
sys.exit(99)
"""


@dataclass
class Call:
    arguments: list[str]
    environment: dict[str, str]
    folder: str


class ScriptedTool:
    """A program named `name` in `folder`."""

    def __init__(self, folder: Path, name: str = "docker") -> None:
        self.folder, self.name = folder, name
        self._scenes: list[dict[str, Any]] = []
        self._save()
        code = _PROGRAM.format(folder=str(folder), name=name)
        write_python_program(folder / name, code, "-IS")

    def plays(
        self,
        words: str,
        *,
        out: str = "",
        err: str = "",
        status: int = 0,
        hangs: bool = False,
        deaf: bool = False,
    ) -> None:
        """Answer a call with these words so. `PID` in `err` becomes its process id."""
        scene = {"words": words.split(), "out": out, "err": err, "status": status}
        self._scenes.append(scene | {"hangs": hangs, "deaf": deaf})
        self._save()

    @property
    def environment(self) -> dict[str, str]:
        """An environment in which this tool is found, and no other."""
        return {"PATH": str(self.folder)}

    def calls(self, word: str) -> list[Call]:
        """What it was called with, where the arguments have this word."""
        file = self.folder / f"{self.name}.calls"
        lines = file.read_text().splitlines() if file.exists() else []
        calls = [Call(*json.loads(line)) for line in lines]
        return [call for call in calls if word in call.arguments]

    def _save(self) -> None:
        (self.folder / f"{self.name}.scenes").write_text(json.dumps(self._scenes))


def docker_with_compose(folder: Path, version: str = "v5.6.1") -> ScriptedTool:
    """Docker with its compose, of which only `up` and `down` are to be played."""
    tool = ScriptedTool(folder)
    tool.plays("compose version", out=f"Docker Compose version {version}\n")
    return tool
