"""The run. Read it beside the picture in `docs/architecture.md`: the moves are those of the table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from askance.config.settings import Settings
from askance.domain.conversation import Conversation, Outcome, TextTask
from askance.domain.errors import UNUSABLE_MODEL, AskanceError, InputError, ServiceError
from askance.domain.events import (
    Answered,
    Cancelled,
    ClarifyAsked,
    Failed,
    RunEnd,
    RunEvent,
    TimeExpected,
    Warned,
    WarningCode,
)
from askance.domain.messages import NOTHING, Message
from askance.domain.phases import Action, Phase, Plan, Sufficiency
from askance.engine.answer import Conclusion
from askance.engine.asking import take_in
from askance.engine.budget import Governor, reply_tokens
from askance.engine.calls import Calls
from askance.engine.chat import converse, rework
from askance.engine.pace import Pace
from askance.engine.plan import make_plan
from askance.engine.progress import (
    Emit,
    Progress,
    log_end,
    log_error,
    recorded,
    tell_of_model,
    turn,
)
from askance.engine.prompts import Prompts
from askance.engine.query_privacy import PrivateWords
from askance.engine.recalling import recall
from askance.engine.research import Research
from askance.engine.schedule import NORMAL_S, Schedule
from askance.ports.model import ChatModel, ModelInfo, ModelQueue
from askance.ports.web import OutboundLedger, PageReader, WebSearch
from askance.ranking.selection import forget_texts

# Below half a billion parameters at four bits, models repeat instructions instead of following
# them: measured with SmolLM2-135M, which answers well when it is asked in one line.
SMALL_MODEL_BYTES = 350_000_000
# Ollama lets a model go after five minutes where nobody says otherwise.
STAYS_WARM_S = 240.0


@dataclass(frozen=True, slots=True)
class Engine:
    """Answers questions. It knows ports; `wiring` gives it what stands behind them.

    `own_names` are those of this machine and its user: no query has them of itself. `queue` lets
    one run after the other to the model's server. Without `reads_ahead` nothing is searched before the
    plan is made: a benchmark measures what that costs.
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
    queue: ModelQueue | None = None
    pace: Pace = field(default_factory=Pace)
    reads_ahead: bool = True

    async def warm_up(self) -> None:
        """Have the model ready before a question is there: loaded, with what all prompts begin with.

        Nothing is done where it was used a moment ago, where it is on another machine, or while others
        use it: their prompts would leave the server's cache. Why it fails is for the next question to say.
        """
        clock = asyncio.get_running_loop().time
        if self.model is None or clock() - self.pace.used_at < STAYS_WARM_S:
            return
        if self.queue is not None and not self.queue.is_free():
            return
        self.pace.used_at = clock()
        try:
            if (info := await self.model.info()).host:
                return
            await self.pace.recall(info.name)
            await take_in(self.model, self._system(), self.pace)
        except UNUSABLE_MODEL as exc:
            log_error(exc)
        self.pace.used_at = clock()

    def thinking(self) -> Engine:
        """Return this engine with a model that reasons before it answers, whatever is set."""
        llm = self.settings.llm.model_copy(update={"think": True})
        settings = self.settings.model_copy(update={"llm": llm})
        return replace(self, settings=settings, must_think=True)

    async def run(
        self, question: str, conversation: Conversation, *, emit: Emit, about: str = ""
    ) -> RunEnd:
        """Search the web for an answer. Everything that happens is emitted, the end last.

        `about` is a text of the user's that the question is about: the model reads it, and nothing
        is searched that stands in it alone.
        A cancelled run emits `Cancelled`, leaves nothing running, and lets the cancellation pass.
        """
        async with AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(turn(self.queue, emit))
            except asyncio.CancelledError:
                emit(Cancelled())
                raise
            return await self._run_in_turn(question, conversation, emit, about)

    async def _run_in_turn(
        self, question: str, conversation: Conversation, emit: Emit, about: str
    ) -> RunEnd:
        limits = self.settings.limits
        progress = Progress(
            emit,
            wall_clock_s=limits.run_timeout_s or NORMAL_S,
            answer_reserve_s=limits.answer_reserve_s,
            ledger=self.ledger,
            occasion=question.strip(),
        )
        try:
            try:
                async with asyncio.TaskGroup() as group:
                    # Caught inside, so that a failure comes out as itself and not as a group.
                    end = await self._settled(
                        question.strip(), about, conversation, progress, group
                    )
            finally:
                forget_texts()
            # A stop that came while the end was being put together still counts.
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            progress.move(Phase.CANCELLED)
            emit(Cancelled())
            log_end(Cancelled(), progress.elapsed_ms(), progress.warned, "search")
            # Who stops a first run because it is slow is not to find the next one as slow.
            await self.pace.remember()
            raise
        progress.move(Phase.FAILED if isinstance(end, Failed) else Phase.DONE)
        emit(end)
        log_end(end, progress.elapsed_ms(), progress.warned, "search")
        searched = isinstance(end, Answered) and end.outcome is Outcome.WEB
        await self.pace.remember(progress.elapsed_ms() / 1000 if searched else 0.0)
        return end

    async def chat(self, message: str, conversation: Conversation, *, emit: Emit) -> RunEnd:
        """Talk to the model alone; nothing is searched.

        A cancelled chat emits `Cancelled` and lets the cancellation pass.
        """

        async def talk(emit: Emit) -> Answered:
            async with turn(self.queue, emit):
                model = await self._told_model(message, emit)
                return await converse(
                    model,
                    self.pace,
                    self.prompts,
                    self.settings,
                    self.today(),
                    message,
                    conversation,
                    emit,
                )

        return await _ended(talk, emit)

    async def rework(self, task: TextTask, text: str, wish: str, *, emit: Emit) -> RunEnd:
        """Let the model do something with a text; nothing is searched.

        Cancelling is as in `chat`.
        """

        async def work(emit: Emit) -> Answered:
            async with turn(self.queue, emit):
                model = await self._told_model(f"/{task} {wish}".strip(), emit)
                return await rework(
                    model, self.pace, self.prompts, self.settings, task, text, wish, emit
                )

        return await _ended(work, emit)

    async def _told_model(self, message: str, emit: Emit) -> ChatModel | None:
        """Return the model, once note is taken of where the message goes."""
        if self.model is not None:
            sent = recorded(self.ledger, message, emit, lambda code, said: emit(Warned(code, said)))
            tell_of_model(info := await self.model.info(), sent)
            await self.pace.recall(info.name)
            if told := self._cannot_think(info):
                emit(Warned(WarningCode.NOT_REASONING, told))
        return self.model

    def _system(self) -> str:
        return self.prompts.render("system", today=self.today().isoformat())

    def _cannot_think(self, info: ModelInfo) -> Message:
        """Say that a model that was to reason does not. Only some servers tell that beforehand."""
        if not self.must_think or not info.capabilities or "thinking" in info.capabilities:
            return NOTHING
        return Message(
            "{model} is not a reasoning model: it answers without thinking first.", model=info.name
        )

    async def _settled(
        self,
        question: str,
        about: str,
        conversation: Conversation,
        progress: Progress,
        group: asyncio.TaskGroup,
    ) -> RunEnd:
        turns = conversation.turns
        private = PrivateWords(
            question,
            [about, *self.own_names, *(f"{t.question}\n{t.answer}" for t in turns)],
            [text for turn in turns for text in turn.published],
        )
        schedule = Schedule(progress, self.pace, self.settings.limits, thinks=self.must_think)
        research = Research(
            question, self.search, self.reader, self.settings, progress, schedule, group, private
        )
        try:
            return await self._run(question, about, conversation, progress, schedule, research)
        except AskanceError as exc:
            return _failed(exc)
        finally:
            research.stop()

    async def _run(
        self,
        question: str,
        about: str,
        conversation: Conversation,
        progress: Progress,
        schedule: Schedule,
        research: Research,
    ) -> RunEnd:
        if not question:
            raise InputError(Message("There is no question."), fix=Message("Type a question."))
        if self.reads_ahead:
            research.look_ahead()
        calls, recalled = None, False
        try:
            async with asyncio.timeout_at(progress.research_ends_at) as patience:
                schedule.on_change = patience.reschedule
                told = f"{question} (about: {about})" if about else question
                calls = await self._open_calls(told, conversation, progress)
                schedule.update()
                stands_alone = not (conversation.turns or about)
                plan = await self._plan(calls, progress, schedule, stands_alone=stands_alone)
                schedule.update()
                if plan.action is Action.CLARIFY:
                    progress.move(Phase.CLARIFYING)
                    return ClarifyAsked(plan.clarifying_question, progress.usage)
                if calls and plan.history_sufficiency is Sufficiency.SUFFICIENT:
                    recalled = await recall(
                        question,
                        conversation.turns,
                        research.ledger,
                        calls,
                        self.prompts,
                        progress,
                        schedule,
                        most_tokens=self.settings.evidence.first_round_tokens,
                    )
                if not recalled:
                    await research.investigate(plan, calls, self.prompts)
        except TimeoutError:
            progress.warn(
                WarningCode.TIME_LIMIT,
                Message(
                    "The search was ended after {n} s (limits.run_timeout_s) less the time for writing; "
                    "the answer rests on what was found by then.",
                    n=round(progress.wall_clock_s),
                ),
            )
            await research.salvage(calls)
        research.stop()
        conclusion = Conclusion(
            question, calls, self.prompts, self.settings, progress, schedule, research
        )
        return await conclusion.from_evidence(recalled=recalled)

    async def _open_calls(
        self, question: str, conversation: Conversation, progress: Progress
    ) -> Calls | None:
        """Get in touch with the model. None if there is none to be used; the run then goes on without it."""
        if self.model is None:
            progress.warn(WarningCode.MODEL_UNAVAILABLE, Message("No language model is set up."))
            return None
        try:
            info = await self.model.info()
        except UNUSABLE_MODEL as exc:
            log_error(exc)
            progress.warn(WarningCode.MODEL_UNAVAILABLE, exc.message)
            return None
        tell_of_model(info, progress.sent)
        await self.pace.recall(info.name)
        if expected_s := self.pace.speed.typical_run_s:
            progress.emit(TimeExpected(expected_s))
        if told := self._cannot_think(info):
            progress.warn(WarningCode.NOT_REASONING, told)
        return Calls(
            self.model,
            Governor(info.context_tokens, reply_tokens(self.settings), self.pace.token_factor),
            self.prompts,
            progress,
            system=self._system(),
            turns=conversation.turns,
            question=question,
            think=self.settings.llm.think,
            is_small=0 < info.size_bytes < SMALL_MODEL_BYTES,
            pace=self.pace,
        )

    async def _plan(
        self, calls: Calls | None, progress: Progress, schedule: Schedule, *, stands_alone: bool
    ) -> Plan:
        if calls is None:
            return Plan(fallback=True)
        limit_s = self.settings.limits.plan_timeout_s + self.pace.load_s
        if not schedule.has_time_for_plan(limit_s):
            problem = Message("there was no time for it.")
            told = Message("The model gave no plan: {problem}", problem=problem)
            progress.warn(WarningCode.PLAN_FAILED, told)
            return Plan(fallback=True)
        try:
            async with asyncio.timeout(limit_s):
                return await make_plan(calls, self.prompts, progress, stands_alone=stands_alone)
        except TimeoutError:
            problem = Message("it took longer than {n} s.", n=limit_s)
        except UNUSABLE_MODEL as exc:
            problem = exc.problem
        progress.warn(
            WarningCode.PLAN_FAILED, Message("The model gave no plan: {problem}", problem=problem)
        )
        return Plan(fallback=True)


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
    if isinstance(exc, ServiceError):
        return Failed(exc.problem, exc.fix, exc.service, exc.address)
    return Failed(exc.problem, exc.fix)
