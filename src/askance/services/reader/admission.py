"""Where requests for pages are taken in: so many at once, and what is not served gets the reason."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager
from time import perf_counter
from typing import Any

from starlette.responses import Response

from askance.adapters.reader.fetch import missing_page
from askance.adapters.reader.protocol import (
    MOST_ASKED,
    READER_FAILED,
    STATUS_OF,
    OutgoingRequest,
    Problem,
    ReadReply,
    ReadRequest,
    Refusal,
    ReplyLine,
)
from askance.domain.addresses import bare_address
from askance.domain.errors import ServiceDown, place_of
from askance.domain.events import RequestSent
from askance.domain.messages import NOTHING
from askance.domain.ports.web import PageReader
from askance.domain.web import PageReason
from askance.local_service.guard import problem

# Seconds after which a client that found the service busy or starting may ask again.
RETRY_AFTER_S = 1
_LATER = frozenset({Refusal.BUSY, Refusal.STARTING})
OnRequest = Callable[[OutgoingRequest], None]
_log = logging.getLogger(__name__)


class ReadRefused(Exception):
    """A request is not served. The message says why, in one sentence, `code` in a stable word."""

    def __init__(
        self, code: Refusal, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.headers = dict(headers or {})

    def reply(self) -> Response:
        """Return the refusal as an HTTP reply."""
        later = {"Retry-After": str(RETRY_AFTER_S)} if self.code in _LATER else {}
        return problem(STATUS_OF[self.code], self.code, self.message, {**self.headers, **later})


class ClientGone(BaseException):
    """The client cannot be notified of a request any more, which is therefore not to be sent.

    Not an `Exception`: a reader takes those for the page's own, and this one passes through it, as
    a cancellation does.
    """


class ReadLimiter:
    """Reads pages for clients. `proxy` is that of the service's own settings."""

    def __init__(self, reader: PageReader, *, proxy: str, at_once: int) -> None:
        self._reader = reader
        self._proxy = bare_address(proxy)
        self._at_once = at_once
        self._taken_on = 0
        self._reading: set[asyncio.Task[bytes]] = set()
        self._closed = False
        self.outcomes: Counter[str] = Counter()
        """How often each status of a page, and each refusal, was the reply."""

    @contextmanager
    def taking_on(self, wanted: ReadRequest) -> Generator[None]:
        """Keep room for a page.

        Raises:
            Refused: too much is being read already, pages go another way than the client says, or
                the service is ending.
        """
        if wanted.proxy is not None and bare_address(wanted.proxy) != self._proxy:
            way = f"through {self._proxy}" if self._proxy else "directly"
            raise ReadRefused(Refusal.PROXY_MISMATCH, f"This service fetches pages {way}.")
        if self._closed:
            raise ReadRefused(Refusal.STOPPING, "The service is ending.")
        if self._taken_on >= self._at_once:
            raise ReadRefused(Refusal.BUSY, f"{self._at_once} pages are being read already.")
        self._taken_on += 1
        try:
            yield
        finally:
            self._taken_on -= 1

    async def read(
        self,
        wanted: ReadRequest,
        *,
        on_request: OnRequest,
        gone: Callable[[], Coroutine[Any, Any, None]],
    ) -> bytes:
        """Read a page that was taken on, until `gone` returns; return the last line of the reply.

        `on_request` is called with each host before it is asked. It raises `ClientGone` where it cannot
        tell, which ends the reading.
        """
        async with asyncio.TaskGroup() as tasks:
            reading = tasks.create_task(self._last_line(wanted, on_request))
            waiting = tasks.create_task(gone())
            self._reading.add(reading)
            if self._closed:
                reading.cancel()
            try:
                await asyncio.wait({reading, waiting}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                self._reading.discard(reading)
                reading.cancel()
                waiting.cancel()
        if reading.cancelled():
            return self._given_up()
        return reading.result()

    def close(self) -> None:
        """Give up all reading, and take in no more."""
        self._closed = True
        for reading in self._reading:
            reading.cancel()

    async def _last_line(self, wanted: ReadRequest, on_request: OnRequest) -> bytes:
        """Read the page. Whatever its reading raises ends here, and costs this page alone."""
        requests, started = 0, perf_counter()

        def note(sent: RequestSent) -> None:
            nonlocal requests
            requests += 1
            if requests > MOST_ASKED:
                raise RuntimeError("more requests for one page than a client is told of")
            on_request(OutgoingRequest(to=sent.to, url=sent.content))

        try:
            page = await self._reader.read(wanted.url, sent=note, known=wanted.known)
            line = ReplyLine(page=ReadReply.of(page)).encoded()
        except ServiceDown as exc:
            return self._error(Refusal.STARTING, exc.problem)
        except ClientGone:
            return self._given_up()
        except Exception as exc:  # noqa: BLE001 - a hostile page must not choose what happens next
            _log.error("A page could not be read: %s", place_of(exc))
            page = missing_page(
                wanted.url,
                wanted.url,
                PageReason.EXTRACTION,
                READER_FAILED,
                started=started,
                by=NOTHING,
            )
            line = ReplyLine(page=ReadReply.of(page)).encoded()
        self.outcomes[page.status] += 1
        return line

    def _given_up(self) -> bytes:
        return self._error(Refusal.STOPPING, "The reading was given up.")

    def _error(self, code: Refusal, message: str) -> bytes:
        self.outcomes[code] += 1
        return ReplyLine(error=Problem(code=code, message=message)).encoded()
