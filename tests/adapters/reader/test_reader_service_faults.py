"""What is wrong with the reader service, or with what stands in its place, in words and in time."""

from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.reader import service as client_module
from askance.adapters.reader.reader_protocol import Refusal
from askance.domain.errors import (
    ServiceAbsent,
    ServiceDown,
    ServiceProtocolError,
    ServiceRefused,
)
from askance.domain.messages import Message
from askance.domain.web_pages import LONGEST_PAGE_CHARACTERS, PageReason, PageStatus
from askance.extract.extracted import LONGEST_DETAIL, LONGEST_LINE
from remedies import remedy_of
from servers.faults import address_of_nobody, stalls, stalls_in_mid_reply
from servers.loopback import Handler, Request, Wire, endless
from servers.reader_client import (
    LINES,
    PAGE,
    URL,
    answers,
    asked_line,
    client_of,
    page_line,
    refuses,
    reply_of,
)
from waiting import patience


async def test_a_busy_service_is_asked_again_and_noted_once(tmp_path: Path):
    async def handle(request: Request, wire: Wire) -> None:
        if len(client.server.requests) < 3:
            headers = {"Retry-After": "0", "Content-Type": "application/json"}
            body = json.dumps({"error": {"code": "busy", "message": "No room."}})
            await wire.send(body, 503, headers)
        else:
            await wire.send(reply_of())

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
    async with client_of(stalls, tmp_path) as client, patience():
        async with asyncio.TaskGroup() as group:
            reading = group.create_task(client.read())
            await client.server.until_requests(1)
            reading.cancel()
        assert reading.cancelled()
        await client.server.until_idle()


async def test_where_nothing_listens_the_service_is_down_and_nothing_is_noted(tmp_path: Path):
    nobody = address_of_nobody()
    async with client_of(stalls, tmp_path, url=nobody) as client:
        with pytest.raises(ServiceAbsent, match="Nothing answers") as caught:
            await client.read()
        assert client.sent == []
    assert caught.value.address == nobody
    assert "`askance up`" in caught.value.fix
    assert "`askance logs reader`" in caught.value.fix


@pytest.mark.parametrize(
    ("code", "said", "fix"),
    [
        (Refusal.PROXY_MISMATCH, "reader.proxy", "applies the proxy"),
        (Refusal.INTERNAL, "failed", "logs reader"),
        (Refusal.BAD_REQUEST, "bad_request, HTTP 400", "one version"),
        (Refusal.NOT_FOUND, "not_found, HTTP 404", "one version"),
    ],
)
async def test_each_refusal_has_its_sentence(code: Refusal, said: str, fix: str, tmp_path: Path):
    async with client_of(refuses(code), tmp_path) as client:
        error = await client.error()
        assert isinstance(error, ServiceRefused)
        assert said in error.problem
        assert isinstance(error.problem.values["said"], Message)  # so that it can be translated
        assert fix in error.fix
        assert "Said by the service" not in str(error)
        assert len(client.server.requests) == 1


async def test_a_service_whose_processes_do_not_run_is_not_waited_for(tmp_path: Path):
    async with client_of(refuses(Refusal.STARTING), tmp_path) as client:
        error = await client.error()
        assert type(error) is ServiceDown
        assert "does not work at the moment" in error.problem
        assert len(client.server.requests) == 1


async def test_a_service_that_is_ending_is_asked_again_as_another_may_come(tmp_path: Path):
    async def ends_once(request: Request, wire: Wire) -> None:
        handler = refuses(Refusal.STOPPING) if len(client.server.requests) < 2 else answers()
        await handler(request, wire)

    async with client_of(ends_once, tmp_path) as client:
        assert (await client.read()).status is PageStatus.OK


@pytest.mark.parametrize(
    "code", [Refusal.STARTING, Refusal.STOPPING, Refusal.BUSY, Refusal.INTERNAL]
)
async def test_a_page_that_was_taken_on_is_not_put_to_the_service_twice(
    code: Refusal, tmp_path: Path
):
    async def gives_up(request: Request, wire: Wire) -> None:
        error = json.dumps({"error": {"code": code, "message": ""}}).encode()
        await wire.send(asked_line(URL) + error + b"\n", headers=LINES)

    async with client_of(gives_up, tmp_path) as client:
        error = await client.error()
        assert not isinstance(error, ServiceAbsent)
        assert len(client.server.requests) == 1


@pytest.mark.parametrize(
    ("part", "longest"),
    [("title", LONGEST_LINE), ("byline", LONGEST_LINE), ("published", LONGEST_LINE),
     ("detail", LONGEST_DETAIL), ("markdown", LONGEST_PAGE_CHARACTERS)],
)  # fmt: skip
async def test_no_part_of_a_page_is_longer_than_the_service_may_make_it(
    part: str, longest: int, tmp_path: Path
):
    """A page that took the service over could otherwise fill this program with its title."""
    async with client_of(answers(PAGE, **{part: "a" * longest}), tmp_path) as client:
        assert (await client.read()).status is PageStatus.OK
    async with client_of(answers(PAGE, **{part: "a" * (longest + 1)}), tmp_path) as client:
        assert isinstance(await client.error(), ServiceProtocolError)


