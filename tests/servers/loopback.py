"""A tiny HTTP server on loopback whose handler holds the wire in its hands: it can lie, stall and hang up."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from servers.closing import close_server


@dataclass
class Request:
    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        return {k: v[0] for k, v in parse_qs(urlsplit(self.target).query).items()}

    def json(self) -> Any:
        return json.loads(self.body)


class Wire:
    """The answering side of one connection. One request a connection; it is closed afterwards."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._chunked = False
        self.hung_up = False

    async def send(
        self, body: bytes | str = b"", status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        """A whole reply."""
        data = body.encode() if isinstance(body, str) else body
        await self._head(status, {"Content-Length": str(len(data)), **(headers or {})})
        await self.raw(data)

    async def send_json(self, value: Any, status: int = 200) -> None:
        await self.send(json.dumps(value), status, {"Content-Type": "application/json"})

    async def start(self, status: int = 200, headers: dict[str, str] | None = None) -> None:
        """Begin a streamed reply; `chunk` follows."""
        self._chunked = True
        await self._head(status, {"Transfer-Encoding": "chunked", **(headers or {})})

    async def chunk(self, data: bytes | str) -> None:
        piece = data.encode() if isinstance(data, str) else data
        await self.raw(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")

    async def raw(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()
        # Under TLS `drain` returns at once though the socket is gone, and asyncio warns of the fifth
        # write to it. After two turns of the event loop the stream knows, and raises.
        await asyncio.sleep(0)

    def abort(self) -> None:
        """Hang up at once: the client sees a cut stream."""
        self.hung_up = True
        self._writer.transport.abort()

    async def client_gone(self) -> None:
        """Wait until the client closes its side, in whatever way."""
        with suppress(ConnectionError):
            while await self._reader.read(65_536):
                pass

    async def _head(self, status: int, headers: dict[str, str]) -> None:
        lines = [f"HTTP/1.1 {status} Scripted", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        await self.raw("\r\n".join([*lines, "", ""]).encode())

    async def finish(self) -> None:
        if self._chunked and not self.hung_up:
            await self.raw(b"0\r\n\r\n")


Handler = Callable[[Request, Wire], Awaitable[None]]


async def endless(_: Request, wire: Wire) -> None:
    """Send a reply that never ends."""
    await wire.start()
    while True:
        await wire.chunk(b" " * 65_536)


@dataclass
class Loopback:
    """A running server: its address, what it was asked, and how many connections are open now."""

    url: str
    port: int
    requests: list[Request] = field(default_factory=list[Request])
    open_connections: int = 0
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def until_idle(self) -> None:
        """Wait until no connection is open."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.open_connections == 0)

    async def until_requests(self, count: int) -> None:
        """Wait until so many requests have come in."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.requests) >= count)

    async def _note(self, step: int, request: Request | None = None) -> None:
        async with self._changed:
            self.open_connections += step
            if request is not None:
                self.requests.append(request)
            self._changed.notify_all()


@asynccontextmanager
async def serve(
    handler: Handler, *, tls: ssl.SSLContext | None = None, port: int = 0
) -> AsyncIterator[Loopback]:
    """Serve on a free loopback port, or on this one, for as long as the context lasts."""
    running: set[asyncio.Task[Any]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        running.add(task)
        await server_info._note(+1)
        try:
            request = await _read_request(reader)
            if request is not None:
                await server_info._note(0, request)
                wire = Wire(reader, writer)
                await handler(request, wire)
                await wire.finish()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        except asyncio.CancelledError:
            if server.is_serving():
                raise
        finally:
            writer.close()
            running.discard(task)
            await server_info._note(-1)

    server = await asyncio.start_server(connected, "127.0.0.1", port, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    server_info = Loopback(f"{'https' if tls else 'http'}://127.0.0.1:{port}", port)
    try:
        yield server_info
    finally:
        await close_server(server)
        for task in list(running):
            task.cancel()


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    if not first:
        return None
    method, target, _ = first.split(" ", 2)
    headers = {k.strip().lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method, target, headers, body)
