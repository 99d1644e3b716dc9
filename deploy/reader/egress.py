"""The reader's way out: rules for its network namespace, and the process that keeps them.

The namespace belongs to a container of its own, which runs this file; the reader joins it without
any capability, so that it cannot undo what is decided here. What is refused is refused by the
kernel, whatever the reader's own guard lets pass.

`egress.py keep` sets the rules, gives up its capabilities and waits to be ended. `egress.py check`
is the container's health check. The decision behind it is docs/decisions/0007.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv4Network
from pathlib import Path
from urllib.parse import urlsplit

# The same as in askance.adapters.reader.network; a test holds the two together.
REFUSED = (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32",
    "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24",
    "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15",
    "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
)  # fmt: skip
PAGE_PORTS = (80, 443)
# The user of the reader's container.
READER_UID = 10001
# Docker's own resolver, inside every namespace of a network that it manages.
INNER_RESOLVER = IPv4Address("127.0.0.11")
# gate.py looks for the same name.
MARK = "\0askance-egress"
# Refused under every set of rules, and nobody's: a documentation network (RFC 5737).
NOBODY = ("203.0.113.1", 80)
PROBE_S = 2.0
DEFAULT_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
_CAPABILITY_VERSION_3 = 0x20080522


@dataclass(frozen=True, slots=True)
class Proxy:
    """The only place that may be reached where one is set. `literal`: it was given as an address."""

    addresses: tuple[IPv4Address, ...]
    port: int
    literal: bool


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the rules depend on."""

    connected: tuple[IPv4Network, ...]
    resolvers: tuple[IPv4Address, ...]
    service_port: int
    proxy: Proxy | None = None


def ruleset(around: Surroundings) -> str:
    """Return the rules, in the language of `nft`."""
    refused = ", ".join([*REFUSED, *map(str, around.connected)])
    allowed = "\n        ".join([*_resolving(around), *_reaching(around)])
    return f"""\
table inet askance
delete table inet askance
table inet askance {{
    set refused {{
        type ipv4_addr
        flags interval
        auto-merge
        elements = {{ {refused} }}
    }}
    chain output {{
        type filter hook output priority filter; policy drop;
        # Answers to whoever asked the published port.
        ct state established accept
        # The refusals below reach their sender this way.
        oifname "lo" ct state related accept
        # The reader's own health check.
        oifname "lo" ip daddr 127.0.0.1 tcp dport {around.service_port} accept
        {allowed}
        meta l4proto tcp reject with tcp reset
        reject with icmpx admin-prohibited
    }}
}}
"""


def _resolving(around: Surroundings) -> list[str]:
    if around.proxy is not None and around.proxy.literal:
        return []  # the proxy resolves the names of pages, and its own needs no resolving
    rules = [
        f"ip daddr {resolver} meta l4proto {{ tcp, udp }} th dport 53 accept"
        for resolver in around.resolvers
        if resolver != INNER_RESOLVER
    ]
    if INNER_RESOLVER in around.resolvers:
        rules += [
            # Docker moves its port to one by chance, before these rules are asked.
            f'oifname "lo" ip daddr {INNER_RESOLVER} accept',
            # The engine asks the host's resolvers from within this namespace, as another user.
            f"meta nfproto ipv4 meta skuid != {READER_UID} meta l4proto {{ tcp, udp }} th dport 53"
            " accept",
        ]
    return rules


def _reaching(around: Surroundings) -> list[str]:
    if around.proxy is not None:
        return [
            f"ip daddr {address} tcp dport {around.proxy.port} accept"
            for address in around.proxy.addresses
        ]
    ports = ", ".join(map(str, sorted(PAGE_PORTS)))
    return [f"ip daddr != @refused tcp dport {{ {ports} }} accept"]


