"""The page reader in its container, as this program asks it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from askance.adapters.http import service_client
from askance.adapters.reader.addresses import (
    RefusedAddress,
    Target,
    judge_address,
    judge_url,
    literal_address,
)
from askance.adapters.reader.protocol import (
    LONGEST_REPLY,
    READ_PATH,
    ReadReply,
    ReadRequest,
)
from askance.adapters.reader.resolver import Resolver
from askance.adapters.reader.service_reply import (
    SERVED_BY,
    SERVICE,
    Reply,
    not_the_service,
    page_of,
)
from askance.config.settings import ReaderSettings
from askance.domain.errors import ServiceDown, ServiceRefused, SettingsError
from askance.domain.events import RequestSent, Sending
from askance.domain.web import Page, PageReason, PageStatus, bare_proxy, distant_host_of
from askance.ports.outbound import Sent

CONNECT_TIMEOUT_S = 2.0
_RENEW = "`askance up` renews it."
_LOGS = "`askance up` starts it; `askance logs reader` says why it failed."


class ServiceReader:
    """A `PageReader` on the reader service. An async context manager: it holds a client.

    Every address is judged here before the service hears of it, so that a mistake in either
    program alone opens no way into the user's network. Each page has a connection of its own:
    closing it is how a page is given up, and one that was kept could be closed by the service in
    the moment of its next use.
    """

    def __init__(self, settings: ReaderSettings, token_file: Path, resolver: Resolver) -> None:
        """The token is read for each page: `askance up` may renew it while this program runs.

        Raises:
            SettingsError: reader.url is not an address.
        """
        self._settings = settings
        self._token_file = token_file
        self._resolver = resolver
        self._proxy = bare_proxy(settings.proxy)
        self._through = _through(settings.url, self._proxy)
        try:
            self._client = service_client(settings.url, connect_timeout_s=CONNECT_TIMEOUT_S)
        except httpx.InvalidURL as exc:
            raise SettingsError(f"reader.url = {settings.url!r} is not an address: {exc}.") from exc

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._client.aclose()

    async def read(self, url: str, *, sent: Sent, known: Page | None = None) -> Page:
        """Read one page. A page that cannot be read is a value. See `PageReader.read`.

        `sent` is told of the first host before the service is, and of the hosts that the page
        redirects to with the service's reply.

        Raises:
            ServiceDown: nothing answers at the address, or it hung up.
            ServiceRefused: it does not take the token, goes another way to the web than
                `reader.proxy` says, or cannot serve at all. Or there is no token.
            ServiceNonsense: an answer that is not the reader service's.
        """
        started = perf_counter()
        at, limit_s = url, self._settings.page_timeout_s
        try:
            async with asyncio.timeout(limit_s):
                target = judge_url(url, extra_ports=self._settings.extra_ports)
                at = target.url
                await self._judge_name(target)
                reply = await self._ask(target, known, sent)
        except RefusedAddress as exc:
            return _missing(url, at, PageReason.REFUSED_ADDRESS, str(exc), started)
        except TimeoutError:
            detail = f"The page took the reader service longer than {limit_s:g} seconds."
            return _missing(url, at, PageReason.TIMED_OUT, detail, started)
        for number, request in enumerate(reply.sendings(self._through)):
            if number > 0 or request.content != target.url:
                sent(request)
        page = page_of(reply, known, self._settings.url)
        return replace(page, url=url, elapsed_ms=_elapsed_ms(started))

    async def _judge_name(self, target: Target) -> None:
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

    async def _ask(self, target: Target, known: Page | None, sent: Sent) -> ReadReply:
        request = ReadRequest.of(target.url, known, self._proxy)
        headers = {
            "Authorization": f"Bearer {self._token()}",
            "Content-Type": "application/json",
            "Connection": "close",
        }
        sending = RequestSent(Sending.PAGE, urlsplit(target.url).netloc, self._through, target.url)
        before = _once(lambda: sent(sending))
        body = request.model_dump_json().encode()
        while True:
            reply = await self._post(body, headers, before)
            if (read := reply.read()) is not None:
                return read
            if (pause_s := reply.pause_s()) is None:
                raise reply.refusal()
            await asyncio.sleep(pause_s)

    async def _post(self, body: bytes, headers: Mapping[str, str], before: _Trace) -> Reply:
        address = self._settings.url
        try:
            async with self._client.stream(
                "POST", READ_PATH, content=body, headers=headers, extensions={"trace": before}
            ) as response:
                received = bytearray()
                async for chunk in response.aiter_bytes():
                    received += chunk
                    if len(received) > LONGEST_REPLY:
                        raise not_the_service(address, "its answer does not end")
        except (httpx.ConnectError, httpx.ConnectTimeout) as exc:
            problem = f"Nothing answers at {address}, where the reader service should be ({exc})."
            raise ServiceDown(SERVICE, address, problem, fix=_LOGS) from exc
        except httpx.DecodingError as exc:
            raise not_the_service(address, str(exc)) from exc
        except httpx.TransportError as exc:
            # What is cut off and what never was HTTP differ in httpx by their wording alone.
            why = str(exc).removesuffix(".") or type(exc).__name__
            problem = f"The reader service at {address} broke off its answer ({why})."
            raise ServiceDown(SERVICE, address, problem, fix=_LOGS) from exc
        return Reply(address, response.status_code, response.headers, bytes(received))

    def _token(self) -> str:
        address = self._settings.url
        try:
            token = self._token_file.read_text("ascii").strip()
        except FileNotFoundError as exc:
            problem = f"There is no token for the reader service at {address}."
            fix = "`askance up` makes one, and starts the service."
            raise ServiceRefused(SERVICE, address, problem, fix=fix) from exc
        except (OSError, UnicodeError) as exc:
            problem = f"The token of the reader service cannot be read from {self._token_file}."
            raise ServiceRefused(SERVICE, address, problem, fix=_RENEW) from exc
        if not token or not token.isprintable():
            problem = f"There is no token of the reader service in {self._token_file}."
            raise ServiceRefused(SERVICE, address, problem, fix=_RENEW)
        return token


def _through(address: str, proxy: str) -> str:
    place = f" at {distant}" if (distant := distant_host_of(address)) else ""
    return f"{SERVED_BY}{place}, the proxy {proxy}" if proxy else f"{SERVED_BY}{place}"


_Trace = Callable[[str, Mapping[str, Any]], Awaitable[None]]


def _once(tell: Callable[[], None]) -> _Trace:
    """Return what httpcore tells of its steps: the first time that it has a connection and is about
    to write to it, `tell` is called. So nothing is noted that found nobody to go to.
    """
    told = False

    async def trace(step: str, _info: Mapping[str, Any]) -> None:
        nonlocal told
        if step == "http11.send_request_headers.started" and not told:
            told = True
            tell()

    return trace


def _missing(url: str, final_url: str, reason: PageReason, detail: str, started: float) -> Page:
    return Page(
        url=url,
        status=PageStatus.FAILED,
        reason=reason,
        detail=detail,
        final_url=final_url,
        elapsed_ms=_elapsed_ms(started),
        fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
        served_by=SERVED_BY,
    )


def _elapsed_ms(started: float) -> int:
    return round((perf_counter() - started) * 1000)
