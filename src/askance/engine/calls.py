"""Calling the model: one layout for all prompts, replies cut off once they have said enough."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

from askance.domain.conversation import Turn
from askance.domain.errors import AskanceError
from askance.domain.events import WarningCode
from askance.engine.budget import Governor
from askance.engine.progress import Progress
from askance.engine.prompts import Prompts, build_messages
from askance.engine.replies import finished_fields
from askance.ports.model import (
    ChatModel,
    Finished,
    Message,
    ModelCall,
    ReplyPart,
    Text,
    Thought,
)

Fields = dict[str, Any]


class MalformedReply(AskanceError):
    """The model's reply did not hold what was asked for, twice."""


class Calls:
    """All calls of one run: the same model, system text, history and question in each.

    `is_small` says that the model follows few instructions at a time.
    """

    def __init__(
        self,
        model: ChatModel,
        governor: Governor,
        prompts: Prompts,
        progress: Progress,
        *,
        system: str,
        turns: tuple[Turn, ...],
        question: str,
        think: bool,
        is_small: bool = False,
    ) -> None:
        self._model = model
        self.is_small = is_small
        self.governor = governor
        self._prompts = prompts
        self._progress = progress
        self._system = system
        self._question = question
        self._think = think
        self._turns = governor.fit_history(turns)
        if len(self._turns) < len(turns):
            progress.warn(
                WarningCode.HISTORY_DROPPED,
                f"The oldest {len(turns) - len(self._turns)} turns of the conversation did not fit"
                " into the model's context.",
            )
        # The writer's task ends with the question once more.
        governor.check(self.messages("", question))

    @property
    def has_history(self) -> bool:
        """Whether earlier turns stand in the prompts."""
        return bool(self._turns)

    def messages(self, evidence: str, task: str) -> tuple[Message, ...]:
        """Lay out a prompt of this run."""
        return build_messages(self._system, self._turns, self._question, evidence, task)

    async def ask(
        self,
        evidence: str,
        task: str,
        schema: dict[str, Any],
        *,
        max_tokens: int,
        decided: Callable[[Fields], bool],
    ) -> Fields:
        """Ask for a JSON object and stop listening as soon as `decided` says so.

        A reply that never gets there is asked for once more, more strictly.

        Raises:
            MalformedReply: the second reply was no better.
            ServiceError, InputError: the model cannot be used.
        """
        messages = self.messages(evidence, task)
        fields = await self._fields(messages, schema, max_tokens, decided)
        if fields is None:
            keys = ", ".join(schema["properties"])
            stricter = f"{task}\n\n{self._prompts.render('retry', keys=keys)}"
            messages = self.messages(evidence, stricter)
            fields = await self._fields(messages, schema, max_tokens, decided)
        if fields is None:
            raise MalformedReply("The model gave no reply that could be read.")
        return fields

    async def write(
        self, evidence: str, task: str, *, temperature: float
    ) -> AsyncGenerator[Text | Finished]:
        """Stream prose. Leaving the iterator early (through `aclosing`) stops the model.

        Raises:
            ServiceError, InputError: the model cannot be used.
        """
        call = ModelCall(
            self.messages(evidence, task),
            self.governor.answer_tokens,
            temperature,
            think=self._think,
        )
        async with aclosing(self._parts(call)) as parts:
            async for part in parts:
                if not isinstance(part, Thought):
                    yield part

    async def _fields(
        self,
        messages: tuple[Message, ...],
        schema: dict[str, Any],
        max_tokens: int,
        decided: Callable[[Fields], bool],
    ) -> Fields | None:
        text = ""
        call = ModelCall(messages, max_tokens, schema=schema)
        async with aclosing(self._parts(call)) as parts:
            async for part in parts:
                if isinstance(part, Text):
                    text += part.text
                    fields = finished_fields(text)
                    if decided(fields):
                        return fields
        return None

    async def _parts(self, call: ModelCall) -> AsyncGenerator[ReplyPart]:
        """The reply's parts, counted. A reply that was cut off is counted by estimate."""
        said = ""
        counted = False
        self._progress.model_calls += 1
        try:
            async with self._model.reply(call) as parts:
                async for part in parts:
                    match part:
                        case Finished(prompt_tokens=sent, output_tokens=written):
                            self.governor.learn(call.messages, sent)
                            counted = sent > 0
                            self._progress.prompt_tokens += sent
                            self._progress.output_tokens += written
                        case Text(text=text) | Thought(text=text):
                            said += text
                    yield part
        finally:
            if not counted:
                self._progress.prompt_tokens += self.governor.prompt_cost(call.messages)
                self._progress.output_tokens += self.governor.cost(said)
