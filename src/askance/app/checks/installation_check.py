"""This installation, looked at: where it is, what starts it, whether there is a newer one, and whether there is a network.

New versions are looked for with the user's consent once a week, or when the user asks for it. Nothing is downloaded
and nothing installed. All processes of a user share one file: whoever is about to ask writes that down first, under
a lock, so that two never ask in the same week, and one that crashes does not ask again.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import os
import time
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from askance import __version__
from askance.app.checks.first_steps import CheckResult
from askance.app.container import Container
from askance.config.folders import Folders, out_of_reach
from askance.config.private_files import make_folder, open_lock, replace_file, try_lock
from askance.config.settings import Bar, SearchSettings, Settings
from askance.domain.errors import AskanceError, InputError
from askance.domain.events import RequestSent
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.web import Sent
from askance.domain.updates import Release, UpdateState, version_key
from askance.domain.web_pages import leads_here
from askance.system.installation import find_installation
from askance.system.integration import system_entries

WEEK_S = 7 * 24 * 3600.0
OCCASION = "updates"
"""The occasion of these requests in the ledger."""
_MOST_MOMENTS = 8
_LARGEST_FILE = 1_000_000
_log = logging.getLogger(__name__)

Fetch = Callable[[Sent], Awaitable[tuple[Release, ...]]]
"""Asks for the list of releases, and takes note of the request before. Raises AskanceError."""


def is_due(asked_at: tuple[float, ...], now: float) -> bool:
    """Whether a week has passed since the last request, also by a clock that was changed in between.

    A moment that the clock has left by being set back still counts for the week around it.
    """
    if any(abs(now - moment) < WEEK_S for moment in asked_at):
        return False
    return not asked_at or asked_at[-1] <= now


@dataclass(frozen=True, slots=True)
class UpdateFile:
    """What is known of new versions, in a file that all processes of the user share."""

    file: Path

    def read(self) -> UpdateState:
        """Return what is known; nothing where the file is missing or damaged."""
        try:
            with self.file.open("rb") as stream:
                return _state_of(json.loads(stream.read(_LARGEST_FILE)))
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return UpdateState()

    def write(self, state: UpdateState) -> None:
        """Keep what is known. Raises StorageError: it cannot be written."""
        try:
            make_folder(self.file.parent)
            replace_file(self.file, json.dumps(_record_of(state)).encode())
        except OSError as exc:
            raise out_of_reach(exc, Message("What is known of updates"), self.file) from exc

    @contextmanager
    def locked(self) -> Generator[bool]:
        """Give whether no other process is asking now, and hold the others off meanwhile."""
        try:
            make_folder(self.file.parent)
            handle = open_lock(self.file.with_suffix(".lock"))
        except OSError as exc:
            raise out_of_reach(exc, Message("What is known of updates"), self.file) from exc
        try:
            yield try_lock(handle)
        finally:
            os.close(handle)


def _record_of(state: UpdateState) -> dict[str, Any]:
    problem = {"text": str(state.problem), **state.problem.to_record()}
    return {**asdict(state), "problem": problem}


def _state_of(record: Any) -> UpdateState:
    """Return what was kept. Raises ValueError, TypeError or KeyError: it is damaged."""
    moments = (float(moment) for moment in record["asked_at"])
    # `_release_of` gives None for a version that cannot be compared: it is not offered.
    releases = tuple(filter(None, map(_release_of, record["releases"])))
    return UpdateState(
        tuple(filter(math.isfinite, moments)),
        releases,
        Message.from_record(str(record["problem"]["text"]), record["problem"]),
        str(record["announced"]),
    )


def _release_of(record: object) -> Release | None:
    match record:
        case {"version": str(version), "changes": str(changes)} if version_key(version):
            return Release(version, changes)
        case _:
            return None


@dataclass(frozen=True, slots=True)
class UpdateChecker:
    """Asks for new versions, and keeps what was told.

    `fetch` asks; None takes the project's own list. `clock` tells the seconds since 1970.
    """

    settings: Settings
    folders: Folders
    is_online: Callable[[SearchSettings], bool]
    fetch: Fetch | None = None
    clock: Callable[[], float] = time.time

    @property
    def state(self) -> UpdateState:
        """What is known now; nobody is asked."""
        return self._file.read()

    async def weekly(self) -> UpdateState:
        """Ask if the user allows it and has not been served this week. Failures are kept, not raised."""
        if not self.settings.updates.weekly or self.settings.why_barred(Bar.WEB):
            return self.state
        if not self.is_online(self.settings.search):
            return self.state
        try:
            return await self._ask(only_if_due=True)
        except AskanceError as exc:
            _log.info("Updates could not be looked for.", extra={"error": type(exc).__name__})
            return self.state

    async def now(self) -> UpdateState:
        """Ask because the user wants it; it counts as this week's request.

        Raises:
            AskanceError: nothing could be found out.
        """
        self.settings.refuse_if_barred(Bar.WEB)
        return await self._ask(only_if_due=False)

    def announce(self) -> str:
        """Return the newest version that the user was not told of yet, once; empty if there is none."""
        with self._file.locked() as is_ours:
            state = self.state
            newer = state.newer(__version__)
            # Whoever does not get the lock leaves it to the process that has it: announced once.
            if not is_ours or not newer or newer[0].version == state.announced:
                return ""
            self._file.write(replace(state, announced=newer[0].version))
            return newer[0].version

    @property
    def _file(self) -> UpdateFile:
        return UpdateFile(self.folders.updates)

    async def _ask(self, *, only_if_due: bool) -> UpdateState:
        with self._file.locked() as is_ours:
            state = self.state
            if not is_ours:
                if only_if_due:
                    return state
                raise InputError(Message("Another process is looking for updates just now."))
            now = self.clock()
            if only_if_due and not is_due(state.asked_at, now):
                if state.asked_at and state.asked_at[-1] > now + WEEK_S:
                    # The clock was set back: a week begins here.
                    self._file.write(_noted(state, now))
                return state
            state = replace(_noted(state, now), problem=NOTHING)
            self._file.write(state)
            try:
                releases = await self._fetched()
            except AskanceError as exc:
                self._file.write(replace(state, problem=exc.problem))
                raise
            state = replace(state, releases=releases)
            self._file.write(state)
            return state

    async def _fetched(self) -> tuple[Release, ...]:
        with Container(self.settings, self.folders) as parts:

            def sent(request: RequestSent) -> None:
                # What cannot be recorded is not sent: the error ends the request before it begins.
                parts.ledger.add(request, OCCASION)

            if self.fetch is not None:
                return await self.fetch(sent)
            from askance.adapters.releases import fetch_releases  # noqa: PLC0415 - it loads httpx

            return await fetch_releases(self.settings.page_reader, sent)


def _noted(state: UpdateState, now: float) -> UpdateState:
    return replace(state, asked_at=(*state.asked_at, now)[-_MOST_MOMENTS:])


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
        # The table of IPv4 has a heading, that of IPv6 has none.
        four = (kernel / "route").read_text("ascii").splitlines()[1:]
    except (OSError, ValueError):
        return True
    try:
        six = (kernel / "ipv6_route").read_text("ascii").splitlines()
    except (OSError, ValueError):
        # A kernel without IPv6 has no such file.
        six = []
    return any(map(_leads_out, four)) or any(map(_leads_out6, six))


def _leads_out(line: str) -> bool:
    # One route a line: the device, then destination, gateway and flags in hexadecimal.
    device, target, _, flags = line.split()[:4]
    return _is_way_out(device, flags, is_default=int(target, 16) == 0)


def _leads_out6(line: str) -> bool:
    # Destination and the length of its prefix come first, flags and device last.
    target, length, *_, flags, device = line.split()
    return _is_way_out(device, flags, is_default=int(target, 16) == int(length, 16) == 0)


def _is_way_out(device: str, flags: str, *, is_default: bool) -> bool:
    bits = int(flags, 16)
    return device != "lo" and bool(bits & _UP) and (is_default or bool(bits & _GATEWAY))


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
        return CheckResult(ok=False, message=message, fix=fix)
    if not checker.settings.updates.weekly:
        message = f"This is {__version__}; nobody is asked for newer ones (updates.weekly)."
    elif not state.asked_at:
        message = f"This is {__version__}; nobody was asked for newer ones yet."
    else:
        day = f"{datetime.fromtimestamp(state.asked_at[-1]).astimezone():%Y-%m-%d}"
        if state.problem:
            message = f"On {day} there was no answer: {state.problem}"
            return CheckResult(ok=False, message=message)
        message = f"{__version__} was the newest version on {day}."
    return CheckResult(message=message)


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
        return CheckResult(ok=False, message=message, fix=fix)
    return CheckResult(message=message)
