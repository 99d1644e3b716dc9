"""A shell whose every side the test holds in its hands."""

from __future__ import annotations

import io
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any, TextIO, cast

from typer.testing import CliRunner

from askance.app.container import Container, Stay
from askance.cli.command_tree import app
from askance.cli.commands.asking import DEMO_QUESTION
from askance.cli.exits import Output
from askance.cli.shell import Shell
from askance.config.folders import Folders, find_folders
from askance.config.settings import Settings
from askance.domain.conversation import Conversation, RunRequest, SearchSize, TextTask
from askance.domain.events import Emit, RunEnd, RunEvent
from askance.domain.messages import Message
from askance.domain.ports.model import Entailment, ModelCall, ModelInfo, ReplyPart, Text
from askance.domain.ports.web import Sent
from askance.domain.web_pages import (
    WHOLE_WEB,
    Page,
    PageStatus,
    ResultPage,
    SearchResult,
    SearchScope,
)
from askance.engine.prompts import Prompts, load_prompts
from askance.sample_web.sample_pages import Gold, Question, QuestionKind
from askance.sample_web.sample_server import SampleWeb
from fakes.outbound import ListedLedger


class FakeStream(io.StringIO):
    """A text stream that may say that it is a terminal."""

    def __init__(self, text: str = "", *, terminal: bool = False) -> None:
        super().__init__(text)
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@dataclass
class FakeEngine:
    """Plays scripted runs: each a list of events, or an error to raise."""

    runs: list[Sequence[RunEvent] | Exception] = field(default_factory=list)
    asked: list[tuple[str, str, Conversation]] = field(default_factory=list)
    narrowed: list[SearchScope] = field(default_factory=list)
    sizes: list[SearchSize] = field(default_factory=list)
    allowed: list[tuple[str, ...]] = field(default_factory=list)
    thought: int = 0
    forgotten: int = 0
    prompts: Prompts = field(default_factory=load_prompts)
    entailment: Entailment | None = None

    def today(self) -> date:
        return date(2026, 11, 20)

    def forget_conversation(self) -> None:
        self.forgotten += 1

    async def run(self, request: RunRequest, *, emit: Emit, **_: object) -> RunEnd:
        self.narrowed.append(request.scope)
        self.sizes.append(request.size)
        return self._ask("run", request, emit)

    async def chat(self, request: RunRequest, *, emit: Emit) -> RunEnd:
        return self._ask("chat", request, emit)

    def _ask(self, how: str, request: RunRequest, emit: Emit) -> RunEnd:
        self.thought += request.think
        if request.allowed_words:
            self.allowed.append(request.allowed_words)
        self.asked.append((how, request.question, request.conversation))
        return self._play(emit)

    async def rework(self, task: TextTask, text: str, wish: str, *, emit: Emit) -> RunEnd:
        self.asked.append((task.value, text, Conversation()))
        return self._play(emit)

    def _play(self, emit: Emit) -> RunEnd:
        script = self.runs.pop(0)
        if isinstance(script, Exception):
            raise script
        for event in script:
            emit(event)
        return script[-1]  # type: ignore[return-value]


@dataclass
class FakeModel:
    """A model that answers for itself, or fails."""

    failure: Exception | None = None

    async def info(self) -> ModelInfo:
        if self.failure is not None:
            raise self.failure
        return ModelInfo("wren:8b", 8192, "Ollama")

    async def models(self) -> tuple[ModelInfo, ...]:
        return (await self.info(),)

    @asynccontextmanager
    async def reply(self, _call: ModelCall) -> AsyncGenerator[AsyncIterator[ReplyPart]]:
        async def report() -> AsyncIterator[ReplyPart]:
            yield Text("Hello")

        await self.info()
        yield report()


@dataclass
class FakeSearch:
    """A search engine with one result, or with what the test gives it."""

    page: ResultPage | Exception = field(
        default_factory=lambda: ResultPage(
            "weather", (SearchResult("https://a.example/", "A", "a"),)
        )
    )

    async def search(
        self,
        query: str,
        *,
        wanted: int,
        sent: Sent,
        narrowing: SearchScope = WHOLE_WEB,
        language: str | None = None,
    ) -> ResultPage:
        if isinstance(self.page, Exception):
            raise self.page
        return self.page


