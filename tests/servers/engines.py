"""The public search engines, played on loopback behind a proxy: real TLS, real HTML, no patching."""

from __future__ import annotations

import json
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import trustme

from servers.loopback import Handler, Loopback, Request, Wire, serve
from servers.tunnels import Greeting, Tunnels, connect, serve_tunnels

HOSTS = {
    "brave": "search.brave.com",
    "duckduckgo": "html.duckduckgo.com",
    "mojeek": "www.mojeek.com",
    "startpage": "www.startpage.com",
    "wikipedia": "en.wikipedia.org",
}
Hits = list[tuple[str, str, str]]
"""Address, title and snippet."""


def page_of(engine: str, hits: Hits) -> str:
    """The page of results as the engine lays it out: what its parser in ddgs looks for."""
    row = {
        "brave": "<div data-type='web'><a href='{0}'><div class='title'>{1}</div></a>"
        "<div class='snippet'><div class='content'>{2}</div></div></div>",
        "duckduckgo": "<div class='body'><h2>{1}</h2><a href='{0}'>{2}</a></div>",
        "mojeek": "<li><h2><a href='{0}'>{1}</a></h2><p class='s'>{2}</p></li>",
        "startpage": "<div class='result css-1'><a href='{0}'><h2>{1}</h2></a><p>{2}</p></div>",
    }[engine]
    rows = "".join(row.format(*(escape(part) for part in hit)) for hit in hits)
    listed = f"<ul class='results'>{rows}</ul>" if engine == "mojeek" else rows
    return f"<html><body>{listed}</body></html>"


@dataclass
class Engines:
    """Answers for every host. `hits` are what an engine finds, `breaks` what it does instead."""

    hits: Mapping[str, Hits] = field(default_factory=dict[str, Hits])
    breaks: Mapping[str, Handler] = field(default_factory=dict[str, Handler])

    async def __call__(self, request: Request, wire: Wire) -> None:
        host = request.headers["host"]
        (name,) = (name for name, known in HOSTS.items() if known.partition(".")[2] in host)
        if name in self.breaks:
            await self.breaks[name](request, wire)
        elif name == "wikipedia":
            await self._encyclopedia(request, wire)
        elif request.target == "/":  # Startpage's form, with a token for the search
            await wire.send("<form id='search'><input name='sc' value='token'></form>")
        else:
            await wire.send(page_of(name, list(self.hits.get(name, []))))

    async def _encyclopedia(self, request: Request, wire: Wire) -> None:
        found = list(self.hits.get("wikipedia", []))[:1]
        if request.query["action"] == "opensearch":
            titles, addresses = [hit[1] for hit in found], [hit[0] for hit in found]
            await wire.send(json.dumps([request.query["search"], titles, [], addresses]))
        else:
            await wire.send(json.dumps({"query": {"pages": {"1": {"extract": found[0][2]}}}}))


@dataclass
class EngineWeb:
    """The engines, and the proxy that leads to them. `authority` is the file to trust."""

    servers: Loopback
    tunnels: Tunnels
    authority: Path

    def heard(self, engine: str) -> list[Request]:
        """The requests that one engine got."""
        return [r for r in self.servers.requests if r.headers["host"] == HOSTS[engine]]


@asynccontextmanager
async def engine_web(
    engines: Handler, folder: Path, *, greet: Greeting = connect
) -> AsyncIterator[EngineWeb]:
    """Serve the engines behind a proxy, with certificates of an authority of the test's own."""
    authority = trustme.CA()
    file = folder / "authority.pem"
    authority.cert_pem.write_to_path(str(file))
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*HOSTS.values(), "de.wikipedia.org").configure_cert(tls)
    async with (
        serve(engines, tls=tls) as servers,
        serve_tunnels(greet, servers.port) as tunnels,
    ):
        yield EngineWeb(servers, tunnels, file)
