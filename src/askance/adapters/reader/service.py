"""The page reader in its container, as this program asks it, and what happens where it is not there.

Each page is one request, whose reply is read line by line: hosts that the service is about to ask, then the page.
"""

from __future__ import annotations

import asyncio
import math
import os
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from pathlib import Path
from time import perf_counter
from typing import Any, Self
from urllib.parse import urlsplit

import httpx
from pydantic import ValidationError

from askance.adapters.network.guarded_http import reason_of, service_client
from askance.adapters.network.own_services import ServiceAuth, auth_of, distant_host_of
from askance.adapters.reader.inprocess import elapsed_ms, missing_page, refuse_left_out
from askance.adapters.reader.network import (
    PageTarget,
    RefusedAddress,
    Resolver,
    judge_address,
    judge_url,
    literal_address,
)
from askance.adapters.reader.reader_protocol import (
    LONGEST_ASKED_LINE,
    LONGEST_REPLY,
    MOST_ASKED,
    READ_PATH,
    ErrorReply,
    OutgoingRequest,
    ReadReply,
    ReadRequest,
    Refusal,
    ReplyLine,
)
from askance.config.private_files import claim_folder, create_file
from askance.config.settings import ReaderSettings
from askance.domain.addresses import bare_address
from askance.domain.errors import (
    ServiceAbsent,
    ServiceDown,
    ServiceProtocolError,
    ServiceRefused,
    ServiceTimeout,
)
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message, Remedy, message_of
from askance.domain.ports.web import Sent
from askance.domain.web_pages import WHOLE_WEB, Page, PageReason, PageStatus, SearchScope

SERVICE = "page reader"
SERVED_BY = Message("the reader service")
NOT_UNDERSTOOD = Message("its answer is not understood")
# A busy service says how long to wait; nothing is asked for more often than this.
SHORTEST_PAUSE_S = 0.1
_USUAL_PAUSE_S = 1.0
LOGS = Remedy(
    "`askance up` starts it; `askance logs reader` says why it failed.", command="askance up"
)
_LONGEST_REFUSAL = 64 * 1024
# What a service that works needs to say its last word; one that hangs is left to itself.
# On two busy cores it took 36 ms in the median and 170 at the most
# (docs/decisions/0012-reading-outside-the-container.md).
LAST_WORD_S = 0.5
# One page a connection: closing it is how a page is given up.
_HEADERS = {"Content-Type": "application/json", "Connection": "close"}


class ReaderHungUp(ServiceDown):
    """The service took the connection, and ended it before it took the page on."""


