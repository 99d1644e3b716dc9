"""A program at the socket: MCP's messages a line each, and whose they are."""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
from collections.abc import Callable
from typing import Any

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from mcp.server.lowlevel.server import Server
from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, JSONRPCRequest, jsonrpc_message_adapter

from askance.domain.clients import Client
from askance.domain.errors import StorageError, place_of
from askance.server.clients import CURRENT, ClientLookup, named

# Where clients of the present revision say with each request what they are called.
_CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
_log = logging.getLogger(__name__)


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
    messages = _IncomingMessages(reader, answers, _Speaker(clients, name))
    await server.run(messages, answers, server.create_initialization_options())


class _Speaker:
    """Whose messages come over a connection."""

    def __init__(self, clients: ClientLookup, name: str) -> None:
        self._clients = clients
        self._is_chosen = bool(name)
        self._name = named(name)

    async def of(self, message: object) -> Client:
        """Return the client of a message, with what it may do now."""
        if isinstance(message, JSONRPCRequest) and not self._is_chosen:
            self._name = _name_in(message.method, message.params) or self._name
        try:
            return await self._clients.known(self._name)
        except StorageError as exc:
            _log.error("A program may do nothing: %s", place_of(exc))
            return Client(self._name, frozenset())


class _IncomingMessages(ObjectReceiveStream[SessionMessage | Exception]):
    """What a program says: a `ReadStream` of the SDK, which knows the client of each message.

    `last_context` is what the SDK runs the handler of the last message in.
    """

    def __init__(self, reader: asyncio.StreamReader, answers: _Answers, speaker: _Speaker) -> None:
        self.last_context: contextvars.Context | None = None
        self._reader = reader
        self._answers = answers
        self._speaker = speaker

    async def receive(self) -> SessionMessage | Exception:
        """Return the next message, or what is wrong with it.

        Raises:
            anyio.EndOfStream: the program has ended.
        """
        line = await self._line()
        if not line:
            raise anyio.EndOfStream
        self.last_context = contextvars.copy_context()
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError as exc:
            return exc
        self.last_context.run(CURRENT.set, await self._speaker.of(message))
        return SessionMessage(message)

    async def _line(self) -> bytes:
        """Return the next line, b"" at the end. One that is too long is reported, and passed over."""
        is_too_long = False
        while True:
            try:
                line = await self._reader.readuntil(b"\n")
            except asyncio.LimitOverrunError as exc:
                await self._reader.readexactly(exc.consumed)
                is_too_long = True
            except asyncio.IncompleteReadError as exc:
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
    where = _part(params, "clientInfo") if method == "initialize" else None
    where = where or _part(_part(params, "_meta"), _CLIENT_INFO)
    name = _part(where, "name")
    return name if isinstance(name, str) else ""


def _part(of: object, key: str) -> Any:
    get: Callable[[str], Any] | None = getattr(of, "get", None)
    return get(key) if get is not None else None
