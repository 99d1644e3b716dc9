"""Where requests for pages are taken in: so many at once, and none for a client that has gone."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any

from askance.adapters.reader.protocol import Asked, ReadReply, ReadRequest, Refusal
from askance.domain.errors import ServiceDown
from askance.domain.events import RequestSent
from askance.domain.web import bare_proxy
from askance.ports.reader import PageReader
from askance.reader_service.refused import Refused


class Desk:
    """Reads pages for clients. `proxy` is that of the service's own settings."""

    def __init__(self, reader: PageReader, *, proxy: str, at_once: int) -> None:
        self._reader = reader
        self._proxy = bare_proxy(proxy)
        self._at_once = at_once
        self._reading: set[asyncio.Task[ReadReply | Refused]] = set()
        self._closed = False
        self.outcomes: Counter[str] = Counter()
        """How often each status of a page, and each refusal, was the reply."""

    async def read(
        self, wanted: ReadRequest, gone: Callable[[], Coroutine[Any, Any, None]]
    ) -> ReadReply:
        """Read a page for a client, until `gone` returns.

        Raises:
            Refused: too much is being read already, pages go another way than the client says, the
                child processes do not start, or the reading was given up.
        """
        self._check(wanted)
        async with asyncio.TaskGroup() as tasks:
            reading = tasks.create_task(self._reply(wanted))
            waiting = tasks.create_task(gone())
            self._reading.add(reading)
            try:
                await asyncio.wait({reading, waiting}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                self._reading.discard(reading)
                reading.cancel()
                waiting.cancel()
        if reading.cancelled():
            raise Refused(Refusal.STOPPING, "The reading was given up.")
        outcome = reading.result()
        if isinstance(outcome, Refused):
            raise outcome
        self.outcomes[outcome.status] += 1
        return outcome

    def close(self) -> None:
        """Give up all reading, and take in no more."""
        self._closed = True
        for reading in self._reading:
            reading.cancel()

    def _check(self, wanted: ReadRequest) -> None:
        if wanted.proxy is not None and bare_proxy(wanted.proxy) != self._proxy:
            way = f"through {self._proxy}" if self._proxy else "directly"
            raise Refused(Refusal.PROXY_MISMATCH, f"This service fetches pages {way}.")
        if self._closed:
            raise Refused(Refusal.STOPPING, "The service is ending.")
        if len(self._reading) >= self._at_once:
            raise Refused(Refusal.BUSY, f"{self._at_once} pages are being read already.")

    async def _reply(self, wanted: ReadRequest) -> ReadReply | Refused:
        """The reply, or why there is none: an error would come out of the group wrapped in one."""
        asked: list[Asked] = []

        def note(sent: RequestSent) -> None:
            asked.append(Asked(to=sent.to, url=sent.content))

        try:
            page = await self._reader.read(wanted.url, sent=note, known=wanted.known)
        except ServiceDown as exc:
            return Refused(Refusal.STARTING, exc.problem)
        return ReadReply.of(page, asked)
