"""OpenAI's door: the desk behind `/v1/models` and `/v1/chat/completions`, for chat front ends.

A model is a way to be answered: `askance` searches, `askance-chat` is the language model alone.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from askance.domain.clients import Client
from askance.domain.conversation import Usage
from askance.domain.events import (
    Answered,
    Cancelled,
    ClarifyAsked,
    DraftRetracted,
    Failed,
    RunEvent,
    SourcesReady,
    TokenArrived,
)
from askance.domain.evidence import Source
from askance.local_service.guard import json_reply
from askance.server.desk import Desk, unheard
from askance.server.openai_answering import Answering, Reply, record_of
from askance.server.openai_request import (
    MODELS,
    Completion,
    Refused,
    known_model,
    read_completion,
)
from askance.server.openai_text import (
    LinkedStream,
    Shown,
    cost_of,
    cut_to,
    footer,
    is_same_text,
    shown,
)

HEARTBEAT_S = 5.0
"""A stream in which nothing is said for so long says that it lives: proxies give up silent ones."""
_HEARTBEAT = b": searching\n\n"
_PARTED = "\n\n---\n\n"
_HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
}


def openai_routes(
    desk: Desk, who: Callable[[Request], Client], *, heartbeat_s: float = HEARTBEAT_S
) -> list[Route]:
    """Return the routes of OpenAI's API. `who` tells whose request one is; nobody else is let in before."""
    door = _Door(desk, who, heartbeat_s)
    return [
        Route("/v1/models", door.models, methods=["GET"]),
        Route("/v1/models/{id:path}", door.model, methods=["GET"]),
        Route("/v1/chat/completions", door.completions, methods=["POST"]),
    ]


class _Door:
    def __init__(self, desk: Desk, who: Callable[[Request], Client], heartbeat_s: float) -> None:
        self._answering = Answering(desk)
        self._heartbeat_s = heartbeat_s
        self._who = who
        self._since = int(time.time())

    async def models(self, _: Request) -> Response:
        data = [self._model(name) for name in MODELS]
        return json_reply(json.dumps({"object": "list", "data": data}))

    async def model(self, request: Request) -> Response:
        try:
            return json_reply(json.dumps(self._model(known_model(request.path_params["id"]))))
        except Refused as exc:
            return _error(exc)

    async def completions(self, request: Request) -> Response:
        client = self._who(request)
        try:
            asked = read_completion(await request.body(), client.name, self._answering.remembered)
        except Refused as exc:
            return _error(exc)
        if asked.streams:
            return _Stream(self._answering, client, asked, self._heartbeat_s)
        end = await self._answering.run(client, asked, unheard)
        if isinstance(end, Refused):
            return _error(end)
        return json_reply(json.dumps(_whole(asked, self._answering.reply(client, asked, end))))

    def _model(self, name: str) -> dict[str, Any]:
        return {
            "id": name,
            "object": "model",
            "created": self._since,
            "owned_by": "askance",
            "description": MODELS[name],
        }


_News = RunEvent | Refused
_TELLING = (SourcesReady, TokenArrived, Answered, ClarifyAsked, Refused)


