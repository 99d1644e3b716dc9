"""A chat model that streams."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol


class Role(StrEnum):
    """Who speaks in a prompt."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a prompt."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request to the model.

    `schema` is a JSON schema the reply must follow, or None for prose. `max_tokens` bounds the
    reply. `think` lets a reasoning model reason; its reasoning arrives as `Thought`, never as text.
    `context_tokens` asks for a larger context than the usual one; 0 takes that.
    """

    messages: tuple[ChatMessage, ...]
    max_tokens: int
    temperature: float = 0.0
    schema: dict[str, Any] | None = None
    think: bool = False
    context_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class Thought:
    """A piece of the model's reasoning, kept apart from its reply."""

    text: str


@dataclass(frozen=True, slots=True)
class ModelChanged:
    """The model that was chosen is not there any more; the first part says which one replies."""

    before: str
    now: str


@dataclass(frozen=True, slots=True)
class Timing:
    """How long the server says it took; 0 for what it does not say. A later one of a reply counts.

    `evaluated_tokens` of the prompt were taken in anew in `prompt_s`, the rest came from the cache.
    `output_s` is for writing, `load_s` for loading the model before.
    """

    evaluated_tokens: int = 0
    prompt_s: float = 0.0
    output_s: float = 0.0
    load_s: float = 0.0


class FinishReason(StrEnum):
    """Why the model stopped by itself."""

    STOP = "stop"
    LENGTH = "length"


@dataclass(frozen=True, slots=True)
class Finished:
    """The reply is complete. Token counts are the server's; 0 where it gives none.

    `prompt_tokens` counts the whole prompt, cached or not.
    """

    reason: FinishReason
    prompt_tokens: int = 0
    output_tokens: int = 0


ReplyPart = Text | Thought | ModelChanged | Timing | Finished


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """The model as its server describes it. `context_tokens` is the context that calls really get.

    `host` is the machine that it runs on where that is not this one. `largest_context` is what a call
    may ask for at the most, in tokens; 0 where every call gets the same.
    """

    name: str
    context_tokens: int
    server: str = ""
    size_bytes: int = 0
    capabilities: tuple[str, ...] = ()
    host: str = ""
    largest_context: int = 0


class ChatModel(Protocol):
    """A model behind a server, or in a child process. All calls use one context size, but for those
    that ask for a larger one: the model is loaded anew for them."""

    async def info(self) -> ModelInfo:
        """Ask the server about the model, once; later calls return the same value.

        Raises:
            ServiceDown, ServiceSlow, ServiceRefused, ServiceNonsense: the server failed.
            ModelMissing: the server does not have the model.
            ModelRefused: the model runs in a cloud.
        """
        ...

    def reply(self, call: ModelCall) -> AbstractAsyncContextManager[AsyncIterator[ReplyPart]]:
        """Open a reply. Leaving the context closes the connection, which stops the model.

        The iterator ends after `Finished`. A stream that breaks off before that raises.

        Raises:
            ServiceDown, ServiceSlow, ServiceRefused, ServiceNonsense: the server failed, or was
                silent for longer than the idle limit.
            ModelMissing: the server does not have the model.
            PromptTooLong: the prompt does not fit the context.
        """
        ...

    async def models(self) -> tuple[ModelInfo, ...]:
        """List the models that the server could run here.

        Raises:
            ServiceDown, ServiceSlow, ServiceRefused, ServiceNonsense: the server failed.
        """
        ...
