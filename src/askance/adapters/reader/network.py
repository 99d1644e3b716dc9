"""Connections for pages: names are resolved, judged, and what was judged is connected to, also through
a SOCKS5 proxy."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, ip_address
from typing import Protocol
from urllib.parse import unquote, urlsplit

import httpcore
import httpx

from askance.adapters.network.http import Backend, BoundedBackend, Transport, dialler
from askance.adapters.reader.addresses import (
    Address,
    RefusedAddress,
    judge_address,
    literal_address,
)
from askance.domain.messages import Message

# A host with several addresses gets so long for each but its last before the next is tried.
TRY_S = 2.5
MOST_ADDRESSES = 6

SCHEMES = frozenset({"socks5", "socks5h"})
DEFAULT_PORT = 1080
# The proxy itself dials the page meanwhile: through Tor that takes seconds.
_GREETING_S = 30.0
_VERSION = 5
_NO_SIGN_IN, _BY_PASSWORD = 0, 2
_SIGN_IN_VERSION, _SIGNED_IN = 1, 0
_CONNECT = 1
_IPV4, _NAME, _IPV6 = 1, 3, 4
_LONGEST_FIELD = 255


def direct_transport(resolver: Resolver, tls: ssl.SSLContext) -> Transport:
    """Return a transport that dials pages itself."""
    return _pooled(JudgingBackend(resolver), tls)


def proxied_transport(proxy: str, tls: ssl.SSLContext) -> Transport:
    """Return a transport that sends every request through the user's HTTP or SOCKS proxy.

    Only the proxy resolves names, so that addresses behind them cannot be judged here.
    """
    if urlsplit(proxy).scheme in SCHEMES:
        return _pooled(SocksBackend(proxy), tls)
    parsed = httpx.Proxy(proxy)
    url = httpcore.URL(
        scheme=parsed.url.raw_scheme, host=parsed.url.raw_host, port=parsed.url.port, target=b"/"
    )
    host, port = parsed.url.raw_host.decode("ascii"), url.origin.port
    return Transport(
        httpcore.AsyncHTTPProxy(
            proxy_url=url,
            proxy_auth=parsed.raw_auth,
            ssl_context=tls,
            proxy_ssl_context=tls if parsed.url.scheme == "https" else None,
            network_backend=BoundedBackend(ProxyBackend(host, port)),
            max_connections=None,
            max_keepalive_connections=0,
        )
    )


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a connection may go. A `trusted` one was named by the user and is not judged."""

    address: Address
    port: int
    trusted: bool = False


class Resolver(Protocol):
    """Finds the addresses of a name."""

    async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:
        """Return all addresses of a name, best first.

        Raises:
            OSError: the name is not known, or nobody could be asked.
        """
        ...


class SystemResolver:
    """Asks the operating system."""

    async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:
        """Return what `getaddrinfo` says, in its order, each address once."""
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = dict.fromkeys(str(row[4][0]) for row in found)
        return [Endpoint(ip_address(address), port) for address in addresses]


class MappedResolver:
    """Sends exact names to exact places; every other name goes to another resolver.

    The sample web of the demo lives on loopback ports under names of its own. Only these names
    lead there: a literal address, or a redirect to one, is judged like any other.
    """

    def __init__(self, names: Mapping[str, tuple[str, int]], then: Resolver) -> None:
        self._names = {
            name.lower(): Endpoint(ip_address(address), port, trusted=True)
            for name, (address, port) in names.items()
        }
        self._then = then

    async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:
        """Return the place that the name is mapped to, or what the other resolver says."""
        mapped = self._names.get(host.lower())
        return [mapped] if mapped else await self._then.resolve(host, port)


class NameUnknown(httpx.ConnectError):
    """The resolver knows no address for a name."""


class JudgingBackend(Backend):
    """Dials public addresses only: all that a name has are judged, then the first that answers."""

    def __init__(
        self, resolver: Resolver, *, dial: httpcore.AsyncNetworkBackend | None = None
    ) -> None:
        """`dial` makes the connections once an address is judged; httpcore's own by default."""
        self._resolver = resolver
        self._dial = dial or dialler()

    async def connect(
        self, host: str, port: int, limit_s: float | None
    ) -> httpcore.AsyncNetworkStream:
        """Connect to a judged address of a host.

        Raises:
            RefusedAddress: one of its addresses is not public.
            NameUnknown: it has none.
        """
        endpoints = await self._endpoints(host, port)
        *first, last = _interleaved(endpoints)[:MOST_ADDRESSES]
        for endpoint in first:
            try:
                return await self._dial.connect_tcp(str(endpoint.address), endpoint.port, TRY_S)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._dial.connect_tcp(str(last.address), last.port, limit_s)

    async def _endpoints(self, host: str, port: int) -> Sequence[Endpoint]:
        if (address := literal_address(host)) is not None:
            judge_address(host, address)
            return [Endpoint(address, port)]
        try:
            endpoints = await self._resolver.resolve(host, port)
        except (OSError, UnicodeError) as exc:
            raise NameUnknown(Message("The name {host} is not known.", host=host)) from exc
        if not endpoints:
            raise NameUnknown(Message("The name {host} has no address.", host=host))
        for endpoint in endpoints:
            if not endpoint.trusted:
                judge_address(host, endpoint.address)
        return endpoints


