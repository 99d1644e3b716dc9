"""A model server: its client, timeouts, streams and failures in plain words, and what all models on servers share."""

from __future__ import annotations

import asyncio
import json
import math
import re
import ssl
from abc import ABC, abstractmethod
from collections import Counter, deque
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Self, TypeVar

import httpx
from pydantic import BaseModel, ConfigDict

from askance.adapters.llm.reasoning import ThoughtFilter
from askance.adapters.llm.server_replies import (
    EventSplitter,
    LineSplitter,
    is_page,
    message_of,
    page_title,
)
from askance.adapters.network.guarded_http import causes, location_of, service_client
from askance.adapters.network.own_services import distant_host_of
from askance.config.settings import LlmSettings
from askance.domain.addresses import SHORTEST_SECRET, bare_address, secrets_in
from askance.domain.errors import (
    ModelMissing,
    OutOfMemory,
    ServiceDown,
    ServiceError,
    ServiceProtocolError,
    ServiceRefused,
    ServiceTimeout,
)
from askance.domain.messages import Message, Remedy, sentence
from askance.domain.ports.model import (
    ModelCall,
    ModelChanged,
    ModelInfo,
    ReplyPart,
    Retracted,
    Thought,
    Timing,
)

CONNECT_TIMEOUT_S = 5.0
_BODY_LIMIT_BYTES = 20_000_000
# A reply that reasons unseen sends an empty part a token: tens of thousands of them are shorter.
# An empty line takes as long to read as so many bytes.
_MOST_SILENT_BYTES, _LINE_BYTES = 16_000_000, 100
KEY_REFUSED = frozenset({401, 403})
_NO_KEY = Remedy("It asks for a key: set llm.api_key.", setting="llm.api_key")
_WRONG_KEY = Remedy("It does not take the key: check llm.api_key.", setting="llm.api_key")
# The next request may fare better. llama.cpp's 503 is waited for where it comes: see `OpenAIModel`.
TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
# Before a request is sent again: how long where the server does not tell, and how often where it does.
RETRY_S, MOST_TIMED_RETRIES = 1.0, 3
LONGEST_RETRY_S = 60.0
# So long a server that was there a moment ago may take to start again.
RESTART_S, _POLL_S = 10.0, 0.25
_BUSY_STATUS, _BUSY = 429, Message("Wait a moment, then ask again.")
# Such as Ollama's `"all-minilm" does not support chat`.
_NO_CHAT = re.compile(
    r"\b(?:not|n't) support (?:chat|generate|completions?)\b|\bnot an? (?:chat|generative|text generation)\b",
    re.IGNORECASE,
)
# What llama.cpp, its CUDA part and Ollama say where a model does not fit.
_NO_MEMORY = re.compile(
    r"\b(?:more system memory|out of memory|insufficient memory|failed to allocate)\b|cudamalloc|bad_alloc",
    re.IGNORECASE,
)
_HIDDEN = "***"
OLLAMA_IS_AT = "https://ollama.com/download"


_HIGH, _LOW = r"\\u[dD][89abAB][\da-fA-F]{2}", r"\\u[dD][c-fC-F][\da-fA-F]{2}"
_HALF = re.compile(rf"{_HIGH}(?!{_LOW})|(?<!{_HIGH}){_LOW}")


def how_to_start_ollama(address: str) -> str:
    """Return the remedy where Ollama does not answer at an address."""
    if distant_host_of(address):
        return Message("Start Ollama on that machine, or set llm.url.")
    return Remedy(
        "Start it with `ollama serve` ({address} has it), or set llm.url.",
        command="ollama serve",
        address=OLLAMA_IS_AT,
    )


class Wire(BaseModel):
    """What a server says, as far as it is of interest."""

    model_config = ConfigDict(frozen=True, extra="ignore")


_AnyWire = TypeVar("_AnyWire", bound=Wire)


