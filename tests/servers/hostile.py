"""A site that does to its readers what it can, one path a trick."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable
from functools import cache
from urllib.parse import unquote

from servers.loopback import Handler, Request, Wire
from servers.site import HTML, article

MIB = 1024 * 1024
_DRIP_S = 0.02
_GZIP = {**HTML, "Content-Encoding": "gzip"}
_ENTITIES = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "ha" * 10}">' for n in range(10))


@cache
def _bomb() -> bytes:
    """30 MiB of nothing in 30 KiB."""
    return gzip.compress(bytes(30 * MIB), compresslevel=1)


async def _drip(_: Request, wire: Wire) -> None:
    await wire.start(headers=HTML)
    while True:
        await wire.chunk(b"<p>drop</p>")
        await asyncio.sleep(_DRIP_S)


async def _drip_head(_: Request, wire: Wire) -> None:
    await wire.raw(b"HTTP/1.1 200 OK\r\nX-Drops: ")
    while True:
        await wire.raw(b"x")
        await asyncio.sleep(_DRIP_S)


async def _stall(_: Request, wire: Wire) -> None:
    await wire.start(headers=HTML)
    await wire.chunk(article()[:200])
    await wire.client_gone()


async def _silent(_: Request, wire: Wire) -> None:
    await wire.client_gone()


async def _endless_head(_: Request, wire: Wire) -> None:
    await wire.raw(b"HTTP/1.1 200 OK\r\n")
    while True:
        await wire.raw(b"X-More: " + b"x" * 8000 + b"\r\n")


async def _endless_chunk(_: Request, wire: Wire) -> None:
    await wire.raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        await wire.raw(b"0" * 65_536)


async def _endless_page(_: Request, wire: Wire) -> None:
    await wire.start(headers=HTML)
    while True:
        await wire.chunk(b"<p>on and on</p>" * 4096)


async def _endless_interim(_: Request, wire: Wire) -> None:
    while True:
        await wire.raw(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 500)


async def _junk(_: Request, wire: Wire) -> None:
    await wire.raw(article().encode())


async def _short(_: Request, wire: Wire) -> None:
    await wire.send(article()[:300], headers={**HTML, "Content-Length": "90000"})
    wire.abort()


async def _cookies(request: Request, wire: Wire) -> None:
    jar = {"Set-Cookie": "id=42; Path=/; Max-Age=9999", "Clear-Site-Data": '"*"'}
    if request.path.endswith("/back"):
        await wire.send(article(), headers={**HTML, **jar})
    else:
        await wire.send(b"", 302, {"Location": "/cookies/back", **jar})


async def _ladder(request: Request, wire: Wire) -> None:
    step = int(request.query.get("step", "0")) + 1
    await wire.send(b"", 302, {"Location": f"/ladder?step={step}"})


async def _to(request: Request, wire: Wire) -> None:
    """A redirect to wherever the address says."""
    await wire.send(b"", 302, {"Location": unquote(request.target.partition("?")[2])})


def _sends(
    body: bytes | str | Callable[[], bytes], headers: dict[str, str] = HTML, status: int = 200
) -> Handler:
    async def send(_: Request, wire: Wire) -> None:
        await wire.send(body() if callable(body) else body, status, headers)

    return send


TRICKS: dict[str, Handler] = {
    "/drip": _drip,
    "/drip-head": _drip_head,
    "/stall": _stall,
    "/silent": _silent,
    "/endless-head": _endless_head,
    "/endless-chunk": _endless_chunk,
    "/endless-page": _endless_page,
    "/endless-interim": _endless_interim,
    "/junk": _junk,
    "/short": _short,
    "/cookies": _cookies,
    "/cookies/back": _cookies,
    "/ladder": _ladder,
    "/circle": _sends(b"", {"Location": "/circle"}, 302),
    "/to": _to,
    "/bomb": _sends(_bomb, _GZIP),
    "/bomb-in-bomb": _sends(
        lambda: gzip.compress(_bomb()), {**HTML, "Content-Encoding": "gzip, gzip"}
    ),
    "/no-gzip": _sends(article(), _GZIP),
    "/large": _sends(lambda: b"<p>large</p>" * (20 * MIB // 12)),
    "/nested": _sends(b"<html><body>" + b"<div>" * 50_000 + b"deep"),
    "/attributes": _sends("<html><body><p " + " ".join(f"a{n}=1" for n in range(150_000)) + ">"),
    "/entities": _sends(
        f"<?xml version='1.0'?><!DOCTYPE html [{_ENTITIES}]><html><body>&a9;</body></html>",
        {"Content-Type": "application/xml"},
    ),
    "/busy": _sends(b"<html><body>" + b"<p>ab c <b>x</b> <i>y</i></p>" * 60_000),
    "/charset": _sends(
        article("<p>Das Café öffnete früh.</p>").encode("cp1252"),
        {"Content-Type": "text/html; charset=utf-8"},
    ),
    "/no-charset": _sends(
        article("<p>Das Café öffnete früh.</p>").encode("utf-16"),
        {"Content-Type": "text/html; charset=klingon"},
    ),
    "/not-pdf": _sends(b"%PDF-1.7\n" + b"1 0 obj << /Kids [1 0 R] >> endobj " * 20_000,
                       {"Content-Type": "application/pdf"}),
    "/binary": _sends(bytes(range(256)) * 4000, {"Content-Type": "text/html"}),
    "/article": _sends(article()),
}  # fmt: skip


async def hostile_site(request: Request, wire: Wire) -> None:
    """The whole site."""
    await TRICKS[request.path](request, wire)
