"""Which IP addresses a page may never come from.

`ipaddress.is_global` is no guard: on Python 3.11 it calls multicast, 6to4, NAT64 and 192.0.0.8
global. So the networks are named here, from the IANA special-purpose registries (RFC 6890 and
those after it), and IPv4 addresses inside IPv6 ones are taken out and judged as such.
"""

from __future__ import annotations

from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
)

from askance.domain.messages import Message

Address = IPv4Address | IPv6Address

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
_TRANSLATED = IPv6Network("64:ff9b::/96")
_COMPATIBLE = IPv6Network("::/96")


def refusal_of(address: Address) -> str:
    """Return which network forbids an address, in plain words; empty if it is a public one."""
    if isinstance(address, IPv4Address):
        return next((name for network, name in _REFUSED_V4 if address in network), "")
    if address.scope_id is not None:
        return Message("the local link")
    if named := next((name for network, name in _REFUSED_V6 if address in network), ""):
        return named
    inner = _inner_v4(address)
    if inner is not None:
        return refusal_of(inner)
    return "" if address in _PUBLIC_V6 else Message("not in use on the public internet")


def _inner_v4(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 one leads to: mapped, compatible, or through NAT64."""
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in _TRANSLATED or address in _COMPATIBLE:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return None
