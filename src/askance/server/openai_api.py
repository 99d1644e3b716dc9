"""OpenAI's API: models, chat completions and responses, for chat front ends and programs.

Nothing is stored: a conversation comes with each request. The ids of the last answers are known for as long as
the server runs, because some clients bring back no more of an answer than that.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Mapping
from typing import Any, cast

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from askance.app.client_service import ClientService
from askance.domain.conversation import Usage
from askance.domain.events import ignore
from askance.domain.ports.storage import Client
from askance.local_service.service_process import json_reply
from askance.server.openai_request import (
    MODELS,
    CompletionRequest,
    OpenAIError,
    RecentAnswers,
    completion_of,
    fields_of,
    known_model,
    object_of,
)
from askance.server.openai_stream import (
    HEARTBEAT_S,
    AnswerStream,
    CompletionResult,
    CompletionRunner,
)

# Responses: what is asked, read as a chat completion, and the bodies and events of its answer.

_TEXTS = frozenset({"input_text", "output_text", "text"})
_PARAMS = {"messages": "input", "response_format": "text.format", "max_tokens": "max_output_tokens",
           "max_completion_tokens": "max_output_tokens"}  # fmt: skip
_LONGEST_ECHO = 4_000
# Fields of a request that are repeated in the response, as OpenAI does.
_ECHOED = ("metadata", "temperature", "top_p", "user", "tools", "tool_choice")


def read_response(body: bytes, client: str, remembered: RecentAnswers) -> ResponseEvents:
    """Read a request for a response: what it asks for, and what of it is sent back.

    Raises:
        OpenAIError: it is none, or wants what is not there.
    """
    fields = fields_of(body)
    for name in ("previous_response_id", "conversation", "background", "prompt"):
        if fields.get(name) not in (None, False):
            problem = f"Nothing is stored here: send all of the conversation as `input`, without `{name}`."
            raise OpenAIError(400, problem, param=name)
    text = object_of(fields.get("text"))
    chat = {
        "model": fields.get("model"),
        "messages": _messages(fields, client, remembered),
        "stream": fields.get("stream"),
        "max_tokens": fields.get("max_output_tokens"),
        "response_format": _format(text.get("format")),
        "tool_choice": _tool_choice(fields.get("tool_choice")),
        "top_logprobs": fields.get("top_logprobs"),
    }
    try:
        completion = completion_of(chat, client, remembered)
    except OpenAIError as exc:
        name, dot, rest = exc.param.partition(".")
        # The client knows the fields of responses, and not those of chat completions.
        exc.param = _PARAMS.get(name, name) + dot + rest
        for chat_name, own_name in _PARAMS.items():
            exc.message = exc.message.replace(f"`{chat_name}`", f"`{own_name}`")
        raise
    echo = {name: fields[name] for name in _ECHOED if name in fields}
    echo |= {
        "instructions": fields.get("instructions"),
        "max_output_tokens": fields.get("max_output_tokens"),
    }
    echo["text"] = {"format": text.get("format") or {"type": "text"}}
    echo = {name: value for name, value in echo.items() if value is not None and _can_echo(value)}
    return ResponseEvents(completion, echo, client, remembered)


def _can_echo(value: object) -> bool:
    """Whether a value is sent back: Python reads NaN and infinity, which no JSON may hold."""
    try:
        return len(json.dumps(value, allow_nan=False)) <= _LONGEST_ECHO
    except ValueError:
        return False


class ResponseEvents:
    """A response: its body, or the events of its stream."""

    def __init__(
        self,
        asked: CompletionRequest,
        echo: Mapping[str, Any],
        client: str,
        remembered: RecentAnswers,
    ) -> None:
        self.asked = asked
        self._echo = echo
        self._client, self._remembered = client, remembered
        self._id, self._item = f"resp_{secrets.token_hex(24)}", f"msg_{secrets.token_hex(24)}"
        self._created = int(time.time())
        self._number = 0

    def begin(self) -> bytes:
        """Say that there will be a message with a text."""
        response = self._response("in_progress")
        item = self._message("in_progress") | {"content": list[Any]()}
        return b"".join(
            [
                self._event("response.created", response=response),
                self._event("response.in_progress", response=response),
                self._event("response.output_item.added", output_index=0, item=item),
                self._event("response.content_part.added", **self._place, part=_part("", ())),
            ]
        )

    def delta(self, text: str) -> bytes:
        """Say a piece of the text."""
        return self._event("response.output_text.delta", **self._place, delta=text, logprobs=[])

    def end(self, reply: CompletionResult) -> bytes:
        """Say what the text has come to, and the whole response."""
        whole = self.body(reply)
        item = whole["output"][0]
        part = item["content"][0]
        events = [
            self._event(
                "response.output_text.annotation.added",
                **self._place,
                annotation_index=i,
                annotation=annotation,
            )
            for i, annotation in enumerate(part["annotations"])
        ]
        events += [
            self._event("response.output_text.done", **self._place, text=part["text"], logprobs=[]),
            self._event("response.content_part.done", **self._place, part=part),
            self._event("response.output_item.done", output_index=0, item=item),
            self._event(f"response.{whole['status']}", response=whole),
        ]
        return b"".join(events)

    def error(self, refused: OpenAIError) -> bytes:
        """Say what went wrong."""
        error = refused.body()["error"]
        code = refused.code or "server_error"
        response = self._response("failed") | {"error": {"code": code, "message": refused.message}}
        event = {"code": code, "message": refused.message, "param": error["param"], "error": error}
        return self._event("error", **event) + self._event("response.failed", response=response)

    @property
    def _place(self) -> dict[str, Any]:
        return {"item_id": self._item, "output_index": 0, "content_index": 0}

    def body(self, reply: CompletionResult) -> dict[str, Any]:
        """Return the body of a whole reply."""
        text, annotations = reply.shown.text, reply.shown.annotations
        # Some clients send back this id alone in place of the answer.
        self._remembered.name(self._client, self._item, text)
        is_cut = reply.finish == "length"
        status = "incomplete" if is_cut else "completed"
        # Responses have these fields beside the type, chat completions one level below.
        part = _part(text, [{"type": a["type"], **a["url_citation"]} for a in annotations])
        whole = self._response(status)
        whole["incomplete_details"] = {"reason": "max_output_tokens"} if is_cut else None
        whole["output"] = [{**self._message(status), "content": [part]}]
        whole["usage"] = _response_usage(reply.usage)
        return whole | ({"askance": reply.record} if reply.record else {})

    def _message(self, status: str) -> dict[str, Any]:
        return {"id": self._item, "type": "message", "status": status, "role": "assistant"}

    def _response(self, status: str) -> dict[str, Any]:
        return {
            "id": self._id,
            "object": "response",
            "created_at": self._created,
            "status": status,
            "background": False,
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "max_output_tokens": None,
            "model": self.asked.model,
            "output": [],
            "parallel_tool_calls": True,
            "previous_response_id": None,
            "reasoning": {"effort": None, "summary": None},
            "store": False,
            "temperature": None,
            "text": {"format": {"type": "text"}},
            "tool_choice": "auto",
            "tools": [],
            "top_p": None,
            "truncation": "disabled",
            "usage": None,
            "user": None,
            "metadata": {},
            # Last, so that what the client has sent stands in the place of the defaults.
            **self._echo,
        }

    def _event(self, kind: str, **fields: Any) -> bytes:
        record = {"type": kind, "sequence_number": self._number, **fields}
        # One sequence for events of all kinds: clients order them by it.
        self._number += 1
        return b"event: %s\ndata: %s\n\n" % (kind.encode(), json.dumps(record).encode())


def _messages(
    fields: Mapping[str, Any], client: str, remembered: RecentAnswers
) -> list[dict[str, Any]]:
    instructions, given = fields.get("instructions"), fields.get("input")
    messages: list[dict[str, Any]] = []
    if isinstance(instructions, str) and instructions:
        messages.append({"role": "system", "content": instructions})
    if isinstance(given, str):
        return [*messages, {"role": "user", "content": given}]
    if not isinstance(given, list) or not given:
        raise OpenAIError(
            400, "`input` is a text, or a list that holds at least one.", param="input"
        )
    for i, one in enumerate(cast("list[object]", given)):
        message = _message(object_of(one), f"input[{i}]", client, remembered)
        if message is not None:
            messages.append(message)
    return messages


def _message(
    item: Mapping[str, Any], place: str, client: str, remembered: RecentAnswers
) -> dict[str, Any] | None:
    """Return an item as a message of a chat; None where it says nothing: what was thought, a search."""
    match item:
        case {"type": "item_reference", "id": str(item_id)}:
            text = remembered.text(client, item_id)
            if text is None:
                problem = (
                    "Nothing is stored here, and this answer is not known any more: send its text."
                )
                raise OpenAIError(400, problem, code="item_not_found", param=place)
            return {"role": "assistant", "content": text}
        case {"type": "function_call_output" | "custom_tool_call_output"}:
            return {"role": "tool", "content": ""}
        case {"role": role}:
            content = item.get("content")
            if isinstance(content, list):
                content = [_chat_part(part) for part in cast("list[object]", content)]
            return {"role": role, "content": content}
        case {"type": "function_call" | "custom_tool_call"}:
            return {"role": "assistant", "content": ""}
        # Reasoning, searches and unknown kinds of items are no messages.
        case {"type": str()}:
            return None
        case _:
            problem = "An item of the input is a message with `role` and `content`."
            raise OpenAIError(400, problem, param=place)


def _chat_part(part: object) -> object:
    match part:
        case {"type": str(kind), "text": str(text)} if kind in _TEXTS:
            return {"type": "text", "text": text}
        case {"type": "input_image"}:
            return {"type": "image_url"}
        case {"type": "input_file"}:
            return {"type": "file"}
        case _:
            return part


def _format(given: object) -> object:
    """Return the format of a text as chat completions have it."""
    is_schema = object_of(given).get("type") == "json_schema"
    return {"type": "json_schema", "json_schema": given} if is_schema else given


def _tool_choice(given: object) -> object:
    """Return what is forced; that the web is searched is what happens anyway."""
    match given:
        case {"type": str(kind)} if kind.startswith("web_search"):
            return "auto"
        case _:
            return given


def _part(text: str, annotations: list[dict[str, Any]] | tuple[()]) -> dict[str, Any]:
    return {"type": "output_text", "text": text, "annotations": list(annotations), "logprobs": []}


def _response_usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.prompt_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.prompt_tokens + usage.output_tokens,
    }


# The bodies of OpenAI's chat completions: whole, and as chunks of a stream.

# OpenAI's clients read until this line.
_DONE = b"data: [DONE]\n\n"


class ChatChunks:
    """A chat completion: its body, or the chunks of its stream."""

    def __init__(self, asked: CompletionRequest) -> None:
        self.asked = asked
        self._id, self._created = f"chatcmpl-{secrets.token_hex(12)}", int(time.time())

    def body(self, reply: CompletionResult) -> dict[str, Any]:
        """Return the body of a whole reply."""
        message: dict[str, Any] = {
            "role": "assistant",
            "content": reply.shown.text,
            "refusal": None,
            "annotations": list(reply.shown.annotations),
        }
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reply.finish}
        whole: dict[str, Any] = {
            "id": self._id,
            "object": "chat.completion",
            "created": self._created,
            "model": self.asked.model,
            "choices": [choice],
            "usage": _chat_usage(reply.usage),
        }
        return whole | ({"askance": reply.record} if reply.record else {})

    def begin(self) -> bytes:
        """Say who speaks."""
        return _chunk_line(self._chunk({"role": "assistant", "content": ""}))

    def delta(self, text: str) -> bytes:
        """Say a piece of the text."""
        return _chunk_line(self._chunk({"content": text}))

    def end(self, reply: CompletionResult) -> bytes:
        """Say why it ends, with the links, the record, and the usage if it is wanted."""
        links = list(reply.shown.annotations)
        delta: dict[str, Any] = {"annotations": links} if links else {}
        chunk = self._chunk(delta, reply.finish)
        lines = [_chunk_line({**chunk, "askance": reply.record} if reply.record else chunk)]
        if self.asked.includes_usage:
            lines.append(
                _chunk_line({**self._chunk({}), "choices": [], "usage": _chat_usage(reply.usage)})
            )
        return b"".join([*lines, _DONE])

    def error(self, refused: OpenAIError) -> bytes:
        """Say what went wrong."""
        return _chunk_line(refused.body()) + _DONE

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        chunk: dict[str, Any] = {
            "id": self._id,
            "object": "chat.completion.chunk",
            "created": self._created,
            "model": self.asked.model,
            "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
        }
        # OpenAI's streams have the field in every chunk once it is asked for.
        return {**chunk, "usage": None} if self.asked.includes_usage else chunk


def _chunk_line(record: dict[str, Any]) -> bytes:
    return b"data: %s\n\n" % json.dumps(record).encode()


def _chat_usage(usage: Usage) -> dict[str, int]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.prompt_tokens + usage.output_tokens,
    }


# The routes. `askance` searches, `askance-chat` is the language model alone.

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
        # Many programs are given an address without its /v1: the error names the paths.
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
        def read(body: bytes, client: str) -> ChatChunks:
            return ChatChunks(completion_of(fields_of(body), client, self._answering.remembered))

        return await self._answered(request, read)

    async def responses(self, request: Request) -> Response:
        def read(body: bytes, client: str) -> ResponseEvents:
            return read_response(body, client, self._answering.remembered)

        return await self._answered(request, read)

    async def _answered(
        self, request: Request, read: Callable[[bytes, str], ChatChunks | ResponseEvents]
    ) -> Response:
        client = self._who(request)
        try:
            form = read(await request.body(), client.name)
        except OpenAIError as exc:
            return exc.reply()
        if form.asked.streams:
            return AnswerStream(self._answering, client, form.asked, form, self._heartbeat_s)
        reply = await self._answering.run(client, form.asked, ignore)
        if not isinstance(reply, OpenAIError):
            reply = self._answering.reply(client, form.asked, reply)
        if isinstance(reply, OpenAIError):
            return reply.reply()
        return json_reply(json.dumps(form.body(reply)))

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
