"""Requests as bytes, to a daemon at a real port."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress

from server.daemons import META, Running
from waiting import patience

CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "echo", "arguments": {"text": "x"}, "_meta": META},
}
BODY = json.dumps(CALL).encode()
PATHS = ("/mcp", "/v1/echo")


def head(run: Running, target: str = "/mcp", /, *lines: str, **changed: str | None) -> bytes:
    """Return the head of a request that would be served, but for what is changed of it; None leaves out."""
    headers: dict[str, str | None] = {
        "host": f"127.0.0.1:{run.port}",
        "authorization": f"Bearer {run.token}",
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
        "content-length": str(len(BODY)),
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "echo",
        "connection": "close",
    }
    headers |= {name.replace("_", "-"): value for name, value in changed.items()}
    written = [f"{name}: {value}" for name, value in headers.items() if value is not None]
    return "\r\n".join([f"POST {target} HTTP/1.1", *written, *lines, "", ""]).encode("latin-1")


async def replied(run: Running, request: bytes) -> bytes:
    """Send a request, and return all that comes until the end of the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", run.port)
    try:
        with suppress(ConnectionError):
            writer.write(request)
            await writer.drain()
        reply = b""
        async with patience():
            with suppress(ConnectionError):
                while piece := await reader.read(65_536):
                    reply += piece
        return reply
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


def status(reply: bytes) -> int:
    return int(reply.split(b" ", 2)[1]) if reply else 0


async def refused(run: Running, request: bytes, *expected: int) -> None:
    """A request is refused, nothing began, and the next is served."""
    reply = await replied(run, request)
    assert status(reply) in expected, reply[:300]
    assert reply.count(b"HTTP/1.1 ") == (1 if reply else 0)
    assert run.tools.begun == []
    assert run.token.encode() not in reply


async def served(run: Running) -> None:
    for path in PATHS:
        reply = await replied(run, head(run, path) + BODY)
        assert status(reply) == 200, reply
    assert run.tools.begun == ["default", "default"]
