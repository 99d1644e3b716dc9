"""The list of releases: asked for once, recorded before, and nothing that a server answers does harm."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from askance.adapters.reader.network import MappedResolver, SystemResolver
from askance.adapters.releases import LONGEST_CHANGES, MAX_BYTES, fetch_releases
from askance.config.settings import ReaderSettings
from askance.domain.errors import (
    ServiceDown,
    ServiceError,
    ServiceProtocolError,
    ServiceRefused,
    StorageError,
)
from askance.domain.events import RequestSent, Sending
from askance.domain.updates import Release
from servers.loopback import Loopback, Request, Wire, serve
from servers.socks import socks5
from servers.tunnels import serve_tunnels

HOST = "releases.example"


def row(tag: str, body: Any = "", **more: Any) -> dict[str, Any]:
    return {"tag_name": tag, "draft": False, "prerelease": False, "body": body, **more}


def answering(
    body: bytes, status: int = 200, headers: dict[str, str] | None = None
) -> Callable[[Request, Wire], Any]:
    async def handler(_request: Request, wire: Wire) -> None:
        await wire.send(body, status, headers)

    return handler


async def asked(server: Loopback, sent: list[RequestSent], proxy: str = "") -> tuple[Release, ...]:
    resolver = MappedResolver({HOST: ("127.0.0.1", server.port)}, SystemResolver())
    return await fetch_releases(
        ReaderSettings(proxy=proxy), sent.append, feed=f"http://{HOST}/releases", resolver=resolver
    )


async def test_the_list_is_asked_for_once_and_says_nothing_of_this_machine() -> None:
    sent: list[RequestSent] = []
    rows = [
        row("v0.2.0", "Faster\r\nand\x1b[31m smaller"),
        row("v0.3.0", draft=True),
        row("nightly"),
    ]
    async with serve(answering(json.dumps(rows).encode())) as server:
        assert await asked(server, sent) == (Release("0.2.0", "Faster\nand[31m smaller"),)
    (request,) = server.requests
    assert (request.method, request.body) == ("GET", b"")
    assert {"cookie", "authorization"}.isdisjoint(name.lower() for name in request.headers)
    (noted,) = sent
    assert (noted.sending, noted.to) == (Sending.UPDATE, HOST)
    assert noted.content == f"http://{HOST}/releases"


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"", ServiceProtocolError),
        (b"<html>", ServiceProtocolError),
        (b"\xff\xfe", ServiceProtocolError),
        (b'{"message": "no"}', ServiceProtocolError),
        (b"[" * 100_000, ServiceProtocolError),
        (b"[" + b"1" * 5_000 + b"]", ServiceProtocolError),
        (b" " * (MAX_BYTES + 100_000), ServiceProtocolError),
    ],
    ids=["nothing", "html", "bytes", "object", "nested", "digits", "endless"],
)
async def test_what_is_no_list_is_a_failure_of_the_server(
    body: bytes, error: type[ServiceError]
) -> None:
    async with serve(answering(body)) as server:
        with pytest.raises(error):
            await asked(server, [])


@pytest.mark.parametrize(
    "rows",
    [
        [None, 1, "v9.9", [], {}],
        [{"tag_name": 9, "draft": False}],
        [{"tag_name": "v9.9"}],
        [row("v9.9.9.9")],
        [row("v9.9", draft="no")],
    ],
)
async def test_rows_that_are_no_releases_are_left_out(rows: list[Any]) -> None:
    async with serve(answering(json.dumps(rows).encode())) as server:
        assert await asked(server, []) == ()


async def test_long_texts_are_cut_and_texts_that_are_none_are_empty() -> None:
    rows = [row("v1.0", "x" * 50_000), row("v0.9", None), row("v0.8", {"a": 1})]
    async with serve(answering(json.dumps(rows).encode())) as server:
        releases = await asked(server, [])
    assert [len(release.changes) for release in releases] == [LONGEST_CHANGES, 0, 0]


@pytest.mark.parametrize("status", [301, 302, 304, 403, 404, 429, 500])
async def test_another_status_is_a_refusal_and_no_redirect_is_followed(status: int) -> None:
    there = {"Location": f"http://{HOST}/elsewhere"}
    async with serve(answering(b"[]", status, there)) as server:
        with pytest.raises(ServiceRefused) as caught:
            await asked(server, [])
    assert caught.value.status == status
    assert len(server.requests) == 1


async def test_a_broken_connection_is_not_tried_again() -> None:
    async def hang_up(_request: Request, wire: Wire) -> None:
        wire.abort()

    async with serve(hang_up) as server:
        with pytest.raises(ServiceDown):
            await asked(server, [])
    assert len(server.requests) == 1


async def test_a_name_that_leads_into_this_network_is_not_followed() -> None:
    sent: list[RequestSent] = []
    async with serve(answering(b"[]")) as server:
        with pytest.raises(ServiceDown):
            await fetch_releases(
                ReaderSettings(), sent.append, feed=f"http://localhost:{server.port}/"
            )
    assert server.requests == []


async def test_it_goes_through_the_proxy_of_the_settings_and_nowhere_else() -> None:
    sent: list[RequestSent] = []
    async with (
        serve(answering(json.dumps([row("v2.0")]).encode())) as server,
        serve_tunnels(socks5, server.port) as tunnels,
    ):
        found = await asked(server, sent, f"socks5h://127.0.0.1:{tunnels.port}")
    assert [release.version for release in found] == ["2.0"]
    assert tunnels.asked == [f"{HOST}:80"]
    assert f"127.0.0.1:{tunnels.port}" in str(sent[0].through)


async def test_what_cannot_be_recorded_is_not_sent() -> None:
    def refuse(_request: RequestSent) -> None:
        raise StorageError("The disk is full.")

    async with serve(answering(b"[]")) as server:
        resolver = MappedResolver({HOST: ("127.0.0.1", server.port)}, SystemResolver())
        with pytest.raises(StorageError):
            await fetch_releases(
                ReaderSettings(), refuse, feed=f"http://{HOST}/", resolver=resolver
            )
    assert server.requests == []
