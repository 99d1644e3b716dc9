"""What a section of the settings is, and two that their parts take by themselves: the door for other
programs, and search by meaning. `config.settings` has all others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, SecretStr, field_validator

from askance.config.choices import EmbeddingsApi
from askance.config.values import address_or_path, model_address, model_key
from askance.domain.errors import SettingsError
from askance.domain.messages import Message

_HOST = re.compile(r"[a-z0-9.:_-]{1,253}")
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]{0,30}://[a-z0-9.:\[\]_-]{1,260}")


class Section(BaseModel):
    """A section: each field is a setting, its docstring the help text."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Bar(StrEnum):
    """What is barred while the settings file, or a line of it that guards this, is not understood."""

    WEB = "web"
    FILES = "files"
    """Reading folders and files into the library."""
    ALL = "all"
    """Asking, searching and keeping anything at all."""


class GuardedSettings(Section):
    """Settings that know what of the file is not understood. That is no setting: it follows from the file."""

    _barred: Mapping[Bar, Message] = PrivateAttr(default_factory=dict[Bar, Message])
    _held: frozenset[str] = PrivateAttr(default=frozenset())

    def guarded(self, barred: Mapping[Bar, Message], held: Iterable[str]) -> Self:
        """Return these settings with what is barred, and why, and which settings have their strictest
        value for a line that is not understood."""
        copied = self.model_copy()
        copied._barred = dict(barred)  # noqa: SLF001 - of the same class
        copied._held = frozenset(held)  # noqa: SLF001
        return copied

    @property
    def bars(self) -> frozenset[Bar]:
        """What is barred."""
        return frozenset(self._barred)

    def is_held(self, name: str) -> bool:
        """Whether a setting has its strictest value for a line that is not understood."""
        return name in self._held

    def why_barred(self, bar: Bar) -> Message | None:
        """Return the lines that bar something, in words; None where it is not barred."""
        return self._barred.get(bar)

    def refuse_if_barred(self, bar: Bar) -> None:
        """Raise the SettingsError that names the lines, where something is barred."""
        if why := self._barred.get(bar):
            raise SettingsError(why)


class ServerSettings(Section):
    """The door for other programs: `askance mcp` and `askance serve`."""

    http: bool = False
    """Let programs ask over HTTP too while `askance mcp` runs in the background; `askance serve` always does."""
    host: str = "127.0.0.1"
    """Address on which HTTP is served. Another one than this machine's own lets other machines ask, those
    that know the token: over plain HTTP only in a network that you trust."""
    port: Annotated[int, Field(ge=1, le=65535)] = 25019
    """Port on which HTTP is served."""
    hosts: tuple[str, ...] = ()
    """Names by which other machines call this one, such as `askance.lan`; under any other name than these
    and those of this machine no request is served."""
    origins: tuple[str, ...] = ()
    """Web pages whose scripts may ask, such as `http://127.0.0.1:3000`; none may where it is empty. They need
    a token as everybody does."""

    idle_minutes: Annotated[float, Field(gt=0, le=10_080)] = 30.0
    """Minutes after which a server in the background ends that no program is connected to."""

    @field_validator("hosts")
    @classmethod
    def _names(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        values = tuple(value.lower() for value in values)
        if not all(_HOST.fullmatch(value) for value in values):
            raise ValueError(Message("must be names or addresses, without a port"))
        return values

    @field_validator("origins")
    @classmethod
    def _pages(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        values = tuple(value.lower().rstrip("/") for value in values)
        if not all(_ORIGIN.fullmatch(value) for value in values):
            raise ValueError(
                Message("must be origins such as http://127.0.0.1:3000, without a path")
            )
        return values


class EmbeddingsSettings(Section):
    """Search by meaning in the library; keywords find without it."""

    api: EmbeddingsApi = EmbeddingsApi.NONE
    """`ollama`, `openai` for any OpenAI-compatible server, `embedded` for a GGUF file of yours, `onnx` or `static`
    for a model in a folder of yours; `none` finds by keywords alone."""
    url: str = "http://127.0.0.1:11434"
    """Address of the server, without `/api` or `/v1`."""
    api_key: SecretStr = SecretStr("")
    """Key that the servers of embeddings and of reranking ask for, if they do; empty takes `llm.api_key` where
    the address is that of the model server. It is never shown."""
    model: str = ""
    """Name of the embedding model on the server; empty takes the first that it has."""
    path: str = ""
    """Path of the model where no server has it: the GGUF file for `embedded`, or the folder with
    `tokenizer.json`, and `model.onnx` for `onnx` or `model.safetensors` for `static`."""
    context_lines: bool = False
    """Let the chat model put each passage into a line before it is embedded: one call for each of them."""
    reranker: str = ""
    """What reads the best passages a second time: the address of a server with the `/v1/rerank` of
    llama.cpp, such as `http://127.0.0.1:8080`, or the path of a folder with a cross-encoder (`tokenizer.json`
    and `model.onnx`); empty for nothing."""

    _address = field_validator("url")(model_address)
    _reranker = field_validator("reranker")(address_or_path)
    _key = field_validator("api_key")(model_key)