class ModelServer:
    """One model server. `service` is its name to people, `start` the remedy when it is down.

    Raises:
        SettingsError: the address is not one.
    """

    mismatch = Message("Check that llm.api and llm.url name the same server.")
    """What to do where something else answers than what the settings say."""

    def __init__(
        self,
        settings: LlmSettings,
        *,
        service: str,
        address: str,
        start: str,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.service = service
        self.url = address
        self.address = bare_address(address)
        """Its address as it may be shown: without a user's name and password."""
        self.named = {"service": service, "address": self.address}
        """What sentences about it name it by."""
        self._settings = settings
        self._start = start
        self._headers = dict(headers or {})
        key = settings.api_key.get_secret_value()
        self._secrets = {*secrets_in(address), *({key} if len(key) >= SHORTEST_SECRET else ())}
        if key and "Authorization" not in self._headers:
            self._headers["Authorization"] = f"Bearer {key}"
            # A name and a password in the address would take the header's place.
            address = self.address
        self._client = service_client(
            address, connect_timeout_s=CONNECT_TIMEOUT_S, setting="llm.url"
        )

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def send(
        self, method: str, path: str, body: dict[str, Any] | None = None, *, loads: bool = False
    ) -> ModelStream:
        """Send a request and return as soon as the reply begins. The caller closes it.

        `loads` says that the model has to do with it. It may have to be loaded, it may be busy with
        what others asked, and it reads the prompt: that takes minutes, in which nothing is sent.

        Raises:
            ServiceDown, ServiceTimeout, ServiceProtocolError: no reply begins.
        """
        content, headers = None, self._headers
        if body is not None:
            # Half a surrogate pair, which a page may have brought, has no bytes.
            content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
            headers = {"Content-Type": "application/json", **headers}
        request = self._client.build_request(method, path, content=content, headers=headers)
        limit = self.silence_limit(loads=loads)
        async with self.watched(limit):
            response = await self._client.send(request, stream=True)
        return ModelStream(self, response, limit)

    def silence_limit(self, *, loads: bool) -> SilenceLimit:
        """Return how long a reply, or its next part, is waited for."""
        settings = self._settings
        return SilenceLimit(settings.load_timeout_s if loads else settings.idle_timeout_s, loads)

    @asynccontextmanager
    async def watched(self, limit: SilenceLimit) -> AsyncGenerator[None]:
        """Bound one wait for the server, and put its failures into the engine's words."""
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            # Waits before in the same silence count: a server that sends only comments is silent.
            async with asyncio.timeout(max(0.0, limit.limit_s - limit.waited_s)):
                yield
        except TimeoutError as exc:
            silent = Message(
                "{service} at {address} did not answer for {n} s.", **self.named, n=limit.limit_s
            )
            raise self.slow(silent, loads=limit.loads) from exc
        # A host name that IDNA cannot encode comes as UnicodeError, straight from `socket`.
        except (httpx.ConnectError, httpx.ConnectTimeout, UnicodeError) as exc:
            problem = Message("{service} does not answer at {address}.", **self.named)
            raise ServiceDown(self.service, self.address, problem, fix=self._to_start(exc)) from exc
        except httpx.DecodingError as exc:
            raise self.unreadable(Message("a compressed body, unasked")) from exc
        except httpx.RequestError as exc:
            raise self.cut_off() from exc
        finally:
            limit.waited_s += clock() - began

    def slow(self, problem: Message, *, loads: bool) -> ServiceTimeout:
        """Return the error of a server that keeps one waiting; `problem` says how."""
        setting = "llm.load_timeout_s" if loads else "llm.idle_timeout_s"
        fix = Remedy("Use a smaller model, or raise {setting}.", setting=setting)
        return ServiceTimeout(self.service, self.address, problem, fix=fix)

    def cut_off(self) -> ServiceProtocolError:
        """Return the error of a reply that broke off."""
        problem = Message("{service} broke off its reply before the end.", service=self.service)
        error = self._nonsense(problem, Message("See the server's log."))
        error.retry_s = 0.0
        return error

    def parsed(self, wire: type[_AnyWire], body: str | bytes) -> _AnyWire:
        """Return what a body says, or raise the error of one that is not the protocol."""
        try:
            return wire.model_validate_json(body)
        except ValueError as exc:
            text = body if isinstance(body, str) else body.decode(errors="replace")
            # Half of a surrogate pair is no character, and no reason to lose the rest.
            if (whole := _HALF.sub(r"\\ufffd", text)) != text:
                return self.parsed(wire, whole)
            raise self.unreadable(text) from exc

    def shown(self, body: str) -> str:
        """Return the message in a body as it may be shown: without our key, should the server say it."""
        return self._hidden(message_of(body))

    def _hidden(self, text: str) -> str:
        """Return a text as it is, unless it has a key or a password of ours in it."""
        # Gateways quote the key that they refuse, and errors are shown and exported.
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, _HIDDEN)
        return text

    def _to_start(self, exc: Exception) -> str:
        """Return the remedy where no connection is made."""
        if self.url.startswith("https://") and any(
            isinstance(e, ssl.SSLError) for e in causes(exc)
        ):
            plain = self.address.replace("https://", "http://", 1)
            return Message("It may not speak HTTPS: try llm.url = {address}.", address=plain)
        return self._start

    def unreadable(self, reason: object) -> ServiceProtocolError:
        """Return the error of a reply that is not the protocol."""
        if isinstance(reason, str) and is_page(reason):
            reason = Message("a web page, “{title}”", title=page_title(reason)[:120])
        reason_text = reason if isinstance(reason, Message) else " ".join(str(reason).split())[:160]
        reason_text = self._hidden(reason_text)
        problem = Message(
            "{service} sent what cannot be understood ({said}).", **self.named, said=reason_text
        )
        return self._nonsense(problem, self.mismatch)

    def refused(
        self, status: int, body: str, location: str = "", retry_s: float = 0.0
    ) -> ServiceRefused | ServiceProtocolError:
        """Return the error of a status that is neither a success nor an answer to expect.

        A path that is not there, or a redirect to `location`, means that something else listens at the
        address. `retry_s` is when the server wants to be asked again.
        """
        if 300 <= status < 400 and location.startswith(("http://", "https://")):
            there = bare_address(location)
            problem = Message(
                "{service} is not there: {address} leads to {there}.", **self.named, there=there
            )
            return self._nonsense(problem, Message("Set llm.url to the address that it leads to."))
        if status in {404, 405} or 300 <= status < 400:
            return self.unreadable(f"status {status}")
        text = self.shown(body)
        values = {**self.named, "status": str(status), "said": sentence(text)}
        problem = (
            Message("{service} refused the request with status {status}: {said}", **values)
            if text
            else Message("{service} refused the request with status {status}.", **values)
        )
        fix = self.remedy(status, body)
        error = _refusal(body)(self.service, self.address, problem, fix=fix, status=status)
        error.retry_s = retry_s if status in TRANSIENT else None
        return error

    def remedy(self, status: int, body: str) -> str:
        """Return what to do about a refusal."""
        if _NO_CHAT.search(message_of(body)):
            return Remedy("Set llm.model to a model that chats.", setting="llm.model")
        if "duration" in message_of(body):
            return Message(
                "Set llm.keep_alive to a duration such as `30m`, or to a number of seconds."
            )
        if status in KEY_REFUSED:
            return _WRONG_KEY if self._settings.api_key else _NO_KEY
        return _BUSY if status == _BUSY_STATUS else Message("See the server's log.")

    def broken(self, body: str) -> ServiceRefused:
        """Return the error of a reply that ends with an error message instead of its end."""
        problem = Message(
            "{service} failed in the middle of its reply: {said}",
            **self.named,
            said=sentence(self.shown(body) or "…"),
        )
        fix = Message("See the server's log.")
        error = _refusal(body)(self.service, self.address, problem, fix=fix)
        error.retry_s = 0.0
        return error

    def _nonsense(self, problem: Message, fix: Message) -> ServiceProtocolError:
        return ServiceProtocolError(self.service, self.address, problem, fix=fix)


