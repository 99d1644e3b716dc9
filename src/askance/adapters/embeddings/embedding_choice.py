"""The embedder that the settings choose."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from askance.config.choices import EmbeddingsApi
from askance.config.settings import EmbeddingsSettings, Settings
from askance.domain.addresses import bare_address
from askance.domain.ports.model import Embedder

# Servers need httpx, folders need numpy: only the chosen kind is loaded.
# ruff: noqa: PLC0415


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
            from askance.adapters.embeddings.model_folders import onnx_embedder

            made = onnx_embedder(chosen)
        case EmbeddingsApi.STATIC | EmbeddingsApi.NONE:
            from askance.adapters.embeddings.model_folders import static_embedder

            made = static_embedder(chosen)
    async with made as embedder:
        yield embedder
