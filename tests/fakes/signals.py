"""Counting what a fake was asked, so that a test can wait for it instead of sleeping."""

from __future__ import annotations

import asyncio


class Tally:
    """What came in, how much of it is under way, and how it ended."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.finished: list[str] = []
        self.cancelled: list[str] = []
        self.most_at_once = 0
        self._changed = asyncio.Condition()

    @property
    def under_way(self) -> int:
        return len(self.begun) - len(self.finished) - len(self.cancelled)

    async def begin(self, name: str) -> None:
        async with self._changed:
            self.begun.append(name)
            self.most_at_once = max(self.most_at_once, self.under_way)
            self._changed.notify_all()

    async def finish(self, name: str) -> None:
        self.finished.append(name)
        async with self._changed:
            self._changed.notify_all()

    def cancel(self, name: str) -> None:
        """Note a cancellation; it must not wait, so nobody is woken."""
        self.cancelled.append(name)

    async def until_begun(self, count: int) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.begun) >= count)

    async def until_finished(self, count: int) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.finished) >= count)
