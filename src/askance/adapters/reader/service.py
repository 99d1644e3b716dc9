"""The page reader in its container, as this program asks it, and what happens where it is not there."""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Self
from urllib.parse import urlsplit

from askance.adapters.network.http import service_client
from askance.adapters.network.service_auth import ServiceAuth, auth_of
from askance.adapters.network.this_machine import distant_host_of
from askance.adapters.reader.addresses import (
    PageTarget,
    RefusedAddress,
    judge_address,
    judge_url,
    literal_address,
)
from askance.adapters.reader.exchange import (
    SERVED_BY,
    SERVICE,
    ReaderExchange,
    ReaderHungUp,
    page_of,
)
from askance.adapters.reader.fetch import elapsed_ms, missing_page
from askance.adapters.reader.network import Resolver
from askance.adapters.reader.protocol import OutgoingRequest, ReadReply, ReadRequest
from askance.config.private_files import claim_folder, create_file
from askance.config.settings import ReaderSettings
from askance.domain.addresses import bare_address
from askance.domain.errors import ServiceAbsent, ServiceDown
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message, Remedy, message_of
from askance.domain.ports.web import PageReader, Sent
from askance.domain.web import Page, PageReason

CONNECT_TIMEOUT_S = 2.0
# A crashed service is back within so many seconds, as a rule. A page waits no longer, nor for more
# than half of its own time.
RESTART_S = 5.0
KNOCK_S = 0.25
# An engine waits up to a minute before it starts a container again that keeps ending, and the reader
# needs some seconds to come up: after this it is not being restarted, but was stopped.
GONE_S = 90.0


