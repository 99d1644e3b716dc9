"""Ollama, spoken to in its own protocol: `/v1` cannot set the context size."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Annotated, Any, cast

from pydantic import BeforeValidator, Field

from askance.adapters.llm.model_server import (
    ModelServer,
    ModelStream,
    ServedModel,
    Wire,
    how_to_start_ollama,
)
from askance.adapters.llm.openai_wire import context, could_chat, count, text_in
from askance.adapters.llm.replies import message_of, overflow_of
from askance.config.settings import LlmSettings
from askance.domain.errors import (
    AskanceError,
    ModelMissing,
    ModelRefused,
    ServiceProtocolError,
    ServiceRefused,
)
from askance.domain.messages import Message, Remedy
from askance.domain.ports.model import (
    Finished,
    FinishReason,
    ModelCall,
    ModelInfo,
    ReplyPart,
    Thought,
    Timing,
)

SERVICE = "Ollama"
LARGEST_CONTEXT = 32_768
"""Tokens that a text of the user's own may load the model anew for, which takes memory and a while."""
# Ollama passes such a name on to its cloud even when no model of that name is installed.
_CLOUD_NAME = re.compile(r":(cloud|[^/:]*-cloud)$", re.IGNORECASE)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _names(value: object) -> tuple[str, ...] | None:
    rows = cast("list[object]", value) if isinstance(value, list) else None
    return None if rows is None else tuple(row for row in rows if isinstance(row, str))


Count = Annotated[int, BeforeValidator(count)]
LenientText = Annotated[str, BeforeValidator(_text)]
Names = Annotated[tuple[str, ...] | None, BeforeValidator(_names)]


class Tag(Wire):
    """A model that Ollama has."""

    name: Annotated[str, Field(min_length=1)]
    size: Count = 0
    digest: LenientText = ""
    capabilities: Names = None
    remote_host: LenientText = ""


def _readable(rows: object) -> object:
    """Leave out the entries that cannot be read: one odd one is no reason to know none."""
    if not isinstance(rows, list):
        return rows
    found = (_tag(row) for row in cast("list[object]", rows))
    return tuple(tag for tag in found if tag is not None)


def _tag(row: object) -> Tag | None:
    try:
        return Tag.model_validate(row)
    except ValueError:
        return None


class _Tags(Wire):
    models: Annotated[tuple[Tag, ...] | None, BeforeValidator(_readable)]


class ModelDetails(Wire):
    """What Ollama says of a model by itself."""

    capabilities: Names = None
    model_info: dict[str, Any] | None = None
    remote_host: LenientText = ""

    def context_tokens(self) -> int:
        """Return the context that the model was made for, or 0."""
        return context((self.model_info or {}).get(f"{self.architecture}.context_length"))

    @property
    def architecture(self) -> str:
        """The family that the model is of; empty where it is not known."""
        return _text((self.model_info or {}).get("general.architecture"))


class ServerVersion(Wire):
    """What Ollama says of itself."""

    version: str


class _Message(Wire):
    content: Annotated[str, BeforeValidator(text_in)] = ""
    thinking: Annotated[str, BeforeValidator(text_in)] = ""


class _Line(Wire):
    error: Any = None
    message: _Message | None = None
    done: bool | None = None
    done_reason: LenientText = "stop"
    prompt_eval_count: Count = 0
    eval_count: Count = 0
    prompt_eval_duration: Count = 0
    eval_duration: Count = 0
    load_duration: Count = 0


def server_of(settings: LlmSettings) -> ModelServer:
    """Return the connection to the Ollama of the settings. Close it."""
    address = settings.url.removesuffix("/api")
    return ModelServer(
        settings, service=SERVICE, address=address, start=how_to_start_ollama(address)
    )


async def tags_of(server: ModelServer) -> tuple[Tag, ...]:
    """Return the models that a server has. It raises what `ModelStream.parsed` raises."""
    stream = await server.send("GET", "/api/tags")
    return (await stream.parsed(_Tags)).models or ()


