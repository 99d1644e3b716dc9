"""Servers that embed by hashing words, in the shapes of Ollama and of OpenAI, and can go wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from adapters.storage.shelf import direction
from servers.loopback import Handler, Request, Wire

MODEL = "hashed:latest"


@dataclass
class FakeEmbedding:
    """`on_embed` answers instead, where it is set; `given` are the texts of each request."""

    dimension: int = 72
    digest: str = "d1"
    models: tuple[str, ...] = (MODEL,)
    on_embed: Handler | None = None
    given: list[list[str]] = field(default_factory=list[list[str]])
    scores: list[float] = field(default_factory=list[float])

    async def __call__(self, request: Request, wire: Wire) -> None:
        match request.path:
            case "/api/tags":
                chat = {"name": "chat:latest", "digest": "c"}
                rows = [{"name": name, "digest": self.digest} for name in self.models]
                await wire.send_json({"models": [chat, *rows]})
            case "/api/show":
                embeds = request.json()["model"] in self.models
                await wire.send_json({"capabilities": ["embedding" if embeds else "completion"]})
            case "/v1/models":
                meta = {"n_params": 22, "size": 88}
                rows = [{"id": name, "meta": meta} for name in self.models]
                await wire.send_json({"data": rows})
            case "/api/embed" | "/v1/embeddings":
                self.given.append(request.json()["input"])
                await (self.on_embed or self.embed)(request, wire)
            case _:
                await wire.send("404 page not found", 404)

    async def embed(self, request: Request, wire: Wire) -> None:
        vectors = [direction(text, self.dimension) for text in request.json()["input"]]
        await self.answer(request, wire, vectors)

    async def answer(self, request: Request, wire: Wire, vectors: list[list[float]]) -> None:
        if request.path == "/api/embed":
            await wire.send_json({"model": MODEL, "embeddings": vectors})
        else:  # in another order, as is allowed
            rows: list[dict[str, Any]] = [
                {"index": i, "embedding": vector} for i, vector in enumerate(vectors)
            ]
            await wire.send_json({"data": rows[::-1]})


async def refuses(_: Request, wire: Wire) -> None:
    await wire.send_json({"error": "the model runner has unexpectedly stopped"}, 500)
