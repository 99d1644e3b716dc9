"""The run. Read it beside the picture in `docs/architecture.md`: the moves are those of the table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from askance.config.settings import Settings
from askance.domain.conversation import Conversation
from askance.domain.errors import AskanceError, InputError, ServiceError
from askance.domain.events import Cancelled, ClarifyAsked, Failed, RunEnd, Warned, WarningCode
from askance.domain.phases import Phase
from askance.domain.text_task import TextTask
from askance.domain.verdict import Action, Plan, Sufficiency
from askance.engine.budget import Governor, reply_tokens
from askance.engine.calls import Calls
from askance.engine.chat import converse, rework
from askance.engine.conclude import Conclusion
from askance.engine.outbound import Emit, recorded, tell_of_model
from askance.engine.plan import make_plan
from askance.engine.progress import Progress
from askance.engine.prompts import Prompts
from askance.engine.research import Research
from askance.ports.model import ChatModel, ModelInfo
from askance.ports.outbound import OutboundLedger
from askance.ports.reader import PageReader
from askance.ports.search import WebSearch

# Below half a billion parameters at four bits, models repeat instructions instead of following
# them: measured with SmolLM2-135M, which answers well when it is asked in one line.
SMALL_MODEL_BYTES = 350_000_000
# Reasoning comes on top of the time that is kept for writing, and takes none from the research.
THINKING_S = 120.0


@dataclass(frozen=True, slots=True)
class Engine:
    """Answers questions. It knows ports; `wiring` gives it what stands behind them."""

    model: ChatModel | None
    search: WebSearch
    reader: PageReader
    prompts: Prompts
    settings: Settings
    today: Callable[[], date]
    ledger: OutboundLedger | None = None
    must_think: bool = False

    def thinking(self) -> Engine:
        """Return this engine with a model that reasons before it answers, whatever is set."""
        llm, limits = self.settings.llm, self.settings.limits
        longer = {
            "wall_clock_s": limits.wall_clock_s + THINKING_S,
            "answer_reserve_s": limits.answer_reserve_s + THINKING_S,
        }
        changed = {
            "llm": llm.model_copy(update={"think": True}),
            "limits": limits.model_copy(update=longer),
        }
        return replace(self, settings=self.settings.model_copy(update=changed), must_think=True)

    async def run(self, question: str, conversation: Conversation, *, emit: Emit) -> RunEnd:
        """Search the web for an answer. Everything that happens is emitted, the end last.

        A cancelled run emits `Cancelled`, leaves nothing running, and lets the cancellation pass.
        """
        limits = self.settings.limits
        progress = Progress(
            emit,
            wall_clock_s=limits.wall_clock_s,
            answer_reserve_s=limits.answer_reserve_s,
            ledger=self.ledger,
            occasion=question.strip(),
        )
        try:
            async with asyncio.TaskGroup() as group:
                # Caught inside, so that a failure comes out as itself and not as a group.
                end = await self._settled(question.strip(), conversation, progress, group)
            # A stop that came while the end was being put together still counts.
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            progress.move(Phase.CANCELLED)
            emit(Cancelled())
            raise
        progress.move(Phase.FAILED if isinstance(end, Failed) else Phase.DONE)
        emit(end)
        return end

    async def chat(self, message: str, conversation: Conversation, *, emit: Emit) -> RunEnd:
        """Talk to the model alone; nothing is searched.

        A cancelled chat emits `Cancelled` and lets the cancellation pass.
        """

        async def talk() -> RunEnd:
            model = await self._told_model(message, emit)
            return await converse(
                model, self.prompts, self.settings, self.today(), message, conversation, emit
            )

        return await _ended(talk(), emit)

    async def rework(self, task: TextTask, text: str, wish: str, *, emit: Emit) -> RunEnd:
        """Let the model do something with a text; nothing is searched.

        Cancelling is as in `chat`.
        """

        async def work() -> RunEnd:
            model = await self._told_model(f"/{task} {wish}".strip(), emit)
            return await rework(model, self.prompts, self.settings, task, text, wish, emit)

        return await _ended(work(), emit)

    async def _told_model(self, message: str, emit: Emit) -> ChatModel | None:
        """Return the model, once note is taken of where the message goes."""
        if self.model is not None:
            sent = recorded(self.ledger, message, emit, lambda code, said: emit(Warned(code, said)))
            tell_of_model(info := await self.model.info(), sent)
            if told := self._cannot_think(info):
                emit(Warned(WarningCode.NOT_REASONING, told))
        return self.model

    def _cannot_think(self, info: ModelInfo) -> str:
        """Say that a model that was to reason does not. Only some servers tell that beforehand."""
        if not self.must_think or not info.capabilities or "thinking" in info.capabilities:
            return ""
        return f"{info.name} is not a reasoning model: it answers without thinking first."

    async def _settled(
        self,
        question: str,
        conversation: Conversation,
        progress: Progress,
        group: asyncio.TaskGroup,
    ) -> RunEnd:
        research = Research(question, self.search, self.reader, self.settings, progress, group)
        try:
            return await self._run(question, conversation, progress, research)
        except AskanceError as exc:
            return _failed(exc)
        finally:
            research.stop()

    async def _run(
        self, question: str, conversation: Conversation, progress: Progress, research: Research
    ) -> RunEnd:
        if not question:
            raise InputError("The question is empty.", fix="Ask something.")
        research.look_ahead()
        plan, calls = Plan(), None
        try:
            async with asyncio.timeout_at(progress.research_ends_at):
                calls = await self._open_calls(question, conversation, progress)
                plan = await self._plan(calls, progress)
                if plan.action is Action.CLARIFY:
                    progress.move(Phase.CLARIFYING)
                    return ClarifyAsked(plan.clarifying_question, progress.usage)
                if plan.history_sufficiency is not Sufficiency.SUFFICIENT:
                    await research.investigate(plan, calls, self.prompts)
        except TimeoutError:
            progress.warn(
                WarningCode.TIME_LIMIT,
                f"The search was ended after {self.settings.limits.wall_clock_s:.0f} s"
                " less the time for writing; the answer rests on what was found by then.",
            )
            research.salvage(calls)
        research.stop()
        conclusion = Conclusion(question, calls, self.prompts, self.settings, progress, research)
        if calls and plan.history_sufficiency is Sufficiency.SUFFICIENT:
            return await conclusion.from_history()
        return await conclusion.from_evidence()

    async def _open_calls(
        self, question: str, conversation: Conversation, progress: Progress
    ) -> Calls | None:
        """Get in touch with the model. None if nothing answers; the run then goes on without it."""
        if self.model is None:
            progress.warn(WarningCode.MODEL_UNAVAILABLE, "No language model is set up.")
            return None
        try:
            info = await self.model.info()
        except ServiceError as exc:
            progress.warn(WarningCode.MODEL_UNAVAILABLE, str(exc))
            return None
        tell_of_model(info, progress.sent)
        if told := self._cannot_think(info):
            progress.warn(WarningCode.NOT_REASONING, told)
        return Calls(
            self.model,
            Governor(info.context_tokens, reply_tokens(self.settings)),
            self.prompts,
            progress,
            system=self.prompts.render("system", today=self.today().isoformat()),
            turns=conversation.turns,
            question=question,
            think=self.settings.llm.think,
            is_small=0 < info.size_bytes < SMALL_MODEL_BYTES,
        )

    async def _plan(self, calls: Calls | None, progress: Progress) -> Plan:
        if calls is None:
            return Plan(fallback=True)
        limit_s = self.settings.limits.plan_s
        try:
            async with asyncio.timeout(limit_s):
                return await make_plan(calls, self.prompts, progress)
        except TimeoutError:
            problem = f"it took longer than {limit_s:g} s."
        except ServiceError as exc:
            problem = exc.problem
        progress.warn(WarningCode.PLAN_FAILED, f"The model gave no plan: {problem}")
        return Plan(fallback=True)


async def _ended(talk: Coroutine[Any, Any, RunEnd], emit: Emit) -> RunEnd:
    """Emit how a talk ended, last."""
    try:
        end = await talk
    except asyncio.CancelledError:
        emit(Cancelled())
        raise
    except AskanceError as exc:
        end = _failed(exc)
    emit(end)
    return end


def _failed(exc: AskanceError) -> Failed:
    if isinstance(exc, ServiceError):
        return Failed(exc.problem, exc.fix, exc.service, exc.address)
    return Failed(exc.problem, exc.fix)
