"""Talking to the model alone, without any search: in a conversation, or about a text."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from datetime import date

from askance.config.settings import Settings
from askance.domain.conversation import Conversation, Outcome, Usage
from askance.domain.errors import InputError, ServiceDown
from askance.domain.events import Answered, TokenArrived, Warned, WarningCode
from askance.domain.text_task import TextTask
from askance.engine.budget import Governor, reply_tokens
from askance.engine.outbound import Emit
from askance.engine.prompts import Prompts
from askance.ports.model import ChatModel, Finished, FinishReason, Message, ModelCall, Role, Text


async def converse(
    model: ChatModel | None,
    prompts: Prompts,
    settings: Settings,
    today: date,
    message: str,
    conversation: Conversation,
    emit: Emit,
) -> Answered:
    """Stream the model's reply to a message as `TokenArrived`, and return it whole.

    Raises:
        ServiceError, InputError: the model cannot be used, or the message does not fit.
    """
    model, governor = await _opened(model, settings)
    messages = [Message(Role.SYSTEM, prompts.render("chat", today=today.isoformat()))]
    for turn in governor.fit_history(conversation.turns):
        messages += [Message(Role.USER, turn.question), Message(Role.ASSISTANT, turn.answer)]
    messages.append(Message(Role.USER, message))
    return await _spoken(model, governor, messages, settings, emit)


async def rework(
    model: ChatModel | None,
    prompts: Prompts,
    settings: Settings,
    task: TextTask,
    text: str,
    wish: str,
    emit: Emit,
) -> Answered:
    """Stream what becomes of a text as `TokenArrived`, and return it whole.

    `wish` is what the user wrote behind the command, such as a language; it may be empty.

    Raises:
        ServiceError, InputError: the model cannot be used, or the text is empty or does not fit.
    """
    if not text.strip():
        raise InputError("There is no text.", fix="Select or paste one.")
    model, governor = await _opened(model, settings)
    # A text from elsewhere may hold instructions; it cannot hold a word that was just drawn.
    mark = f"text {secrets.token_hex(4)}"
    told = prompts.render(f"text_{task}", wish=f"The user adds: {wish}" if wish.strip() else "")
    messages = [
        Message(Role.SYSTEM, prompts.render("text")),
        Message(Role.USER, f"<<<{mark}\n{text.strip()}\n{mark}>>>\n\n{told.strip()}"),
    ]
    return await _spoken(model, governor, messages, settings, emit)


async def _opened(model: ChatModel | None, settings: Settings) -> tuple[ChatModel, Governor]:
    if model is None:
        raise ServiceDown("model", "", "No language model is set up.", fix="Run `askance doctor`.")
    info = await model.info()
    return model, Governor(info.context_tokens, reply_tokens(settings))


async def _spoken(
    model: ChatModel,
    governor: Governor,
    messages: Sequence[Message],
    settings: Settings,
    emit: Emit,
) -> Answered:
    started = asyncio.get_running_loop().time()
    governor.check(messages)
    call = ModelCall(
        tuple(messages),
        governor.answer_tokens,
        settings.llm.temperature,
        think=settings.llm.think,
    )
    text, usage = "", Usage(model_calls=1)
    async with model.reply(call) as parts:
        async for part in parts:
            match part:
                case Text(text=piece):
                    text += piece
                    emit(TokenArrived(piece))
                case Finished(reason=reason, prompt_tokens=sent, output_tokens=written):
                    usage = Usage(1, sent, written)
                    if reason is FinishReason.LENGTH:
                        cut = "The answer was cut at its length limit."
                        emit(Warned(WarningCode.ANSWER_CUT, cut))
                case _:
                    pass
    elapsed_ms = round(1000 * (asyncio.get_running_loop().time() - started))
    return Answered(text.strip(), (), (), Outcome.HISTORY, 0, usage, (), elapsed_ms)
