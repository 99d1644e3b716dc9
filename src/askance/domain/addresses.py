"""Addresses as they may be shown: without passwords, and those of files as paths."""

from __future__ import annotations

import re
import sys
from urllib.parse import unquote, urlsplit

SHORTEST_SECRET = 4
"""What is shorter stands in every other word."""
_USER = re.compile(r"(?<=://)[^/?#\\\s]{1,1000}@")
_HOST_ENDS = re.compile(r"[/?#\\]")


def bare_address(address: str) -> str:
    """Return an address as it may be shown, whether it has a scheme or not."""
    scheme, mark, rest = address.partition("://")
    if not mark:
        scheme, rest = "", address
    host = _HOST_ENDS.split(rest, maxsplit=1)[0]
    return f"{scheme}{mark}{host.rpartition('@')[2]}{rest[len(host) :]}"


def with_bare_addresses(text: str) -> str:
    """Return a text with all addresses in it as they may be shown."""
    return _USER.sub("", text) if "@" in text and "://" in text else text


def secrets_in(address: str) -> set[str]:
    """Return the password that stands in an address, as it is written and as it is meant."""
    behind = address.partition("://")[2]
    user = _HOST_ENDS.split(behind, maxsplit=1)[0].rpartition("@")[0]
    password = user.partition(":")[2]
    return {p for p in (password, unquote(password)) if len(p) >= SHORTEST_SECRET}


def path_of(url: str, platform: str = sys.platform) -> str:
    """Return the path of a `file:` address of this machine; empty for anything else."""
    if not url.startswith("file:///"):
        return ""
    path = unquote(urlsplit(url).path)
    if "\0" in path:
        return ""
    return path.lstrip("/").replace("/", "\\") if platform == "win32" else path
