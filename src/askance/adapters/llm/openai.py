"""Any server that speaks OpenAI's chat protocol: llama.cpp, LM Studio, vLLM, gateways before them."""

from __future__ import annotations

import asyncio
import re
from base64 import b64encode
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from askance.adapters.llm.model_server import ModelServer, ModelStream, Retries, ServedModel
from askance.adapters.llm.openai_wire import (
    DeltaReader,
    ModelEntry,
    Props,
    ReplyChunk,
    Timings,
    finished,
    is_answer_end,
    read_chunk,
    read_entries,
    read_prompt,
    read_props,
)
from askance.adapters.llm.reasoning import ThoughtFilter
from askance.adapters.llm.server_replies import message_of, overflow_of
from askance.config.settings import LlmSettings
from askance.domain.conversation import Picture
from askance.domain.errors import AskanceError, ModelMissing, ServiceProtocolError, ServiceRefused
from askance.domain.messages import Message, Remedy
from askance.domain.ports.model import (
    ChatMessage,
    ModelCall,
    ModelInfo,
    ReplyPart,
    Timing,
)

# llama.cpp answers so on every path while it loads its model.
_LOADING = 503
_POLL_S = 0.25
_DONE = "[DONE]"
# Where a proxy lets through no more of an Ollama than this protocol: it loads so many tokens by
# itself on a machine with less than 24 GiB of video memory, and cuts longer prompts in silence.
_OLLAMA_OWNER, _OLLAMA_CONTEXT = "library", 4096
# With these a server may refuse what it does not know. 200 stands for an error in place of a reply.
_REFUSALS = frozenset({200, 400, 404, 405, 415, 422, 500, 501})
# Of these it is likely even where the words are not known.
_LIKELY_REFUSALS = frozenset({400, 422, 501})
# A gateway before the server may keep its list to itself, or have none.
_NO_LIST = frozenset({400, 404, 405, 501})
# Two prompts that share no more of a message than its label and some letters are of two questions.
_ALIKE_CHARACTERS = 16
_ALWAYS_REASONS = re.compile(r"gpt-?oss", re.IGNORECASE)

Body = dict[str, Any]


# OpenAI's newer models refuse the former name.
def _rename_max_tokens(body: Body) -> None:
    body["max_completion_tokens"] = body.pop("max_tokens")


def _fold_system(body: Body) -> None:
    """Put the system text before the first words of the user: some templates know no such role."""
    system = [m["content"] for m in body["messages"] if m["role"] == "system"]
    others = [dict(m) for m in body["messages"] if m["role"] != "system"]
    if others and others[0]["role"] == "user":
        asked = others[0]["content"]
        others[0]["content"] = (
            "\n\n".join((*system, asked))
            if isinstance(asked, str)
            else [{"type": "text", "text": text} for text in system] + asked
        )
    else:
        others.insert(0, {"role": "user", "content": "\n\n".join(system)})
    body["messages"] = others


@dataclass(frozen=True, slots=True)
class _Concession:
    """What is left out of requests, or put in other words, because a server refuses it.

    `refusal` is found in the words of servers that do. Where the words are not known, those that
    are `optional` may be what is meant.
    """

    name: str
    refusal: re.Pattern[str]
    applies: Callable[[Body], bool]
    change: Callable[[Body], None]
    optional: bool = True


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# Such as LiteLLM's "Invalid model name", OpenRouter's "is not a valid model ID", llama-swap's "could not find".
_NO_SUCH_MODEL = _words(
    r"(?:invalid|unknown|no such|could not find|not a valid) (?:real )?model|"
    r"\bmodel\b[^.]{0,80}(?:not found|not exist|unknown model)"
)


def _without(field: str, refusal: str, *, optional: bool = True) -> _Concession:
    """Return the concession to leave a field out of requests, which bears its name."""

    def drop(body: Body) -> None:
        del body[field]

    return _Concession(field, _words(refusal), lambda body: field in body, drop, optional)


def _drop_switches(body: Body) -> None:
    for field in ("think", "enable_thinking", "thinking", "reasoning"):
        body.pop(field, None)


