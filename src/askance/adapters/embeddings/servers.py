"""Embedding models on servers: Ollama in its own protocol, any other in OpenAI's, llama.cpp in a child process too."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from askance.adapters.llm.embedded import (
    SERVICE,
    ChildModel,
    EmbeddedProcess,
    checked_gguf,
    digest_of,
    physical_cores,
    require_engine,
)
from askance.adapters.llm.model_server import (
    KEY_REFUSED,
    ModelServer,
    Served,
    Wire,
    how_to_start_ollama,
)
from askance.adapters.llm.ollama import ModelDetails, missing, refuse_cloud, tags_of
from askance.config.settings import EmbeddingsSettings, LlmSettings
from askance.domain.errors import ModelMissing, ServiceError, ServiceTimeout
from askance.domain.messages import Message, Remedy
from askance.domain.ports.model import Identity, Vector, scheme_of, unit

BATCH_TIMEOUT_S = 120.0
"""How long one batch may take, loading the model included."""
_PROBE = "dimension"
_NO_MODEL_STATUS = 404
SERVER = Message("The embedding server")
_KEY = Remedy("It asks for a key: set embeddings.api_key.", setting="embeddings.api_key")


class _Embeddings(Wire):
    embeddings: tuple[tuple[float, ...], ...]


class _Entry(Wire):
    id: str
    meta: dict[str, Any] | None = None


class _Entries(Wire):
    data: tuple[_Entry, ...] | None


class _Row(Wire):
    index: int
    embedding: tuple[float, ...]


class _Rows(Wire):
    data: tuple[_Row, ...]


class EmbeddingServer(ModelServer):
    """The connection to a server that embeds. Its remedies name the settings of embeddings."""

    mismatch = Message("Check that embeddings.api and embeddings.url name the same server.")

    def __init__(
        self,
        settings: EmbeddingsSettings,
        *,
        service: str,
        address: str,
        start: str,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        chat = LlmSettings(
            url=address,
            api_key=settings.api_key,
            load_timeout_s=BATCH_TIMEOUT_S,
            idle_timeout_s=BATCH_TIMEOUT_S,
        )
        super().__init__(chat, service=service, address=address, start=start, headers=headers)

    def slow(self, problem: Message, *, loads: bool) -> ServiceTimeout:  # noqa: ARG002 - the same wait
        """Return the error of a server that keeps one waiting; `problem` says how."""
        fix = Message("Use a smaller model.")
        return ServiceTimeout(self.service, self.address, problem, fix=fix)

    def remedy(self, status: int, body: str) -> str:  # noqa: ARG002 - the same for all
        """Return what to do about a refusal."""
        # Without this the remedy would name the key of the chat model.
        if status in KEY_REFUSED:
            return _KEY
        return Message("See the server's log, and which model embeddings.model names.")


class ServedEmbedder(Served, ABC):
    """What all embedders on servers have in common: who they are, and vectors that can be trusted."""

    def __init__(self, settings: EmbeddingsSettings, server: EmbeddingServer) -> None:
        super().__init__(server)
        self._settings = settings
        self._dimensions: dict[tuple[str, str], int] = {}
        self._looking = asyncio.Lock()

    async def identity(self) -> Identity:
        """Say what it is now; the dimension is tried once for each model."""
        async with self._looking:
            name, digest = await self._model()
            if (name, digest) not in self._dimensions:
                (vector,) = await self._embedded(name, [_PROBE])
                self._dimensions[name, digest] = len(vector)
            return Identity(name, digest, self._dimensions[name, digest], scheme_of(name))

    async def embed_query(self, text: str) -> Vector:
        """Return the vector of a question. See `Embedder.embed_query`."""
        identity = await self.identity()
        (vector,) = await self._vectors(identity, [identity.scheme.question(text)])
        return vector

    async def embed_passages(self, passages: Sequence[tuple[str, str]]) -> Sequence[Vector]:
        """Return the vectors of passages. See `Embedder.embed_passages`."""
        identity = await self.identity()
        return await self._vectors(
            identity, [identity.scheme.passage(title, text) for title, text in passages]
        )

    async def _vectors(self, identity: Identity, texts: Sequence[str]) -> Sequence[Vector]:
        found = await self._embedded(identity.model, texts)
        vectors = [unit(values) for values in found if len(values) == identity.dimension]
        sound = [vector for vector in vectors if vector is not None]
        # Vectors are stored: one of a wrong length, or of zeros, would spoil every later search.
        if len(sound) != len(texts):
            self._nonsense(found, identity, len(texts))
        return sound

    def _nonsense(
        self, found: Sequence[Sequence[float]], identity: Identity, wanted: int
    ) -> NoReturn:
        message = Message("{n} vectors where {of} were asked for", n=len(found), of=wanted)
        if len(found) == wanted:
            lengths = {len(values) for values in found} - {identity.dimension}
            message = Message("vectors without a direction")
            if lengths:
                message = Message(
                    "vectors of {n} numbers where {of} are expected",
                    n=lengths.pop(),
                    of=identity.dimension,
                )
        raise self._server.unreadable(message)

    @abstractmethod
    async def _model(self) -> tuple[str, str]:
        """Return the name of the model, and its digest."""

    @abstractmethod
    async def _embedded(self, model: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return what the server says."""


