"""Compose: the project brought up and taken down by the tool's own command."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from askance.adapters.containers.compose_output import ProgressReader, diagnose
from askance.adapters.containers.state import PROJECT
from askance.adapters.containers.tool import Tool, run_lines
from askance.domain.containers import ComposeProgress

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