@dataclass
class FakeReader:
    """Pages by address; any other fails."""

    pages: Mapping[str, Page | Exception] = field(default_factory=dict)

    async def read(
        self, url: str, *, sent: Sent, known: Page | None = None, scope: SearchScope = WHOLE_WEB
    ) -> Page:
        page = self.pages.get(url, Page(url, PageStatus.FAILED, detail=Message("nothing is there")))
        if isinstance(page, Exception):
            raise page
        return page


@dataclass
class FakeApp:
    """The parts, all fake. It notes how it was opened."""

    engine: Any = field(default_factory=FakeEngine)
    model: Any = field(default_factory=FakeModel)
    search: Any = field(default_factory=FakeSearch)
    reader: Any = field(default_factory=FakeReader)
    ledger: Any = field(default_factory=ListedLedger)
    history: Any = None
    evidence: Any = None
    settings: Settings = field(default_factory=Settings)
    suggesting: set[Any] = field(default_factory=set[Any])
    opened: list[tuple[Settings, Any]] = field(default_factory=list)
    failure: Exception | None = None
    closed: int = 0
    stays: list[Stay] = field(default_factory=list[Stay])
    folders: Folders = field(default_factory=lambda: find_folders({}))

    container: Any = None

    @property
    def prepare(self) -> Callable[[], None]:
        return lambda: None

    @asynccontextmanager
    async def open(
        self,
        settings: Settings,
        folders: Folders,
        *,
        sample_web: Any | None = None,
        stay: Stay = Stay.QUESTION,
    ) -> AsyncIterator[FakeApp]:
        self.stays.append(stay)
        self.opened.append((settings, sample_web))
        if self.failure is not None:
            raise self.failure
        try:
            with Container(settings, folders) as container:
                yield replace(self, settings=settings, folders=folders, container=container)
        finally:
            self.closed += 1


def sample(name: str, question: str) -> Question:
    gold = Gold("https://sample.example/", "")
    return Question(name, QuestionKind.SINGLE, question, (), (gold,), (), ())


WEB = SampleWeb(
    "http://127.0.0.1:1",
    MappingProxyType({}),
    (sample("baker", "Who bakes?"), sample(DEMO_QUESTION, "Where was the baker born?")),
)


@dataclass
class FakeShell:
    """A shell, with what goes in and what has come out."""

    home: Path
    app: FakeApp = field(default_factory=FakeApp)
    web: SampleWeb = WEB
    environment: dict[str, str] = field(default_factory=dict)
    packages: dict[str, Path] = field(default_factory=dict)
    lines: list[str | BaseException] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    stdin: TextIO = field(default_factory=FakeStream)
    out: FakeStream = field(default_factory=FakeStream)
    err: FakeStream = field(default_factory=FakeStream)

    @property
    def shell(self) -> Shell:
        return Shell(
            environment={"ASKANCE_HOME": str(self.home)} | self.environment,
            stdin=self.stdin,
            stdout=Output(self.out),
            stderr=self.err,
            read_line=self._read_line,
            open_app=cast("Any", self.app.open),
            serve_sample_web=lambda: nullcontext(self.web),
            find_package=self.packages.get,
        )

    @property
    def printed(self) -> str:
        return self.out.getvalue()

    @property
    def errors(self) -> str:
        return self.err.getvalue()

    def _read_line(self, prompt: str) -> str:
        self.prompts.append(prompt)
        line: str | BaseException = self.lines.pop(0) if self.lines else EOFError()
        if isinstance(line, BaseException):
            raise line
        return line


def run(fake_shell: FakeShell, *arguments: str) -> int:
    """Call the command line with the fake_shell's shell, and return the exit code."""
    result = CliRunner().invoke(app, list(arguments), obj=fake_shell.shell)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code
