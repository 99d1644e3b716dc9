"""Whether this machine has a way out, found without going out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from askance.config.settings import SearchSettings
from askance.domain.web import leads_here

_KERNEL = Path("/proc/net")
# Flags of a route: it is up, and it leads through a gateway.
_UP, _GATEWAY = 0x1, 0x2


def has_network(settings: SearchSettings, kernel: Path = _KERNEL) -> bool:
    """Whether queries could leave this machine. Nothing is sent, and no name is looked up.

    True where the system does not tell: Linux does. A proxy elsewhere in the house needs no route
    to the web. By hand, because psutil knows interfaces and no routes.
    """
    proxy = urlsplit(settings.proxy).hostname or ""
    if proxy and not leads_here(proxy):
        return True
    try:
        four = (kernel / "route").read_text("ascii").splitlines()[1:]
    except (OSError, ValueError):
        return True
    try:
        six = (kernel / "ipv6_route").read_text("ascii").splitlines()
    except (OSError, ValueError):
        six = []
    return any(map(_leads_out, map(_route, four))) or any(map(_leads_out, map(_route6, six)))


@dataclass(frozen=True, slots=True)
class _Route:
    device: str
    is_default: bool
    flags: int


def _leads_out(route: _Route) -> bool:
    is_up = route.device != "lo" and bool(route.flags & _UP)
    return is_up and (route.is_default or bool(route.flags & _GATEWAY))


def _route(line: str) -> _Route:
    device, target, _, flags = line.split()[:4]
    return _Route(device, int(target, 16) == 0, int(flags, 16))


def _route6(line: str) -> _Route:
    target, length, *_, flags, device = line.split()
    return _Route(device, int(target, 16) == 0 and int(length, 16) == 0, int(flags, 16))
