"""One request to the reader service, over a connection of its own, and the lines that come back."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any

import httpx

from askance.adapters.network.transport import reason_of
from askance.adapters.reader.protocol import LONGEST_REPLY, READ_PATH, Asked, ReadReply
from askance.adapters.reader.service_reply import (
    NOT_UNDERSTOOD,
    SERVICE,
    Lines,
    Turned,
    end_of,
    not_the_service,
    turned_away,
)
from askance.domain.errors import ServiceAbsent, ServiceDown, ServiceSlow
from askance.domain.messages import Message, Remedy, message_of

LOGS = Remedy(
    "`askance up` starts it; `askance logs reader` says why it failed.", command="askance up"
)
_LONGEST_REFUSAL = 64 * 1024
# What a service that works needs to say its last word; one that hangs is left to itself.
LAST_WORD_S = 0.5
_HEADERS = {"Content-Type": "application/json", "Connection": "close"}


class Unanswered(ServiceDown):
    """The service took the connection, and ended it before it took the page on."""


class Exchange:
    """Asks the service for one page.

    `leaving` is called when there is a connection and the request is about to go out, `tell` with
    each host that the service is about to ask. `accepted` says whether there was a connection.
    """

    def __init__(
        self,
        client: httpx.AsyncClient,
        address: str,
        *,
        leaving: Callable[[], None],
        tell: Callable[[Asked], None],
    ) -> None:
        self._client = client
        self._address = address
        self._leaving = leaving
        self._tell = tell
        self._connection: Any = None
        self._taken_on = False

    @property
    def accepted(self) -> bool:
        """Whether something took the connection."""
        return self._connection is not None

    async def ask(self, body: bytes, auth: httpx.Auth) -> ReadReply | Turned:
        """Return what became of the page, or that it was turned away.

        A caller that is cancelled gets its cancellation after the service's last word: what was
        asked on the web until then has been told.

        Raises:
            ServiceAbsent: nothing takes a connection at the address.
            Unanswered: the connection ended before the page was taken on.
            ServiceDown: it ended over the page.
            ServiceSlow: no connection came about in time.
            ServiceNonsense: this is not an answer of the reader service.
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
            raise ServiceSlow(SERVICE, self._address, self._silence(exc), fix=LOGS) from exc
        except httpx.TransportError as exc:
            raise self._loss(exc) from exc
        except httpx.DecodingError as exc:
            raise not_the_service(self._address, NOT_UNDERSTOOD) from exc

    async def _answer(self, response: httpx.Response) -> ReadReply | Turned:
        if response.status_code != HTTPStatus.OK:
            body = await self._whole(response)
            return turned_away(self._address, response.status_code, response.headers, body)
        self._taken_on = True
        lines, size = Lines(self._address), 0
        end: ReadReply | Turned | None = None
        async for chunk in response.aiter_raw():
            size += len(chunk)
            if size > LONGEST_REPLY:
                break
            for line in lines.feed(chunk):
                if end is not None:
                    raise not_the_service(self._address, NOT_UNDERSTOOD)
                if line.asked is not None:
                    self._tell(line.asked)
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
        kind = ServiceDown if self._taken_on else Unanswered
        return kind(SERVICE, self._address, problem, fix=LOGS)

    def _silence(self, error: Exception) -> str:
        address = self._address
        return Message(
            "Nothing answers at {address}, where the reader service should be ({said}).",
            address=address,
            said=reason_of(error),
        )
