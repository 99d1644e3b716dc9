"""What all runs of this user share of a model server, in this process and in others: the queue before it, and its speeds.

Who comes draws a ticket: an empty file in a folder of the server's own. Its name has a number that
grows and the process that drew it; its time of change is when that process last gave a sign of
life. The lowest tickets have their turn. That of a process that is gone counts no more, nor does
one that has not been renewed for long: its process was stopped, or hangs.

What no person waits for gives way: the daemon's runs for other programs, an evaluation, and what is done in
the background. Its tickets stand apart, behind all others, whenever they were drawn. One of them becomes a
ticket like others when it has its turn, which nobody takes from it then. No program asks without a pause
for a person, so that none of them is put off for ever.

The queue keeps runs from taking each other's time and prompt cache. Where the folder cannot be
used, there is none.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from pydantic import TypeAdapter

from askance.config.choices import LlmApi
from askance.config.private_files import (
    claim_folder,
    create_file,
    make_folder,
    open_lock,
    replace_file,
    try_lock,
)
from askance.config.settings import LlmSettings
from askance.domain.ports.model import MOST_RUNS, Speed, Waiting
from askance.domain.web_pages import leads_here

# Handing over takes half of it on the average: nothing beside a call of the model.
POLL_S = 0.2
# A run that is being stopped for this one is gone in a moment, which is not worth a message.
GRACE_S = 0.1
# A ticket is renewed so often, and counts for so long after that: an event loop may be held up for
# seconds, by a page or by a machine that is busy.
RENEW_S = 3.0
HUNG_S = 30.0
# Drawing takes a fraction of a millisecond; whoever is stopped in the middle of it holds up nobody.
_DRAW_TRIES, _DRAW_AGAIN_S = 25, 0.002
# Such as `000000012.4711`, or `000000012.4711.later` of one that gives way.
_TICKET = re.compile(r"(\d{9,})\.(\d+)(\.later)?")
_PORTS = {"http": 80, "https": 443}


def queue_name(settings: LlmSettings) -> str:
    """Return the name of the server that is queued for: one server has one name, however it is written.

    Embedded models are of one process each, but take the same processors.
    """
    if settings.api is LlmApi.EMBEDDED:
        return "embedded"
    parts = urlsplit(settings.url)
    host = (parts.hostname or "").lower()
    # The name of a folder: only characters that every file system takes. All loopback names are
    # one server.
    host = "localhost" if leads_here(host) else re.sub(r"[^\w.-]", "_", host)
    return f"{host[:100]}-{parts.port or _PORTS[parts.scheme]}"


class _Place(NamedTuple):
    """The number of a ticket, the process that drew it, and whether it gives way to those that do not."""

    number: int
    process: int
    gives_way: bool = False

    def is_before(self, other: _Place) -> bool:
        """Whether it has its turn before another one, whichever was drawn first."""
        if self.gives_way != other.gives_way:
            return other.gives_way
        return self < other


@dataclass
class FileQueue:
    """A `ModelQueue` in a folder. One run has its turn at a time.

    `gives_way`: who stands here lets those go first who do not.
    """

    folder: Path
    gives_way: bool = False
    grace_s: float = GRACE_S
    poll_s: float = POLL_S
    renew_s: float = RENEW_S
    hung_s: float = HUNG_S
    _seen: dict[_Place, tuple[int, float]] = field(default_factory=dict[_Place, tuple[int, float]])
    """For each ticket of others its last change, and when, by our own clock, it was first seen so."""

    @asynccontextmanager
    async def turn(self, waiting: Waiting) -> AsyncGenerator[None]:
        """Wait for a turn, and have it. See `ModelQueue.turn`."""
        ticket = _Ticket(self.folder, self.renew_s, gives_way=self.gives_way)
        try:
            ticket.draw()
            if self._ahead(ticket):
                await asyncio.sleep(self.grace_s)
            reported = 0
            while (ahead := self._ahead(ticket)) > 0 or not self._takes(ticket):
                if ahead != reported and ahead > 0:
                    waiting(ahead)
                    reported = ahead
                # Tickets are files of other processes: no system has one call that waits for their change everywhere.
                await asyncio.sleep(self.poll_s)
            yield
        finally:
            ticket.give_back()

    def is_free(self) -> bool:
        """See `ModelQueue.is_free`."""
        return not any(self._counts(place) for place in _places(self.folder))

    def _takes(self, ticket: _Ticket) -> bool:
        """Have the turn that is free: one that gives way only if none has come before it meanwhile."""
        if ticket.place is None or not ticket.place.gives_way:
            return True
        # Looked up and renamed under one lock, so that nobody draws a ticket in between.
        with suppress(OSError), _drawing(self.folder):
            if self._ahead(ticket):
                return False
            ticket.stay()
        return True

    def _ahead(self, ticket: _Ticket) -> int:
        """Count the living tickets before this one; the others are taken away."""
        if ticket.place is None:
            return 0
        places = _places(self.folder)
        self._seen = {place: seen for place, seen in self._seen.items() if place in places}
        ahead = 0
        for place in places:
            if place.is_before(ticket.place):
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
        import psutil  # noqa: PLC0415 - only where somebody is in the queue

        try:
            changed = _file(self.folder, place).stat().st_mtime_ns
        except OSError:
            return False
        now = time.monotonic()
        known, since = self._seen.get(place, (0, now))
        if known != changed:
            since = now
            self._seen[place] = (changed, now)
        return now - since < self.hung_s and psutil.pid_exists(place.process)


class _Ticket:
    """Our own place in the queue; None where none could be drawn."""

    def __init__(self, folder: Path, renew_s: float, *, gives_way: bool) -> None:
        self.place: _Place | None = None
        self._folder = folder
        self._renew_s = renew_s
        self._gives_way = gives_way
        self._renewing: asyncio.TimerHandle | None = None

    def draw(self) -> None:
        """Take the last place, and renew it from now on."""
        self.place = None
        with suppress(OSError):
            claim_folder(self._folder)
            with _drawing(self._folder):
                self.place = self._drawn()
        # In the run's own event loop, so that a run that hangs stops renewing.
        loop = asyncio.get_running_loop()
        self._renewing = loop.call_later(self._renew_s, self._renew)

    def give_back(self) -> None:
        """Leave the queue."""
        if self._renewing is not None:
            self._renewing.cancel()
        if self.place is not None:
            with suppress(OSError):
                _file(self._folder, self.place).unlink()

    def stay(self) -> None:
        """Give way to nobody any more."""
        assert self.place is not None
        place = _Place(self.place.number, self.place.process)
        self._gives_way = False
        # One that was taken away is drawn anew when it is renewed.
        with suppress(FileNotFoundError):
            _file(self._folder, self.place).rename(_file(self._folder, place))
        self.place = place

    def _drawn(self) -> _Place:
        number = 1 + max((place.number for place in _places(self._folder)), default=0)
        while True:
            place = _Place(number, os.getpid(), self._gives_way)
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
    return folder / f"{place.number:09d}.{place.process}{'.later' if place.gives_way else ''}"


def _places(folder: Path) -> list[_Place]:
    try:
        names = [file.name for file in folder.iterdir()]
    except OSError:
        return []
    found = (_TICKET.fullmatch(name) for name in names)
    return [_Place(int(match[1]), int(match[2]), bool(match[3])) for match in found if match]


@contextmanager
def _drawing(folder: Path) -> Generator[None]:
    """Draw alone, so that a number is higher than all that are there."""
    handle = open_lock(folder / "drawing")
    try:
        for _ in range(_DRAW_TRIES):
            if try_lock(handle):
                break
            # Another process holds the lock, for a write of some bytes; nothing tells when it is free. It is
            # waited for 50 ms at the most, in the loop's thread: a renewal is a callback, which cannot await.
            time.sleep(_DRAW_AGAIN_S)
        yield
    finally:
        # Closing the file gives its lock back; so does the system when the process dies.
        os.close(handle)


# The model used last stands last, each with its server.
_SPEEDS = TypeAdapter(list[tuple[str, str, Speed]])
# The models that were used last; a file of thousands would be read at every run.
_MOST_MODELS = 50
_LARGEST_BYTES = 100_000
_log = logging.getLogger(__name__)


class SpeedFile:
    """A `Speeds` in a JSON file. One that is damaged or cannot be written knows nothing; it may be deleted."""

    def __init__(self, file: Path) -> None:
        self._file = file

    async def known(self, server: str, model: str) -> Speed:
        """Return what is known of a model. See `Speeds.known`."""
        rows = await asyncio.to_thread(self._read)
        return next((speed for *of, speed in rows if of == [server, model]), Speed())

    async def store(self, server: str, model: str, speed: Speed) -> None:
        """Keep what is known now. See `Speeds.store`.

        Two programs that write at once lose what one of them has learned: it learns it again.
        """
        speed = replace(speed, runs_s=speed.runs_s[-MOST_RUNS:])
        await asyncio.to_thread(self._write, (server, model, speed))

    def _read(self) -> list[tuple[str, str, Speed]]:
        try:
            with self._file.open("rb") as file:
                # A longer file is cut off here, is then no JSON, and counts as damaged.
                return _SPEEDS.validate_json(file.read(_LARGEST_BYTES))
        except (OSError, ValueError):
            return []

    def _write(self, row: tuple[str, str, Speed]) -> None:
        # Last in the list: the model that was used longest ago is dropped first.
        rows = [*(other for other in self._read() if other[:2] != row[:2]), row][-_MOST_MODELS:]
        try:
            make_folder(self._file.parent)
            replace_file(self._file, _SPEEDS.dump_json(rows, indent=1))
        except OSError as exc:
            _log.info("The speed of the model is not kept: %s", exc.strerror)
