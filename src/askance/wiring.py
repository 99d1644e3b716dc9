"""The one place that builds the object graph."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime

from askance.adapters.embedded import EmbeddedModel
from askance.adapters.ollama import OllamaModel
from askance.adapters.openai import OpenAIModel
from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.reader.resolver import MappedResolver, Resolver, SystemResolver
from askance.adapters.searxng import SearxngSearch
from askance.config.folders import Folders
from askance.config.settings import LlmApi, LlmSettings, ReaderMode, Settings
from askance.domain.errors import SettingsError
from askance.engine.prompts import load_prompts
from askance.engine.run import Engine
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


@asynccontextmanager
async def open_app(
    settings: Settings, folders: Folders, *, sample_web: SampleWeb | None = None
) -> AsyncGenerator[App]:
    """Open all parts for as long as the context lasts.

    With `sample_web` its search engine is asked and its host names are known, whatever the settings
    say; every other address is judged as always.

    Raises:
        SettingsError: a part cannot be built from these settings.
    """
    resolver: Resolver = SystemResolver()
    if sample_web is not None:
        resolver = MappedResolver(sample_web.names, resolver)
        search_settings = settings.search.model_copy(update={"url": sample_web.search_url})
        settings = settings.model_copy(update={"search": search_settings})
    if settings.reader.mode is ReaderMode.CONTAINER:
        raise SettingsError(
            "The reader service does not exist in this version.",
            fix="Set reader.mode to inprocess.",
        )
    async with AsyncExitStack() as stack:
        reader = await stack.enter_async_context(
            InProcessReader(settings.reader, resolver=resolver)
        )
        search = await stack.enter_async_context(SearxngSearch(settings.search))
        model = await stack.enter_async_context(_model(settings.llm))
        engine = Engine(
            model,
            search,
            reader,
            load_prompts(),
            settings,
            lambda: datetime.now().astimezone().date(),
        )
        yield App(engine, model, search, reader, settings, folders)


def _model(settings: LlmSettings) -> OllamaModel | OpenAIModel | EmbeddedModel:
    match settings.api:
        case LlmApi.OLLAMA:
            return OllamaModel(settings)
        case LlmApi.OPENAI:
            return OpenAIModel(settings)
        case LlmApi.EMBEDDED:
            return EmbeddedModel(settings)
