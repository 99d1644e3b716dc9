"""The one place that builds the object graph."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial

from askance.adapters.library.explaining import left_out_of
from askance.adapters.llm.compatible import CompatibleModel
from askance.adapters.llm.embedded import EmbeddedModel
from askance.adapters.llm.model_queue import FileQueue, queue_name
from askance.adapters.llm.ollama import OllamaModel
from askance.adapters.llm.speeds import SpeedFile
from askance.adapters.network.no_web import NoWeb
from askance.adapters.network.service_status import loaded_sizes
from askance.adapters.network.this_machine import own_names
from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.reader.network import MappedResolver, SystemResolver
from askance.adapters.reader.service import (
    ContainerOnlyReader,
    FallbackReader,
    LastSeen,
    ServiceReader,
)
from askance.adapters.search.metasearch import InProcessSearch
from askance.adapters.search.searxng import FallbackSearch, SearxngSearch
from askance.adapters.storage.page_cache import CachingReader
from askance.adapters.system.machine import is_on_battery
from askance.app.background import make_embedder, queued, run_in_background
from askance.app.stores import (
    OnError,
    OpenLibrary,
    ignore,
    library_router,
    open_evaluations,
    open_history,
    open_ledger,
    open_library,
    open_page_cache,
    reader_is_set_up,
    reader_token_file,
)
from askance.config.choices import Consent, LlmApi, Preload, ReaderMode
from askance.config.folders import Folders
from askance.config.sections import Bar
from askance.config.settings import LlmSettings, ReaderSettings, Settings
from askance.config.values import DIRECT, duration_s
from askance.domain.errors import AskanceError, StorageError
from askance.domain.events import RequestSent, Sending
from askance.domain.ports.embeddings import Embedder
from askance.domain.ports.history import History
from askance.domain.ports.model import ChatModel
from askance.domain.ports.web import OutboundLedger, PageReader, WebSearch
from askance.engine.evidence_search import EvidenceSearch
from askance.engine.library_embedding import ContextLines
from askance.engine.library_search import LibraryRouter
from askance.engine.local_library import LocalLibrary
from askance.engine.model_speed import ModelSpeed
from askance.engine.prompts import load_prompts
from askance.engine.run import Engine
from askance.presentation.i18n import spoken
from askance.sample_web.server import SampleWeb
from askance.text.languages.language_model import forget_model

# The processes that take pages apart hold some 90 MB each. A conversation goes on within this time,
# and starting them again takes half a second, beside the search.
READERS_IDLE_S = 45.0


def _do_nothing() -> None:
    pass


def _today() -> date:
    return datetime.now().astimezone().date()


async def _untold() -> int:
    return 0


@dataclass(frozen=True, slots=True)
class App:
    """The parts of the program, opened and put together.

    `prepare` starts what a search will need soon, and does not wait for it. It is called in the
    thread in which the parts are open, as all of this is. `model_memory` returns the bytes of memory
    that the model takes where it runs, 0 where that is not told. `noticed` is to be called after
    something was added to the library elsewhere, in the thread in which the parts are open.
    """

    engine: Engine
    model: ChatModel | None
    search: WebSearch
    reader: PageReader
    settings: Settings
    folders: Folders
    ledger: OutboundLedger | None = None
    history: History | None = None
    prepare: Callable[[], None] = _do_nothing
    model_memory: Callable[[], Awaitable[int]] = _untold
    noticed: Callable[[], None] = _do_nothing
    evidence: EvidenceSearch | None = None

    async def preload(self) -> None:
        """Have the model ready before a question is there, if the settings say so."""
        llm = self.settings.llm
        stays_s = duration_s(llm.keep_alive)
        if llm.preload is Preload.NEVER or not stays_s:
            return
        if llm.preload is Preload.PLUGGED_IN and await asyncio.to_thread(is_on_battery):
            return
        await self.engine.warm_up(stays_s)


@asynccontextmanager
async def open_app(
    settings: Settings,
    folders: Folders,
    *,
    sample_web: SampleWeb | None = None,
    on_error: OnError = ignore,
    eager: bool = True,
    upkeep: bool = False,
    gives_way: bool = False,
) -> AsyncGenerator[App]:
    """Open all parts for as long as the context lasts.

    With `sample_web` its search engine is asked and its host names are known, whatever the settings
    say; every other address is judged as always. Its pages are read in this program, which alone
    knows where they are, `reader.container_only` and `reader.proxy` or not; none of them leaves
    this machine, nor is it kept on it. A model on another machine still gets what is asked, and
    the ledger says so.

    `on_error` is told, in one sentence, of a file of ours that is damaged or out of reach: the
    program goes on without it. Without `eager` no process is started that only a search needs, until
    `App.prepare` is called or a page is read. With `upkeep` what comes into the library is embedded in
    the background, where a model is set; that is for whoever stays, and not for a single question. With
    `gives_way` runs let those of other processes go first, which a person waits for.

    Raises:
        SettingsError: a part cannot be built from these settings.
    """
    async with AsyncExitStack() as stack:
        history = library = worker = None
        outbound_ledger = open_ledger(settings, folders, on_error)
        stack.callback(outbound_ledger.close)
        ledger: OutboundLedger = outbound_ledger
        if sample_web is None:
            history = await _history(stack, settings, folders, on_error)
            reader, prepare = await _reader(stack, settings, folders, on_error, eager=eager)
        else:
            # The sample web is on this machine: what leaves it for the web has no part in it.
            settings = _on_this_machine(settings, sample_web.search_url)
            ledger = _ModelsOnly(outbound_ledger)
            resolver = MappedResolver(sample_web.names, SystemResolver())
            here = InProcessReader(
                settings.page_reader,
                resolver=resolver,
                eager=eager,
                idle_s=READERS_IDLE_S,
                on_idle=forget_model,
            )
            reader, prepare = await stack.enter_async_context(here), here.prepare
        asked = settings.search
        token_file = None if sample_web else folders.search_token(asked.url, asked.token_file)
        search: WebSearch = await stack.enter_async_context(
            SearxngSearch(settings.search, token_file)
        )
        if sample_web is None and (why := settings.why_barred(Bar.WEB)):
            search = NoWeb(why)
        elif sample_web is None and settings.search.in_process is Consent.GIVEN:
            search = FallbackSearch(search, InProcessSearch(settings.search))
        model = await stack.enter_async_context(_model(settings.llm))
        prompts = load_prompts()
        before_model = folders.model_queue(queue_name(settings.llm)), settings.llm.concurrency
        queue = FileQueue(*before_model, gives_way=gives_way)
        noticed = _do_nothing
        embedder: Embedder | None = None
        if sample_web is None:
            router, documents = await _library(stack, settings, folders, on_error)
            if upkeep and router.semantic is not None:
                lines = settings.embeddings.context_lines
                shared = settings.library.share_with_remote_model
                behind = FileQueue(*before_model, gives_way=True)
                line = queued(ContextLines(model, prompts, shared), behind) if lines else None
                worker = make_embedder(router.semantic, on_error=on_error, line=line, ledger=ledger)
                noticed = worker.notice
            library = LocalLibrary(
                router,
                documents,
                documents.answers,
                noticed,
                pages_days=settings.library.pages_days,
                left_out=partial(left_out_of, documents.book),
            )
            embedder = router.semantic.embedder if router.semantic else None
        model_speed = ModelSpeed(SpeedFile(folders.speeds), settings.llm.server)
        engine = Engine(
            model,
            search,
            reader,
            prompts,
            settings,
            _today,
            ledger,
            own_names=own_names(),
            user_language=lambda: spoken().code,
            queue=queue,
            model_speed=model_speed,
            evaluated=partial(open_evaluations(folders).defaults, settings.llm.server),
            library=library,
        )
        evidence = EvidenceSearch(
            search, reader, prompts, settings, _today, ledger, own_names(), model_speed, embedder
        )
        memory = partial(_model_memory, settings.llm, model)
        if worker is not None:
            await stack.enter_async_context(run_in_background(worker.watch, on_error))
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
            memory,
            noticed,
            evidence,
        )


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
        "reader": settings.reader.model_copy(update={"proxy": DIRECT}),
    }
    return settings.model_copy(update=changed)


async def _library(
    stack: AsyncExitStack, settings: Settings, folders: Folders, on_error: OnError
) -> tuple[LibraryRouter, OpenLibrary]:
    documents = open_library(settings, folders, on_error)
    stack.callback(documents.close)
    router = await stack.enter_async_context(library_router(settings, documents))
    return router, documents


async def _history(
    stack: AsyncExitStack, settings: Settings, folders: Folders, on_error: OnError
) -> History | None:
    if not settings.history.enabled:
        return None
    history = open_history(folders, on_error)
    stack.callback(history.close)
    try:
        await asyncio.to_thread(history.prune, settings.history.keep_days)
    except StorageError as exc:
        on_error(exc.message)
    return history


async def _reader(
    stack: AsyncExitStack, settings: Settings, folders: Folders, on_error: OnError, *, eager: bool
) -> tuple[PageReader, Callable[[], None]]:
    """Open the reader that the settings choose, behind the page cache; and return what prepares it."""
    if why := settings.why_barred(Bar.WEB):
        return NoWeb(why), _do_nothing
    chosen = settings.page_reader
    by_service = chosen.mode is ReaderMode.CONTAINER or (
        chosen.mode is ReaderMode.AUTO and reader_is_set_up(chosen, folders)
    )
    resolver = SystemResolver()
    reader: PageReader
    prepare = _do_nothing
    if chosen.container_only:
        # Nothing that could read a page is made in this program.
        service = await _service(stack, chosen, folders, resolver)
        reader = ContainerOnlyReader(service)
    else:
        here = InProcessReader(
            chosen,
            resolver=resolver,
            eager=eager and not by_service,
            idle_s=READERS_IDLE_S,
            on_idle=forget_model,
        )
        reader = await stack.enter_async_context(here)
        if by_service:
            reader = FallbackReader(await _service(stack, chosen, folders, resolver), reader)
        else:
            prepare = here.prepare
    if not settings.cache.enabled:
        return reader, prepare
    loop = asyncio.get_running_loop()

    def from_its_thread(text: str) -> None:
        loop.call_soon_threadsafe(on_error, text)

    cache = open_page_cache(settings, folders, from_its_thread)
    caching = CachingReader(reader, cache, settings.cache, on_error)
    return await stack.enter_async_context(caching), prepare


async def _service(
    stack: AsyncExitStack, settings: ReaderSettings, folders: Folders, resolver: SystemResolver
) -> ServiceReader:
    last_seen = LastSeen(folders.reader_seen)
    service = ServiceReader(settings, reader_token_file(settings, folders), resolver, last_seen)
    return await stack.enter_async_context(service)


async def _model_memory(settings: LlmSettings, model: ChatModel) -> int:
    if isinstance(model, EmbeddedModel):
        return model.memory_bytes()
    if settings.api is not LlmApi.OLLAMA:
        return 0
    try:
        name = (await model.info()).name
        return (await loaded_sizes(settings.url)).get(name, 0)
    except AskanceError:  # an older Ollama does not tell
        return 0


def _model(settings: LlmSettings) -> OllamaModel | CompatibleModel | EmbeddedModel:
    match settings.api:
        case LlmApi.OLLAMA:
            return OllamaModel(settings)
        case LlmApi.OPENAI:
            return CompatibleModel(settings)
        case LlmApi.EMBEDDED:
            return EmbeddedModel(settings)