class ProxyBackend(Backend):
    """Dials the user's proxy and nothing else."""

    def __init__(self, host: str, port: int) -> None:
        self._origin = host, port
        self._dial = dialler()

    async def connect(
        self, host: str, port: int, limit_s: float | None
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the proxy.

        Raises:
            RefusedAddress: something else than the proxy was to be dialled.
        """
        if (host, port) != self._origin:
            raise RefusedAddress(f"{host} is not the proxy.")
        try:
            return await self._dial.connect_tcp(host, port, limit_s)
        except (httpcore.ConnectError, httpcore.ConnectTimeout) as exc:
            raise httpcore.ProxyError(Message("it does not answer")) from exc


class SocksBackend(ProxyBackend):
    """Has the user's SOCKS5 proxy, such as Tor's, connect to pages (RFC 1928, RFC 1929).

    Only the proxy resolves names, whether its address says `socks5` or `socks5h`.
    """

    def __init__(self, proxy: str) -> None:
        parts = urlsplit(proxy)
        super().__init__(parts.hostname or "", parts.port or DEFAULT_PORT)
        self._name = unquote(parts.username or "").encode()
        self._password = unquote(parts.password or "").encode()

    async def connect(
        self, host: str, port: int, limit_s: float | None
    ) -> httpcore.AsyncNetworkStream:
        """Have the proxy connect to a host.

        Raises:
            httpcore.ProxyError: it does not answer, does not let us in, or opens no way.
        """
        stream = await super().connect(*self._origin, limit_s)
        try:
            async with asyncio.timeout(_GREETING_S):
                await self._greet(stream)
                await self._ask_for(stream, host, port)
        except BaseException as exc:
            await stream.aclose()
            if isinstance(exc, (httpcore.NetworkError, OSError, TimeoutError, ssl.SSLError)):
                raise httpcore.ProxyError(Message("it closed the connection")) from exc
            raise
        return stream

    async def _greet(self, stream: httpcore.AsyncNetworkStream) -> None:
        method = _BY_PASSWORD if self._name else _NO_SIGN_IN
        await stream.write(bytes([_VERSION, 1, method]))
        version, chosen = await _exactly(stream, 2)
        if version != _VERSION:
            raise httpcore.ProxyError(Message("it is no SOCKS5 proxy"))
        if chosen != method:
            raise httpcore.ProxyError(Message("it asks for another name and password"))
        if method == _NO_SIGN_IN:
            return
        await stream.write(bytes([_SIGN_IN_VERSION]) + _field(self._name) + _field(self._password))
        _, outcome = await _exactly(stream, 2)
        if outcome != _SIGNED_IN:
            raise httpcore.ProxyError(Message("it asks for another name and password"))

    async def _ask_for(self, stream: httpcore.AsyncNetworkStream, host: str, port: int) -> None:
        place = _place(host) + port.to_bytes(2, "big")
        await stream.write(bytes([_VERSION, _CONNECT, 0]) + place)
        version, reply, _, kind = await _exactly(stream, 4)
        if version != _VERSION:
            raise httpcore.ProxyError(Message("it is no SOCKS5 proxy"))
        if reply != 0:
            raise httpcore.ProxyError(Message("it gets nowhere (SOCKS code {n})", n=reply))
        length = {_IPV4: 4, _IPV6: 16}.get(kind)
        if length is None:
            (length,) = await _exactly(stream, 1)
        await _exactly(stream, length + 2)  # where it connects from


def _pooled(backend: httpcore.AsyncNetworkBackend, tls: ssl.SSLContext) -> Transport:
    return Transport(
        httpcore.AsyncConnectionPool(
            ssl_context=tls,
            network_backend=BoundedBackend(backend),
            max_connections=None,
            max_keepalive_connections=0,
        )
    )


def _interleaved(endpoints: Sequence[Endpoint]) -> list[Endpoint]:
    """Put the first address of the other family second: one family is often broken as a whole."""
    first = endpoints[0].address.version
    other = next((e for e in endpoints if e.address.version != first), None)
    if other is None:
        return list(endpoints)
    return [endpoints[0], other, *(e for e in endpoints[1:] if e is not other)]


def _place(host: str) -> bytes:
    address = literal_address(host)
    if address is None:
        return bytes([_NAME]) + _field(host.encode("ascii"))
    return bytes([_IPV4 if isinstance(address, IPv4Address) else _IPV6]) + address.packed


def _field(value: bytes) -> bytes:
    if len(value) > _LONGEST_FIELD:
        raise httpcore.ProxyError(Message("it does not accept a name as long as that"))
    return bytes([len(value)]) + value


async def _exactly(stream: httpcore.AsyncNetworkStream, length: int) -> bytes:
    """Read so many bytes and not one more: what follows is the page's own."""
    data = b""
    while len(data) < length:
        piece = await stream.read(length - len(data))
        if not piece:
            raise httpcore.ProxyError(Message("it closed the connection"))
        data += piece
    return data
