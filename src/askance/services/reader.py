"""The page reader as a service, `python -m askance.services.reader`: the in-process reader behind HTTP.

It serves `/read`, `/healthz` and `/version`, reads so many pages at once and refuses the others with the reason, and
is started with settings, token and port.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import socket
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Coroutine, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from time import perf_counter
from typing import Any

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from askance import __version__
from askance.adapters.reader.inprocess import InProcessReader, missing_page
from askance.adapters.reader.network import Resolver, SystemResolver
from askance.adapters.reader.reader_protocol import (
    HEALTH_PATH,
    LINES_TYPE,
    LONGEST_REQUEST,
    MOST_ASKED,
    PROTOCOL,
    READ_PATH,
    READER_FAILED,
    STATUS_OF,
    VERSION_PATH,
    OutgoingRequest,
    Problem,
    ReadReply,
    ReadRequest,
    Refusal,
    ReplyLine,
    VersionReply,
)
from askance.config.folders import find_folders
from askance.config.settings import Bar, ReaderSettings
from askance.config.sources import load_settings
from askance.domain.addresses import bare_address
from askance.domain.errors import ServiceDown, SettingsError, place_of
from askance.domain.events import RequestSent
from askance.domain.messages import NOTHING
from askance.domain.ports.web import PageReader
from askance.domain.web_pages import PageReason
from askance.local_service.credentials import Token, read_token
from askance.local_service.service_process import (
    WRONG_USAGE,
    Denied,
    Guard,
    LocalServer,
    has_hung_up,
    json_reply,
    log_line,
    parser_of,
    run,
)

AT_ONCE = 20
"""So many pages are read at one time."""
# Seconds after which a client that found the service busy or starting may ask again.
RETRY_AFTER_S = 1
_LATER = frozenset({Refusal.BUSY, Refusal.STARTING})
OnRequest = Callable[[OutgoingRequest], None]


class ReadRefused(Denied):
    """A page is not read, or a request not understood."""

    def __init__(
        self, code: Refusal, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        later = {"Retry-After": str(RETRY_AFTER_S)} if code in _LATER else {}
        super().__init__(STATUS_OF[code], code, message, {**(headers or {}), **later})


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
            ReadRefused: too much is being read already, pages go another way than the client says, or
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
            # `close` may have been called since the page was taken on.
            if self._closed:
                reading.cancel()
            try:
                await asyncio.wait({reading, waiting}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                self._reading.discard(reading)
                # Whichever of the two has ended, the other one is of no use any more.
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
            page = await self._reader.read(
                wanted.url, sent=note, known=wanted.known, scope=wanted.scope
            )
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


NAME = "reader"
_log = logging.getLogger("askance.services.reader")
_HEADERS = [
    (b"content-type", LINES_TYPE.encode("ascii")),
    (b"cache-control", b"no-store"),
]
# A body is in one packet with its head, or in the next one.
_BODY_S = 5.0
# A client that is cut off while it still sends may never see the reply: so much is read and dropped.
_DRAINED = 64 * LONGEST_REQUEST


def main(
    arguments: Sequence[str] | None = None,
    environment: Mapping[str, str] = os.environ,
    *,
    resolver: Resolver | None = None,
) -> int:
    """Serve until SIGTERM or SIGINT, and return the exit code: 1 no port, 2 wrong settings."""
    does = "Reads web pages for the programs of this machine that know its token."
    parser = parser_of("askance.services.reader", does, 25018)
    parser.add_argument("--at-once", default=AT_ONCE, type=int, help="pages read at one time")
    chosen = parser.parse_args(arguments)
    try:
        settings, token = _configured(environment)
    except SettingsError as exc:
        log_line(NAME, str(exc))
        return WRONG_USAGE
    where = resolver or SystemResolver()
    return run(NAME, chosen, _log, lambda port: _serve(port, settings, token, chosen, where))


async def _serve(
    listener: socket.socket,
    settings: ReaderSettings,
    token: Token,
    chosen: argparse.Namespace,
    resolver: Resolver,
) -> None:
    reader = InProcessReader(settings, resolver=resolver)
    limiter = ReadLimiter(reader, proxy=settings.proxy, at_once=chosen.at_once)
    host, port = listener.getsockname()[:2]
    app = build_app(limiter, token=token, ready=lambda: reader.ready, hosts=[host, *chosen.name])
    server = LocalServer(app, ending=limiter.close)
    server.end_on_signals()
    async with reader:
        _log.info("Reader %s listens on %s, port %s; pages are fetched %s, %s at once.",
                  __version__, host, port, f"through {bare_address(settings.proxy)}" if settings.proxy else "directly", chosen.at_once)  # fmt: skip
        await server.serve([listener])
    counts = ", ".join(f"{name} {count}" for name, count in sorted(limiter.outcomes.items()))
    _log.info("Ended. Replies: %s.", counts or "none")


def _configured(environment: Mapping[str, str]) -> tuple[ReaderSettings, Token]:
    """Raises SettingsError: a setting is wrong, or there is no token."""
    folders = find_folders(environment)
    loaded = load_settings(folders.settings_file, environment, note=partial(log_line, NAME))
    loaded.refuse_if_barred(Bar.WEB)
    return loaded.page_reader, read_token(folders.reader_token)


def build_app(
    limiter: ReadLimiter, *, token: Token, ready: Callable[[], bool], hosts: Collection[str] = ()
) -> ASGIApp:
    """Return the service as an ASGI app.

    Only what proves that it knows the token gets to `/read`. `ready` says whether pages can be
    taken apart now; `hosts` are the names, beside loopback's, by which the service may be addressed.
    """

    async def read(request: Request) -> ASGIApp:
        wanted = await _wanted(request)
        return PageStream(limiter, wanted)

    async def health(_: Request) -> Response:
        if not ready():
            raise ReadRefused(
                Refusal.STARTING, "The processes that take pages apart are not there."
            )
        return json_reply(json.dumps({"status": "ok"}))

    async def show_version(_: Request) -> Response:
        reply = VersionReply(
            askance=__version__, protocol=PROTOCOL, trafilatura=version("trafilatura")
        )
        return json_reply(reply.model_dump_json())

    async def refuse(_: Request, exc: Exception) -> Response:
        refused = _as_refusal(exc)
        limiter.outcomes[refused.code] += 1
        return refused.reply()

    app = Starlette(
        routes=[
            Route(READ_PATH, read, methods=["POST"]),
            Route(HEALTH_PATH, health, methods=["GET"]),
            Route(VERSION_PATH, show_version, methods=["GET"]),
        ],
        exception_handlers={ReadRefused: refuse, HTTPException: refuse, Exception: refuse},
    )
    app.router.redirect_slashes = False
    return Guard(app, token=token, open_paths=(HEALTH_PATH, VERSION_PATH), hosts=hosts)


class PageStream:
    """An ASGI app that reads one page for one client."""

    def __init__(self, limiter: ReadLimiter, wanted: ReadRequest) -> None:
        self._limiter = limiter
        self._wanted = wanted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the page, and say so line by line.

        Raises:
            ReadRefused: the page is not taken on; nothing has been sent.
        """

        def on_request(asked: OutgoingRequest) -> None:
            # Nobody could be told of a host that is asked from now on.
            if has_hung_up(scope):
                raise ClientGone
            _send_now(send(_part(ReplyLine(asked=asked).encoded(), more=True)))

        async def gone() -> None:
            while not has_hung_up(scope) and (await receive())["type"] != "http.disconnect":
                pass

        with self._limiter.taking_on(self._wanted):
            # The head goes out at once: it says that the page was taken on.
            await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            last = await self._limiter.read(self._wanted, on_request=on_request, gone=gone)
            await send(_part(last, more=False))


