"""The page reader without a container: pages are fetched here, judged hop by hop, bounded and unpacked as they come, and
taken apart in child processes.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import ssl
import zlib
from collections.abc import Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from http.client import responses
from time import perf_counter
from typing import Protocol
from urllib.parse import urlsplit

import httpx

from askance.adapters.network.guarded_http import (
    HERE,
    location_of,
    packing_of,
    page_client,
    page_tls_context,
    way_out,
)
from askance.adapters.reader.network import (
    NameUnknown,
    PageTarget,
    RefusedAddress,
    Resolver,
    judge_redirect,
    judge_url,
    page_transport,
)
from askance.adapters.reader.workers import WORKER_MEMORY_MB, WORKERS, WorkerPool
from askance.config.settings import ReaderSettings
from askance.domain.errors import ServiceDown, place_of
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import NOTHING, Message, message_of
from askance.domain.ports.web import Sent
from askance.domain.web_pages import (
    WHOLE_WEB,
    Page,
    PageReason,
    PageStatus,
    SearchScope,
    Validators,
    host_of,
)
from askance.extract.extracted import Extracted, shortened
from askance.extract.sandbox import Protections

MAX_BYTES = 2_000_000
"""Largest page, after decompression."""
_GZIP_MARK = b"\x1f\x8b"
# Tells zlib to expect the gzip header (RFC 1952).
_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_LONGEST_HEAD = 64 * 1024
_PACKINGS = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})
# Redirects followed for one page, each judged like a new address.
MAX_REDIRECTS = 5
# Seconds before the one retry after a network error.
RETRY_AFTER_S = 0.5
LONGEST_VALIDATOR = 500
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# What the status of a page that does not come says of it: it is not there, or not for us.
_REASONS = {
    **dict.fromkeys((404, 410), PageReason.NOT_FOUND),
    **dict.fromkeys((401, 402, 403, 429, 451), PageReason.DENIED),
}
_READABLE = frozenset({
    "", "application/xhtml+xml", "application/xml", "application/pdf", "application/x-pdf",
    "application/octet-stream", "binary/octet-stream", "application/unknown",
    "application/markdown",
})  # fmt: skip
_UNREADABLE_TEXT = frozenset({"text/css", "text/javascript", "text/ecmascript", "text/calendar"})


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page as it came, unpacked. `content_type` is the header, possibly empty, possibly a lie.

    `unchanged` says that the server vouched for the page that is known, and sent nothing.
    `storable` is False where the server forbids to cache it, and where a page asked for over TLS came
    in the open on a part of its way.
    """

    final_url: str
    content_type: str
    data: bytes
    validators: Validators
    storable: bool = True
    unchanged: bool = False


class NotFetched(Exception):
    """A page did not come. The message says why in plain words, `reason` in a code."""

    def __init__(self, reason: PageReason, detail: Message, final_url: str) -> None:
        # It may quote a header, which is foreign and may be long.
        self.detail = shortened(detail)
        super().__init__(self.detail)
        self.reason = reason
        self.final_url = final_url


