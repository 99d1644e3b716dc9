"""A scripted model behind a server as slow, and as hard of hearing, as a real one on a processor."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from askance.ports.model import (
    Finished,
    FinishReason,
    ModelCall,
    ModelInfo,
    ReplyPart,
    Text,
    Timing,
)
from askance.sample_web.server import Question
from bench.costs import CHARS_PER_TOKEN, PromptCache, Speed, count_tokens, flatten
from bench.script import Manner, reply_to

# Its prompt was being evaluated when nobody listened any more; so long the server was not free.
Remainder = float


class SlowModel:
    """One slot, a prefix cache, and a hang-up that is noticed at the first token only.

    That is how Ollama and llama.cpp behave. Every request waits `wait_s` before the server begins
    with it. Only one that `counts` says how long it took. Times are the loop's: see `bench.clock`.
    """

    def __init__(
        self,
        question: Question,
        speed: Speed,
        *,
        keeps_prompt: bool = True,
        load_s: float = 0.0,
        wait_s: float = 0.0,
        counts: bool = False,
    ) -> None:
        """Serve the runs of one question; set `question` anew before another one is asked."""
        self.calls: list[ModelCall] = []
        self.remainders: list[Remainder] = []
        self.question = question
        self._wait_s = wait_s
        self._counts = counts
        self._speed = speed
        self._keeps_prompt = keeps_prompt
        self._load_s = load_s
        self._cache = PromptCache()
        self._slot = asyncio.Lock()

    async def info(self) -> ModelInfo:
        """Return the model's name and context."""
        return ModelInfo("slow", 8192)

    async def models(self) -> tuple[ModelInfo, ...]:
        """Return this model alone."""
        return (await self.info(),)

    @asynccontextmanager
    async def reply(self, call: ModelCall) -> AsyncGenerator[AsyncIterator[ReplyPart]]:
        """Open a reply; leaving the context before its first token does not free the server."""
        self.calls.append(call)
        prompt = flatten(call.messages)
        await self._slot.acquire()
        fresh = self._cache.unknown_tokens(prompt) if self._keeps_prompt else count_tokens(prompt)
        evaluating_s = fresh / self._speed.prefill
        timing = Timing(fresh, evaluating_s) if self._counts else None
        took_s = self._wait_s + self._load_s + evaluating_s
        self._load_s = 0.0
        loop, evaluated = asyncio.get_running_loop(), asyncio.Event()
        ends_at = loop.time() + took_s
        loop.call_at(ends_at, evaluated.set)
        try:
            yield self._parts(prompt, call, evaluated, timing)
        finally:
            self._cache.hold(prompt, "")
            if evaluated.is_set():
                self._slot.release()
            else:
                self.remainders.append(ends_at - loop.time())
                loop.call_at(ends_at, self._slot.release)

    async def _parts(
        self, prompt: str, call: ModelCall, evaluated: asyncio.Event, timing: Timing | None
    ) -> AsyncGenerator[ReplyPart]:
        await evaluated.wait()
        if timing is not None:
            yield timing
        text = reply_to(prompt, call.schema, self.question, Manner.RIGHT)
        whole = count_tokens(text)
        for n in range(min(whole, call.max_tokens)):
            await asyncio.sleep(1 / self._speed.decode)
            yield Text(text[CHARS_PER_TOKEN * n : CHARS_PER_TOKEN * (n + 1)])
        reason = FinishReason.STOP if whole <= call.max_tokens else FinishReason.LENGTH
        yield Finished(reason, count_tokens(prompt), min(whole, call.max_tokens))