def _reason_little(body: Body) -> None:
    body["reasoning_effort"] = "low"
    body.pop("reasoning", None)  # the two must not differ


# The first that applies is made; each only once.
_CONCESSIONS = (
    # All at once: a server that does not know one of them seldom knows the next.
    _Concession(
        "other switches for reasoning",
        _words(r"\b(?:enable_)?think(?:ing)?\b|\breasoning\b(?![ _.-]?effort)"),
        lambda body: "think" in body,
        _drop_switches,
    ),
    _Concession(
        "no reasoning",
        _words(r"(?:reasoning.?effort|\bthink\b|reasoning value)[^{}]{0,200}\blow\b"),
        lambda body: body.get("reasoning_effort") == "none",
        _reason_little,
    ),
    _without(
        "reasoning_effort",
        r"reasoning.?(?:effort|value)|think value|support (?:thinking|reasoning)",
    ),
    _without(
        "response_format",
        r"response.?format|json.?(?:schema|object|mode)|grammar|structured.{0,12}output|guided|"
        r"constrained|\bschema\b|outlines|xgrammar",
    ),
    _without("stream_options", r"stream.?options|include.?usage"),
    _without("chat_template_kwargs", r"chat.?template.?kwargs|enable.?thinking"),
    _without("timings_per_token", r"timings.?per.?token"),
    _Concession(
        "max_tokens",
        _words(
            r"max.?completion.?tokens|max.?tokens(?!.{0,80}(?:too large|exceed|context|greater))"
        ),
        lambda body: "max_tokens" in body,
        _rename_max_tokens,
        optional=False,
    ),
    _without(
        "max_completion_tokens",
        r"max.?completion.?tokens(?!.{0,80}(?:too large|exceed|context|greater))",
        optional=False,
    ),
    _without("temperature", r"temperature"),
    _Concession(
        "system role",
        _words(
            r"\bsystem\b.{0,30}\b(?:role|messages?|prompts?|instructions?)\b|"
            r"\b(?:role|messages?|prompts?)\b.{0,40}\bsystem\b|roles must alternate|"
            r"\bonly\b.{0,20}\buser\b.{0,10}\bassistant\b"
        ),
        lambda body: any(m["role"] == "system" for m in body["messages"]),
        _fold_system,
        optional=False,
    ),
)


# llama.cpp, vLLM, SGLang, mlx-lm and Docker's runner pass the options on to the template, where Qwen, GLM and
# Gemma have the one, DeepSeek and Granite the other. Ollama, LM Studio, LocalAI, OpenRouter, LiteLLM and newer
# vLLM take the effort. What others have for it (Ollama's own, text-generation-webui's, DeepSeek's and GLM's,
# OpenRouter's) is tried once a model was seen to reason all the same: strict servers refuse what they do not know.
def _without_reasoning(model: str, times_reasoned: int, *, by_template: bool) -> Body:
    """Return the fields that ask a model not to reason, or to reason little where it cannot stop."""
    effort = "low" if _ALWAYS_REASONS.search(model) or times_reasoned > 1 else "none"
    fields: Body = {"chat_template_kwargs": {"enable_thinking": False, "thinking": False}}
    if effort == "low" or times_reasoned or not by_template:
        fields["reasoning_effort"] = effort
    if times_reasoned:
        more = {"think": False, "enable_thinking": False, "thinking": {"type": "disabled"}}
        fields |= {**more, "reasoning": {"effort": effort}}
    return fields


def _message(message: ChatMessage) -> Body:
    content: Any = message.content
    if message.pictures:
        # Pictures first, as the templates of most models that see were trained.
        content = [
            *({"type": "image_url", "image_url": {"url": _data_uri(p)}} for p in message.pictures),
            {"type": "text", "text": message.content},
        ]
    return {"role": message.role.value, "content": content}


def _data_uri(picture: Picture) -> str:
    return f"data:{picture.media_type};base64,{b64encode(picture.data).decode()}"