class Fetcher:
    """Fetches pages over a client whose transport guards where it connects to."""

    def __init__(
        self, client: httpx.AsyncClient, settings: ReaderSettings, *, max_bytes: int = MAX_BYTES
    ) -> None:
        self._client = client
        self._settings = settings
        self._max_bytes = max_bytes
        self._through = way_out(settings.proxy)

    async def fetch(
        self, url: str, *, sent: Sent, known: Page | None = None, scope: SearchScope = WHOLE_WEB
    ) -> Fetched:
        """Fetch a page, following its redirects. The caller bounds the time.

        `sent` is called with every request before it leaves: one for each hop, and one for each hop
        that is asked a second time. The server of a `known` page is asked whether that one has
        changed.

        Raises:
            NotFetched: it did not come, or is not to be read.
        """
        at = url
        try:
            target = judge_url(url)
            seen: set[str] = set()
            while True:
                seen.add(target.url)
                at = target.url
                # Before each hop: what is left out is not even asked where it leads.
                refuse_left_out(target, scope)
                came = await self._get(target, _conditions(target, known), sent)
                if isinstance(came, Fetched):
                    return came if _stays_private(url, seen) else replace(came, storable=False)
                target = self._next_hop(target, came, seen)
        except RefusedAddress as exc:
            raise NotFetched(PageReason.REFUSED_ADDRESS, message_of(exc), at) from exc

    def _next_hop(self, current: PageTarget, location: str, seen: set[str]) -> PageTarget:
        target = judge_redirect(current.url, location)
        if target.url in seen:
            raise NotFetched(
                PageReason.REDIRECTS, Message("The page redirects in a circle."), current.url
            )
        if len(seen) > MAX_REDIRECTS:
            detail = Message("The page redirects more than {n} times.", n=MAX_REDIRECTS)
            raise NotFetched(PageReason.REDIRECTS, detail, current.url)
        return target

    async def _get(
        self, target: PageTarget, conditions: dict[str, str], sent: Sent
    ) -> Fetched | str:
        """Ask for one hop, once more after a network error. Return the page or a redirect."""
        try:
            return await self._get_once(target, conditions, sent)
        except httpx.TransportError as exc:
            # A second request would change no certificate, and send the address once more.
            if _bad_certificate(exc):
                raise _unreachable(target, exc) from exc
        await asyncio.sleep(RETRY_AFTER_S)
        try:
            return await self._get_once(target, conditions, sent)
        except httpx.TransportError as exc:
            raise _unreachable(target, exc) from exc

    async def _get_once(
        self, target: PageTarget, conditions: dict[str, str], sent: Sent
    ) -> Fetched | str:
        request = self._request(target, conditions)
        sent(RequestSent(Sending.PAGE, urlsplit(target.url).netloc, self._through, target.url))
        response = await self._client.send(request, stream=True)
        try:
            location = location_of(response)
            # 304 answers our own question, and 300 offers a choice that only a person can make:
            # neither is followed.
            if response.status_code in _REDIRECTS and location:
                return location
            if conditions and response.status_code == HTTPStatus.NOT_MODIFIED:
                return Fetched(target.url, "", b"", _validators(response), unchanged=True)
            self._check_head(target, response)
            try:
                unpacker = Unpacker(packing_of(response), self._max_bytes)
                async for chunk in response.aiter_raw():
                    unpacker.feed(chunk)
            except TooLong as exc:
                raise self._too_large(target) from exc
            except BrokenEncoding as exc:
                raise NotFetched(PageReason.NOT_TEXT, message_of(exc), target.url) from exc
            return Fetched(
                target.url,
                response.headers.get("Content-Type", ""),
                unpacker.data,
                _validators(response),
                storable="no-store" not in response.headers.get("Cache-Control", "").lower(),
            )
        finally:
            await response.aclose()

    def _request(self, target: PageTarget, conditions: dict[str, str]) -> httpx.Request:
        try:
            request = self._client.build_request("GET", target.url, headers=conditions)
        except httpx.InvalidURL as exc:
            raise RefusedAddress(Message("The address is malformed.")) from exc
        # httpx normalises addresses by rules of its own: if it would ask another host than the
        # one that was judged, nobody is asked.
        if request.url.raw_host.decode("ascii") != target.host:
            raise RefusedAddress(Message("The address can be read in two ways."))
        return request

    def _check_head(self, target: PageTarget, response: httpx.Response) -> None:
        if not response.is_success:
            status, phrase = str(response.status_code), responses.get(response.status_code, "")
            detail = (
                Message("The server answered {status} ({said}).", status=status, said=phrase)
                if phrase
                else Message("The server answered {status}.", status=status)
            )
            reason = _REASONS.get(response.status_code, PageReason.HTTP_STATUS)
            raise NotFetched(reason, detail, target.url)
        media_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if not _is_readable(media_type):
            detail = Message("The page is {said}, which holds no readable text.", said=media_type)
            raise NotFetched(PageReason.NOT_TEXT, detail, target.url)
        length = response.headers.get("Content-Length", "")
        # Only saves the download: the bytes themselves are counted as well.
        if length.isdecimal() and int(length) > self._max_bytes:
            raise self._too_large(target)

    def _too_large(self, target: PageTarget) -> NotFetched:
        detail = Message("The page is larger than {n} bytes.", n=self._max_bytes)
        return NotFetched(PageReason.TOO_LARGE, detail, target.url)


def refuse_left_out(target: PageTarget, scope: SearchScope) -> None:
    """Raise RefusedAddress for an address that the question leaves out."""
    if not scope.admits(target.url):
        raise RefusedAddress(Message("{host} is left out of this search.", host=target.host))


def missing_page(
    url: str, final_url: str, reason: PageReason, detail: Message, *, started: float, by: Message
) -> Page:
    """Return the page that could not be read; `started` is of `perf_counter`, `by` the reader."""
    return Page(
        url=url,
        status=PageStatus.FAILED,
        reason=reason,
        detail=detail,
        final_url=final_url,
        elapsed_ms=elapsed_ms(started),
        fetched_at=now(),
        served_by=by,
    )


