"""The one place that puts the program together.

A `Container` opens each part when it is first wanted and closes all of them at its end. A command that
shows one of them loads nothing that a search needs; `open_app` opens what runs questions as well.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from functools import cache, cached_property
from typing import TYPE_CHECKING, Self, cast

from askance.config.choices import DIRECT, Consent, EmbeddingsApi, Preload, duration_s
from askance.config.diagnostics import report
from askance.config.folders import Folders
from askance.config.settings import Bar, LlmSettings, Settings
from askance.domain.errors import AskanceError, InputError, StorageError
from askance.domain.events import RequestSent, Sending, ignore, once
from askance.domain.library import Followed, Listeners
from askance.domain.messages import Message

if TYPE_CHECKING:
    from askance.adapters.containers.container_services import LocalServices
    from askance.adapters.library.files.adding import FolderReader
    from askance.adapters.library.files.watching import FolderWatch
    from askance.adapters.library.qdrant_vectors import LibraryBesideQdrant
    from askance.adapters.library.sqlite_library import SqliteLibrary
    from askance.adapters.storage.clients import SqliteClientBook
    from askance.adapters.storage.history import SqliteHistory
    from askance.adapters.storage.ledger import SqliteLedger
    from askance.adapters.storage.page_cache import PageCache
    from askance.adapters.storage.traces import TraceStore
    from askance.app.evaluation.records import EvaluationFolder
    from askance.domain.ports.model import (
        ChatModel,
        Defaults,
        Embedder,
        EmbeddingProgress,
        ModelQueue,
        Unembedded,
        VectorStore,
    )
    from askance.domain.ports.storage import History
    from askance.domain.ports.web import OutboundLedger, PageReader, Sent, WebSearch
    from askance.engine.evidence_search import EvidenceSearch
    from askance.engine.library_router import LibraryEmbedding, LibraryRouter, Line, OnProgress
    from askance.engine.local_library import LocalLibrary
    from askance.engine.run import Engine
    from askance.sample_web.sample_server import SampleWeb

# Each part is imported where it is opened: httpx alone costs half a second.
# ruff: noqa: PLC0415


OnError = Callable[[str], None]
"""Called with one sentence for each file of ours that is damaged or out of reach."""


class Container:
    """The parts of the program that are stored in files, run in containers or search the library.

    Use it as a context. It may be used from any thread. `settings` are read when a part needs them.
    """

    def __init__(
        self,
        settings: Settings | Callable[[], Settings],
        folders: Folders,
        on_error: OnError = ignore,
    ) -> None:
        self.folders = folders
        self._settings = settings
        self._on_error = on_error
        self._stack = ExitStack()
        self._router: LibraryRouter | None = None

    def __enter__(self) -> Self:
        """Return the container, with nothing opened yet."""
        return self

    def __exit__(self, *_failure: object) -> None:
        """Close what was opened."""
        self._stack.close()

    @cached_property
    def settings(self) -> Settings:
        """The settings in force.

        Raises:
            SettingsError: a source of settings is wrong.
        """
        # Loaded at first use: `askance clients` works although the settings file is wrong.
        return self._settings() if callable(self._settings) else self._settings

    @cached_property
    def history(self) -> SqliteHistory:
        """The conversations that are stored."""
        from askance.adapters.storage.history import SqliteHistory

        return self._stack.enter_context(
            closing(SqliteHistory(self.folders.history, self._on_error))
        )

    @cached_property
    def ledger(self) -> SqliteLedger:
        """The record of what left this computer."""
        return self._stack.enter_context(closing(self._new_ledger()))

    def _new_ledger(self) -> SqliteLedger:
        """Return a ledger. Entries of each are added from one thread: the library's threads have their own."""
        from askance.adapters.storage.ledger import SqliteLedger

        chosen = self.settings.ledger
        return SqliteLedger(
            self.folders.ledger, chosen.keep_days, self._on_error, required=chosen.required
        )

    @cached_property
    def clients(self) -> SqliteClientBook:
        """The programs that may ask this one."""
        from askance.adapters.storage.clients import SqliteClientBook

        return self._stack.enter_context(
            closing(SqliteClientBook(self.folders.clients, self._on_error))
        )

    @cached_property
    def page_cache(self) -> PageCache:
        """The pages that are stored."""
        from askance.adapters.storage.page_cache import PageCache

        size_mb = self.settings.cache.size_mb
        return self._stack.enter_context(
            closing(PageCache(self.folders.page_cache, size_mb, self._on_error))
        )

    @cached_property
    def library(self) -> SqliteLibrary:
        """The documents that were added, in a file of this machine.

        Raises:
            InputError: their vectors are on a Qdrant server, and what speaks to one is not installed.
        """
        chosen, file = self.settings.library, self.folders.library
        if not chosen.qdrant_url:
            from askance.adapters.library.sqlite_library import SqliteLibrary

            return self._stack.enter_context(
                closing(SqliteLibrary(file, chosen.versions_days, self._on_error))
            )
        try:
            from askance.adapters.library.qdrant_vectors import open_library
        # An optional extra, imported at first use: so its absence is found out here.
        except ModuleNotFoundError as exc:
            raise InputError(
                Message("The package for Qdrant is not installed."),
                fix=Message("Install it with `pip install 'askance[qdrant]'`."),
            ) from exc
        return self._stack.enter_context(
            closing(open_library(chosen, file, self._on_error, self._new_ledger))
        )

    def _vectors(self) -> VectorStore:
        """Return where the vectors of the library's passages are stored."""
        if self.settings.library.qdrant_url:
            return cast("LibraryBesideQdrant", self.library).vectors
        from askance.adapters.library.library_vectors import SqliteVectors

        return SqliteVectors(self.library)

    @cached_property
    def evaluations(self) -> EvaluationFolder:
        """What was measured of models on this machine."""
        from askance.app.evaluation.records import EvaluationFolder

        return EvaluationFolder(self.folders.evaluations, self._on_error)

    @cached_property
    def traces(self) -> TraceStore:
        """The traces of past runs."""
        from askance.adapters.storage.traces import TraceStore

        return TraceStore(self.folders.traces, self.settings.trace.keep, self._on_error)

    @asynccontextmanager
    async def router(self) -> AsyncGenerator[LibraryRouter]:
        """Give the one way to search the library, by words and, where a model embeds, by meaning.

        Where the engine has one open, that is it.
        """
        # A second one would load the embedding model once more.
        if self._router is not None:
            yield self._router
            return
        from askance.engine.library_router import LibraryRouter, Semantic

        chosen = self.settings.embeddings
        if chosen.api is EmbeddingsApi.NONE:
            yield LibraryRouter(self.library, None)
            return
        from askance.adapters.model_choice import open_embedder

        # Before a model's server is asked, so that a library that cannot be opened says so.
        vectors = self._vectors()
        async with open_embedder(self.settings) as embedder:
            yield LibraryRouter(self.library, Semantic(embedder, vectors))

    async def share_router(self, stack: AsyncExitStack) -> LibraryRouter:
        """Open the way to search the library for as long as `stack`, for everybody who has this container."""
        self._router = await stack.enter_async_context(self.router())
        return self._router

    @asynccontextmanager
    async def embedding(
        self, *, on_progress: OnProgress, line: Line | None = None
    ) -> AsyncGenerator[LibraryEmbedding | None]:
        """Give what embeds the passages of the library; None where no model is set."""
        from askance.engine.library_router import LibraryEmbedding

        async with self.router() as router:
            known = router.semantic
            yield known and LibraryEmbedding(
                known.vectors,
                known.embedder,
                on_progress=on_progress,
                line=line,
                ledger=self.ledger,
            )

    @asynccontextmanager
    async def folder_reader(self) -> AsyncGenerator[FolderReader]:
        """Give what reads folders into the library. The processes that it needs start with the first file.

        Raises:
            SettingsError: what is to be left out is not known for sure.
        """
        settings, library = self.settings, self.library
        settings.refuse_if_barred(Bar.FILES)
        from askance.adapters.library.files.adding import FolderReader
        from askance.adapters.library.files.file_process import FileProcesses
        from askance.adapters.library.files.parsing import FILE_TIMEOUT_S
        from askance.adapters.reader.workers import WORKER_MEMORY_MB, WORKERS, WorkerPool

        # `background` raises their niceness: a question that is asked meanwhile goes first.
        processes = WorkerPool(
            WORKERS, WORKER_MEMORY_MB, eager=False, background=True, page_cpu_s=FILE_TIMEOUT_S
        )
        async with processes as pool:
            # As many files as processes: the time of one is not that of waiting for another.
            files = FileProcesses()
            try:
                yield FolderReader(library, library.book, settings.library, pool, WORKERS, files)
            finally:
                files.close()

    def folder_watch(self, listeners: Listeners) -> FolderWatch:
        """Return what follows the folders that were added; for the loop that runs it."""
        from askance.adapters.library.files.file_process import FileProcesses
        from askance.adapters.library.files.watching import FolderWatch

        return FolderWatch(
            self.folder_reader,
            self.library.book,
            self.settings.library,
            listeners,
            apart=self.folders.data,
            files=FileProcesses(),
        )


