"""What this machine is called and which addresses lead to it."""

from __future__ import annotations

import getpass
import platform
import re
import socket
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from askance.domain.web_pages import leads_here

# So many machines and users have these names, or these words in them, that they tell nobody apart:
# `Annas-MacBook-Pro.local`, `thinkpad-x1`, `DESKTOP-7A6B5C4`. In a query they are common words.
_COMMON_NAMES = """
admin administrator air apple arch archlinux book carbon chromebook computer debian desktop dev dell
fedora guest home host hp imac lan laptop latitude lenovo linux local localdomain localhost mac macbook
mini mint my notebook nuc office owner pc pi pro raspberry raspberrypi root server studio surface test
thinkpad ubuntu user users windows work workstation xps
"""
_COMMON = frozenset(_COMMON_NAMES.split())
_BETWEEN = re.compile(r"[\W_]+")
# A letter or a number alone names nobody: `x1`, `2`.
_NAMELESS = re.compile(r"\w?\d*")
_IPV4 = 4


def own_names() -> tuple[str, ...]:
    """Return the names of the user, the machine and the home folder, as far as they are known.

    A query must not have them of itself.
    """
    names = {platform.node()}
    with suppress(KeyError, OSError, RuntimeError, ImportError):  # not every user has a name
        names |= {getpass.getuser(), Path.home().name}
    return distinctive(*names)


def distinctive(*names: str) -> tuple[str, ...]:
    """Return the words of these names that tell one machine or user from others."""
    words = {word for name in names for word in _BETWEEN.split(name)}
    return tuple(
        sorted(w for w in words if not _NAMELESS.fullmatch(w) and w.lower() not in _COMMON)
    )


def is_this_machine(host: str) -> bool:
    """Whether a host name or a literal address leads to this machine. Nobody is asked for it."""
    return leads_here(host) or _is_own_name(host) or _is_own_address(host)


def distant_host_of(url: str) -> str:
    """Return the host and port of a service's address, or nothing if it is on this machine."""
    parts = urlsplit(url)
    return "" if is_this_machine(parts.hostname or "") else parts.netloc.rpartition("@")[2]


def _is_own_name(host: str) -> bool:
    own = socket.gethostname().lower()
    # Machines are asked for with this ending in a local network (RFC 6762); some have it in their
    # own name.
    return bool(own) and host.lower().removesuffix(".local") == own.removesuffix(".local")


def _is_own_address(host: str) -> bool:
    """Whether the system lets a socket have this address, which it does with its own alone."""
    try:
        family = socket.AF_INET if ip_address(host).version == _IPV4 else socket.AF_INET6
    except ValueError:
        return False  # a name
    try:
        # A datagram socket: nothing is sent, nothing listens, and no port stays taken afterwards.
        with socket.socket(family, socket.SOCK_DGRAM) as own:
            own.bind((host, 0))
    except OSError:
        return False
    return True