class ServiceReader:
    """A `PageReader` on the reader service. An async context manager: it holds a client.

    Every address is checked here before it goes to the service, so that a mistake in either
    program alone opens no way into the user's network. Each page has a connection of its own:
    closing it is how a page is given up, and one that was kept open could be closed by the service in
    the moment of its next use.
    """

    def __init__(
        self,
        settings: ReaderSettings,
        token_file: Path,
        resolver: Resolver,
        last_seen: LastSeen | None = None,
    ) -> None:
        """The token is read for each page: `askance up` may renew it while this program runs.

        Raises:
            SettingsError: reader.url is not an address.
        """
        self._settings = settings
        self._address = bare_address(settings.url)
        self._token_file = token_file
        self._resolver = resolver
        self._last_seen = last_seen or LastSeen()
        self._proxy = bare_address(settings.proxy)
        self._through = _through(settings.url, self._proxy)
        self._client = service_client(
            settings.url, connect_timeout_s=CONNECT_TIMEOUT_S, setting="reader.url"
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def read(self, url: str, *, sent: Sent, known: Page | None = None) -> Page:
        """Read one page. A page that cannot be read is a value. See `PageReader.read`.

        `sent` is called with the first host before the service is asked, and with each other one that the
        service is about to ask, as it reports them. A caller that is cancelled has been given all that were
        asked by then.

        Raises:
            ServiceAbsent: there is no service: nothing takes a connection, or there is no token.
            ServiceDown: it broke off, or nothing takes a connection where it was a while ago.
            ServiceTimeout: no connection came about in time.
            ServiceRefused: it does not take the token, goes another way to the web than
                `reader.proxy` says, or cannot serve at all.
            ServiceProtocolError: an answer that is not the reader service's, or that does not prove that
                it knows the token. The token itself is sent to nobody.
        """
        started = perf_counter()
        missing = partial(missing_page, url, started=started, by=SERVED_BY)
        at, limit_s = url, self._settings.page_timeout_s
        begun = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(begun + limit_s) as limit:

                def taken_on() -> None:
                    # The service is at work, and limits itself; its machine may be busy.
                    nonlocal limit_s
                    if not limit.expired():
                        limit_s = self._settings.page_deadline_s
                        limit.reschedule(begun + limit_s)

                target = judge_url(url, extra_ports=self._settings.extra_ports)
                at = target.url
                await self._judge_name(target)
                reply = await self._ask(target, known, sent, taken_on)
        except RefusedAddress as exc:
            return missing(at, PageReason.REFUSED_ADDRESS, message_of(exc))
        except TimeoutError:
            detail = Message("The page took the reader service longer than {n} seconds.", n=limit_s)
            return missing(at, PageReason.TIMED_OUT, detail)
        page = page_of(reply, known, self._address)
        return replace(page, url=url, elapsed_ms=elapsed_ms(started))

    async def _judge_name(self, target: PageTarget) -> None:
        """Judge what a name leads to, unless only the proxy may be asked that."""
        if self._proxy or literal_address(target.host) is not None:
            return
        try:
            endpoints = await self._resolver.resolve(target.host, target.port)
        except (OSError, UnicodeError):
            return  # the service may know it; if not, it has the words for that
        for endpoint in endpoints:
            if not endpoint.trusted:
                judge_address(target.host, endpoint.address)

    async def _ask(
        self, target: PageTarget, known: Page | None, sent: Sent, taken_on: Callable[[], None]
    ) -> ReadReply:
        request = ReadRequest.of(target.url, known, self._proxy)
        auth = self._auth()
        note = _Note(target.url, self._through, sent, taken_on)
        body = request.model_dump_json().encode()
        waits_until = perf_counter() + min(RESTART_S, self._settings.page_timeout_s / 2)
        while True:
            exchange = ReaderExchange(
                self._client, self._address, leaving=note.first, on_request=note.asked
            )
            try:
                reply = await exchange.ask(body, auth)
            except (ServiceAbsent, ReaderHungUp) as exc:
                if isinstance(exc, ServiceAbsent) and self._is_gone():
                    raise
                if perf_counter() >= waits_until:
                    raise ServiceDown(exc.service, exc.address, exc.problem, fix=exc.fix) from exc
                pause_s = KNOCK_S
            else:
                if isinstance(reply, ReadReply):
                    return reply
                pause = reply.pause_s()
                if pause is None:
                    raise reply.error()
                pause_s = pause
            finally:
                if exchange.accepted:
                    self._last_seen.note()
            await asyncio.sleep(pause_s)

    def _is_gone(self) -> bool:
        """Whether a refused connection means that there is no service, and not that it is restarted:
        a page that it died over is not to choose where the next ones are read.
        """
        return self._last_seen.seconds_ago() > GONE_S

    def _auth(self) -> ServiceAuth:
        address = self._address
        auth = auth_of(self._token_file, SERVICE, address)
        if auth is None:
            problem = Message(
                "There is no token for the reader service at {address}.", address=address
            )
            fix = Remedy("`askance up` creates one and starts the service.", command="askance up")
            raise ServiceAbsent(SERVICE, address, problem, fix=fix)
        return auth


class FallbackReader:
    """A `PageReader` that asks a first one, and a second one where the first is not there.

    Not there is what no page has a part in. Every other error is the page's: one that broke the
    first reader is not read by the second, and the next one is asked of the first again.
    """

    def __init__(self, first: PageReader, second: PageReader) -> None:
        self._first = first
        self._second = second

    async def read(self, url: str, *, sent: Sent, known: Page | None = None) -> Page:
        """Read one page. See `PageReader.read`."""
        try:
            return await self._first.read(url, sent=sent, known=known)
        except ServiceAbsent as exc:
            page = await self._second.read(url, sent=sent, known=known)
            message = Message(
                "{problem}; pages are read in this program meanwhile.", problem=exc.problem.clause()
            )
            return replace(page, fallback=Message.joined(message, exc.fix))


class ContainerOnlyReader:
    """A `PageReader` that asks one reader, and says so where that one is not there."""

    def __init__(self, reader: PageReader) -> None:
        self._reader = reader

    async def read(self, url: str, *, sent: Sent, known: Page | None = None) -> Page:
        """Read one page. See `PageReader.read`."""
        try:
            return await self._reader.read(url, sent=sent, known=known)
        except ServiceAbsent as exc:
            problem = Message(
                "{problem}; no page is read outside the container.",
                problem=exc.problem.clause(),
            )
            raise ServiceAbsent(exc.service, exc.address, problem, fix=exc.fix) from exc


class LastSeen:
    """When the service last answered, whichever program of this user: a file's time of change."""

    def __init__(self, file: Path | None = None) -> None:
        """The file need not exist, nor be writable: this program's own memory then has to do."""
        self._file = file
        self._own = -math.inf

    def note(self) -> None:
        """Note that the service has answered."""
        self._own = time.monotonic()
        if self._file is None:
            return
        with suppress(OSError):
            try:
                os.utime(self._file)
            except FileNotFoundError:
                claim_folder(self._file.parent)
                os.close(create_file(self._file))

    def seconds_ago(self) -> float:
        """Return how long ago that was, in seconds; infinite if it is not known."""
        own = time.monotonic() - self._own
        if self._file is None:
            return own
        try:
            others = time.time() - self._file.stat().st_mtime
        except OSError:
            return own
        # One that lies ahead is of a clock that has been set since.
        return min(own, others) if others >= 0 else own


def _through(address: str, proxy: str) -> Message:
    distant = distant_host_of(address)
    reader = Message("the reader service at {host}", host=distant) if distant else SERVED_BY
    if not proxy:
        return reader
    return Message.joined(reader, Message("the proxy {address}", address=proxy), by=", ")


class _Note:
    """Reports the requests for one page: the first host before the service is asked."""

    def __init__(
        self, url: str, through: Message, sent: Sent, taken_on: Callable[[], None]
    ) -> None:
        self._sending = RequestSent(Sending.PAGE, urlsplit(url).netloc, through, url)
        self._sent = sent
        self._taken_on = taken_on
        self._is_reported = self._repeated = False

    def first(self) -> None:
        """The service is about to be asked. So nothing is noted that found nobody to go to."""
        if not self._is_reported:
            self._is_reported = True
            self._sent(self._sending)

    def asked(self, asked: OutgoingRequest) -> None:
        """The service is about to ask a host; the first one has been reported already."""
        self._taken_on()
        sending = asked.sending(self._sending.through)
        if sending.content == self._sending.content and not self._repeated:
            self._repeated = True
            return
        self._sent(sending)