def _refusal(body: str) -> type[ServiceRefused]:
    """Return the kind of error that a refusal is."""
    return OutOfMemory if _NO_MEMORY.search(message_of(body) or body) else ServiceRefused


class Served:
    """Whatever is asked of a model server. An async context manager that owns its connections."""

    def __init__(self, server: ModelServer) -> None:
        self._server = server

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.aclose()

    @property
    def host(self) -> str:
        """The host of the server, where that is another machine."""
        return distant_host_of(self._server.address)


@dataclass
class SilenceLimit:
    """How long a silence may last, and how long it has lasted. Time that a caller takes is none.

    `read` counts the bytes that came meanwhile: comments without a pause are no life either.
    `loads` says that the model may not have begun with what it was asked.
    """

    limit_s: float
    loads: bool
    waited_s: float = 0.0
    read: int = 0


class ModelStream:
    """A reply under way. Closing it closes its connection."""

    def __init__(self, server: ModelServer, response: httpx.Response, limit: SilenceLimit) -> None:
        self.status = response.status_code
        self.location = location_of(response)
        self.retry_s = retry_after_s(response.headers.get("retry-after", ""))
        """After how many seconds the server wants to be asked again; 0 where it does not tell."""
        self.evaluated_before = Timing()
        """What requests before this one took, which had the server evaluate the beginning of its prompt."""
        self._server = server
        self._response = response
        self._limit = limit
        self._pieces = response.aiter_bytes()
        self._splitter = LineSplitter()
        self._events = EventSplitter()
        self._lines: deque[bytes] = deque()
        self._put_back: list[str] = []

    @property
    def foreign(self) -> str:
        """What was read and belongs to no event."""
        return self._events.foreign

    def put_back(self, data: str) -> None:
        """Have an event come next that was looked at before its time."""
        self._put_back.append(data)

    async def aclose(self) -> None:
        """Close the connection, unless the reply was read to its end."""
        await self._response.aclose()

    def begun(self) -> None:
        """Note that a part of the reply has come: from now on silence is short.

        Only the adapter knows what is a part of it. Servers send headers, an empty first part and
        comments that keep the connection alive before they have looked at a request.
        """
        self._limit = self._server.silence_limit(loads=False)

    def alive(self) -> None:
        """Note that what was asked for goes on: its silence begins anew."""
        self._limit.waited_s, self._limit.read = 0.0, 0

    async def line(self) -> bytes | None:
        """Return the next line, or None at the end.

        Raises:
            ServiceTimeout, ServiceProtocolError: the server fell silent, or broke off.
        """
        while not self._lines:
            piece = await self._piece()
            if piece is None:
                self._lines.extend(self._splitter.end())
                break
            try:
                self._lines.extend(self._splitter.feed(piece))
            except ValueError as exc:
                raise self._server.unreadable(exc) from exc
            self._limit.read += len(piece) + _LINE_BYTES * len(self._lines)
            if self._limit.read > _MOST_SILENT_BYTES:
                problem = Message("{service} at {address} sends no reply.", **self._server.named)
                raise self._server.slow(problem, loads=self._limit.loads)
        return self._lines.popleft() if self._lines else None

    async def event(self) -> str | None:
        """Return the data of the next server-sent event, or None at the end. Raises like `line`."""
        if self._put_back:
            return self._put_back.pop()
        while (line := await self.line()) is not None:
            try:
                data = self._events.feed(line)
            except ValueError as exc:
                raise self._server.unreadable(exc) from exc
            if data is not None:
                return data
        # A server that does not stream sends the whole reply as one JSON body of any number of
        # lines.
        return self._events.end() or self._events.body()

    async def text(self) -> str:
        """Return the whole body, and close. Raises like `line`."""
        # Counted as it comes, since Content-Length can be missing or wrong.
        body = bytearray()
        try:
            while (piece := await self._piece()) is not None:
                body += piece
                if len(body) > _BODY_LIMIT_BYTES:
                    raise self._server.unreadable(f"more than {_BODY_LIMIT_BYTES} bytes")
        finally:
            await self.aclose()
        return body.decode(errors="replace")

    async def parsed(self, wire: type[_AnyWire]) -> _AnyWire:
        """Return what the whole body says, and close. Raises like `line`, and for any status but 200."""
        body = await self.text()
        if self.status != 200:
            raise self._server.refused(self.status, body)
        return self._server.parsed(wire, body)

    async def _piece(self) -> bytes | None:
        async with self._server.watched(self._limit):
            return await anext(self._pieces, None)