def without_model(settings: Settings) -> Settings:
    """Return settings for work that asks no model: an embedded one takes seconds to start."""
    return settings.model_copy(update={"llm": LlmSettings()})


def local_services(
    settings: Settings, folders: Folders, environment: Mapping[str, str]
) -> LocalServices:
    """Return the services of this machine, which run in containers."""
    from askance.adapters.containers.container_services import LocalServices

    return LocalServices(settings, folders, environment)


@dataclass(frozen=True, slots=True)
class App:
    """The parts of the program, opened and put together, with the container of those in files.

    `prepare` starts what a search will need soon, and does not wait for it. It is called in the
    thread in which the parts are open, as all of this is. `evidence` returns what fetches evidence. `noticed` is to be
    called after something was added to the library elsewhere, in the thread in which the parts are open.
    """

    engine: Engine
    model: ChatModel | None
    search: WebSearch
    reader: PageReader
    settings: Settings
    folders: Folders
    ledger: OutboundLedger | None = None
    history: History | None = None
    prepare: Callable[[], None] = ignore
    noticed: Callable[[], None] = ignore
    evidence: Callable[[], EvidenceSearch] | None = None
    container: Container = field(kw_only=True)
    suggesting: set[asyncio.Task[object]] = field(
        default_factory=set[asyncio.Task[object]], kw_only=True
    )

    async def preload(self) -> None:
        """Have the model ready before a question is there, if the settings say so."""
        from askance.system.machine import is_on_battery

        llm = self.settings.llm
        stays_s = duration_s(llm.keep_alive)
        # With `keep_alive = 0` the server would unload the model at once.
        if llm.preload is Preload.NEVER or not stays_s:
            return
        if llm.preload is Preload.PLUGGED_IN and await asyncio.to_thread(is_on_battery):
            return
        await self.engine.warm_up(stays_s)


