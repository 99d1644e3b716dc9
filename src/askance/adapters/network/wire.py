"""Connections on which no server can flood, stall or surprise whoever reads from them.

Every connection of this program's HTTP clients is one of these. What a server may send beside the
body of its reply (heads, interim replies, chunk sizes and their extensions, trailers) is bounded
here, where the bytes come in, since the HTTP library counts none of it.
"""

from __future__ import annotations

import asyncio
import ssl
from abc import ABC, abstractmethod
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

import anyio
import httpcore

from askance.domain.messages import message_of

# A head is usually below 8 KB, and Node takes none above 16 KB. One of this size in the smallest
# lines is 8,000 headers, which h11 and httpx take apart in 40 ms.
HEAD_BYTES = 32 * 1024
# A byte of the body may bring so many on the wire: chunks of two bytes are seven.
WIRE_BYTES_PER_BODY_BYTE = 4
# Whoever takes a piece apart does so in one go: in 4 KiB are 800 chunks, or 200 interim replies.
PIECE_BYTES = 4 * 1024


class BoundedStream(httpcore.AsyncNetworkStream):
    """A connection that raises httpcore's errors only, and ends a server that sends no body.

    A reply's head may take `HEAD_BYTES`, all interim replies before it included; what comes then is
    allowed by the body that was found in it, which `found` counts.
    """

    def __init__(self, inner: httpcore.AsyncNetworkStream) -> None:
        self._inner = inner
        self._room = HEAD_BYTES

    def found(self, body_bytes: int) -> None:
        """Take note of bytes that turned out to be a reply's body."""
        self._room += WIRE_BYTES_PER_BODY_BYTE * body_bytes

    async def read(
        self,
        max_bytes: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore
    ) -> bytes:
        """Read what has come, a small piece of it at most."""
        if self._room <= 0:
            raise httpcore.RemoteProtocolError("more is sent around the reply than belongs to it")
        with _mapped(httpcore.ReadError):
            data = await self._inner.read(min(max_bytes, PIECE_BYTES), timeout)
        self._room -= len(data)
        # What TLS has unpacked already is handed out without ever waiting.
        await asyncio.sleep(0)
        return data

    async def write(
        self,
        buffer: bytes,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore
    ) -> None:
        """Send bytes: those of a request, to which a new reply belongs."""
        self._room = HEAD_BYTES
        with _mapped(httpcore.WriteError):
            await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        """Close. A connection that breaks over it is closed too."""
        try:
            with _mapped(httpcore.ReadError):
                await self._inner.aclose()
        except httpcore.ReadError:
            pass

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore
    ) -> httpcore.AsyncNetworkStream:
        """Return the connection under TLS."""
        with _mapped(httpcore.ConnectError):
            return BoundedStream(await self._inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        """Return what httpcore asks about the connection itself."""
        return self._inner.get_extra_info(info)


class Backend(httpcore.AsyncNetworkBackend, ABC):
    """Makes connections as `connect` says. No client of ours chooses its own address, or options."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the interface of httpcore
        *_: object,
        **__: object,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to a host for httpcore."""
        return await self.connect(host, port, timeout)

    @abstractmethod
    async def connect(
        self, host: str, port: int, limit_s: float | None
    ) -> httpcore.AsyncNetworkStream:
        """Connect to a host within so many seconds."""


class BoundedBackend(Backend):
    """Makes bounded connections by way of another backend: httpcore's own, unless one is given."""

    def __init__(self, inner: httpcore.AsyncNetworkBackend | None = None) -> None:
        self._inner = inner or dialler()

    async def connect(
        self, host: str, port: int, limit_s: float | None
    ) -> httpcore.AsyncNetworkStream:
        """Connect to a host."""
        with _mapped(httpcore.ConnectError):
            return BoundedStream(await self._inner.connect_tcp(host, port, limit_s))


def dialler() -> httpcore.AsyncNetworkBackend:
    """Return httpcore's own way to make connections."""
    # httpcore defines the class in two ways, one for where anyio is missing.
    return cast("Any", httpcore.AnyIOBackend)()


@contextmanager
def _mapped(kind: type[httpcore.NetworkError]) -> Generator[None]:
    """What httpcore leaves as it comes: broken TLS above all, and names that no host can have."""
    try:
        yield
    except (
        OSError,  # ssl.SSLError is one
        UnicodeError,
        anyio.BrokenResourceError,
        anyio.ClosedResourceError,
        anyio.BusyResourceError,
        anyio.EndOfStream,
    ) as exc:
        raise kind(message_of(exc)) from exc