def _as_refusal(exc: Exception) -> ReadRefused:
    match exc:
        case ReadRefused():
            return exc
        case HTTPException(status_code=404):
            return ReadRefused(Refusal.NOT_FOUND, "There is nothing at this address.")
        case HTTPException(status_code=405):
            message = "This address takes another method."
            return ReadRefused(Refusal.METHOD_NOT_ALLOWED, message, exc.headers)
        case _:
            return ReadRefused(Refusal.INTERNAL, "The service failed; its log says where.")


async def _wanted(request: Request) -> ReadRequest:
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise ReadRefused(Refusal.UNSUPPORTED_MEDIA_TYPE, "The request must be application/json.")
    try:
        async with asyncio.timeout(_BODY_S):
            body = await _body(request)
    except TimeoutError as exc:
        raise ReadRefused(Refusal.BAD_REQUEST, "The request did not come to its end.") from exc
    except ClientDisconnect as exc:
        raise ReadRefused(Refusal.BAD_REQUEST, "The request broke off.") from exc
    try:
        return ReadRequest.model_validate_json(body)
    except ValidationError as exc:
        fields = ", ".join(str(error["loc"][0]) for error in exc.errors() if error["loc"])
        where = f": {fields}" if fields else ""
        raise ReadRefused(Refusal.BAD_REQUEST, f"The request is not understood{where}.") from exc


async def _body(request: Request) -> bytes:
    body, size = bytearray(), 0
    async for chunk in request.stream():
        size += len(chunk)
        if size <= LONGEST_REQUEST:
            body += chunk
        # A body that does not end is cut off.
        if size > _DRAINED:
            break
    if size > LONGEST_REQUEST:
        message = f"The request is longer than {LONGEST_REQUEST:,} bytes."
        raise ReadRefused(Refusal.TOO_LARGE, message, {"Connection": "close"})
    return bytes(body)


def _part(body: bytes, *, more: bool) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": more}


def _send_now(sending: Awaitable[None]) -> None:
    """Send to the end before anything else of this process goes on.

    The server hands what it is given to the system at once, and waits only for a client that leaves
    its lines lying: what comes next must not leave before the client could know of it.

    Raises:
        ClientGone: the client does not read what it is sent.
    """
    steps = sending.__await__()
    try:
        next(steps)
    except StopIteration:
        return
    raise ClientGone


if __name__ == "__main__":
    sys.exit(main())
