"""What every page reader does alike: the one in this program, and the service behind its client."""

from __future__ import annotations

import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import httpcore
import pytest

from askance.adapters.network.guarded_http import Transport, page_client
from askance.adapters.reader.inprocess import Fetcher, InProcessReader
from askance.adapters.reader.network import Endpoint, JudgingBackend, MappedResolver
from askance.adapters.reader.service import ServiceReader
from askance.config.settings import ReaderSettings
from askance.domain.events import RequestSent, Sending
from askance.domain.ports.web import PageReader
from askance.domain.web_pages import (
    WHOLE_WEB,
    Page,
    PageReason,
    PageStatus,
    SearchScope,
    Validators,
)
from servers.dialling import RecordingDial
from servers.faults import hangs_up, stalls
from servers.loopback import Handler, Loopback, Request, Wire, serve
from servers.reader_service import ReaderProcess, reader_process
from servers.site import HTML, ScriptedResolver, article, pdf, sentence
from servers.ssrf_rows import names_of, ssrf_rows
from waiting import PATIENCE_S, patience

Kind = Literal["in process", "service"]
URL = "http://site.example"
SITES: tuple[str, ...] = ("site.example", "other.example")
INSIDE = {"inner.example": "10.0.0.7", "nat.example": "64:ff9b::7f00:1"}
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _redirects(to: str) -> Handler:
    return lambda request, wire: wire.send(b"", 302, {"Location": to})


def _sends(body: str | bytes, headers: dict[str, str] | None = None) -> Handler:
    return lambda request, wire: wire.send(body, headers={**HTML, **(headers or {})})


async def _kept(request: Request, wire: Wire) -> None:
    """A page with a version, which is asked for by its ETag."""
    headers = {**HTML, "ETag": '"v1"', "Last-Modified": "Thu, 19 Nov 2026 10:00:00 GMT"}
    if request.headers.get("if-none-match") == '"v1"':
        await wire.send(b"", 304, headers)
    else:
        await wire.send(article(), headers=headers)


SITE: dict[str, Handler] = {
    "/article": _sends(article()),
    "/hop": _redirects("http://other.example/hop2?q=1"),
    "/hop2": _redirects("http://site.example/article#end"),
    "/circle": _redirects("/circle"),
    "/pdf": _sends(pdf("A page of a PDF file\nwith words in it.")),
    "/lying": _sends(article("<p>Das Café öffnete früh.</p>").encode("cp1252")),
    "/bomb": _sends(gzip.compress(bytes(9_000_000)), {"Content-Encoding": "gzip"}),
    "/nested": _sends(b"<html><body>" + b"<div>" * 50_000 + b"deep"),
    "/text": _sends("Plain words.\n\nMore of them.", {"Content-Type": "text/plain"}),
    "/shell": _sends('<div id="root"></div><script src="/a.js"></script>'),
    "/image": _sends(b"PNG", {"Content-Type": "image/png"}),
    "/long": _sends("<p>" + "x" * 3_000_000),
    "/inside": _redirects("http://127.0.0.1/private"),
    "/inside-by-name": _redirects("http://inner.example/private"),
    "/kept": _kept,
    "/private": _sends(article(), {"Cache-Control": "private, no-store"}),
    "/silent": stalls,
    "/hangs-up": hangs_up,
}


async def pages(request: Request, wire: Wire) -> None:
    """A site with a page for every fate."""
    if request.path in SITE:
        await SITE[request.path](request, wire)
    else:
        await wire.send("no", 404, HTML)


@dataclass
class Readable:
    """A reader, and the site that it reads."""

    reader: PageReader
    site: Loopback
    served_by: str
    sent: list[RequestSent] = field(default_factory=list[RequestSent])

    async def read(
        self, path: str, known: Page | None = None, scope: SearchScope = WHOLE_WEB
    ) -> Page:
        url = f"{URL}{path}" if path.startswith("/") else path
        return await self.reader.read(url, sent=self.sent.append, known=known, scope=scope)


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReaderProcess]:
    with reader_process(tmp_path_factory.mktemp("reader")) as running:
        yield running


@pytest.fixture(params=["in process", "service"])
async def readable(
    request: pytest.FixtureRequest, process: ReaderProcess
) -> AsyncIterator[Readable]:
    async with serve(pages) as site, reading(request.param, site, process) as found:
        yield found


@asynccontextmanager
async def reading(
    kind: Kind, site: Loopback, process: ReaderProcess, page_timeout_s: float = PATIENCE_S
) -> AsyncIterator[Readable]:
    settings = ReaderSettings(url=process.url).model_copy(update={"page_timeout_s": page_timeout_s})
    names = dict.fromkeys(SITES, ("127.0.0.1", site.port))
    inside = {name: [[address]] for name, address in INSIDE.items()}
    resolver = MappedResolver(names, ScriptedResolver(inside))
    process.know({**names, **{name: (address, None) for name, address in INSIDE.items()}})
    if kind == "service":
        async with ServiceReader(settings, process.token_file, resolver) as client:
            yield Readable(client, site, "the reader service")
    else:
        async with InProcessReader(settings, resolver=resolver, eager=False) as reader:
            yield Readable(reader, site, "this program")