def now() -> str:
    """Return the present time in ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def elapsed_ms(started: float) -> int:
    """Return the milliseconds since a time of `perf_counter`."""
    return round((perf_counter() - started) * 1000)


class TooLong(Exception):
    """The page is longer than allowed."""


class BrokenEncoding(Exception):
    """The packed bytes cannot be unpacked, or are packed in a way that was not offered."""


class _Inflater(Protocol):
    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class Unpacker:
    """Collects a page's bytes up to `limit`, unpacking them as `encoding`, in lower case, says.

    A few kilobytes on the wire can hold gigabytes, so that each step is bounded, not only their
    sum; only one layer of packing is taken off; and packed bytes that hold nothing count as well.
    """

    def __init__(self, encoding: str, limit: int) -> None:
        """Raise BrokenEncoding for a packing that was not offered to the server."""
        self._encoding = encoding.strip()
        if self._encoding not in _PACKINGS:
            raise BrokenEncoding(
                Message(
                    "The page is packed as {said}, which was not asked for.", said=repr(encoding)
                )
            )
        self._limit = limit
        self._data = bytearray()
        self._packed_bytes = 0
        self._inflate: _Inflater | None = None
        self._begun = False

    @property
    def data(self) -> bytes:
        """All that has come so far."""
        return bytes(self._data)

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes from the wire.

        Raises:
            TooLong: the page is longer than the limit.
            BrokenEncoding: the bytes are not what the header says.
        """
        if not self._begun and chunk:
            self._begun = True
            self._inflate = self._inflater(chunk)
        self._packed_bytes += len(chunk)
        room = self._limit - len(self._data)
        if self._inflate is None:
            self._data += chunk[: room + 1]
        elif not self._inflate.eof:  # what follows the end is stored by zlib, and nobody reads it
            try:
                self._data += self._inflate.decompress(chunk, room + 1)
            except zlib.error as exc:
                raise BrokenEncoding(Message("The packed page is damaged.")) from exc
        # Packing makes nothing longer than by a few bytes in each block, and a head.
        if max(len(self._data), self._packed_bytes - _LONGEST_HEAD) > self._limit:
            raise TooLong

    def _inflater(self, start: bytes) -> _Inflater | None:
        """Servers say gzip for bytes that are not packed, and deflate for two formats."""
        match self._encoding:
            case "gzip" | "x-gzip" if start.startswith(_GZIP_MARK[: len(start)]):
                return zlib.decompressobj(_GZIP_WINDOW)
            # RFC 9110, 8.4.1.2, means the format of zlib by this name; some servers send the bare
            # stream of RFC 1951.
            case "deflate" if start[0] & 0x0F == zlib.DEFLATED:
                return zlib.decompressobj()
            case "deflate":
                return zlib.decompressobj(-zlib.MAX_WBITS)
            case _:
                return None


def _stays_private(asked: str, hops: Iterable[str]) -> bool:
    """Whether a page asked for over TLS came over TLS all the way: nobody on it chose where it led."""
    is_secure = asked.strip().lower().startswith("https:")
    return not is_secure or all(hop.startswith("https:") for hop in hops)


def _conditions(target: PageTarget, known: Page | None) -> dict[str, str]:
    """The headers that ask whether a known page has changed. Nobody but its own server gets them."""
    # Validators belong to one address; another server could recognise a reader by them.
    if known is None or known.final_url != target.url:
        return {}
    headers = {
        "If-None-Match": known.validators.etag,
        "If-Modified-Since": known.validators.last_modified,
    }
    return {name: value for name, value in headers.items() if value}


def _validators(response: httpx.Response) -> Validators:
    """Return the validators of a reply; one that is no plain short line could not be sent back."""
    etag, last_modified = (
        value if len(value) <= LONGEST_VALIDATOR and value.isascii() and value.isprintable() else ""
        for value in (response.headers.get("ETag", ""), response.headers.get("Last-Modified", ""))
    )
    return Validators(etag, last_modified)


def _is_readable(media_type: str) -> bool:
    if media_type.startswith("text/"):
        return media_type not in _UNREADABLE_TEXT
    return media_type in _READABLE


def _bad_certificate(error: BaseException) -> bool:
    cause = error.__cause__ or error.__context__
    # httpx wraps httpcore's error, and that the one of TLS.
    return cause is not None and (
        isinstance(cause, ssl.SSLCertVerificationError) or _bad_certificate(cause)
    )


def _unreachable(target: PageTarget, error: httpx.TransportError) -> NotFetched:
    host = host_of(target.url)
    if isinstance(error, NameUnknown):
        detail = message_of(error)
    elif isinstance(error, httpx.ProxyError):
        detail = Message("The proxy opens no way to {host}: {problem}.", host=host, problem=error)
    elif _bad_certificate(error):
        detail = Message("The certificate of {host} is not valid.", host=host)
    elif isinstance(error, httpx.ConnectError):
        detail = Message("No connection to {host}.", host=host)
    else:
        detail = Message("The connection to {host} broke.", host=host)
    return NotFetched(PageReason.NETWORK, detail, target.url)


_log = logging.getLogger(__name__)


