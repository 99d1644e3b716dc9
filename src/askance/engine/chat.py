"""Talking to the model alone, without any search."""

from __future__ import annotations

import asyncio
from datetime import date

from askance.config.settings import Settings
from askance.domain.conversation import Conversation, Outcome, Usage
from askance.domain.errors import ServiceDown
from askance.domain.events import Answered, TokenArrived
from askance.engine.budget import Governor
from askance.engine.outbound import Emit
from askance.engine.prompts import Prompts
from askance.ports.model import ChatModel, Finished, Message, ModelCall, Role, Text


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
    if model is None:
        raise ServiceDown("model", "", "No language model is set up.", fix="Run `askance doctor`.")
    started = asyncio.get_running_loop().time()
    governor = Governor((await model.info()).context_tokens, settings.answer.max_tokens)
    messages = [Message(Role.SYSTEM, prompts.render("chat", today=today.isoformat()))]
    for turn in governor.fit_history(conversation.turns):
        messages += [Message(Role.USER, turn.question), Message(Role.ASSISTANT, turn.answer)]
    messages.append(Message(Role.USER, message))
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
                case Finished(prompt_tokens=sent, output_tokens=written):
                    usage = Usage(1, sent, written)
                case _:
                    pass
    elapsed_ms = round(1000 * (asyncio.get_running_loop().time() - started))
    return Answered(text.strip(), (), (), Outcome.HISTORY, 0, usage, (), elapsed_ms)
