"""Keeping the runs of one conversation while they are shown."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from typing import get_args

from askance.domain.errors import StoreUnusable
from askance.domain.events import Cancelled, RunEnd, RunEvent
from askance.domain.history import ExchangeKey, TimedEvent
from askance.domain.messages import Message
from askance.ports.history import History

Emit = Callable[[RunEvent], None]
Show = Callable[[TimedEvent], None]

HOLD_S = 0.5
"""How long the end of a run waits at most until it is kept."""


class Recorder:
    """Keeps what is asked in one conversation, run by run, beside the event loop.

    A run is worth more than its record: it never waits for a file that another process holds. Where
    it cannot be kept, `trouble` is called with one plain sentence, the same one only once, and the
    run goes on. Without a history nothing is kept. `conversation` is the number under which the
    conversation is kept, None before its first question is; set, it goes on with an older one.
    """

    def __init__(
        self,
        history: History | None,
        trouble: Callable[[str], None],
        *,
        conversation: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.conversation = conversation
        self._history = history
        self._trouble = trouble
        self._told: set[str] = set()
        self._clock = clock
        # One thread: what is asked first is kept first.
        self._writer = ThreadPoolExecutor(1, "history")

    def begin_anew(self) -> None:
        """Let the next question begin a new conversation."""
        self.conversation = None

    @asynccontextmanager
    async def recorded(
        self, command: str, text: str, show: Show, *, quote: str = ""
    ) -> AsyncGenerator[Emit]:
        """Keep a question, and give an `emit` that keeps its run as well.

        Each event is shown with the second of the run under which it is kept. The end is shown when
        the context is left and the run is kept, or `HOLD_S` later: what was seen to end is there
        again after a crash. A run that was cancelled, or left without an end, is forgotten with its
        question.
        """
        keeping = _Keeping(self._history, command, text, quote) if self._history else None
        if keeping is not None:
            self._writer.submit(self._begin, keeping)
        events: list[TimedEvent] = []
        began = self._clock()

        def emit(event: RunEvent) -> None:
            timed = TimedEvent(self._clock() - began, event)
            events.append(timed)
            if not _is_kept_end(event):
                show(timed)

        try:
            yield emit
        finally:
            is_kept = bool(events) and _is_kept_end(events[-1].event)
            try:
                if keeping is not None:
                    await self._settled(keeping, events if is_kept else None)
            finally:
                if is_kept:
                    show(events[-1])

    def _begin(self, keeping: _Keeping) -> None:
        if keeping.begin(self.conversation):
            self.conversation = keeping.key.conversation if keeping.key else None

    async def _settled(self, keeping: _Keeping, events: list[TimedEvent] | None) -> None:
        settling = asyncio.wrap_future(self._writer.submit(keeping.settle, events))
        settling.add_done_callback(self._tell)
        try:
            await _a_while(settling)
        except asyncio.CancelledError:
            # The history is closed behind this: what can still be kept of it is.
            await _a_while(settling)
            raise

    def _tell(self, settling: asyncio.Future[StoreUnusable | None]) -> None:
        problem = None if settling.cancelled() else settling.result()
        if problem is None:
            return
        sentence = Message("This conversation is not kept: {problem}", problem=problem)
        if sentence not in self._told:
            self._told.add(sentence)
            self._trouble(sentence)


class _Keeping:
    """One question and its run on the way into the history. It blocks: the writer's thread does it."""

    def __init__(self, history: History, command: str, text: str, quote: str) -> None:
        self._history = history
        self._asked = command, text, quote
        self._problem: StoreUnusable | None = None
        self.key: ExchangeKey | None = None

    def begin(self, conversation: int | None) -> bool:
        """Keep the question; False if that cannot be done."""
        try:
            self.key = self._history.begin_exchange(conversation, *self._asked)
        except StoreUnusable as exc:
            self._problem = exc
        return self.key is not None

    def settle(self, events: list[TimedEvent] | None) -> StoreUnusable | None:
        """Keep the run, or forget the question if there are no events; return what went wrong."""
        if self.key is None:
            return self._problem
        try:
            if events is None:
                self._history.drop_exchange(self.key)
            else:
                self._history.finish_exchange(self.key, events)
        except StoreUnusable as exc:
            return exc
        return None


async def _a_while(settling: asyncio.Future[StoreUnusable | None]) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(HOLD_S):
            await asyncio.shield(settling)


def _is_kept_end(event: RunEvent) -> bool:
    return isinstance(event, get_args(RunEnd)) and not isinstance(event, Cancelled)
