"""Ollama, spoken to in its own protocol, since `/v1` cannot set the context size; also downloads, and starting it.

A model is downloaded, and Ollama started, only when a user asks for that.
"""

from __future__ import annotations

import asyncio
import re
from base64 import b64encode
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, suppress
from threading import Thread
from typing import Annotated, Any, cast
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field

from askance.adapters.llm.model_server import (
    OLLAMA_IS_AT,
    ModelServer,
    ModelStream,
    Retries,
    ServedModel,
    Wire,
    how_to_start_ollama,
)
from askance.adapters.llm.openai_wire import (
    context,
    could_chat,
    count,
    finished,
    is_answer_end,
    text_in,
)
from askance.adapters.llm.server_replies import message_of, overflow_of
from askance.config.settings import LlmSettings
from askance.domain.errors import (
    AskanceError,
    ModelMissing,
    ModelRefused,
    ServiceDown,
    ServiceError,
    ServiceProtocolError,
    ServiceRefused,
    ServiceTimeout,
)
from askance.domain.messages import Message, Remedy
from askance.domain.ports.model import (
    ChatMessage,
    ModelCall,
    ModelInfo,
    PullStep,
    ReplyPart,
    Timing,
)
from askance.system.machine import program_on
from askance.system.program import start_detached

SERVICE = "Ollama"
LARGEST_CONTEXT = 32_768
"""Tokens that a text of the user's own may load the model anew for, which takes memory and a while."""
# gpt-oss reasons whatever `think` says, and less at this level.
_ALWAYS_REASONS, _LITTLE = "gptoss", "low"
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
    # Go writes an empty list as null.
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
    tool_calls: Any = None


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
        self._without_levels: set[str] = set()

    async def models(self) -> tuple[ModelInfo, ...]:
        """List the chat models that run on this machine. See `ChatModel.models`."""
        server = await self._server_name()
        found: list[ModelInfo] = []
        for tag in await tags_of(self._server):
            with suppress(ServiceRefused):  # one that is broken does not hide the others
                if (model := await self._describe(tag, server)) is not None:
                    found.append(model)
        return tuple(found)

    async def _opened(self, call: ModelCall, model: ModelInfo, retries: Retries) -> ModelStream:
        body = self._body(call, model)
        stream = await self._server.send("POST", "/api/chat", body, loads=True)
        if stream.status == 200:
            return stream
        refusal = await stream.text()
        if body.get("think") == _LITTLE and stream.status == 400 and "think" in refusal:
            # Only models with levels take one, and an older Ollama none.
            self._without_levels.add(model.name)
            return await self._opened(call, model, retries)
        raise self._refusal(stream, refusal, model)

    def _body(self, call: ModelCall, model: ModelInfo) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": model.name,
            "messages": [_message(m) for m in call.messages],
            "stream": True,
            # Without these two Ollama cuts a long prompt from the front and says nothing.
            "truncate": False,
            "shift": False,
            "keep_alive": _duration(self._settings.keep_alive),
            "options": {
                # The same in every call: another size loads the model again.
                "num_ctx": call.context_tokens or model.context_tokens,
                "num_predict": max(1, call.max_tokens),
                "temperature": call.temperature,
            },
        }
        if call.schema is not None:
            body["format"] = call.schema
        if "thinking" in model.capabilities:
            goes_on = self._times_reasoned(call, model) and model.name not in self._without_levels
            body["think"] = _LITTLE if goes_on and not call.think else call.think
        return body

    async def _parts(self, stream: ModelStream, model: ModelInfo) -> AsyncGenerator[ReplyPart]:
        thoughts, calls_tool = self._thoughts(model), False
        while (line := await stream.line()) is not None:
            if not line.strip():
                continue
            parsed = self._server.parsed(_Line, line)
            # With the reason `load` it has loaded the model, and not asked it.
            if parsed.error or parsed.done_reason == "load":
                problem = line.decode(errors="replace")
                raise overflow_of(problem, model.name, model.context_tokens) or self._server.broken(
                    problem
                )
            if parsed.message is not None:
                calls_tool = calls_tool or bool(parsed.message.tool_calls)
                apart = thoughts.set_apart(parsed.message.thinking)
                for part in (*apart, *thoughts.feed(parsed.message.content)):
                    stream.begun()
                    yield part
            # JSON that is neither a part nor the end of a reply comes from another program.
            elif parsed.done is None:
                raise self._server.unreadable(line.decode())
            if parsed.done:
                held = thoughts.end()
                is_answer = is_answer_end(parsed.done_reason) and not calls_tool
                recovered = thoughts.recovered() if is_answer else []
                for part in (*held, *recovered, *_ending(parsed, bool(recovered))):
                    yield part
                return
        raise self._server.cut_off()

    async def _find_model(self) -> ModelInfo:
        wanted = self._settings.model
        refuse_cloud(wanted)
        server = await self._server_name()
        tags = await tags_of(self._server)
        if wanted:
            # Ollama itself takes `qwen3` for `qwen3:latest`, and capitals for small letters.
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
        if shown.architecture == _ALWAYS_REASONS:
            self._reasoned[tag.name] += 1
        limit, made_for = self._settings.context_tokens, shown.context_tokens()
        return ModelInfo(
            name=tag.name,
            context_tokens=min(limit, made_for or limit),
            largest_context=min(max(limit, LARGEST_CONTEXT), made_for or limit),
            server=server,
            size_bytes=tag.size,
            capabilities=capabilities,
            host=self.host,
            sees="vision" in abilities if abilities is not None else None,
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

    def _refusal(self, stream: ModelStream, body: str, model: ModelInfo) -> AskanceError:
        status = stream.status
        if status == 404 and "not found" in message_of(body):
            return missing(model.name, "llm.model")
        if overflow := overflow_of(body, model.name, model.context_tokens):
            return overflow
        return self._server.refused(status, body, retry_s=stream.retry_s)


def _message(message: ChatMessage) -> dict[str, Any]:
    fields: dict[str, Any] = {"role": message.role.value, "content": message.content}
    if message.pictures:
        fields["images"] = [b64encode(picture.data).decode() for picture in message.pictures]
    return fields


def refuse_cloud(name: str) -> None:
    """Refuse a model that runs in a cloud, by its name alone.

    Raises:
        ModelRefused: it is one.
    """
    if _CLOUD_NAME.search(name):
        raise _in_a_cloud(name)


def _ending(line: _Line, is_from_reasoning: bool) -> list[ReplyPart]:
    """Ollama counts in nanoseconds, and does not say how much of the prompt it still had."""
    counts = (line.prompt_eval_count, line.eval_count)
    end = finished(line.done_reason, *counts, is_from_reasoning=is_from_reasoning)
    if line.prompt_eval_duration <= 0:
        return [end]
    timing = Timing(
        prompt_s=line.prompt_eval_duration / 1e9,
        output_s=line.eval_duration / 1e9,
        load_s=line.load_duration / 1e9,
    )
    return [timing, end]


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


START_LIMIT_S = 20.0
_KNOCK_S = 0.3
_LOOK_S = 2.0
# What Ollama says of a name that its registry does not know.
_UNKNOWN = ("file does not exist", "not found", "invalid model name")
_LISTED = Message("https://ollama.com/search lists them.")
# How Go tells of a connection that did not come about.
_OFFLINE = re.compile(
    r"dial tcp|proxyconnect|no such host|server misbehaving|network is unreachable|"
    r"TLS handshake|i/o timeout|connection re(?:fused|set)",
    re.IGNORECASE,
)


class _PullLine(Wire):
    status: str = ""
    digest: str = ""
    total: int = 0
    completed: int = 0
    error: str | None = None


async def pull_model(settings: LlmSettings, name: str, report: Callable[[PullStep], None]) -> None:
    """Fetch a model. Cancelling stops it; what has come already is there for the next time.

    Raises:
        ModelRefused: it would run in a cloud.
        ModelMissing: there is none of that name, or no name.
        ServiceDown, ServiceTimeout, ServiceRefused, ServiceProtocolError: Ollama failed.
        SettingsError: the address is none.
    """
    name = name.strip()
    if not name:
        raise ModelMissing(Message("No model is named for the download."), fix=_LISTED)
    refuse_cloud(name)
    server = server_of(settings)
    try:
        # The registry is asked before the first line comes, which may take longer than a reply.
        body = {"model": name, "stream": True}
        stream = await server.send("POST", "/api/pull", body, loads=True)
        async with aclosing(stream):
            if stream.status != 200:
                text = await stream.text()
                raise _pull_failure(server, name, message_of(text), stream.status, text)
            layers: dict[str, tuple[int, int]] = {}
            while (line := await stream.line()) is not None:
                if not line.strip():
                    continue
                stream.alive()
                parsed = server.parsed(_PullLine, line)
                if parsed.error is not None:
                    raise _pull_failure(
                        server, name, parsed.error, 0, line.decode(errors="replace")
                    )
                if parsed.status == "success":
                    return
                report(_pull_step(parsed, layers))
            raise server.cut_off()
    finally:
        await server.aclose()


async def start_ollama(
    settings: LlmSettings, executable: str, environment: Mapping[str, str]
) -> None:
    """Start Ollama at the address of llm.url, so that it outlives this program, and wait until it
    answers.

    Raises:
        ServiceDown: it cannot be started.
        ServiceTimeout: it does not answer in time.
    """
    server = server_of(settings)
    try:
        try:
            # Without it Ollama listens at its own default, whatever llm.url says.
            here = {**environment, "OLLAMA_HOST": _listening_at(server.address)}
            child = start_detached([executable, "serve"], here)
        except OSError as exc:
            problem = Message("Ollama cannot be started: {problem}.", problem=exc)
            raise ServiceDown(SERVICE, server.address, problem) from exc
        # Reaps it when it ends: without a wait it would stay as a zombie.
        Thread(target=child.wait, name="ollama", daemon=True).start()
        try:
            async with asyncio.timeout(START_LIMIT_S):
                while not await _answers(server):
                    if child.poll() is not None:
                        raise await _ended(server.address, child.returncode)
                    await asyncio.sleep(_KNOCK_S)
        except TimeoutError as exc:
            problem = Message(
                "Ollama was started, and does not answer at {address} yet.", address=server.address
            )
            raise ServiceTimeout(
                SERVICE, server.address, problem, fix=Message("Check again in a moment.")
            ) from exc
    finally:
        await server.aclose()


def _listening_at(address: str) -> str:
    """Return an address in the form in which OLLAMA_HOST is written."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


async def _ended(address: str, status: int) -> ServiceDown:
    """Return the error of an Ollama that did not stay, with what can be seen of the reason."""
    problem = Message("Ollama ended at once, with status {status}.", status=str(status))
    place = _listening_at(address)
    fix = Remedy(
        "Run `OLLAMA_HOST={place} ollama serve` in a terminal to see why.",
        command="ollama serve",
        place=place,
    )
    host, _, port = place.rpartition(":")
    with suppress(OSError, TimeoutError):
        # Only whether the port is taken: the protocol does not matter.
        async with asyncio.timeout(_LOOK_S):
            _, writer = await asyncio.open_connection(host.strip("[]"), int(port))
        writer.close()
        holder = await asyncio.to_thread(program_on, int(port)) or Message("another program")
        problem = Message(
            "Ollama ended at once, with status {status}: {name} listens at {place} already.",
            status=str(status),
            name=holder,
            place=place,
        )
        fix = Message("Stop that, or set llm.url to another port.")
    return ServiceDown(SERVICE, address, problem, fix=fix)


async def _answers(server: ModelServer) -> bool:
    try:
        stream = await server.send("GET", "/api/version")
        await stream.text()
    except ServiceError:
        return False
    return stream.status == 200


def _pull_step(line: _PullLine, layers: dict[str, tuple[int, int]]) -> PullStep:
    if line.digest:
        # A model comes in layers, each with a total of its own; some lines name no layer.
        layers[line.digest] = (min(line.completed, line.total), line.total)
    done, total = (
        (sum(column) for column in zip(*layers.values(), strict=True)) if layers else (0, 0)
    )
    return PullStep(done, total)


def _pull_failure(
    server: ModelServer, name: str, error: str, status: int, body: str
) -> ModelMissing | ServiceError:
    if _OFFLINE.search(error):
        # Before the reason stands the address that Ollama asked, which the user does not know.
        reason = error.rpartition('": ')[2].rstrip(".")
        problem = Message(
            "Ollama cannot connect to the site that models are downloaded from: {said}.",
            said=reason,
        )
        fix = Message(
            "Connect this computer to the internet and download it again: it continues where "
            "it stopped. Behind a proxy, start Ollama with HTTPS_PROXY."
        )
        return ServiceRefused(SERVICE, server.address, problem, fix=fix)
    if "no space left" in error:
        problem = Message("The disk is full on which Ollama keeps its models.")
        return ServiceRefused(
            SERVICE, server.address, problem, fix=Message("Free some space on it.")
        )
    if "newer version" in error:
        problem = Message("This Ollama is too old for {model}.", model=name)
        fix = Message("Update it: {address} has the newest.", address=OLLAMA_IS_AT)
        return ServiceRefused(SERVICE, server.address, problem, fix=fix)
    if any(sign in error for sign in _UNKNOWN):
        return ModelMissing(
            Message("There is no model {model} to download.", model=name), fix=_LISTED
        )
    return server.refused(status, body) if status else server.broken(body)
