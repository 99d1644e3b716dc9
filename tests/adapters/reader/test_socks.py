"""Pages through a SOCKS proxy: it alone is dialled, and it alone is told names."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable

import httpcore
import pytest

from askance.adapters.network.guarded_http import page_client
from askance.adapters.reader.inprocess import Fetcher, InProcessReader, NotFetched
from askance.adapters.reader.network import SocksBackend, SystemResolver, page_transport
from askance.config.settings import ReaderSettings
from askance.domain.events import RequestSent
from askance.domain.web_pages import PageReason, PageStatus
from fakes.outbound import ignore
from servers.closing import listening
from servers.faults import address_of_nobody
from servers.loopback import Request, Wire, serve
from servers.site import HTML, ScriptedResolver, article
from servers.socks import socks5
from servers.tunnels import serve_tunnels

NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
GRANTED = b"\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x50"
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def harbour(request: Request, wire: Wire) -> None:
    if request.path == "/moved":
        await wire.send(b"", 302, {"Location": "http://other.example/page"})
    else:
        await wire.send(article(), headers=HTML)


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
async def test_a_page_and_its_redirects_go_through_the_proxy_by_name(scheme: str):
    noted: list[RequestSent] = []
    resolver = ScriptedResolver({})
    async with serve(harbour) as site, serve_tunnels(socks5, site.port) as tunnels:
        settings = ReaderSettings(proxy=f"{scheme}://127.0.0.1:{tunnels.port}")
        async with InProcessReader(settings, workers=1, resolver=resolver) as reader:
            page = await reader.read("http://site.example/moved", sent=noted.append)
    assert page.status is PageStatus.OK
    assert tunnels.asked == ["site.example:80", "other.example:80"]
    assert resolver.asked == []
    assert [(n.to, n.through) for n in noted] == [
        ("site.example", f"the proxy {settings.proxy}"),
        ("other.example", f"the proxy {settings.proxy}"),
    ]


async def test_a_literal_address_is_asked_for_as_one():
    async with serve(harbour) as site, serve_tunnels(socks5, site.port) as tunnels:
        backend = SocksBackend(f"socks5://127.0.0.1:{tunnels.port}")
        for host in ("93.184.215.14", "2606:4700::1"):
            stream = await backend.connect_tcp(host, 80)
            await stream.aclose()
    assert tunnels.asked == ["93.184.215.14:80", "2606:4700::1:80"]


async def refusal(talk: Talk, login: str = "") -> NotFetched:
    """Why a page is not fetched through a proxy that talks like this."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await talk(reader, writer)
        finally:
            writer.close()

    async with listening(connected) as port:
        settings = ReaderSettings(proxy=f"socks5h://{login}127.0.0.1:{port}")
        async with page_client(page_transport(SystemResolver(), NO_TLS, settings.proxy)) as client:
            with pytest.raises(NotFetched) as caught:
                await Fetcher(client, settings).fetch("http://site.example/", sent=ignore)
    assert caught.value.reason is PageReason.NETWORK
    return caught.value


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"", "it closed the connection"),
        (b"\x05", "it closed the connection"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "it is no SOCKS5 proxy"),
        (b"\x05\xff", "it asks for another name and password"),
        (b"\x05\x02", "it asks for another name and password"),
        (b"\x05\x00" + b"\x05\x04\x00\x01" + bytes(6), "it gets nowhere (SOCKS code 4)"),
        (b"\x05\x00" + b"\x05\xfe\x00\x01" + bytes(6), "it gets nowhere (SOCKS code 254)"),
        (b"\x05\x00" + b"\x04\x00\x00\x01" + bytes(6), "it is no SOCKS5 proxy"),
        (b"\x05\x00" + GRANTED[:7], "it closed the connection"),
        (b"\x05\x00" + b"\x05\x00\x00\x03\xff" + bytes(9), "it closed the connection"),
    ],
)
async def test_a_proxy_that_opens_no_way_is_told_with_its_reason(said: bytes, why: str):
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(said)
        writer.write_eof()
        await reader.read()

    assert (await refusal(talk)).detail == f"The proxy opens no way to site.example: {why}."


async def test_a_proxy_that_is_gone_is_not_gone_around():
    proxy = address_of_nobody().replace("http", "socks5")
    with pytest.raises(httpcore.ProxyError, match="does not answer"):
        await SocksBackend(proxy).connect_tcp("site.example", 80)


async def test_the_name_and_the_password_are_given_to_a_proxy_that_asks_and_told_to_nobody():
    given: list[bytes] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        given.append(await reader.readexactly(3))
        writer.write(b"\x05\x02")
        given.append(await reader.readexactly(12))
        writer.write(b"\x01\x01")

    failed = await refusal(talk, login="me:s%C3%A9cret@")
    assert given[:2] == [b"\x05\x01\x02", b"\x01\x02me\x07s\xc3\xa9cret"]
    assert failed.detail.endswith(": it asks for another name and password.")


async def test_what_the_proxy_says_may_come_byte_by_byte_and_the_page_right_behind_it():
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for byte in b"\x05\x00" + GRANTED + page:
            writer.write(bytes([byte]))
            await writer.drain()
        await reader.read()
        writer.close()

    async with listening(connected) as port:
        proxy = f"socks5://127.0.0.1:{port}"
        async with page_client(page_transport(SystemResolver(), NO_TLS, proxy)) as client:
            fetched = await Fetcher(client, ReaderSettings()).fetch(
                "http://site.example/", sent=ignore
            )
    assert fetched.data == b"ok"
