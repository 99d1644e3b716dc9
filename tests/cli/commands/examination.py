"""What the tests of `askance doctor` share: containers to hand in, and a machine that is well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from askance.cli.commands.doctor import examine
from askance.domain.errors import ServiceDown
from askance.domain.ports.containers import (
    READER,
    SEARXNG,
    ComposeProgress,
    EngineInfo,
    Health,
    LogLine,
    RoundTrip,
    ServiceState,
    StartResult,
    Survey,
)
from askance.domain.web_pages import Page, PageStatus
from cli.fake_shell import FakeReader, FakeShell, FakeStream
from servers.faults import address_of_nobody

SAMPLE = "https://sample.example/"
DOCKER = EngineInfo("Docker", "28.5.1", "1.51", "unix:///run/docker.sock")
DOWN = ServiceDown("SearXNG", "http://x", "Nothing answers at http://x.", fix="`askance up`")


def running(name: str) -> ServiceState:
    return ServiceState(name, "running", Health.HEALTHY)


WELL = Survey(DOCKER, (running(SEARXNG), running(READER)), (RoundTrip(SEARXNG, "http://x", 3.4),))


@dataclass
class FakeServices:
    """The containers, as the test wants them."""

    survey_is: Survey | Exception = field(default_factory=lambda: Survey(DOCKER, ()))
    up_is: Survey | Exception = WELL
    ups: int = 0

    async def survey(self) -> Survey:
        if isinstance(self.survey_is, Exception):
            raise self.survey_is
        return self.survey_is

    async def up(self, report: Callable[[ComposeProgress], None]) -> StartResult:
        self.ups += 1
        if isinstance(self.up_is, Exception):
            raise self.up_is
        self.survey_is = self.up_is
        return StartResult(self.up_is, Path("settings.yml"), 4.0)

    async def down(
        self, report: Callable[[ComposeProgress], None], *, volumes: bool = False
    ) -> bool:
        raise AssertionError

    async def log(self, service: str = "", *, lines: int) -> list[LogLine]:
        raise AssertionError

    async def follow(
        self, service: str = "", *, lines: int, emit: Callable[[LogLine], None]
    ) -> None:
        raise AssertionError


def made_healthy(fake_shell: FakeShell) -> FakeShell:
    """Everything that is needed is there, and no service of this machine has a say."""
    fake_shell.app.reader = FakeReader({SAMPLE: Page(SAMPLE, PageStatus.OK, words=9)})
    fake_shell.environment = {
        "TERM": "dumb",
        "ASKANCE_SEARCH__URL": address_of_nobody(),
        "ASKANCE_LLM__URL": address_of_nobody(),
        "DOCKER_HOST": "unix:///nowhere/docker.sock",
    }
    return fake_shell


def at_a_terminal(fake_shell: FakeShell) -> FakeShell:
    """Somebody sits there, who can be asked."""
    fake_shell.stdin, fake_shell.out = FakeStream(terminal=True), FakeStream(terminal=True)
    return fake_shell


def look(fake_shell: FakeShell, services: FakeServices | None = None, **overrides: Any) -> int:
    chosen = services or FakeServices()
    settings = {name.replace("__", "."): value for name, value in overrides.items()}
    return examine(
        fake_shell.shell, settings, open_services=lambda *_: chosen, is_online=lambda _: True
    )


def lines(fake_shell: FakeShell) -> dict[str, str]:
    """Return each part's line without its times, which differ."""
    rows = [line for line in fake_shell.printed.splitlines() if line[:1] in "✓✗–"]
    return {row[2:16].strip(): row[0] + " " + row[17:] for row in rows}