class OllamaEmbedder(ServedEmbedder):
    """An `Embedder` on an Ollama server."""

    def __init__(self, settings: EmbeddingsSettings) -> None:
        address = settings.url.removesuffix("/api")
        start = how_to_start_ollama(address)
        server = EmbeddingServer(settings, service="Ollama", address=address, start=start)
        super().__init__(settings, server)

    async def _model(self) -> tuple[str, str]:
        wanted = self._settings.model
        refuse_cloud(wanted)
        here = [tag for tag in await tags_of(self._server) if not tag.remote_host]
        if wanted:
            named = (tag for tag in here if tag.name in {wanted, f"{wanted}:latest"})
            if (tag := next(named, None)) is None:
                raise missing(wanted, "embeddings.model")
            return tag.name, tag.digest
        for tag in here:
            if await self._embeds(tag.name):
                return tag.name, tag.digest
        raise ModelMissing(
            Message("Ollama at {address} has no embedding model.", address=self._server.address),
            fix=Remedy(
                "Download one, for example with `ollama pull embeddinggemma`.",
                command="ollama pull",
            ),
        )

    async def _embeds(self, name: str) -> bool:
        stream = await self._server.send("POST", "/api/show", {"model": name})
        if stream.status != 200:
            await stream.aclose()
            return False
        shown = await stream.parsed(ModelDetails)
        return "embedding" in (shown.capabilities or ()) and not shown.remote_host

    async def _embedded(self, model: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        # What is longer than the model's context is cut: its beginning stands for it.
        body = {"model": model, "input": list(texts), "truncate": True}
        stream = await self._server.send("POST", "/api/embed", body, loads=True)
        if stream.status == _NO_MODEL_STATUS:
            await stream.aclose()
            raise missing(model, "embeddings.model")
        return (await stream.parsed(_Embeddings)).embeddings


class OpenAIEmbedder(ServedEmbedder):
    """An `Embedder` on any server that speaks OpenAI's protocol.

    `named` is its model where the server has but one, of which more is known than it tells.
    """

    def __init__(
        self,
        settings: EmbeddingsSettings,
        *,
        url: str = "",
        service: str = SERVER,
        headers: Mapping[str, str] | None = None,
        named: tuple[str, str] | None = None,
    ) -> None:
        server = EmbeddingServer(
            settings,
            service=service,
            address=(url or settings.url).removesuffix("/v1"),
            start=Message("Start it, or set embeddings.url."),
            headers=headers,
        )
        super().__init__(settings, server)
        self._named = named

    async def _model(self) -> tuple[str, str]:
        if self._named is not None:
            return self._named
        stream = await self._server.send("GET", "/v1/models")
        entries = (await stream.parsed(_Entries)).data or ()
        wanted = self._settings.model
        entry = next((e for e in entries if not wanted or e.id == wanted), None)
        if entry is None and not wanted:
            raise ModelMissing(
                Message(
                    "The embedding server at {address} has no model.",
                    address=self._server.address,
                ),
                fix=Message("Load an embedding model there."),
            )
        # Nobody tells a digest. llama.cpp tells how large the model is, which changes with it.
        meta = (entry.meta if entry is not None else None) or {}
        known = [str(meta[key]) for key in ("n_params", "size") if key in meta]
        return wanted or (entry.id if entry is not None else ""), "-".join(known)

    async def _embedded(self, model: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        body = {"model": model, "input": list(texts), "encoding_format": "float"}
        stream = await self._server.send("POST", "/v1/embeddings", body, loads=True)
        rows = (await stream.parsed(_Rows)).data
        # By each row's `index`, since the protocol promises no order.
        by_index = {row.index: row.embedding for row in rows}
        return [by_index[i] for i in range(len(texts)) if i in by_index]


class EmbeddedEmbedder(ChildModel[OpenAIEmbedder]):
    """An `Embedder` in a child process: a GGUF file with an embedding model, run by llama.cpp."""

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
        fix = Message("Set embeddings.path to the path of a GGUF file with an embedding model.")
        gguf = await asyncio.to_thread(checked_gguf, self._settings.path, "embeddings.path", fix)
        require_engine()
        digest = await asyncio.to_thread(digest_of, gguf)
        try:
            process = await EmbeddedProcess.start(
                gguf,
                num_ctx=0,
                threads=physical_cores(),
                load_timeout_s=BATCH_TIMEOUT_S,
                embeddings=True,
            )
        except ServiceError as exc:
            fix = Message("Set embeddings.path to another GGUF file, with an embedding model.")
            # Its own remedy names llm.gguf, the setting of the chat model.
            raise type(exc)(exc.service, exc.address, exc.problem, fix=fix) from exc
        embedder = OpenAIEmbedder(
            self._settings,
            url=process.url,
            service=SERVICE,
            headers={"Authorization": f"Bearer {process.key}"},
            named=(gguf.name, digest),
        )
        return embedder, process
