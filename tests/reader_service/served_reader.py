"""The service in this process, behind a real port, around whatever reader a test hands in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from askance.adapters.network.guarded_http import service_client
from askance.adapters.network.own_services import ServiceAuth
from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.reader.network import Resolver
from askance.adapters.reader.reader_protocol import LINES_TYPE, ReadReply, ReplyLine
from askance.config.settings import ReaderSettings
from askance.domain.ports.web import PageReader
from askance.local_service.credentials import RequestProof, Token
from askance.local_service.service_process import LocalServer, listen
from askance.services.reader import ReadLimiter, build_app

TOKEN = "open-sesame-and-more-than-that"  # noqa: S105 - it opens nothing else
KNOWN = ServiceAuth(Token(TOKEN), "page reader", "the service of the tests")


def authorization(body: bytes = b"", method: str = "POST") -> str:
    """The proof of a request for `/read` that is written by hand."""
    return RequestProof.fresh(Token(TOKEN), method, "/read", body).header()


@dataclass
class Service:
    port: int
    client: httpx.AsyncClient
    limiter: ReadLimiter
    server: LocalServer

    async def read(self, url: str, **fields: Any) -> httpx.Response:
        return await self.client.post("/read", json={"url": url, **fields}, auth=KNOWN)

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


def raw(*lines: str, body: bytes = b"") -> bytes:
    """A request, byte by byte."""
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def asking(url: str, proof: str | None = None) -> bytes:
    """A request for a page, byte by byte, with its own proof unless another one is given."""
    body = b'{"url": "%s"}' % url.encode()
    proof = authorization(body) if proof is None else proof
    return raw("POST /read HTTP/1.1", "Host: localhost", f"Authorization: {proof}", "Connection: close",
               "Content-Type: application/json", f"Content-Length: {len(body)}", body=body)  # fmt: skip


def lines_of(response: httpx.Response) -> list[ReplyLine]:
    """What a reply to `/read` says, line by line."""
    assert response.status_code == 200, response.text
    assert response.headers["Content-Type"] == LINES_TYPE
    assert response.content.endswith(b"\n")
    return [ReplyLine.model_validate_json(line) for line in response.content.splitlines()]


def page_of(response: httpx.Response) -> ReadReply:
    """The page that a reply ends with."""
    page = lines_of(response)[-1].page
    assert page is not None
    return page


@asynccontextmanager
async def serving(
    reader: PageReader,
    *,
    proxy: str = "",
    at_once: int = 20,
    ready: Callable[[], bool] = lambda: True,
) -> AsyncIterator[Service]:
    limiter = ReadLimiter(reader, proxy=proxy, at_once=at_once)
    listener = listen("127.0.0.1", 0)
    server = LocalServer(build_app(limiter, token=Token(TOKEN), ready=ready), ending=limiter.close)
    port = listener.getsockname()[1]
    with listener:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(server.serve([listener]))
            try:
                async with service_client(
                    f"http://127.0.0.1:{port}", connect_timeout_s=5.0
                ) as client:
                    yield Service(port, client, limiter, server)
            finally:
                server.should_exit = True


@asynccontextmanager
async def reading(resolver: Resolver, **settings: Any) -> AsyncIterator[Service]:
    """The service around the real reader."""
    chosen = ReaderSettings(**settings)
    async with (
        InProcessReader(chosen, workers=1, resolver=resolver) as reader,
        serving(reader, proxy=chosen.proxy, ready=lambda: reader.ready) as service,
    ):
        yield service
