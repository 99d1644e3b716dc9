"""What a single setting may hold: addresses of servers and proxies, durations.

What it may not hold is raised as ValueError, in words for the user.
"""

from __future__ import annotations

import math
import re
from urllib.parse import urlsplit

from askance.domain.messages import Message

DIRECT = "direct"
"""The value of `reader.proxy` that keeps pages out of the proxy of the search."""


def web_address(value: str) -> str:
    """Return an address of a server without its last slash."""
    if not value.startswith(("http://", "https://")):
        raise ValueError(Message("must begin with http:// or https://"))
    try:
        parts = urlsplit(value)
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError:  # a bracket left open, a port that is no number or above 65535
        usable = False
    if not usable:
        raise ValueError(Message("must name a host, and a port between 1 and 65535 if any"))
    return value.rstrip("/")


def web_address_or_none(value: str) -> str:
    """Return an address of a server without its last slash, or nothing."""
    return web_address(value) if value else value


def page_proxy(value: str) -> str:
    """Return the address of a proxy for pages, or `DIRECT`."""
    return value if value == DIRECT else proxy_address(value)


def proxy_address(value: str) -> str:
    """Return the address of an HTTP or SOCKS proxy, or nothing."""
    scheme, mark, rest = value.partition("://")
    if scheme in {"socks5", "socks5h"} and mark:
        web_address(f"http://{rest}")
        return value.rstrip("/")
    return web_address_or_none(value)


_ON, _OFF = frozenset({"true", "1", "yes", "on"}), frozenset({"false", "0", "no", "off"})


def always_or_never(value: object) -> object:
    """Take what switched a setting on or off while it was one that is true or false."""
    said = str(value).strip().lower() if isinstance(value, bool | int | str) else ""
    return "always" if said in _ON else "never" if said in _OFF else value


# As Go reads a duration, which is what Ollama does: parts with units, or seconds alone.
_UNITS_S = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_NUMBER_WITH_UNIT = re.compile(r"(\d{1,6}(?:\.\d{0,9})?|\.\d{1,9})(ns|us|ms|s|m|h)", re.ASCII)
_PART = r"(?:\d{1,6}(?:\.\d{0,9})?|\.\d{1,9})(?:ns|us|ms|s|m|h)"
_DURATION = re.compile(rf"[-+]?(?:\d{{1,9}}(?:\.\d{{0,9}})?|(?:{_PART}){{1,6}})", re.ASCII)


def as_duration(value: object) -> object:
    """Take a number for seconds, as a settings file may have it."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def ollama_duration(value: str) -> str:
    """Return how long Ollama is to keep a model."""
    text = value.strip()
    if not _DURATION.fullmatch(text):
        raise ValueError(
            Message("must be seconds or a duration such as 30m, 1h30m, 0, or -1 for ever")
        )
    return text


def duration_s(value: str) -> float:
    """Return the seconds of a duration that `ollama_duration` takes; a negative one has no end."""
    text = value.strip()
    if text.startswith("-"):
        return math.inf
    text = text.removeprefix("+")
    parts = _NUMBER_WITH_UNIT.findall(text)
    return sum(float(n) * _UNITS_S[unit] for n, unit in parts) if parts else float(text)