class Stay(Enum):
    """For whom the parts are open, and with that what is done for the library meanwhile."""

    QUESTION = "question"
    """Nothing: it is over soon."""
    CHAT = "chat"
    """What comes into it is embedded, where a model is set."""
    WINDOW = "window"
    """As for a chat, and its folders are followed, if the settings say so."""
    SERVER = "server"
    """As for a chat. Runs let those of other processes go first, which a person waits for."""
    EVALUATION = "evaluation"
    """Nothing. It asks without a pause, and lets those of other processes go first, too."""


# What is done for the library while a session lasts, beside what is asked.

AGAIN_S = 60.0
"""So long after a failure the folders are followed anew."""


@asynccontextmanager
async def run_in_background(
    work: Callable[[], Awaitable[None]], on_error: OnError
) -> AsyncGenerator[None]:
    """Do something beside what happens inside, and end it with that; its failure is reported and ends nothing."""
    failure: Exception | None = None
    async with asyncio.TaskGroup() as group:
        task = group.create_task(_guarded(work, on_error))
        try:
            yield
        except Exception as exc:  # noqa: BLE001 - which a group would wrap
            failure = exc
        finally:
            task.cancel()
    if failure is not None:
        raise failure


async def _guarded(work: Callable[[], Awaitable[None]], on_error: OnError) -> None:
    try:
        await work()
    except AskanceError as exc:
        on_error(exc.message)
    except Exception as exc:  # noqa: BLE001 - what nobody waits for must not end what somebody does
        report(exc)
        on_error(Message("Askance failed: {problem}.", problem=repr(exc)))


