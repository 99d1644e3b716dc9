"""The way through a proxy, and through a SOCKS5 one such as Tor's (RFC 1928, RFC 1929)."""

from __future__ import annotations

import asyncio
import ssl
from ipaddress import IPv4Address
from urllib.parse import unquote, urlsplit

import httpcore

from askance.adapters.network.wire import SocketOptions, dialler
from askance.adapters.reader.addresses import RefusedAddress, literal_address
from askance.domain.messages import Message

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


class ProxyBackend(httpcore.AsyncNetworkBackend):
    """Dials the user's proxy and nothing else."""

    def __init__(self, host: str, port: int) -> None:
        self._origin = host, port
        self._dial = dialler()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore
        local_address: str | None = None,
        socket_options: SocketOptions | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the proxy.

        Raises:
            RefusedAddress: something else than the proxy was to be dialled.
        """
        if (host, port) != self._origin:
            raise RefusedAddress(f"{host} is not the proxy.")
        try:
            return await self._dial.connect_tcp(host, port, timeout, local_address, socket_options)
        except (httpcore.ConnectError, httpcore.ConnectTimeout) as exc:
            raise httpcore.ProxyError(Message("it does not answer")) from exc


class SocksBackend(ProxyBackend):
    """Has the user's proxy connect to pages.

    Only the proxy resolves names, whether its address says `socks5` or `socks5h`.
    """

    def __init__(self, proxy: str) -> None:
        parts = urlsplit(proxy)
        super().__init__(parts.hostname or "", parts.port or DEFAULT_PORT)
        self._name = unquote(parts.username or "").encode()
        self._password = unquote(parts.password or "").encode()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore
        local_address: str | None = None,
        socket_options: SocketOptions | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Have the proxy connect to a host.

        Raises:
            httpcore.ProxyError: it does not answer, does not let us in, or opens no way.
        """
        stream = await super().connect_tcp(*self._origin, timeout, local_address, socket_options)
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
