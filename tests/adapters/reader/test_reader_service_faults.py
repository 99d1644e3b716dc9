"""What is wrong with the reader service, or with what stands in its place, in words and in time."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.reader import service as client_module
from askance.adapters.reader.protocol import Refusal
from askance.domain.errors import ServiceDown, ServiceNonsense, ServiceRefused
from askance.domain.web import PageReason, PageStatus
from servers.faults import address_of_nobody, breaks_off, hangs_up, stalls, stalls_in_mid_reply
from servers.loopback import Handler, Request, Wire
from servers.reader_client import answers, client_of, refuses, reply_of


async def test_a_busy_service_is_asked_again_and_noted_once(tmp_path: Path):
    async def handle(request: Request, wire: Wire) -> None:
        if len(client.server.requests) < 3:
            headers = {"Retry-After": "0", "Content-Type": "application/json"}
            body = json.dumps({"error": {"code": "busy", "message": "No room."}})
            await wire.send(body, 503, headers)
        else:
            await wire.send_json(reply_of())

    async with client_of(handle, tmp_path) as client:
        assert (await client.read()).status is PageStatus.OK
        assert len(client.server.requests) == 3
        assert len(client.sent) == 1


@pytest.mark.parametrize("retry_after", ["0", "1", "600", "soon", "-5"])
async def test_a_service_that_stays_busy_costs_the_page_its_time_and_no_more(
    retry_after: str, tmp_path: Path
):
    async def busy(request: Request, wire: Wire) -> None:
        body = json.dumps({"error": {"code": "busy", "message": "No room."}})
        await wire.send(body, 503, {"Retry-After": retry_after})

    async with client_of(busy, tmp_path, page_timeout_s=0.35) as client:
        page = await client.read()
        assert (page.status, page.reason) == (PageStatus.FAILED, PageReason.TIMED_OUT)
        assert "0.35 seconds" in page.detail
        # A service that says 0 is not hammered.
        assert len(client.server.requests) <= 4


@pytest.mark.parametrize("handler", [stalls, stalls_in_mid_reply])
async def test_a_service_that_hangs_costs_the_page_its_time(handler: Handler, tmp_path: Path):
    async with client_of(handler, tmp_path, page_timeout_s=0.2) as client:
        page = await client.read()
        assert (page.status, page.reason) == (PageStatus.FAILED, PageReason.TIMED_OUT)
        assert page.elapsed_ms >= 150
        assert page.fetched_at
        await client.server.until_idle()


async def test_cancelling_closes_the_connection(tmp_path: Path):
    async with client_of(stalls, tmp_path) as client, asyncio.timeout(5):
        async with asyncio.TaskGroup() as group:
            reading = group.create_task(client.read())
            await client.server.until_requests(1)
            reading.cancel()
        assert reading.cancelled()
        await client.server.until_idle()


async def test_where_nothing_listens_the_service_is_down_and_nothing_is_noted(tmp_path: Path):
    nobody = address_of_nobody()
    async with client_of(stalls, tmp_path, url=nobody) as client:
        with pytest.raises(ServiceDown, match="Nothing answers") as caught:
            await client.read()
        assert client.sent == []
    assert caught.value.address == nobody
    assert "`askance up`" in caught.value.fix
    assert "`askance logs reader`" in caught.value.fix


@pytest.mark.parametrize("handler", [hangs_up, breaks_off])
async def test_a_service_that_dies_over_a_page_is_down(handler: Handler, tmp_path: Path):
    async with client_of(handler, tmp_path) as client:
        assert isinstance(await client.error(), ServiceDown)
        assert len(client.sent) == 1


async def test_a_port_that_does_not_speak_http_is_not_the_service(tmp_path: Path):
    async def ssh(request: Request, wire: Wire) -> None:
        await wire.raw(b"SSH-2.0-OpenSSH_9.9\r\n\r\n")

    async with client_of(ssh, tmp_path) as client:
        error = await client.error()
        assert isinstance(error, ServiceDown)
        assert "SSH" in error.problem


@pytest.mark.parametrize(
    ("code", "said", "fix"),
    [
        (Refusal.UNAUTHORIZED, "token", "renews it"),
        (Refusal.PROXY_MISMATCH, "reader.proxy", "takes the proxy over"),
        (Refusal.INTERNAL, "failed", "logs reader"),
        (Refusal.BAD_REQUEST, "bad_request, HTTP 400", "one version"),
        (Refusal.FORBIDDEN_HOST, "forbidden_host, HTTP 421", "one version"),
        (Refusal.NOT_FOUND, "not_found, HTTP 404", "one version"),
    ],
)
async def test_each_refusal_has_its_sentence(code: Refusal, said: str, fix: str, tmp_path: Path):
    async with client_of(refuses(code), tmp_path) as client:
        error = await client.error()
        assert isinstance(error, ServiceRefused)
        assert said in error.problem
        assert fix in error.fix
        assert "Said by the service" not in str(error)
        assert len(client.server.requests) == 1


@pytest.mark.parametrize("code", [Refusal.STARTING, Refusal.STOPPING])
async def test_a_service_whose_processes_do_not_run_is_not_waited_for(
    code: Refusal, tmp_path: Path
):
    async with client_of(refuses(code), tmp_path) as client:
        error = await client.error()
        assert isinstance(error, ServiceDown)
        assert "does not work now" in error.problem
        assert len(client.server.requests) == 1


def json_of(value: Any, status: int = 200) -> Handler:
    return lambda request, wire: wire.send_json(value, status)


NONSENSE: dict[str, Handler] = {
    "a web page": lambda request, wire: wire.send("<html>It works!</html>"),
    "another program's 404": lambda request, wire: wire.send("not found", 404),
    "another program's 503": lambda request, wire: wire.send("down", 503),
    "another program's 401": json_of({"detail": "Not authenticated"}, 401),
    "a redirect": lambda request, wire: wire.send(b"", 302, {"Location": "http://127.0.0.1/"}),
    "a list": json_of([]),
    "nothing": json_of({}),
    "null": json_of(None),
    "a number": json_of(7),
    "no text": json_of(reply_of(markdown="")),
    "text in a failed page": json_of(reply_of(status="failed", reason="network")),
    "a status of its own": json_of(reply_of(status="fine")),
    "a reason of its own": json_of(reply_of(reason="tired")),
    "words below nothing": json_of(reply_of(words=-1)),
    "text that is no text": json_of(reply_of(markdown=7)),
    "a page of no address": json_of(reply_of(final_url="javascript:alert(1)")),
    "a page of no address at all": json_of(reply_of(final_url="")),
    "a validator of two lines": json_of(reply_of(etag="a\r\nX: y")),
    "unchanged from nothing": json_of(reply_of(unchanged=True, markdown="")),
    "bytes that are no text": lambda request, wire: wire.send(b'{"url": "\xff\xfe"}'),
    "half an object": lambda request, wire: wire.send(b'{"url": "http://'),
    "a packing that breaks": lambda request, wire: wire.send(
        b"not gzip", headers={"Content-Encoding": "gzip"}
    ),
    "an error code of its own": json_of({"error": {"code": "tired", "message": ""}}, 500),
}


@pytest.mark.parametrize("name", NONSENSE)
async def test_what_the_service_would_never_say_is_nonsense(name: str, tmp_path: Path):
    async with client_of(NONSENSE[name], tmp_path) as client:
        error = await client.error()
        assert isinstance(error, ServiceNonsense)
        assert client.server.url in error.problem
        assert len(client.server.requests) == 1


async def test_a_reply_without_an_end_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(client_module, "LONGEST_REPLY", 1_000_000)

    async def endless(request: Request, wire: Wire) -> None:
        await wire.start()
        while True:
            await wire.chunk(b" " * 65_536)

    async with client_of(endless, tmp_path) as client:
        error = await client.error()
        assert isinstance(error, ServiceNonsense)
        assert "does not end" in error.problem
        await client.server.until_idle()


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "There is no token"), (b"", "no token"), (b" \n", "no token"), (b"a\nb", "no token"),
     (b"caf\xc3\xa9", "cannot be read")],
)  # fmt: skip
async def test_without_a_token_the_service_is_not_asked(
    content: bytes | None, said: str, tmp_path: Path
):
    async with client_of(answers(), tmp_path) as client:
        token_file = tmp_path / "reader.token"
        token_file.unlink()
        if content is not None:
            token_file.write_bytes(content)
        error = await client.error()
        assert isinstance(error, ServiceRefused)
        assert said in error.problem
        assert "`askance up`" in error.fix
        assert client.server.requests == []
        assert client.sent == []


async def test_a_folder_in_the_place_of_the_token_is_told(tmp_path: Path):
    async with client_of(answers(), tmp_path) as client:
        (tmp_path / "reader.token").unlink()
        (tmp_path / "reader.token").mkdir()
        assert "cannot be read" in (await client.error()).problem
