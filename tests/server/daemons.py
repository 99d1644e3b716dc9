"""A daemon in this process, at a socket and a port of its own, with tools that say what was begun."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from askance.adapters.storage.clients import SqliteClientBook
from askance.config.settings import ServerSettings
from askance.local_service.service_process import listen
from askance.server.clients import Tokens, current_client, own_token
from askance.server.daemon import IDLE_S, Daemon, End, Http, ServerParts, url_of
from askance.server.daemon_connection import DaemonLock, acquire_lock, address
from waiting import patience

SLOW = "slow"
"""A tool that waits until it is let go on."""


@dataclass
class Tools:
    """What was begun by whom, and what ended how."""

    begun: list[str] = field(default_factory=list[str])
    ended: list[str] = field(default_factory=list[str])
    slow_begun: asyncio.Event = field(default_factory=asyncio.Event)
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    is_busy: bool = False

    def door(self) -> ServerParts:
        mcp: MCPServer[Any] = MCPServer("test")

        async def echo(text: str) -> str:
            """Give back what was said."""
            self.begun.append(current_client().name)
            return text

        async def slow() -> str:
            """Wait."""
            self.begun.append(current_client().name)
            self.slow_begun.set()
            try:
                await self.go_on.wait()
            except asyncio.CancelledError:
                self.ended.append("cancelled")
                self.cancelled.set()
                raise
            self.ended.append("done")
            return "done"

        async def route(request: Request) -> Response:
            self.begun.append(current_client().name)
            return JSONResponse({"length": len(await request.body())})

        mcp.tool()(echo)
        mcp.tool()(slow)
        routes = [Route("/v1/echo", route, methods=["GET", "POST"])]
        return ServerParts(mcp, routes, is_busy=lambda: self.is_busy)


@dataclass
class Running:
    """A daemon that serves, and what it was asked."""

    environment: dict[str, str]
    daemon: Daemon
    tools: Tools
    book: SqliteClientBook
    serving: asyncio.Task[None]
    port: int = 0
    token: str = ""

    async def program(self, name: str = "tester") -> Program:
        """Connect as a bridge does."""
        return await introduced(self.environment, name)


@dataclass
class Program:
    """The other end of a connection at the socket."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    def write(self, data: bytes) -> None:
        self.writer.write(data)

    def say(self, method: str, number: int | None = 1, **params: Any) -> None:
        """Write a message of the present revision."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        message["params"]["_meta"] = META
        if number is not None:
            message["id"] = number
        self.write(json.dumps(message).encode() + b"\n")

    def call(self, tool: str, number: int = 1, **arguments: Any) -> None:
        self.say("tools/call", number, name=tool, arguments=arguments)

    async def heard(self, number: int | None = 1) -> dict[str, Any]:
        """Return what answers a message."""
        async with patience():
            while line := await self.reader.readline():
                message: dict[str, Any] = json.loads(line)
                if message.get("id") == number and "method" not in message:
                    return message
        raise EOFError

    async def said_to(self, text: str, number: int = 1) -> str:
        """Call `echo`, and return what comes back."""
        self.call("echo", number, text=text)
        return str((await self.heard(number))["result"]["content"][0]["text"])

    async def at_end(self) -> bytes:
        """Return what still comes until the daemon closes."""
        async with patience():
            try:
                return await self.reader.read()
            except ConnectionResetError:
                return b""

    async def close(self) -> None:
        self.writer.close()
        with suppress(OSError):
            await self.writer.wait_closed()


async def introduced(environment: Mapping[str, str], name: str) -> Program:
    """Connect to the daemon of a home as a bridge does. Raises OSError: there is none."""
    program = Program(*await asyncio.open_unix_connection(address(environment)))
    program.write(json.dumps({"askance": "x", "client": name}).encode() + b"\n")
    async with patience():
        assert json.loads(await program.reader.readline())["state"] == "serving"
    return program


META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "itself", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def seat_in(home: Path) -> tuple[dict[str, str], DaemonLock]:
    """Take the place of the daemon of a home."""
    environment = {"ASKANCE_HOME": str(home)}
    seat = acquire_lock(environment)
    assert seat is not None
    return environment, seat


@asynccontextmanager
async def running(
    home: Path,
    *,
    stays: bool = True,
    http: bool = False,
    is_outdated: Callable[[], bool] = lambda: False,
    idle_s: float = IDLE_S,
    **chosen: Any,
) -> AsyncIterator[Running]:
    """Serve for as long as the context lasts, or until the daemon ends by itself."""
    environment, seat = seat_in(home)
    settings = ServerSettings(**chosen)
    book = SqliteClientBook(home / "clients.sqlite3", lambda reported: None)
    tools = Tools()
    listener = listen("127.0.0.1", 0) if http else None
    token_file = home / "server.token"
    web = Http(listener, Tokens(token_file, book)) if listener is not None else None
    daemon = Daemon(
        seat,
        tools.door(),
        book,
        settings,
        stays=stays,
        is_outdated=is_outdated,
        look_s=0.01,
        idle_s=idle_s,
    )
    async with asyncio.TaskGroup() as tasks:
        run = Running(environment, daemon, tools, book, tasks.create_task(daemon.serve(web)))
        if listener is not None:
            run.port = int(url_of(listener).rpartition(":")[2])
            run.token = own_token(token_file)
        try:
            yield run
        finally:
            daemon.end(End.STOPS)
            tools.go_on.set()
            async with patience():
                await asyncio.wait({run.serving})
            seat.give_up()
            book.close()
