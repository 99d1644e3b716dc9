"""Pages through the service: the same as without it, by the same guard."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.reader.addresses import judge_url, literal_address
from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.reader.protocol import ReadReply, ReadRequest
from askance.adapters.reader.resolver import MappedResolver
from askance.config.settings import ReaderSettings
from askance.domain.web import Page
from fakes.outbound import ignore
from reader_service.desk_service import Service, reading
from servers.loopback import Request, Wire, serve
from servers.site import HTML, PUBLIC, ScriptedResolver, article, pdf

BOX = Path(__file__).parents[3] / "shared/box/data/ssrf_urls.jsonl"
COPY = Path(__file__).parents[1] / "adapters/reader/refused_urls.txt"
INNER_NAMES = {
    "169.254.169.254.nip.io": [["169.254.169.254"]],
    "localtest.me": [["127.0.0.1"]],
    "mixed.example": [[PUBLIC, "10.0.0.1"]],
}
URL = "http://site.example"


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
        case "/private":
            await wire.send(article(), headers={**HTML, "Cache-Control": "no-store"})
        case "/shell":
            await wire.send('<div id="root"></div><script src="/a.js"></script>', headers=HTML)
        case _:
            await wire.send("no", 404, HTML)


async def fetched(service: Service, url: str, **fields: Any) -> ReadReply:
    response = await service.read(url, **fields)
    assert response.status_code == 200
    return ReadReply.model_validate_json(response.content)


def lasting(page: Page) -> Page:
    """A page without the moments at which it was read."""
    return replace(page, elapsed_ms=0, fetched_at="", served_by="")


async def test_pages_are_the_same_as_without_the_service():
    paths = ("/article", "/moved", "/pdf", "/private", "/shell", "/none")
    async with serve(site) as server:
        names = MappedResolver({"site.example": ("127.0.0.1", server.port)}, ScriptedResolver({}))
        async with InProcessReader(ReaderSettings(workers=1), resolver=names) as reader:
            own = {path: await reader.read(URL + path, sent=ignore) for path in paths}
        async with reading(names) as service:
            told = {path: await fetched(service, URL + path) for path in paths}
    for path, reply in told.items():
        assert lasting(reply.page(known=None, served_by="")) == lasting(own[path])
        assert reply.fetched_at.endswith("+00:00")
        assert not reply.unchanged
    assert [(a.to, a.url) for a in told["/moved"].asked] == [
        ("site.example", f"{URL}/moved"),
        ("site.example", f"{URL}/article"),
    ]
    assert len(told["/article"].content_hash) == 64
    assert told["/article"].words > 90
    assert told["/private"].storable is False


async def test_a_page_that_has_not_changed_comes_without_its_text():
    async with serve(site) as server:
        names = MappedResolver({"site.example": ("127.0.0.1", server.port)}, ScriptedResolver({}))
        async with reading(names) as service:
            first = (await fetched(service, f"{URL}/moved")).page(known=None, served_by="once")
            wanted = ReadRequest.of(f"{URL}/moved", first, "").model_dump()
            second = await fetched(service, **wanted)
            elsewhere = {**wanted, "final_url": f"{URL}/other"}
            third = await fetched(service, **elsewhere)
            await fetched(service, URL + "/article", final_url=f"{URL}/article", etag='"v0"')
    assert (second.unchanged, second.markdown, second.words) == (True, "", 0)
    again = second.page(known=first, served_by="twice")
    assert lasting(again) == lasting(first)
    assert again.served_by == "twice"
    with pytest.raises(ValueError, match="nobody knew"):
        second.page(known=None, served_by="twice")
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


def box_rows(expect: str) -> list[str]:
    if not BOX.exists():
        return []
    rows = [json.loads(line) for line in BOX.read_text("utf-8").splitlines()]
    return [row["url"] for row in rows if row["expect"] == expect]


NONSENSE = ("", "   ", "not a url", "http://", "http://[", "http://exa mple.com/", "a" * 9000,
            "http://\u202eexample.com/", "javascript:alert(1)", "\x00")  # fmt: skip


async def test_every_inner_address_is_refused_before_any_connection(
    monkeypatch: pytest.MonkeyPatch,
):
    urls = [
        *NONSENSE,
        *box_rows("block"),
        *COPY.read_text("utf-8").splitlines(),
        "http://mixed.example/",
    ]
    dialled = Dialled(monkeypatch, INNER_NAMES)
    async with reading(dialled.resolver) as service:
        dialled.own_port = service.port
        for url in urls:
            assert (url, (await fetched(service, url)).reason) == (url, "refused_address")
    assert len(urls) > 100
    assert dialled.places == []


async def test_every_public_address_passes(monkeypatch: pytest.MonkeyPatch):
    urls = [
        *box_rows("allow"),
        "https://example.com/",
        "https://1.1.1.1/",
        "http://[2606:4700::1]/",
    ]
    dialled = Dialled(monkeypatch, {judge_url(url).host: [[PUBLIC]] for url in urls})
    async with reading(dialled.resolver) as service:
        dialled.own_port = service.port
        for url in urls:
            reply = await fetched(service, url)
            assert (url, reply.reason) == (url, "network")
            target = judge_url(url)
            where = target.host if literal_address(target.host) else PUBLIC
            assert set(dialled.places) == {(where, target.port)}
            dialled.places.clear()