def line_of_context(container: Container, engine: Engine) -> Line | None:
    """Return what asks for the line of a passage, where the settings say so, and only where no run has the model."""
    settings = container.settings
    if not settings.embeddings.context_lines or engine.model is None:
        return None
    from askance.engine.library_router import ContextLines
    from askance.engine.run_progress import turn

    lines = ContextLines(engine.model, engine.prompts, settings.library.share_with_remote_model)
    # It waits behind every question, of this process too; a run waits for one line at most.
    queue = _queue(settings, container.folders, gives_way=True)

    async def line(passage: Unembedded) -> str:
        # Its place in the queue is shown nowhere: no run waits for this line.
        async with turn(queue, ignore):
            return await lines(passage)

    return line


@asynccontextmanager
async def following(
    watch: Callable[[Listeners], FolderWatch], noticed: Callable[[], None], on_error: OnError
) -> AsyncGenerator[None]:
    """Follow the folders that were added; `noticed` is called after each change.

    `watch` returns what follows them, and is called in the task that does so.
    """
    loop, report_once = asyncio.get_running_loop(), once(on_error)

    def followed(_change: Followed) -> None:
        # It is called in a thread.
        loop.call_soon_threadsafe(noticed)

    listeners = Listeners(
        watching=lambda _folders: None,
        followed=followed,
        caught_up=lambda: None,
        trouble=report_once,
    )

    async def follow() -> None:
        while True:
            try:
                await watch(listeners).run()
            except AskanceError as exc:
                report_once(exc.message)
            # The failure may be gone by then: a disk is mounted again, a server is up.
            await asyncio.sleep(AGAIN_S)

    async with run_in_background(follow, report_once):
        yield


@asynccontextmanager
async def open_app(
    settings: Settings,
    folders: Folders,
    *,
    sample_web: SampleWeb | None = None,
    on_error: OnError = ignore,
    stay: Stay = Stay.QUESTION,
) -> AsyncGenerator[App]:
    """Open all parts for as long as the context lasts.

    With `sample_web` its search engine is asked and its host names are known, whatever the settings
    say; every other address is judged as always. Its pages are read in this program, which alone
    knows where they are, whatever `reader.mode` and `reader.proxy` say; none of them leaves
    this machine, nor is it kept on it. A model on another machine still gets what is asked, and
    the ledger says so.

    `on_error` is called with one sentence for each file of ours that is damaged or out of reach: the
    program goes on without it. No process is started that only a search needs, until
    `App.prepare` is called or a page is read.

    Raises:
        SettingsError: a part cannot be built from these settings.
    """
    from askance.adapters.model_choice import model_of

    async with AsyncExitStack() as stack:
        container = stack.enter_context(Container(settings, folders, on_error))
        if sample_web is None:
            history = await _history(container, on_error)
            reader, prepare = await _reader(stack, container, on_error)
            search = await _search(stack, settings, folders)
            ledger: OutboundLedger = container.ledger
        else:
            # The sample web is on this machine: what leaves it for the web has no part in it.
            settings, history = _on_this_machine(settings, sample_web.search_url), None
            reader, prepare, search = await _sample_web(stack, settings, sample_web)
            ledger = _ModelsOnly(container.ledger)
        queue = _queue(settings, folders, gives_way=stay in {Stay.SERVER, Stay.EVALUATION})
        model = await stack.enter_async_context(model_of(settings.llm))
        engine = _engine(model, search, reader, settings, folders, ledger, queue)
        if settings.answer.entailment:
            from askance.adapters.embeddings.model_folders import FolderEntailment

            engine = replace(engine, entailment=FolderEntailment(settings.answer.entailment))
        embedder: Embedder | None = None
        noticed = ignore
        if sample_web is None:
            router = await container.share_router(stack)
            embedder = router.semantic.embedder if router.semantic else None
            if stay not in {Stay.QUESTION, Stay.EVALUATION}:
                noticed = await _upkeep(stack, container, engine, on_error, stay)
            engine = replace(engine, library=_local_library(container, router, noticed))

        @cache
        def evidence() -> EvidenceSearch:
            from askance.engine.evidence_search import EvidenceSearch

            return EvidenceSearch(engine, embedder)

        yield App(
            engine,
            model,
            search,
            reader,
            settings,
            folders,
            ledger,
            history,
            prepare,
            noticed,
            evidence,
            container=container,
        )


