"""Talking to the model alone, without any search: in a conversation, or about a text."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Sequence
from contextlib import aclosing
from datetime import date

from askance.config.settings import Settings
from askance.domain.conversation import Conversation, Outcome, TextTask, Usage
from askance.domain.errors import InputError, ServiceDown
from askance.domain.events import Answered, TokenArrived, Warned, WarningCode
from askance.domain.messages import Message, Remedy
from askance.engine.asking import Asking
from askance.engine.budget import Governor, context_for, reply_tokens
from askance.engine.calls import told_change
from askance.engine.pace import Pace
from askance.engine.progress import Emit
from askance.engine.prompts import Prompts, prompted
from askance.engine.replies import is_looping
from askance.engine.writing import AT_ITS_LENGTH, REPEATED_ITSELF, without_repeats
from askance.ports.model import (
    ChatMessage,
    ChatModel,
    Finished,
    FinishReason,
    ModelCall,
    ModelChanged,
    ModelInfo,
    Role,
    Text,
)
from askance.ranking.tokens import whole_sentences


async def converse(
    model: ChatModel | None,
    pace: Pace,
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
    model, info = await _opened(model)
    governor = Governor(info.context_tokens, reply_tokens(settings), pace.token_factor)
    messages = [prompted(Role.SYSTEM, prompts.render("chat", today=today.isoformat()))]
    for turn in governor.fit_history(conversation.turns):
        messages += [prompted(Role.USER, turn.question), prompted(Role.ASSISTANT, turn.answer)]
    messages.append(prompted(Role.USER, message))
    return await _spoken(model, pace, info, messages, settings, emit, Outcome.MEMORY)


async def rework(
    model: ChatModel | None,
    pace: Pace,
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
        raise InputError(Message("There is no text."), fix=Message("Select or paste one."))
    model, info = await _opened(model)
    # A text from elsewhere may hold instructions; it cannot hold a word that was just drawn.
    mark = f"text {secrets.token_hex(4)}"
    told = prompts.render(f"text_{task}", wish=f"The user adds: {wish}" if wish.strip() else "")
    messages = [
        prompted(Role.SYSTEM, prompts.render("text")),
        prompted(Role.USER, f"<<<{mark}\n{text.strip()}\n{mark}>>>\n\n{told.strip()}"),
    ]
    return await _spoken(model, pace, info, messages, settings, emit, Outcome.HISTORY)


async def _opened(model: ChatModel | None) -> tuple[ChatModel, ModelInfo]:
    if model is None:
        raise ServiceDown(
            "model",
            "",
            Message("No language model is set up."),
            fix=Remedy("Run `askance doctor`.", command="askance doctor"),
        )
    return model, await model.info()


async def _spoken(
    model: ChatModel,
    pace: Pace,
    info: ModelInfo,
    messages: Sequence[ChatMessage],
    settings: Settings,
    emit: Emit,
    outcome: Outcome,
) -> Answered:
    started = asyncio.get_running_loop().time()
    context = context_for(info, reply_tokens(settings), messages)
    governor = Governor(context, reply_tokens(settings), pace.token_factor)
    governor.check(messages)
    call = ModelCall(
        tuple(messages),
        governor.answer_tokens,
        settings.llm.temperature,
        think=settings.llm.think,
        context_tokens=context if context != info.context_tokens else 0,
    )
    text, usage = "", Usage(model_calls=1)
    asking = Asking(model, pace, governor)
    async with aclosing(asking.parts(call)) as parts:
        async for part in parts:
            match part:
                case Text(text=piece):
                    text += piece
                    emit(TokenArrived(piece))
                    if is_looping(text):
                        cut = Message("The answer was cut {cut}.", cut=REPEATED_ITSELF)
                        emit(Warned(WarningCode.ANSWER_CUT, cut))
                        text = without_repeats(whole_sentences(text))
                        written = governor.cost(text)
                        usage = Usage(1, governor.prompt_cost(messages), written)
                        break
                case Finished(reason=reason, prompt_tokens=sent, output_tokens=written):
                    usage = Usage(1, sent, written)
                    if reason is FinishReason.LENGTH:
                        cut = Message("The answer was cut {cut}.", cut=AT_ITS_LENGTH)
                        emit(Warned(WarningCode.ANSWER_CUT, cut))
                case ModelChanged():
                    emit(Warned(WarningCode.MODEL_CHANGED, told_change(part)))
                case _:
                    pass
    await asking.pace.remember()
    elapsed_ms = round(1000 * (asyncio.get_running_loop().time() - started))
    return Answered(text.strip(), (), (), outcome, 0, usage, (), elapsed_ms)
