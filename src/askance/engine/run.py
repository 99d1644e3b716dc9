"""What a front end asks: to answer by a search, to talk, to rework a text. One run at a time has the model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from askance.config.choices import LibraryLookup
from askance.config.settings import Settings
from askance.domain.conversation import Conversation, Outcome, TextTask, TurnInput
from askance.domain.errors import UNUSABLE_MODEL, AskanceError, StorageError
from askance.domain.events import (
    Answered,
    Cancelled,
    Failed,
    RunEnd,
    RunEvent,
    Warned,
    WarningCode,
)
from askance.domain.phases import Phase
from askance.domain.ports.model import ChatModel, Evaluated, ModelQueue, not_evaluated
from askance.domain.ports.web import OutboundLedger, PageReader, WebSearch
from askance.domain.web import WHOLE_WEB, SearchScope
from askance.engine.chat import converse, rework
from askance.engine.followups import resolved
from askance.engine.library_recall import LibraryRecall
from askance.engine.local_library import LocalLibrary, stands_alone
from askance.engine.message_parts import MessageParts, read_message, withheld_part_message
from askance.engine.model_speed import ModelSpeed
from askance.engine.progress import (
    Emit,
    RunState,
    log_end,
    log_error,
    log_model,
    recorded,
    turn,
)
from askance.engine.prompts import Prompts, tongues_of
from askance.engine.query_privacy import PrivateWords
from askance.engine.question_run import QuestionRun, cannot_think, searches
from askance.engine.reply_opening import prefill
from askance.engine.research import Research
from askance.engine.time_budget import NORMAL_S, TimeBudget, answer_reserve_s
from askance.engine.transcript import Transcript
from askance.text.ranking.selection import forget_texts

_IMPERSONAL = frozenset({TurnInput.TYPED})


def _unwatched(research: Research) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Engine:
    """Answers questions. It knows ports; `wiring` gives it what stands behind them.

    `own_names` are those of this machine and its user: no query has them of itself. `user_language` tells
    the language of the front end, by its code. `queue` lets
    one run after the other to the model's server. `evaluated` knows what was measured of the model: what
    nobody has set fits it. `library` is asked before the web, and keeps what was read. Without `reads_ahead` nothing is searched before the
    plan is made: a benchmark measures what that costs. With `is_fresh` an answer that is at hand is not taken.
    `allowed_words` are private words that the user lets queries of this question say. `watching` gets what a run gathers its evidence with, as it
    begins: whoever cannot wait for the end looks there.
    """

    model: ChatModel | None
    search: WebSearch
    reader: PageReader
    prompts: Prompts
    settings: Settings
    today: Callable[[], date]
    ledger: OutboundLedger | None = None
    must_think: bool = False
    own_names: tuple[str, ...] = ()
    user_language: Callable[[], str] = str
    queue: ModelQueue | None = None
    model_speed: ModelSpeed = field(default_factory=ModelSpeed)
    evaluated: Evaluated = not_evaluated
    library: LocalLibrary | None = None
    reads_ahead: bool = True
    is_fresh: bool = False
    allowed_words: tuple[str, ...] = ()
    watching: Callable[[Research], None] = _unwatched
    transcript: Transcript = field(default_factory=Transcript)

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

    def afresh(self) -> Engine:
        """Return this engine searching the web even where the library or the conversation has the answer."""
        return replace(self, is_fresh=True)

    def allowing(self, words: tuple[str, ...]) -> Engine:
        """Return this engine with queries that may say these words, wherever they stand."""
        return replace(self, allowed_words=words)

    def thinking(self) -> Engine:
        """Return this engine with a model that reasons before it answers, whatever is set."""
        llm = self.settings.llm.model_copy(update={"think": True})
        settings = self.settings.model_copy(update={"llm": llm})
        return replace(self, settings=settings, must_think=True)

    async def run(
        self,
        question: str,
        conversation: Conversation,
        *,
        emit: Emit,
        about: str = "",
        narrowing: SearchScope = WHOLE_WEB,
    ) -> RunEnd:
        """Search the web for an answer. Everything that happens is emitted, the end last.

        `about` is a text of the user's that the question is about: the model reads it, and nothing
        is searched that stands in it alone. A question that is narrowed to a part of the web is answered
        from there: neither the library nor what was found earlier has a say. One that is narrowed to
        documents of the library is answered from them, and nothing is searched.
        A cancelled run emits `Cancelled`, leaves nothing running, and lets the cancellation pass.
        """
        async with AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(turn(self.queue, emit))
            except asyncio.CancelledError:
                emit(Cancelled())
                raise
            return await self._run_in_turn(question, conversation, emit, about, narrowing)

    async def _run_in_turn(
        self,
        question: str,
        conversation: Conversation,
        emit: Emit,
        about: str,
        narrowing: SearchScope,
    ) -> RunEnd:
        limits = self.settings.limits
        parts = read_message(question)
        progress = RunState(
            emit,
            wall_clock_s=limits.run_timeout_s or NORMAL_S,
            answer_reserve_s=answer_reserve_s(limits.run_timeout_s or NORMAL_S),
            ledger=self.ledger,
            occasion=question.strip(),
        )
        gathered: list[Research] = []
        try:
            try:
                async with asyncio.TaskGroup() as group:
                    # Caught inside, so that a failure comes out as itself and not as a group.
                    end = await self._settled(
                        parts, about, conversation, progress, group, gathered, narrowing
                    )
            finally:
                forget_texts()
                read_message.cache_clear()
            # A stop that came while the end was being put together still counts.
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            progress.move(Phase.CANCELLED)
            emit(Cancelled())
            log_end(Cancelled(), progress.elapsed_ms(), progress.warned, "search")
            # Who stops a first run because it is slow is not to find the next one as slow.
            await self.model_speed.remember()
            raise
        if isinstance(end, Answered) and parts.rest:
            end = replace(end, asked=parts.question)
        progress.move(Phase.FAILED if isinstance(end, Failed) else Phase.DONE)
        emit(end)
        log_end(end, progress.elapsed_ms(), progress.warned, "search")
        searched = isinstance(end, Answered) and end.outcome is Outcome.WEB
        await self.model_speed.remember(progress.elapsed_ms() / 1000 if searched else 0.0)
        if isinstance(end, Answered):
            # What a part of the web has said answers no question about all of it, and what was meant by
            # a question that goes on from another is not known to the next conversation.
            is_whole = narrowing == WHOLE_WEB and not about and not parts.rest
            asked = question.strip() if is_whole else ""
            is_alone = stands_alone(asked, conversation.turns)
            await self._store_pages(asked, gathered[0], end, is_alone=is_alone)
        return end

    async def _store_pages(
        self, question: str, gathered: Research, end: Answered, *, is_alone: bool
    ) -> None:
        """Store what was read, and what of it answered, in the library. The answer is shown already."""
        if self.library is None or not self.settings.library.keep_pages:
            return
        pages, extracts = gathered.pages, gathered.ledger.entered
        try:
            await asyncio.to_thread(
                self.library.store, question, pages, extracts, end, is_alone=is_alone
            )
        except StorageError as exc:
            log_error(exc)
            return
        self.library.on_stored()

    async def chat(
        self,
        message: str,
        conversation: Conversation,
        *,
        emit: Emit,
        about: str = "",
        schema: Mapping[str, Any] | None = None,
    ) -> RunEnd:
        """Talk to the model alone; nothing is searched. `about` is a text that the message is about.

        With a JSON `schema` the model is held to it, as far as its server can.
        A cancelled chat emits `Cancelled` and lets the cancellation pass.
        """

        async def talk(emit: Emit) -> Answered:
            async with turn(self.queue, emit):
                model = await self._recorded_model(message or about, emit)
                return await converse(
                    model,
                    self.model_speed,
                    self.prompts,
                    self.settings,
                    self.today(),
                    message,
                    about,
                    conversation,
                    emit,
                    schema,
                )

        return await _ended(talk, emit)

    async def rework(self, task: TextTask, text: str, wish: str, *, emit: Emit) -> RunEnd:
        """Let the model do something with a text; nothing is searched.

        Cancelling is as in `chat`.
        """

        async def work(emit: Emit) -> Answered:
            async with turn(self.queue, emit):
                model = await self._recorded_model(f"/{task} {wish}".strip(), emit)
                own = self.user_language()
                return await rework(
                    model,
                    self.model_speed,
                    self.prompts,
                    self.settings,
                    task,
                    text,
                    wish,
                    own,
                    emit,
                )

        return await _ended(work, emit)

    async def _recorded_model(self, message: str, emit: Emit) -> ChatModel | None:
        """Return the model, once note is taken of where the message goes."""
        if self.model is not None:
            sent = recorded(
                self.ledger,
                message,
                emit,
                lambda code, message_text: emit(Warned(code, message_text)),
            )
            log_model(info := await self.model.info(), sent)
            await self.model_speed.recall(info.name)
            if self.must_think and (problem := cannot_think(info)):
                emit(Warned(WarningCode.NOT_REASONING, problem))
        return self.model

    def system(self) -> str:
        """Return what all prompts begin with."""
        return self.prompts.render("system", today=self.today().isoformat())

    async def _settled(
        self,
        parts: MessageParts,
        about: str,
        conversation: Conversation,
        progress: RunState,
        group: asyncio.TaskGroup,
        gathered: list[Research],
        narrowing: SearchScope,
    ) -> RunEnd:
        turns, settings = conversation.turns, self.settings
        question, given = parts.question, "\n\n".join(filter(None, (parts.private, about)))
        about = "\n\n".join(filter(None, (parts.rest, about)))
        if narrowing.documents:
            only = settings.library.model_copy(update={"recall": LibraryLookup.ONLY})
            settings = settings.model_copy(update={"library": only})
        has_inputs = {f"{t.question}\n{t.answer}": bool(t.inputs) for t in turns}
        private = PrivateWords(
            question,
            [given, *self.own_names, *(text for text, is_known in has_inputs.items() if is_known)],
            [*self.allowed_words, *(text for turn in turns for text in turn.published)],
            [text for text, is_known in has_inputs.items() if not is_known],
        )
        if not all(_IMPERSONAL.issuperset(turn.inputs) for turn in turns):
            # The plan will have read pages, or what is the user's own.
            private.steer()
        if parts.rest:
            progress.warn(WarningCode.PART_SEARCHED, withheld_part_message(question))
        time_budget = TimeBudget(
            progress, self.model_speed, self.settings.limits, thinks=self.must_think
        )
        research = Research(
            question,
            self.search,
            self.reader,
            settings,
            progress,
            time_budget,
            group,
            private,
            narrowing,
            resolved(question, turns, private.allows) if not about else "",
        )
        is_narrowed = narrowing != WHOLE_WEB
        is_fresh = self.is_fresh and searches(settings)
        library = None if is_narrowed and not narrowing.documents else self.library
        gathered.append(research)
        self.watching(research)
        question_run = QuestionRun(
            question,
            about,
            turns,
            self.model,
            self.prompts.speaking(tongues_of(question, turns, settings.answer.language)),
            settings,
            self.system(),
            self.model_speed,
            self.transcript,
            progress,
            time_budget,
            research,
            LibraryRecall(
                question,
                library,
                settings,
                progress,
                self.today(),
                stands_alone=not about and stands_alone(question, turns),
                searches_anew=is_fresh,
                documents=narrowing.documents,
            ),
            evaluated=self.evaluated,
            must_think=self.must_think,
            reads_ahead=self.reads_ahead,
            is_narrowed=is_narrowed,
            is_fresh=is_fresh,
        )
        try:
            return await question_run.run()
        except AskanceError as exc:
            return _failed(exc)
        finally:
            research.stop()


async def _ended(talk: Callable[[Emit], Coroutine[Any, Any, Answered]], emit: Emit) -> RunEnd:
    """Emit how a talk ended, last. All that was warned of stands in its answer, as in a run's."""
    warnings: dict[str, WarningCode] = {}
    clock = asyncio.get_running_loop().time
    began = clock()

    def noted(event: RunEvent) -> None:
        if isinstance(event, Warned):
            warnings[event.message] = event.code
        emit(event)

    def log(end: RunEnd) -> None:
        log_end(end, round(1000 * (clock() - began)), set(warnings.values()), "chat")

    end: RunEnd
    try:
        end = replace(await talk(noted), warnings=tuple(warnings))
    except asyncio.CancelledError:
        emit(Cancelled())
        log(Cancelled())
        raise
    except AskanceError as exc:
        end = _failed(exc)
    emit(end)
    log(end)
    return end


def _failed(exc: AskanceError) -> Failed:
    log_error(exc)
    return Failed.of(exc)
