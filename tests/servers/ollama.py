"""An Ollama that knows no language: it says the words it was given, and keeps the protocol's rules."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from askance.adapters.llm.ollama import OllamaModel
from askance.config.settings import LlmSettings
from servers.loopback import Handler, Request, Wire


def tag(name: str, **fields: Any) -> dict[str, Any]:
    """A row of `/api/tags`."""
    return {"name": name, "model": name, "size": 1_000, "capabilities": ["completion"], **fields}


def shown(context: int = 4096, *capabilities: str, **fields: Any) -> dict[str, Any]:
    """A reply of `/api/show`."""
    info = {"general.architecture": "tiny", "tiny.context_length": context}
    return {"model_info": info, "capabilities": list(capabilities or ("completion",)), **fields}


@dataclass
class FakeOllama:
    words: tuple[str, ...] = ("Lisbon ", "lies ", "on ", "the ", "Tagus.")
    tags: list[dict[str, Any]] = field(default_factory=lambda: [tag("tiny:latest")])
    shows: dict[str, dict[str, Any]] = field(default_factory=lambda: {"tiny:latest": shown()})
    on_chat: Handler | None = None
    chats: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """The bodies of the chat requests."""

    def model(self, url: str, **settings: Any) -> OllamaModel:
        return OllamaModel(LlmSettings(url=url, **settings))

    async def __call__(self, request: Request, wire: Wire) -> None:
        match request.path:
            case "/api/version":
                await wire.send_json({"version": "0.34.0"})
            case "/api/tags":
                await wire.send_json({"models": self.tags})
            case "/v1/models":
                names = [found["name"] for found in self.tags]
                data = [{"id": n, "object": "model", "owned_by": "library"} for n in names]
                await wire.send_json({"object": "list", "data": data})
            case "/api/show":
                await self._show(request.json()["model"], wire)
            case "/api/chat":
                self.chats.append(request.json())
                await (self.on_chat or self._chat)(request, wire)
            case _:
                await wire.send("404 page not found", 404)

    def schema(self) -> Any:
        return self.chats[-1].get("format")

    def text(self, piece: str) -> bytes:
        return self._line({"message": {"role": "assistant", "content": piece}, "done": False})

    def thought(self, piece: str) -> bytes:
        message = {"role": "assistant", "content": "", "thinking": piece}
        return self._line({"message": message, "done": False})

    def end(self, reason: str = "stop", prompt: int = 7, output: int = 5) -> bytes:
        counts = {"prompt_eval_count": prompt, "eval_count": output}
        message = {"role": "assistant", "content": ""}
        return self._line({"message": message, "done": True, "done_reason": reason, **counts})

    def error(self, message: str) -> bytes:
        return self._line({"error": message})

    def overflow(self, needed: int, available: int) -> tuple[int, bytes]:
        """Status and body, wrapped twice as Ollama 0.34 does it."""
        inner = {
            "code": 400,
            "message": f"request ({needed} tokens) exceeds the available context size "
            f"({available} tokens), try increasing it",
            "type": "exceed_context_size_error",
            "n_prompt_tokens": needed,
            "n_ctx": available,
        }
        return 400, json.dumps({"error": json.dumps({"error": inner})}).encode()

    def missing(self, name: str) -> tuple[int, bytes]:
        return 404, json.dumps({"error": f"model '{name}' not found"}).encode()

    async def _show(self, name: str, wire: Wire) -> None:
        full = name if ":" in name else f"{name}:latest"
        if full in self.shows:
            await wire.send_json(self.shows[full])
        else:
            status, body = self.missing(full)
            await wire.send(body, status)

    async def _chat(self, request: Request, wire: Wire) -> None:
        body = request.json()
        prompt = sum(len(m["content"].split()) for m in body["messages"])
        if prompt > body["options"]["num_ctx"]:
            status, text = self.overflow(prompt, body["options"]["num_ctx"])
            await wire.send(text, status)
            return
        words = ('{"answer": ', '"yes"}') if "format" in body else self.words
        written = words[: body["options"]["num_predict"]]
        await wire.start()
        for word in written:
            await wire.chunk(self.text(word))
        reason = "length" if len(written) < len(words) else "stop"
        await wire.chunk(self.end(reason, prompt, len(written)))

    def _line(self, value: dict[str, Any]) -> bytes:
        return json.dumps({"model": "tiny:latest", **value}).encode() + b"\n"
