"""The end of a server on asyncio: no connection is left between the kernel and its handler."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

# A connection is accepted in one turn of the event loop, gets its transport in the next, its
# protocol in a third, and its handler begins in a fourth. A loop that ends sooner leaves it open.
_TURNS = 5


async def close_server(server: asyncio.Server) -> None:
    """Take no more connections, hand those that were accepted to their handlers, and close.

    Closing alone does not: asyncio then drops, unclosed, what has no transport yet.
    """
    loop = asyncio.get_running_loop()
    for sock in server.sockets:
        with suppress(NotImplementedError):  # a loop without readers, on Windows
            loop.remove_reader(sock.fileno())
    for _ in range(_TURNS):
        await asyncio.sleep(0)
    server.close()


@asynccontextmanager
async def listening(
    connected: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[int]:
    """Serve connections on a free loopback port, which is yielded."""
    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        await close_server(server)
