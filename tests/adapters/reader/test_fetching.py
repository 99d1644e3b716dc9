"""One page's bytes from servers that lie, stall, grow and send one round in circles."""

from __future__ import annotations

import asyncio
import gzip
import ssl
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from askance.adapters.network.guarded_http import page_client
from askance.adapters.reader import inprocess
from askance.adapters.reader.inprocess import Fetched, Fetcher, NotFetched
from askance.adapters.reader.network import MappedResolver, page_transport
from askance.config.settings import ReaderSettings
from askance.domain.web_pages import PageReason, Validators
from fakes.outbound import ignore
from servers.loopback import Handler, Loopback, Request, Wire, serve
from servers.site import HTML, ScriptedResolver, article

URL = "http://site.example/page"
# Loading the authorities takes tens of milliseconds, and plain connections ask none.
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class Site:
    def __init__(self, fetcher: Fetcher, server: Loopback) -> None:
        self.fetcher = fetcher
        self.server = server

    async def refusal(self, url: str = URL) -> NotFetched:
        with pytest.raises(NotFetched) as caught:
            await self.fetcher.fetch(url, sent=ignore)
        assert caught.value.detail.endswith(".")
        return caught.value


@asynccontextmanager
async def site(handler: Handler, **limits: int) -> AsyncIterator[Site]:
    async with serve(handler) as server:
        place = "127.0.0.1", server.port
        names: dict[str, tuple[str, int]] = {"site.example": place, "other.example": place}
        resolver = MappedResolver(names, ScriptedResolver({"inner.example": [["10.0.0.7"]]}))
        async with page_client(page_transport(resolver, NO_TLS)) as client:
            yield Site(Fetcher(client, ReaderSettings(), **limits), server)


def page(body: bytes | str, headers: dict[str, str] = HTML, status: int = 200) -> Handler:
    async def handle(request: Request, wire: Wire) -> None:
        await wire.send(body, status, headers)

    return handle


def redirect(to: Callable[[Request], str]) -> Handler:
    async def handle(request: Request, wire: Wire) -> None:
        await wire.send(b"", 302, {"Location": to(request)})

    return handle


async def test_a_page_comes_with_its_address_and_its_type():
    async with site(page("<p>hello")) as at:
        assert await at.fetcher.fetch(URL, sent=ignore) == Fetched(
            URL, HTML["Content-Type"], b"<p>hello", Validators()
        )
        headers = at.server.requests[0].headers
    assert headers["host"] == "site.example"
    assert headers["accept"].startswith("text/html")
    assert "cookie" not in headers


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_followed_to_the_page(status: int):
    async def handle(request: Request, wire: Wire) -> None:
        if request.path == "/page":
            await wire.send(b"", status, {"Location": "http://other.example/there#top"})
        else:
            await wire.send("arrived", headers=HTML)

    async with site(handle) as at:
        assert (await at.fetcher.fetch(URL, sent=ignore)).final_url == "http://other.example/there"


@pytest.mark.parametrize(
    "inner",
    ["http://127.0.0.1:{port}/private", "http://127.0.0.1/", "http://localhost/admin", "http://[::1]/", "//2130706433/",
     "http://169.254.169.254/latest/meta-data/", "http://inner.example/", "http://site.example:{port}/",
     "http://127.0.0.1:x/", "file:///etc/passwd", "http://user@site.example/", "http://site.example\\@127.0.0.1/"],
)  # fmt: skip
async def test_a_redirect_inside_is_refused_before_anything_is_sent(inner: str):
    async with site(redirect(lambda _: inner.format(port=at.server.port))) as at:
        refusal = await at.refusal()
        assert refusal.reason is PageReason.REFUSED_ADDRESS
        assert len(at.server.requests) == 1


async def test_a_name_that_leads_inside_is_refused():
    async with site(page("never seen")) as at:
        refusal = await at.refusal("http://inner.example/")
        assert refusal.reason is PageReason.REFUSED_ADDRESS
        assert "10.0.0.7" in refusal.detail
        assert not at.server.requests


async def test_a_circle_of_redirects_is_noticed():
    async with site(redirect(lambda r: "/b" if r.path == "/page" else "/page")) as at:
        refusal = await at.refusal()
        assert refusal.reason is PageReason.REDIRECTS
        assert "circle" in refusal.detail
        assert len(at.server.requests) == 2