class _Stream(Response):
    """A completion as server-sent events. It begins with the first sign of the run: an error that comes
    before has its status."""

    def __init__(
        self, answering: Answering, client: Client, asked: Completion, heartbeat_s: float
    ) -> None:
        super().__init__()
        self._answering = answering
        self._heartbeat_s = heartbeat_s
        self._client = client
        self._asked = asked
        self._news: asyncio.Queue[_News] = asyncio.Queue()
        self._sources: tuple[Source, ...] = ()
        self._text = LinkedStream()
        self._left = asked.most_tokens
        self._is_cut = False
        self._id, self._created = _new_id(), int(time.time())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve the run to its end. The door over HTTP cancels it where nobody is there any more."""
        async with asyncio.TaskGroup() as group:
            run = group.create_task(self._run())
            first = await self._next(_TELLING)
            if isinstance(first, Refused):
                await _error(first)(scope, receive, send)
                return
            headers = [(k.lower().encode(), v.encode()) for k, v in _HEADERS.items()]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await self._say(send, self._chunk({"role": "assistant", "content": ""}))
            await self._tell(first, send)
            if self._is_cut:  # nobody waits for the rest
                run.cancel()
        await send({"type": "http.response.body", "body": b"data: [DONE]\n\n"})

    async def _run(self) -> None:
        def emit(event: RunEvent) -> None:
            if not isinstance(event, Failed | Cancelled):  # how it failed is told as an error
                self._news.put_nowait(event)

        self._news.put_nowait(await self._answering.run(self._client, self._asked, emit))

    async def _next(self, kinds: tuple[type[Any], ...] = (object,)) -> _News | None:
        """Return the next thing of these kinds that happens, None if nothing does for a while."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._heartbeat_s):
                while not isinstance(news := await self._news.get(), kinds):
                    pass
                return news
        return None

    async def _tell(self, news: _News | None, send: Send) -> None:
        """Tell what happens until the run has ended, or has said enough."""
        while True:
            match news:
                case None:
                    await _send(send, _HEARTBEAT)
                case Refused():
                    await self._say(send, news.body())
                    return
                case Answered() | ClarifyAsked():
                    await self._end(news, send)
                    return
                case _ if self._asked.job is None:
                    await self._write(self._piece_of(news), send)
                case _:
                    pass
            if self._is_cut:
                written = Usage(output_tokens=self._asked.most_tokens)
                await self._finish(written, "length", None, send)
                return
            news = await self._next()

    def _piece_of(self, event: RunEvent) -> str:
        """Return what an event adds to the text."""
        match event:
            case SourcesReady(sources=sources):
                self._sources = sources
                return self._begin_anew()
            case DraftRetracted():
                # What was sent cannot be taken back, but what follows is kept apart from it.
                return self._begin_anew()
            case TokenArrived(text=text):
                return self._text.add(text)
            case _:
                return ""

    def _begin_anew(self) -> str:
        """Begin a text behind what was sent; return what parts the two."""
        before = self._text
        self._text = LinkedStream(self._sources)
        if not before.written:
            return ""
        self._text.text, self._text.annotations = before.text, before.annotations
        return self._text.follow(Shown(_PARTED))

    async def _end(self, end: Answered | ClarifyAsked, send: Send) -> None:
        asked = self._asked
        if isinstance(end, ClarifyAsked) or asked.job is not None:
            reply = self._answering.reply(self._client, asked, end)
            await self._write(reply.shown.text, send)
            await self._finish(reply.usage, reply.finish, None, send)
            return
        await self._write(self._text.close(), send)
        if not is_same_text(self._text.written, end.answer):
            parted = self._text.follow(Shown(_PARTED)) if self._text.text.strip() else ""
            await self._write(parted + self._text.follow(shown(end)), send)
        else:
            self._text.judge(end.citations)
        below = footer(end)
        if not self._is_cut and not cut_to(below, self._left)[1]:
            await self._write(self._text.follow(Shown(below)), send)
        self._answering.remember(self._client, asked, end, self._text.text)
        finish = "length" if self._is_cut else "stop"
        await self._finish(end.usage, finish, record_of(end), send)

    async def _write(self, piece: str, send: Send) -> None:
        """Send a piece of the text, as much as may still be said."""
        if not piece or self._is_cut:
            return
        if self._asked.most_tokens:
            before = self._text.text.removesuffix(piece)
            piece, self._is_cut = cut_to(piece, self._left, before)
            self._left = max(1, self._left - cost_of(piece))
        await self._say(send, self._chunk({"content": piece}))

    async def _finish(
        self, usage: Usage, finish: str, record: dict[str, Any] | None, send: Send
    ) -> None:
        links = self._text.annotations
        delta: dict[str, Any] = {"annotations": links} if links else {}
        chunk = self._chunk(delta, finish)
        await self._say(send, {**chunk, "askance": record} if record else chunk)
        if self._asked.tells_usage:
            await self._say(send, {**self._chunk({}), "choices": [], "usage": _usage(usage)})

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        chunk: dict[str, Any] = {
            "id": self._id,
            "object": "chat.completion.chunk",
            "created": self._created,
            "model": self._asked.model,
            "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}],
        }
        return {**chunk, "usage": None} if self._asked.tells_usage else chunk

    async def _say(self, send: Send, record: dict[str, Any]) -> None:
        await _send(send, b"data: %s\n\n" % json.dumps(record).encode())


async def _send(send: Send, body: bytes) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": True})


def _whole(asked: Completion, reply: Reply) -> dict[str, Any]:
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


def _usage(usage: Usage) -> dict[str, int]:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.prompt_tokens + usage.output_tokens,
    }


def _error(refused: Refused) -> Response:
    return json_reply(json.dumps(refused.body()), refused.status)


def _new_id() -> str:
    return f"chatcmpl-{secrets.token_hex(12)}"
