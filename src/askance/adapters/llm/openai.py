"""Any server that speaks OpenAI's chat protocol: llama.cpp, LM Studio, vLLM."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from askance.adapters.llm.model_server import ModelServer, ModelStream, Wire
from askance.adapters.llm.replies import ThoughtFilter, message_of, overflow_of
from askance.adapters.llm.served_model import ServedModel
from askance.config.settings import LlmSettings
from askance.domain.errors import AskanceError, ModelMissing
from askance.domain.messages import Message, Remedy
from askance.ports.model import (
    Finished,
    FinishReason,
    ModelCall,
    ModelInfo,
    ReplyPart,
    Thought,
    Timing,
)

_LOADING = 503
_POLL_S = 0.25
_DONE = "[DONE]"
# Where a proxy lets through no more of an Ollama than this protocol: it loads so many tokens by
# itself on a machine with less than 24 GiB of video memory, and cuts longer prompts in silence.
_OLLAMA_OWNER, _OLLAMA_CONTEXT = "library", 4096
_NO_SCHEMAS = re.compile(r"response_format|json.?schema|grammar", re.IGNORECASE)


class _Meta(Wire):
    size: int = 0


class _Entry(Wire):
    id: str
    aliases: tuple[str, ...] | None = None
    owned_by: str | None = None
    max_model_len: int | None = None
    meta: _Meta | None = None


class _Entries(Wire):
    data: tuple[_Entry, ...] | None


class _Generation(Wire):
    n_ctx: int


class _Props(Wire):
    default_generation_settings: _Generation
    build_info: str = ""


class _Delta(Wire):
    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None


class _Choice(Wire):
    delta: _Delta | None = None
    finish_reason: str | None = None


class _Usage(Wire):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Timings(Wire):
    """llama.cpp's own counters."""

    prompt_n: int = 0
    cache_n: int | None = None
    prompt_ms: float = 0.0
    predicted_ms: float = 0.0


class _Chunk(Wire):
    choices: tuple[_Choice, ...] | None = None
    usage: _Usage | None = None
    timings: _Timings | None = None
    error: Any = None
    message: Any = None