@pytest.mark.parametrize(("allowed", "requests"), [(0, 1), (3, 4)])
async def test_redirects_end_at_their_limit(
    allowed: int, requests: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(inprocess, "MAX_REDIRECTS", allowed)
    async with site(redirect(lambda r: f"{r.path}x")) as at:
        assert (await at.refusal()).reason is PageReason.REDIRECTS
        assert len(at.server.requests) == requests


async def test_as_many_redirects_as_allowed_are_followed():
    async def handle(request: Request, wire: Wire) -> None:
        hops = int(request.query.get("hop", 0))
        if hops < 5:
            await wire.send(b"", 302, {"Location": f"/page?hop={hops + 1}"})
        else:
            await wire.send("arrived", headers=HTML)

    async with site(handle) as at:
        assert (await at.fetcher.fetch(URL, sent=ignore)).data == b"arrived"


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (304, PageReason.HTTP_STATUS),
        (400, PageReason.HTTP_STATUS),
        (401, PageReason.DENIED),
        (403, PageReason.DENIED),
        (404, PageReason.NOT_FOUND),
        (410, PageReason.NOT_FOUND),
        (429, PageReason.DENIED),
        (451, PageReason.DENIED),
        (500, PageReason.HTTP_STATUS),
        (503, PageReason.HTTP_STATUS),
        (599, PageReason.HTTP_STATUS),
    ],
)
async def test_a_refusing_server_is_named_by_its_number(status: int, reason: PageReason):
    async with site(page("no", status=status)) as at:
        refusal = await at.refusal()
        assert refusal.reason is reason
        assert str(status) in refusal.detail
        assert len(at.server.requests) == 1


@pytest.mark.parametrize(
    "kind",
    ["image/png", "video/mp4", "application/zip", "application/json", "text/css", "font/woff2"],
)
async def test_a_type_that_holds_no_text_is_not_downloaded(kind: str):
    async with site(page(b"x" * 1000, {"Content-Type": kind})) as at:
        refusal = await at.refusal()
        assert refusal.reason is PageReason.NOT_TEXT
        assert kind in refusal.detail


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Content-Type": "application/pdf"},
        {"Content-Type": "TEXT/Plain; x"},
        {"Content-Type": "application/octet-stream"},
    ],
)
async def test_a_type_that_may_hold_text_is_downloaded(headers: dict[str, str]):
    async with site(page("words", headers)) as at:
        assert (await at.fetcher.fetch(URL, sent=ignore)).data == b"words"


async def test_a_length_over_the_limit_is_refused_before_the_body():
    async def handle(request: Request, wire: Wire) -> None:
        await wire.raw(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 20971520\r\n\r\n"
        )
        await wire.client_gone()

    async with site(handle) as at:
        assert (await at.refusal()).reason is PageReason.TOO_LARGE
        await at.server.until_idle()


async def test_twenty_megabytes_without_a_length_are_cut_at_the_limit():
    sent = 0

    async def handle(request: Request, wire: Wire) -> None:
        nonlocal sent
        await wire.start(headers=HTML)
        for _ in range(320):
            await wire.chunk(b"x" * 65_536)
            sent += 65_536

    async with site(handle, max_bytes=200_000) as at:
        refusal = await at.refusal()
        assert refusal.reason is PageReason.TOO_LARGE
        assert "200,000" in refusal.detail
        await at.server.until_idle()
        assert sent < 20 * 1024 * 1024


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "raw deflate", "x-gzip"])
async def test_a_packed_page_is_unpacked(encoding: str):
    body = article().encode()
    raw = zlib.compressobj(wbits=-15)
    packed = {
        "gzip": gzip.compress(body),
        "x-gzip": gzip.compress(body),
        "deflate": zlib.compress(body),
        "raw deflate": raw.compress(body) + raw.flush(),
    }[encoding]
    headers = {**HTML, "Content-Encoding": encoding.removeprefix("raw ")}
    async with site(page(packed, headers)) as at:
        assert (await at.fetcher.fetch(URL, sent=ignore)).data == body


async def test_a_page_that_says_gzip_and_is_not_is_taken_as_it_is():
    async with site(page("<p>plain", {**HTML, "Content-Encoding": "gzip"})) as at:
        assert (await at.fetcher.fetch(URL, sent=ignore)).data == b"<p>plain"


async def test_a_gzip_bomb_is_defused():
    bomb = gzip.compress(bytes(40_000_000))
    async with site(page(bomb, {**HTML, "Content-Encoding": "gzip"})) as at:
        assert len(bomb) < 2_000_000
        assert (await at.refusal()).reason is PageReason.TOO_LARGE


