"""Connections for pages: names are resolved, judged, and what was judged is dialled."""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from urllib.parse import urlsplit

import httpcore
import httpx

from askance.adapters.network.transport import Transport
from askance.adapters.network.wire import BoundedBackend, SocketOptions, dialler
from askance.adapters.reader.addresses import judge_address, literal_address
from askance.adapters.reader.resolver import Endpoint, Resolver
from askance.adapters.reader.socks import SCHEMES, ProxyBackend, SocksBackend
from askance.domain.messages import Message

# A host with several addresses gets so long for each but its last before the next is tried.
TRY_S = 2.5
MOST_ADDRESSES = 6


class NameUnknown(httpx.ConnectError):
    """The resolver knows no address for a name."""


class JudgingBackend(httpcore.AsyncNetworkBackend):
    """Dials public addresses only: all that a name has are judged, then the first that answers."""

    def __init__(
        self, resolver: Resolver, *, dial: httpcore.AsyncNetworkBackend | None = None
    ) -> None:
        """`dial` makes the connections once an address is judged; httpcore's own by default."""
        self._resolver = resolver
        self._dial = dial or dialler()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore
        local_address: str | None = None,
        socket_options: SocketOptions | None = None,
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
                return await self._dial.connect_tcp(
                    str(endpoint.address), endpoint.port, TRY_S, local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return await self._dial.connect_tcp(
            str(last.address), last.port, timeout, local_address, socket_options
        )

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
