"""Pages through the service: the same as without it, by the same guard."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import replace
from ipaddress import ip_address
from typing import Any

import pytest

from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.reader.network import MappedResolver, judge_url, literal_address
from askance.adapters.reader.reader_protocol import ReadReply, ReadRequest
from askance.config.settings import ReaderSettings
from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import Page
from fakes.outbound import ignore
from reader_service.served_reader import Service, lines_of, page_of, reading
from servers.loopback import Request, Wire, serve
from servers.site import HTML, ScriptedResolver, article, pdf
from servers.ssrf_rows import names_of, ssrf_rows

URL = "http://site.example"
SENTENCES = "<p>Do <i class=icon></i> not open it at 10<sup>5</sup> volts from <time>9:00</time> on.\x07</p>"


async def site(request: Request, wire: Wire) -> None:
    """A few pages; `/article` knows whether its reader has it already."""
    match request.path:
        case "/article":
            headers = {**HTML, "ETag": '"v1"', "Last-Modified": "Sat, 21 Nov 2026 10:00:00 GMT"}
            if request.headers.get("if-none-match") == '"v1"':
                await wire.send(b"", 304, headers)
            else:
                await wire.send(article(), headers=headers)
        case "/moved":
            await wire.send(b"", 301, {"Location": "/article"})
        case "/pdf":
            await wire.send(pdf("A page of a PDF file\nwith words in it."), headers=HTML)
        case "/sentences":
            await wire.send(article(SENTENCES), headers=HTML)
        case "/private":
            await wire.send(article(), headers={**HTML, "Cache-Control": "no-store"})
        case "/shell":
            await wire.send('<div id="root"></div><script src="/a.js"></script>', headers=HTML)
        case _:
            await wire.send("no", 404, HTML)


async def fetched(service: Service, url: str, **fields: Any) -> ReadReply:
    return page_of(await service.read(url, **fields))


async def asked_for(service: Service, url: str) -> list[tuple[str, str]]:
    """The hosts that the service tells of, and what it asks them for."""
    reports = [line.asked for line in lines_of(await service.read(url))[:-1]]
    return [(asked.to, asked.url) for asked in reports if asked]


def lasting(page: Page) -> Page:
    """A page without the moments at which it was read."""
    return replace(page, elapsed_ms=0, fetched_at="", served_by="")


async def test_pages_are_the_same_as_without_the_service():
    paths = ("/article", "/moved", "/pdf", "/sentences", "/private", "/shell", "/none")
    async with serve(site) as server:
        names = MappedResolver({"site.example": ("127.0.0.1", server.port)}, ScriptedResolver({}))
        async with InProcessReader(ReaderSettings(), workers=1, resolver=names) as reader:
            own = {path: await reader.read(URL + path, sent=ignore) for path in paths}
        async with reading(names) as service:
            record = {path: await fetched(service, URL + path) for path in paths}
            hops = await asked_for(service, f"{URL}/moved")
    for path, reply in record.items():
        assert lasting(reply.page(known=None, served_by=NOTHING)) == lasting(own[path])
        assert reply.fetched_at.endswith("+00:00")
        assert not reply.unchanged
    assert hops == [
        ("site.example", f"{URL}/moved"),
        ("site.example", f"{URL}/article"),
    ]
    assert len(record["/article"].content_hash) == 64
    assert record["/article"].words > 90
    assert "Do not open it at 10^5 volts from 9:00 on." in record["/sentences"].markdown
    assert record["/private"].storable is False


async def test_a_page_that_has_not_changed_comes_without_its_text():
    async with serve(site) as server:
        names = MappedResolver({"site.example": ("127.0.0.1", server.port)}, ScriptedResolver({}))
        async with reading(names) as service:
            first = (await fetched(service, f"{URL}/moved")).page(
                known=None, served_by=Message("once")
            )
            wanted = ReadRequest.of(f"{URL}/moved", first, "").model_dump()
            second = await fetched(service, **wanted)
            elsewhere = {**wanted, "final_url": f"{URL}/other"}
            third = await fetched(service, **elsewhere)
            await fetched(service, URL + "/article", final_url=f"{URL}/article", etag='"v0"')
    assert (second.unchanged, second.markdown, second.words) == (True, "", 0)
    again = second.page(known=first, served_by=Message("twice"))
    assert lasting(again) == lasting(first)
    assert again.served_by == "twice"
    with pytest.raises(ValueError, match="nobody knew"):
        second.page(known=None, served_by=Message("twice"))
    # Nobody but the page's own server is told what is known of it.
    assert third.unchanged is False
    assert third.markdown == first.markdown
    asked = [(r.path, r.headers.get("if-none-match")) for r in server.requests]
    assert asked == [
        ("/moved", None),
        ("/article", None),
        ("/moved", None),
        ("/article", '"v1"'),
        ("/moved", None),
        ("/article", None),
        ("/article", '"v0"'),
    ]


class Dialled:
    """Writes down where connections were to go, and lets only those to the service pass."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, names: Mapping[str, Any]) -> None:
        self.places: list[tuple[str, int]] = []
        self.own_port = 0
        self.resolver = ScriptedResolver(names)
        connect = socket.socket.connect

        def dial(sock: socket.socket, address: Any) -> None:
            if address[1] != self.own_port:
                self.places.append((address[0], address[1]))
                raise ConnectionRefusedError
            connect(sock, address)

        monkeypatch.setattr(socket.socket, "connect", dial)


NONSENSE = ("", "   ", "not a url", "http://", "http://[", "http://exa mple.com/", "a" * 9000,
            "http://\u202eexample.com/", "javascript:alert(1)", "\x00")  # fmt: skip


async def test_every_inner_address_is_refused_before_any_connection(
    monkeypatch: pytest.MonkeyPatch,
):
    rows = ssrf_rows(is_refused=True)
    dialled = Dialled(monkeypatch, names_of(rows))
    async with reading(dialled.resolver) as service:
        dialled.own_port = service.port
        for url in (*NONSENSE, *(row.url for row in rows)):
            assert (url, (await fetched(service, url)).reason) == (url, "refused_address")
    assert len(rows) > 400
    assert dialled.places == []


async def test_every_public_address_passes(monkeypatch: pytest.MonkeyPatch):
    rows = ssrf_rows(is_refused=False)
    dialled = Dialled(monkeypatch, names_of(rows))
    async with reading(dialled.resolver) as service:
        dialled.own_port = service.port
        for row in rows:
            reply = await fetched(service, row.url)
            assert (row.url, reply.reason) == (row.url, "network")
            target = judge_url(row.url)
            wheres = [target.host] if literal_address(target.host) else row.answers
            # Python 3.13 writes mapped addresses with dots, earlier ones without.
            called = {(ip_address(where), port) for where, port in dialled.places}
            assert called == {(ip_address(where), target.port) for where in wheres}
            dialled.places.clear()
    assert len(rows) > 60