@pytest.mark.parametrize(
    ("start", "more"),
    [
        (
            gzip.compress(b"", mtime=0)[:10],
            b"\x00\x00\x00\xff\xff" * 2_000,
        ),  # blocks that hold nothing
        (gzip.compress(b"<p>all", mtime=0), b"x" * 10_000),  # what comes behind the end
    ],
)
async def test_packed_bytes_that_hold_nothing_count_as_well(start: bytes, more: bytes):
    async def handle(request: Request, wire: Wire) -> None:
        await wire.start(headers={**HTML, "Content-Encoding": "gzip"})
        await wire.chunk(start)
        while True:
            await wire.chunk(more)

    async with site(handle, max_bytes=100_000) as at:
        assert (await at.refusal()).reason is PageReason.TOO_LARGE
        await at.server.until_idle()


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br", "zstd", "nonsense"])
async def test_a_packing_that_was_not_offered_is_refused(encoding: str):
    async with site(page(b"\x1f\x8b\x08", {**HTML, "Content-Encoding": encoding})) as at:
        refusal = await at.refusal()
        assert refusal.reason is PageReason.NOT_TEXT
        assert encoding in refusal.detail


async def test_damaged_gzip_is_refused():
    damaged = gzip.compress(article().encode())[:20] + b"\xff" * 400
    async with site(page(damaged, {**HTML, "Content-Encoding": "gzip"})) as at:
        assert (await at.refusal()).reason is PageReason.NOT_TEXT


async def test_a_connection_that_breaks_is_tried_once_more():
    async def handle(request: Request, wire: Wire) -> None:
        if len(at.server.requests) == 1:
            await wire.raw(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\nhalf"
            )
            wire.abort()
        else:
            await wire.send("whole", headers=HTML)

    async with site(handle) as at:
        assert (await at.fetcher.fetch(URL, sent=ignore)).data == b"whole"
        assert len(at.server.requests) == 2


async def test_each_request_is_told_of_before_it_leaves_redirects_and_retries_too():
    reports: list[str] = []
    asked: list[list[str]] = []

    async def handle(request: Request, wire: Wire) -> None:
        asked.append(list(reports))
        if request.path == "/page":
            await wire.send(b"", 302, {"Location": "/there"})
        elif len(asked) == 2:
            wire.abort()
        else:
            await wire.send("arrived", headers=HTML)

    async with site(handle) as at:
        await at.fetcher.fetch(URL, sent=lambda request: reports.append(request.content))
    there = "http://site.example/there"
    assert reports == [URL, there, there]
    assert asked == [reports[:1], reports[:2], reports]


@pytest.mark.parametrize("junk", [b"", b"SSH-2.0-OpenSSH_9.2\r\n", b"HTTP/1.1 banana\r\n\r\n",
                                  b"HTTP/1.1 200 OK\r\n" + b"X: " + b"y" * 300_000])  # fmt: skip
async def test_a_server_that_speaks_no_http_is_tried_twice_and_given_up(junk: bytes):
    async def handle(request: Request, wire: Wire) -> None:
        await wire.raw(junk)
        wire.abort()

    async with site(handle) as at:
        refusal = await at.refusal()
        assert refusal.reason is PageReason.NETWORK
        assert "site.example" in refusal.detail
        assert len(at.server.requests) == 2


async def test_an_unknown_name_is_a_network_failure_that_names_it():
    async with site(page("never")) as at:
        refusal = await at.refusal("http://nowhere.example/")
        assert refusal.reason is PageReason.NETWORK
        assert "nowhere.example is not known" in refusal.detail


async def test_cookies_are_not_carried_from_page_to_page():
    async with site(page("x", {**HTML, "Set-Cookie": "id=1; Path=/"})) as at:
        await at.fetcher.fetch(URL, sent=ignore)
        await at.fetcher.fetch(URL, sent=ignore)
        assert "cookie" not in at.server.requests[1].headers


@pytest.mark.parametrize("slow", ["drip", "stall", "silent"])
async def test_a_slow_page_ends_with_the_callers_time(slow: str):
    async def handle(request: Request, wire: Wire) -> None:
        if slow == "silent":
            await wire.client_gone()
            return
        await wire.start(headers=HTML)
        await wire.chunk("<p>")
        dripping = asyncio.Event()
        while slow == "drip" and not wire.hung_up:
            await wire.chunk("x")
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await dripping.wait()
        await wire.client_gone()

    async with site(handle) as at:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await at.fetcher.fetch(URL, sent=ignore)
        await at.server.until_idle()