class OllamaModel(ServedModel):
    """A `ChatModel` on an Ollama server."""

    def __init__(self, settings: LlmSettings) -> None:
        super().__init__(settings, server_of(settings))

    async def models(self) -> tuple[ModelInfo, ...]:
        """List the chat models that run on this machine. See `ChatModel.models`."""
        server = await self._server_name()
        found: list[ModelInfo] = []
        for tag in await tags_of(self._server):
            with suppress(ServiceRefused):  # one that is broken does not hide the others
                if (model := await self._describe(tag, server)) is not None:
                    found.append(model)
        return tuple(found)

    async def _opened(self, call: ModelCall, model: ModelInfo) -> ModelStream:
        stream = await self._server.send("POST", "/api/chat", self._body(call, model), loads=True)
        if stream.status != 200:
            raise self._refusal(stream.status, await stream.text(), model)
        return stream

    def _body(self, call: ModelCall, model: ModelInfo) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": model.name,
            "messages": [{"role": m.role.value, "content": m.content} for m in call.messages],
            "stream": True,
            # Without these two Ollama cuts a long prompt from the front and says nothing.
            "truncate": False,
            "shift": False,
            "keep_alive": _duration(self._settings.keep_alive),
            "options": {
                # The same in every call: another size loads the model again.
                "num_ctx": call.context_tokens or model.context_tokens,
                "num_predict": call.max_tokens,
                "temperature": call.temperature,
            },
        }
        if call.schema is not None:
            body["format"] = call.schema
        if "thinking" in model.capabilities:
            body["think"] = call.think
        return body

    async def _parts(self, stream: ModelStream, model: ModelInfo) -> AsyncGenerator[ReplyPart]:
        thoughts = self._thoughts(model)
        while (line := await stream.line()) is not None:
            if not line.strip():
                continue
            parsed = self._server.parsed(_Line, line)
            if parsed.error:
                problem = line.decode(errors="replace")
                raise overflow_of(problem, model.name, model.context_tokens) or self._server.broken(
                    problem
                )
            if parsed.message is not None:
                if parsed.message.thinking:
                    stream.begun()
                    thoughts.has_thought = True
                    yield Thought(parsed.message.thinking)
                for part in thoughts.feed(parsed.message.content):
                    stream.begun()
                    yield part
            elif parsed.done is None:
                raise self._server.unreadable(line.decode())
            if parsed.done:
                for part in (*thoughts.end(), *_ending(parsed)):
                    yield part
                return
        raise self._server.cut_off()

    async def _find_model(self) -> ModelInfo:
        wanted = self._settings.model
        refuse_cloud(wanted)
        server = await self._server_name()
        tags = await tags_of(self._server)
        if wanted:
            names = {wanted, f"{wanted}:latest"}
            plain = {name.lower() for name in names}
            tag = next((t for t in tags if t.name in names), None)
            tag = tag or next((t for t in tags if t.name.lower() in plain), Tag(name=wanted))
            model = await self._describe(tag, server, strict=True)
            if model is None:
                raise ModelMissing(
                    Message("The model {model} cannot chat.", model=wanted),
                    fix=Remedy(
                        "Set llm.model to a chat model; `ollama list` shows what is there.",
                        setting="llm.model",
                    ),
                )
            return model
        refused: ServiceRefused | None = None
        for tag in tags:
            try:
                if (model := await self._describe(tag, server)) is not None:
                    return model
            except ServiceRefused as exc:
                refused = refused or exc  # one that is broken does not hide the others
        if refused is not None:
            raise refused
        raise ModelMissing(
            Message("Ollama at {address} has no chat model.", address=self._server.address),
            fix=Remedy(
                "Download one, for example with `ollama pull qwen3:4b`.", command="ollama pull"
            ),
        )

    async def _describe(self, tag: Tag, server: str, *, strict: bool = False) -> ModelInfo | None:
        """Describe one model, or return None for one that cannot be used here.

        Raises:
            ModelRefused, ModelMissing: the model runs in a cloud or is not there, if `strict`.
        """
        try:
            shown = await self._show(tag)
        except (ModelRefused, ModelMissing):
            if strict:
                raise
            return None
        abilities = shown.capabilities or tag.capabilities
        if abilities is None and not strict and not could_chat(f"{tag.name} {shown.architecture}"):
            return None  # an older Ollama does not tell what a model can do
        capabilities = abilities or ("completion",)
        if "completion" not in capabilities:
            return None
        limit, made_for = self._settings.context_tokens, shown.context_tokens()
        return ModelInfo(
            name=tag.name,
            context_tokens=min(limit, made_for or limit),
            largest_context=min(max(limit, LARGEST_CONTEXT), made_for or limit),
            server=server,
            size_bytes=tag.size,
            capabilities=capabilities,
            host=self.host,
        )

    async def _show(self, tag: Tag) -> ModelDetails:
        if tag.remote_host:
            raise _in_a_cloud(tag.name)
        refuse_cloud(tag.name)
        stream = await self._server.send("POST", "/api/show", {"model": tag.name})
        if stream.status == 404:
            await stream.aclose()
            raise missing(tag.name, "llm.model")
        shown = await stream.parsed(ModelDetails)
        if shown.remote_host:
            raise _in_a_cloud(tag.name)
        return shown

    async def _server_name(self) -> str:
        """Return what it calls itself; a gateway may let its list and its chat through, and no more."""
        stream = await self._server.send("GET", "/api/version")
        try:
            return f"{SERVICE} {(await stream.parsed(ServerVersion)).version}"
        except (ServiceRefused, ServiceProtocolError):
            return SERVICE

    def _refusal(self, status: int, body: str, model: ModelInfo) -> AskanceError:
        if status == 404 and "not found" in message_of(body):
            return missing(model.name, "llm.model")
        if overflow := overflow_of(body, model.name, model.context_tokens):
            return overflow
        return self._server.refused(status, body)


