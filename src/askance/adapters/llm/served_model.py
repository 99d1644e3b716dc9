"""What models on servers have in common: which of a server's models the calls go to, and their replies."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

from askance.adapters.llm.model_server import ModelServer, ModelStream, Served
from askance.adapters.llm.reasoning import ThoughtFilter
from askance.config.settings import LlmSettings
from askance.domain.errors import ModelMissing, ServiceError
from askance.domain.ports.model import ModelCall, ModelChanged, ModelInfo, ReplyPart


class ServedModel(Served, ABC):
    """A `ChatModel` on a server.

    The model is found once, and looked for again when a call to it has failed.
    """

    def __init__(self, settings: LlmSettings, server: ModelServer) -> None:
        super().__init__(server)
        self._settings = settings
        self._found: ModelInfo | None = None
        self._finding = asyncio.Lock()
        self._lone_closers: set[str] = set()

    async def info(self) -> ModelInfo:
        """Describe the model. See `ChatModel.info`."""
        async with self._finding:
            if self._found is None:
                self._found = await self._find_model()
            return self._found

    @asynccontextmanager
    async def reply(self, call: ModelCall) -> AsyncGenerator[AsyncIterator[ReplyPart]]:
        """Open a reply. See `ChatModel.reply`."""
        try:
            chosen = model = await self.info()
            try:
                stream = await self._opened(call, model)
            except ModelMissing as exc:
                model = await self._another(exc, chosen)
                stream = await self._opened(call, model)
            all_parts = _with_change(chosen, model, self._parts(stream, model))
            async with aclosing(stream), aclosing(all_parts) as parts:
                yield parts
        except (ServiceError, ModelMissing):
            self._found = None  # whoever asks next learns whether it is there
            raise

    def _thoughts(self, model: ModelInfo) -> ThoughtFilter:
        """Return what sorts a reply of this model: as one that closes its reasoning without an opening
        mark, where its last reply did."""

        def note(is_one: bool) -> None:
            (self._lone_closers.add if is_one else self._lone_closers.discard)(model.name)

        return ThoughtFilter(begins_thinking=model.name in self._lone_closers, on_lone_close=note)

    @abstractmethod
    async def _find_model(self) -> ModelInfo:
        """Return the model of the settings, or the server's first."""

    @abstractmethod
    async def _opened(self, call: ModelCall, model: ModelInfo) -> ModelStream:
        """Return the stream of a reply that has begun."""

    @abstractmethod
    def _parts(self, stream: ModelStream, model: ModelInfo) -> AsyncGenerator[ReplyPart]:
        """Return what a stream brings."""

    async def _another(self, gone: ModelMissing, than: ModelInfo) -> ModelInfo:
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


async def _with_change(
    before: ModelInfo, now: ModelInfo, parts: AsyncGenerator[ReplyPart]
) -> AsyncGenerator[ReplyPart]:
    """Return the parts of a reply, and before them that another model gives it, if so."""
    async with aclosing(parts):
        if now is not before:
            yield ModelChanged(before.name, now.name)
        async for part in parts:
            yield part
