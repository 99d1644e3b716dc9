"""The bodies of OpenAI's chat completions: whole, and as chunks of a stream."""

from __future__ import annotations

import json
import secrets
import time
from typing import Any

from askance.domain.conversation import Usage
from askance.server.openai_answering import CompletionResult
from askance.server.openai_errors import OpenAIError
from askance.server.openai_request import CompletionRequest
from askance.server.openai_stream import StreamEnd

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