def _engine(
    model: ChatModel,
    search: WebSearch,
    reader: PageReader,
    settings: Settings,
    folders: Folders,
    ledger: OutboundLedger,
    queue: ModelQueue,
) -> Engine:
    from askance.adapters.llm.model_queue import SpeedFile
    from askance.domain.ports.model import Defaults
    from askance.engine.model_speed import ModelSpeed
    from askance.engine.prompts import load_prompts
    from askance.engine.run import Engine
    from askance.presentation.i18n import spoken
    from askance.system.machine import own_names

    server = settings.llm.server

    async def evaluated(model: str) -> Defaults:
        # On most machines nothing was measured, and a question need not import what reads it.
        if not folders.evaluations.exists():
            return Defaults()
        from askance.app.evaluation.records import EvaluationFolder

        return await EvaluationFolder(folders.evaluations, ignore).defaults(server, model)

    return Engine(
        model,
        search,
        reader,
        load_prompts(),
        settings,
        lambda: datetime.now().astimezone().date(),
        ledger,
        # No query carries the names of this machine and its user (decision 16).
        own_names=own_names(),
        user_language=lambda: spoken().code,
        queue=queue,
        model_speed=ModelSpeed(SpeedFile(folders.speeds), server),
        evaluated=evaluated,
    )


def _queue(settings: Settings, folders: Folders, *, gives_way: bool) -> ModelQueue:
    from askance.adapters.llm.model_queue import FileQueue, queue_name

    return FileQueue(folders.model_queue(queue_name(settings.llm)), gives_way=gives_way)


async def _search(stack: AsyncExitStack, settings: Settings, folders: Folders) -> WebSearch:
    from askance.adapters.search.searxng import SearxngSearch
    from askance.adapters.web_choice import FallbackSearch, NoWeb

    asked = settings.search
    token_file = folders.search_token(asked.url)
    search = await stack.enter_async_context(SearxngSearch(asked, token_file))
    if why := settings.why_barred(Bar.WEB):
        return NoWeb(why)
    # Only with consent, and only where SearXNG is not there (decision 8).
    if asked.in_process is not Consent.GIVEN:
        return search
    from askance.adapters.search.metasearch import InProcessSearch

    return FallbackSearch(search, InProcessSearch(asked))


async def _sample_web(
    stack: AsyncExitStack, settings: Settings, web: SampleWeb
) -> tuple[PageReader, Callable[[], None], WebSearch]:
    from askance.adapters.search.searxng import SearxngSearch
    from askance.adapters.web_choice import SampleSearch, open_sample_reader

    reader, prepare = await open_sample_reader(stack, settings, web.names)
    # It needs no token, so none is sent to it.
    search = await stack.enter_async_context(SearxngSearch(settings.search, None))
    return reader, prepare, SampleSearch(search)


