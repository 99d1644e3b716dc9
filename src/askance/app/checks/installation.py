"""This installation, looked at: where it is, what starts it, and whether there is a newer one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime

from askance import __version__
from askance.app.checks.findings import CheckResult
from askance.app.checks.network import has_network
from askance.app.updates import UpdateChecker
from askance.config.folders import Folders
from askance.config.settings import Settings
from askance.system.installation import find_installation
from askance.system.integration import system_entries

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
        fix = find_installation(environment).update_to(newer[0].version)
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
