"""Replies of a model, opened: every call is timed, and a long prompt goes to a slow server in portions."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from askance.domain.ports.model import (
    ChatMessage,
    ChatModel,
    Finished,
    ModelCall,
    ModelChanged,
    ReplyPart,
    Retracted,
    Role,
    Text,
    Thought,
    Timing,
)
from askance.engine.context_budget import MESSAGE_TOKENS, ContextBudget
from askance.engine.model_speed import LEAST_PROMPT_TOKENS, ModelSpeed
from askance.engine.prompts import prompted

StreamPart = Text | Thought | Retracted | ModelChanged | Finished
"""What comes of a reply, without what it took."""
# Whether a server keeps the beginning of a prompt shows only where the rest is much shorter.
_LEAST_RATIO = 2.0
# A prompt that is hardly longer than a portion goes whole: its rest would wait once more.
LEAST_PORTIONS = 1.3
# So many portions are sent while it is not known what a server waits before each: then the rest goes whole.
MOST_PROBES = 3


class ReplyOpener:
    """Opens replies of one model, learns its pace from them, and keeps to it.

    A server notices a hang-up only at the first token. So where taking in a prompt would keep it
    busy for longer than a moment, the prompt is sent in portions, each of which ends with a token
    that nobody reads: the server keeps what it has evaluated, and a stop leaves one portion of work.
    """

    def __init__(self, model: ChatModel, model_speed: ModelSpeed, budget: ContextBudget) -> None:
        self._model = model
        self.model_speed = model_speed
        self._budget = budget

    def fresh_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """Estimate how much of a prompt the server has to evaluate."""
        whole = _joined(messages)
        rest = whole[
            _shared(whole, self.model_speed.held) if self.model_speed.keeps_prefix else 0 :
        ]
        begun = rest.count("\0") // 2
        return self._budget.cost(rest) + MESSAGE_TOKENS * max(1, begun)

    async def parts(self, call: ModelCall) -> AsyncGenerator[StreamPart]:
        """Stream a reply. Raises like `ChatModel.reply`."""
        async for portion in self._portions(call):
            async with aclosing(self._timed(portion)) as parts:
                async for part in parts:
                    if isinstance(part, ModelChanged):
                        yield part
        async with aclosing(self._timed(call)) as parts:
            async for part in parts:
                if not isinstance(part, Timing):
                    yield part

    async def _portions(self, call: ModelCall) -> AsyncGenerator[ModelCall]:
        """The beginnings of a call that its server should take in first, each longer than the last."""
        model_speed, sent = self.model_speed, 0
        while model_speed.keeps_prefix and (model_speed.measures_wait or sent < MOST_PROBES):
            fresh = self.fresh_tokens(call.messages)
            if model_speed.is_short(fresh):
                return
            tokens = (
                model_speed.portion_tokens
                if model_speed.measures_wait
                else model_speed.probe_tokens(sent)
            )
            beginning = _beginning(call.messages, model_speed.held, tokens / fresh)
            if beginning is None or fresh < LEAST_PORTIONS * tokens:
                return
            sent += 1
            yield replace(call, messages=beginning, max_tokens=1)

    async def _timed(self, call: ModelCall) -> AsyncGenerator[ReplyPart]:
        """Stream a reply, and learn from it however it ends."""
        model_speed, clock = self.model_speed, asyncio.get_running_loop().time
        whole, fresh = _joined(call.messages), self.fresh_tokens(call.messages)
        new = self._new_tokens(call.messages)
        # What a server has of an earlier start of this program can only be guessed.
        is_exact = bool(model_speed.held) or not model_speed.is_known
        begun = clock()
        model_speed.begin(fresh)
        watch = _Watch(is_exact)
        try:
            async with self._model.reply(call) as parts:
                model_speed.held = whole
                async for part in parts:
                    watch.see(part, clock())
                    if watch.first_at and not watch.is_settled:
                        model_speed.settle(new, watch.first_at - begun)
                        watch.is_settled = True
                    yield part
        except Exception:
            model_speed.held = ""
            raise
        finally:
            model_speed.used_at = clock()
            # What was thought stands in no later prompt; what was said is in the cache like the rest.
            if model_speed.held == whole and not watch.has_thought:
                model_speed.held += f"\0{Role.ASSISTANT}\0{watch.text}"
            self._learn(watch, new, self._budget.cost(whole), begun, model_speed.used_at)
            self._budget.learn(call.messages, watch.prompt_tokens or watch.timing.prompt_tokens)
            model_speed.token_factor = self._budget.factor

    def _new_tokens(self, messages: Sequence[ChatMessage]) -> int:
        """Estimate how much of a prompt the server cannot have seen before: at the least so much.

        It may have the system text from the last start of this program, if there was one.
        """
        whole, held = _joined(messages), self.model_speed.held
        new = self._budget.cost(whole[_shared(whole, held) :])
        was_here = self.model_speed.is_known and not held
        return new - self._budget.cost(messages[0].content) if was_here else new

    def _learn(self, watch: _Watch, fresh: int, whole: int, begun: float, now: float) -> None:
        model_speed = self.model_speed
        if not watch.first_at:
            model_speed.saw_nothing(fresh, now - begun)
            return
        waited_s = watch.first_at - begun
        self._learn_of_cache(watch.timing, waited_s, fresh, whole)
        new = fresh if model_speed.keeps_prefix or not watch.timing.prompt_s else whole
        seen = whole if watch.is_exact else 0
        model_speed.saw_prompt(new, waited_s, watch.timing, whole=seen)
        tokens = watch.output_tokens or self._budget.cost(watch.text)
        written_s = watch.last_at - watch.first_at
        model_speed.saw_reply(tokens, min(watch.timing.output_s or written_s, written_s))

    def _learn_of_cache(self, timing: Timing, waited_s: float, fresh: int, whole: int) -> None:
        """See whether the server still had the beginning, or evaluated the whole prompt anew.

        Some models cannot keep one, and another asker's prompt may have driven it out. Portions
        would then cost the more the longer the prompt is.
        """
        model_speed = self.model_speed
        if (
            model_speed.is_known
            and fresh > 0
            and whole > _LEAST_RATIO * (fresh + LEAST_PROMPT_TOKENS)
        ):
            seconds = min(timing.prompt_s or max(0.0, waited_s - model_speed.wait_s), waited_s)
            evaluated = timing.evaluated_tokens or seconds * model_speed.speed.prompt_tps
            model_speed.keeps_prefix = evaluated < math.sqrt(fresh * whole)


async def prefill(model: ChatModel, system: str, model_speed: ModelSpeed) -> None:
    """Have a server load its model and evaluate the text with which all prompts begin.

    Raises like `ChatModel.reply`.
    """
    call = ModelCall((prompted(Role.SYSTEM, system), prompted(Role.USER, ".")), max_tokens=1)
    model_speed.held = ""
    async with model.reply(call) as parts:
        async for part in parts:
            if isinstance(part, Text | Thought | Finished):
                model_speed.held = _joined(call.messages)
                return  # a server that does not count goes on, for nobody


class _Watch:
    """What was seen of one reply."""

    def __init__(self, is_exact: bool) -> None:
        self.is_exact = is_exact
        """Whether it is known what of the prompt was new to the server."""
        self.first_at = self.last_at = 0.0
        self.is_settled = self.has_thought = False
        self.text = ""
        self.prompt_tokens = self.output_tokens = 0
        self.timing = Timing()

    def see(self, part: ReplyPart, now: float) -> None:
        match part:
            case Timing():
                self.timing = part
            case Finished(prompt_tokens=sent, output_tokens=written):
                self.prompt_tokens, self.output_tokens = sent, written
                self._reach(now)
            case Text(text=text) | Thought(text=text):
                self.text += text
                self.has_thought = self.has_thought or isinstance(part, Thought)
                self._reach(now)
            case Retracted():
                self.has_thought = True
            case ModelChanged():
                pass

    def _reach(self, now: float) -> None:
        self.first_at = self.first_at or now
        self.last_at = now


def _joined(messages: Sequence[ChatMessage]) -> str:
    return "".join(f"\0{m.role}\0{m.content}" for m in messages)


def _shared(one: str, other: str) -> int:
    """Count the characters with which both begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def _beginning(
    messages: tuple[ChatMessage, ...], held: str, share: float
) -> tuple[ChatMessage, ...] | None:
    """Return the messages up to `share` of what the server does not hold, None if that is all.

    It is cut between two words, and ends with a message of the user's: templates want one there.
    """
    whole = _joined(messages)
    known = _shared(whole, held)
    wanted = known + max(1, int(share * (len(whole) - known)))
    start = 0
    for i, message in enumerate(messages):
        start += len(f"\0{message.role}\0")
        end = start + len(message.content)
        if end > wanted:
            most = max(1, wanted - start)
            cut = message.content.rfind(" ", 0, most)
            if cut <= 0 or start + cut <= known:  # a script without spaces, one very long word
                cut = most
            last = replace(message, content=message.content[:cut])
            ending = () if message.role is Role.USER else (prompted(Role.USER, "."),)
            return (*messages[:i], last, *ending)
        start = end
    return None
