"""A page asked for over TLS that came in the open on a part of its way is read, and not kept."""

from __future__ import annotations

import ssl

import pytest
import trustme

from askance.adapters.network.guarded_http import page_client
from askance.adapters.reader.inprocess import Fetcher
from askance.adapters.reader.network import MappedResolver, page_transport
from askance.config.settings import ReaderSettings
from fakes.outbound import ignore
from servers.loopback import Request, Wire, serve
from servers.site import HTML, ScriptedResolver

SAFE, OPEN = "https://safe.example", "http://open.example"
# Where each path leads; a page ends its chain.
CHAINS = {
    "/page": "",
    "/safely": f"{SAFE}/page",
    "/openly": f"{OPEN}/page",
    "/through": f"{OPEN}/back",
    "/back": f"{SAFE}/page",
}


async def handle(request: Request, wire: Wire) -> None:
    leads = CHAINS[request.path]
    if leads:
        await wire.send(b"", 302, {"Location": leads})
    else:
        await wire.send("<p>hello", headers=HTML)


@pytest.mark.parametrize(
    ("url", "final_url", "storable"),
    [
        (f"{SAFE}/page", f"{SAFE}/page", True),
        (f"{SAFE}/safely", f"{SAFE}/page", True),
        (f"{SAFE}/openly", f"{OPEN}/page", False),
        (f"{SAFE}/through", f"{SAFE}/page", False),
        ("HTTPS://safe.example/through", f"{SAFE}/page", False),
        (f"{OPEN}/page", f"{OPEN}/page", True),
        (f"{OPEN}/back", f"{SAFE}/page", True),
        (f"{OPEN}/through", f"{SAFE}/page", True),
    ],
)
async def test_only_what_came_as_it_was_asked_for_is_kept(
    url: str, final_url: str, storable: bool
) -> None:
    authority = trustme.CA()
    here, there = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context()
    authority.issue_cert("safe.example").configure_cert(here)
    authority.configure_trust(there)
    async with serve(handle, tls=here) as safe, serve(handle) as plain:
        places = {
            "safe.example": ("127.0.0.1", safe.port),
            "open.example": ("127.0.0.1", plain.port),
        }
        resolver = MappedResolver(places, ScriptedResolver({}))
        async with page_client(page_transport(resolver, there)) as client:
            fetched = await Fetcher(client, ReaderSettings()).fetch(url, sent=ignore)
    assert (fetched.final_url, fetched.data) == (final_url, b"<p>hello")
    assert fetched.storable is storable
