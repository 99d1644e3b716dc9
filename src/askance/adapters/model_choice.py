"""The models that the settings choose: the one that chats, and the one that embeds texts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Self, TypeAlias

from askance.config.choices import EmbeddingsApi, LlmApi
from askance.config.settings import EmbeddingsSettings, LlmSettings, Settings
from askance.domain.addresses import bare_address
from askance.domain.errors import ServiceError
from askance.domain.messages import Message
from askance.domain.ports.model import Embedder, ModelCall, ModelInfo, ReplyPart

if TYPE_CHECKING:
    from askance.adapters.llm.embedded import EmbeddedModel
    from askance.adapters.llm.ollama import OllamaModel
    from askance.adapters.llm.openai import OpenAIModel

# Each kind is imported where it is chosen: servers need httpx, folders need numpy.
# ruff: noqa: PLC0415

ChosenModel: TypeAlias = "OllamaModel | CompatibleModel | EmbeddedModel"


def model_of(settings: LlmSettings) -> ChosenModel:
    """Return the model, to be opened as a context.

    Raises:
        SettingsError: it cannot be built from these settings.
    """
    match settings.api:
        case LlmApi.OLLAMA:
            from askance.adapters.llm.ollama import OllamaModel

            return OllamaModel(settings)
        case LlmApi.OPENAI:
            return CompatibleModel(settings)
        case LlmApi.EMBEDDED:
            from askance.adapters.llm.embedded import EmbeddedModel

            return EmbeddedModel(settings)


class CompatibleModel:
    """A `ChatModel` on any OpenAI-compatible server. An async context manager that owns its connections.

    Ollama is one of these. But in that protocol nobody can say how much context to load, and what
    is longer than what it loads by itself is cut in silence: so it is spoken to in its own.
    """

    def __init__(self, settings: LlmSettings) -> None:
        from askance.adapters.llm.model_server import ModelServer
        from askance.adapters.llm.ollama import OllamaModel
        from askance.adapters.llm.openai import OpenAIModel

        # Other clients want the address with `/v1`, so people paste it so; our paths begin with it.
        address = settings.url.removesuffix("/v1")
        self._plain = OpenAIModel(settings)
        self._ollama = OllamaModel(settings.model_copy(update={"url": address}))
        self._server = ModelServer(
            settings, service=Message("The model server"), address=address, start=""
        )
        self._known: OllamaModel | OpenAIModel | None = None
        self._looking = asyncio.Lock()
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        for model in (self._plain, self._ollama):
            await self._stack.enter_async_context(model)
        self._stack.push_async_callback(self._server.aclose)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def info(self) -> ModelInfo:
        """Describe the model. See `ChatModel.info`."""
        async with self._recognised() as model:
            return await model.info()

    async def models(self) -> tuple[ModelInfo, ...]:
        """List the server's chat models. See `ChatModel.models`."""
        async with self._recognised() as model:
            return await model.models()

    @asynccontextmanager
    async def reply(self, call: ModelCall) -> AsyncGenerator[AsyncIterator[ReplyPart]]:
        """Open a reply. See `ChatModel.reply`."""
        async with self._recognised() as model, model.reply(call) as parts:
            yield parts

    @asynccontextmanager
    async def _recognised(self) -> AsyncGenerator[OllamaModel | OpenAIModel]:
        """Look once which kind of server it is, and again when it has failed."""
        async with self._looking:
            if self._known is None:
                self._known = self._ollama if await self._is_ollama() else self._plain
            known = self._known
        try:
            yield known
        except ServiceError:
            self._known = None
            raise

    async def _is_ollama(self) -> bool:
        """Whether it tells Ollama's version, and is none of llama.cpp's kin, which may do that, too.

        A server that does not answer is none, which whoever asks it then tells in its own words.
        """
        from askance.adapters.llm.ollama import ServerVersion

        try:
            version = await self._text("/api/version")
            ServerVersion.model_validate_json(version)
            # KoboldCpp and other kin of llama.cpp answer on both paths
            # (docs/decisions/0020-one-run-after-the-other.md).
            return not await self._text("/props")
        except (ServiceError, ValueError):
            return False

    async def _text(self, path: str) -> str:
        """Return what stands at a path, or nothing."""
        stream = await self._server.send("GET", path)
        text = await stream.text()
        return text if stream.status == 200 else ""


def _with_key(settings: Settings, url: str) -> EmbeddingsSettings:
    """Return the settings of embeddings, with the model server's key where that is the server at `url`."""
    chosen = settings.embeddings
    # The key of the model server goes to that server, and to no other.
    if chosen.api_key or bare_address(url) != bare_address(settings.llm.url):
        return chosen
    return chosen.model_copy(update={"api_key": settings.llm.api_key})


@asynccontextmanager
async def open_embedder(settings: Settings) -> AsyncGenerator[Embedder]:
    """Give what embeds texts."""
    chosen = _with_key(settings, settings.embeddings.url)
    match chosen.api:
        case EmbeddingsApi.OLLAMA:
            from askance.adapters.embeddings.servers import OllamaEmbedder

            made = OllamaEmbedder(chosen)
        case EmbeddingsApi.OPENAI:
            from askance.adapters.embeddings.servers import OpenAIEmbedder

            made = OpenAIEmbedder(chosen)
        case EmbeddingsApi.EMBEDDED:
            from askance.adapters.embeddings.servers import EmbeddedEmbedder

            made = EmbeddedEmbedder(chosen)
        case EmbeddingsApi.ONNX:
            from askance.adapters.embeddings.model_folders import FolderEmbedder, onnx

            made = FolderEmbedder(chosen, onnx)
        case EmbeddingsApi.STATIC | EmbeddingsApi.NONE:
            from askance.adapters.embeddings.model_folders import FolderEmbedder, static

            made = FolderEmbedder(chosen, static)
    async with made as embedder:
        yield embedder
