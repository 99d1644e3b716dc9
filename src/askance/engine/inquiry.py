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

from askance.config.choices import Recall, Verification
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
from askance.engine.answer import Conclusion
from askance.engine.budget import Governor, reply_tokens, too_small
from askance.engine.calls import Calls
from askance.engine.choosing import Choosing
from askance.engine.judge import Judge
from askance.engine.library_recall import LibraryRecall
from askance.engine.names import is_foreign
from askance.engine.pace import Pace
from askance.engine.plan import plan_in_time
from askance.engine.progress import Progress, log_error, tell_of_model, warn_withheld_turns
from askance.engine.prompts import Prompts
from askance.engine.recalling import ask_evidence, enter_quotes, is_enough, is_in_hand, recall
from askance.engine.research import Research
from askance.engine.schedule import Schedule, unwatched
from askance.engine.transcript import PromptedTurn, Transcript
from askance.languages.recognition import recognise
from askance.ports.model import ChatModel, Defaults, Evaluated, ModelInfo, not_evaluated

# Whether a model follows more than one line is what `askance evaluate` finds out: its grade counts. The size
# stands in for a model that was never evaluated: below half a billion parameters at four bits, models
# repeat instructions instead of following them, measured with SmolLM2-135M.
SMALL_MODEL_BYTES = 350_000_000
# A question that takes so much of the context is too long for it; otherwise the context is too small.
LONG_QUESTION = 0.25
_Section = TypeVar("_Section", bound=BaseModel)