def ledger_recorder(ledger: OutboundLedger | None, occasion: str) -> Sent:
    """Return what enters a front end's own requests into the ledger, as those of runs are entered."""
    from askance.engine.run_progress import recorded

    return recorded(ledger, occasion, ignore)


@dataclass(frozen=True, slots=True)
class _ModelsOnly:
    """The ledger of a sample web, whose queries and pages stay on this machine."""

    ledger: OutboundLedger

    def add(self, sent: RequestSent, occasion: str) -> None:
        """Keep what goes to a model. Raises as `OutboundLedger.add` does."""
        if sent.sending is Sending.MODEL:
            self.ledger.add(sent, occasion)


def _on_this_machine(settings: Settings, search_url: str) -> Settings:
    """Return settings with which nothing is searched or read beyond a search engine of this machine."""
    changed = {
        "search": settings.search.model_copy(update={"url": search_url, "proxy": ""}),
        # A proxy could not reach pages that are on loopback here.
        "reader": settings.reader.model_copy(update={"proxy": DIRECT}),
    }
    return settings.model_copy(update=changed)


async def _history(container: Container, on_error: OnError) -> History | None:
    days = container.settings.history.days
    if not days:
        return None
    try:
        # Another process may hold the file, and the loop must not wait for it.
        await asyncio.to_thread(container.history.prune, days)
    except StorageError as exc:
        on_error(exc.message)
    return container.history


async def _reader(
    stack: AsyncExitStack, container: Container, on_error: OnError
) -> tuple[PageReader, Callable[[], None]]:
    """Open what reads pages, with the page cache before it unless nothing is read or cached."""
    from askance.adapters.web_choice import open_reader

    settings, folders = container.settings, container.folders
    reader, prepare = await open_reader(stack, settings, folders)
    if settings.why_barred(Bar.WEB) or not settings.cache.size_mb:
        return reader, prepare
    from askance.adapters.storage.page_cache import CachingReader, PageCache

    loop = asyncio.get_running_loop()

    def from_its_thread(text: str) -> None:
        # The cache writes in a thread of its own; `on_error` is called in the loop's.
        loop.call_soon_threadsafe(on_error, text)

    # The reader closes its cache behind the last page that it writes.
    cache = PageCache(folders.page_cache, settings.cache.size_mb, from_its_thread)
    cached = CachingReader(reader, cache, on_error)
    return await stack.enter_async_context(cached), prepare


async def _upkeep(
    stack: AsyncExitStack,
    container: Container,
    engine: Engine,
    on_error: OnError,
    stay: Stay,
) -> Callable[[], None]:
    """Do what is to be done for the library meanwhile; return what is to be called after each change of it."""
    noticed, report_once = ignore, once(on_error)

    def on_progress(state: EmbeddingProgress) -> None:
        if state.problem:
            report_once(state.problem)

    line = line_of_context(container, engine)
    # With the model that the library is searched with: it is loaded once.
    embedding = container.embedding(on_progress=on_progress, line=line)
    if (worker := await stack.enter_async_context(embedding)) is not None:
        noticed = worker.notice
        await stack.enter_async_context(run_in_background(worker.watch, on_error))
    if stay is Stay.WINDOW and container.settings.library.watch:
        watching = following(container.folder_watch, noticed, on_error)
        await stack.enter_async_context(watching)
    return noticed


def _local_library(
    container: Container, router: LibraryRouter, noticed: Callable[[], None]
) -> LocalLibrary:
    from askance.engine.local_library import LocalLibrary

    documents = container.library

    def left_out(url: str) -> Message:
        from askance.adapters.library.files.walking import left_out_of

        return left_out_of(documents.book, url)

    return LocalLibrary(
        router,
        documents,
        documents.answers,
        noticed,
        pages_days=container.settings.library.pages_days,
        left_out=left_out,
    )