class ReaderExchange:
    """Asks the service for one page.

    `leaving` is called when there is a connection and the request is about to go out, `on_request` with
    each host that the service is about to ask. `accepted` says whether there was a connection.
    """

    def __init__(
        self,
        client: httpx.AsyncClient,
        address: str,
        *,
        leaving: Callable[[], None],
        on_request: Callable[[OutgoingRequest], None],
    ) -> None:
        self._client = client
        self._address = address
        self._leaving = leaving
        self._on_request = on_request
        self._connection: Any = None
        self._taken_on = False

    @property
    def accepted(self) -> bool:
        """Whether something took the connection."""
        return self._connection is not None

    async def ask(self, body: bytes, auth: httpx.Auth) -> ReadReply | Turned:
        """Return what became of the page, or that it was turned away.

        A caller that is cancelled gets its cancellation after the service's last word: what was
        asked on the web until then has been reported.

        Raises:
            ServiceAbsent: nothing takes a connection at the address.
            ReaderHungUp: the connection ended before the page was taken on.
            ServiceDown: it ended over the page.
            ServiceTimeout: no connection came about in time.
            ServiceProtocolError: this is not an answer of the reader service.
        """
        async with asyncio.TaskGroup() as group:
            # In a task of its own, which goes on when the caller is cancelled. It raises nothing:
            # an error would come out of the group wrapped in another.
            asking = group.create_task(self._settled(body, auth))
            try:
                await asyncio.wait({asking})
            except asyncio.CancelledError:
                self._hang_up()
                await asyncio.wait({asking}, timeout=LAST_WORD_S if self.accepted else 0)
                asking.cancel()
                raise
        outcome = asking.result()
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def _settled(self, body: bytes, auth: httpx.Auth) -> ReadReply | Turned | Exception:
        try:
            return await self._asked(body, auth)
        except Exception as exc:  # noqa: BLE001 - raised again by `ask`
            return exc

    async def _asked(self, body: bytes, auth: httpx.Auth) -> ReadReply | Turned:
        sending = self._client.stream(
            "POST",
            READ_PATH,
            content=body,
            headers=_HEADERS,
            auth=auth,
            extensions={"trace": self._trace},
        )
        try:
            async with sending as response:
                return await self._answer(response)
        except httpx.ConnectTimeout as exc:
            raise ServiceTimeout(SERVICE, self._address, self._silence(exc), fix=LOGS) from exc
        except httpx.TransportError as exc:
            raise self._loss(exc) from exc
        except httpx.DecodingError as exc:
            raise not_the_service(self._address, NOT_UNDERSTOOD) from exc

    async def _answer(self, response: httpx.Response) -> ReadReply | Turned:
        if response.status_code != HTTPStatus.OK:
            body = await self._whole(response)
            return turned_away(self._address, response.status_code, response.headers, body)
        self._taken_on = True
        lines, size = ReplyLines(self._address), 0
        end: ReadReply | Turned | None = None
        async for chunk in response.aiter_raw():
            size += len(chunk)
            if size > LONGEST_REPLY:
                break
            for line in lines.feed(chunk):
                if end is not None:
                    raise not_the_service(self._address, NOT_UNDERSTOOD)
                if line.asked is not None:
                    self._on_request(line.asked)
                else:
                    # Not believed yet: the proof of the whole answer comes behind it.
                    end = end_of(line, self._address)
        if end is None or size > LONGEST_REPLY:
            why = Message("its answer does not end") if size > LONGEST_REPLY else NOT_UNDERSTOOD
            raise not_the_service(self._address, why)
        return end

    async def _whole(self, response: httpx.Response) -> bytes:
        body = bytearray()
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > _LONGEST_REFUSAL:
                raise not_the_service(self._address, Message("its answer does not end"))
        return bytes(body)

    async def _trace(self, step: str, info: Mapping[str, Any]) -> None:
        """What httpcore tells of its steps."""
        if step == "connection.connect_tcp.complete":
            # httpx gives no access to its socket, whose sending side `_hang_up` closes.
            self._connection = info["return_value"]
        elif step == "http11.send_request_headers.started":
            self._leaving()

    def _hang_up(self) -> None:
        """Close the sending side: the service gives the page up, and can still say what it did."""
        if self._connection is not None:
            with suppress(OSError):
                self._connection.get_extra_info("socket").shutdown(socket.SHUT_WR)

    def _loss(self, error: Exception) -> ServiceDown:
        if not self.accepted:
            return ServiceAbsent(SERVICE, self._address, self._silence(error), fix=LOGS)
        # What is cut off and what never was HTTP differ in httpx by their wording alone.
        why = message_of(error).clause() or type(error).__name__
        problem = Message(
            "The reader service at {address} broke off its answer ({said}).",
            address=self._address,
            said=why,
        )
        kind = ServiceDown if self._taken_on else ReaderHungUp
        return kind(SERVICE, self._address, problem, fix=LOGS)

    def _silence(self, error: Exception) -> str:
        address = self._address
        return Message(
            "Nothing answers at {address}, where the reader service should be ({said}).",
            address=address,
            said=reason_of(error),
        )


@dataclass(frozen=True, slots=True)
class Turned:
    """The service turns a page away, or gives up one that it had `taken_on`. `status` is HTTP's."""

    address: str
    code: Refusal
    status: int
    retry_after: str = ""
    taken_on: bool = False

    def pause_s(self) -> float | None:
        """Return the seconds after which to ask again; None where asking again is in vain.

        A service that has no room, or is ending, may have or be another one soon. Nobody waits for
        one that had begun with the page: it is not to be read twice.
        """
        if self.taken_on or self.code not in {Refusal.BUSY, Refusal.STOPPING}:
            return None
        asked = self.retry_after
        return max(SHORTEST_PAUSE_S, float(asked)) if asked.isdecimal() else _USUAL_PAUSE_S

    def error(self) -> ServiceDown | ServiceRefused:
        """Return why the service does not serve us."""
        kind = ServiceRefused
        match self.code:
            case Refusal.STARTING | Refusal.STOPPING | Refusal.BUSY:
                # Its own processes do not run now: it is there, and no page can be waited for.
                kind = ServiceDown
                message, fix = (
                    Message("does not work at the moment"),
                    Message("`askance logs reader` says why."),
                )
            case Refusal.PROXY_MISMATCH:
                message = Message("uses another proxy than reader.proxy says")
                fix = Remedy("`askance up` applies the proxy.", command="askance up")
            case Refusal.INTERNAL:
                message = Message("failed unexpectedly")
                fix = Message("`askance logs reader` says why.")
            case code:
                message = Message(
                    "refuses what this program asks ({said}, HTTP {status})",
                    said=code,
                    status=str(self.status),
                )
                fix = Remedy("`askance up` updates both to one version.", command="askance up")
        problem = Message(
            "The reader service at {address} {said}.", address=self.address, said=message
        )
        return kind(SERVICE, self.address, problem, fix=fix)


def turned_away(address: str, status: int, headers: Mapping[str, str], body: bytes) -> Turned:
    """Return what an answer means whose status is not 200."""
    try:
        code = Refusal(ErrorReply.model_validate_json(body).error.code)
    except ValueError as exc:
        raise not_the_service(
            address, Message("it answers with HTTP {status}", status=str(status))
        ) from exc
    return Turned(address, code, status, headers.get("Retry-After", ""))


