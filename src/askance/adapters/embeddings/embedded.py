"""A GGUF file with an embedding model, run by llama.cpp in a child process of this program."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from askance.adapters.embeddings.folders import digest_of
from askance.adapters.embeddings.servers import OpenAIEmbedder
from askance.adapters.llm.embedded import (
    SERVICE,
    EmbeddedProcess,
    checked_gguf,
    physical_cores,
    require_engine,
)
from askance.config.sections import EmbeddingsSettings
from askance.domain.embeddings import Identity, Vector
from askance.domain.errors import ServiceError
from askance.domain.messages import Message


class EmbeddedEmbedder:
    """An `Embedder` in a child process, which lives as long as this async context manager.

    The first use loads the model. It raises a `SettingsError` where there is no such GGUF file, or
    xllamacpp is not installed.
    """

    host = ""

    def __init__(self, settings: EmbeddingsSettings) -> None:
        self._settings = settings
        self._running: tuple[OpenAIEmbedder, EmbeddedProcess] | None = None
        self._loading = asyncio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        if self._running is None:
            return
        (embedder, process), self._running = self._running, None
        try:
            await embedder.__aexit__(*error)
        finally:
            await process.stop()

    async def identity(self) -> Identity:
        """Say which file it is. See `Embedder.identity`."""
        return await (await self._loaded()).identity()

    async def embed_query(self, text: str) -> Vector:
        """Return the vector of a question. See `Embedder.embed_query`."""
        return await (await self._loaded()).embed_query(text)

    async def embed_passages(self, passages: Sequence[tuple[str, str]]) -> Sequence[Vector]:
        """Return the vectors of passages. See `Embedder.embed_passages`."""
        return await (await self._loaded()).embed_passages(passages)

    async def _loaded(self) -> OpenAIEmbedder:
        async with self._loading:
            if self._running is None:
                fix = Message(
                    "Set embeddings.gguf to the path of a GGUF file with an embedding model."
                )
                named = self._settings.gguf
                gguf = await asyncio.to_thread(checked_gguf, named, "embeddings", fix)
                require_engine()
                digest = await asyncio.to_thread(digest_of, gguf)
                process = await self._started(gguf)
                embedder = OpenAIEmbedder(
                    self._settings,
                    url=process.url,
                    service=SERVICE,
                    headers={"Authorization": f"Bearer {process.key}"},
                    named=(gguf.name, digest),
                )
                self._running = (embedder, process)
            return self._running[0]

    async def _started(self, gguf: Path) -> EmbeddedProcess:
        try:
            return await EmbeddedProcess.start(
                gguf,
                num_ctx=0,
                threads=physical_cores(),
                load_timeout_s=self._settings.timeout_s,
                embeddings=True,
            )
        except ServiceError as exc:
            fix = Message("Set embeddings.gguf to another GGUF file, with an embedding model.")
            raise type(exc)(exc.service, exc.address, exc.problem, fix=fix) from exc
