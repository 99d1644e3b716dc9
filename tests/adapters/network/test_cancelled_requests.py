"""A request that is cancelled leaves no connection open, in whichever moment."""

from __future__ import annotations

import asyncio

import pytest

from askance.adapters.network.guarded_http import service_client
from servers.faults import stalls
from servers.loopback import serve
from waiting import patience


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_request_cancelled_in_any_turn_of_the_loop_leaves_no_connection(host: str):
    async with serve(stalls) as server:
        address = server.url.replace("127.0.0.1", host)
        async with service_client(address, connect_timeout_s=2) as client:
            for turns in range(40):
                async with asyncio.TaskGroup() as group:
                    asking = group.create_task(client.get("/"))
                    for _ in range(turns):
                        await asyncio.sleep(0)
                    asking.cancel()
                assert asking.cancelled()
                async with patience():
                    await server.until_idle()
