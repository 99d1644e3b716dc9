"""Which model of its server the calls go to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import aclosing, contextmanager

from askance.domain.errors import ModelMissing, ServiceError
from askance.ports.model import ModelChanged, ModelInfo, ReplyPart


class ModelChoice:
    """A model that is found once, and looked for again when a call to it has failed."""

    def __init__(self, find: Callable[[], Awaitable[ModelInfo]]) -> None:
        self._find = find
        self._found: ModelInfo | None = None
        self._finding = asyncio.Lock()

    async def info(self) -> ModelInfo:
        """Return the model. Raises what finding it raises."""
        async with self._finding:
            if self._found is None:
                self._found = await self._find()
            return self._found

    async def another(self, gone: ModelMissing, than: ModelInfo) -> ModelInfo:
        """Return the model to take now that one is not there any more, such as a deleted one.

        Raises:
            ModelMissing: the server names that one all the same, has no other, or has not the one
                that the user chose.
        """
        if self._found is than:
            self._found = None
        model = await self.info()
        if model.name == than.name:
            raise gone
        return model

    @contextmanager
    def in_use(self) -> Generator[None]:
        """Use the model. After a failure whoever asks next learns whether it is there."""
        try:
            yield
        except (ServiceError, ModelMissing):
            self._found = None
            raise


async def with_change(
    before: ModelInfo, now: ModelInfo, parts: AsyncGenerator[ReplyPart]
) -> AsyncGenerator[ReplyPart]:
    """Return the parts of a reply, and before them that another model gives it, if so."""
    async with aclosing(parts):
        if now is not before:
            yield ModelChanged(before.name, now.name)
        async for part in parts:
            yield part
