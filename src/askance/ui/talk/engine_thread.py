"""A thread with an event loop of its own, in which the parts of the program are open. No Qt here."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager, suppress
from typing import Any

from askance.diagnostics.watching import report
from askance.domain.errors import AskanceError

Opener = Callable[[], AbstractAsyncContextManager[Any]]
Work = Callable[[Any], Coroutine[Any, Any, Any]]
Done = Callable[[asyncio.Task[Any]], None]


class EngineThread:
    """Runs coroutines over the open parts. All methods may be called from any thread.

    `opener` returns the context in which the parts are open; it is entered and left in the thread.
    Parts that cannot be opened fail the work that wants them, until `reopen` brings others.
    """

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._thread = threading.Thread(target=self._serve, name="engine")
        self._started = threading.Event()
        self._loop: asyncio.AbstractEventLoop
        self._opened: asyncio.Future[Any]
        self._opening: asyncio.Future[Any] | None = None
        self._changed: asyncio.Event
        self._waiting: set[asyncio.Task[Any]] = set()
        self._running: set[asyncio.Task[Any]] = set()
        self._closing = False

    @property
    def is_idle(self) -> bool:
        """Whether all work that was begun has ended, down to what it does behind its result."""
        return not self._waiting

    def start(self) -> None:
        """Start the thread, and begin to open the parts."""
        self._thread.start()
        self._started.wait()

    def submit(self, work: Work, done: Done) -> Callable[[], object]:
        """Begin work on the parts once they are open; return what cancels it.

        `done` is called in the thread with the ended task, which failed with the `AskanceError` of
        the parts where these cannot be opened. After `close` nothing is begun.
        """
        task: list[asyncio.Task[Any]] = []

        def begin() -> None:
            task.append(self._loop.create_task(self._through(work)))
            self._waiting.add(task[0])
            task[0].add_done_callback(self._note_end)
            task[0].add_done_callback(done)

        def cancel() -> None:
            # Called later than `begin`, so the task is there; a loop that is closed has ended it.
            self._call(lambda: [t.cancel() for t in task])

        self._call(begin)

        return cancel

    def reopen(self, opener: Opener) -> None:
        """Open other parts for all later work, once the work on these has ended."""
        self._call(lambda: self._exchange(opener))

    def close(self, within_s: float) -> bool:
        """Stop all work, close the parts and end the thread. False if that takes longer."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._end)
            self._thread.join(within_s)
        return not self._thread.is_alive()

    def _note_end(self, task: asyncio.Task[Any]) -> None:
        """Note an end. A failure is `done`'s to tell: a window that is gone by then tells nobody."""
        self._waiting.discard(task)
        if not task.cancelled():
            task.exception()

    def _call(self, step: Callable[[], object]) -> None:
        """Do something in the thread, unless its loop is closed."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(step)

    def _serve(self) -> None:
        with asyncio.Runner() as runner:
            self._loop = runner.get_loop()
            self._loop.set_exception_handler(_report)
            self._opened = self._loop.create_future()
            self._changed = asyncio.Event()
            self._started.set()
            runner.run(self._live())

    async def _live(self) -> None:
        while not self._closing:
            await self._live_once(self._opened)

    async def _live_once(self, opened: asyncio.Future[Any]) -> None:
        """Keep one set of parts open until others are wanted, or none."""
        self._changed.clear()
        self._opening = opened
        try:
            async with self._opener() as parts:
                opened.set_result(parts)
                await self._changed.wait()
                await self._settle()
        except AskanceError as exc:
            if not opened.done():
                opened.set_exception(exc)
                opened.exception()  # it need not be anybody's: work that wants the parts is told
                await self._changed.wait()
                await self._settle()

    async def _settle(self) -> None:
        """Wait for the work on these parts; where the thread ends, stop it."""
        if self._closing:
            for task in self._waiting:
                task.cancel()
        if running := self._waiting if self._closing else self._running:
            await asyncio.wait(set(running))

    def _exchange(self, opener: Opener) -> None:
        waited_for, self._opened = self._opened, self._loop.create_future()
        self._opener = opener
        if waited_for is not self._opening:
            waited_for.set_result(None)  # nobody will open it: those who wait look for the next
        self._changed.set()

    def _end(self) -> None:
        self._closing = True
        self._changed.set()

    async def _through(self, work: Callable[[Any], Coroutine[Any, Any, Any]]) -> Any:
        parts = await self._parts()
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        try:
            return await work(parts)
        finally:
            self._running.discard(task)

    async def _parts(self) -> Any:
        """Return the open parts. Those that were exchanged while this waited are closed by now."""
        while True:
            opened = self._opened
            parts = await asyncio.shield(opened)
            if opened is self._opened:
                return parts


def _report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Take note of what went wrong in a callback, or in a task whose end nobody looks at."""
    if isinstance(error := context.get("exception"), BaseException):
        report(error)
    loop.default_exception_handler(context)
