"""OpenAI's API: models, chat completions and responses, for chat front ends and programs."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from askance.app.client_service import ClientService
from askance.domain.conversation import Usage
from askance.domain.events import ignore
from askance.domain.ports.storage import Client
from askance.local_service.guard import json_reply
from askance.server.openai_request import (
    MODELS,
    CompletionRequest,
    OpenAIError,
    known_model,
    read_completion,
)
from askance.server.openai_responses import ResponseEvents, read_response
from askance.server.openai_stream import (
    HEARTBEAT_S,
    AnswerStream,
    CompletionResult,
    CompletionRunner,
    StreamEnd,
)

# The bodies of OpenAI's chat completions: whole, and as chunks of a stream.

_DONE = b"data: [DONE]\n\n"


def chat_completion(asked: CompletionRequest, reply: CompletionResult) -> dict[str, Any]:
    """Return the body of a whole reply."""
    message: dict[str, Any] = {
        "role": "assistant",
        "content": reply.shown.text,
        "refusal": None,
        "annotations": list(reply.shown.annotations),
    }
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reply.finish}
    whole: dict[str, Any] = {
        "id": _new_id(),
        "object": "chat.completion",
        "created": int(time.time()),
        "model": asked.model,
        "choices": [choice],
        "usage": _usage(reply.usage),
    }
    return whole | ({"askance": reply.record} if reply.record else {})


class ChatChunks:
    """A stream of chat completion chunks."""

    def __init__(self, asked: CompletionRequest) -> None:
        self._asked = asked
        self._id, self._created = _new_id(), int(time.time())

    def begin(self) -> bytes:
        """Say who speaks."""
        return _line(self._chunk({"role": "assistant", "content": ""}))

    def delta(self, text: str) -> bytes:
        """Say a piece of the text."""
        return _line(self._chunk({"content": text}))

    def end(self, end: StreamEnd) -> bytes:
        """Say why it ends, with the links, the record, and the usage if it is wanted."""
        links = list(end.annotations)
        delta: dict[str, Any] = {"annotations": links} if links else {}
        chunk = self._chunk(delta, end.finish)
        lines = [_line({**chunk, "askance": end.record} if end.record else chunk)]
        if self._asked.includes_usage:
            lines.append(_line({**self._chunk({}), "choices": [], "usage": _usage(end.usage)}))
        return b"".join([*lines, _DONE])

    def error(self, refused: OpenAIError) -> bytes:
        """Say what went wrong."""
        return _line(refused.body()) + _DONE

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        chunk: dict[str, Any] = {
            "id": self._id,
            "object": "chat.completion.chunk",
            "created": self._created,
            "model": self._asked.model,
            "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
        }
        return {**chunk, "usage": None} if self._asked.includes_usage else chunk


def _line(record: dict[str, Any]) -> bytes:
    return b"data: %s\n\n" % json.dumps(record).encode()


def _usage(usage: Usage) -> dict[str, int]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.prompt_tokens + usage.output_tokens,
    }


def _new_id() -> str:
    return f"chatcmpl-{secrets.token_hex(12)}"


# A model is a way to be answered: `askance` searches, `askance-chat` is the language model
# alone.

_EVERY_METHOD = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]


def openai_routes(
    service: ClientService, who: Callable[[Request], Client], *, heartbeat_s: float = HEARTBEAT_S
) -> list[Route]:
    """Return the routes of OpenAI's API. `who` tells whose request one is; nobody else is let in before."""
    endpoints = _OpenAIEndpoints(service, who, heartbeat_s)
    return [
        Route("/v1/models", endpoints.models, methods=["GET"]),
        Route("/v1/models/{id:path}", endpoints.model, methods=["GET"]),
        Route("/v1/chat/completions", endpoints.completions, methods=["POST"]),
        Route("/v1/responses", endpoints.responses, methods=["POST"]),
        # Many a program is given an address without its /v1.
        Route("/{path:path}", _not_found, methods=_EVERY_METHOD),
    ]


class _OpenAIEndpoints:
    def __init__(
        self, service: ClientService, who: Callable[[Request], Client], heartbeat_s: float
    ) -> None:
        self._answering = CompletionRunner(service)
        self._heartbeat_s = heartbeat_s
        self._who = who
        self._since = int(time.time())

    async def models(self, _: Request) -> Response:
        data = [self._model(name) for name in MODELS]
        return json_reply(json.dumps({"object": "list", "data": data}))

    async def model(self, request: Request) -> Response:
        try:
            return json_reply(json.dumps(self._model(known_model(request.path_params["id"]))))
        except OpenAIError as exc:
            return exc.reply()

    async def completions(self, request: Request) -> Response:
        client = self._who(request)
        try:
            asked = read_completion(await request.body(), client.name, self._answering.remembered)
            if asked.streams:
                return self._stream(client, asked, ChatChunks(asked))
            reply = await self._reply(client, asked)
        except OpenAIError as exc:
            return exc.reply()
        return json_reply(json.dumps(chat_completion(asked, reply)))

    async def responses(self, request: Request) -> Response:
        client, remembered = self._who(request), self._answering.remembered
        try:
            wanted = read_response(await request.body(), client.name, remembered)
            asked, events = wanted.completion, ResponseEvents(wanted, client.name, remembered)
            if asked.streams:
                return self._stream(client, asked, events)
            reply = await self._reply(client, asked)
        except OpenAIError as exc:
            return exc.reply()
        return json_reply(json.dumps(events.body(reply)))

    def _stream(
        self, client: Client, asked: CompletionRequest, form: ChatChunks | ResponseEvents
    ) -> Response:
        return AnswerStream(self._answering, client, asked, form, self._heartbeat_s)

    async def _reply(self, client: Client, asked: CompletionRequest) -> CompletionResult:
        end = await self._answering.run(client, asked, ignore)
        reply = end if isinstance(end, OpenAIError) else self._answering.reply(client, asked, end)
        if isinstance(reply, OpenAIError):
            raise reply
        return reply

    def _model(self, name: str) -> dict[str, Any]:
        return {
            "id": name,
            "object": "model",
            "created": self._since,
            "owned_by": "askance",
            "description": MODELS[name],
        }


async def _not_found(request: Request) -> Response:
    problem = (
        f"There is no {request.method} {request.url.path[:80]} here. There are POST /v1/chat/completions, "
        "POST /v1/responses (nothing is stored), GET /v1/models, and MCP at /mcp."
    )
    return OpenAIError(404, problem, code="unknown_url").reply()
