"""An OpenAI-compatible server that knows no language, with llama.cpp's manners or without."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from askance.adapters.llm.openai import OpenAIModel
from askance.config.settings import LlmSettings
from servers.loopback import Handler, Request, Wire


@dataclass
class FakeOpenAI:
    words: tuple[str, ...] = ("Lisbon ", "lies ", "on ", "the ", "Tagus.")
    entries: list[dict[str, Any]] = field(default_factory=lambda: [{"id": "tiny"}])
    n_ctx: int = 4096
    """What `/props` tells; 0 for a server that has no such path."""
    modalities: dict[str, bool] | None = None
    refuses_schemas: bool = False
    loading: int = 0
    """So many requests are answered by 503 before the model is there."""
    on_chat: Handler | None = None
    chats: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """The bodies of the chat requests."""

    def model(self, url: str, **settings: Any) -> OpenAIModel:
        return OpenAIModel(LlmSettings(url=url, **settings))

    async def __call__(self, request: Request, wire: Wire) -> None:
        if self.loading:
            self.loading -= 1
            await wire.send_json(_error(503, "Loading model", "unavailable_error"), 503)
            return
        match request.path:
            case "/v1/models":
                await wire.send_json({"object": "list", "data": self.entries})
            case "/props" if self.n_ctx:
                settings = {"default_generation_settings": {"n_ctx": self.n_ctx}}
                more = {"modalities": self.modalities} if self.modalities else {}
                await wire.send_json({**settings, "build_info": "b1", **more})
            case "/v1/chat/completions":
                self.chats.append(request.json())
                await (self.on_chat or self._chat)(request, wire)
            case _:
                await wire.send_json(_error(404, "File Not Found", "not_found_error"), 404)

    def schema(self) -> Any:
        return self.chats[-1].get("response_format", {}).get("json_schema", {}).get("schema")

    def text(self, piece: str) -> bytes:
        return self.choice({"content": piece})

    def thought(self, piece: str) -> bytes:
        return self.choice({"content": None, "reasoning_content": piece})

    def end(self, reason: str = "stop", prompt: int = 7, output: int = 5) -> bytes:
        usage = {"prompt_tokens": prompt, "completion_tokens": output}
        last = self.event(json.dumps({"choices": [], "usage": usage}))
        return self.choice({}, reason) + last + self.event("[DONE]")

    def error(self, message: str) -> bytes:
        return self.event(json.dumps(_error(500, message, "server_error")))

    def overflow(self, needed: int, available: int) -> tuple[int, bytes]:
        message = f"request ({needed} tokens) exceeds the available context size"
        body = _error(400, message, "exceed_context_size_error")
        body["error"] |= {"n_prompt_tokens": needed, "n_ctx": available}
        return 400, json.dumps(body).encode()

    def missing(self, name: str) -> tuple[int, bytes]:
        body = _error(404, f"The model `{name}` does not exist.", "NotFoundError")
        return 404, json.dumps(body).encode()

    def choice(self, delta: dict[str, Any], reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return self.event(json.dumps({"choices": [choice]}))

    def event(self, data: str) -> bytes:
        return f"data: {data}\n\n".encode()

    async def _chat(self, request: Request, wire: Wire) -> None:
        body = request.json()
        if self.refuses_schemas and "response_format" in body:
            text = _error(400, "'response_format.type' must be 'text'", "invalid_request_error")
            await wire.send_json(text, 400)
            return
        prompt = sum(len(str(m["content"]).split()) for m in body["messages"])
        if self.n_ctx and prompt > self.n_ctx:
            status, refusal = self.overflow(prompt, self.n_ctx)
            await wire.send(refusal, status)
            return
        words = ('{"answer": ', '"yes"}') if "response_format" in body else self.words
        written = words[: body["max_tokens"]]
        await wire.start()
        await wire.chunk(self.choice({"role": "assistant", "content": None}))
        for word in written:
            await wire.chunk(self.text(word))
        reason = "length" if len(written) < len(words) else "stop"
        await wire.chunk(self.end(reason, prompt, len(written)))


def _error(code: int, message: str, kind: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "type": kind}}