class OpenAIModel(ServedModel):
    """A `ChatModel` on an OpenAI-compatible server."""

    def __init__(
        self,
        settings: LlmSettings,
        *,
        service: str = Message("The model server"),
        start: str = Message("Start it, or set llm.url."),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        address = settings.url.removesuffix("/v1")
        server = ModelServer(
            settings, service=service, address=address, start=start, headers=headers
        )
        super().__init__(settings, server)
        self._takes_schemas = True
        self._takes_template_options = False
        self._is_llama_cpp = False

    async def models(self) -> tuple[ModelInfo, ...]:
        """List the server's chat models. See `ChatModel.models`."""
        entries = await self._entries()
        props = await self._props()
        return tuple(self._described(e, props) for e in entries if not _embeds(e))

    async def _opened(self, call: ModelCall, model: ModelInfo) -> ModelStream:
        """Return the reply's stream; a server that takes no schema is asked again without it."""
        while True:
            constrained = call.schema is not None and self._takes_schemas
            stream = await self._send(
                "POST", "/v1/chat/completions", self._body(call, model, constrained), loads=True
            )
            if stream.status == 200:
                return stream
            body = await stream.text()
            if constrained and _is_schema_refusal(stream.status, body):
                self._takes_schemas = False
                continue
            raise self._refusal(stream.status, body, model)

    def _body(self, call: ModelCall, model: ModelInfo, constrained: bool) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": model.name,
            "messages": [{"role": m.role.value, "content": m.content} for m in call.messages],
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_tokens": call.max_tokens,
            "temperature": call.temperature,
        }
        if constrained:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "reply", "strict": True, "schema": call.schema},
            }
        if self._takes_template_options:
            body["chat_template_kwargs"] = {"enable_thinking": call.think}
        if self._is_llama_cpp:
            # Else its counters come with the last chunk alone, which a reply cut short never has.
            body["timings_per_token"] = True
        return body

    async def _parts(self, stream: ModelStream, model: ModelInfo) -> AsyncGenerator[ReplyPart]:
        thoughts = ThoughtFilter()
        usage = _Usage()
        timings: _Timings | None = None
        is_timed = False
        ended: str | None = None
        while (data := await stream.event()) is not None:
            if data == _DONE:
                ended = ended or "stop"
                break
            chunk = self._chunk(data, model)
            usage = chunk.usage or usage
            timings = chunk.timings or timings
            for choice in (chunk.choices or ())[:1]:
                ended = choice.finish_reason or ended
                for part in _spoken(choice, thoughts):
                    stream.begun()
                    yield part
            if timings is not None and not is_timed:
                is_timed = True
                yield _timing(timings)
        if ended is None:
            raise self._server.cut_off()
        for part in thoughts.end():
            yield part
        if timings is not None:
            yield _timing(timings)
        reason = FinishReason.LENGTH if ended == "length" else FinishReason.STOP
        yield Finished(reason, usage.prompt_tokens, usage.completion_tokens)

    def _chunk(self, data: str, model: ModelInfo) -> _Chunk:
        chunk = self._server.parsed(_Chunk, data)
        # vLLM and older llama.cpp write the error's fields without a wrapping.
        if chunk.error is not None or chunk.message is not None:
            raise overflow_of(data, model.name, model.context_tokens) or self._server.broken(data)
        if chunk.choices is None and chunk.usage is None:
            raise self._server.unreadable(data)
        return chunk

    async def _find_model(self) -> ModelInfo:
        wanted = self._settings.model
        entries = await self._entries()
        props = await self._props()
        chosen = next((e for e in entries if _is_wanted(e, wanted)), None)
        if chosen is None:
            raise self._missing(wanted, entries)
        # Others refuse a field that they do not know.
        self._is_llama_cpp = props is not None
        self._takes_template_options = props is not None or chosen.owned_by == "vllm"
        return self._described(chosen, props)

    def _described(self, entry: _Entry, props: _Props | None) -> ModelInfo:
        if props is not None:
            context = props.default_generation_settings.n_ctx
        else:
            context = entry.max_model_len or self._settings.context_tokens
            if entry.owned_by == _OLLAMA_OWNER:
                context = min(context, _OLLAMA_CONTEXT)
        return ModelInfo(
            name=entry.id,
            context_tokens=context,
            server=f"llama.cpp {props.build_info}".strip() if props else entry.owned_by or "",
            size_bytes=entry.meta.size if entry.meta else 0,
            capabilities=("completion",),
            host=self.host,
        )

    async def _entries(self) -> tuple[_Entry, ...]:
        stream = await self._send("GET", "/v1/models")
        return (await stream.said(_Entries)).data or ()

    async def _props(self) -> _Props | None:
        """Return what llama.cpp tells about itself, or None from any other server."""
        stream = await self._send("GET", "/props")
        body = await stream.text()
        try:
            return _Props.model_validate_json(body) if stream.status == 200 else None
        except ValueError:
            return None

    async def _send(
        self, method: str, path: str, body: dict[str, Any] | None = None, *, loads: bool = False
    ) -> ModelStream:
        """Send, and send again for as long as the server says that it is loading its model."""
        clock = asyncio.get_running_loop().time
        limit_s = self._settings.load_timeout_s
        give_up_at = clock() + limit_s
        while True:
            stream = await self._server.send(method, path, body, loads=loads)
            if stream.status != _LOADING:
                return stream
            said = message_of(await stream.text())
            if clock() >= give_up_at:
                problem = Message(
                    "{service} at {address} still says {said} after {n} s.",
                    **self._server.named,
                    said=repr(said),
                    n=limit_s,
                )
                raise self._server.slow(problem, loads=True)
            await asyncio.sleep(min(_POLL_S, limit_s))

    def _refusal(self, status: int, body: str, model: ModelInfo) -> AskanceError:
        if overflow := overflow_of(body, model.name, model.context_tokens):
            return overflow
        if status == 404 and "model" in message_of(body).lower():
            return self._missing(model.name, ())
        return self._server.refused(status, body)

    def _missing(self, wanted: str, entries: tuple[_Entry, ...]) -> ModelMissing:
        there = ", ".join(e.id for e in entries if not _embeds(e))
        where = self._server.named
        problem = Message("{service} at {address} does not have a chat model.", **where)
        if wanted:
            problem = Message(
                "{service} at {address} does not have the model {model}.", **where, model=wanted
            )
        fix = Message("Load a model into it.")
        if there:
            fix = Remedy("Set llm.model to one of: {names}.", setting="llm.model", names=there)
        return ModelMissing(problem, fix=fix)


def _is_wanted(entry: _Entry, wanted: str) -> bool:
    if wanted:
        return wanted == entry.id or wanted in (entry.aliases or ())
    return not _embeds(entry)


def _embeds(entry: _Entry) -> bool:
    """The list tells no capabilities; LM Studio and others name their embedding models so."""
    return "embed" in entry.id.lower()


def _is_schema_refusal(status: int, body: str) -> bool:
    return status in {400, 422, 501} and _NO_SCHEMAS.search(message_of(body)) is not None


def _timing(counted: _Timings) -> Timing:
    whole = 0 if counted.cache_n is None else counted.prompt_n + counted.cache_n
    prompt_s, output_s = counted.prompt_ms / 1000, counted.predicted_ms / 1000
    return Timing(counted.prompt_n, prompt_s, output_s, prompt_tokens=whole)


def _spoken(choice: _Choice, thoughts: ThoughtFilter) -> list[ReplyPart]:
    if choice.delta is None:
        return []
    reasoning = choice.delta.reasoning_content or choice.delta.reasoning
    parts: list[ReplyPart] = [Thought(reasoning)] if reasoning else []
    return [*parts, *thoughts.feed(choice.delta.content or "")]
