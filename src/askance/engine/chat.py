"""Talking to the model alone, without any search: in a conversation, or about a text."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from askance.config.settings import Settings
from askance.domain.conversation import Outcome, TextTask, TurnInput, Usage
from askance.domain.errors import InputError, ServiceDown
from askance.domain.events import Answered, DraftRetracted, Emit, TokenArrived, Warned, WarningCode
from askance.domain.messages import Message, Remedy
from askance.domain.ports.model import (
    ChatMessage,
    ChatModel,
    Finished,
    FinishReason,
    ModelCall,
    ModelChanged,
    ModelInfo,
    Retracted,
    Role,
    Text,
)
from askance.domain.requests import RunRequest
from askance.engine.context_budget import ContextBudget, context_for, reply_tokens
from askance.engine.model_session import change_message
from askance.engine.model_speed import ModelSpeed
from askance.engine.progress import warn_withheld_turns
from askance.engine.prompts import AUTO, Prompts, prompted, tongues_of
from askance.engine.replies import is_looping
from askance.engine.reply_opening import ReplyOpener
from askance.engine.writing import AT_ITS_LENGTH, REPEATED_ITSELF, without_repeats
from askance.text.languages.language import ENGLISH, language
from askance.text.languages.recognition import surely
from askance.text.ranking.tokens import whole_sentences

# What is done to a text in its own language, whatever is set: it stays that text.
_SAME_LANGUAGE = frozenset({TextTask.REFINE, TextTask.REWRITE})
_OTHER = "de"


@dataclass(frozen=True, slots=True)
class ModelChat:
    """A model that is talked to, with what it takes. Replies are streamed as `TokenArrived`, and returned whole."""

    model: ChatModel | None
    model_speed: ModelSpeed
    prompts: Prompts
    settings: Settings
    emit: Emit

    async def converse(self, request: RunRequest, today: date) -> Answered:
        """Reply to a message and the text that it is about, by the schema of the request if it has one.

        Raises:
            ServiceError, InputError: the model cannot be used, or the message does not fit.
        """
        settings, conversation = self.settings, request.conversation
        model, info = await self._opened()
        message = f"{request.question}\n\n{request.about}".strip()
        think = request.think or settings.llm.think
        budget = ContextBudget(
            info.context_tokens,
            reply_tokens(settings, think=think),
            self.model_speed.token_factor,
        )
        tongues = tongues_of(message, conversation.turns, settings.answer.language)
        system = self.prompts.speaking(tongues).render("chat", today=today.isoformat())
        messages = [prompted(Role.SYSTEM, system)]
        shared = settings.library.share_with_remote_model
        turns = tuple(t for t in conversation.turns if shared or t.may_be_sent_to(info.host))
        if len(turns) < len(conversation.turns):
            warn_withheld_turns(lambda code, text: self.emit(Warned(code, text)), info.host)
        for turn in budget.fit_history(turns):
            messages += [prompted(Role.USER, turn.question), prompted(Role.ASSISTANT, turn.answer)]
        messages.append(prompted(Role.USER, message))
        outcome = Outcome.GIVEN if request.about.strip() else Outcome.MEMORY
        reply = await self._reply(
            model, info, messages, outcome, think=think, schema=request.reply_schema
        )
        is_public = all(turn.is_public for turn in turns)
        inputs = (TurnInput.TYPED,) if is_public else (TurnInput.TYPED, TurnInput.EARLIER)
        return replace(reply, inputs=inputs, model_host=info.host)

    async def rework(self, task: TextTask, text: str, wish: str, user_language: str) -> Answered:
        """Do something with a text.

        `wish` is what the user wrote behind the command, such as a language; it may be empty. `user_language` is
        that of the front end: a text is translated into it where no other is named.

        Raises:
            ServiceError, InputError: the model cannot be used, or the text is empty or does not fit.
        """
        if not text.strip():
            raise InputError(Message("There is no text."), fix=Message("Select or paste one."))
        model, info = await self._opened()
        # A text from elsewhere may hold instructions; it cannot hold a word that was just drawn.
        mark = f"text {secrets.token_hex(4)}"
        wanted = self.settings.answer.language
        prompt = self.prompts.render(
            f"text_{task}",
            wish=f"The user adds: {wish}" if wish.strip() else "",
            language=_result_in(task, surely(text), wanted, user_language),
        )
        messages = [
            prompted(Role.SYSTEM, self.prompts.render("text")),
            prompted(Role.USER, f"<<<{mark}\n{text.strip()}\n{mark}>>>\n\n{prompt.strip()}"),
        ]
        think = self.settings.llm.think
        reply = await self._reply(model, info, messages, Outcome.HISTORY, think=think)
        return replace(reply, inputs=(TurnInput.TEXT,), model_host=info.host)

    async def _opened(self) -> tuple[ChatModel, ModelInfo]:
        if self.model is None:
            raise ServiceDown(
                "model",
                "",
                Message("No language model is set up."),
                fix=Remedy("Run `askance doctor`.", command="askance doctor"),
            )
        return self.model, await self.model.info()

    async def _reply(
        self,
        model: ChatModel,
        info: ModelInfo,
        messages: Sequence[ChatMessage],
        outcome: Outcome,
        *,
        think: bool,
        schema: Mapping[str, Any] | None = None,
    ) -> Answered:
        started = asyncio.get_running_loop().time()
        settings, emit = self.settings, self.emit
        most = reply_tokens(settings, think=think)
        context = context_for(info, most, messages)
        budget = ContextBudget(context, most, self.model_speed.token_factor)
        budget.check(messages)
        call = ModelCall(
            tuple(messages),
            budget.answer_tokens,
            settings.llm.temperature,
            dict(schema) if schema is not None else None,
            think=think,
            context_tokens=context if context != info.context_tokens else 0,
        )
        text, usage = "", Usage(model_calls=1)
        asking = ReplyOpener(model, self.model_speed, budget)
        async with aclosing(asking.parts(call)) as parts:
            async for part in parts:
                match part:
                    case Text(text=piece):
                        text += piece
                        emit(TokenArrived(piece))
                        # A model in a loop goes on to its length limit, and a person waits for that.
                        if is_looping(text):
                            cut = Message("The answer was cut {cut}.", cut=REPEATED_ITSELF)
                            emit(Warned(WarningCode.ANSWER_CUT, cut))
                            text = without_repeats(whole_sentences(text))
                            written = budget.cost(text)
                            usage = Usage(1, budget.prompt_cost(messages), written)
                            break
                    case Retracted():
                        text = ""
                        emit(DraftRetracted())
                    case Finished(reason=reason, prompt_tokens=sent, output_tokens=written):
                        usage = Usage(1, sent, written)
                        if reason is FinishReason.LENGTH:
                            cut = Message("The answer was cut {cut}.", cut=AT_ITS_LENGTH)
                            emit(Warned(WarningCode.ANSWER_CUT, cut))
                    case ModelChanged():
                        emit(Warned(WarningCode.MODEL_CHANGED, change_message(part)))
                    case _:
                        pass
        await self.model_speed.remember()
        elapsed_ms = round(1000 * (asyncio.get_running_loop().time() - started))
        return Answered(text.strip(), (), (), outcome, 0, usage, (), elapsed_ms)


def _result_in(task: TextTask, own: str, wanted: str, user_language: str) -> str:
    """Return in which language a text comes back: `own` is the text's, `wanted` what is set."""
    wanted = "" if wanted == AUTO else wanted
    if task is TextTask.TRANSLATE:
        return _target(own, wanted or user_language or ENGLISH)
    code = own if task in _SAME_LANGUAGE else wanted or own
    return _name(code) if code else "the language of the text"


def _target(own: str, wanted: str) -> str:
    """Return what to translate into: the user's language, or another where the text is in it already."""
    other = _OTHER if wanted == ENGLISH else ENGLISH
    if own:
        return _name(other if own == wanted else wanted)
    return f"{_name(wanted)}, or into {_name(other)} if the text is {_name(wanted)}"


def _name(code: str) -> str:
    return language(code).name
