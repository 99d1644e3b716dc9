"""Keeping the runs of one conversation while they are shown."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import get_args

from askance.domain.errors import StoreUnusable
from askance.domain.events import Cancelled, RunEnd, RunEvent
from askance.domain.history import ExchangeKey, TimedEvent
from askance.ports.history import History

Emit = Callable[[RunEvent], None]
Show = Callable[[TimedEvent], None]


class Recorder:
    """Keeps what is asked in one conversation, run by run, off the event loop.

    A run is worth more than its record: where that cannot be kept, `trouble` is called with one
    plain sentence, the same one only once, and the run goes on. Without a history nothing is kept.
    `conversation` is the number under which the conversation is kept, None before its first
    question; set, it goes on with an older one.
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

    def begin_anew(self) -> None:
        """Let the next question begin a new conversation."""
        self.conversation = None

    @asynccontextmanager
    async def recorded(
        self, command: str, text: str, show: Show, *, quote: str = ""
    ) -> AsyncGenerator[Emit]:
        """Keep a question, and give an `emit` that keeps its run as well.

        Each event is shown with the second of the run under which it is kept. The end is shown when
        the context is left and the run is kept: what was seen to end is there again after a crash.
        A run that was cancelled, or left without an end, is forgotten with its question.
        """
        key = await self._begun(command, text, quote)
        if key is not None:
            self.conversation = key.conversation
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
            try:
                if key is not None:
                    await self._settled(key, events)
            finally:
                if events and _is_kept_end(events[-1].event):
                    show(events[-1])

    async def _begun(self, command: str, text: str, quote: str) -> ExchangeKey | None:
        history = self._history
        if history is None:
            return None
        begin = asyncio.get_running_loop().run_in_executor(
            None, history.begin_exchange, self.conversation, command, text, quote
        )
        try:
            return await asyncio.shield(begin)
        except StoreUnusable as exc:
            self._tell(exc)
            return None
        except asyncio.CancelledError:
            # The thread cannot be stopped: what it keeps is taken back.
            with suppress(StoreUnusable):
                await asyncio.to_thread(history.drop_exchange, await begin)
            raise

    async def _settled(self, key: ExchangeKey, events: list[TimedEvent]) -> None:
        history = self._history
        assert history is not None
        if events and _is_kept_end(events[-1].event):
            step = partial(history.finish_exchange, key, events)
        else:
            step = partial(history.drop_exchange, key)
        settling = asyncio.get_running_loop().run_in_executor(None, step)
        try:
            await asyncio.shield(settling)
        except StoreUnusable as exc:
            self._tell(exc)
        except asyncio.CancelledError:
            # The thread cannot be stopped, so whoever cancels waits until it is known what is kept.
            with suppress(StoreUnusable):
                await settling
            raise

    def _tell(self, error: StoreUnusable) -> None:
        sentence = f"This conversation is not kept: {error}"
        if sentence not in self._told:
            self._told.add(sentence)
            self._trouble(sentence)


def _is_kept_end(event: RunEvent) -> bool:
    return isinstance(event, get_args(RunEnd)) and not isinstance(event, Cancelled)
