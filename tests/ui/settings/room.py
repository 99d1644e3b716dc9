"""What the tests of the settings and of the first page share: surroundings that nothing leaves."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication

from askance.app.container import Container
from askance.config.folders import find_folders
from askance.config.settings import Settings
from askance.domain.downloads import FoundServer, ProcessorTrial
from askance.domain.ports.containers import (
    READER,
    SEARXNG,
    ComposeProgress,
    EngineInfo,
    Health,
    RoundTrip,
    ServiceState,
    StartResult,
    Survey,
)
from askance.domain.ports.model import ModelCall, ModelInfo, ReplyPart, Text
from askance.ui.bridge import Bridge, open_chores
from askance.ui.design.theme import LIGHT, Look
from askance.ui.settings.installation_page import ServicesControl
from askance.ui.settings.settings_jobs import CHANGE, JOB, LIST, ListPage, SettingsContext
from askance.ui.settings.source import SettingsSource
from askance.ui.settings.window import SettingsWindow
from servers.faults import address_of_nobody

STILL = Look(LIGHT, moves=False)
DOCKER = EngineInfo("Docker", "28.5.1", "1.51", "unix:///run/docker.sock")
NOTHING = Survey(DOCKER, (ServiceState(SEARXNG), ServiceState(READER)))
WELL = Survey(
    DOCKER,
    (
        ServiceState(SEARXNG, "running", Health.HEALTHY, addresses=("127.0.0.1:25017",)),
        ServiceState(READER, "running", Health.HEALTHY),
    ),
    (RoundTrip(SEARXNG, "http://x", 3.4),),
)


@dataclass
class FakeModel:
    """A server with models, or one that fails."""

    has: tuple[ModelInfo, ...] | Exception = (
        ModelInfo("wren:8b", 8192, "Ollama", 5_200_000_000),
        ModelInfo("finch:latest", 4096, "Ollama", 815_000_000),
    )
    refusal: Exception | None = None
    asked: int = 0

    async def models(self) -> tuple[ModelInfo, ...]:
        if isinstance(self.has, Exception):
            raise self.has
        return self.has

    async def info(self) -> ModelInfo:
        return (await self.models())[0]

    @asynccontextmanager
    async def reply(self, _call: ModelCall) -> AsyncGenerator[AsyncIterator[ReplyPart]]:
        async def report() -> AsyncIterator[ReplyPart]:
            yield Text("Hello")

        await self.info()
        self.asked += 1
        if self.refusal:
            raise self.refusal
        yield report()


@dataclass
class FakeParts:
    model: Any = field(default_factory=FakeModel)
    settings: Settings = field(default_factory=Settings)
    history: Any = None
    notices: int = 0
    ledger: Any = None
    container: Any = None

    def noticed(self) -> None:
        self.notices += 1


@dataclass
class FakeServices:
    """Containers that do as the test wants; `up` waits for `let_go` if it is told to hang."""

    seen: Survey | Exception = NOTHING
    steps: tuple[ComposeProgress, ...] = ()
    failure: Exception | None = None
    hangs: bool = False
    done: list[str] = field(default_factory=list)
    servers: tuple[FoundServer, ...] = ()
    trial: ProcessorTrial | None = None

    async def find_servers(self) -> tuple[FoundServer, ...]:
        return self.servers

    async def try_processor(self) -> ProcessorTrial | None:
        return self.trial

    async def survey(self) -> Survey:
        if isinstance(self.seen, Exception):
            raise self.seen
        return self.seen

    async def up(self, report: Callable[[ComposeProgress], None]) -> StartResult:
        for step in self.steps:
            report(step)
        if self.hangs:
            self.done.append("begun")
            try:
                await asyncio.Event().wait()
            finally:
                self.done.append("given up")
        if self.failure is not None:
            raise self.failure
        self.done.append("up")
        self.seen = WELL
        return StartResult(WELL, Path("settings.yml"), 1.0)

    async def down(self, report: Callable[[ComposeProgress], None]) -> bool:
        self.done.append("down")
        self.seen = NOTHING
        return True


class SignalLog(QObject):
    """What a signal said, in order."""

    def __init__(self, signal: Any) -> None:
        super().__init__()
        self.all: list[Any] = []
        signal.connect(self.take)

    def take(self, *text: Any) -> None:
        self.all.append(text[0] if len(text) == 1 else text)


@dataclass
class Room:
    """Surroundings with a home of their own, where no service of this machine has a say."""

    home: Path
    parts: FakeParts
    services: FakeServices
    surroundings: SettingsContext
    environment: dict[str, str]
    windows: list[object] = field(default_factory=list)
    """What must not be forgotten while it is open."""

    @property
    def file(self) -> Path:
        return self.surroundings.source.file

    @property
    def written(self) -> str:
        return self.file.read_text(encoding="utf-8") if self.file.exists() else ""

    def open_settings(self, page: str = "Search") -> SettingsWindow:
        """Show the window of settings at a page."""
        window = SettingsWindow(STILL, self.surroundings)
        self.windows.append(window)
        window.show()
        window.activateWindow()
        window.show_page(page)
        return window


@contextmanager
def room(home: Path, environment: dict[str, str] | None = None) -> Iterator[Room]:
    """Open the surroundings, and close their threads in the end."""
    around = {
        "ASKANCE_HOME": str(home),
        "PATH": "",
        "ASKANCE_SEARCH__URL": address_of_nobody(),
        "ASKANCE_LLM__URL": address_of_nobody(),
    } | (environment or {})
    folders = find_folders(around)
    source = SettingsSource(folders.settings_file, around)
    parts, services = FakeParts(), FakeServices()

    @asynccontextmanager
    async def open_parts() -> AsyncIterator[FakeParts]:
        parts.settings = source.load()
        with Container(parts.settings, folders) as parts.container:
            yield parts

    owner = QObject()
    bridge = Bridge(open_parts, owner)
    bridge.start()
    chores = open_chores(owner)
    surroundings = SettingsContext(
        source,
        folders,
        bridge,
        chores,
        lambda *_: services,
        lambda _: True,
        find_servers=services.find_servers,
        try_processor=services.try_processor,
    )
    # Python may collect garbage in any thread, and a widget that dies in another than its own takes
    # the process with it. What is there already is not looked through at the end.
    gc.freeze()
    gc.disable()
    try:
        yield Room(home, parts, services, surroundings, around)
    finally:
        for widget in QApplication.topLevelWidgets():
            widget.close()
            widget.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        closed = bridge.close(5) and chores.close(5)
        gc.enable()
        gc.collect()
    assert closed


def status_lines(control: ServicesControl) -> list[str]:
    """Return what the page says of each service."""
    return [f"{name.text()}: {label.text()}" for _, name, label in control.lines]


def is_busy(page: ListPage) -> bool:
    """Return whether a page has anything under way."""
    return any(map(page._calls.is_under_way, (LIST, CHANGE, JOB)))
