"""Which addresses lead to this machine: its loopback, its own names and those of its interfaces."""

from __future__ import annotations

import socket
from ipaddress import ip_address
from urllib.parse import urlsplit

from askance.domain.web import leads_here

_IPV4 = 4


def is_this_machine(host: str) -> bool:
    """Whether a host name or a literal address leads to this machine. Nobody is asked for it."""
    return leads_here(host) or _is_own_name(host) or _is_own_address(host)


def distant_host_of(url: str) -> str:
    """Return the host and port of a service's address, or nothing if it is on this machine."""
    parts = urlsplit(url)
    return "" if is_this_machine(parts.hostname or "") else parts.netloc.rpartition("@")[2]


def _is_own_name(host: str) -> bool:
    own = socket.gethostname().lower()
    return bool(own) and host.lower().removesuffix(".local") == own.removesuffix(".local")


def _is_own_address(host: str) -> bool:
    """Whether the system lets a socket have this address, which it does with its own alone."""
    try:
        family = socket.AF_INET if ip_address(host).version == _IPV4 else socket.AF_INET6
    except ValueError:
        return False  # a name
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as own:
            own.bind((host, 0))
    except OSError:
        return False
    return True
