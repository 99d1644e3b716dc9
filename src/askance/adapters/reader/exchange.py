"""One request to the reader service, and what its reply means."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import httpx
from pydantic import ValidationError

from askance.adapters.network.http import reason_of
from askance.adapters.reader.protocol import (
    LONGEST_ASKED_LINE,
    LONGEST_REPLY,
    MOST_ASKED,
    READ_PATH,
    ErrorReply,
    OutgoingRequest,
    ReadReply,
    Refusal,
    ReplyLine,
)
from askance.domain.errors import (
    ServiceAbsent,
    ServiceDown,
    ServiceProtocolError,
    ServiceRefused,
    ServiceTimeout,
)
from askance.domain.messages import Message, Remedy, message_of
from askance.domain.web import Page, PageStatus

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
LAST_WORD_S = 0.5
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
            Unanswered: the connection ended before the page was taken on.
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
