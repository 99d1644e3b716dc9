"""Every machine on which somebody may begin: scripted parts, on which each step is really taken."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum, auto
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from askance.adapters.containers.problems import DaemonDown, NoCli, NoComposePlugin
from askance.adapters.llm.ollama import OllamaModel, pull_model
from askance.adapters.search.searxng import SearxngSearch
from askance.adapters.web_choice import FallbackSearch
from askance.app.checks.first_steps import (
    CheckResult,
    look_at_model,
    look_at_search,
    start_ollama,
)
from askance.config.choices import Consent
from askance.config.folders import find_folders
from askance.config.settings import Settings
from askance.domain.errors import AskanceError, ServiceError
from askance.domain.messages import FixAction, FixKind
from askance.domain.ports.containers import ComposeProgress, EngineInfo, StartResult, Survey
from askance.ui.settings.source import SettingsSource
from fakes.outbound import ignore
from fakes.search import ScriptedSearch, result
from servers.faults import free_port
from servers.loopback import Request, Wire, serve
from servers.ollama import FakeOllama, shown, tag
from servers.searxng import ScriptedSearxng, hit
from waiting import until

# It lives until its server is taken away; the server itself is the test's.
_OLLAMA = """#!/bin/sh
[ "$1" = serve ] || exit 2
echo > "$0.started"
while [ -e "$0" ]; do sleep 0.1; done
"""
_FREE = 24_000_000_000
_FOUND = [result("https://a.example/")]


class Docker(StrEnum):
    """What could start containers."""

    NONE = auto()
    STOPPED = auto()
    RUNNING = auto()
    DENIED = auto()
    NO_COMPOSE = auto()
    PODMAN = auto()


class Searxng(StrEnum):
    """A SearXNG at the address of the settings."""

    NONE = auto()
    DOWN = auto()
    NO_JSON = auto()
    UP = auto()


class Ollama(StrEnum):
    """An Ollama at the address of the settings. The order is that of what is missing."""

    NONE = auto()
    DOWN = auto()
    EMPTY = auto()
    READY = auto()


_MISSING = {Ollama.NONE: 3, Ollama.DOWN: 2, Ollama.EMPTY: 1, Ollama.READY: 0}
_PROBLEMS: dict[Docker, Callable[[], ServiceError]] = {
    Docker.NONE: NoCli,
    Docker.STOPPED: lambda: DaemonDown("Docker", "unix:///var/run/docker.sock"),
    Docker.DENIED: lambda: DaemonDown("Docker", "unix:///var/run/docker.sock", denied=True),
}


@dataclass
class Machine:
    """One of them, with its servers open. `install` is what somebody does on a download page."""

    home: Path
    docker: Docker
    searxng: Searxng
    ollama: Ollama
    online: bool
    servers: AsyncExitStack

    def __post_init__(self) -> None:
        self.commands = self.home / "bin"
        self.commands.mkdir(parents=True)
        search, model = free_port(), free_port()
        while model == search:
            model = free_port()
        self._urls = {
            "ASKANCE_SEARCH__URL": f"http://127.0.0.1:{search}",
            "ASKANCE_LLM__URL": f"http://127.0.0.1:{model}",
        }
        # /bin/sh of the scripted program needs `sleep`.
        path = f"{self.commands}:/usr/bin:/bin" if self.ollama is not Ollama.NONE else ""
        self.environment = {"ASKANCE_HOME": str(self.home), "PATH": path, **self._urls}
        self.folders = find_folders(self.environment)
        self.source = SettingsSource(self.folders.settings_file, self.environment)
        self.program = self.commands / "ollama"
        token = self.folders.search_token(self._urls["ASKANCE_SEARCH__URL"])
        assert token is not None
        self._token = token
        if self.ollama is not Ollama.NONE:
            self.install()
        if self.searxng is Searxng.DOWN:  # it was set up once
            self._token.parent.mkdir(parents=True)
            self._token.write_text("a-token-of-the-tests-only")

    async def open(self) -> None:
        """Start the servers that are there from the beginning."""
        if self.searxng in {Searxng.NO_JSON, Searxng.UP}:
            await self.serve_searxng()
        if self.ollama in {Ollama.EMPTY, Ollama.READY}:
            await self.serve_ollama()

    def install(self) -> None:
        """Install Ollama."""
        self.environment["PATH"] = f"{self.commands}:/usr/bin:/bin"
        self.program.write_text(_OLLAMA)
        self.program.chmod(0o755)
        self.ollama = Ollama.DOWN if self.ollama is Ollama.NONE else self.ollama

    async def serve_searxng(self) -> None:
        formats = ("html",) if self.searxng is Searxng.NO_JSON else ("html", "json")
        searxng = ScriptedSearxng(lambda _: [hit("https://a.example/", "A", "words")], formats)

        async def answer(request: Request, wire: Wire) -> None:
            await (wire.send("OK") if request.path == "/healthz" else searxng(request, wire))

        await self._serve(answer, self._urls["ASKANCE_SEARCH__URL"])

    async def serve_ollama(self) -> None:
        fake = FakeOllama(tags=[], shows={})

        def store(name: str) -> None:
            fake.tags, fake.shows = [tag(name)], {name: shown()}

        if self.ollama is Ollama.READY:
            store("wren:8b")

        async def answer(request: Request, wire: Wire) -> None:
            if request.path != "/api/pull":
                await fake(request, wire)
                return
            if not self.online:
                await wire.send('{"error": "no such host"}\n')
                return
            store(request.json()["model"])
            await wire.send('{"status": "success"}\n')

        await self._serve(answer, self._urls["ASKANCE_LLM__URL"])

    async def _serve(self, handler: Any, url: str) -> None:
        port = int(url.rpartition(":")[2])
        await self.servers.enter_async_context(serve(handler, port=port))

    # What the window looks at, and does

    @property
    def settings(self) -> Settings:
        return self.source.load()

    async def survey(self) -> Survey:
        if problem := _PROBLEMS.get(self.docker):
            raise problem()
        name = "Podman" if self.docker is Docker.PODMAN else "Docker"
        lacking = NoComposePlugin("docker") if self.docker is Docker.NO_COMPOSE else None
        return Survey(EngineInfo(name, "5", "1.41", "unix:///x.sock"), (), lacking=lacking)

    async def up(self, _report: Callable[[ComposeProgress], None]) -> StartResult:
        survey = await self.survey()
        if survey.lacking:
            raise survey.lacking
        assert self.online, "images are fetched from the web"
        self.searxng = Searxng.UP
        self._token.unlink(missing_ok=True)  # the scripted one has no gateway before it
        await self.serve_searxng()
        return StartResult(survey, Path(), 1.0)

    @asynccontextmanager
    async def _model(self) -> AsyncIterator[SimpleNamespace]:
        async with OllamaModel(self.settings.llm) as model:
            yield SimpleNamespace(model=model, settings=self.settings, ledger=None)

    async def look(self) -> tuple[CheckResult, CheckResult]:
        """Return how the model is, and how the search."""
        async with self._model() as parts:
            model = await look_at_model(
                cast("Any", parts), self.environment, lambda: _FREE, online=self.online
            )
        search = await look_at_search(self.settings, self.folders, self.survey, online=self.online)
        return model, search

    async def take(self, way: FixAction) -> None:
        """Do what a button does."""
        if way.step is FixKind.DOWNLOAD_OLLAMA:
            assert self.online, "a page is opened"
            self.install()
            return
        match way.step:
            case FixKind.START_OLLAMA:
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._come_up())
                    group.create_task(start_ollama(self.settings.llm, self.environment))
            case FixKind.DOWNLOAD_MODEL:
                await pull_model(self.settings.llm, way.model, lambda _step: None)
            case FixKind.START_SERVICES:
                await self.up(lambda _step: None)
            case _:
                assert way.step is FixKind.ALLOW_SEARCH
                self.source.write("search.in_process", Consent.GIVEN)

    async def _come_up(self) -> None:
        """Serve once the program was started, as it would."""
        reported = Path(f"{self.program}.started")
        await until(reported.exists, every_s=0.01)
        self.ollama = Ollama.EMPTY
        await self.serve_ollama()

    async def missing(self) -> int:
        """Return how many steps are left until a question is answered in full, tried for real."""
        async with self._model() as parts:
            try:
                model = 0 if await parts.model.models() else _MISSING[Ollama.EMPTY]
            except AskanceError:
                model = _MISSING[Ollama.DOWN if self.program.exists() else Ollama.NONE]
        return model + (not await self.finds())

    async def finds(self) -> bool:
        """Whether a question finds something now, put together as the program does it."""
        settings = self.settings.search
        public = ScriptedSearch({"lamp": _FOUND})
        async with SearxngSearch(settings) as own:
            search = FallbackSearch(own, public) if settings.in_process is Consent.GIVEN else own
            try:
                page = await search.search("lamp", wanted=5, sent=ignore)
            except AskanceError:
                return False
        return self.online and bool(page.results)

    def close(self) -> None:
        """Let a program that was started end."""
        self.program.unlink(missing_ok=True)


@asynccontextmanager
async def machine(
    home: Path, docker: Docker, searxng: Searxng, ollama: Ollama, *, online: bool
) -> AsyncIterator[Machine]:
    """Set such a machine up, for as long as the context lasts."""
    async with AsyncExitStack() as servers:
        made = Machine(home, docker, searxng, ollama, online, servers)
        try:
            await made.open()
            yield made
        finally:
            made.close()
