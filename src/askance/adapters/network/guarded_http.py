"""HTTP clients with distrust: the one place that builds them, and the transport below httpx."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import contextmanager
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, cast

import anyio
import certifi
import h11
import httpcore
import httpx

from askance.domain.addresses import bare_address
from askance.domain.errors import SettingsError
from askance.domain.messages import Message, message_of

_HEADERS_FROM_HTTPX = frozenset({b"location", b"content-encoding", b"set-cookie", b"set-cookie2"})
_UNPACKED = frozenset({"", "identity"})

# What httpcore leaves as it comes: broken TLS above all, and names that no host can have.
_LEFT_AS_IT_CAME = (
    anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.BusyResourceError,
    OSError, UnicodeError,
)  # fmt: skip
# What is neither of these comes out of httpcore as it went in.
_OF_LIBRARIES = (
    httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError,
    httpcore.UnsupportedProtocol, h11.ProtocolError, *_LEFT_AS_IT_CAME,
)  # fmt: skip
# The first that fits stands; the rest is a reading that failed.
_AS_HTTPX: tuple[tuple[type[Exception], Callable[[str], httpx.TransportError]], ...] = (
    (httpcore.ConnectTimeout, httpx.ConnectTimeout),
    (httpcore.ReadTimeout, httpx.ReadTimeout),
    (httpcore.WriteTimeout, httpx.WriteTimeout),
    (httpcore.TimeoutException, httpx.PoolTimeout),
    (httpcore.ConnectError, httpx.ConnectError),
    (httpcore.WriteError, httpx.WriteError),
    (httpcore.NetworkError, httpx.ReadError),
    (httpcore.ProxyError, httpx.ProxyError),
    (httpcore.UnsupportedProtocol, httpx.UnsupportedProtocol),
    (httpcore.LocalProtocolError, httpx.LocalProtocolError),
    (httpcore.ProtocolError, httpx.RemoteProtocolError),
)

# As httpx has it by itself.
_IDLE_CONNECTIONS = 20
_IDLE_CONNECTION_S = 5.0
USER_AGENT = "Mozilla/5.0 (compatible; Askance/0.1)"
HERE = Message("this program")
"""Who asks the web, where that is no service."""


def service_client(
    base_url: str, *, connect_timeout_s: float, setting: str = ""
) -> httpx.AsyncClient:
    """Return a client for one of the user's own services. `setting` is where its address stands.

    It follows no redirect (SearXNG's `!!` answers one to another site), takes no proxy from the
    environment, takes no packed reply, and has no read timeout: callers bound their waits by
    `asyncio.timeout`, and the bytes that they keep.

    Raises:
        SettingsError: the address is none.
    """
    try:
        return httpx.AsyncClient(
            transport=PlainTransport(service_pool(base_url)),
            base_url=base_url,
            headers={"Accept-Encoding": "identity"},
            timeout=httpx.Timeout(None, connect=connect_timeout_s),
            follow_redirects=False,
            trust_env=False,
        )
    except httpx.InvalidURL as exc:
        shown = bare_address(base_url)
        shown_setting = f"{setting} = {shown!r}" if setting else repr(shown)
        raise SettingsError(
            Message("{said} is not an address: {problem}.", said=shown_setting, problem=exc)
        ) from exc


def page_client(transport: httpx.AsyncBaseTransport) -> httpx.AsyncClient:
    """Return a client for pages of the web, over a transport that guards where they come from.

    It follows no redirect by itself, keeps no cookie, takes nothing from the environment, and has
    no time limit: callers bound the whole page by `asyncio.timeout`.
    """
    return httpx.AsyncClient(
        transport=transport,
        headers={
            "User-Agent": USER_AGENT,
            "Accept": "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.9,"
            "application/pdf;q=0.8,*/*;q=0.1",
            "Accept-Language": "en;q=0.8,*;q=0.5",
            "Accept-Encoding": "gzip, deflate",
        },
        # By default httpx keeps the cookies of all sites.
        cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=[])),
        timeout=None,  # noqa: S113 - see above
        follow_redirects=False,
        trust_env=False,
    )


def way_out(proxy: str) -> Message:
    """Return the way on which this program asks the web, as people are shown it."""
    return Message("the proxy {address}", address=bare_address(proxy)) if proxy else HERE


@cache
def page_tls_context() -> ssl.SSLContext:
    """Return a context that trusts the system's authorities and those that certifi knows.

    The system's own cover a company's; certifi's are there where a Python finds no store. One for the process: it
    takes a megabyte, and 79 ms to make.
    """
    context = ssl.create_default_context()
    # Added to the system's, never in their place.
    context.load_verify_locations(certifi.where())
    return context


class Transport(httpx.AsyncBaseTransport):
    """Carries httpx's requests over a connection pool of bounded connections.

    Whatever the network or a server does ends as an `httpx.TransportError`. No header of a reply
    makes httpx do anything: it looks into `Location` even where it follows none, unpacks as many
    layers as `Content-Encoding` names however much they hold, and parses cookies that nobody keeps.
    It sees none of these; `location_of` and `packing_of` say what they were.
    """

    def __init__(self, pool: httpcore.AsyncConnectionPool) -> None:
        self._pool = pool

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request."""
        assert isinstance(request.stream, httpx.AsyncByteStream)
        outgoing = httpcore.Request(
            method=request.method,
            url=httpcore.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        with _translated():
            try:
                reply = await self._pool.handle_async_request(outgoing)
            except asyncio.CancelledError:
                await self._close_abandoned()
                raise
        extensions = cast("dict[str, Any]", cast("Any", reply).extensions)
        return httpx.Response(
            reply.status,
            headers=[
                (name, value)
                for name, value in reply.headers
                if name.lower() not in _HEADERS_FROM_HTTPX
            ],
            stream=_ReplyStream(reply, extensions.get("network_stream")),
            extensions={
                **extensions,
                "location": _first(reply, b"location"),
                "packing": _all(reply, b"content-encoding").lower(),
            },
        )

    async def _close_abandoned(self) -> None:
        """Close what httpcore forgets of a request that is cancelled as soon as it is connected.

        It is in the state of a new connection, which httpcore neither uses nor lets go of: it would
        stay open, and be counted among the most that there may be.
        """
        requests = cast("Any", self._pool)._requests  # noqa: SLF001 - tells whose it is
        used = {id(request.connection) for request in requests}
        for connection in self._pool.connections:
            if id(connection) not in used and "NEW, Request Count: 0" in connection.info():
                with anyio.CancelScope(shield=True):
                    await connection.aclose()

    async def aclose(self) -> None:
        """Close all connections."""
        with _translated():
            await self._pool.aclose()


class PlainTransport(Transport):
    """A transport for services that are asked not to pack what they send: packed replies end here,
    as an `httpx.DecodingError`.

    A few hundred bytes can hold gigabytes, and whoever reads a service's reply bounds what it gets.
    """

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request."""
        response = await super().handle_async_request(request)
        if (packing := packing_of(response)) not in _UNPACKED:
            # Before its body is read: a byte of it may unpack to a thousand.
            await response.aclose()
            raise httpx.DecodingError(f"the reply is packed as {packing[:40]!r}, unasked")
        return response


def reason_of(error: BaseException) -> Message:
    """Return why no connection came about, or why it broke, in few words.

    Libraries wrap what the system said into sentences of their own ("All connection attempts
    failed"); of several attempts the first one's reason stands for all.
    """
    chain = list(causes(error))
    if any(isinstance(cause, socket.gaierror) for cause in chain):
        return Message("the name is not known")
    for cause in chain:
        if isinstance(cause, ssl.SSLError):
            return Message.verbatim(f"TLS: {cause.reason or cause.strerror or 'no agreement'}")
        if isinstance(cause, OSError) and cause.errno:
            return Message.term(os.strerror(cause.errno))
    if any(isinstance(cause, httpx.TimeoutException | TimeoutError) for cause in chain):
        return Message("timed out")
    return message_of(error).clause() if str(error) else Message("no connection")


def location_of(response: httpx.Response) -> str:
    """Return where a reply leads to, word for word, or nothing."""
    return response.extensions["location"]


def packing_of(response: httpx.Response) -> str:
    """Return how a reply's body is packed, in lower case, or nothing."""
    return response.extensions["packing"]


def service_pool(base_url: str, piece_bytes: int | None = None) -> httpcore.AsyncConnectionPool:
    """Return a pool of guarded connections to one of the user's own services."""
    # Loading the certificate store takes 79 ms; a plain-text address never needs it.
    is_plain = not base_url.startswith("https://")
    return httpcore.AsyncConnectionPool(
        ssl_context=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if is_plain
        else ssl.create_default_context(),
        network_backend=BoundedBackend(piece_bytes=piece_bytes),
        max_keepalive_connections=_IDLE_CONNECTIONS,
        keepalive_expiry=_IDLE_CONNECTION_S,
    )


def causes(error: BaseException) -> Generator[BaseException]:
    """Yield an error, then what it came from, the innermost last."""
    at: BaseException | None = error
    while at is not None:
        yield at
        # anyio tries several addresses at once and raises all failures together.
        if isinstance(at, BaseExceptionGroup):
            at = cast("BaseExceptionGroup[BaseException]", at).exceptions[0]
        else:
            at = at.__cause__ or at.__context__


class _ReplyStream(httpx.AsyncByteStream):
    def __init__(self, reply: httpcore.Response, connection: object) -> None:
        self._reply = reply
        self._connection = connection

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _translated():
            async for part in self._reply.aiter_stream():
                if isinstance(self._connection, BoundedStream):
                    self._connection.found(len(part))
                yield part

    async def aclose(self) -> None:
        with _translated():
            await self._reply.aclose()


def _first(reply: httpcore.Response, wanted: bytes) -> str:
    return next((_text(value) for name, value in reply.headers if name.lower() == wanted), "")


def _all(reply: httpcore.Response, wanted: bytes) -> str:
    return ", ".join(_text(value) for name, value in reply.headers if name.lower() == wanted)


def _text(value: bytes) -> str:
    try:
        # Latin-1 in the past (RFC 9110, 5.5), UTF-8 from most servers. Latin-1 takes any byte.
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


@contextmanager
def _translated() -> Generator[None]:
    """Everything that a library raises over foreign bytes, and nothing that our own code raises."""
    try:
        yield
    except _OF_LIBRARIES as exc:
        kind = next(
            (ours for theirs, ours in _AS_HTTPX if isinstance(exc, theirs)), httpx.ReadError
        )
        raise kind(message_of(exc)) from exc


# Connections on which no server can flood, stall or surprise whoever reads from them.
#
# Every connection of this program's HTTP clients is one of these. What a server may send beside the
# body of its reply (heads, interim replies, chunk sizes and their extensions, trailers) is bounded
# here, where the bytes come in, since the HTTP library counts none of it.

# A head is usually below 8 KB, and Node takes none above 16 KB. One of this size in the smallest
# lines is 8,000 headers, which h11 and httpx take apart in 40 ms.
HEAD_BYTES = 32 * 1024
# A byte of the body may bring so many on the wire: chunks of two bytes are seven.
WIRE_BYTES_PER_BODY_BYTE = 4
# Whoever takes a piece apart does so in one go: in 4 KiB are 800 chunks, or 200 interim replies.
PIECE_BYTES = 4 * 1024
# Of a file of gigabytes, whose sender the user chose: in small pieces it takes a processor all of its time.
FILE_PIECE_BYTES = 64 * 1024


class BoundedStream(httpcore.AsyncNetworkStream):
    """A connection that raises httpcore's errors only, and ends a server that sends no body.

    A reply's head may take `HEAD_BYTES`, all interim replies before it included; what comes then is
    allowed by the body that was found in it, which `found` counts.
    """

    def __init__(self, inner: httpcore.AsyncNetworkStream, piece_bytes: int | None = None) -> None:
        self._inner = inner
        self._room = HEAD_BYTES
        self._piece_bytes = piece_bytes or PIECE_BYTES

    def found(self, body_bytes: int) -> None:
        """Take note of bytes that turned out to be a reply's body."""
        self._room += WIRE_BYTES_PER_BODY_BYTE * body_bytes

    async def read(
        self,
        max_bytes: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore
    ) -> bytes:
        """Read what has come, a small piece of it at most."""
        if self._room <= 0:
            raise httpcore.RemoteProtocolError("more is sent around the reply than belongs to it")
        with _mapped(httpcore.ReadError):
            data = await self._inner.read(min(max_bytes, self._piece_bytes), timeout)
        self._room -= len(data)
        # What TLS has unpacked already is handed out without ever waiting.
        await asyncio.sleep(0)
        return data

    async def write(
        self,
        buffer: bytes,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore
    ) -> None:
        """Send bytes: those of a request, to which a new reply belongs."""
        self._room = HEAD_BYTES
        with _mapped(httpcore.WriteError):
            await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        """Close. A connection that breaks over it is closed too."""
        try:
            with _mapped(httpcore.ReadError):
                await self._inner.aclose()
        except httpcore.ReadError:
            pass

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore
    ) -> httpcore.AsyncNetworkStream:
        """Return the connection under TLS."""
        with _mapped(httpcore.ConnectError):
            inner = await self._inner.start_tls(ssl_context, server_hostname, timeout)
        return BoundedStream(inner, self._piece_bytes)

    def get_extra_info(self, info: str) -> Any:
        """Return what httpcore asks about the connection itself."""
        return self._inner.get_extra_info(info)


class Backend(httpcore.AsyncNetworkBackend, ABC):
    """Makes connections as `connect` says. No client of ours chooses its own address, or options."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore
        *_: object,
        **__: object,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to a host for httpcore."""
        return await self.connect(host, port, timeout)

    @abstractmethod
    async def connect(
        self, host: str, port: int, limit_s: float | None
    ) -> httpcore.AsyncNetworkStream:
        """Connect to a host within so many seconds."""


class BoundedBackend(Backend):
    """Makes bounded connections by way of another backend: httpcore's own, unless one is given."""

    def __init__(
        self,
        inner: httpcore.AsyncNetworkBackend | None = None,
        *,
        piece_bytes: int | None = None,
    ) -> None:
        self._inner = inner or dialler()
        self._piece_bytes = piece_bytes

    async def connect(
        self, host: str, port: int, limit_s: float | None
    ) -> httpcore.AsyncNetworkStream:
        """Connect to a host."""
        with _mapped(httpcore.ConnectError):
            inner = await self._inner.connect_tcp(host, port, limit_s)
        return BoundedStream(inner, self._piece_bytes)


def dialler() -> httpcore.AsyncNetworkBackend:
    """Return httpcore's own way to make connections."""
    # httpcore defines the class in two ways, one for where anyio is missing.
    return cast("Any", httpcore.AnyIOBackend)()


@contextmanager
def _mapped(kind: type[httpcore.NetworkError]) -> Generator[None]:
    """Raise what httpcore leaves as it comes as one of its own errors."""
    try:
        yield
    except _LEFT_AS_IT_CAME as exc:
        raise kind(message_of(exc)) from exc
