"""Unpacking a page as it streams in, never further than it may be long."""

from __future__ import annotations

import zlib
from typing import Protocol

from askance.domain.messages import Message

_GZIP_MARK = b"\x1f\x8b"
_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_LONGEST_HEAD = 64 * 1024
_PACKINGS = frozenset({"", "identity", "gzip", "x-gzip", "deflate"})


class TooLong(Exception):
    """The page is longer than allowed."""


class Damaged(Exception):
    """The packed bytes cannot be unpacked, or are packed in a way that was not offered."""


class _Inflater(Protocol):
    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class Unpacker:
    """Collects a page's bytes up to `limit`, unpacking them as `encoding`, in lower case, says.

    A few kilobytes on the wire can hold gigabytes, so that each step is bounded, not only their
    sum; only one layer of packing is taken off; and packed bytes that hold nothing count as well.
    """

    def __init__(self, encoding: str, limit: int) -> None:
        """Raise Damaged for a packing that was not offered to the server."""
        self._encoding = encoding.strip()
        if self._encoding not in _PACKINGS:
            raise Damaged(
                Message(
                    "The page is packed as {said}, which was not asked for.", said=repr(encoding)
                )
            )
        self._limit = limit
        self._data = bytearray()
        self._packed_bytes = 0
        self._inflate: _Inflater | None = None
        self._begun = False

    @property
    def data(self) -> bytes:
        """All that has come so far."""
        return bytes(self._data)

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes from the wire.

        Raises:
            TooLong: the page is longer than the limit.
            Damaged: the bytes are not what the header says.
        """
        if not self._begun and chunk:
            self._begun = True
            self._inflate = self._inflater(chunk)
        self._packed_bytes += len(chunk)
        room = self._limit - len(self._data)
        if self._inflate is None:
            self._data += chunk[: room + 1]
        elif not self._inflate.eof:  # what follows the end is kept by zlib, and nobody reads it
            try:
                self._data += self._inflate.decompress(chunk, room + 1)
            except zlib.error as exc:
                raise Damaged(Message("The packed page is damaged.")) from exc
        # Packing makes nothing longer than by a few bytes in each block, and a head.
        if max(len(self._data), self._packed_bytes - _LONGEST_HEAD) > self._limit:
            raise TooLong

    def _inflater(self, start: bytes) -> _Inflater | None:
        """Servers say gzip for bytes that are not packed, and deflate for two formats."""
        match self._encoding:
            case "gzip" | "x-gzip" if start.startswith(_GZIP_MARK[: len(start)]):
                return zlib.decompressobj(_GZIP_WINDOW)
            case "deflate" if start[0] & 0x0F == zlib.DEFLATED:
                return zlib.decompressobj()
            case "deflate":
                return zlib.decompressobj(-zlib.MAX_WBITS)
            case _:
                return None
