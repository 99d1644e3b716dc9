"""Turns of the programs that ask: each client has its turn before any has a second one."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

from askance.domain.errors import TooManyWaiting
from askance.domain.messages import Message
from askance.domain.ports.model import ModelQueue, Waiting


@dataclass(eq=False, slots=True)
class _Place:
    """A place in the queue of a client. `reported` is the position that its client was last sent."""

    admitted: asyncio.Future[None]
    waiting: Waiting
    reported: int = 0


@dataclass(slots=True)
class RoundRobinQueue:
    """Lets `at_once` runs go on at the same time, round robin by client.

    `inner` is the queue before the same server that other programs of this user stand in: who has a turn
    here waits for one there. A client may have `most_waiting` runs waiting.
    """

    at_once: int
    inner: ModelQueue | None = None
    most_waiting: int = 8
    _active: int = field(default=0, init=False)
    _waiting: dict[str, deque[_Place]] = field(
        default_factory=dict[str, "deque[_Place]"], init=False
    )
    _order: deque[str] = field(default_factory=deque[str], init=False)

    def of(self, client: str) -> ClientTurns:
        """Return the queue as one client stands in it."""
        return ClientTurns(self, client)

    def refuse_more(self, client: str) -> None:
        """Let a client have no more waiting than it may.

        Raises:
            TooManyWaiting: so many are waiting already.
        """
        if len(self._waiting.get(client, ())) >= self.most_waiting:
            raise TooManyWaiting(
                Message("{n} questions of {name} are waiting.", n=self.most_waiting, name=client),
                fix=Message("Ask again when one of them is answered."),
            )

    def is_free(self) -> bool:
        """Whether a run would have its turn at once."""
        idle = self._active < self.at_once
        return idle and (self.inner is None or self.inner.is_free())

    @asynccontextmanager
    async def turn(self, client: str, waiting: Waiting) -> AsyncGenerator[None]:
        """Wait for a turn, and have it."""
        await self._enter(client, waiting)
        try:
            if self.inner is None:
                yield
            else:
                async with self.inner.turn(waiting):
                    yield
        finally:
            self._leave()

    async def _enter(self, client: str, waiting: Waiting) -> None:
        if self._active < self.at_once:
            self._active += 1
            return
        place = _Place(asyncio.get_running_loop().create_future(), waiting)
        if client not in self._waiting:
            self._waiting[client] = deque()
            self._order.append(client)
        self._waiting[client].append(place)
        self._report_positions()
        try:
            await place.admitted
        except asyncio.CancelledError:
            # Cancelled while waiting it has no turn to give back; admitted in the same moment it has one.
            if place.admitted.cancelled():
                self._take_out(client, place)
            else:
                self._leave()
            raise

    def _leave(self) -> None:
        """End a turn, and begin the next."""
        self._active -= 1
        while self._order and self._active < self.at_once:
            # A client that has asked often waits behind those that ask for the first time.
            client = self._order.popleft()
            place = self._waiting[client].popleft()
            if self._waiting[client]:
                self._order.append(client)
            else:
                del self._waiting[client]
            if not place.admitted.done():
                self._active += 1
                place.admitted.set_result(None)
        self._report_positions()

    def _take_out(self, client: str, place: _Place) -> None:
        if place not in self._waiting.get(client, ()):
            return
        self._waiting[client].remove(place)
        if not self._waiting[client]:
            del self._waiting[client]
            self._order.remove(client)
        self._report_positions()

    def _report_positions(self) -> None:
        """Send each waiting client its position in the queue if it changed."""
        for position, client in enumerate(self._order):
            for rank, place in enumerate(self._waiting[client]):
                before = rank + sum(
                    min(len(self._waiting[other]), rank + (place_of_other < position))
                    for place_of_other, other in enumerate(self._order)
                    if other != client
                )
                if (ahead := before + 1) != place.reported:
                    place.reported = ahead
                    place.waiting(ahead)


@dataclass(frozen=True, slots=True)
class ClientTurns:
    """The queue before the model as one client stands in it. See `ports.model.ModelQueue`."""

    turns: RoundRobinQueue
    client: str

    def turn(self, waiting: Waiting) -> AbstractAsyncContextManager[None]:
        """Wait for a turn, and have it."""
        return self.turns.turn(self.client, waiting)

    def is_free(self) -> bool:
        """Whether a run would have its turn at once."""
        return self.turns.is_free()
