"""Proxies that lead every host to one loopback server, and note which hosts were asked for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from servers.closing import close_server

Greeting = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[str]]
"""Takes a client's request for a tunnel, grants it, and returns the `host:port` that it names."""


@dataclass
class Tunnels:
    """A running proxy: its address, and the `host:port` of every tunnel that was asked for."""

    port: int
    asked: list[str] = field(default_factory=list[str])
    open_connections: int = 0
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def until_idle(self) -> None:
        """Wait until no connection is open."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.open_connections == 0)

    async def note(self, step: int = 0, asked: str = "") -> None:
        async with self._changed:
            self.open_connections += step
            if asked:
                self.asked.append(asked)
            self._changed.notify_all()


@asynccontextmanager
async def serve_tunnels(greet: Greeting, target_port: int) -> AsyncIterator[Tunnels]:
    """Serve on a free loopback port; whatever host a tunnel is for, it ends at the target."""
    open_ends: set[asyncio.StreamWriter] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_ends.add(writer)
        await tunnels.note(+1)
        try:
            await tunnels.note(asked=await greet(reader, writer))
            onward_reader, onward_writer = await asyncio.open_connection("127.0.0.1", target_port)
            async with asyncio.TaskGroup() as group:
                group.create_task(_pump(reader, onward_writer))
                group.create_task(_pump(onward_reader, writer))
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()
            open_ends.discard(writer)
            await tunnels.note(-1)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    tunnels = Tunnels(server.sockets[0].getsockname()[1])
    try:
        yield tunnels
    finally:
        await close_server(server)
        for writer in list(open_ends):
            writer.transport.abort()
        await tunnels.until_idle()


async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
    """An HTTP proxy: `CONNECT host:port`."""
    head = await reader.readuntil(b"\r\n\r\n")
    method, place, _ = head.decode("latin-1").split(" ", 2)
    if method != "CONNECT":  # of another test, whose server had this port before
        writer.write(b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n")
        raise ConnectionError(f"a proxy of tunnels was asked to {method} {place}")
    writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
    return place


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()
