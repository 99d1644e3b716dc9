"""The daemon: one engine for all programs, at a socket of the user's own and, where wanted, over HTTP.

It begins with a place that nobody else has (`ipc.Seat`) and ends when a signal says so, when another
daemon takes its place, or, in the background, when nobody has been connected for long.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
import socket
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    closing,
    contextmanager,
    nullcontext,
    suppress,
)
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server.lowlevel.server import Server
from mcp.server.mcpserver import MCPServer
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, JSONRPCRequest, jsonrpc_message_adapter
from starlette.routing import BaseRoute

from askance.config.settings import ServerSettings
from askance.domain.errors import StorageError, place_of
from askance.domain.ports.storage import Client, ClientRegistry
from askance.local_service.service_process import LocalServer
from askance.server.clients import CURRENT, ClientLookup, Tokens, named
from askance.server.daemon_connection import (
    LONGEST_LINE,
    RETIRING,
    SERVING,
    STAYS,
    DaemonLock,
    answer,
    read_first_line,
)
from askance.server.http_server import MAX_BODY_BYTES, HttpEndpoint
from askance.system.ipc import is_ours

# A program at the socket: MCP's messages a line each, and whose they are.


async def serve_streams(
    server: Server[Any],
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    clients: ClientLookup,
    name: str,
) -> None:
    """Serve a program until it ends; then all that it asked for is cancelled.

    `name` is what the user calls it, "" where it says itself what it is called. The limit of `reader` is
    that of a message.
    """
    answers = _Answers(writer)
    messages = _IncomingMessages(reader, answers, clients, name)
    await server.run(messages, answers, server.create_initialization_options())


class _IncomingMessages(ObjectReceiveStream[SessionMessage | Exception]):
    """What a program says: a `ReadStream` of the SDK, which knows the client of each message.

    `last_context` is what the SDK runs the handler of the last message in.
    """

    def __init__(
        self, reader: asyncio.StreamReader, answers: _Answers, clients: ClientLookup, name: str
    ) -> None:
        self.last_context: contextvars.Context | None = None
        self._reader = reader
        self._answers = answers
        self._clients = clients
        self._is_chosen = bool(name)
        self._name = named(name)

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message, or what is wrong with it.

        Raises:
            anyio.EndOfStream: the program has ended.
        """
        line = await self._line()
        if not line:
            raise anyio.EndOfStream
        # The SDK begins a message's handler in this context, in which its client is set.
        self.last_context = contextvars.copy_context()
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError as exc:
            return exc
        self.last_context.run(CURRENT.set, await self._client_of(message))
        return SessionMessage(message)

    async def _client_of(self, message: object) -> Client:
        """Return the client of a message, with what it may do now."""
        # The name that the user chose goes before what the program calls itself.
        if isinstance(message, JSONRPCRequest) and not self._is_chosen:
            self._name = _name_in(message.method, message.params) or self._name
        try:
            return await self._clients.known(self._name)
        except StorageError as exc:
            _log.error("A program may do nothing: %s", place_of(exc))
            # Without capabilities: each call then fails with its own error.
            return Client(self._name, frozenset())

    async def _line(self) -> bytes:
        """Return the next line, b"" at the end. One that is too long is reported, and passed over."""
        is_too_long = False
        while True:
            try:
                line = await self._reader.readuntil(b"\n")
            # The line is dropped piece by piece, as the buffer fills.
            except asyncio.LimitOverrunError as exc:
                await self._reader.readexactly(exc.consumed)
                is_too_long = True
            except asyncio.IncompleteReadError as exc:
                # The last message may lack its line end.
                return b"" if is_too_long else exc.partial.strip()
            except OSError:
                return b""
            else:
                if not is_too_long:
                    return line
                is_too_long = False
                await self._answers.refuse("The message is too long.")

    async def aclose(self) -> None:
        """Nothing is held."""


