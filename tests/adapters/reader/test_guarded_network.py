"""What is judged is what is dialled."""

from __future__ import annotations

import ssl

import httpx
import pytest
from httpcore import AsyncConnectionPool, ConnectError

from askance.adapters.network.guarded_http import Transport, page_client, page_tls_context
from askance.adapters.reader.network import (
    JudgingBackend,
    MappedResolver,
    NameUnknown,
    ProxyBackend,
    RefusedAddress,
    SystemResolver,
    page_transport,
)
from servers.dialling import RecordingDial, RecordingStream
from servers.loopback import Request, Wire, serve
from servers.site import PUBLIC, ScriptedResolver

# Loading the authorities takes tens of milliseconds, and plain connections ask none.
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


async def test_a_name_that_changes_its_address_is_dialled_where_it_was_judged():
    resolver = ScriptedResolver({"rebind.example": [[PUBLIC], ["127.0.0.1"]]})
    dial = RecordingDial()
    backend = JudgingBackend(resolver, dial=dial)
    await backend.connect_tcp("rebind.example", 80)
    assert resolver.asked == ["rebind.example"]
    with pytest.raises(RefusedAddress, match=r"rebind\.example"):
        await backend.connect_tcp("rebind.example", 80)
    assert dial.dialled == [(PUBLIC, 80)]


@pytest.mark.parametrize("inner", ["127.0.0.1", "10.1.2.3", "::1", "fe80::1", "64:ff9b::7f00:1"])
async def test_one_inner_address_among_public_ones_refuses_the_name(inner: str):
    dial = RecordingDial()
    backend = JudgingBackend(ScriptedResolver({"mixed.example": [[PUBLIC, inner]]}), dial=dial)
    with pytest.raises(RefusedAddress):
        await backend.connect_tcp("mixed.example", 443)
    assert dial.dialled == []


async def test_a_literal_address_is_judged_without_asking_the_resolver():
    resolver = ScriptedResolver({})
    backend = JudgingBackend(resolver, dial=RecordingDial())
    with pytest.raises(RefusedAddress):
        await backend.connect_tcp("127.0.0.1", 80)
    assert resolver.asked == []


async def test_a_dead_address_gives_way_to_the_next_of_the_other_family():
    names = {"two.example": [["2606:4700::1", "2606:4700::2", PUBLIC]]}
    dial = RecordingDial(dead=["2606:4700::1"])
    await JudgingBackend(ScriptedResolver(names), dial=dial).connect_tcp("two.example", 443)
    assert dial.dialled == [("2606:4700::1", 443), (PUBLIC, 443)]


async def test_when_every_address_is_dead_the_last_failure_is_told():
    names = {"dead.example": [[PUBLIC, "8.8.8.8"]]}
    dial = RecordingDial(dead=[PUBLIC, "8.8.8.8"])
    with pytest.raises(ConnectError, match=r"8\.8\.8\.8"):
        await JudgingBackend(ScriptedResolver(names), dial=dial).connect_tcp("dead.example", 80)


@pytest.mark.parametrize("names", [{}, {"void.example": [[]]}])
async def test_a_name_without_an_address_is_unknown(names: dict[str, list[list[str]]]):
    with pytest.raises(NameUnknown, match=r"void\.example"):
        await JudgingBackend(ScriptedResolver(names)).connect_tcp("void.example", 80)


async def test_tls_checks_the_name_though_an_address_is_dialled():
    dial = RecordingDial(reply=REPLY)
    backend = JudgingBackend(ScriptedResolver({"safe.example": [[PUBLIC]]}), dial=dial)
    pool = AsyncConnectionPool(ssl_context=page_tls_context(), network_backend=backend)
    RecordingStream.tls_names.clear()
    async with page_client(Transport(pool)) as client:
        reply = await client.get("https://safe.example/")
    assert reply.text == "ok"
    assert dial.dialled == [(PUBLIC, 443)]
    assert RecordingStream.tls_names == ["safe.example"]


async def test_the_system_knows_this_machine_and_the_guard_refuses_it():
    found = await SystemResolver().resolve("localhost", 80)
    assert any(endpoint.address.is_loopback for endpoint in found)
    with pytest.raises(RefusedAddress):
        await JudgingBackend(SystemResolver()).connect_tcp("localhost", 80)


async def test_a_mapped_name_leads_to_its_place_and_no_other_name_does():
    async def page(request: Request, wire: Wire) -> None:
        await wire.send(request.headers["host"])

    async with serve(page) as server:
        names = {"Sample.example": ("127.0.0.1", server.port)}
        resolver = MappedResolver(names, ScriptedResolver({"sub.sample.example": [["127.0.0.1"]]}))
        transport = page_transport(resolver, NO_TLS)
        async with page_client(transport) as client:
            assert (await client.get("http://sample.example/")).text == "sample.example"
            for inner in ("sub.sample.example", f"127.0.0.1:{server.port}"):
                with pytest.raises(RefusedAddress):
                    await client.get(f"http://{inner}/")
        assert len(server.requests) == 1


async def test_only_the_proxy_is_dialled_in_proxy_mode():
    with pytest.raises(RefusedAddress):
        await ProxyBackend("127.0.0.1", 3128).connect_tcp("127.0.0.1", 3129)


async def test_a_refused_connection_is_a_connect_error_of_the_client():
    resolver = MappedResolver({"gone.example": ("127.0.0.1", 9)}, SystemResolver())
    async with page_client(page_transport(resolver, NO_TLS)) as client:
        with pytest.raises(httpx.ConnectError):
            await client.get("http://gone.example/")
