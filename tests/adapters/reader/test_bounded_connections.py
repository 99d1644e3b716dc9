"""What a server sends around a page is bounded, and no piece of it keeps the loop for long."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import httpx
import pytest

from askance.adapters.network.guarded_http import HEAD_BYTES, PIECE_BYTES, page_client
from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.reader.network import MappedResolver, page_transport
from askance.config.settings import ReaderSettings
from askance.domain.web_pages import PageReason, PageStatus
from fakes.outbound import ignore
from servers.loopback import Handler, Request, Wire, serve
from servers.site import ScriptedResolver

URL = "http://site.example/page"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
MB = 1_000_000


@asynccontextmanager
async def client_of(handler: Handler) -> AsyncIterator[httpx.AsyncClient]:
    async with serve(handler) as server:
        resolver = MappedResolver(
            {"site.example": ("127.0.0.1", server.port)}, ScriptedResolver({})
        )
        transport = page_transport(resolver, ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
        async with page_client(transport) as client:
            yield client


def saying(*parts: bytes) -> Handler:
    async def handle(request: Request, wire: Wire) -> None:
        await wire.raw(b"".join(parts))

    return handle


async def test_others_have_their_turn_after_a_few_hundred_pieces_of_a_page():
    chunks, here, most = 200_000, 0, 0

    async def others() -> None:
        nonlocal here
        while True:
            await asyncio.sleep(0)
            here = 0

    async with client_of(saying(HEAD, b"2\r\nxx\r\n" * chunks, b"0\r\n\r\n")) as client:
        turns = asyncio.get_running_loop().create_task(others())
        async with client.stream("GET", URL) as response:
            async for _ in response.aiter_raw():
                here += 1
                most = max(most, here)
        turns.cancel()
    assert most <= PIECE_BYTES // 7 + 2


@pytest.mark.parametrize(
    "around",
    [
        b"HTTP/1.1 103 Early Hints\r\n\r\n" * 4_000,
        b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 10_000,
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * HEAD_BYTES,
        HEAD + b"5;" + b"x" * 2 * HEAD_BYTES + b"\r\nhello\r\n0\r\n\r\n",
        HEAD + b"1\r\nx\r\n" * 40_000 + b"0\r\n\r\n",
        HEAD + b"5\r\nhello\r\n0\r\n" + b"t: x\r\n" * 20_000 + b"\r\n",
    ],
    ids=["interim", "headers", "header", "extension", "one-byte chunks", "trailers"],
)
async def test_more_around_a_page_than_belongs_to_it_ends_the_connection(around: bytes):
    async with client_of(saying(around)) as client:
        with pytest.raises(httpx.TransportError):
            await client.get(URL)


async def test_a_limit_for_a_page_is_one_for_its_connection():
    sent = 0

    async def handle(request: Request, wire: Wire) -> None:
        nonlocal sent
        await wire.raw(HEAD)
        chunk = b"1;" + b"x" * 20_000 + b"\r\nx\r\n"
        with suppress(ConnectionError):
            while sent < 400 * MB:
                await wire.raw(chunk)
                sent += len(chunk)

    async with client_of(handle) as client:
        with pytest.raises(httpx.TransportError):
            await client.get(URL)
    # What the kernel takes for nobody is a few megabytes.
    assert sent < 20 * MB


async def test_a_page_in_small_chunks_and_under_many_headers_is_read():
    headers = b"".join(b"X-Header-%d: some value\r\n" % n for n in range(200))
    chunks = b"".join(b"10\r\n<p>harbour words\r\n" for _ in range(5_000))
    whole = HEAD[:-2] + headers + b"\r\n" + chunks + b"0\r\nTrailer: x\r\n\r\n"
    async with client_of(saying(whole)) as client:
        assert len((await client.get(URL)).content) == 5_000 * 16


async def test_what_nobody_expected_of_a_page_is_its_reason_and_stands_in_the_log_without_it(
    caplog: pytest.LogCaptureFixture,
):
    class Broken:
        async def resolve(self, host: str, port: int) -> list[object]:
            raise RuntimeError(f"no idea of {host}")

    async with InProcessReader(ReaderSettings(), workers=1, resolver=Broken()) as reader:  # pyright: ignore[reportArgumentType]
        page = await reader.read("http://secret.example/", sent=ignore)
    assert (page.status, page.reason) == (PageStatus.FAILED, PageReason.INTERNAL)
    assert page.detail
    assert "RuntimeError in resolve" in caplog.text
    assert "secret" not in caplog.text
    caplog.clear()
