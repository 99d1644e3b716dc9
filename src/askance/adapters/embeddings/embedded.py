"""A GGUF file with an embedding model, run by llama.cpp in a child process of this program."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from askance.adapters.embeddings.folders import digest_of
from askance.adapters.embeddings.servers import OpenAIEmbedder
from askance.adapters.llm.embedded import (
    SERVICE,
    Embedded,
    EmbeddedProcess,
    checked_gguf,
    physical_cores,
    require_engine,
)
from askance.config.embeddings_settings import EmbeddingsSettings
from askance.domain.embeddings import Identity, Vector
from askance.domain.errors import ServiceError
from askance.domain.messages import Message


class EmbeddedEmbedder(Embedded[OpenAIEmbedder]):
    """An `Embedder` in a child process."""

    host = ""

    def __init__(self, settings: EmbeddingsSettings) -> None:
        super().__init__()
        self._settings = settings

    async def identity(self) -> Identity:
        """Say which file it is. See `Embedder.identity`."""
        embedder, _ = await self._loaded()
        return await embedder.identity()

    async def embed_query(self, text: str) -> Vector:
        """Return the vector of a question. See `Embedder.embed_query`."""
        embedder, _ = await self._loaded()
        return await embedder.embed_query(text)

    async def embed_passages(self, passages: Sequence[tuple[str, str]]) -> Sequence[Vector]:
        """Return the vectors of passages. See `Embedder.embed_passages`."""
        embedder, _ = await self._loaded()
        return await embedder.embed_passages(passages)

    async def _started(self) -> tuple[OpenAIEmbedder, EmbeddedProcess]:
        fix = Message("Set embeddings.gguf to the path of a GGUF file with an embedding model.")
        gguf = await asyncio.to_thread(checked_gguf, self._settings.gguf, "embeddings", fix)
        require_engine()
        digest = await asyncio.to_thread(digest_of, gguf)
        try:
            process = await EmbeddedProcess.start(
                gguf,
                num_ctx=0,
                threads=physical_cores(),
                load_timeout_s=self._settings.timeout_s,
                embeddings=True,
            )
        except ServiceError as exc:
            fix = Message("Set embeddings.gguf to another GGUF file, with an embedding model.")
            raise type(exc)(exc.service, exc.address, exc.problem, fix=fix) from exc
        embedder = OpenAIEmbedder(
            self._settings,
            url=process.url,
            service=SERVICE,
            headers={"Authorization": f"Bearer {process.key}"},
            named=(gguf.name, digest),
        )
        return embedder, process
