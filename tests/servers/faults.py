"""What a server can do wrong, each as a handler for `servers.loopback.serve`."""

from __future__ import annotations

import random
import socket
from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle

from servers.loopback import Handler, Request, Wire


async def hangs_up(request: Request, wire: Wire) -> None:
    """The connection ends without a word."""
    wire.abort()


async def stalls(request: Request, wire: Wire) -> None:
    """Nothing comes, until the client goes."""
    await wire.client_gone()


async def fails(request: Request, wire: Wire) -> None:
    """Status 500."""
    await wire.send("internal error", 500, {"Content-Type": "text/plain"})


async def talks_nonsense(request: Request, wire: Wire) -> None:
    """Status 200, from something else altogether."""
    await wire.send("<html>It works!</html>", 200, {"Content-Type": "application/json"})


async def breaks_off(request: Request, wire: Wire) -> None:
    """A reply that promises more than it sends."""
    await wire.send(b"{", headers={"Content-Length": "1000", "Content-Type": "text/markdown"})
    wire.abort()


async def stalls_in_mid_reply(request: Request, wire: Wire) -> None:
    """A reply that begins and does not go on."""
    await wire.send(b"{", headers={"Content-Length": "1000", "Content-Type": "text/markdown"})
    await wire.client_gone()


FAULTS: dict[str, Handler] = {
    "hangs_up": hangs_up,
    "stalls": stalls,
    "fails": fails,
    "talks_nonsense": talks_nonsense,
    "breaks_off": breaks_off,
    "stalls_in_mid_reply": stalls_in_mid_reply,
}


@dataclass
class Breakable:
    """A handler that a fault can take the place of; `fault_of` says for which requests."""

    sound: Handler
    fault_of: Callable[[Request], Handler | None] = lambda request: None

    async def __call__(self, request: Request, wire: Wire) -> None:
        await (self.fault_of(request) or self.sound)(request, wire)


def address_of_nobody() -> str:
    """Return an address on loopback where nothing listens and nothing will; `free_port` is for what comes later."""
    holder = next(_HOLDERS)
    if holder.getsockname()[1] == 0:
        holder.bind(("127.0.0.1", 0))
    return f"http://127.0.0.1:{holder.getsockname()[1]}"


# Bound for as long as this process lives, and never listening: a port that was let go is soon another test's.
_HOLDERS = cycle([socket.socket() for _ in range(8)])


def free_port() -> int:
    """Return a port on which something may listen soon.

    It is below the ports that systems give out by themselves (32768 and up on Linux, 49152 and up elsewhere), so no
    server or client of another test takes it before the one that it is for.
    """
    while True:
        try:
            with socket.create_server(("127.0.0.1", random.randrange(20_000, 32_000))) as server:  # noqa: S311 - no secret
                return int(server.getsockname()[1])
        except OSError:
            continue
