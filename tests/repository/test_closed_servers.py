"""A server of the tests that ends leaves no connection behind, however fresh it is."""

from __future__ import annotations

import asyncio
import gc
import socket
import warnings

import pytest

from servers.faults import stalls
from servers.loopback import serve
from servers.socks import socks5
from servers.tunnels import serve_tunnels


async def loopback_ends(turns: int) -> socket.socket:
    async with serve(stalls) as server:
        return await called(server.port, turns)


async def tunnels_end(turns: int) -> socket.socket:
    async with serve(stalls) as server, serve_tunnels(socks5, server.port) as tunnels:
        return await called(tunnels.port, turns)


async def called(port: int, turns: int) -> socket.socket:
    """Connect, and give the server so many turns of the event loop to see it."""
    caller = socket.create_connection(("127.0.0.1", port))
    for _ in range(turns):
        await asyncio.sleep(0)
    return caller


@pytest.mark.parametrize("ends", [loopback_ends, tunnels_end])
@pytest.mark.parametrize("turns", range(8))
def test_a_server_that_ends_leaves_no_connection_open(ends, turns: int):
    gc.freeze()  # what was there before is not looked through
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ResourceWarning)
        asyncio.run(ends(turns)).close()
        gc.collect()
    assert [str(warning.message) for warning in warned] == []