class _Answers(ObjectSendStream[SessionMessage]):
    """What is sent to a program: a `WriteStream` of the SDK."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def send(self, item: SessionMessage) -> None:
        """Write a message. Raises anyio.BrokenResourceError where nobody reads it any more."""
        text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        await self._write(text)

    async def refuse(self, why: str) -> None:
        """Tell that something which was said is not taken in."""
        error = {"code": INVALID_REQUEST, "message": why}
        await self._write(json.dumps({"jsonrpc": "2.0", "id": None, "error": error}))

    async def _write(self, text: str) -> None:
        try:
            self._writer.write(text.encode() + b"\n")
            await self._writer.drain()
        except OSError as exc:
            raise anyio.BrokenResourceError from exc

    async def aclose(self) -> None:
        """Nothing is held: the connection is closed by whoever has opened it."""


def _name_in(method: str, params: object) -> str:
    """Return what a program calls itself in a request, "" where it does not."""
    match params:
        case {"clientInfo": {"name": str(name)}} if method == "initialize":
            return name
        # The present revision of MCP has no `initialize`: each request carries the name.
        case {"_meta": {"io.modelcontextprotocol/clientInfo": {"name": str(name)}}}:
            return name
        case _:
            return ""


# A program says at once who it is.
_FIRST_LINE_S = 10.0
_MOST_CONNECTIONS = 256
IDLE_S = 30 * 60.0
"""A daemon that no program is connected to ends after so long."""
LOOK_S = 5.0
"""So often a daemon in the background looks whether the settings are still those that it was started with."""
# Without room for another descriptor, accepting fails until somebody has gone.
_AGAIN_S = 1.0
# Clients of the older protocol that go without a word leave their session behind for so long.
_SESSION_IDLE_S = 600.0
_MOST_SESSIONS = 500
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServerParts:
    """What is served: the tools, and addresses beside theirs.

    Each connection at the socket is served inside a `connection`: what was begun over it ends with it.
    `is_busy` says whether a call goes on, or something that outlives the call that began it.
    """

    mcp: MCPServer[Any]
    routes: Sequence[BaseRoute] = ()
    connection: Callable[[], AbstractAsyncContextManager[None]] = nullcontext
    is_busy: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True)
class Http:
    """Where HTTP is served, and to whom."""

    listener: socket.socket
    tokens: Tokens


class End(Enum):
    """How a daemon ends: after those who are connected, or at once."""

    RETIRES = auto()
    STOPS = auto()


@dataclass
class Presence:
    """Who is connected, and whether nobody has been for long, and nothing goes on for anybody."""

    idle_s: float
    is_busy: Callable[[], bool] = lambda: False
    _here: int = 0
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    @contextmanager
    def here(self) -> Generator[None]:
        """Be connected."""
        self._here += 1
        self._changed.set()
        try:
            yield
        finally:
            self._here -= 1
            self._changed.set()

    async def all_gone(self) -> None:
        """Return once nobody has been connected for as long as that is waited for."""
        while True:
            self._changed.clear()
            try:
                async with asyncio.timeout(None if self._here else self.idle_s):
                    await self._changed.wait()
            except TimeoutError:
                # A run may outlive its connection, and would be lost with the daemon.
                if not self.is_busy():
                    return


class Daemon:
    """Serves the parts at a socket until `end` is called, or nobody has asked for long.

    `stays`: a person has started it, so that it neither ends by itself nor makes room for another. Else it also
    ends once it `is_outdated` and nothing goes on: the bridges that are connected start another one.
    """

    def __init__(
        self,
        lock: DaemonLock,
        parts: ServerParts,
        book: ClientRegistry,
        settings: ServerSettings,
        *,
        stays: bool,
        is_outdated: Callable[[], bool] = lambda: False,
        look_s: float = LOOK_S,
        idle_s: float = IDLE_S,
    ) -> None:
        self._lock = lock
        self._parts = parts
        self._clients = ClientLookup(book)
        self._settings = settings
        self._stays = stays
        self._is_outdated = is_outdated
        self._look_s = look_s
        self._presence = Presence(idle_s, parts.is_busy)
        self._ended: asyncio.Future[End] = asyncio.get_running_loop().create_future()
        self._gave_up = asyncio.Event()
        self._connections: set[asyncio.Task[None]] = set()
        self._endpoint: HttpEndpoint | None = None
        self._web: LocalServer | None = None
        self._url = ""

    def end(self, how: End) -> None:
        """Begin to end."""
        if not self._ended.done():
            self._ended.set_result(how)

    async def serve(self, http: Http | None = None) -> None:
        """Serve until the end; where that is given, over HTTP too."""
        sessions = _sessions(self._parts.mcp)
        if http is not None:
            self._endpoint = HttpEndpoint(
                sessions,
                self._parts.routes,
                http.tokens,
                self._clients,
                self._settings,
                self._presence.here,
            )
            self._web = LocalServer(self._endpoint, ending=lambda: None)
            self._url = url_of(http.listener)
        with closing(self._clients):
            async with sessions.run(), asyncio.TaskGroup() as tasks:
                working = [tasks.create_task(self._accept(tasks, sessions.app))]
                if not self._stays:
                    working.append(tasks.create_task(self._end_when_idle()))
                    working.append(tasks.create_task(self._end_when_outdated()))
                if http is not None and self._web is not None:
                    tasks.create_task(self._web.serve([http.listener]))
                how = End.STOPS
                try:
                    how = await self._ended
                finally:
                    for task in working:
                        task.cancel()
                    await asyncio.wait(working)
                    # Others may take the place now, while this one serves who is still connected.
                    self._lock.give_up()
                    self._gave_up.set()
                    self._end_http(how)
                    if how is End.STOPS:
                        for connection in self._connections:
                            connection.cancel()

    def _end_http(self, how: End) -> None:
        """Take in no more; let those that are served come to their end, where there is time for that."""
        if self._web is None or self._endpoint is None:
            return
        if how is End.RETIRES:
            # No time limit: replies that have begun are sent to their end.
            self._web.config.timeout_graceful_shutdown = None
            self._endpoint.stop_listening()
        else:
            self._endpoint.close()
        self._web.should_exit = True

    async def _end_when_idle(self) -> None:
        await self._presence.all_gone()
        self.end(End.RETIRES)

    async def _end_when_outdated(self) -> None:
        while True:
            await asyncio.sleep(self._look_s)
            # In a thread, since it reads the settings file. Connected bridges start another daemon with
            # their next call (decision 37).
            if await asyncio.to_thread(self._is_outdated) and not self._parts.is_busy():
                self.end(End.STOPS)
                return

    async def _accept(self, tasks: asyncio.TaskGroup, server: Server[Any]) -> None:
        listener = self._lock.listener
        if listener is None:
            return
        listener.setblocking(False)
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = await loop.sock_accept(listener)
            except OSError as exc:
                _log.error("No connection can be accepted: %s", place_of(exc))
                await asyncio.sleep(_AGAIN_S)
                continue
            # Each takes a descriptor, of which a process has 1,024 on many systems.
            if len(self._connections) >= _MOST_CONNECTIONS:
                connection.close()
                continue
            task = tasks.create_task(self._serve(connection, server))
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)

    async def _serve(self, connection: socket.socket, server: Server[Any]) -> None:
        """Serve one connection to its end. What goes wrong with it is its own."""
        assert sys.platform != "win32"
        try:
            # The system tells whose process is at the other end: no token is asked (decision 37).
            if not is_ours(connection):
                connection.close()
                return
            reader, writer = await asyncio.open_unix_connection(
                sock=connection, limit=MAX_BODY_BYTES
            )
        except OSError:
            connection.close()
            return
        try:
            await self._talk(reader, writer, server)
        # The program has disconnected.
        except OSError:
            pass
        except Exception as exc:  # noqa: BLE001 - its text may hold what was asked
            _log.error("A connection failed: %s", place_of(exc))
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _talk(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, server: Server[Any]
    ) -> None:
        try:
            async with asyncio.timeout(_FIRST_LINE_S):
                line = await reader.readuntil(b"\n")
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            return
        hello = read_first_line(line) if len(line) <= LONGEST_LINE else None
        if hello is None:
            return
        _version, client, is_to_retire = hello
        if is_to_retire:
            # `askance serve` asks for it, and a bridge of another version; a daemon that a person has
            # started stays (decision 37).
            if not self._stays:
                self.end(End.RETIRES)
                # The other one takes the place as soon as it has read this.
                await self._gave_up.wait()
            writer.write(answer(STAYS if self._stays else RETIRING, self._url))
            await writer.drain()
            return
        with self._presence.here():
            async with self._parts.connection():
                writer.write(answer(SERVING, self._url))
                await serve_streams(server, reader, writer, self._clients, client)


def url_of(listener: socket.socket) -> str:
    """Return the address at which a socket listens, as it is written for programs of this machine."""
    host, port = listener.getsockname()[:2]
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - whatever it listens on, it is here too
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _sessions(mcp: MCPServer[Any]) -> StreamableHTTPSessionManager:
    """Return what serves the tools over HTTP; its `app` is what serves them over a stream."""
    # Called for its side effect: it creates the session manager. The app itself is not served.
    mcp.streamable_http_app(
        # The endpoint has looked at Host, Origin and the length of the body before.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        max_request_body_size=MAX_BODY_BYTES,
        session_idle_timeout=_SESSION_IDLE_S,
        max_sessions=_MOST_SESSIONS,
    )
    return mcp.session_manager
