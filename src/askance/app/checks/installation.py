"""Whether this machine has a way out, found without going out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit

from askance import __version__
from askance.app.checks.first_steps import CheckResult
from askance.app.updates import UpdateChecker
from askance.config.folders import Folders
from askance.config.settings import SearchSettings, Settings
from askance.domain.web import leads_here
from askance.system.installation import find_installation
from askance.system.integration import system_entries

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


INSTALLATION, UPDATES = "installation", "updates"

OpenUpdates = Callable[[Settings, Folders], UpdateChecker]


def open_updates(settings: Settings, folders: Folders) -> UpdateChecker:
    """Return what asks the project's own list of releases, where this machine has a network."""
    return UpdateChecker(settings, folders, has_network)


async def check_updates(checker: UpdateChecker, environment: Mapping[str, str]) -> CheckResult:
    """Say whether there is a new version, as far as the user allows to ask; that is asked once a week."""
    state = await checker.weekly()
    newer = state.newer(__version__)
    if newer:
        message = f"{newer[0].version} is available; this is {__version__}."
        fix = find_installation(environment).update
        return CheckResult(UPDATES, ok=False, message=message, fix=fix, needed=False)
    if not checker.settings.updates.weekly:
        message = f"This is {__version__}; nobody is asked for newer ones (updates.weekly)."
    elif not state.asked_at:
        message = f"This is {__version__}; nobody was asked for newer ones yet."
    else:
        day = f"{datetime.fromtimestamp(state.asked_at[-1]).astimezone():%Y-%m-%d}"
        if state.problem:
            message = f"On {day} there was no answer: {state.problem}"
            return CheckResult(UPDATES, ok=False, message=message, needed=False)
        message = f"{__version__} was the newest version on {day}."
    return CheckResult(UPDATES, ok=True, message=message, needed=False)


async def check_installation(environment: Mapping[str, str]) -> CheckResult:
    """Say how the program was installed, where the system starts it, and what of that leads nowhere."""
    found = await asyncio.to_thread(find_installation, environment)
    entries = [entry for entry in system_entries(environment) if entry.is_there]
    names = ", ".join(entry.name for entry in entries) or "none"
    message = f"{found.name}, {found.place}. Entries: {names}."
    if broken := [entry for entry in entries if entry.is_broken]:
        message += "".join(
            f" {entry.place} starts {entry.program}, which is gone." for entry in broken
        )
        fix = "The next start of the window writes it again: `askance`."
        return CheckResult(INSTALLATION, ok=False, message=message, fix=fix, needed=False)
    return CheckResult(INSTALLATION, ok=True, message=message, needed=False)