def refuse_cloud(name: str) -> None:
    """Refuse a model that runs in a cloud, by its name alone.

    Raises:
        ModelRefused: it is one.
    """
    if _CLOUD_NAME.search(name):
        raise _in_a_cloud(name)


def _ending(line: _Line) -> list[ReplyPart]:
    """Ollama counts in nanoseconds, and does not say how much of the prompt it still had."""
    reason = FinishReason.LENGTH if line.done_reason == "length" else FinishReason.STOP
    finished = Finished(reason, line.prompt_eval_count, line.eval_count)
    if line.prompt_eval_duration <= 0:
        return [finished]
    timing = Timing(
        prompt_s=line.prompt_eval_duration / 1e9,
        output_s=line.eval_duration / 1e9,
        load_s=line.load_duration / 1e9,
    )
    return [timing, finished]


def _duration(setting: str) -> str | float:
    """Ollama takes seconds only as a number, and durations with a unit only as text."""
    try:
        seconds = float(setting)
    except ValueError:
        return setting
    return int(seconds) if seconds.is_integer() else seconds


def missing(name: str, setting: str) -> ModelMissing:
    """Return the error where a server has not the model that a setting names."""
    return ModelMissing(
        Message("Ollama does not have the model {model}.", model=name),
        fix=Remedy(
            "Download it with `ollama pull {model}`, or set {setting} to one that `ollama "
            "list` shows.",
            command="ollama pull",
            setting=setting,
            model=name,
        ),
    )


def _in_a_cloud(name: str) -> ModelRefused:
    return ModelRefused(
        Message("The model {model} does not run on this machine but in a cloud.", model=name),
        fix=Remedy(
            "Set llm.model to a local model; `ollama list` shows them with their size.",
            setting="llm.model",
        ),
    )
