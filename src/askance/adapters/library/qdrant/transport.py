"""The guarded HTTP of `http` for libraries that block: whole replies, bounded in bytes, in shape and in time.

A library that is handed this transport sees a reply only once all of it is there and within its bounds, so that neither
it nor its JSON parser can be held up or filled by what a server sends.
"""

from __future__ import annotations

import asyncio
import re
import threading
from concurrent.futures import CancelledError
from dataclasses import dataclass
from typing import cast

import httpx

from askance.adapters.network.guarded_http import PlainTransport, service_pool

_ESCAPED = re.compile(rb"\\.", re.DOTALL)
_QUOTED = re.compile(rb'"[^"]*"')
# What is left of JSON is its quotes, and one sign for each value that a parser would make.
_DROPPED = bytes(sign for sign in range(256) if sign not in b'",[{')


class ReplyTooLarge(httpx.DecodingError):
    """A reply that has more bytes, or more values, than its bounds allow."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a reply may have: bytes as they come, values in its JSON, and seconds from the request to its end."""

    most_bytes: int
    most_values: int
    limit_s: float


class BlockingTransport(httpx.BaseTransport):
    """Carries the requests of a client that blocks over guarded connections, from any thread.

    Whatever a server does ends as an `httpx.TransportError`, or as `ReplyTooLarge`; the request's own timeouts do not count.
    """

    def __init__(self, base_url: str, bounds: Bounds, *, connect_timeout_s: float) -> None:
        self._base_url = base_url
        self._bounds = bounds
        self._connect_timeout_s = connect_timeout_s
        self._starting = threading.Lock()
        self._running: _LoopThread | None = None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request, and return its whole reply."""
        with self._starting:
            running = self._running = self._running or _LoopThread(self._base_url)
        sending = asyncio.run_coroutine_threadsafe(
            self._exchange(request, running.transport), running.loop
        )
        try:
            return sending.result()
        except CancelledError as exc:
            raise httpx.ReadError("the client was closed") from exc
        except BaseException:
            # The caller was interrupted; in the other thread the request would go on.
            sending.cancel()
            raise

    def close(self) -> None:
        """Close all connections. A later request opens others."""
        with self._starting:
            running, self._running = self._running, None
        if running is not None:
            running.end()

    async def _exchange(self, request: httpx.Request, transport: PlainTransport) -> httpx.Response:
        # The client would ask for packed replies, in which a few bytes can be gigabytes.
        outgoing = httpx.Request(
            request.method,
            request.url,
            headers=[
                *[
                    (name, value)
                    for name, value in request.headers.raw
                    if name.lower() != b"accept-encoding"
                ],
                (b"Accept-Encoding", b"identity"),
            ],
            content=request.read(),
            extensions={"timeout": {"connect": self._connect_timeout_s}},
        )
        try:
            async with asyncio.timeout(self._bounds.limit_s):
                reply = await transport.handle_async_request(outgoing)
                try:
                    pieces: list[bytes] = []
                    length, values = 0, JsonValues()
                    async for piece in cast("httpx.AsyncByteStream", reply.stream):
                        length += len(piece)
                        if (
                            length > self._bounds.most_bytes
                            or values.count(piece) > self._bounds.most_values
                        ):
                            raise ReplyTooLarge("the reply is larger than any that was asked for")
                        if b"\0" in piece:
                            # In UTF-16 what is counted could hide, and parsers read that, too.
                            raise httpx.DecodingError("the reply is not in UTF-8")
                        pieces.append(piece)
                    body = b"".join(pieces)
                finally:
                    await reply.aclose()
        except TimeoutError as exc:
            raise httpx.ReadTimeout("the whole reply did not come in time") from exc
        # httpx sets the length of the body that it is given.
        headers = [
            (name, value) for name, value in reply.headers.raw if name.lower() != b"content-length"
        ]
        return httpx.Response(reply.status_code, headers=headers, content=body, request=request)


class JsonValues:
    """Counts the values of a JSON text as it comes in, without parsing it: a few bytes of it can become a hundred."""

    def __init__(self) -> None:
        self._count = 0
        self._is_in_string = self._is_escaped = False

    def count(self, piece: bytes) -> int:
        """Take in the next piece, and return the values so far. Linear in the piece."""
        # A backslash at the end of a piece escapes the first byte of the next one.
        if self._is_escaped:
            piece, self._is_escaped = piece[1:], not piece
        piece = _ESCAPED.sub(b"", piece)
        self._is_escaped = self._is_escaped or piece.endswith(b"\\")
        marks = piece.translate(None, _DROPPED)
        if self._is_in_string:
            _, ended, marks = marks.partition(b'"')
            self._is_in_string = not ended
        outside, opened, _ = _QUOTED.sub(b"", marks).partition(b'"')
        self._is_in_string = self._is_in_string or bool(opened)
        self._count += len(outside)
        return self._count


class _LoopThread:
    """An event loop in a thread of its own, and the connections in it."""

    def __init__(self, base_url: str) -> None:
        self.transport = PlainTransport(service_pool(base_url))
        self._has_begun = threading.Event()
        self._thread = threading.Thread(target=self._run, name="blocking-http", daemon=True)
        self._thread.start()
        # Until its loop runs, no request can be handed over.
        self._has_begun.wait()

    def end(self) -> None:
        """Cancel what is under way, close the connections, and wait for that."""
        self.loop.call_soon_threadsafe(self._ended.set)
        self._thread.join()

    def _run(self) -> None:
        asyncio.run(self._until_ended())

    async def _until_ended(self) -> None:
        self.loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        self._has_begun.set()
        await self._ended.wait()
        await self.transport.aclose()
