"""A scripted model behind a server as slow, and as hard of hearing, as a real one on a processor."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from bench.costs import CHARS_PER_TOKEN, PromptCache, Speed, count_tokens, flatten
from bench.script import Manner, reply_to

from askance.ports.model import Finished, FinishReason, ModelCall, ModelInfo, ReplyPart, Text
from askance.sample_web.server import Question

# Its prompt was being evaluated when nobody listened any more; so long the server was not free.
Remainder = float


class SlowModel:
    """One slot, a prefix cache, and a hang-up that is noticed at the first token only.

    That is how Ollama and llama.cpp behave. Times are the loop's: see `bench.clock`.
    """

    def __init__(
        self, question: Question, speed: Speed, *, keeps_prompt: bool = True, load_s: float = 0.0
    ) -> None:
        self.calls: list[ModelCall] = []
        self.remainders: list[Remainder] = []
        self._question = question
        self._speed = speed
        self._keeps_prompt = keeps_prompt
        self._load_s = load_s
        self._cache = PromptCache()
        self._slot = asyncio.Lock()

    async def info(self) -> ModelInfo:
        return ModelInfo("slow", 8192)

    async def models(self) -> tuple[ModelInfo, ...]:
        return (await self.info(),)

    @asynccontextmanager
    async def reply(self, call: ModelCall) -> AsyncGenerator[AsyncIterator[ReplyPart]]:
        self.calls.append(call)
        prompt = flatten(call.messages)
        await self._slot.acquire()
        fresh = self._cache.unknown_tokens(prompt) if self._keeps_prompt else count_tokens(prompt)
        took_s = self._load_s + fresh / self._speed.prefill
        self._load_s = 0.0
        loop, evaluated = asyncio.get_running_loop(), asyncio.Event()
        ends_at = loop.time() + took_s
        loop.call_at(ends_at, evaluated.set)
        try:
            yield self._parts(prompt, call, evaluated)
        finally:
            self._cache.hold(prompt, "")
            if evaluated.is_set():
                self._slot.release()
            else:
                self.remainders.append(ends_at - loop.time())
                loop.call_at(ends_at, self._slot.release)

    async def _parts(
        self, prompt: str, call: ModelCall, evaluated: asyncio.Event
    ) -> AsyncGenerator[ReplyPart]:
        await evaluated.wait()
        text = reply_to(prompt, call.schema, self._question, Manner.RIGHT)
        whole = count_tokens(text)
        for n in range(min(whole, call.max_tokens)):
            await asyncio.sleep(1 / self._speed.decode)
            yield Text(text[CHARS_PER_TOKEN * n : CHARS_PER_TOKEN * (n + 1)])
        reason = FinishReason.STOP if whole <= call.max_tokens else FinishReason.LENGTH
        yield Finished(reason, count_tokens(prompt), min(whole, call.max_tokens))
