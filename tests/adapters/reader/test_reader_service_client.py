"""The client of the reader service: what it sends, what it takes, and what it tells of it."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.reader.service import ServiceReader
from askance.config.settings import ReaderSettings
from askance.domain.errors import (
    SettingsError,
)
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message
from askance.domain.web_pages import Page, PageReason, PageStatus, Validators
from askance.local_service.credentials import RequestProof, Token
from fakes.outbound import ignore
from servers.loopback import Request, Wire
from servers.reader_client import PAGE, TOKEN, URL, answers, client_of, reply_of
from servers.site import ScriptedResolver
from waiting import patience


async def test_a_page_comes_as_the_service_read_it(tmp_path: Path):
    async with client_of(answers(), tmp_path) as client:
        page = await client.read()
        [request] = client.server.requests
    assert page == Page(**{**_fields(PAGE), "served_by": "the reader service", "elapsed_ms": page.elapsed_ms})  # fmt: skip
    assert (request.method, request.target) == ("POST", "/read")
    proof = RequestProof.parse(request.headers["authorization"])
    assert proof is not None
    assert proof.holds(Token(TOKEN), "POST", "/read")
    assert proof.body_digest == hashlib.sha256(request.body).hexdigest()
    assert TOKEN not in str(request)
    assert request.headers["content-type"] == "application/json"
    assert request.headers["connection"] == "close"
    assert "origin" not in request.headers
    assert "cookie" not in request.headers
    assert request.json() == {
        "protocol": 2, "url": URL, "final_url": "", "etag": "", "last_modified": "", "proxy": ""
    }  # fmt: skip


def _fields(page: Page) -> dict[str, Any]:
    return {name: getattr(page, name) for name in Page.__dataclass_fields__}


@pytest.mark.parametrize(
    ("status", "reason"),
    [("empty", "script_only"), ("failed", "http_status"), ("failed", "extraction")],
)
async def test_a_page_that_could_not_be_read_is_a_value(status: str, reason: str, tmp_path: Path):
    missing = Page(URL, PageStatus(status), PageReason(reason), Message("Said why."), final_url=URL)
    async with client_of(answers(missing), tmp_path) as client:
        page = await client.read()
    assert (page.status, page.reason, page.detail) == (status, reason, "Said why.")


async def test_the_first_host_is_told_before_the_service_hears_of_it(tmp_path: Path):
    reported_by_then: list[list[RequestSent]] = []

    async def handle(request: Request, wire: Wire) -> None:
        reported_by_then.append(list(client.sent))
        await wire.send(reply_of())

    async with client_of(handle, tmp_path) as client:
        await client.read()
        first = RequestSent(Sending.PAGE, "site.example", Message("the reader service"), URL)
        assert reported_by_then == [[first]]
        assert client.sent == [first]


async def test_every_hop_of_a_redirect_is_told_once(tmp_path: Path):
    hops = (URL, "https://site.example/page", "https://www.other.example/there")
    async with client_of(answers(PAGE, *hops), tmp_path) as client:
        await client.read()
        assert [(sent.to, sent.content) for sent in client.sent] == [
            ("site.example", hops[0]),
            ("site.example", hops[1]),
            ("www.other.example", hops[2]),
        ]


async def test_a_redirect_back_to_the_first_address_is_told_as_well(tmp_path: Path):
    async with client_of(answers(PAGE, URL, "http://b.example/", URL), tmp_path) as client:
        await client.read()
        assert [sent.content for sent in client.sent] == [URL, "http://b.example/", URL]


async def test_an_address_that_is_asked_twice_is_told_twice(tmp_path: Path):
    moved = "http://b.example/"
    async with client_of(answers(PAGE, URL, URL, moved, moved), tmp_path) as client:
        await client.read()
        assert [sent.content for sent in client.sent] == [URL, URL, moved, moved]


async def test_the_proxy_is_told_without_its_password_and_names_are_left_to_it(tmp_path: Path):
    resolver = ScriptedResolver({})
    proxy = "http://me:secret@proxy.example:3128"
    async with client_of(answers(), tmp_path, resolver=resolver, proxy=proxy) as client:
        await client.read()
        [request] = client.server.requests
        assert request.json()["proxy"] == "http://proxy.example:3128"
        assert client.sent[0].through == "the reader service, the proxy http://proxy.example:3128"
        assert (await client.read("http://127.0.0.1/")).reason is PageReason.REFUSED_ADDRESS
    assert resolver.asked == []
    assert "secret" not in str(client.sent) + str(client.server.requests)


async def test_a_service_on_another_machine_is_named_as_such(tmp_path: Path):
    settings = ReaderSettings(url="http://reader.example:25018")
    reader = ServiceReader(settings, tmp_path / "none", ScriptedResolver({}))
    assert reader._through == "the reader service at reader.example:25018"


REFUSED = ["", "http://[", "file:///etc/passwd", "http://127.0.0.1/", "http://localhost/", "http://[::1]/",
           "http://2130706433/", "http://site.example:22/", "http://site.example/\ud800",
           "http://inner.example/", "http://mixed.example/", "http://user@site.example/"]  # fmt: skip


@pytest.mark.parametrize("url", REFUSED)
async def test_an_address_that_leads_inside_never_reaches_the_service(url: str, tmp_path: Path):
    async with client_of(answers(), tmp_path) as client:
        page = await client.read(url)
        assert (page.status, page.reason) == (PageStatus.FAILED, PageReason.REFUSED_ADDRESS)
        assert page.detail
        assert page.url == url
        assert client.server.requests == []
        assert client.sent == []


async def test_a_name_that_is_not_known_here_is_left_to_the_service(tmp_path: Path):
    unknown = Page(URL, PageStatus.FAILED, PageReason.NETWORK, Message("The name is not known."))
    async with client_of(answers(unknown), tmp_path, resolver=ScriptedResolver({})) as client:
        assert (await client.read()).detail == "The name is not known."
        assert len(client.server.requests) == 1


async def test_an_address_is_sent_in_its_one_spelling_and_comes_back_in_its_own(tmp_path: Path):
    async with client_of(answers(), tmp_path) as client:
        page = await client.read("HTTP://SITE.example:80/page#part")
        assert client.server.requests[0].json()["url"] == URL
        assert client.sent[0].content == URL
    assert page.url == "HTTP://SITE.example:80/page#part"


async def test_a_known_page_that_has_not_changed_comes_back_refreshed(tmp_path: Path):
    unchanged = Page(
        URL,
        PageStatus.OK,
        final_url=URL,
        fetched_at="2026-11-22T10:00:00+00:00",
        validators=Validators('"v2"'),
    )
    async with client_of(answers(unchanged), tmp_path) as client:
        page = await client.read(known=PAGE)
        asked = client.server.requests[0].json()
    assert (asked["etag"], asked["last_modified"], asked["final_url"]) == (
        '"v1"',
        "Thu, 19 Nov 2026 10:00:00 GMT",
        URL,
    )
    assert (page.markdown, page.title, page.byline) == ("Some words.", "A page", "Somebody")
    assert page.fetched_at == "2026-11-22T10:00:00+00:00"
    assert page.validators.etag == '"v2"'
    assert page.served_by == "the reader service"


async def test_a_renewed_token_is_taken_up_at_once(tmp_path: Path):
    async with client_of(answers(), tmp_path) as client:
        await client.read()
        (tmp_path / "reader.token").write_text("another-token-of-the-tests", "ascii")
        await client.read()
        proofs = [
            RequestProof.parse(request.headers["authorization"])
            for request in client.server.requests
        ]
    tokens = (Token(TOKEN), Token("another-token-of-the-tests"))
    held = [[p is not None and p.holds(t, "POST", "/read") for t in tokens] for p in proofs]
    assert held == [[True, False], [False, True]]


async def test_a_note_that_fails_stops_the_page_before_it_is_asked_for(tmp_path: Path):
    def broken(request: RequestSent) -> None:
        raise RuntimeError("no pencil")

    async with client_of(answers(), tmp_path) as client:
        with pytest.raises(RuntimeError, match="no pencil"):
            await client.reader.read(URL, sent=broken)
        assert client.server.requests == []


def test_an_address_that_is_none_is_a_matter_of_settings(tmp_path: Path):
    settings = ReaderSettings(url="http://a\x7fb")
    with pytest.raises(SettingsError, match=r"reader\.url"):
        ServiceReader(settings, tmp_path / "reader.token", ScriptedResolver({}))


async def test_pages_are_asked_for_side_by_side(tmp_path: Path):
    together = asyncio.Barrier(5)

    async def handle(request: Request, wire: Wire) -> None:
        await together.wait()
        await wire.send(reply_of())

    async with (
        client_of(handle, tmp_path) as client,
        patience(),
        asyncio.TaskGroup() as group,
    ):
        reads: Sequence[asyncio.Task[Page]] = [
            group.create_task(client.reader.read(URL, sent=ignore)) for _ in range(5)
        ]
    assert {read.result().status for read in reads} == {PageStatus.OK}
