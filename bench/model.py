"""A chat model that follows a script and takes the time that a real one would."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from types import TracebackType

from askance.domain.ports.model import (
    ChatModel,
    Finished,
    FinishReason,
    ModelCall,
    ModelInfo,
    ReplyPart,
    Text,
)
from askance.sample_web.sample_pages import Question
from bench.costs import CHARS_PER_TOKEN, PromptCache, Speed, count_tokens, flatten
from bench.script import Manner, reply_to

CONTEXT_TOKENS = 8192


@dataclass(slots=True)
class CallRecord:
    """What one call came to: its prompt, and tokens sent, evaluated and written."""

    prompt: str
    has_schema: bool
    sent: int
    evaluated: int
    written: int = 0


class ScriptedModel:
    """Serves the run of one question from a cold start, one call at a time.

    In a conversation `question` is set anew before each of its turns. Without `keeps_prompt` every prompt is evaluated from its beginning.
    """

    def __init__(
        self,
        question: Question,
        speed: Speed,
        *,
        keeps_prompt: bool = True,
        manner: Manner = Manner.RIGHT,
        believes: bool = False,
        seed: int = 0,
    ) -> None:
        self.calls: list[CallRecord] = []
        self.question = question
        self._speed = speed
        self._keeps_prompt = keeps_prompt
        self._manner = manner
        self._believes = believes
        self._seed = seed
        self._read = 0
        self._cache = PromptCache()
        self._slot = asyncio.Lock()

    async def info(self) -> ModelInfo:
        """Return the model's name and context."""
        return ModelInfo("scripted", CONTEXT_TOKENS)

    async def models(self) -> tuple[ModelInfo, ...]:
        """Return this model alone."""
        return (await self.info(),)

    @asynccontextmanager
    async def reply(self, call: ModelCall) -> AsyncGenerator[AsyncIterator[ReplyPart]]:
        """Open a reply; leaving the context stops it and keeps what was evaluated by then."""
        prompt = flatten(call.messages)
        sent = count_tokens(prompt)
        async with self._slot:
            evaluated = self._cache.unknown_tokens(prompt) if self._keeps_prompt else sent
            record = CallRecord(prompt, call.schema is not None, sent, evaluated)
            self.calls.append(record)
            # What only is evaluated nobody reads, so nobody errs in it.
            self._read += call.max_tokens > 0
            text = reply_to(
                prompt,
                call.schema,
                self.question,
                self._manner,
                believes=self._believes,
                turn=self._read,
                seed=self._seed,
            )
            try:
                yield self._parts(text, call.max_tokens, record)
            finally:
                self._cache.hold(prompt, text[: CHARS_PER_TOKEN * record.written])

    async def _parts(
        self, text: str, max_tokens: int, record: CallRecord
    ) -> AsyncGenerator[ReplyPart]:
        await asyncio.sleep(record.evaluated / self._speed.prefill)
        for start in range(0, min(len(text), CHARS_PER_TOKEN * max_tokens), CHARS_PER_TOKEN):
            await asyncio.sleep(1 / self._speed.decode)
            record.written += 1
            yield Text(text[start : start + CHARS_PER_TOKEN])
        whole = count_tokens(text) <= max_tokens
        reason = FinishReason.STOP if whole else FinishReason.LENGTH
        yield Finished(reason, record.sent, record.written)


class AttentiveModel:
    """Another model whose replies are heard to their end, whoever stops listening before."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    async def info(self) -> ModelInfo:
        """Return what the other model is."""
        return await self._model.info()

    async def models(self) -> tuple[ModelInfo, ...]:
        """Return the other model's list."""
        return await self._model.models()

    def reply(self, call: ModelCall) -> AbstractAsyncContextManager[AsyncIterator[ReplyPart]]:
        """Open a reply; leaving the context waits for the rest, unless the run was cancelled."""
        return _WholeReply(self._model.reply(call))


class _WholeReply(AbstractAsyncContextManager[AsyncIterator[ReplyPart]]):
    def __init__(self, reply: AbstractAsyncContextManager[AsyncIterator[ReplyPart]]) -> None:
        self._reply = reply
        self._parts: AsyncIterator[ReplyPart] | None = None

    async def __aenter__(self) -> AsyncIterator[ReplyPart]:
        self._parts = await self._reply.__aenter__()
        return self._parts

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        assert self._parts is not None
        # A generator that is closed is one that has heard enough; any other error ends the reply.
        if error is None or isinstance(error, GeneratorExit):
            async for _ in self._parts:
                pass
        return await self._reply.__aexit__(kind, error, traceback)
