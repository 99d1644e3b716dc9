"""What the user's own services send and get: search replies, the reader's replies, model streams, heads of requests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import h11
from pydantic import ValidationError

from askance.adapters.library.qdrant_vectors import (
    Bounds,
    LibraryBesideQdrant,
    QdrantServer,
    connect,
)
from askance.adapters.llm.ollama import OllamaModel
from askance.adapters.llm.openai import OpenAIModel
from askance.adapters.llm.reasoning import ThoughtFilter
from askance.adapters.llm.server_replies import EventSplitter, LineSplitter
from askance.adapters.reader.reader_protocol import ReadReply
from askance.adapters.search.searxng import parse_reply, plain_text, stated_error, web_url
from askance.config.settings import LlmSettings
from askance.domain.errors import InputError, ServiceError, StorageError
from askance.domain.library import Document, Origin
from askance.domain.messages import Message
from askance.domain.ports.model import (
    ChatMessage,
    ChatModel,
    Finished,
    Identity,
    ModelCall,
    Role,
    Text,
    Thought,
)
from askance.domain.web_pages import Page
from askance.engine.model_replies import finished_fields, is_looping
from askance.local_service.request_head import StrictConnection
from fuzz.targets.web import pieces_of

CALL = ModelCall((ChatMessage(Role.USER, "Which is older?"),), max_tokens=50)
WANTED = 10


def search_reply(data: bytes) -> None:
    """A search reply gives addresses of the web and plain text, or is no search reply."""
    stated_error(data)
    try:
        found = parse_reply(data, "query", wanted=WANTED)
    except ValueError:
        return
    assert len(found.results) <= WANTED
    for result in found.results:
        assert web_url(result.url) == result.url
        assert result.title
        for text in (result.title, result.snippet):
            assert text.isprintable() or not any(ord(c) < 0x20 for c in text)


def snippet(data: bytes) -> None:
    """A snippet becomes one line of text, however its tags are written."""
    text = plain_text(data.decode("utf-8", "surrogateescape"), 300)
    assert len(text) <= 300
    assert "\n" not in text


def reader_reply(data: bytes) -> None:
    """What stands at the reader's address is a reply, or is refused as none."""
    try:
        reply = ReadReply.model_validate_json(data)
        page = reply.page(known=None, served_by=Message("the reader service"))
    except (ValidationError, ValueError):
        return
    assert isinstance(page, Page)


def lines(data: bytes) -> None:
    """A stream has the same lines and events however it was cut on the wire."""
    splitter = LineSplitter()
    cut = [line for piece in pieces_of(data) for line in splitter.feed(piece)] + splitter.end()
    whole = LineSplitter()
    assert cut == [*whole.feed(data), *whole.end()]
    events = EventSplitter()
    try:
        for line in cut:
            events.feed(line)
    except ValueError:
        return
    events.end()


def thoughts(data: bytes) -> None:
    """Reasoning is told from text alike however the stream was cut."""
    text = data.decode("utf-8", "replace")
    size = 1 + (data[0] if data else 0) % 7
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    assert _sorted(pieces) == _sorted([text])


def _sorted(pieces: list[str]) -> tuple[str, list[str]]:
    """Return the text, and the characters of the thoughts: a thought may come before text that is retracted later."""
    sorting = ThoughtFilter()
    parts = [part for piece in pieces for part in sorting.feed(piece)] + sorting.end()
    value = thought = ""
    for part in parts:
        match part:
            case Text(text=text):
                value += text
            case Thought(text=text):
                thought += text
            case _:  # a lone closing tag: what was said before it was thought
                value, thought = "", thought + value
    return value, sorted(thought)