def retry_after_s(header: str) -> float:
    """Return the seconds of a `Retry-After`, which may name a date (RFC 9110, 10.2.3); 0 for none."""
    try:
        if header.strip().isascii() and header.strip().isdigit():
            return float(header[:9])
        at = parsedate_to_datetime(header)
        return max(0.0, (at - datetime.now(at.tzinfo)).total_seconds())
    except ValueError:
        return 0.0


class Retries:
    """Says of a request that failed before a word of its reply came whether it is sent again, and waits for that.

    As often and as long as the server tells, once more where it does not, and where nothing answers for as
    long as a restart takes; never beyond `ends_at`, in seconds of the loop's clock.
    """

    def __init__(self, ends_at: float) -> None:
        self._ends_at = ends_at
        self._down_since = math.inf
        self._waited = 0
        self.is_spent = False
        """Whether it was sent once more without being told when."""

    async def wait(self, error: ServiceError) -> bool:
        """Wait for the time to send the request again. False where that does not help, or not in time."""
        now, pause_s = asyncio.get_running_loop().time(), error.retry_s
        if isinstance(error, ServiceDown):
            self._down_since = min(now, self._down_since)
            pause_s = _POLL_S if now - self._down_since < RESTART_S else None
        elif pause_s and self._waited < MOST_TIMED_RETRIES and pause_s <= LONGEST_RETRY_S:
            self._waited += 1
        elif pause_s == 0 and not self.is_spent:
            self.is_spent, pause_s = True, RETRY_S
        else:
            return False
        if pause_s is None or now + pause_s >= self._ends_at:
            return False
        await asyncio.sleep(pause_s)
        return True


