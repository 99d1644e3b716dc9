"""Handlers that send what they are told to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from servers.loopback import Handler, Request, Wire


def streaming(*pieces: bytes, then: Callable[[Wire], Awaitable[None]] | None = None) -> Handler:
    """Send these bytes, each in a chunk of its own."""

    async def handler(request: Request, wire: Wire) -> None:
        await wire.start()
        for piece in pieces:
            await wire.chunk(piece)
        if then is not None:
            await then(wire)

    return handler


def answering(status: int, body: bytes | str) -> Handler:
    """Send a whole reply."""
    return lambda request, wire: wire.send(body, status)


async def hang_up(wire: Wire) -> None:
    """End the connection in the middle."""
    wire.abort()
