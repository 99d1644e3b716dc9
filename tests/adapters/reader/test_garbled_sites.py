"""Whatever a server says, a page is a value: with its text, or with a reason."""

from __future__ import annotations

import asyncio
import ssl
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trustme

from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.reader.network import MappedResolver
from askance.config.settings import ReaderSettings
from askance.domain.web_pages import Page, PageReason, PageStatus
from fakes.outbound import ignore
from servers.garbled import damaging_relay, garbling, location, redirecting, reply, seeded
from servers.loopback import Request, Wire, serve
from servers.site import ScriptedResolver

SEED = 20261122
AT_ONCE = 16
# Longer than the server's part of any handshake, and shorter than the page behind it.
HANDSHAKE_BYTES = 6_000
TLS_PAGE = b"The harbour of Lindmouth was dredged in 1871.\n" * 600


@asynccontextmanager
async def reading(port: int) -> AsyncIterator[InProcessReader]:
    resolver = MappedResolver({"site.example": ("127.0.0.1", port)}, ScriptedResolver({}))
    settings = ReaderSettings().model_copy(update={"page_timeout_s": 30})
    async with InProcessReader(settings, workers=1, resolver=resolver) as reader:
        yield reader


async def read_all(reader: InProcessReader, urls: Sequence[str]) -> list[Page]:
    slots = asyncio.Semaphore(AT_ONCE)

    async def read(url: str) -> Page:
        async with slots:
            return await reader.read(url, sent=ignore)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(read(url)) for url in urls]
    return [task.result() for task in tasks]


def assert_each_has_a_reason(pages: Sequence[Page]) -> Counter[PageReason]:
    for page in pages:
        assert (page.reason is PageReason.NONE) is (page.status is PageStatus.OK), page
        assert bool(page.detail) is (page.status is not PageStatus.OK), page
        assert page.reason not in {PageReason.INTERNAL, PageReason.TIMED_OUT}, page
    return Counter(page.reason for page in pages)


@pytest.mark.exhaustive
async def test_300_redirect_targets_each_end_as_a_page_with_a_reason():
    chance = seeded(SEED)
    locations = [location(chance) for _ in range(300)]
    async with serve(redirecting(locations)) as server, reading(server.port) as reader:
        pages = await read_all(reader, [f"http://site.example/{n}" for n in range(300)])
    reported = assert_each_has_a_reason(pages)
    assert reported[PageReason.NONE] == 0
    assert reported[PageReason.REFUSED_ADDRESS] > 90
    assert reported[PageReason.NOT_FOUND] > 9


async def test_250_broken_http_replies_each_end_as_a_page_with_its_text_or_a_reason():
    chance = seeded(SEED)
    replies = [reply(chance) for _ in range(250)]

    async def handle(request: Request, wire: Wire) -> None:
        await wire.raw(replies[int(request.path[1:])])

    async with serve(handle) as server, reading(server.port) as reader:
        pages = await read_all(reader, [f"http://site.example/{n}" for n in range(250)])
    reported = assert_each_has_a_reason(pages)
    assert reported[PageReason.NETWORK] > 65


@pytest.mark.exhaustive
async def test_100_connections_that_break_under_tls_each_end_as_a_page_with_its_text_or_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("site.example").configure_cert(tls)
    chance = seeded(SEED)
    garblings = [garbling(chance) for _ in range(100)]

    async def handle(request: Request, wire: Wire) -> None:
        await wire.send(TLS_PAGE, headers={"Content-Type": "text/plain"})
        wire.abort()  # the end of TLS would wait for an answer of the client

    async with (
        serve(handle, tls=tls) as server,
        damaging_relay(server.port, garblings, HANDSHAKE_BYTES) as port,
        reading(port) as reader,
    ):
        pages = await read_all(reader, [f"https://site.example/{n}" for n in range(100)])
    reported = assert_each_has_a_reason(pages)
    assert reported[PageReason.NETWORK] > 40