class ServedModel(Served, ABC):
    """A `ChatModel` on a server.

    The model is found once, and looked for again when a call to it has failed.
    """

    def __init__(self, settings: LlmSettings, server: ModelServer) -> None:
        super().__init__(server)
        self._settings = settings
        self._found: ModelInfo | None = None
        self._finding = asyncio.Lock()
        self._lone_closers: set[str] = set()
        self._reasoned: Counter[str] = Counter()
        """How many replies of a model began with reasoning although it was asked not to reason."""

    async def info(self) -> ModelInfo:
        """Describe the model. See `ChatModel.info`."""
        async with self._finding:
            if self._found is None:
                self._found = await self._find_model()
            return self._found

    @asynccontextmanager
    async def reply(self, call: ModelCall) -> AsyncGenerator[AsyncIterator[ReplyPart]]:
        """Open a reply. See `ChatModel.reply`."""
        try:
            async with aclosing(self._all_parts(call)) as parts:
                yield parts
        except (ServiceError, ModelMissing):
            self._found = None  # whoever asks next learns whether it is there
            raise

    async def _all_parts(self, call: ModelCall) -> AsyncGenerator[ReplyPart]:
        """Stream a reply: from another model where the chosen one is gone, and asked for again where it fails
        before a word."""
        chosen = model = await self.info()
        retries, has_begun, has_reasoned = Retries(call.ends_at), False, call.think
        while True:
            try:
                async with aclosing(await self._opened(call, model, retries)) as stream:
                    async with aclosing(self._parts(stream, model)) as parts:
                        async for part in parts:
                            if model is not chosen and not has_begun:
                                yield ModelChanged(chosen.name, model.name)
                            if isinstance(part, Thought | Retracted) and not has_reasoned:
                                self._reasoned[model.name] += 1
                                has_reasoned = True
                            has_begun = True
                            yield part
                    return
            except ModelMissing as exc:
                if has_begun or model is not chosen:
                    raise
                model = await self._another(exc, chosen)
            except ServiceError as exc:
                if has_begun or not await retries.wait(exc):
                    raise

    def _times_reasoned(self, call: ModelCall, model: ModelInfo) -> int:
        """Return how often a model has reasoned unasked, as far as is known of this and earlier starts."""
        return max(int(call.reasons_unasked), self._reasoned[model.name])

    def _thoughts(self, model: ModelInfo) -> ThoughtFilter:
        """Return what sorts a reply of this model: as one that closes its reasoning without an opening
        mark, where its last reply did."""

        def note(is_one: bool) -> None:
            (self._lone_closers.add if is_one else self._lone_closers.discard)(model.name)

        return ThoughtFilter(begins_thinking=model.name in self._lone_closers, on_lone_close=note)

    @abstractmethod
    async def _find_model(self) -> ModelInfo:
        """Return the model of the settings, or the server's first."""

    @abstractmethod
    async def _opened(self, call: ModelCall, model: ModelInfo, retries: Retries) -> ModelStream:
        """Return the stream of a reply that has begun."""

    @abstractmethod
    def _parts(self, stream: ModelStream, model: ModelInfo) -> AsyncGenerator[ReplyPart]:
        """Return what a stream brings."""

    async def _another(self, gone: ModelMissing, than: ModelInfo) -> ModelInfo:
        """Return the model to take now that one is not there any more, such as a deleted one.

        Raises:
            ModelMissing: the server names that one all the same, has no other, or has not the one
                that the user chose.
        """
        if self._found is than:
            self._found = None
        model = await self.info()
        if model.name == than.name:
            raise gone
        return model
