"""One question that is searched, from the plan to the answer.

Read it beside the picture in `docs/architecture.md`: the moves are those of the table.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import astuple, replace
from itertools import compress
from typing import TypeVar

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
    ignore,
)
from askance.domain.evidence import Passage
from askance.domain.messages import NOTHING, Message, Remedy
from askance.domain.phases import Action, Phase, Plan, Sufficiency, Verdict
from askance.domain.ports.model import ChatModel, Defaults, ModelInfo
from askance.engine.context import EngineParts, RunContext
from askance.engine.judge import PLAN_SCHEMA, is_enough, plan_in_time
from askance.engine.model_session import ModelSession
from askance.engine.prompts import ContextBudget, PromptedTurn, too_small
from askance.engine.queries import is_foreign, stands_alone
from askance.engine.recall import LibraryRecall, ask_evidence, enter_quotes, in_hand_of
from askance.engine.research import Research
from askance.engine.run_progress import log_error, log_model, warn_withheld_turns
from askance.text.languages.recognition import recognise

# Whether a model follows more than one line is what `askance evaluate` finds out: its grade counts. The size
# stands in for a model that was never evaluated: below half a billion parameters at four bits, models
# repeat instructions instead of following them, measured with SmolLM2-135M.
PLAN_TIMEOUT_S = 25.0
"""After so long the question is searched as it stands."""
SMALL_MODEL_BYTES = 350_000_000
# A question that takes so much of the context is too long for it; otherwise the context is too small.
LONG_QUESTION = 0.25


_Result = TypeVar("_Result")


class QuestionRun:
    """A question on its way to an answer.

    `local` is what the library has, `recalled` where evidence is from that was held to be enough without a search.
    """

    def __init__(self, run: RunContext, engine: EngineParts, group: asyncio.TaskGroup) -> None:
        self.context = run
        self.research = Research(run, engine.search, engine.reader, group)
        # What stands in the library is of no site and no day that a scope of the web names.
        has_library = not run.is_narrowed or run.request.scope.documents
        library = engine.attached or (engine.library if has_library else None)
        self.local = LibraryRecall(run, library, engine.today())
        self.recalled: Outcome | None = None
        self._engine = engine
        self._group = group
        self._defaults = Defaults()
        self._is_cut_off = False
        self._model_host = ""
        # The turns that the model may read; none before it is known where it is.
        self._readable: tuple[Turn, ...] = ()

    async def run(self) -> RunEnd:
        """Gather the evidence, in the time that there is, and answer from it.

        Raises:
            InputError: there is no question, or it is longer than the model's context.
            ServiceError: what the answer cannot do without was not to be had.
        """
        run, research = self.context, self.research
        if not run.question:
            raise InputError(Message("There is no question."), fix=Message("Type a question."))
        # A part of the web, or a text of the user's, is to answer: earlier evidence has no say.
        is_apart = run.about or run.is_narrowed or run.request.attached
        prompted = () if is_apart else self._engine.transcript.of(run.turns)
        # In a thread: the evidence of many turns is stemmed for it, longer than a frame takes.
        in_hand = None
        if not run.is_fresh and any(prompted):
            in_hand = await asyncio.to_thread(in_hand_of, run.question, run.turns, prompted)
        # The library takes milliseconds: only where it promises nothing does a query leave at once.
        if in_hand is None:
            await self.local.look()
            if run.request.attached or not self.local.is_promising:
                self._look_ahead()
        if asked_back := await self._in_time(self._gather(prompted, in_hand=in_hand)):
            return asked_back
        # Not above: a run sends its first query before it loads what checks an answer.
        from askance.engine.answer import AnswerStage  # noqa: PLC0415

        answer_stage = AnswerStage(run, research, self.local.left_out)
        is_open = research.judge and (self.recalled or research.is_open)
        # Where the web could not be searched a moment ago it cannot be now.
        may_search_on = is_open and run.searches_web and not self._is_cut_off
        end = await answer_stage.from_evidence(
            recalled=self.recalled,
            search_on=(lambda: self._in_time(self._search_on())) if may_search_on else None,
        )
        # Passages that were shown in the model's place stand in no prompt of its server.
        if run.calls and not end.opening:
            prompted_turn = research.evidence.prompted(run.calls.written, research.pages)
            self._engine.transcript.store(run.turns, end.answer, prompted_turn)
        return replace(end, inputs=self._inputs(), model_host=self._model_host)

    def _inputs(self) -> tuple[TurnInput, ...]:
        """Return what went into the turn, by where each text came from."""
        run, sources = self.context, self.research.evidence.sources
        came = {
            TurnInput.QUERY: run.progress.searches > 0,
            TurnInput.TYPED: run.progress.searches == 0,
            TurnInput.WEB: any(not source.is_private for source in sources),
            TurnInput.TEXT: bool(run.about),
            TurnInput.DOCUMENTS: any(source.is_private for source in sources),
            TurnInput.EARLIER: any(not turn.is_public for turn in self._readable),
        }
        return tuple(given for given, is_there in came.items() if is_there)

    async def _in_time(self, work: Awaitable[_Result]) -> _Result | None:
        """Do research until its time is up. What came by then is entered, and the run says so."""
        progress, time_budget = self.context.progress, self.context.time_budget
        try:
            async with asyncio.timeout_at(progress.research_ends_at) as limit:
                # The model's pace is known only in the midst of the run: then its end moves.
                time_budget.on_change = limit.reschedule
                return await work
        except TimeoutError:
            progress.warn(
                WarningCode.TIME_LIMIT,
                Message(
                    "The search was ended after {n} s (limits.run_timeout_s) less the time for writing; "
                    "the answer rests on what was found by then.",
                    n=round(progress.wall_clock_s),
                ),
            )
            # Outside of the limit that has just ended: it enters what is there, and asks for
            # nothing.
            await self.research.salvage()
            return None
        finally:
            time_budget.on_change = ignore

    async def _gather(
        self,
        prompted: tuple[PromptedTurn | None, ...],
        *,
        in_hand: Sequence[Passage] | None,
    ) -> ClarifyAsked | None:
        """Gather the evidence, or ask back.

        `in_hand` is what the evidence in the prompts needs beside it to answer at once: nothing was searched yet.
        None where it does not.
        """
        run, research = self.context, self.research
        run.calls = calls = await self._open_calls(prompted)
        # What left the prompts once is not in the server's cache any more, even if it fits again later.
        self._engine.transcript.retain(calls.prompted if calls else ())
        # The model is known now, and with it its pace: the ends of the run move.
        run.time_budget.update()
        verdict = None
        if calls:
            judge = research.judged_by(calls, self._defaults)
            if in_hand is not None and calls.prompted:
                pages = [page for turn in calls.prompted for page in turn.pages]
                research.evidence.add_read(in_hand, pages)
                research.publish_evidence()
                verdict = await ask_evidence(run, research.evidence, judge)
                self.recalled = Outcome.HISTORY if is_enough(verdict) else None
        if not run.searches_web:
            await self._stay_here()
        elif not (self.recalled or run.request.attached):
            if in_hand is not None:
                await self.local.look()
            verdict = await self._ask_library() or verdict
        if self.recalled:
            return None
        self._look_ahead()
        plan = await self._plan(verdict)
        if plan.action is Action.CLARIFY:
            run.progress.move(Phase.CLARIFYING)
            return ClarifyAsked(plan.clarifying_question, run.progress.usage)
        if run.request.attached:
            # Behind the plan, which is made of the question alone.
            await self.local.enter_beside(self.research)
            await self._investigate(plan)
        elif await self._is_recalled(plan):
            self.recalled = Outcome.HISTORY
        else:
            await self._investigate(plan)
        return None

    async def _ask_library(self) -> Verdict | None:
        """Ask the library where it may answer before the web; the verdict on what it has."""
        if not self.local.is_promising:
            return None
        verdict = await self.local.recall(self.research)
        self.recalled = Outcome.LIBRARY if is_enough(verdict) else None
        return verdict

    async def _stay_here(self) -> None:
        """Gather what the conversation and the library have, and leave it at that."""
        if self.recalled:
            return
        run, evidence = self.context, self.research.evidence
        if (
            run.calls
            and not run.calls.prompted
            and not run.is_narrowed
            and run.lookup is not LibraryLookup.ONLY
        ):
            enter_quotes(run, self._readable, evidence)
        await self.local.look(in_full=True)
        await self.local.recall(self.research, include_weak=True)
        from_library = any(source.kept for source in evidence.entered_sources)
        self.recalled = (
            Outcome.LIBRARY if from_library or not evidence.extracts else Outcome.HISTORY
        )

    async def _search_on(self) -> bool:
        """Bring what the writer did not find; False where nothing more is to be had."""
        if not self.recalled:
            return await self.research.go_on()
        self.recalled = None
        if not self.research.search_run.asked:
            self._look_ahead()
        await self._investigate(await self._plan(None))
        return self.research.is_open

    async def _investigate(self, plan: Plan) -> None:
        try:
            await self.research.investigate(plan)
        # A library that has something is better than an error; the reader is told which it is.
        except ServiceError as exc:
            if not await self.local.fall_back(self.research):
                raise
            log_error(exc)
            self.context.progress.warn(
                WarningCode.LIBRARY_ALONE,
                Message(
                    "The web could not be searched, so the answer rests on your library alone: {problem}",
                    problem=exc.problem,
                ),
            )
            self.recalled = Outcome.LIBRARY
            self._is_cut_off = True

    def _look_ahead(self) -> None:
        if self.context.request.reads_ahead and self.context.searches_web:
            self.research.look_ahead()

    async def _is_recalled(self, plan: Plan) -> bool:
        """Whether the quotes of earlier answers suffice, where no more of their evidence is at hand."""
        run, judge, evidence = self.context, self.research.judge, self.research.evidence
        if (
            judge is None
            or run.is_narrowed
            or run.is_fresh
            or judge.calls.prompted
            or plan.history_sufficiency is not Sufficiency.SUFFICIENT
        ):
            return False
        if not enter_quotes(run, self._readable, evidence):
            return False
        return is_enough(await ask_evidence(run, evidence, judge))

    async def _open_calls(self, prompted: tuple[PromptedTurn | None, ...]) -> ModelSession | None:
        """Get in touch with the model. None if there is none to be used; the run then goes on without it."""
        run, progress = self.context, self.context.progress
        # Without a model the best passages are quoted: that is an answer, too.
        if (model := self._engine.model) is None:
            progress.warn(WarningCode.MODEL_UNAVAILABLE, Message("No language model is set up."))
            return None
        try:
            info = await model.info()
        except UNUSABLE_MODEL as exc:
            log_error(exc)
            progress.warn(WarningCode.MODEL_UNAVAILABLE, exc.message)
            return None
        log_model(info, progress.sent)
        if run.request.pictures:
            require_sight(info, may_leave=run.settings.library.share_with_remote_model)
        self.local.withhold_from(info.host)
        self._model_host = info.host
        shared = run.settings.library.share_with_remote_model
        is_shown = [shared or turn.may_be_sent_to(info.host) for turn in run.turns]
        self._readable = tuple(compress(run.turns, is_shown))
        if not all(is_shown):
            warn_withheld_turns(progress.warn, info.host)
        await run.model_speed.recall(info.name)
        self._fit(await self._engine.evaluated(info.name))
        if expected_s := run.model_speed.speed.typical_run_s:
            progress.emit(TimeExpected(expected_s))
        if run.request.think and (problem := cannot_think(info)):
            progress.warn(WarningCode.NOT_REASONING, problem)
        context = run.model_speed.context_tokens(info.context_tokens)
        budget = ContextBudget(context, run.reply_tokens, run.model_speed.token_factor)
        return self._calls_within(model, info, budget, tuple(compress(prompted, is_shown)))

    def _calls_within(
        self,
        model: ChatModel,
        info: ModelInfo,
        budget: ContextBudget,
        prompted: tuple[PromptedTurn | None, ...],
    ) -> ModelSession | None:
        """The run's calls; None where the model's context has no room for a question like this one.

        Raises:
            PromptTooLong: it is the question that is too long.
        """
        run = self.context
        question = f"{run.question} (about: {run.about})" if run.about else run.question
        try:
            return ModelSession(
                model,
                budget,
                run.prompts,
                run.progress,
                self._engine.system(),
                question,
                self._readable,
                prompted,
                evidence_tokens=run.settings.evidence.first_round_tokens,
                think=run.thinks,
                is_small=is_small(info, self._defaults),
                model_speed=run.model_speed,
                pictures=run.request.pictures,
            )
        # Only of a question that is long itself the user can make less; else the model's context is
        # to blame.
        except PromptTooLong:
            if budget.cost(question) > LONG_QUESTION * budget.context_tokens:
                raise
        known = replace(info, context_tokens=budget.context_tokens)
        run.progress.warn(WarningCode.MODEL_UNAVAILABLE, too_small(known))
        return None

    def _fit(self, defaults: Defaults) -> None:
        """Go on with the settings that fit the model, and tell which they are."""
        self._defaults = defaults
        settings, change = fitted(self.context.settings, defaults)
        if change is not None:
            self.context.fit(settings, defaults.first_portion_tokens)
            self.context.progress.emit(change)

    async def _plan(self, verdict: Verdict | None) -> Plan:
        run, judge = self.context, self.research.judge
        # What the evidence in hand lacks is all that is searched; a plan would only say it again.
        plan = Plan(queries=verdict.gap_queries) if verdict else Plan()
        if not plan.queries:
            speed = run.model_speed
            limit_s = PLAN_TIMEOUT_S + speed.load_s + speed.reply_s(speed.speed.thought_tokens)
            # What is asked in another language may be known in English: the plan says how to ask there.
            is_whole = not (run.turns or run.about or run.message.is_long)
            # Such a question is searched as it is: a plan would cost a hundred tokens, and change nothing.
            is_alone = is_whole and not is_foreign(run.question) and stands_alone(run.question)
            if is_alone and run.calls:
                run.calls.warm(self._group, PLAN_SCHEMA)
            else:
                plan = await plan_in_time(run, limit_s)
        run.time_budget.update()
        if judge:
            # Of a few words nobody knows which language they are of; a query that tells comes before.
            # In a thread: the first text to be recognised loads the model of languages.
            queries = await asyncio.to_thread(
                sorted, plan.queries, key=lambda query: not recognise(query)
            )
            judge.wordings = (*judge.own_wording, *queries)
        return plan


def is_small(info: ModelInfo, defaults: Defaults) -> bool:
    """Say whether a model is to be asked in few words."""
    if defaults.is_small is not None:
        return defaults.is_small
    # 0 is a server that does not tell the size: such a model is not held to be small.
    return 0 < info.size_bytes < SMALL_MODEL_BYTES


def fitted(settings: Settings, defaults: Defaults) -> tuple[Settings, SettingsFitted | None]:
    """Return settings as they fit a model, and a note of it for the user; None where there is none.

    What was measured takes the place of what no source of the settings has set.
    """
    limits, run_timeout_s = settings.limits, None
    # Pydantic knows which fields a file, the environment or a flag has set: those are the user's
    # word.
    if "run_timeout_s" not in limits.model_fields_set and defaults.run_timeout_s is not None:
        run_timeout_s = defaults.run_timeout_s
        limits = limits.model_copy(update={"run_timeout_s": run_timeout_s})
    answer, verifies = settings.answer, None
    if answer.verify is Verification.AUTO and defaults.verifies is not None:
        verifies = defaults.verifies
        verify = Verification.ALWAYS if verifies else Verification.NEVER
        answer = answer.model_copy(update={"verify": verify})
    event = SettingsFitted(
        defaults.first_portion_tokens,
        run_timeout_s,
        defaults.judges,
        verifies,
        defaults.is_small,
    )
    if all(value is None for value in astuple(event)):
        return settings, None
    changed = {"limits": limits, "answer": answer}
    return settings.model_copy(update=changed), event


def require_sight(info: ModelInfo, *, may_leave: bool) -> None:
    """Raise InputError where a model cannot be shown pictures, or may not be: they are the user's own, as files are."""
    if info.sees is False:
        raise InputError(
            Message("{model} cannot see pictures.", model=info.name),
            fix=Message("Choose a model that sees, or take the picture out."),
        )
    if info.host and not may_leave:
        raise InputError(
            Message("Pictures are not shown to a model on {host}.", host=info.host),
            fix=Remedy(
                "Allow it by library.share_with_remote_model, or take the picture out.",
                setting="library.share_with_remote_model",
            ),
        )


def cannot_think(info: ModelInfo) -> Message:
    """Say that a model that was to reason does not. Only some servers tell that beforehand."""
    # OpenAI's protocol has no list of capabilities: there nothing can be said beforehand.
    if not info.capabilities or "thinking" in info.capabilities:
        return NOTHING
    return Message(
        "{model} is not a reasoning model: it answers without thinking first.", model=info.name
    )