class InProcessReader:
    """A `PageReader`: `async with InProcessReader(settings.reader, resolver=...) as reader`.

    Entering starts the child processes and does not wait for them; leaving ends them. Without
    `eager` they start with `prepare`, or one for each page that is read at once, beside its fetching.
    Those that have had no page for `idle_s` seconds are ended until then; 0 keeps them. Where they cannot be
    started, `read` and `protections` raise ServiceDown.
    """

    def __init__(
        self,
        settings: ReaderSettings,
        *,
        resolver: Resolver,
        workers: int = WORKERS,
        eager: bool = True,
        idle_s: float = 0.0,
    ) -> None:
        self._settings = settings
        self._resolver = resolver
        self._stack = AsyncExitStack()
        self._workers = WorkerPool(
            workers,
            WORKER_MEMORY_MB,
            eager=eager,
            idle_s=idle_s,
            page_cpu_s=settings.page_timeout_s,
        )
        self._fetcher: Fetcher | None = None
        self._reading = 0

    async def __aenter__(self) -> InProcessReader:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._workers)
            # Loading the certificates takes tens of milliseconds, beside the children's start.
            tls = await asyncio.to_thread(page_tls_context)
            transport = page_transport(self._resolver, tls, self._settings.proxy)
            client = await stack.enter_async_context(page_client(transport))
            self._fetcher = Fetcher(client, self._settings)
            # Kept only now: where a part fails to open, the stack closes those before it.
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._fetcher = None
        await self._stack.aclose()

    @property
    def worker_pids(self) -> list[int]:
        """The child processes that are there now."""
        return self._workers.pids

    @property
    def ready(self) -> bool:
        """Whether a child process has come up, so that a page can be taken apart now."""
        return self._workers.ready

    def prepare(self) -> None:
        """Start the child processes that are not there: pages will be asked for soon."""
        self._workers.start()

    async def protections(self) -> Protections:
        """Return how the child processes are confined. See `WorkerPool.protections`."""
        return await self._workers.protections()

    async def read(
        self, url: str, *, sent: Sent, known: Page | None = None, scope: SearchScope = WHOLE_WEB
    ) -> Page:
        """Read one page. A page that cannot be read is a value. See `PageReader.read`."""
        assert self._fetcher is not None, "read() belongs inside `async with`"
        started = perf_counter()
        missing = partial(missing_page, url, started=started, by=HERE)
        # Before the page is fetched, since a process takes half a second to start.
        self._reading += 1
        self._workers.start(self._reading)
        final_url, limit_s = url, self._settings.page_timeout_s
        begun = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(begun + limit_s) as limit:
                fetched = await self._fetcher.fetch(url, sent=sent, known=known, scope=scope)
                final_url = fetched.final_url
                # From here on the worker counts its processor time; a process that has not started
                # yet, or that waits for a processor, takes none.
                limit_s = self._settings.page_deadline_s
                limit.reschedule(begun + limit_s)
                if known is not None and fetched.unchanged:
                    return _vouched(url, known, fetched, started)
                extracted = await self._workers.extract(
                    fetched.data, fetched.final_url, fetched.content_type
                )
        except NotFetched as exc:
            return missing(exc.final_url, exc.reason, exc.detail)
        except TimeoutError:  # never one of the network's: those are translated
            detail = Message("The page took longer than {n} seconds.", n=limit_s)
            return missing(final_url, PageReason.TIMED_OUT, detail)
        except ServiceDown:
            raise
        except Exception as exc:  # noqa: BLE001 - a page chooses the code that it meets
            # The one place where whatever a page brought about ends. Neither its address nor its
            # text is logged: the reader service's log must not tell what was read.
            _log.error("Reading a page failed: %s", place_of(exc))
            detail = Message("Reading the page failed inside the reader; its log says where.")
            return missing(final_url, PageReason.INTERNAL, detail)
        finally:
            self._reading -= 1
        return _page(url, fetched, extracted, started)


def _vouched(url: str, known: Page, fetched: Fetched, started: float) -> Page:
    """The known page, whose server has just said that it is still the same."""
    new = fetched.validators
    return replace(
        known,
        url=url,
        elapsed_ms=elapsed_ms(started),
        fetched_at=now(),
        validators=Validators(
            new.etag or known.validators.etag, new.last_modified or known.validators.last_modified
        ),
        served_by=HERE,
        fallback=NOTHING,
    )


def _page(url: str, fetched: Fetched, extracted: Extracted, started: float) -> Page:
    # All but what it took to compute.
    outcome = {
        field.name: getattr(extracted, field.name) for field in fields(extracted) if field.compare
    }
    return Page(
        url=url,
        final_url=fetched.final_url,
        elapsed_ms=elapsed_ms(started),
        fetched_at=now(),
        content_hash=hashlib.sha256(extracted.markdown.encode()).hexdigest(),
        validators=fetched.validators,
        storable=fetched.storable,
        served_by=HERE,
        **outcome,
    )
