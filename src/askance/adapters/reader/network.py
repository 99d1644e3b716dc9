"""The guard against page addresses that lead into the user's own network, and connections behind it.

A URL is judged before anything is sent, on every hop, and leaves here rebuilt from the judged parts: what is dialled can
be read in one way only. Its name is resolved, all that it leads to is judged, and what was judged is connected to, also
through a SOCKS5 proxy.
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import (
    AddressValueError,
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
)
from typing import Protocol
from urllib.parse import SplitResult, unquote, urljoin, urlsplit, urlunsplit

import httpcore
import httpx
import idna

from askance.adapters.network.guarded_http import Backend, BoundedBackend, Transport, dialler
from askance.domain.messages import Message

Address = IPv4Address | IPv6Address

# `ipaddress.is_global` is no guard: on Python 3.11 it calls multicast, 6to4, NAT64 and 192.0.0.8
# global. So the networks are named here, from the IANA special-purpose registries (RFC 6890 and
# those after it), and IPv4 addresses inside IPv6 ones are taken out and judged as such.
_REFUSED_V4 = tuple(
    (IPv4Network(network), name)
    for network, name in (
        ("0.0.0.0/8", Message("this network")),
        ("10.0.0.0/8", Message("a private network")),
        ("100.64.0.0/10", Message("a provider's inner network")),
        ("127.0.0.0/8", Message("this machine")),
        ("168.63.129.16/32", Message("a cloud's inner service")),
        ("169.254.0.0/16", Message("the local link, and cloud metadata")),
        ("172.16.0.0/12", Message("a private network")),
        ("192.0.0.0/24", Message("protocol assignments")),
        ("192.0.2.0/24", "documentation"),
        ("192.31.196.0/24", "an AS112 sink"),
        ("192.52.193.0/24", "multicast relays"),
        ("192.88.99.0/24", "6to4 relays"),
        ("192.168.0.0/16", Message("a private network")),
        ("192.175.48.0/24", "an AS112 sink"),
        ("198.18.0.0/15", "benchmarks"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", Message("reserved, and broadcast")),
    )
)
_REFUSED_V6 = tuple(
    (IPv6Network(network), name)
    for network, name in (
        ("::/128", Message("no address")),
        ("::1/128", Message("this machine")),
        ("64:ff9b:1::/48", Message("a local translator")),
        ("100::/48", "a discarding network"),
        ("2001::/32", "Teredo"),
        ("2001::/23", Message("protocol assignments")),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4"),
        ("2620:4f:8000::/48", "an AS112 sink"),
        ("3fff::/20", "documentation"),
        ("fc00::/7", Message("a private network")),
        ("fe80::/10", Message("the local link")),
        ("fec0::/10", Message("a private site")),
        ("ff00::/8", "multicast"),
    )
)
_PUBLIC_V6 = IPv6Network("2000::/3")
# RFC 6052: what a NAT64 of the user's network turns into IPv4. RFC 4291, 2.5.5.1: IPv4 addresses
# within IPv6, which parsers still take.
_TRANSLATED = IPv6Network("64:ff9b::/96")
_COMPATIBLE = IPv6Network("::/96")

DEFAULT_PORTS = {"http": 80, "https": 443}
# RFC 6761, 6762, 8375 and 9476, and what routers and companies use beside them.
_LOCAL_NAMES = frozenset({"localhost", "local", "internal", "intranet", "lan", "home", "corp",
                          "private", "localdomain", "arpa", "alt"})  # fmt: skip
_NAME = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
# Half a surrogate pair is no character: nothing that is sent can carry it.
_CONTROLS = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
# 255 bytes on the wire (RFC 1035, 2.3.4) are 253 as people write them.
_LONGEST_NAME = 253
# RFC 9110, 4.1, asks servers to take 8,000 bytes at least: no page needs much more.
_LONGEST_URL = 8192
_PARTS = 4


class RefusedAddress(Exception):
    """A page address that is not followed. The message says why, in plain words."""


@dataclass(frozen=True, slots=True)
class PageTarget:
    """A judged page address. `host` is a name in ASCII, or an IP address without brackets."""

    url: str
    host: str
    port: int


def judge_url(url: str) -> PageTarget:
    """Return what a page address leads to, in one spelling that every parser reads alike.

    The name behind it is not resolved here: `judge_address` does that part.

    Raises:
        RefusedAddress: the address is malformed, names an inner host, or uses a scheme or a
            port that pages do not have.
    """
    parts = _split(url)
    if parts.scheme not in DEFAULT_PORTS:
        raise RefusedAddress(Message("Only http:// and https:// addresses are read."))
    if "@" in parts.netloc:
        raise RefusedAddress(Message("The address carries a user name."))
    host = _host(parts)
    port = _port(parts)
    default = DEFAULT_PORTS[parts.scheme]
    if port not in DEFAULT_PORTS.values():
        raise RefusedAddress(
            Message("Port {port} is not one that pages are read from.", port=str(port))
        )
    authority = f"[{host}]" if ":" in host else host
    if port != default:
        authority = f"{authority}:{port}"
    rebuilt = urlunsplit((parts.scheme, authority, parts.path or "/", parts.query, ""))
    # A space before the fragment now ends the address, and would be stripped when it is judged again.
    rebuilt = rebuilt.rstrip(" ")
    return PageTarget(rebuilt, host, port)


def judge_redirect(current: str, location: str) -> PageTarget:
    """Return what a redirect leads to. Raises as `judge_url` does."""
    if _CONTROLS.search(location):
        raise RefusedAddress(Message("The redirect is malformed."))
    try:
        joined = urljoin(current, location.strip())
    except ValueError as exc:
        raise RefusedAddress(Message("The redirect is malformed.")) from exc
    return judge_url(joined)


def judge_address(host: str, address: Address) -> None:
    """Judge an address that a host has, or is.

    Raises:
        RefusedAddress: it is not a public one.
    """
    if network := refusal_of(address):
        where = {"address": address, "network": network}
        if host == str(address):
            raise RefusedAddress(Message("{address} is not a public address ({network}).", **where))
        raise RefusedAddress(
            Message(
                "{host} leads inside: {address} is not a public address ({network}).",
                host=host,
                **where,
            )
        )


def literal_address(host: str) -> Address | None:
    """Return the IP address that a judged host spells, or None if it is a name."""
    try:
        return IPv6Address(host) if ":" in host else IPv4Address(host)
    except AddressValueError:
        return None


def refusal_of(address: Address) -> str:
    """Return which network forbids an address, in plain words; empty if it is a public one."""
    if isinstance(address, IPv4Address):
        return next((name for network, name in _REFUSED_V4 if address in network), "")
    # Such as `fe80::1%eth0`: a zone has a meaning on one link alone (RFC 4007).
    if address.scope_id is not None:
        return Message("the local link")
    if named := next((name for network, name in _REFUSED_V6 if address in network), ""):
        return named
    inner = _inner_v4(address)
    if inner is not None:
        return refusal_of(inner)
    return "" if address in _PUBLIC_V6 else Message("not in use on the public internet")


def _split(url: str) -> SplitResult:
    url = url.strip(" ")
    before_query = re.split(r"[?#]", url, maxsplit=1)[0]
    if _CONTROLS.search(url) or "\\" in before_query or len(url) > _LONGEST_URL:
        raise RefusedAddress(Message("The address is malformed."))
    try:
        return urlsplit(url)
    except ValueError as exc:
        raise RefusedAddress(Message("The address is malformed.")) from exc


def _port(parts: SplitResult) -> int:
    try:
        port = parts.port
    except ValueError as exc:
        raise RefusedAddress(Message("The port is malformed.")) from exc
    return DEFAULT_PORTS[parts.scheme] if port is None else port


def _host(parts: SplitResult) -> str:
    """Return the host in its one spelling, judged as far as its spelling tells."""
    written = parts.hostname or ""
    # Only between brackets, for a colon anywhere else begins the port.
    if parts.netloc.startswith("["):
        return _ipv6_host(written)
    name = _ascii_name(written)
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        address = _ipv4_host(labels)
        judge_address(str(address), address)
        return str(address)
    if len(labels) == 1:
        raise RefusedAddress(
            Message("{host} is a name without a dot: it belongs to an inner network.", host=name)
        )
    if labels[-1] in _LOCAL_NAMES:
        raise RefusedAddress(
            Message("Names under .{host} belong to an inner network.", host=labels[-1])
        )
    return name


def _ascii_name(written: str) -> str:
    """Return a name as the resolver will see it: compatible forms folded, other scripts encoded."""
    name = written.lower()
    if not name.isascii():
        try:
            # Wide digits and other full stops become plain ones here already: the resolver reads
            # them so, and would find this machine.
            name = idna.encode(name, uts46=True).decode("ascii").lower()
        except (idna.IDNAError, UnicodeError) as exc:
            raise RefusedAddress(Message("The host is not a name.")) from exc
    # A last dot names the root and leads to the same host, past every list of names.
    name = name.removesuffix(".")
    if not _NAME.fullmatch(name) or len(name) > _LONGEST_NAME:
        raise RefusedAddress(Message("The host is not a name."))
    return name


def _ipv6_host(written: str) -> str:
    try:
        address = IPv6Address(written)
    except AddressValueError as exc:
        raise RefusedAddress(Message("The host is not an IPv6 address.")) from exc
    judge_address(str(address), address)
    if address.ipv4_mapped is None:
        return str(address)
    # As browsers write it (WHATWG URL, "IPv6 serializer"). Python does so up to 3.12 only.
    high, low = divmod(int(address.ipv4_mapped), 0x1_0000)
    return f"::ffff:{high:x}:{low:x}"


def _ipv4_host(labels: list[str]) -> IPv4Address:
    """Read an IPv4 address in every spelling that resolvers take (WHATWG URL, "IPv4 parser")."""
    try:
        *head, last = (_number(label) for label in labels)
    except ValueError as exc:
        raise RefusedAddress(Message("The host is not an address, nor a name.")) from exc
    rest = _PARTS - len(head)
    if rest < 1 or max(head, default=0) > 0xFF or last >= 256**rest:
        raise RefusedAddress(Message("The host is not an address, nor a name."))
    return IPv4Address(int.from_bytes(bytes(head), "big") * 256**rest + last)


def _number(label: str) -> int:
    """Raise ValueError for a label that is no number: `int` would also take signs and underscores."""
    if not _NUMBER.fullmatch(label):
        raise ValueError(label)
    if label.startswith("0x"):
        return int(label[2:] or "0", 16)
    if label.startswith("0") and label != "0":
        return int(label, 8)
    return int(label, 10)


def _inner_v4(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 one leads to: mapped, compatible, or through NAT64."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in _TRANSLATED or address in _COMPATIBLE:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return None


# A host with several addresses gets so long for each but its last before the next is tried.
TRY_S = 2.5
MOST_ADDRESSES = 6

_SOCKS_SCHEMES = frozenset({"socks5", "socks5h"})
_SOCKS_PORT = 1080
# The proxy itself dials the page meanwhile: through Tor that takes seconds.
_GREETING_S = 30.0
_VERSION = 5
_NO_SIGN_IN, _BY_PASSWORD = 0, 2
_SIGN_IN_VERSION, _SIGNED_IN = 1, 0
_CONNECT = 1
_TO_IPV4, _TO_NAME, _TO_IPV6 = 1, 3, 4
_LONGEST_FIELD = 255


def page_transport(
    resolver: Resolver, tls: ssl.SSLContext, proxy: str = "", piece_bytes: int | None = None
) -> Transport:
    """Return a transport that dials pages itself, or sends every request through the user's HTTP or SOCKS proxy.

    Only the proxy resolves names, so that addresses behind them cannot be judged here. A reply comes in pieces of
    `piece_bytes`, those of pages by default.
    """
    if not proxy:
        return _pooled(JudgingBackend(resolver), tls, piece_bytes)
    if urlsplit(proxy).scheme in _SOCKS_SCHEMES:
        return _pooled(SocksBackend(proxy), tls, piece_bytes)
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
            network_backend=BoundedBackend(ProxyBackend(host, port), piece_bytes=piece_bytes),
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
        # The loop's own, which runs in a thread: the system's resolver blocks.
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
        # All of them, before one is dialled: a name with a public and a private address would get
        # around the guard.
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
        # The proxy dials the pages: any other address that is dialled here is a mistake.
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
        super().__init__(parts.hostname or "", parts.port or _SOCKS_PORT)
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
        # RFC 1928, 3: the version, and the one way to sign in that we offer.
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
        # RFC 1928, 4 and 5: a name goes as it is, so that only the proxy resolves it.
        place = _place(host) + port.to_bytes(2, "big")
        await stream.write(bytes([_VERSION, _CONNECT, 0]) + place)
        version, reply, _, kind = await _exactly(stream, 4)
        if version != _VERSION:
            raise httpcore.ProxyError(Message("it is no SOCKS5 proxy"))
        if reply != 0:
            raise httpcore.ProxyError(Message("it gets nowhere (SOCKS code {n})", n=reply))
        length = {_TO_IPV4: 4, _TO_IPV6: 16}.get(kind)
        if length is None:
            (length,) = await _exactly(stream, 1)
        await _exactly(stream, length + 2)  # where it connects from


def _pooled(
    backend: httpcore.AsyncNetworkBackend, tls: ssl.SSLContext, piece_bytes: int | None
) -> Transport:
    return Transport(
        httpcore.AsyncConnectionPool(
            ssl_context=tls,
            network_backend=BoundedBackend(backend, piece_bytes=piece_bytes),
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
        return bytes([_TO_NAME]) + _field(host.encode("ascii"))
    return bytes([_TO_IPV4 if isinstance(address, IPv4Address) else _TO_IPV6]) + address.packed


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