async def test_every_page_is_a_value_whatever_its_fate(readable: Readable):
    fates = {
        "/article": ("ok", ""),
        "/pdf": ("ok", ""),
        "/lying": ("ok", ""),
        "/bomb": ("failed", "too_large"),
        "/nested": ("ok", ""),
        "/text": ("ok", ""),
        "/shell": ("empty", "script_only"),
        "/image": ("failed", "not_text"),
        "/long": ("failed", "too_large"),
        "/circle": ("failed", "redirects"),
        "/inside": ("failed", "refused_address"),
        "/inside-by-name": ("failed", "refused_address"),
        "/hangs-up": ("failed", "network"),
        "/none": ("failed", "not_found"),
        "http://unknown.example/": ("failed", "network"),
        "http://inner.example/": ("failed", "refused_address"),
        "http://nat.example/": ("failed", "refused_address"),
        "http://127.0.0.1/": ("failed", "refused_address"),
    }
    found = {path: await readable.read(path) for path in fates}
    assert {path: (page.status, page.reason) for path, page in found.items()} == fates
    for path, page in found.items():
        ok = page.status is PageStatus.OK
        assert (bool(page.markdown), bool(page.words), bool(page.detail)) == (ok, ok, not ok), path
        assert page.url == (f"{URL}{path}" if path.startswith("/") else path)
        assert page.final_url
        assert page.fetched_at
        assert page.elapsed_ms >= 0
        assert (page.served_by, page.fallback) == (readable.served_by, "")
    assert "Das Café öffnete früh." in found["/lying"].markdown
    assert "404" in found["/none"].detail
    assert "private" not in "".join(r.path for r in readable.site.requests)


async def test_both_readers_give_the_same_page(process: ReaderProcess):
    async with serve(pages) as site:
        found = list[Page]()
        for kind in ("in process", "service"):
            async with reading(kind, site, process) as readable:
                found.append(await readable.read("/kept"))
    here, there = (replace(p, elapsed_ms=0, fetched_at="", served_by="") for p in found)
    assert here == there
    assert sentence(3) in here.markdown
    assert here.language == "en"
    assert here.title == "The harbour of Lindmouth"
    assert len(here.content_hash) == 64


async def test_all_hops_of_a_redirect_are_told_in_order(readable: Readable):
    page = await readable.read("/hop")
    assert page.final_url == f"{URL}/article"
    assert page.url == f"{URL}/hop"
    assert [(sent.sending, sent.to, sent.content) for sent in readable.sent] == [
        (Sending.PAGE, "site.example", f"{URL}/hop"),
        (Sending.PAGE, "other.example", "http://other.example/hop2?q=1"),
        (Sending.PAGE, "site.example", f"{URL}/article"),
    ]
    assert {sent.through for sent in readable.sent} == {readable.served_by}


async def test_what_a_scope_leaves_out_is_not_asked_even_by_a_redirect(readable: Readable):
    for scope in (SearchScope(("site.example",)), SearchScope(excluded=("other.example",))):
        assert (await readable.read("/article", scope=scope)).status is PageStatus.OK
        page = await readable.read("/hop", scope=scope)
        assert page.reason is PageReason.REFUSED_ADDRESS
        assert "other.example" in page.detail
        assert (await readable.read("http://other.example/article", scope=scope)).words == 0
    assert {r.headers["host"] for r in readable.site.requests} == {"site.example"}
    assert {sent.to for sent in readable.sent} == {"site.example"}


async def test_the_first_host_is_told_before_it_is_asked(readable: Readable):
    reading_it = asyncio.Event()
    reported_by_then: list[int] = []

    def note(request: RequestSent) -> None:
        reported_by_then.append(len(readable.site.requests))
        reading_it.set()

    await readable.reader.read(f"{URL}/article", sent=note)
    assert reported_by_then == [0]
    assert reading_it.is_set()


async def test_a_page_is_asked_whether_it_has_changed(readable: Readable):
    known = await readable.read("/kept")
    assert known.validators == Validators('"v1"', "Thu, 19 Nov 2026 10:00:00 GMT")
    again = await readable.read("/kept", replace(known, fetched_at="2026-01-01T00:00:00+00:00"))
    assert replace(again, elapsed_ms=0) == replace(known, elapsed_ms=0, fetched_at=again.fetched_at)
    assert again.fetched_at >= known.fetched_at
    asked = readable.site.requests[1].headers
    assert asked["if-none-match"] == '"v1"'
    assert asked["if-modified-since"] == "Thu, 19 Nov 2026 10:00:00 GMT"


