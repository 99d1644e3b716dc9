"""A scripted model behind a server as slow, and as late to notice a hang-up, as a real one on a processor."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from askance.domain.ports.model import (
    Finished,
    FinishReason,
    ModelCall,
    ModelInfo,
    ReplyPart,
    Text,
    Timing,
)
from askance.sample_web.sample_pages import Question
from bench.costs import CHARS_PER_TOKEN, PromptCache, Speed, count_tokens, flatten
from bench.script import Manner, reply_to

# Its prompt was being evaluated when nobody listened any more; so long the server was not free.
Remainder = float


@dataclass(frozen=True, slots=True)
class ServerHabits:
    """What a server does beside its speed.

    Every request waits `wait_s` before the server begins with it, and only the first `load_s` as well. One
    that `counts` tells how long it took. `noise` is the share by which the time of a prompt varies.
    """

    keeps_prompt: bool = True
    load_s: float = 0.0
    wait_s: float = 0.0
    counts: bool = False
    noise: float = 0.0


class SlowModel:
    """One slot, a prefix cache, and a hang-up that is noticed at the first token only.

    That is how Ollama and llama.cpp behave. Times are the loop's: see `bench.clock`.
    """

    def __init__(
        self, question: Question, speed: Speed, habits: ServerHabits | None = None
    ) -> None:
        """Serve the runs of one question; set `question` anew before another one is asked."""
        self.calls: list[ModelCall] = []
        self.remainders: list[Remainder] = []
        self.question = question
        self._speed = speed
        self._habits = habits or ServerHabits()
        self._load_s = self._habits.load_s
        self._random = random.Random(7)  # noqa: S311 - the same times in every run
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
        habits, prompt = self._habits, flatten(call.messages)
        await self._slot.acquire()
        fresh = self._cache.unknown_tokens(prompt) if habits.keeps_prompt else count_tokens(prompt)
        noise = 1 + habits.noise * self._random.uniform(-1, 1)
        evaluating_s = noise * fresh / self._speed.prefill
        timing = Timing(fresh, evaluating_s) if habits.counts else None
        took_s = noise * habits.wait_s + self._load_s + evaluating_s
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
        most = max(1, call.max_tokens)
        for n in range(min(whole, most)):
            await asyncio.sleep(1 / self._speed.decode)
            yield Text(text[CHARS_PER_TOKEN * n : CHARS_PER_TOKEN * (n + 1)])
        reason = FinishReason.STOP if whole <= most else FinishReason.LENGTH
        yield Finished(reason, count_tokens(prompt), min(whole, most))
