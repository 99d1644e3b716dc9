"""What is known of the services and of the engine that runs them, and their logs."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from askance.domain.ports.containers import LogLine

PROJECT = "askance"
_TIME = re.compile(r"^(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) ?")
_Item = LogLine | BaseException | None
"""A line, the end of one stream, or why it ended."""


class Blocks(Protocol):
    """A log that grows: blocks of bytes until its end, or until it is closed from outside."""

    def __iter__(self) -> Iterator[bytes]:
        """Return the blocks."""
        ...

    def close(self) -> None:
        """Stop whoever waits for a block."""
        ...


class Stream:
    """The growing log of one service, read by one thread and closed by another.

    `open_log` returns its blocks, or None where the engine has not answered yet: Podman is silent
    until a container writes its first line. It is then asked again.
    """

    def __init__(self, service: str, open_log: Callable[[], Blocks | None]) -> None:
        self.service = service
        self._open_log = open_log
        self._opened: Blocks | None = None
        self._closed = False

    def blocks(self) -> Iterator[bytes]:
        """Yield the blocks until the log ends, or is closed."""
        while self._opened is None and not self._closed:
            self._opened = self._open_log()
        if self._opened is not None and not self._closed:
            with contextlib.suppress(OSError, ValueError):  # closed under its reader
                yield from self._opened
        self.close()

    def close(self) -> None:
        """End the log for its reader. May be called from any thread, at any time, repeatedly."""
        self._closed = True
        if self._opened is not None:
            # One that has ended by itself has no socket any more.
            with contextlib.suppress(OSError, AttributeError):
                self._opened.close()


def split_log(service: str, log: bytes) -> list[LogLine]:
    """Return the lines of a log whose every line begins with its time."""
    return [_line(service, line) for line in log.decode(errors="replace").splitlines()]


async def follow_streams(streams: Sequence[Stream], emit: Callable[[LogLine], None]) -> None:
    """Hand over the lines of all streams as they come, until all have ended.

    Leaving, by cancellation or because `emit` raises, closes the streams and ends their threads.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[_Item] = asyncio.Queue()

    def put(item: _Item) -> None:
        loop.call_soon_threadsafe(queue.put_nowait, item)

    pumps = [loop.run_in_executor(None, _pump, stream, put) for stream in streams]
    try:
        running = len(pumps)
        while running:
            match await queue.get():
                case LogLine() as line:
                    emit(line)
                case None:
                    running -= 1
                case error:
                    raise error
    finally:
        for stream in streams:
            stream.close()
        await asyncio.wait(pumps)


def _pump(stream: Stream, put: Callable[[_Item], None]) -> None:
    rest = b""
    try:
        for block in stream.blocks():
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                put(_line(stream.service, line.decode(errors="replace")))
    except Exception as exc:  # noqa: BLE001 - raised again where it is waited for
        put(exc)
    else:
        put(None)


def _line(service: str, text: str) -> LogLine:
    text = text.rstrip("\r")
    found = _TIME.match(text)
    return LogLine(service, found[1], text[found.end() :]) if found else LogLine(service, "", text)
