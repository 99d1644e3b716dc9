"""The end that a desktop may put to a combination while somebody listens to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from askance.domain.errors import InputError


class Loss:
    """Ends a body when its combination is lost. It belongs to one event loop."""

    def __init__(self) -> None:
        # A limit that nothing sets but a loss: the standard library then does the cancelling,
        # and tells it from one that comes from outside.
        self._limit = asyncio.timeout(None)
        self._problem: InputError | None = None

    @asynccontextmanager
    async def ends_body(self) -> AsyncGenerator[None, None]:
        """Cancel the body once a loss is told, and raise what was told."""
        try:
            async with self._limit:
                yield
        except TimeoutError:
            if self._problem is None:
                raise
            raise self._problem from self._problem.__cause__

    def tell(self, problem: InputError) -> None:
        """Say what happened; only while the body runs. The first problem counts."""
        if self._problem is None:
            self._problem = problem
            self._limit.reschedule(asyncio.get_running_loop().time())
