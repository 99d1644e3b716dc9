"""`askance up`, `down`, `status` and `logs` over services that the test plays."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.containers.problems import NoCli, NoComposePlugin, PortTaken
from askance.app.container import local_services
from askance.cli.commands import services
from askance.cli.exits import Exit, Output, guarded
from askance.cli.live import PlainConsole, drawn_line
from askance.config.folders import Folders
from askance.config.settings import Settings
from askance.domain.errors import SettingsError
from askance.domain.ports.containers import (
    ComposeProgress,
    EngineInfo,
    Health,
    LogLine,
    ResourceKind,
    RoundTrip,
    ServiceState,
    StartResult,
    Survey,
)
from cli.fake_shell import FakeShell, FakeStream

SINCE = datetime(2026, 11, 22, 3, 5, tzinfo=UTC)
DOCKER = EngineInfo("Docker", "28.2.2", "1.50", "unix:///run/docker.sock")


def state(name: str, **known: Any) -> ServiceState:
    given = {"state": "running", "health": Health.HEALTHY, "image": f"example/{name}:1"} | known
    return ServiceState(name, since=SINCE, **given)


WELL = Survey(
    DOCKER,
    (
        state("searxng"),
        state("search-gateway", addresses=("127.0.0.1:25017",)),
        state("reader-net"),
        state("reader", addresses=("127.0.0.1:25018",)),
    ),
    (
        RoundTrip("search-gateway", "http://127.0.0.1:25017", 3.4),
        RoundTrip("reader", "http://127.0.0.1:25018", 12.0),
    ),
)
STEPS = (
    ComposeProgress(
        ResourceKind.IMAGE, "example/searxng:1", "Downloading", False, 12_000_000, 110_000_000
    ),
    ComposeProgress(
        ResourceKind.IMAGE, "example/searxng:1", "Downloading", False, 50_000_000, 110_000_000
    ),
    ComposeProgress(ResourceKind.BUILD, "reader", "Step 2/4: RUN pip\x1b[2J install"),
    ComposeProgress(ResourceKind.CONTAINER, "searxng", "Healthy", done=True),
)


@dataclass
class FakeServices:
    """Services that do as the test says, and note what was asked."""

    result: Survey = WELL
    steps: tuple[ComposeProgress, ...] = STEPS
    failure: BaseException | None = None
    lines: tuple[LogLine, ...] = ()
    notes: tuple[str, ...] = ()
    asked: list[Any] = field(default_factory=list)

    def open(
        self, settings: Settings, folders: Folders, environment: Mapping[str, str]
    ) -> FakeServices:
        self.asked.append(settings)
        return self

    async def up(self, report: Callable[[ComposeProgress], None]) -> StartResult:
        for step in self.steps:
            report(step)
        if self.failure is not None:
            raise self.failure
        return StartResult(self.result, Path("my/settings.yml"), 42.4, self.notes)

    async def down(
        self, report: Callable[[ComposeProgress], None], *, volumes: bool = False
    ) -> bool:
        self.asked.append(("down", volumes))
        for step in self.steps:
            report(step)
        return self.result.begun

    async def survey(self) -> Survey:
        if self.failure is not None:
            raise self.failure
        return self.result

    async def log(self, service: str = "", *, lines: int) -> list[LogLine]:
        self.asked.append(("log", service, lines))
        return list(self.lines)

    async def follow(
        self, service: str = "", *, lines: int, emit: Callable[[LogLine], None]
    ) -> None:
        self.asked.append(("follow", service, lines))
        for line in self.lines:
            emit(line)
        if self.failure is not None:
            raise self.failure


def run(
    fake_shell: FakeShell,
    command: Callable[..., Exit],
    *given: Any,
    fake: FakeServices,
    **more: Any,
) -> int:
    shell = fake_shell.shell
    return guarded(
        lambda: command(shell, *given, open_services=fake.open, **more),
        stdout=shell.stdout,
        stderr=shell.stderr,
    )


def test_up_tells_each_step_once_and_then_what_is_there(fake_shell: FakeShell) -> None:
    assert (
        run(fake_shell, services.up, {}, fake=FakeServices(notes=("The list\x1b changed.",))) == 0
    )
    assert fake_shell.printed.splitlines() == [
        "Image example/searxng:1: downloading",
        "Building the images: Step 2/4: RUN pip[2J install",
        "Container searxng: healthy",
        "Up after 42 s: SearXNG at http://127.0.0.1:25017, the page reader at "
        "http://127.0.0.1:25018.",
        "The list changed.",
        "The engine list is my/settings.yml; `askance up` takes over what you change in it.",
        'Next: `askance ask "…"`. `askance status` shows how both are, `askance down` stops them.',
    ]
    assert fake_shell.errors == ""


def test_the_settings_of_the_call_reach_the_services(fake_shell: FakeShell) -> None:
    fake = FakeServices()
    run(fake_shell, services.up, {"services.runtime": "podman"}, fake=fake)
    assert fake.asked[0].services.runtime == "podman"


def test_on_a_terminal_one_line_moves_and_goes_away(fake_shell: FakeShell) -> None:
    fake_shell.out = FakeStream(terminal=True)
    fake_shell.environment |= {"TERM": "xterm", "COLUMNS": "100"}
    assert run(fake_shell, services.up, {}, fake=FakeServices()) == 0
    assert "Image example/searxng:1: downloading\n" not in fake_shell.printed
    assert fake_shell.printed.rstrip().endswith("`askance down` stops them.")


def test_the_moving_line_shows_megabytes_and_seconds() -> None:
    paper = FakeStream(terminal=True)
    with drawn_line(PlainConsole(Output(paper), {"TERM": "xterm"}, width=100), "Looking") as show:
        show(services.step_text(STEPS[0]))
    assert "Image example/searxng:1: downloading 12 of 110 MB" in paper.getvalue()
    assert "0:00:00" in paper.getvalue()


@pytest.mark.parametrize(
    ("failure", "code", "told"),
    [
        (NoCli(), 1, "askance: Neither Docker nor Podman was found on this machine."),
        (PortTaken(25017, "search.url", "the container x"), 1, "Port 25017 of this machine is"),
        (SettingsError("reader.proxy is wrong.", fix="Mend it."), 2, "askance: reader.proxy is"),
    ],
)
def test_what_goes_wrong_is_a_sentence_and_an_exit_code(
    fake_shell: FakeShell, failure: Exception, code: int, told: str
) -> None:
    assert run(fake_shell, services.up, {}, fake=FakeServices(failure=failure)) == code
    assert told in fake_shell.errors
    assert fake_shell.errors.count("\n") == 1


def test_ctrl_c_says_what_undoes_what_was_begun(fake_shell: FakeShell) -> None:
    assert run(fake_shell, services.up, {}, fake=FakeServices(failure=KeyboardInterrupt())) == 130
    assert "`askance down`" in fake_shell.errors


def test_up_with_a_service_that_does_not_answer_is_no_success(fake_shell: FakeShell) -> None:
    trip = RoundTrip("reader", "http://127.0.0.1:25018", problem="answered with status 503")
    fake = FakeServices(Survey(DOCKER, WELL.services, (trip,)))
    assert run(fake_shell, services.up, {}, fake=fake) == 1
    assert fake_shell.errors.startswith(f"askance: reader {trip.problem}. ")
    assert "`askance logs reader`" in fake_shell.errors


def test_a_reader_that_is_gone_ends_up_in_silence(fake_shell: FakeShell) -> None:
    class Broken(FakeStream):
        def write(self, text: str) -> int:
            raise BrokenPipeError(32, "Broken pipe")

    fake_shell.out = Broken()
    assert run(fake_shell, services.up, {}, fake=FakeServices()) == 1
    assert fake_shell.errors == ""


def test_down_says_whether_there_was_anything(fake_shell: FakeShell) -> None:
    fake = FakeServices(steps=STEPS[-1:])
    assert run(fake_shell, services.down, fake=fake, volumes=True) == 0
    assert "`askance up`" in fake_shell.printed
    assert fake.asked[-1] == ("down", True)
    assert run(fake_shell, services.down, fake=FakeServices(Survey(DOCKER, ()))) == 0
    assert "`askance" not in fake_shell.printed.splitlines()[-1], "nothing was stopped"


def test_status_is_a_table(fake_shell: FakeShell) -> None:
    assert run(fake_shell, services.status, fake=FakeServices()) == 0
    since = f"{SINCE.astimezone():%Y-%m-%d %H:%M}"
    assert fake_shell.printed.splitlines() == [
        "SERVICE         STATE    HEALTH   SINCE             ADDRESS          ANSWERS IN",
        f"searxng         running  healthy  {since}",
        f"search-gateway  running  healthy  {since}  127.0.0.1:25017  3 ms",
        f"reader-net      running  healthy  {since}",
        f"reader          running  healthy  {since}  127.0.0.1:25018  12 ms",
        "Docker 28.2.2 at unix:///run/docker.sock",
    ]


def test_status_tells_what_is_wrong_below_the_table(fake_shell: FakeShell) -> None:
    ill = (
        state("searxng", state="exited", exit_code=137, reason="it ran out of memory"),
        state("reader-net", health=Health.STARTING),
        ServiceState("reader"),
    )
    assert run(fake_shell, services.status, fake=FakeServices(Survey(DOCKER, ill))) == 1
    assert fake_shell.errors.splitlines() == [
        "askance: searxng is exited, with status 137: it ran out of memory. `askance logs searxng` "
        "tells more.",
        "askance: reader-net is running, its health starting. `askance logs reader-net` tells more.",
        "askance: reader has no container. `askance up` makes one.",
    ]
    assert "reader      missing" in fake_shell.printed


def test_status_before_the_first_up_says_so(fake_shell: FakeShell) -> None:
    fake = FakeServices(Survey(DOCKER, (ServiceState("searxng"),)))
    assert run(fake_shell, services.status, fake=fake) == 1
    assert "`askance up`" in fake_shell.printed


def test_status_says_what_is_missing_to_start_anything(fake_shell: FakeShell) -> None:
    lacking = NoComposePlugin("docker", fix="Install it.")
    fake = FakeServices(Survey(DOCKER, (ServiceState("searxng"),), lacking=lacking))
    assert run(fake_shell, services.status, fake=fake) == 1
    assert str(lacking) in fake_shell.printed
    assert "`askance up`" not in fake_shell.printed


def test_status_for_programs_is_an_object_a_line(fake_shell: FakeShell) -> None:
    assert run(fake_shell, services.status, fake=FakeServices(), as_json=True) == 0
    engine, searxng, gateway, *_ = [json.loads(line) for line in fake_shell.printed.splitlines()]
    assert engine == {
        "type": "engine",
        "name": "Docker",
        "version": "28.2.2",
        "api_version": "1.50",
        "address": "unix:///run/docker.sock",
    }
    assert gateway == {
        "type": "service",
        "service": "search-gateway",
        "ok": True,
        "state": "running",
        "health": "healthy",
        "image": "example/search-gateway:1",
        "since": "2026-11-22T03:05:00+00:00",
        "addresses": ["127.0.0.1:25017"],
        "exit_code": 0,
        "restarts": 0,
        "reason": "",
        "round_trip_ms": 3.4,
        "problem": "",
    }
    assert searxng["round_trip_ms"] is None


def test_a_program_learns_of_what_is_missing_too(fake_shell: FakeShell) -> None:
    fake = FakeServices(Survey(DOCKER, (ServiceState("searxng"),)))
    assert run(fake_shell, services.status, fake=fake, as_json=True) == 1
    searxng = json.loads(fake_shell.printed.splitlines()[1])
    assert (searxng["ok"], searxng["state"], searxng["since"]) == (False, "missing", None)


LOG = (
    LogLine("searxng", "", "GET /search\x1b[31m?q=\u202ewren"),
    LogLine("reader", "", "ready"),
)


def test_logs_are_cleaned_and_named(fake_shell: FakeShell) -> None:
    fake = FakeServices(lines=LOG)
    assert run(fake_shell, services.logs, fake=fake, lines=7) == 0
    assert fake_shell.printed == "searxng        | GET /search[31m?q=wren\nreader         | ready\n"
    assert fake.asked[-1] == ("log", "", 7)


def test_the_log_of_one_service_is_not_named(fake_shell: FakeShell) -> None:
    fake = FakeServices(lines=LOG[1:])
    assert run(fake_shell, services.logs, "reader", fake=fake) == 0
    assert fake_shell.printed == "ready\n"
    assert fake.asked[-1] == ("log", "reader", 100)


def test_following_goes_on_until_ctrl_c(fake_shell: FakeShell) -> None:
    fake = FakeServices(lines=LOG, failure=KeyboardInterrupt())
    assert run(fake_shell, services.logs, fake=fake, follow=True) == 130
    assert fake_shell.printed.endswith("reader         | ready\n")
    assert fake.asked[-1] == ("follow", "", 100)


def test_the_real_services_are_opened_without_touching_anything(fake_shell: FakeShell) -> None:
    opened = local_services(Settings(), fake_shell.shell.folders, {"PATH": ""})
    assert hasattr(opened, "survey")
    assert list(fake_shell.home.iterdir()) == []
