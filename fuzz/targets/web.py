"""What the web sends: redirects, replies byte for byte, encodings, pages."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from functools import cache

import httpcore
import httpx

from askance.adapters.network.guarded_http import BoundedBackend, Transport, page_client
from askance.adapters.reader import inprocess
from askance.adapters.reader.inprocess import (
    BrokenEncoding,
    Fetched,
    Fetcher,
    NotFetched,
    TooLong,
    Unpacker,
)
from askance.adapters.reader.network import (
    Endpoint,
    JudgingBackend,
    MappedResolver,
    RefusedAddress,
    judge_redirect,
    judge_url,
)
from askance.config.settings import ReaderSettings
from askance.domain.events import RequestSent
from askance.domain.web_pages import PageStatus
from askance.extract.extracted import Extracted
from askance.extract.page import extract_page
from askance.extract.text.characters import strip_invisible

SITE = "http://site.example/a/b?c=d"
LIMIT = 20_000
ENCODINGS = ("gzip", "deflate", "", "gzip, gzip", "br", "identity", "x-gzip", "gzip,deflate,gzip")
TYPES = ("text/html", "text/html; charset=utf-16", "application/xhtml+xml", "text/plain",
         "text/markdown", "application/xml", "", "text/html; charset=shift_jis")  # fmt: skip


def redirect(data: bytes) -> None:
    """A redirect is refused, or leads to one address that every parser reads alike."""
    location = data.decode("latin-1")
    try:
        target = judge_redirect(SITE, location)
    except RefusedAddress:
        return
    assert judge_url(target.url) == target, "what was judged is judged in another way"
    read = httpx.URL(target.url)
    assert read.raw_host.decode("ascii") == target.host, "the host can be read in two ways"
    assert (read.port or {"http": 80, "https": 443}[read.scheme]) == target.port


def reply(data: bytes) -> None:
    """Whatever a web server says, a page comes or does not come; nothing else is raised."""
    asyncio.run(_fetched(data))


async def _fetched(data: bytes) -> None:
    sent: list[RequestSent] = []
    resolver = MappedResolver({"site.example": ("127.0.0.1", 80)}, _Nobody())
    judging = JudgingBackend(resolver, dial=_Wire(data))
    pool = httpcore.AsyncConnectionPool(network_backend=BoundedBackend(judging))
    async with page_client(Transport(pool)) as client, asyncio.timeout(20):
        try:
            page = await Fetcher(client, ReaderSettings(), max_bytes=LIMIT).fetch(
                SITE, sent=sent.append
            )
        except NotFetched:
            page = None
    assert page is None or (isinstance(page, Fetched) and len(page.data) <= LIMIT)
    assert 0 < len(sent) <= 2 * (inprocess.MAX_REDIRECTS + 1), "requests outside of the ledger"


class _Wire(httpcore.AsyncNetworkBackend):
    """Answers each connection with the same bytes, in pieces."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        assert (host, port) == ("127.0.0.1", 80), "an address that was not judged is dialled"
        return httpcore.AsyncMockStream(pieces_of(self._data))


class _Nobody:
    async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:
        raise OSError(f"{host}:{port} is not known here")


def pieces_of(data: bytes) -> list[bytes]:
    """Return data in pieces whose lengths it chooses itself, none empty."""
    size = 1 + (data[0] if data else 0) % 97
    return [data[start : start + size] for start in range(0, len(data), size)]


def encoding(data: bytes) -> None:
    """Packed bytes never unpack to more than the limit, whatever they claim."""
    name, body = ENCODINGS[(data[0] if data else 0) % len(ENCODINGS)], data[1:]
    try:
        unpacker = Unpacker(name, LIMIT)
        for piece in pieces_of(body):
            unpacker.feed(piece)
    except (TooLong, BrokenEncoding):
        return
    assert len(unpacker.data) <= LIMIT


def page(data: bytes) -> None:
    """Every page is taken apart, or says why not; its text holds nothing invisible."""
    _check(extract_page(data[1:], SITE, TYPES[(data[0] if data else 0) % len(TYPES)]))


def pdf(data: bytes) -> None:
    """A PDF is read, or says why not."""
    _quiet()
    _check(extract_page(b"%PDF-1.4\n" + data, SITE, "application/pdf"))


def _check(extracted: Extracted) -> None:
    assert bool(extracted.markdown) is (extracted.status is PageStatus.OK)
    assert extracted.markdown == strip_invisible(extracted.markdown), "hidden characters"
    assert extracted.title == strip_invisible(extracted.title), "hidden characters in the title"
    extracted.markdown.encode()


@cache
def _quiet() -> None:
    """The child that takes pages apart has no log; pypdf writes one for every odd byte."""
    import logging  # noqa: PLC0415 - only where it is wanted

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)


TARGETS = {
    "redirect": redirect,
    "reply": reply,
    "encoding": encoding,
    "page": page,
    "pdf": pdf,
}