class OpenAIModel(ServedModel):
    """A `ChatModel` on an OpenAI-compatible server.

    What a server refuses of a request is left out of it, and of all later ones to this server.
    """

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
        self._conceded: tuple[_Concession, ...] = ()
        self._accepted: set[str] = set()
        self._takes_template_options = False
        self._is_llama_cpp = False
        self._beginning = ""
        """The text that the server evaluated by itself last."""
        self._listed: tuple[ModelEntry, ...] = ()

    async def models(self) -> tuple[ModelInfo, ...]:
        """List the server's chat models. See `ChatModel.models`."""
        entries = await self._entries()
        props = await self._props()
        found = [entry for entry in entries or () if entry.chats]
        if not found and (wanted := self._settings.model):
            # A gateway that lists no models may still have the one that the settings name.
            found = [ModelEntry(wanted)]
        return tuple([await self._described(entry, props) for entry in found])

    async def _opened(self, call: ModelCall, model: ModelInfo, retries: Retries) -> ModelStream:
        """Return the reply's stream, once it has said something.

        What a server refuses is left out, and it is asked again: what its words name, or where they are
        not known all that is optional and was never taken.
        """
        conceded, first_refusal = self._conceded, None
        stream, evaluated = await self._evaluate_beginnings(call, self._body(call, model, conceded))
        if stream is not None:
            stream.evaluated_before = evaluated
            return stream
        while True:
            body = self._body(call, model, conceded)
            stream = await self._send("POST", "/v1/chat/completions", body, loads=True)
            try:
                refusal = await _refusal_in(stream)
            except BaseException:
                await stream.aclose()
                raise
            if refusal is None:
                self._conceded = conceded
                stream.evaluated_before = evaluated
                # A field that was accepted once is not the reason for a later refusal.
                self._accepted |= {c.name for c in _CONCESSIONS if c.applies(body)}
                return stream
            await stream.aclose()
            first_refusal = first_refusal or refusal
            may_pass = stream.status == 500 and not retries.is_spent
            more = () if may_pass else self._to_concede(stream.status, refusal, body, conceded)
            if not more:
                # What was tried in vain says less than what was said at first.
                raise self._refusal(stream, first_refusal if conceded else refusal, model)
            conceded = (*conceded, *more)

    async def _beginnings(self, call: ModelCall, body: Body) -> list[str]:
        """Return what llama.cpp should evaluate by itself before a prompt: the system text, then the evidence.

        Models with a sliding window, hybrids and recurrent ones go back to a checkpoint only. The server makes
        one four tokens before the end of each prompt, and one a batch before it, which lies too early or too
        late: with it alone half of all that later prompts repeat is evaluated again.
        """
        is_shown = any(message.pictures for message in call.messages)
        if call.repeated is None or is_shown or not self._is_llama_cpp:
            return []
        content = call.messages[-1].content
        stream = await self._send("POST", "/apply-template", body, loads=True)
        reply = await stream.text()  # in any case: what is not read keeps its connection
        prompt = read_prompt(reply) if stream.status == 200 else ""
        # Where a template changes what it is given, nobody knows where the evidence ends.
        if (start := prompt.rfind(content)) < 0:
            return []
        texts = [prompt[: start + min(call.repeated, len(content))].rstrip()]
        if not self._beginning.startswith(prompt[: start + _ALIKE_CHARACTERS]):
            # Else the server has more than the system text, and would lose it by going back to that.
            texts.insert(0, prompt[:start].rstrip())
        return [text for text in dict.fromkeys(texts) if text != self._beginning]

    async def _evaluate_beginnings(
        self, call: ModelCall, body: Body
    ) -> tuple[ModelStream | None, Timing]:
        """Have the beginnings of a prompt evaluated, and return what that took.

        Where no reply is wanted the last of them is all that there is to do, and its stream is returned, too.
        """
        taken = Timing()
        texts = await self._beginnings(call, body)
        for text in texts:
            is_reply = not call.max_tokens and text is texts[-1]
            asked = {"model": body["model"], "prompt": text, "max_tokens": 1, "stream": is_reply}
            stream = await self._send("POST", "/v1/completions", asked, loads=True)
            if stream.status == 200 and is_reply:
                self._beginning = text
                return stream, taken
            chunk = read_chunk(await stream.text())
            if stream.status != 200 or chunk is None or chunk.timings is None:
                break
            self._beginning = text
            taken = _timing(chunk.timings, taken)
        return None, taken

    def _to_concede(
        self, status: int, refusal: str, body: Body, conceded: tuple[_Concession, ...]
    ) -> tuple[_Concession, ...]:
        """Return what to leave out after a refusal; nothing if that would not help."""
        if status not in _REFUSALS or overflow_of(refusal, "", 0) or self._lacks(status, refusal):
            return ()
        if status == 200 and read_chunk(refusal) is None:
            return ()  # it is no server of models that says this
        message = message_of(refusal)
        left = [c for c in _CONCESSIONS if c not in conceded and c.applies(body)]
        named = next((c for c in left if c.refusal.search(message)), None)
        if named is not None:
            return (named,)
        # The path does not exist, or the server still complains about a field that was left out:
        # leaving out more does not help.
        if status in {404, 405} or any(c.refusal.search(message) for c in conceded):
            return ()
        unsure = [c for c in left if c.optional and c.name not in self._accepted]
        if status not in _LIKELY_REFUSALS:
            unsure = [c for c in unsure if c.name == "response_format"]
        return tuple(unsure)

    def _body(self, call: ModelCall, model: ModelInfo, conceded: tuple[_Concession, ...]) -> Body:
        body: Body = {
            "model": model.name,
            "messages": [_message(m) for m in call.messages],
            "stream": True,
            # Without it a stream brings no counts of tokens.
            "stream_options": {"include_usage": True},
            "max_tokens": max(1, call.max_tokens),
            "temperature": call.temperature,
        }
        if call.schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "reply", "strict": True, "schema": call.schema},
            }
        if not call.think:
            times = self._times_reasoned(call, model)
            body |= _without_reasoning(model.name, times, by_template=self._takes_template_options)
        elif self._takes_template_options:
            body["chat_template_kwargs"] = {"enable_thinking": True}
        if self._is_llama_cpp:
            # Else its counters come with the last chunk alone, which a reply cut short never has.
            body["timings_per_token"] = True
        for concession in conceded:
            if concession.applies(body):
                concession.change(body)
        return body

    async def _parts(self, stream: ModelStream, model: ModelInfo) -> AsyncGenerator[ReplyPart]:
        reply = _Reply(self._thoughts(model), stream.evaluated_before)
        while (data := await stream.event()) is not None:
            if data.strip() == _DONE:
                reply.ended = reply.ended or "stop"
                break
            chunk = read_chunk(data)
            if chunk is None:
                continue
            if chunk.error:
                overflow = overflow_of(chunk.error, model.name, model.context_tokens)
                raise overflow or self._server.broken(chunk.error)
            for part in reply.take(chunk):
                if not isinstance(part, Timing):
                    stream.begun()
                yield part
        if not reply.ended:
            raise self._server.cut_off()
        for part in reply.end():
            yield part

    async def _find_model(self) -> ModelInfo:
        wanted = self._settings.model
        entries = await self._entries()
        props = await self._props()
        if wanted:
            chosen = next((e for e in entries or () if e.is_named(wanted)), None)
            # Gateways list neither their aliases nor what stands behind a wildcard: the server knows
            # what it has all the same, and says so if that is not among it.
            chosen, self._listed = chosen or ModelEntry(wanted), entries or ()
        else:
            chosen = next((e for e in entries or () if e.chats), None)
        if chosen is None:
            raise self._missing(wanted, entries or ())
        # Others refuse a field that they do not know.
        self._is_llama_cpp = props is not None
        self._takes_template_options = props is not None or chosen.owner == "vllm"
        return await self._described(chosen, props)

    async def _described(self, entry: ModelEntry, props: Props | None) -> ModelInfo:
        size = props.context_tokens if props is not None else entry.context_tokens
        if props is not None and not size:
            size = await self._routed_context(entry)
        size = size or self._settings.context_tokens
        if entry.owner == _OLLAMA_OWNER:
            size = min(size, _OLLAMA_CONTEXT)
        return ModelInfo(
            name=entry.name,
            context_tokens=size,
            server=f"llama.cpp {props.build}".strip() if props else entry.owner,
            size_bytes=entry.size_bytes,
            capabilities=("completion",),
            host=self.host,
            sees=props.sees if props is not None and props.sees is not None else entry.sees,
        )

    async def _routed_context(self, entry: ModelEntry) -> int:
        """Return the context of a model behind llama.cpp's router, which has none itself; 0 if untold."""
        # A router loads what it is asked about, unless it is told not to.
        name = quote(entry.name, safe="")
        props = await self._props(f"/props?model={name}&autoload=false")
        return (props.context_tokens if props else 0) or entry.context_tokens

    async def _entries(self) -> tuple[ModelEntry, ...] | None:
        """Return the models that the server lists; None where it has no list, and one is named.

        Raises:
            ServiceDown, ServiceTimeout, ServiceRefused, ServiceProtocolError: there is no list.
        """
        stream = await self._send("GET", "/v1/models")
        body = await stream.text()
        entries = read_entries(body) if stream.status == 200 else None
        if entries is not None:
            return entries
        if self._settings.model and (stream.status in _NO_LIST or stream.status == 200):
            return None
        if stream.status == 200:
            raise self._server.unreadable(body)
        if stream.status in _NO_LIST:
            problem = Message(
                "{service} at {address} gives no list of models (status {status}).",
                **self._server.named,
                status=str(stream.status),
            )
            fix = Message("Set llm.model, or check that llm.api and llm.url name the same server.")
            raise ServiceProtocolError(self._server.service, self._server.address, problem, fix=fix)
        raise self._server.refused(stream.status, body, stream.location)

    async def _props(self, path: str = "/props") -> Props | None:
        """Return what llama.cpp tells about itself, or None from any other server."""
        stream = await self._send("GET", path)
        body = await stream.text()
        return read_props(body) if stream.status == 200 else None

    async def _send(
        self, method: str, path: str, body: Body | None = None, *, loads: bool = False
    ) -> ModelStream:
        """Send, and send again for as long as the server says that it is loading its model."""
        clock = asyncio.get_running_loop().time
        limit_s = self._settings.load_timeout_s
        give_up_at = clock() + limit_s
        while True:
            stream = await self._server.send(method, path, body, loads=loads)
            if stream.status != _LOADING:
                return stream
            body_text = self._server.shown(await stream.text())
            if clock() >= give_up_at:
                problem = Message(
                    "{service} at {address} still says {said} after {n} s.",
                    **self._server.named,
                    said=repr(body_text),
                    n=limit_s,
                )
                raise self._server.slow(problem, loads=True)
            await asyncio.sleep(min(max(_POLL_S, stream.retry_s), limit_s))

    def _lacks(self, status: int, body: str) -> bool:
        """Say whether a server refuses a request because it does not have the model."""
        message = message_of(body)
        is_named = status in {400, 422} and _NO_SUCH_MODEL.search(message) is not None
        return is_named or (status == 404 and "model" in message.lower())

    def _refusal(self, stream: ModelStream, body: str, model: ModelInfo) -> AskanceError:
        status = stream.status
        if overflow := overflow_of(body, model.name, model.context_tokens):
            return overflow
        if self._lacks(status, body):
            return self._missing(model.name, self._listed)
        if status == 200:
            is_chunk = read_chunk(body) is not None
            return self._server.broken(body) if is_chunk else self._server.unreadable(body)
        refused = self._server.refused(status, body, retry_s=stream.retry_s)
        names_a_part = any(c.refusal.search(message_of(body)) for c in _CONCESSIONS)
        if (
            isinstance(refused, ServiceRefused)
            and not self._settings.model
            and not names_a_part
            and status in _LIKELY_REFUSALS
        ):
            fix = Remedy(
                "Set llm.model to a model that chats; {model} was taken because none is set.",
                setting="llm.model",
                model=model.name,
            )
            refused = ServiceRefused(
                refused.service, refused.address, refused.problem, fix=fix, status=status
            )
        return refused

    def _missing(self, wanted: str, entries: tuple[ModelEntry, ...]) -> ModelMissing:
        there = ", ".join(e.name for e in entries if e.chats)
        where = self._server.named
        problem = Message("{service} at {address} does not have a chat model.", **where)
        if wanted:
            problem = Message(
                "{service} at {address} does not have the model {model}.", **where, model=wanted
            )
        fix = Message("Load a model into it.")
        if entries:
            fix = Message("Load a model into it, or set llm.model.")
        if there:
            fix = Remedy("Set llm.model to one of: {names}.", setting="llm.model", names=there)
        return ModelMissing(problem, fix=fix)


