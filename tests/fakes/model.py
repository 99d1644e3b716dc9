"""A chat model that says what it was told to say."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from askance.domain.ports.model import Finished, FinishReason, ModelCall, ModelInfo, ReplyPart, Text
from servers.model_script import as_listed

# One step of a reply: a string is text; an event is waited for; an exception is raised.
Step = str | ReplyPart | asyncio.Event | Exception
# A reply: a whole text, a JSON object, a failure at once, or steps.
Reply = str | Mapping[str, Any] | Exception | list[Step]

PROMPT_TOKENS, OUTPUT_TOKENS = 100, 10


def role_of(call: ModelCall) -> str:
    """`plan`, `judge`, `positions` or `answer`, told by the schema."""
    keys = (call.schema or {}).get("properties", {})
    if "positions" in keys:
        return "positions"
    return "plan" if "action" in keys else "judge" if "sufficiency" in keys else "answer"


class ScriptedModel:
    """Gives its replies in the order of the calls; `by_role` keeps a queue for each role instead.

    A call beyond the script fails the test. A list of steps that holds no `Finished` gets one.
    """

    def __init__(
        self, *replies: Reply, context_tokens: int = 8192, info_error: Exception | None = None
    ) -> None:
        self.calls: list[ModelCall] = []
        self.open_replies = 0
        self.left_early = 0
        self.info_error = info_error
        self._info = ModelInfo("scripted", context_tokens)
        self._replies: dict[str, list[Reply]] = {"": list(replies)}

    @classmethod
    def by_role(
        cls,
        *,
        plan: Iterable[Reply] = (),
        judge: Iterable[Reply] = (),
        answer: Iterable[Reply] = (),
        context_tokens: int = 8192,
    ) -> ScriptedModel:
        model = cls(context_tokens=context_tokens)
        model._replies = {"plan": list(plan), "judge": list(judge), "answer": list(answer)}
        return model

    @property
    def roles(self) -> list[str]:
        """The roles of the calls so far."""
        return [role_of(call) for call in self.calls]

    async def info(self) -> ModelInfo:
        if self.info_error:
            raise self.info_error
        return self._info

    async def models(self) -> tuple[ModelInfo, ...]:
        return (await self.info(),)

    @asynccontextmanager
    async def reply(self, call: ModelCall) -> AsyncGenerator[AsyncIterator[ReplyPart]]:
        self.calls.append(call)
        role = role_of(call)
        queue = self._replies.get(role, self._replies.get("", []))
        if role == "positions" and not queue:
            queue = [as_listed(call.messages[-1].content)]
        assert queue, f"call {len(self.calls)} ({role_of(call)}) is not in the script"
        steps = _steps(queue.pop(0))
        played = _Played()
        self.open_replies += 1
        try:
            yield _play(steps, played)
        finally:
            self.open_replies -= 1
            self.left_early += not played.out


class _Played:
    out = False


def _steps(reply: Reply) -> list[Step]:
    match reply:
        case str():
            return [*(reply[i : i + 7] for i in range(0, len(reply), 7))]
        case Exception():
            return [reply]
        case list():
            return list(reply)
        case _:
            return _steps(json.dumps(reply))


async def _play(steps: list[Step], played: _Played) -> AsyncIterator[ReplyPart]:
    finished = False
    for step in steps:
        match step:
            case str():
                yield Text(step)
            case asyncio.Event():
                await step.wait()
            case Exception():
                played.out = True
                raise step
            case _:
                finished = finished or isinstance(step, Finished)
                yield step
    if not finished:
        yield Finished(FinishReason.STOP, PROMPT_TOKENS, OUTPUT_TOKENS)
    played.out = True