class ReplyLines:
    """Parts an answer of status 200 into its lines, in a time that grows with its length alone."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._rest = bytearray()
        self._asked = 0

    def feed(self, data: bytes) -> list[ReplyLine]:
        """Return the lines that these bytes complete."""
        if b"\n" not in data:
            self._rest += data
            return []
        # At most as many lines as are allowed: the rest stays one piece, which does not parse.
        first, *others = data.split(b"\n", MOST_ASKED + 1)
        whole = [bytes(self._rest + first), *others]
        self._rest = bytearray(whole.pop())
        return [self._parsed(line) for line in whole]

    def _parsed(self, line: bytes) -> ReplyLine:
        try:
            parsed = ReplyLine.model_validate_json(line)
        except ValidationError as exc:
            raise not_the_service(self._address, Message.verbatim(_first_of(exc))) from exc
        if [parsed.asked, parsed.page, parsed.error].count(None) != len(ReplyLine.model_fields) - 1:
            raise not_the_service(self._address, NOT_UNDERSTOOD)
        if parsed.asked is not None:
            self._asked += 1
            if self._asked > MOST_ASKED or len(line) > LONGEST_ASKED_LINE:
                raise not_the_service(self._address, Message("it asks too many hosts for one page"))
        return parsed


def end_of(line: ReplyLine, address: str) -> ReadReply | Turned | None:
    """Return what a line ends the answer with; None where it goes on."""
    if line.error is None:
        return line.page
    try:
        return Turned(address, Refusal(line.error.code), 200, taken_on=True)
    except ValueError as exc:
        raise not_the_service(address, NOT_UNDERSTOOD) from exc


def page_of(reply: ReadReply, known: Page | None, address: str) -> Page:
    """Return the page of a reply. Its text is foreign anyway; the rest must be as agreed."""
    try:
        page = reply.page(known=known, served_by=SERVED_BY)
    except ValueError as exc:
        raise not_the_service(address, message_of(exc)) from exc
    if page.status is PageStatus.OK and not page.final_url.startswith(("http://", "https://")):
        raise not_the_service(address, Message("a page comes from no address of the web"))
    if bool(page.markdown) is not (page.status is PageStatus.OK):
        raise not_the_service(address, NOT_UNDERSTOOD)
    return page


def not_the_service(address: str, why: Message) -> ServiceProtocolError:
    """Return the error for an answer that the reader service does not give."""
    problem = Message(
        "What answers at {address} is not this reader: {problem}.",
        address=address,
        problem=why.clause(),
    )
    fix = Remedy(
        "`askance up` updates it to this version; reader.url says where it is.",
        command="askance up",
    )
    return ServiceProtocolError(SERVICE, address, problem, fix=fix)


def _first_of(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "its answer"
    return f"{where}: {first['msg']}"


CONNECT_TIMEOUT_S = 2.0
# A crashed service is back within so many seconds, as a rule. A page waits no longer, nor for more
# than half of its own time.
# After one was killed over a page, the next ones came after 2.6 to 3.2 s
# (docs/decisions/0012-reading-outside-the-container.md).
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

    async def read(
        self, url: str, *, sent: Sent, known: Page | None = None, scope: SearchScope = WHOLE_WEB
    ) -> Page:
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

                target = judge_url(url)
                at = target.url
                refuse_left_out(target, scope)
                await self._judge_name(target)
                reply = await self._ask(target, known, scope, sent, taken_on)
        except RefusedAddress as exc:
            return missing(at, PageReason.REFUSED_ADDRESS, message_of(exc))
        except TimeoutError:
            detail = Message("The page took the reader service longer than {n} seconds.", n=limit_s)
            return missing(at, PageReason.TIMED_OUT, detail)
        page = page_of(reply, known, self._address)
        return replace(page, url=url, elapsed_ms=elapsed_ms(started))

    async def _judge_name(self, target: PageTarget) -> None:
        """Judge what a name leads to, unless only the proxy may be asked that."""
        # With a proxy set, a look-up would tell this network's resolver which pages are read.
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
        self,
        target: PageTarget,
        known: Page | None,
        scope: SearchScope,
        sent: Sent,
        taken_on: Callable[[], None],
    ) -> ReadReply:
        request = ReadRequest.of(target.url, known, self._proxy, scope)
        auth = self._auth()
        note = _Note(target.url, self._through, sent, taken_on)
        body = request.encoded()
        clock = asyncio.get_running_loop().time
        waits_until = clock() + min(RESTART_S, self._settings.page_timeout_s / 2)
        while True:
            exchange = ReaderExchange(
                self._client, self._address, leaving=note.first, on_request=note.asked
            )
            try:
                reply = await exchange.ask(body, auth)
            except (ServiceAbsent, ReaderHungUp) as exc:
                if isinstance(exc, ServiceAbsent) and self._is_gone():
                    raise
                if clock() >= waits_until:
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


class LastSeen:
    """When the service last answered, whichever program of this user: a file's time of change."""

    def __init__(self, file: Path | None = None) -> None:
        """The file need not exist, nor be writable: this program's own memory then has to do."""
        self._file = file
        self._own = -math.inf

    def note(self) -> None:
        """Note that the service has answered."""
        # By the monotonic clock as well: the time of the file may be set back.
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
