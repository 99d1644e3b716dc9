"""One question that is searched, from the plan to the answer.

Read it beside the picture in `docs/architecture.md`: the moves are those of the table.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import astuple, dataclass, field, replace
from itertools import compress
from typing import Any, TypeVar

from pydantic import BaseModel

from askance.config.choices import LibraryLookup, Verification
from askance.config.settings import Settings
from askance.domain.conversation import Outcome, Turn, TurnInput
from askance.domain.errors import UNUSABLE_MODEL, InputError, PromptTooLong, ServiceError
from askance.domain.events import (
    ClarifyAsked,
    RunEnd,
    SettingsFitted,
    TimeExpected,
    WarningCode,
)
from askance.domain.messages import NOTHING, Message
from askance.domain.phases import Action, Phase, Plan, Sufficiency, Verdict
from askance.domain.ports.model import ChatModel, Defaults, Evaluated, ModelInfo, not_evaluated
from askance.engine.answer import AnswerStage
from askance.engine.context_budget import ContextBudget, reply_tokens, too_small
from askance.engine.judge import Judge
from askance.engine.library_recall import LibraryRecall
from askance.engine.model_session import ModelSession
from askance.engine.model_speed import ModelSpeed
from askance.engine.names import is_foreign
from askance.engine.page_choice import PageChooser
from askance.engine.plan import plan_in_time
from askance.engine.progress import RunState, log_error, log_model, warn_withheld_turns
from askance.engine.prompts import Prompts
from askance.engine.research import Research
from askance.engine.time_budget import TimeBudget, unwatched
from askance.engine.transcript import PromptedTurn, Transcript
from askance.engine.transcript_recall import (
    ask_evidence,
    enter_quotes,
    is_enough,
    is_in_hand,
    recall,
)
from askance.text.languages.recognition import recognise

# Whether a model follows more than one line is what `askance evaluate` finds out: its grade counts. The size
# stands in for a model that was never evaluated: below half a billion parameters at four bits, models
# repeat instructions instead of following them, measured with SmolLM2-135M.
PLAN_TIMEOUT_S = 25.0
"""After so long the question is searched as it stands."""
SMALL_MODEL_BYTES = 350_000_000
# A question that takes so much of the context is too long for it; otherwise the context is too small.
LONG_QUESTION = 0.25
_Section = TypeVar("_Section", bound=BaseModel)


@dataclass(slots=True)
class QuestionRun:
    """A run and what it works with. `turns` came before the question; `about` is a text that it is about.

    `evaluated` knows what was measured of the model: `settings` fit it once it is there, as `calls` and
    `judge` are then. `local` is what the library has, `recalled` where evidence is from that was held
    to be enough without a search. `is_narrowed` says that only a part of the web is to answer, and no
    evidence of earlier turns. With `is_fresh` the web is searched whatever is at hand.
    """

    question: str
    about: str
    turns: tuple[Turn, ...]
    model: ChatModel | None
    prompts: Prompts
    settings: Settings
    system: str
    model_speed: ModelSpeed
    transcript: Transcript
    progress: RunState
    time_budget: TimeBudget
    research: Research
    local: LibraryRecall
    evaluated: Evaluated = not_evaluated
    must_think: bool = False
    reads_ahead: bool = True
    is_narrowed: bool = False
    is_fresh: bool = False
    defaults: Defaults = field(default_factory=Defaults, init=False)
    calls: ModelSession | None = field(default=None, init=False)
    judge: Judge | None = field(default=None, init=False)
    recalled: Outcome | None = field(default=None, init=False)
    _is_cut_off: bool = field(default=False, init=False)
    _model_host: str = field(default="", init=False)
    _readable: tuple[Turn, ...] = field(default=(), init=False)
    """The turns that the model may read; none before it is known where it is."""

    async def run(self) -> RunEnd:
        """Gather the evidence, in the time that there is, and answer from it.

        Raises:
            InputError: there is no question, or it is longer than the model's context.
            ServiceError: what the answer cannot do without was not to be had.
        """
        if not self.question:
            raise InputError(Message("There is no question."), fix=Message("Type a question."))
        progress, research = self.progress, self.research
        prompted = () if self.about or self.is_narrowed else self.transcript.of(self.turns)
        in_hand = (
            not self.is_fresh
            and any(prompted)
            and await asyncio.to_thread(is_in_hand, self.question, self.turns, prompted)
        )
        if not in_hand:
            await self.local.look()
            if not self.local.is_promising:
                self._look_ahead()
        if asked_back := await self._in_time(self._gather(prompted, in_hand=in_hand)):
            return asked_back
        answer_stage = AnswerStage(
            self.question,
            self.calls,
            self.prompts,
            self.settings,
            progress,
            self.time_budget,
            research,
            self.local.left_out,
        )
        is_held_enough = self.judge and (self.recalled or is_enough(research.verdict))
        may_search_on = is_held_enough and searches(self.settings) and not self._is_cut_off
        end = await answer_stage.from_evidence(
            recalled=self.recalled, search_on=self._search_on if may_search_on else None
        )
        if self.calls and not end.opening:
            prompted_turn = research.ledger.prompted(self.calls.written)
            self.transcript.store(self.turns, end.answer, prompted_turn)
        return replace(end, inputs=self._inputs(), model_host=self._model_host)

    def _inputs(self) -> tuple[TurnInput, ...]:
        """Return what went into the turn, by where each text came from."""
        sources = self.research.ledger.sources
        came = {
            TurnInput.QUERY: self.progress.searches > 0,
            TurnInput.TYPED: self.progress.searches == 0,
            TurnInput.WEB: any(not source.is_private for source in sources),
            TurnInput.TEXT: bool(self.about),
            TurnInput.DOCUMENTS: any(source.is_private for source in sources),
            TurnInput.EARLIER: any(not turn.is_public for turn in self._readable),
        }
        return tuple(given for given, is_there in came.items() if is_there)

    async def _in_time(self, work: Coroutine[Any, Any, ClarifyAsked | None]) -> ClarifyAsked | None:
        """Do research until its time is up. What came by then is entered, and the run says so."""
        try:
            async with asyncio.timeout_at(self.progress.research_ends_at) as limit:
                self.time_budget.on_change = limit.reschedule
                return await work
        except TimeoutError:
            self.progress.warn(
                WarningCode.TIME_LIMIT,
                Message(
                    "The search was ended after {n} s (limits.run_timeout_s) less the time for writing; "
                    "the answer rests on what was found by then.",
                    n=round(self.progress.wall_clock_s),
                ),
            )
            await self.research.salvage(self.calls)
            return None
        finally:
            self.time_budget.on_change = unwatched

    async def _gather(
        self, prompted: tuple[PromptedTurn | None, ...], *, in_hand: bool
    ) -> ClarifyAsked | None:
        """Fill the ledger, or ask back.

        `in_hand` says that the evidence in the prompts may answer at once: nothing was searched yet.
        """
        self.calls = calls = await self._open_calls(prompted)
        self.transcript.retain(calls.prompted if calls else ())
        self.time_budget.update()
        verdict = None
        if calls:
            self.judge = Judge(
                calls,
                self.prompts,
                self.progress,
                self.time_budget,
                self.question,
                asks_model=self.defaults.judges is not False,
            )
            self.research.restore(calls.prompted)
            if in_hand and calls.prompted:
                verdict = await ask_evidence(self.research.ledger, self.judge, self.progress)
                self.recalled = Outcome.HISTORY if is_enough(verdict) else None
        if not searches(self.settings):
            await self._stay_here()
        elif not self.recalled:
            if in_hand:
                await self.local.look()
            verdict = await self._ask_library() or verdict
        if self.recalled:
            return None
        self._look_ahead()
        plan = await self._plan(calls, verdict)
        if plan.action is Action.CLARIFY:
            self.progress.move(Phase.CLARIFYING)
            return ClarifyAsked(plan.clarifying_question, self.progress.usage)
        if await self._is_recalled(plan):
            self.recalled = Outcome.HISTORY
        else:
            await self._investigate(plan)
        return None

    async def _ask_library(self) -> Verdict | None:
        """Ask the library where it may answer before the web; the verdict on what it has."""
        if not self.local.is_promising:
            return None
        verdict = await self.local.recall(self.research, self.judge)
        self.recalled = Outcome.LIBRARY if is_enough(verdict) else None
        return verdict

    async def _stay_here(self) -> None:
        """Gather what the conversation and the library have, and leave it at that."""
        if self.recalled:
            return
        ledger = self.research.ledger
        if (
            self.calls
            and not self.calls.prompted
            and not self.is_narrowed
            and self.settings.library.recall is not LibraryLookup.ONLY
        ):
            most = self.settings.evidence.first_round_tokens
            enter_quotes(self._readable, ledger, self.calls.budget, most_tokens=most)
        await self.local.look(in_full=True)
        await self.local.recall(self.research, self.judge, include_weak=True)
        from_library = any(source.kept for source in ledger.entered_sources)
        self.recalled = Outcome.LIBRARY if from_library or not ledger.extracts else Outcome.HISTORY

    async def _search_on(self) -> None:
        """Search for what the writer did not find, although the judge had held it to be there."""
        await self._in_time(self._go_on())

    async def _go_on(self) -> None:
        if not self.recalled and self.judge:
            await self.research.go_on(self.judge)
            return
        self.recalled = None
        if not self.research.search_run.asked:
            self._look_ahead()
        await self._investigate(await self._plan(self.calls, None))

    async def _investigate(self, plan: Plan) -> None:
        choosing = None
        if self.calls and self.settings.reader.selective:
            choosing = PageChooser(
                self.settings.reader, self.calls, self.prompts, self.progress, self.time_budget
            )
        try:
            await self.research.investigate(plan, self.judge, choosing)
        except ServiceError as exc:
            if not await self.local.fall_back(self.research):
                raise
            log_error(exc)
            self.progress.warn(
                WarningCode.LIBRARY_ALONE,
                Message(
                    "The web could not be searched, so the answer rests on your library alone: {problem}",
                    problem=exc.problem,
                ),
            )
            self.recalled = Outcome.LIBRARY
            self._is_cut_off = True

    def _look_ahead(self) -> None:
        if self.reads_ahead and searches(self.settings):
            self.research.look_ahead()

    async def _is_recalled(self, plan: Plan) -> bool:
        """Whether the quotes of earlier answers suffice, where no more of their evidence is at hand."""
        judge = self.judge
        if (
            judge is None
            or self.is_narrowed
            or self.is_fresh
            or judge.calls.prompted
            or plan.history_sufficiency is not Sufficiency.SUFFICIENT
        ):
            return False
        most = self.settings.evidence.first_round_tokens
        ledger = self.research.ledger
        return await recall(self._readable, ledger, judge, self.progress, most_tokens=most)

    async def _open_calls(self, prompted: tuple[PromptedTurn | None, ...]) -> ModelSession | None:
        """Get in touch with the model. None if there is none to be used; the run then goes on without it."""
        progress = self.progress
        if self.model is None:
            progress.warn(WarningCode.MODEL_UNAVAILABLE, Message("No language model is set up."))
            return None
        try:
            info = await self.model.info()
        except UNUSABLE_MODEL as exc:
            log_error(exc)
            progress.warn(WarningCode.MODEL_UNAVAILABLE, exc.message)
            return None
        log_model(info, progress.sent)
        self.local.withhold_from(info.host)
        self._model_host = info.host
        shared = self.settings.library.share_with_remote_model
        is_shown = [shared or turn.may_be_sent_to(info.host) for turn in self.turns]
        self._readable = tuple(compress(self.turns, is_shown))
        if not all(is_shown):
            warn_withheld_turns(progress.warn, info.host)
        await self.model_speed.recall(info.name)
        self._fit(await self.evaluated(info.name))
        if expected_s := self.model_speed.speed.typical_run_s:
            progress.emit(TimeExpected(expected_s))
        if self.must_think and (problem := cannot_think(info)):
            progress.warn(WarningCode.NOT_REASONING, problem)
        context = self.model_speed.context_tokens(info.context_tokens)
        budget = ContextBudget(context, reply_tokens(self.settings), self.model_speed.token_factor)
        return self._calls_within(info, budget, tuple(compress(prompted, is_shown)))

    def _calls_within(
        self, info: ModelInfo, budget: ContextBudget, prompted: tuple[PromptedTurn | None, ...]
    ) -> ModelSession | None:
        """The run's calls; None where the model's context has no room for a question like this one.

        Raises:
            PromptTooLong: it is the question that is too long.
        """
        assert self.model is not None
        question = f"{self.question} (about: {self.about})" if self.about else self.question
        try:
            return ModelSession(
                self.model,
                budget,
                self.prompts,
                self.progress,
                system=self.system,
                turns=self._readable,
                prompted=prompted,
                evidence_tokens=self.settings.evidence.first_round_tokens,
                question=question,
                think=self.settings.llm.think,
                is_small=is_small(info, self.defaults),
                model_speed=self.model_speed,
            )
        except PromptTooLong:
            if budget.cost(question) > LONG_QUESTION * budget.context_tokens:
                raise
        known = replace(info, context_tokens=budget.context_tokens)
        self.progress.warn(WarningCode.MODEL_UNAVAILABLE, too_small(known))
        return None

    def _fit(self, defaults: Defaults) -> None:
        """Go on with the settings that fit the model, and tell which they are."""
        self.defaults = defaults
        settings, change = fitted(self.settings, defaults)
        if change is not None:
            self.settings = self.research.settings = settings
            self.time_budget.limits = settings.limits
            self.progress.emit(change)

    async def _plan(self, calls: ModelSession | None, verdict: Verdict | None) -> Plan:
        # What the evidence in hand lacks is all that is searched; a plan would only say it again.
        plan = Plan(queries=verdict.gap_queries) if verdict else Plan()
        plan = (
            plan
            if plan.queries
            else await plan_in_time(
                calls,
                self.prompts,
                self.progress,
                self.time_budget,
                PLAN_TIMEOUT_S + self.model_speed.load_s,
                # What is asked in another language may be known in English: the plan says how to ask there.
                stands_alone=not (self.turns or self.about or is_foreign(self.question)),
            )
        )
        self.time_budget.update()
        if self.judge:
            # Of a few words nobody knows which language they are of; a query that tells comes before.
            queries = sorted(plan.queries, key=lambda query: not recognise(query))
            self.judge.wordings = (self.question, *queries)
        return plan


def searches(settings: Settings) -> bool:
    """Say whether the web may be searched at all."""
    return settings.search.enabled and settings.library.recall is not LibraryLookup.ONLY


def is_small(info: ModelInfo, defaults: Defaults) -> bool:
    """Say whether a model is to be asked in few words."""
    if defaults.is_small is not None:
        return defaults.is_small
    return 0 < info.size_bytes < SMALL_MODEL_BYTES


def fitted(settings: Settings, defaults: Defaults) -> tuple[Settings, SettingsFitted | None]:
    """Return settings as they fit a model, and what is to be told of it; None where nothing is.

    What was measured takes the place of what no source of the settings has set.
    """
    evidence = _unless_set(settings.evidence, "first_portion_tokens", defaults.first_portion_tokens)
    limits = _unless_set(settings.limits, "run_timeout_s", defaults.run_timeout_s)
    answer, verifies = settings.answer, None
    if answer.verify is Verification.AUTO and defaults.verifies is not None:
        verifies = defaults.verifies
        verify = Verification.ALWAYS if verifies else Verification.NEVER
        answer = answer.model_copy(update={"verify": verify})
    event = SettingsFitted(
        None if evidence is settings.evidence else defaults.first_portion_tokens,
        None if limits is settings.limits else defaults.run_timeout_s,
        defaults.judges,
        verifies,
        defaults.is_small,
    )
    if all(value is None for value in astuple(event)):
        return settings, None
    changed = {"evidence": evidence, "limits": limits, "answer": answer}
    return settings.model_copy(update=changed), event


def _unless_set(section: _Section, name: str, measured: float | None) -> _Section:
    """The section with what was measured, or the section itself."""
    if measured is None or name in section.model_fields_set:
        return section
    return section.model_copy(update={name: measured})


def cannot_think(info: ModelInfo) -> Message:
    """Say that a model that was to reason does not. Only some servers tell that beforehand."""
    if not info.capabilities or "thinking" in info.capabilities:
        return NOTHING
    return Message(
        "{model} is not a reasoning model: it answers without thinking first.", model=info.name
    )
