"""What a front end asks: to answer by a search, to talk, to rework a text. One run at a time has the model."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, replace
from typing import Any

from askance.domain.conversation import Outcome, RunRequest, TextTask, TurnInput
from askance.domain.errors import (
    UNUSABLE_MODEL,
    AskanceError,
    InputError,
    ServiceDown,
    StorageError,
)
from askance.domain.events import (
    Answered,
    Cancelled,
    DraftRetracted,
    Emit,
    Failed,
    RunEnd,
    TokenArrived,
    WarningCode,
    ignore,
)
from askance.domain.messages import NOTHING, Message, Remedy
from askance.domain.phases import Phase
from askance.domain.ports.model import (
    ChatMessage,
    ChatModel,
    Finished,
    ModelCall,
    ModelInfo,
    Retracted,
    Role,
    Text,
)
from askance.engine.context import EngineParts, RunContext, TimeBudget
from askance.engine.local_library import stands_alone
from askance.engine.model_replies import (
    FROM_REASONING,
    REPEATED_ITSELF,
    is_looping,
    why_cut,
    without_repeats,
)
from askance.engine.model_session import ReplyOpener, prefill
from askance.engine.prompts import (
    AUTO,
    ContextBudget,
    context_for,
    prompted,
    reply_tokens,
    tongues_of,
)
from askance.engine.queries import narrowed_by_operators, unknown_operators_message
from askance.engine.query_privacy import PrivateWords
from askance.engine.question_run import QuestionRun, cannot_think, require_sight
from askance.engine.research import Research
from askance.engine.run_progress import (
    RunState,
    failure_of,
    log_error,
    log_model,
    turn,
    warn_withheld_turns,
)
from askance.engine.suggestions import AnsweredRun
from askance.text.caches import forget_texts
from askance.text.languages.language import ENGLISH, language
from askance.text.languages.recognition import surely
from askance.text.message_parts import MessageParts, read_message, withheld_part_message
from askance.text.ranking.index_terms import whole_sentences

# What is done to a text in its own language, whatever is set: it stays that text.
_SAME_LANGUAGE = frozenset({TextTask.REFINE, TextTask.REWRITE})
_OTHER = "de"


@dataclass(frozen=True, slots=True)
class ModelChat:
    """A model that is talked to, with what it takes. Replies are streamed as `TokenArrived`, and returned whole."""

    parts: EngineParts
    progress: RunState
    model: ChatModel
    info: ModelInfo

    async def converse(self, request: RunRequest) -> Answered:
        """Reply to a message and the text that it is about, by the schema of the request if it has one.

        Raises:
            ServiceError, InputError: the model cannot be used, or the message does not fit.
        """
        settings, conversation, info = self.parts.settings, request.conversation, self.info
        message = f"{request.question}\n\n{request.about}".strip()
        think = request.think or settings.llm.think
        budget = ContextBudget(
            info.context_tokens,
            reply_tokens(settings, think=think),
            self.parts.model_speed.token_factor,
        )
        tongues = tongues_of(message, conversation.turns, settings.answer.language)
        today = self.parts.today().isoformat()
        system = self.parts.prompts.speaking(tongues).render("chat", today=today)
        messages = [prompted(Role.SYSTEM, system)]
        shared = settings.library.share_with_remote_model
        turns = tuple(t for t in conversation.turns if shared or t.may_be_sent_to(info.host))
        if len(turns) < len(conversation.turns):
            warn_withheld_turns(self.progress.warn, info.host)
        for earlier in budget.fit_history(turns):
            messages += [
                prompted(Role.USER, earlier.question),
                prompted(Role.ASSISTANT, earlier.answer),
            ]
        asked = prompted(Role.USER, message)
        messages.append(replace(asked, pictures=request.pictures))
        is_given = bool(request.about.strip() or request.pictures)
        outcome = Outcome.GIVEN if is_given else Outcome.MEMORY
        reply = await self._reply(messages, outcome, think=think, schema=request.reply_schema)
        is_public = all(turn.is_public for turn in turns)
        inputs = (TurnInput.TYPED,) if is_public else (TurnInput.TYPED, TurnInput.EARLIER)
        if request.pictures:
            inputs = (*inputs, TurnInput.TEXT)
        return replace(reply, inputs=inputs)

    async def rework(self, task: TextTask, text: str, wish: str) -> Answered:
        """Do something with a text.

        `wish` is what the user wrote behind the command, such as a language; it may be empty. A text is translated
        into the language of the front end where no other is named.

        Raises:
            ServiceError, InputError: the model cannot be used, or the text is empty or does not fit.
        """
        if not text.strip():
            raise InputError(Message("There is no text."), fix=Message("Select or paste one."))
        # A text from elsewhere may hold instructions; it cannot hold a word that was just drawn.
        mark = f"text {secrets.token_hex(4)}"
        settings, prompts = self.parts.settings, self.parts.prompts
        wanted, user_language = settings.answer.language, self.parts.user_language()
        prompt = prompts.render(
            f"text_{task}",
            wish=f"The user adds: {wish}" if wish.strip() else "",
            language=_result_in(task, surely(text), wanted, user_language),
        )
        messages = [
            prompted(Role.SYSTEM, prompts.render("text")),
            prompted(Role.USER, f"<<<{mark}\n{text.strip()}\n{mark}>>>\n\n{prompt.strip()}"),
        ]
        reply = await self._reply(messages, Outcome.HISTORY, think=settings.llm.think)
        return replace(reply, inputs=(TurnInput.TEXT,))

    async def _reply(
        self,
        messages: Sequence[ChatMessage],
        outcome: Outcome,
        *,
        think: bool,
        schema: Mapping[str, Any] | None = None,
    ) -> Answered:
        started = asyncio.get_running_loop().time()
        settings, speed, info = self.parts.settings, self.parts.model_speed, self.info
        progress = self.progress
        most = reply_tokens(settings, think=think)
        context = context_for(info, most, messages)
        budget = ContextBudget(context, most, speed.token_factor)
        budget.check(messages)
        call = ModelCall(
            tuple(messages),
            budget.answer_tokens,
            settings.llm.temperature,
            dict(schema) if schema is not None else None,
            think=think,
            context_tokens=context if context != info.context_tokens else 0,
        )
        text, cut = "", NOTHING
        asking = ReplyOpener(self.model, speed, budget, progress.warn)
        async with aclosing(asking.counted(call, progress)) as parts:
            async for part in parts:
                match part:
                    case Text(text=piece):
                        text += piece
                        progress.emit(TokenArrived(piece))
                        # A model in a loop goes on to its length limit, and a person waits for that.
                        if is_looping(text):
                            cut = REPEATED_ITSELF
                            text = without_repeats(whole_sentences(text))
                            break
                    case Retracted():
                        text = ""
                        progress.emit(DraftRetracted())
                    case Finished():
                        cut = why_cut(part)
                        if part.is_from_reasoning:
                            progress.warn(WarningCode.ANSWER_FROM_REASONING, FROM_REASONING)
                    case _:
                        pass
        if cut:
            progress.warn(WarningCode.ANSWER_CUT, Message("The answer was cut {cut}.", cut=cut))
        await speed.remember()
        return Answered(
            text.strip(),
            (),
            (),
            outcome,
            0,
            progress.usage,
            progress.warnings,
            progress.ms_since(started),
            model_host=info.host,
        )


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
    # A text that is in the user's language already is translated out of it.
    if own:
        return _name(other if own == wanted else wanted)
    return f"{_name(wanted)}, or into {_name(other)} if the text is {_name(wanted)}"


def _name(code: str) -> str:
    return language(code).name


_IMPERSONAL = frozenset({TurnInput.TYPED})


@dataclass(frozen=True, slots=True)
class Engine(EngineParts):
    """Answers questions. It knows ports; `app.container` gives it what stands behind them.

    Where several programs share one, each has a copy with a queue, a library and a transcript of its own.
    """

    async def warm_up(self, stays_s: float) -> None:
        """Have the model ready before a question is there: loaded, with what all prompts begin with.

        Nothing is done where it was used in the last `stays_s` seconds, for which the server keeps it with
        the conversation in its cache, where it is on another machine, or while others use it: their
        prompts would leave the cache. Why it fails is for the next question to say.
        """
        clock = asyncio.get_running_loop().time
        if self.model is None or clock() - self.model_speed.used_at < stays_s:
            return
        if self.queue is not None and not self.queue.is_free():
            return
        # Before the first wait: who asks for the same meanwhile finds it under way.
        self.model_speed.used_at = clock()
        try:
            if (info := await self.model.info()).host:
                return
            await self.model_speed.recall(info.name)
            await prefill(self.model, self.system(), self.model_speed)
        except UNUSABLE_MODEL as exc:
            log_error(exc)
        self.model_speed.used_at = clock()

    def forget_conversation(self) -> None:
        """Let go of what the model was shown in the conversation so far: it was left."""
        self.transcript.retain(())

    async def run(
        self,
        request: RunRequest,
        *,
        emit: Emit,
        on_start: Callable[[Research], None] = ignore,
        on_answered: Callable[[AnsweredRun], None] = ignore,
    ) -> RunEnd:
        """Search the web for an answer. Everything that happens is emitted, the end last.

        `on_start` gets what the run gathers its evidence with, for whoever cannot wait for the end; `on_answered`
        what is left of one that was answered, to suggest questions from.
        A cancelled run emits `Cancelled`, leaves nothing running, and lets the cancellation pass.
        """
        # Who is cancelled before the run has begun has had no run that could emit its end.
        async with AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(turn(self.queue, emit))
                request, unknown = narrowed_by_operators(request)
                parts = read_message(request.question, request.pasted)
                # A client may bring megabytes of earlier answers.
                private = await asyncio.to_thread(self._private_words, request, parts)
            except asyncio.CancelledError:
                emit(Cancelled())
                raise
            run = self._begun(request, parts, private, emit)
            if unknown:
                message = unknown_operators_message(unknown)
                run.progress.warn(WarningCode.OPERATOR_UNKNOWN, message)
            if parts.rest:
                message = withheld_part_message(run.question)
                run.progress.warn(WarningCode.PART_SEARCHED, message)
            return await self._run_in_turn(run, on_start, on_answered)

    async def _run_in_turn(
        self,
        run: RunContext,
        on_start: Callable[[Research], None],
        on_answered: Callable[[AnsweredRun], None],
    ) -> RunEnd:
        progress = run.progress
        try:
            try:
                async with asyncio.TaskGroup() as group:
                    question_run = QuestionRun(run, self, group)
                    on_start(question_run.research)
                    # Caught inside, so that a failure comes out as itself and not as a group.
                    end = await _settled(question_run)
            finally:
                # Megabytes of paragraphs after long pages; the window stays open for days.
                forget_texts()
            # A stop that came while the end was being put together still counts.
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            progress.move(Phase.CANCELLED)
            progress.end(Cancelled(), "search")
            # Who stops a first run because it is slow is not to find the next one as slow.
            await self.model_speed.remember()
            raise
        if isinstance(end, Answered) and run.message.rest:
            end = replace(end, asked=run.question)
        progress.move(Phase.FAILED if isinstance(end, Failed) else Phase.DONE)
        progress.end(end, "search")
        searched = isinstance(end, Answered) and end.outcome is Outcome.WEB
        # What a run takes here is the estimate for the next one, and only whole searches are like each other.
        await self.model_speed.remember(progress.elapsed_ms() / 1000 if searched else 0.0)
        if isinstance(end, Answered):
            on_answered(AnsweredRun.of(run, question_run.research, end))
            await self._store_pages(run, question_run.research, end)
        return end

    async def _store_pages(self, run: RunContext, gathered: Research, end: Answered) -> None:
        """Store what was read, and what of it answered, in the library. The answer is shown already."""
        library = self.library
        if library is None or not (run.request.keeps_pages and self.settings.library.keep_pages):
            return
        # What a part of the web has said answers no question about all of it, and what was meant by
        # a question that goes on from another is not known to the next conversation.
        question = "" if run.is_narrowed or run.about else run.question
        pages, extracts = gathered.pages, gathered.evidence.entered
        # "When was it built?" asks something else in the next conversation.
        is_alone = stands_alone(question, run.turns)
        try:
            await asyncio.to_thread(
                library.store, question, pages, extracts, end, is_alone=is_alone
            )
        # The answer is there: that it could not be kept is for the log, and not for its reader.
        except StorageError as exc:
            log_error(exc)
            return
        library.on_stored()

    async def chat(self, request: RunRequest, *, emit: Emit) -> RunEnd:
        """Talk to the model alone; nothing is searched.

        A cancelled chat emits `Cancelled` and lets the cancellation pass.
        """
        message = request.question or request.about
        return await self._talk(
            message,
            lambda chat: chat.converse(request),
            emit,
            must_think=request.think,
            has_pictures=bool(request.pictures),
        )

    async def rework(self, task: TextTask, text: str, wish: str, *, emit: Emit) -> RunEnd:
        """Let the model do something with a text; nothing is searched.

        Cancelling is as in `chat`.
        """
        message = f"/{task} {wish}".strip()
        return await self._talk(message, lambda chat: chat.rework(task, text, wish), emit)

    async def _talk(
        self,
        message: str,
        reply: Callable[[ModelChat], Awaitable[Answered]],
        emit: Emit,
        *,
        must_think: bool = False,
        has_pictures: bool = False,
    ) -> RunEnd:
        """Talk to the model in turn, once note is taken of where the message goes; emit the end, last."""
        progress = RunState(emit, ledger=self.ledger, occasion=message)
        try:
            async with turn(self.queue, emit):
                chat = await self._chat(progress, must_think=must_think, has_pictures=has_pictures)
                end: RunEnd = await reply(chat)
        except asyncio.CancelledError:
            progress.end(Cancelled(), "chat")
            raise
        except AskanceError as exc:
            end = failure_of(exc)
        progress.end(end, "chat")
        return end

    async def _chat(
        self, progress: RunState, *, must_think: bool, has_pictures: bool = False
    ) -> ModelChat:
        if self.model is None:
            raise ServiceDown(
                "model",
                "",
                Message("No language model is set up."),
                fix=Remedy("Run `askance doctor`.", command="askance doctor"),
            )
        info = await self.model.info()
        log_model(info, progress.sent)
        await self.model_speed.recall(info.name)
        if has_pictures:
            require_sight(info, may_leave=self.settings.library.share_with_remote_model)
        if must_think and (problem := cannot_think(info)):
            progress.warn(WarningCode.NOT_REASONING, problem)
        return ModelChat(self, progress, self.model, info)

    def _begun(
        self, request: RunRequest, parts: MessageParts, private: PrivateWords, emit: Emit
    ) -> RunContext:
        """Return a run whose clock begins now."""
        settings, turns = self.settings, request.conversation.turns
        progress = RunState(emit, ledger=self.ledger, occasion=request.question.strip())
        about = "\n\n".join(filter(None, (parts.rest, request.about)))
        return RunContext(
            replace(request, question=parts.question, about=about),
            parts,
            settings,
            self.prompts.speaking(tongues_of(parts.question, turns, settings.answer.language)),
            progress,
            self.model_speed,
            TimeBudget(
                progress, self.model_speed, settings, thinks=request.think, rounds=request.rounds
            ),
            private,
            self.today(),
            entailment=self.entailment,
        )

    def _private_words(self, request: RunRequest, parts: MessageParts) -> PrivateWords:
        """Return what of the request may not be searched, ready to screen queries."""
        turns = request.conversation.turns
        given = "\n\n".join(filter(None, (parts.private, request.about)))
        has_inputs = {f"{t.question}\n{t.answer}": bool(t.inputs) for t in turns}
        private = PrivateWords(
            parts.question,
            [given, *self.own_names, *(text for text, is_known in has_inputs.items() if is_known)],
            [
                *request.allowed_words,
                parts.error.public,
                *(text for turn in turns for text in turn.published),
            ],
            [text for text, is_known in has_inputs.items() if not is_known],
        )
        if not all(_IMPERSONAL.issuperset(turn.inputs) for turn in turns):
            # The plan will have read pages, or what is the user's own.
            private.steer()
        private.prepare()
        return private


async def _settled(question_run: QuestionRun) -> RunEnd:
    try:
        return await question_run.run()
    except AskanceError as exc:
        return failure_of(exc)
    finally:
        question_run.research.stop()