async def test_a_service_of_an_older_protocol_is_told_to_be_renewed(tmp_path: Path):
    """It does not know the field, and says what version 1 said of one."""

    async def of_version_1(request: Request, wire: Wire) -> None:
        assert request.json()["protocol"] == 2
        body = {
            "error": {"code": "bad_request", "message": "The request is not understood: protocol."}
        }
        await wire.send_json(body, 400)

    async with client_of(of_version_1, tmp_path) as client:
        error = await client.error()
        assert isinstance(error, ServiceRefused)
        assert remedy_of(error).command == "askance up"


def json_of(value: Any, status: int = 200) -> Handler:
    return lambda request, wire: wire.send_json(value, status)


def lines_of(*lines: bytes) -> Handler:
    return lambda request, wire: wire.send(b"".join(lines), headers=LINES)


def line_of(value: Any) -> Handler:
    return lines_of(json.dumps(value).encode() + b"\n")


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
    "no text": lines_of(page_line(markdown="")),
    "text in a failed page": lines_of(page_line(status="failed", reason="network")),
    "a status of its own": lines_of(page_line(status="fine")),
    "a reason of its own": lines_of(page_line(reason="tired")),
    "words below nothing": lines_of(page_line(words=-1)),
    "text that is no text": lines_of(page_line(markdown=7)),
    "a page of no address": lines_of(page_line(final_url="javascript:alert(1)")),
    "a page of no address at all": lines_of(page_line(final_url="")),
    "a validator of two lines": lines_of(page_line(etag="a\r\nX: y")),
    "unchanged from nothing": lines_of(page_line(unchanged=True, markdown="")),
    "bytes that are no text": lambda request, wire: wire.send(b'{"url": "\xff\xfe"}'),
    "half an object": lambda request, wire: wire.send(b'{"url": "http://'),
    "a packing that breaks": lambda request, wire: wire.send(
        b"not gzip", headers={"Content-Encoding": "gzip"}
    ),
    "a packing at all": lambda request, wire: wire.send(
        gzip.compress(reply_of()), headers={"Content-Encoding": "gzip"}
    ),
    "a page without the end of its line": lines_of(page_line()[:-1]),
    "a page of an older service": json_of(json.loads(page_line())["page"]),
    "no page at the end": lines_of(asked_line(URL)),
    "an empty line": lines_of(b"\n", page_line()),
    "a line that says nothing": lines_of(b"{}\n", page_line()),
    "a line that says two things": line_of(
        {**json.loads(page_line()), "asked": {"to": "a", "url": "b"}}
    ),
    "a reason that is none": line_of({"error": {"code": "tired", "message": ""}}),
    "a host of two lines": line_of({"asked": {"to": "a\nb", "url": URL}}),
    "a host of too many words": line_of({"asked": {"to": "a" * 20_000, "url": URL}}),
    "a long line about a host": line_of({"asked": {"to": "a", "url": URL, "x": "y" * 300_000}}),
    "more hosts than a page has": lines_of(*[asked_line(URL)] * 65, page_line()),
    "a redirect to no address": lambda request, wire: wire.send(
        b"", 302, {"Location": "http://xn--a"}
    ),
    "a redirect that is malformed": lambda request, wire: wire.send(
        b"", 302, {"Location": "http:x"}
    ),
    "an error code of its own": json_of({"error": {"code": "tired", "message": ""}}, 500),
}


@pytest.mark.parametrize("name", NONSENSE)
async def test_what_the_service_would_never_say_is_nonsense(name: str, tmp_path: Path):
    async with client_of(NONSENSE[name], tmp_path) as client:
        error = await client.error()
        assert isinstance(error, ServiceProtocolError)
        assert client.server.url in error.problem
        assert len(client.server.requests) == 1


async def test_a_reply_without_an_end_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(client_module, "LONGEST_REPLY", 1_000_000)

    async with client_of(endless, tmp_path) as client:
        error = await client.error()
        assert isinstance(error, ServiceProtocolError)
        assert "does not end" in error.problem
        await client.server.until_idle()


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "There is no token"), *((content, "cannot be read") for content in
     (b"", b" \n", b"a\nb", b"a-short-one", b"caf\xc3\xa9"))],
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
        # Without a token nobody has set the service up; with a wrong one somebody has.
        assert isinstance(error, ServiceAbsent if content is None else ServiceRefused)
        assert said in error.problem
        assert "`askance up`" in error.fix
        assert client.server.requests == []
        assert client.sent == []


async def test_a_folder_in_the_place_of_the_token_is_told(tmp_path: Path):
    async with client_of(answers(), tmp_path) as client:
        (tmp_path / "reader.token").unlink()
        (tmp_path / "reader.token").mkdir()
        assert "cannot be read" in (await client.error()).problem