class _Reply:
    """One reply: what came of it, and how it ended."""

    def __init__(self, thoughts: ThoughtFilter, evaluated_before: Timing) -> None:
        self.ended = ""
        self._evaluated_before = evaluated_before
        self._thoughts = thoughts
        self._timings: Timings | None = None
        self._sent = self._written = 0
        self._is_timed = self._has_begun = False
        self._index: int | None = None
        self._text = DeltaReader()

    def take(self, chunk: ReplyChunk) -> list[ReplyPart]:
        """Return what a chunk brings."""
        self._sent = chunk.prompt_tokens or self._sent
        self._written = chunk.output_tokens or self._written
        self._timings = chunk.timings or self._timings
        parts: list[ReplyPart] = self._parts_in(chunk)
        # At once as well as at the end, which a reply that is stopped never reaches.
        if self._timings is not None and not self._is_timed:
            self._is_timed = True
            parts.append(_timing(self._timings, self._evaluated_before))
        return parts

    def _parts_in(self, chunk: ReplyChunk) -> list[ReplyPart]:
        if not (chunk.text or chunk.reasoning or chunk.ended):
            return []
        self._index = chunk.index if self._index is None else self._index
        if chunk.index != self._index:
            return []  # another choice, of a server that was asked for one
        parts: list[ReplyPart] = []
        parts += self._thoughts.set_apart(chunk.reasoning)
        # Some say the whole once more where they end.
        if not (chunk.is_whole and self._has_begun and chunk.ended):
            self._has_begun = self._has_begun or bool(chunk.text)
            parts += self._thoughts.feed(self._text.read(chunk.text, is_last=bool(chunk.ended)))
        self.ended = chunk.ended or self.ended
        return parts

    def end(self) -> list[ReplyPart]:
        """Return what was held back, and how it ended."""
        parts: list[ReplyPart] = [*self._thoughts.feed(self._text.end()), *self._thoughts.end()]
        recovered = self._thoughts.recovered() if is_answer_end(self.ended) else []
        parts += recovered
        if self._timings is not None:
            parts.append(_timing(self._timings, self._evaluated_before))
        return [
            *parts,
            finished(self.ended, self._sent, self._written, is_from_reasoning=bool(recovered)),
        ]


async def _refusal_in(stream: ModelStream) -> str | None:
    """Return what a server says instead of a reply; None once a reply has begun, which loses nothing."""
    if stream.status != 200:
        return await stream.text()
    while (data := await stream.event()) is not None:
        chunk = read_chunk(data)
        if chunk is not None and chunk.error:
            return data
        if chunk is not None or data.strip() == _DONE:
            stream.put_back(data)
            return None
    return stream.foreign or None


def _timing(counted: Timings, before: Timing) -> Timing:
    """Return what a reply took, with what the server evaluated of its prompt before."""
    whole = 0 if counted.cached is None else counted.prompt + counted.cached
    prompt_s = before.prompt_s + counted.prompt_ms / 1000
    evaluated = before.evaluated_tokens + counted.prompt
    return Timing(evaluated, prompt_s, counted.output_ms / 1000, prompt_tokens=whole)
