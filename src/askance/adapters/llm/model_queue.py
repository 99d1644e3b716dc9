"""The queue before a model server, for all runs of this user: in this process and in others.

Who comes draws a ticket: an empty file in a folder of the server's own. Its name has a number that
grows and the process that drew it; its time of change is when that process last gave a sign of
life. The lowest tickets have their turn. That of a process that is gone counts no more, nor does
one that has not been renewed for long: its process was stopped, or hangs.

The queue keeps runs from taking each other's time and prompt cache. Where the folder cannot be
used, there is none.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from askance.config.choices import LlmApi
from askance.config.private_files import create_file, make_folder, open_lock, try_lock
from askance.config.settings import LlmSettings
from askance.domain.web import leads_here
from askance.ports.model import Waiting

# Handing over takes half of it on the average: nothing beside a call of the model.
POLL_S = 0.2
# A run that is being stopped for this one is gone in a moment, which nobody need be told of.
GRACE_S = 0.1
# A ticket is renewed so often, and counts for so long after that: an event loop may be held up for
# seconds, by a page or by a machine that is busy.
RENEW_S = 3.0
HUNG_S = 30.0
# Drawing takes a fraction of a millisecond; whoever is stopped in the middle of it holds up nobody.
_DRAW_TRIES, _DRAW_AGAIN_S = 25, 0.002
_TICKET = re.compile(r"(\d{9,})\.(\d+)")
_PORTS = {"http": 80, "https": 443}


def queue_name(settings: LlmSettings) -> str:
    """Return the name of the server that is queued for: one server has one name, however it is written.

    Embedded models are of one process each, but take the same processors.
    """
    if settings.api is LlmApi.EMBEDDED:
        return "embedded"
    parts = urlsplit(settings.url)
    host = (parts.hostname or "").lower()
    host = "localhost" if leads_here(host) else re.sub(r"[^\w.-]", "_", host)
    return f"{host[:100]}-{parts.port or _PORTS[parts.scheme]}"


_Place = tuple[int, int]
"""The number of a ticket, and the process that drew it."""


@dataclass
class FileQueue:
    """A `ModelQueue` in a folder. `at_once` runs have their turn at the same time."""

    folder: Path
    at_once: int = 1
    grace_s: float = GRACE_S
    poll_s: float = POLL_S
    renew_s: float = RENEW_S
    hung_s: float = HUNG_S
    _seen: dict[_Place, tuple[int, float]] = field(default_factory=dict[_Place, tuple[int, float]])
    """For each ticket of others its last change, and when, by our own clock, it was first seen so."""

    @asynccontextmanager
    async def turn(self, waiting: Waiting) -> AsyncGenerator[None]:
        """Wait for a turn, and have it. See `ModelQueue.turn`."""
        ticket = _Ticket(self.folder, self.renew_s)
        try:
            ticket.draw()
            await self._wait(ticket, waiting)
            yield
        finally:
            ticket.give_back()

    def is_free(self) -> bool:
        """See `ModelQueue.is_free`."""
        return sum(self._counts(place) for place in _places(self.folder)) < self.at_once

    async def _wait(self, ticket: _Ticket, waiting: Waiting) -> None:
        if self._ahead(ticket) >= self.at_once:
            await asyncio.sleep(self.grace_s)
        told = 0
        while (ahead := self._ahead(ticket) - self.at_once + 1) > 0:
            if ahead != told:
                waiting(ahead)
                told = ahead
            await asyncio.sleep(self.poll_s)

    def _ahead(self, ticket: _Ticket) -> int:
        """Count the living tickets before this one; the others are taken away."""
        if ticket.place is None:
            return 0
        places = _places(self.folder)
        self._seen = {place: seen for place, seen in self._seen.items() if place in places}
        ahead = 0
        for place in places:
            if place < ticket.place:
                if self._counts(place):
                    ahead += 1
                else:
                    with suppress(OSError):
                        _file(self.folder, place).unlink()
        return ahead

    def _counts(self, place: _Place) -> bool:
        """Whether the process that drew a ticket is alive, and does something.

        How long ago the last sign was is measured by our own clock: that of the files may be set.
        """
        try:
            changed = _file(self.folder, place).stat().st_mtime_ns
        except OSError:
            return False
        now = time.monotonic()
        known, since = self._seen.get(place, (0, now))
        if known != changed:
            since = now
            self._seen[place] = (changed, now)
        return now - since < self.hung_s and _is_running(place[1])


class _Ticket:
    """Our own place in the queue; None where none could be drawn."""

    def __init__(self, folder: Path, renew_s: float) -> None:
        self.place: _Place | None = None
        self._folder = folder
        self._renew_s = renew_s
        self._renewing: asyncio.TimerHandle | None = None

    def draw(self) -> None:
        """Take the last place, and renew it from now on."""
        self.place = None
        with suppress(OSError):
            make_folder(self._folder)
            with _drawing(self._folder):
                self.place = self._drawn()
        loop = asyncio.get_running_loop()
        self._renewing = loop.call_later(self._renew_s, self._renew)

    def give_back(self) -> None:
        """Leave the queue."""
        if self._renewing is not None:
            self._renewing.cancel()
        if self.place is not None:
            with suppress(OSError):
                _file(self._folder, self.place).unlink()

    def _drawn(self) -> _Place:
        number = max((number for number, _ in _places(self._folder)), default=0) + 1
        while True:
            place = (number, os.getpid())
            try:
                os.close(create_file(_file(self._folder, place)))
            except FileExistsError:
                number += 1
            else:
                return place

    def _renew(self) -> None:
        """Give a sign of life. A ticket that was taken away, such as during a pause, is drawn anew:

        whoever comes next waits for us, whoever has the turn keeps it.
        """
        try:
            if self.place is not None:
                os.utime(_file(self._folder, self.place))
        except FileNotFoundError:
            self.draw()
            return
        except OSError:
            pass
        self._renewing = asyncio.get_running_loop().call_later(self._renew_s, self._renew)


def _file(folder: Path, place: _Place) -> Path:
    number, process = place
    return folder / f"{number:09d}.{process}"


def _places(folder: Path) -> list[_Place]:
    try:
        names = [file.name for file in folder.iterdir()]
    except OSError:
        return []
    found = (_TICKET.fullmatch(name) for name in names)
    return [(int(match[1]), int(match[2])) for match in found if match]


def _is_running(process: int) -> bool:
    import psutil  # noqa: PLC0415 - only where somebody else is in the queue

    return psutil.pid_exists(process)


@contextmanager
def _drawing(folder: Path) -> Generator[None]:
    """Draw alone, so that a number is higher than all that were drawn before."""
    handle = open_lock(folder / "drawing")
    try:
        for _ in range(_DRAW_TRIES):
            if try_lock(handle):
                break
            time.sleep(_DRAW_AGAIN_S)
        yield
    finally:
        os.close(handle)