def json_reply(data: bytes) -> None:
    """Fields of a streaming object are read or not; they never change once they were read."""
    text = data.decode("utf-8", "replace")
    early, late = finished_fields(text[: len(text) // 2]), finished_fields(text)
    assert early.keys() <= late.keys()
    is_looping(text)


def request_head(data: bytes) -> None:
    """A server of ours reads the same requests however they were cut on the wire, each with one length at most."""
    whole, cut = _requests([data]), _requests(pieces_of(data))
    assert whole == cut
    for _, headers, _ in whole:
        framing = [name for name, _ in headers if name in {b"content-length", b"transfer-encoding"}]
        assert len(framing) <= 1


def _requests(pieces: Iterable[bytes]) -> list[tuple[bytes, list[tuple[bytes, bytes]], bytes]]:
    """Return the requests that a connection brings, until one is refused or is the last."""
    connection = StrictConnection(h11.SERVER)
    read: list[tuple[bytes, list[tuple[bytes, bytes]], bytes]] = []
    for piece in filter(None, pieces):
        connection.receive_data(piece)
        while True:
            try:
                event = connection.next_event()
            except h11.RemoteProtocolError:
                return read
            if event is h11.NEED_DATA:
                break
            if isinstance(event, h11.Request):
                read.append((event.target, list(event.headers), b""))
            elif isinstance(event, h11.Data):
                target, headers, body = read[-1]
                read[-1] = (target, headers, body + bytes(event.data))
            elif not _replied(connection):
                return read
    return read


def _replied(connection: StrictConnection) -> bool:
    """Answer a request that has come to its end, and return whether another one may follow."""
    if connection.our_state is h11.SEND_RESPONSE:
        connection.send(h11.Response(status_code=200, headers=[("Content-Length", "0")]))
        connection.send(h11.EndOfMessage())
    if connection.our_state is not h11.DONE or connection.their_state is not h11.DONE:
        return False
    connection.start_next_cycle()
    return True


def ollama(data: bytes) -> None:
    """Whatever Ollama answers, the call gives parts or raises one of the program's own errors."""
    asyncio.run(_called(data, OllamaModel))


def openai(data: bytes) -> None:
    """Whatever an OpenAI-compatible server answers, likewise."""
    asyncio.run(_called(data, OpenAIModel))


def qdrant(data: bytes) -> None:
    """Whatever stands at a Qdrant server's address, embedding, searching and forgetting end or say so in words.

    The first byte says which requests go mad: the others are answered as by a server without vectors.
    """
    asyncio.run(_kept(data))


async def _kept(data: bytes) -> None:
    choice, text = (data[0], data[1:]) if data else (0, b"")
    mad = _QDRANT_PATHS[(choice >> 1) % len(_QDRANT_PATHS)]

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ", 2)[1].partition(b"?")[0].decode("ascii")
            if path.endswith(mad):
                writer.write(text if choice & 1 else _reply(text))
            else:
                kind = next(kind for kind in _QDRANT_PATHS[::-1] if path.endswith(kind))
                writer.write(_reply(json.dumps({"result": _QDRANT_SANE[kind]}).encode()))
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # the client has gone
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server, asyncio.timeout(20):
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        await asyncio.to_thread(_use_library, url)


def _use_library(url: str) -> None:
    bounds = Bounds(most_bytes=100_000, limit_s=2.0)
    server = QdrantServer(connect(url, "", bounds), url)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "library.sqlite3"
        stored = LibraryBesideQdrant(file, 30, lambda _: None, server)
        stored.add([Document("https://a.example/", "A", "The ferry leaves.", Origin.WEB)])
        identity, vector = Identity("m", "d", 2), (0.6, 0.8)
        for use in (
            lambda: stored.vectors.store(
                identity, [(p, vector) for p in stored.vectors.unembedded(identity, 9)]
            ),
            lambda: stored.vectors.nearest(identity, vector, 3, words="ferry"),
            lambda: stored.vectors.forget_others(Identity("n", "d", 2)),
        ):
            assert url in _told_by(use, url)
        stored.close()


def _told_by(use: Callable[[], object], otherwise: str) -> str:
    """Return what is said of a use that failed, else something else."""
    try:
        use()
    except StorageError as exc:
        return str(exc.problem)
    return otherwise


_QDRANT_SANE: dict[str, object] = {
    "": {"operation_id": 0, "status": "completed"},
    "/exists": {"exists": True},
    "/points": {"operation_id": 0, "status": "completed"},
    "/points/delete": {"operation_id": 0, "status": "completed"},
    "/points/query": {"points": []},
}
_QDRANT_PATHS = tuple(_QDRANT_SANE)


async def _called(data: bytes, kind: type[OllamaModel | OpenAIModel]) -> None:
    async with (
        asyncio.timeout(20),
        _server(data) as url,
        kind(LlmSettings(url=url, model="m", idle_timeout_s=5)) as model,
    ):
        try:
            await _drained(model)
        except (ServiceError, InputError):
            return


async def _drained(model: ChatModel) -> None:
    finished = 0
    async with model.reply(CALL) as parts:
        async for part in parts:
            finished += isinstance(part, Finished)
    assert finished == 1, "a reply ended twice, or without an end"


_SANE = {
    "/api/version": {"version": "0.33.0"},
    "/api/tags": {"models": [{"name": "m:latest"}]},
    "/api/show": {"capabilities": ["completion"], "model_info": {}},
    "/v1/models": {"object": "list", "data": [{"id": "m", "object": "model"}]},
    "/props": {"default_generation_settings": {"n_ctx": 4096}},
}


@asynccontextmanager
async def _server(data: bytes) -> AsyncIterator[str]:
    """A model server whose first byte of fuzz says which address it goes mad at, and how.

    Half of the replies are fuzzed from the status line on, half in their body alone.
    """
    choice, text = (data[0], data[1:]) if data else (0, b"")
    mad = [None, None, *_SANE][(choice >> 1) % (len(_SANE) + 2)]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ", 2)[1].decode("ascii")
            if path in _SANE and path != mad:
                writer.write(_reply(json.dumps(_SANE[path]).encode()))
            else:
                writer.write(text if choice & 1 else _reply(text))
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # the client has gone
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def _reply(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body


TARGETS = {
    "search_reply": search_reply,
    "snippet": snippet,
    "reader_reply": reader_reply,
    "lines": lines,
    "thoughts": thoughts,
    "json_reply": json_reply,
    "request_head": request_head,
    "ollama": ollama,
    "openai": openai,
    "qdrant": qdrant,
}
