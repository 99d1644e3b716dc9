"""Addresses as they may be shown: without passwords, and those of files as paths."""

from __future__ import annotations

import re
import sys
from urllib.parse import unquote, urlsplit

SHORTEST_SECRET = 4
"""What is shorter stands in every other word."""
# User and password end at the last @ before a path (RFC 3986, 3.2.1); a backslash ends them too, as
# in browsers. Bounded, so that a text full of `://` takes no quadratic time.
_USER = re.compile(r"(?<=://)[^/?#\\\s]{1,1000}@")
_HOST_ENDS = re.compile(r"[/?#\\]")


def bare_address(address: str) -> str:
    """Return an address as it may be shown, whether it has a scheme or not."""
    scheme, mark, rest = address.partition("://")
    if not mark:
        scheme, rest = "", address
    # The last @ parts user and host, not the first: a password may hold one.
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
    # No system call takes a NUL; Python raises a ValueError there that nobody expects of a path.
    if "\0" in path:
        return ""
    # A slash stands before the drive: `file:///C:/notes.txt` (RFC 8089, appendix E.2).
    return path.lstrip("/").replace("/", "\\") if platform == "win32" else path
