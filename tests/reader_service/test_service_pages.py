"""Pages through the service are guarded as they are without it."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any

import pytest

from askance.adapters.reader.network import judge_url, literal_address
from askance.adapters.reader.reader_protocol import ReadReply
from reader_service.served_reader import Service, page_of, reading
from servers.site import ScriptedResolver
from servers.ssrf_rows import names_of, ssrf_rows

URL = "http://site.example"


async def fetched(service: Service, url: str, **fields: Any) -> ReadReply:
    return page_of(await service.read(url, **fields))


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