def connected_networks(routes: str) -> tuple[IPv4Network, ...]:
    """Return the networks that need no gateway, from the text of /proc/net/route."""
    rows = [line.split() for line in routes.splitlines()[1:]]
    return tuple(
        IPv4Network((_address(destination), str(_address(mask))))
        for name, destination, gateway, *_, mask in (row[:8] for row in rows)
        if name != "lo" and int(gateway, 16) == 0 and int(mask, 16) != 0
    )


def resolvers(configuration: str) -> tuple[IPv4Address, ...]:
    """Return the IPv4 resolvers of a resolv.conf."""
    named = re.findall(r"^nameserver\s+(\S+)", configuration, re.MULTILINE)
    return tuple(address for text in named if (address := _literal(text)) is not None)


def find_proxy(url: str) -> Proxy | None:
    """Return where a proxy is, or None for an empty address.

    Raises:
        OSError: its name has no IPv4 address.
        ValueError: it is no address of an HTTP or SOCKS proxy.
    """
    if not url:
        return None
    parts = urlsplit(url)
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        raise ValueError(f"{url!r} is not the address of an HTTP or SOCKS proxy")
    port = parts.port or DEFAULT_PORTS[parts.scheme]
    if (literal := _literal(parts.hostname)) is not None:
        return Proxy((literal,), port, literal=True)
    found = socket.getaddrinfo(parts.hostname, port, socket.AF_INET, socket.SOCK_STREAM)
    addresses = dict.fromkeys(IPv4Address(row[4][0]) for row in found)
    return Proxy(tuple(addresses), port, literal=False)


def look_around(environment: Mapping[str, str]) -> Surroundings:
    """Return what this namespace is connected to. Raises as `find_proxy` does."""
    return Surroundings(
        connected=connected_networks(Path("/proc/net/route").read_text(encoding="ascii")),
        resolvers=resolvers(Path("/etc/resolv.conf").read_text(encoding="utf-8")),
        service_port=int(environment["ASKANCE_READER_SERVICE_PORT"]),
        proxy=find_proxy(environment.get("ASKANCE_READER_PROXY", "")),
    )


def keep(environment: Mapping[str, str]) -> None:
    """Set the rules and keep them until the container is stopped.

    Raises:
        OSError, ValueError: as `look_around`, or the capabilities cannot be given up.
        subprocess.CalledProcessError: the kernel does not take the rules.
    """
    endings = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, endings)
    rules = ruleset(look_around(environment))
    subprocess.run(["nft", "-f", "-"], input=rules, text=True, check=True)  # noqa: S607
    give_up_capabilities()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as mark:
        mark.bind(MARK)
        print(rules, end="", flush=True)  # noqa: T201 - the log shows what is in force
        signal.sigwait(endings)


def check() -> None:
    """Leave with an error unless the rules stand and refuse."""
    listing = ["nft", "list", "chain", "inet", "askance", "output"]
    subprocess.run(listing, stdout=subprocess.DEVNULL, check=True)  # noqa: S603
    try:
        socket.create_connection(NOBODY, PROBE_S).close()
    except ConnectionRefusedError:
        return
    except OSError as exc:
        sys.exit(f"A refused address is not refused but fails otherwise: {exc}.")
    sys.exit("A refused address answers.")


def give_up_capabilities() -> None:
    """Drop every capability of this process; without new privileges no program brings them back.

    Raises:
        OSError: the kernel refused.
    """
    header = struct.pack("Ii", _CAPABILITY_VERSION_3, 0)
    if ctypes.CDLL(None, use_errno=True).capset(header, bytes(24)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _address(hexadecimal: str) -> IPv4Address:
    """/proc/net/route writes addresses in the machine's own byte order."""
    return IPv4Address(int(hexadecimal, 16).to_bytes(4, sys.byteorder))


def _literal(text: str) -> IPv4Address | None:
    try:
        return IPv4Address(text)
    except AddressValueError:
        return None


if __name__ == "__main__":
    if sys.argv[1] == "check":
        check()
    else:
        keep(os.environ)
