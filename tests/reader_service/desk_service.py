"""The service in this process, behind a real port, around whatever reader a test hands in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from askance.adapters.http import service_client
from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.reader.resolver import Resolver
from askance.config.settings import ReaderSettings
from askance.ports.reader import PageReader
from askance.reader_service.app import build_app
from askance.reader_service.desk import Desk
from askance.reader_service.secret import Token
from askance.reader_service.server import ReaderServer, listen

TOKEN = "open-sesame"  # noqa: S105 - it opens nothing else
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@dataclass
class Service:
    port: int
    client: httpx.AsyncClient
    desk: Desk
    server: ReaderServer

    async def read(self, url: str, **fields: Any) -> httpx.Response:
        return await self.client.post("/read", json={"url": url, **fields}, headers=BEARER)

    async def say(self, request: bytes) -> tuple[str, str]:
        """Send raw bytes and return the head and the body of what comes back until it is closed."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(request)
            await writer.drain()
            head, _, body = (await reader.read()).decode("latin-1").partition("\r\n\r\n")
        finally:
            writer.close()
        return head, body


@asynccontextmanager
async def serving(
    reader: PageReader,
    *,
    proxy: str = "",
    at_once: int = 20,
    ready: Callable[[], bool] = lambda: True,
) -> AsyncIterator[Service]:
    desk = Desk(reader, proxy=proxy, at_once=at_once)
    listener = listen("127.0.0.1", 0)
    server = ReaderServer(build_app(desk, token=Token(TOKEN), ready=ready), ending=desk.close)
    port = listener.getsockname()[1]
    with listener:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(server.serve([listener]))
            try:
                async with service_client(
                    f"http://127.0.0.1:{port}", connect_timeout_s=5.0
                ) as client:
                    yield Service(port, client, desk, server)
            finally:
                server.should_exit = True


@asynccontextmanager
async def reading(resolver: Resolver, **settings: Any) -> AsyncIterator[Service]:
    """The service around the real reader."""
    chosen = ReaderSettings(**{"retry_after_s": 0.0, "workers": 1, **settings})
    async with (
        InProcessReader(chosen, resolver=resolver) as reader,
        serving(reader, proxy=chosen.proxy, ready=lambda: reader.ready) as service,
    ):
        yield service
