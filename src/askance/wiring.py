"""The one place that builds the object graph."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from askance.adapters.embedded import EmbeddedModel
from askance.adapters.fallback_search import FallbackSearch
from askance.adapters.library.caching_reader import CachingReader
from askance.adapters.library.history import SqliteHistory
from askance.adapters.library.ledger import SqliteLedger
from askance.adapters.library.page_cache import PageCache
from askance.adapters.metasearch import InProcessSearch
from askance.adapters.ollama import OllamaModel
from askance.adapters.openai import OpenAIModel
from askance.adapters.reader.fallback import FallbackReader
from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.reader.resolver import MappedResolver, SystemResolver
from askance.adapters.reader.service import ServiceReader
from askance.adapters.searxng import SearxngSearch
from askance.config.folders import Folders
from askance.config.settings import (
    Consent,
    LlmApi,
    LlmSettings,
    ReaderMode,
    ReaderSettings,
    Settings,
)
from askance.domain.errors import StoreUnusable
from askance.engine.prompts import load_prompts
from askance.engine.run import Engine
from askance.ports.history import History
from askance.ports.model import ChatModel
from askance.ports.outbound import OutboundLedger
from askance.ports.reader import PageReader
from askance.ports.search import WebSearch
from askance.sample_web.server import SampleWeb


@dataclass(frozen=True, slots=True)
class App:
    """The parts of the program, opened and put together."""

    engine: Engine
    model: ChatModel | None
    search: WebSearch
    reader: PageReader
    settings: Settings
    folders: Folders
    ledger: OutboundLedger | None = None
    history: History | None = None


Trouble = Callable[[str], None]


def _say_nothing(_: str) -> None:
    pass


@asynccontextmanager
async def open_app(
    settings: Settings,
    folders: Folders,
    *,
    sample_web: SampleWeb | None = None,
    trouble: Trouble = _say_nothing,
) -> AsyncGenerator[App]:
    """Open all parts for as long as the context lasts.

    With `sample_web` its search engine is asked and its host names are known, whatever the settings
    say; every other address is judged as always. Its pages are read in this program, which alone
    knows where they are; none of them leaves this machine, nor is it kept on it.

    `trouble` is told, in one sentence, of a file of ours that is damaged or out of reach: the
    program goes on without it.

    Raises:
        SettingsError: a part cannot be built from these settings.
    """
    async with AsyncExitStack() as stack:
        ledger = history = None
        if sample_web is None:
            ledger = SqliteLedger(folders.ledger, settings.ledger.keep_days, trouble)
            stack.callback(ledger.close)
            history = await _history(stack, settings, folders, trouble)
            reader = await _reader(stack, settings, folders, trouble)
        else:
            search_settings = settings.search.model_copy(update={"url": sample_web.search_url})
            settings = settings.model_copy(update={"search": search_settings})
            resolver = MappedResolver(sample_web.names, SystemResolver())
            here = InProcessReader(settings.reader, resolver=resolver)
            reader = await stack.enter_async_context(here)
        search: WebSearch = await stack.enter_async_context(SearxngSearch(settings.search))
        if sample_web is None and settings.search.in_process is Consent.GIVEN:
            search = FallbackSearch(search, InProcessSearch(settings.search))
        model = await stack.enter_async_context(_model(settings.llm))
        engine = Engine(
            model,
            search,
            reader,
            load_prompts(),
            settings,
            lambda: datetime.now().astimezone().date(),
            ledger,
        )
        yield App(engine, model, search, reader, settings, folders, ledger, history)


async def _history(
    stack: AsyncExitStack, settings: Settings, folders: Folders, trouble: Trouble
) -> History | None:
    if not settings.history.enabled:
        return None
    history = SqliteHistory(folders.history, trouble)
    stack.callback(history.close)
    try:
        await asyncio.to_thread(history.prune, settings.history.keep_days)
    except StoreUnusable as exc:
        trouble(str(exc))
    return history


async def _reader(
    stack: AsyncExitStack, settings: Settings, folders: Folders, trouble: Trouble
) -> PageReader:
    """Open the reader that the settings choose, behind the page cache."""
    chosen = settings.reader
    token_file = _token_file(chosen, folders)
    by_service = chosen.mode is ReaderMode.CONTAINER or (
        chosen.mode is ReaderMode.AUTO and _is_there(token_file)
    )
    resolver = SystemResolver()
    here = InProcessReader(chosen, resolver=resolver, eager=not by_service)
    reader: PageReader = await stack.enter_async_context(here)
    if by_service:
        service = ServiceReader(chosen, token_file, resolver)
        reader = FallbackReader(await stack.enter_async_context(service), reader)
    if not settings.cache.enabled:
        return reader
    loop = asyncio.get_running_loop()

    def from_its_thread(said: str) -> None:
        loop.call_soon_threadsafe(trouble, said)

    cache = PageCache(folders.page_cache, settings.cache.size_mb, from_its_thread)
    return await stack.enter_async_context(CachingReader(reader, cache, settings.cache, trouble))


def _token_file(settings: ReaderSettings, folders: Folders) -> Path:
    named = settings.token_file
    return Path(named).expanduser() if named else folders.reader_token


def _is_there(token_file: Path) -> bool:
    """Whether `askance up` has made a token. One that we may not look at was made by somebody."""
    try:
        return token_file.exists()
    except OSError:
        return True


def _model(settings: LlmSettings) -> OllamaModel | OpenAIModel | EmbeddedModel:
    match settings.api:
        case LlmApi.OLLAMA:
            return OllamaModel(settings)
        case LlmApi.OPENAI:
            return OpenAIModel(settings)
        case LlmApi.EMBEDDED:
            return EmbeddedModel(settings)
