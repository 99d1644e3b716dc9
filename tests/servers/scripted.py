"""Handlers that send what they are told to, and one call to models on either kind of server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from askance.domain.ports.model import ChatMessage, ModelCall, ReplyPart, Role
from servers.loopback import Handler, Request, Wire, serve
from servers.ollama import FakeOllama
from servers.openai import FakeOpenAI

Fake = FakeOllama | FakeOpenAI
CALL = ModelCall((ChatMessage(Role.USER, "Where does Lisbon lie?"),), 50, temperature=0.3)


async def parts_of(fake: Fake, call: ModelCall = CALL, **settings: Any) -> list[ReplyPart]:
    """What comes of a call to a server."""
    async with (
        serve(fake) as server,
        fake.model(server.url, **settings) as model,
        model.reply(call) as parts,
    ):
        return [part async for part in parts]


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