@dataclass(slots=True)
class Inquiry:
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
    pace: Pace
    transcript: Transcript
    progress: Progress
    schedule: Schedule
    research: Research
    local: LibraryRecall
    evaluated: Evaluated = not_evaluated
    must_think: bool = False
    reads_ahead: bool = True
    is_narrowed: bool = False
    is_fresh: bool = False
    defaults: Defaults = field(default_factory=Defaults, init=False)
    calls: Calls | None = field(default=None, init=False)
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
        conclusion = Conclusion(
            self.question,
            self.calls,
            self.prompts,
            self.settings,
            progress,
            self.schedule,
            research,
            self.local.left_out,
        )
        is_held_enough = self.judge and (self.recalled or is_enough(research.verdict))
        may_search_on = is_held_enough and searches(self.settings) and not self._is_cut_off
        end = await conclusion.from_evidence(
            recalled=self.recalled, search_on=self._search_on if may_search_on else None
        )
        if self.calls and not end.opening:
            told = research.ledger.prompted(self.calls.written)
            self.transcript.keep(self.turns, end.answer, told)
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
                self.schedule.on_change = limit.reschedule
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
            self.schedule.on_change = unwatched

    async def _gather(
        self, prompted: tuple[PromptedTurn | None, ...], *, in_hand: bool
    ) -> ClarifyAsked | None:
        """Fill the ledger, or ask back.

        `in_hand` says that the evidence in the prompts may answer at once: nothing was searched yet.
        """
        self.calls = calls = await self._open_calls(prompted)
        self.transcript.retain(calls.prompted if calls else ())
        self.schedule.update()
        verdict = None
        if calls:
            self.judge = Judge(
                calls,
                self.prompts,
                self.progress,
                self.schedule,
                self.question,
                asks_model=self.defaults.judges is not False,
            )
            self.research.keep(calls.prompted)
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
            and self.settings.library.recall is not Recall.ONLY
        ):
            most = self.settings.evidence.first_round_tokens
            enter_quotes(self._readable, ledger, self.calls.governor, most_tokens=most)
        await self.local.look(thoroughly=True)
        await self.local.recall(self.research, self.judge, whatever=True)
        is_kept = any(source.kept for source in ledger.entered_sources)
        self.recalled = Outcome.LIBRARY if is_kept or not ledger.extracts else Outcome.HISTORY

    async def _search_on(self) -> None:
        """Search for what the writer did not find, although the judge had held it to be there."""
        await self._in_time(self._go_on())

    async def _go_on(self) -> None:
        if not self.recalled and self.judge:
            await self.research.go_on(self.judge)
            return
        self.recalled = None
        if not self.research.searching.asked:
            self._look_ahead()
        await self._investigate(await self._plan(self.calls, None))

    async def _investigate(self, plan: Plan) -> None:
        choosing = None
        if self.calls and self.settings.reader.selective:
            choosing = Choosing(
                self.settings.reader, self.calls, self.prompts, self.progress, self.schedule
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

    async def _open_calls(self, prompted: tuple[PromptedTurn | None, ...]) -> Calls | None:
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
        tell_of_model(info, progress.sent)
        self.local.withhold_from(info.host)
        self._model_host = info.host
        shared = self.settings.library.share_with_remote_model
        is_shown = [shared or turn.may_be_sent_to(info.host) for turn in self.turns]
        self._readable = tuple(compress(self.turns, is_shown))
        if not all(is_shown):
            warn_withheld_turns(progress.warn, info.host)
        await self.pace.recall(info.name)
        self._fit(await self.evaluated(info.name))
        if expected_s := self.pace.speed.typical_run_s:
            progress.emit(TimeExpected(expected_s))
        if self.must_think and (told := cannot_think(info)):
            progress.warn(WarningCode.NOT_REASONING, told)
        context = self.pace.context_tokens(info.context_tokens)
        governor = Governor(context, reply_tokens(self.settings), self.pace.token_factor)
        return self._calls_within(info, governor, tuple(compress(prompted, is_shown)))

    def _calls_within(
        self, info: ModelInfo, governor: Governor, prompted: tuple[PromptedTurn | None, ...]
    ) -> Calls | None:
        """The run's calls; None where the model's context has no room for a question like this one.

        Raises:
            PromptTooLong: it is the question that is too long.
        """
        assert self.model is not None
        question = f"{self.question} (about: {self.about})" if self.about else self.question
        try:
            return Calls(
                self.model,
                governor,
                self.prompts,
                self.progress,
                system=self.system,
                turns=self._readable,
                prompted=prompted,
                evidence_tokens=self.settings.evidence.first_round_tokens,
                question=question,
                think=self.settings.llm.think,
                is_small=is_small(info, self.defaults),
                pace=self.pace,
            )
        except PromptTooLong:
            if governor.cost(question) > LONG_QUESTION * governor.context_tokens:
                raise
        known = replace(info, context_tokens=governor.context_tokens)
        self.progress.warn(WarningCode.MODEL_UNAVAILABLE, too_small(known))
        return None

    def _fit(self, defaults: Defaults) -> None:
        """Go on with the settings that fit the model, and tell which they are."""
        self.defaults = defaults
        settings, told = fitted(self.settings, defaults)
        if told is not None:
            self.settings = self.research.settings = settings
            self.schedule.limits = settings.limits
            self.progress.emit(told)

    async def _plan(self, calls: Calls | None, verdict: Verdict | None) -> Plan:
        # What the evidence in hand lacks is all that is searched; a plan would only say it again.
        plan = Plan(queries=verdict.gap_queries) if verdict else Plan()
        plan = (
            plan
            if plan.queries
            else await plan_in_time(
                calls,
                self.prompts,
                self.progress,
                self.schedule,
                self.settings.limits.plan_timeout_s + self.pace.load_s,
                # What is asked in another language may be known in English: the plan says how to ask there.
                stands_alone=not (self.turns or self.about or is_foreign(self.question)),
            )
        )
        self.schedule.update()
        if self.judge:
            # Of a few words nobody knows which language they are of; a query that tells comes before.
            told = sorted(plan.queries, key=lambda query: not recognise(query))
            self.judge.wordings = (self.question, *told)
        return plan


def searches(settings: Settings) -> bool:
    """Say whether the web may be searched at all."""
    return settings.search.enabled and settings.library.recall is not Recall.ONLY


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
    told = SettingsFitted(
        None if evidence is settings.evidence else defaults.first_portion_tokens,
        None if limits is settings.limits else defaults.run_timeout_s,
        defaults.judges,
        verifies,
        defaults.is_small,
    )
    if all(value is None for value in astuple(told)):
        return settings, None
    changed = {"evidence": evidence, "limits": limits, "answer": answer}
    return settings.model_copy(update=changed), told


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