@pytest.mark.parametrize(
    ("final_url", "etag"), [(f"{URL}/kept", '"v0"'), ("http://other.example/kept", '"v1"')]
)
async def test_a_page_that_has_changed_or_is_another_servers_comes_anew(
    readable: Readable, final_url: str, etag: str
):
    text = {"markdown": "Old text.", "words": 2, "validators": Validators(etag)}
    old = Page(f"{URL}/kept", PageStatus.OK, final_url=final_url, **text)
    page = await readable.read("/kept", old)
    assert sentence(0) in page.markdown
    assert page.validators.etag == '"v1"'
    # Another server is told nothing of a known page.
    told = readable.site.requests[0].headers.get("if-none-match")
    assert told == (etag if final_url.startswith(URL) else None)


async def test_a_page_that_must_not_be_kept_says_so(readable: Readable):
    assert (await readable.read("/private")).storable is False
    assert (await readable.read("/article")).storable is True


async def test_a_cancelled_page_is_given_up_at_its_site(readable: Readable):
    async with patience():
        async with asyncio.TaskGroup() as group:
            task = group.create_task(readable.read("/silent"))
            await readable.site.until_requests(1)
            task.cancel()
        assert task.cancelled()
        await readable.site.until_idle()
        assert (await readable.read("/article")).status is PageStatus.OK


@pytest.mark.parametrize("kind", ["in process", "service"])
async def test_a_page_that_never_comes_is_given_up_in_time(kind: Kind, process: ReaderProcess):
    async with serve(pages) as site, reading(kind, site, process, 0.3) as readable:
        page = await readable.read("/silent")
        assert (page.status, page.reason) == (PageStatus.FAILED, PageReason.TIMED_OUT)
        # A service that has begun limits itself; its client waits for what its machine may need more.
        limit_s = 0.3 if kind == "in process" else 0.9
        assert f"{limit_s} seconds" in page.detail
        assert 250 <= page.elapsed_ms < 5000
        async with patience():
            await site.until_idle()


async def test_pages_are_read_side_by_side(readable: Readable):
    async with patience(), asyncio.TaskGroup() as group:
        tasks = [group.create_task(readable.read("/article")) for _ in range(5)]
    assert {task.result().status for task in tasks} == {PageStatus.OK}
    assert len(readable.sent) == 5


async def test_a_service_with_no_room_is_waited_for(tmp_path: Path):
    with reader_process(tmp_path, at_once=1) as small:
        async with (
            serve(pages) as site,
            reading("service", site, small) as readable,
            patience(),
            asyncio.TaskGroup() as group,
        ):
            tasks = [group.create_task(readable.read("/article")) for _ in range(3)]
    assert {(task.result().status, task.result().fallback) for task in tasks} == {("ok", "")}
    # What was turned away had not been asked for.
    assert len(site.requests) == len(readable.sent) == 3


@asynccontextmanager
async def undialled(kind: Kind, folder: Path) -> AsyncIterator[PageReader]:
    """A reader whose connections are written down; the test fails if there was one."""
    resolver = ScriptedResolver(names_of(ssrf_rows(is_refused=True)))
    dial = RecordingDial()
    token_file = folder / "reader.token"
    token_file.write_text("token", "ascii")
    async with AsyncExitStack() as stack:
        service = await stack.enter_async_context(serve(stalls))
        settings = ReaderSettings(url=service.url).model_copy(update={"page_timeout_s": 2.0})
        if kind == "service":
            yield await stack.enter_async_context(ServiceReader(settings, token_file, resolver))
        else:
            backend = JudgingBackend(resolver, dial=dial)
            pool = httpcore.AsyncConnectionPool(network_backend=backend, ssl_context=NO_TLS)
            reader = InProcessReader(settings, resolver=resolver, eager=False)
            client = await stack.enter_async_context(page_client(Transport(pool)))
            reader._fetcher = Fetcher(client, settings)
            reader._workers.start = lambda pages=None: None
            yield reader
        assert service.requests == []
        assert dial.dialled == []


@pytest.mark.parametrize("kind", ["in process", "service"])
async def test_no_refused_address_is_ever_connected_to(kind: Kind, tmp_path: Path):
    sent: list[RequestSent] = []
    rows = ssrf_rows(is_refused=True)
    async with undialled(kind, tmp_path) as reader:
        for url in (*(row.url for row in rows), "http://a.example/\ud800"):
            page = await reader.read(url, sent=sent.append)
            assert page.reason is PageReason.REFUSED_ADDRESS, url
            assert page.detail, url
    reported = {request.content for request in sent}
    # In this program a name is looked up with its connection, when the host was told of already.
    assert {urlsplit(url).hostname for url in reported} <= names_of(rows).keys()


async def test_the_service_judges_names_on_its_own_as_well(process: ReaderProcess):
    """A client that was deceived by its own resolver still opens no way inside."""

    class Deceived:
        async def resolve(self, host: str, port: int) -> list[Endpoint]:
            return [Endpoint(ip_address("93.184.215.14"), port)]

    process.know({"inner.example": ("10.0.0.7", None)})
    settings = ReaderSettings(url=process.url)
    async with ServiceReader(settings, process.token_file, Deceived()) as client:
        page = await client.read("http://inner.example/", sent=lambda request: None)
    assert page.reason is PageReason.REFUSED_ADDRESS
    assert "10.0.0.7" in page.detail
