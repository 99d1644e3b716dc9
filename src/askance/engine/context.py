"""A run as it goes on: what was asked, by which settings, with which model, and what it still has time for."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from datetime import date

from askance.config.choices import AnswerLength, LibraryLookup
from askance.config.settings import Settings
from askance.domain.conversation import RunRequest, Turn
from askance.domain.events import WarningCode, ignore
from askance.domain.messages import Message
from askance.domain.ports.model import (
    ChatModel,
    Entailment,
    Evaluated,
    ModelQueue,
    not_evaluated,
)
from askance.domain.ports.web import OutboundLedger, PageReader, WebSearch
from askance.domain.web_pages import WHOLE_WEB
from askance.engine.local_library import LocalLibrary
from askance.engine.model_session import ModelSession
from askance.engine.model_speed import ModelSpeed
from askance.engine.prompts import Prompts, Transcript, reply_tokens
from askance.engine.queries import compared
from askance.engine.query_privacy import PrivateWords
from askance.engine.run_progress import RunState
from askance.text.message_parts import MessageParts

# The time limit where none is set: this on a machine that is fast enough, and up to so much where
# it is not.
NORMAL_S = 90.0
LONGEST_S = 300.0
# Reasoning comes on top of the time that is kept for writing, and takes none from the research.
THINKING_S = 120.0

# What a call writes and reads beside the evidence, in tokens: seen in runs of the sample web.
PLAN_REPLY = 50
JUDGE_REPLY = 60
# A verdict that need not say what is missing: its task and its reply. It is as often worth the next step as not.
BRIEF_TASK, BRIEF_REPLY, BRIEF_GAIN = 90, 8, 0.5
TASK = 120
SHORT_ANSWER = 150
ANSWER = 300
PLAN = 250

# Judged before the rest of the first round enters; 0 for all at once (decision 24).
FIRST_PORTION_TOKENS = 900
# Before that so many, in case the answer is plain in them: with one source it was in .89 of all questions, and the
# first hop of two in 50 of 50.
FIRST_STEP_TOKENS = 400

# Seconds of taking in that a kind of evidence may cost. At 130 tokens a second and more none of
# these is a limit: the settings are.
SNIPPETS_S = 6.0
FIRST_S = 13.0
LATER_S = 9.0
# Evidence of less than this answers nothing.
LEAST_EVIDENCE = 220
LEAST_SNIPPETS = 100
# An opinion on the snippets may save the reading. It is not worth more than reading costs.
SNIPPET_JUDGE_S = 5.0
# Prompt and reply tokens of all model calls of a run together: some ten rounds on a slow machine.
MAX_MODEL_TOKENS = 30_000
# Searching and reading once, before a run has seen how long it takes here.
ROUND_S = 10.0
# So much of a run may be kept for its answer.
ANSWER_RESERVE_S, MOST_RESERVED = 30.0, 0.6
"""Time kept for the answer, and the share of a short run that this is at the most."""
MOST_FOR_WRITING = 0.5
# So many prompts have all of the evidence in them, which a server takes in anew that keeps no prefix.
PROMPTS_WITHOUT_PREFIX = 3
# What is not foreseen: busy moments, pages, the way there and back.
MARGIN = 1.5


@dataclass
class TimeBudget:
    """Keeps the ends of a run in step with what its model is seen to do.

    Where the pace is not known nothing is put off: the clock alone ends a run then. `on_change` is
    given the time when the research must end. `settings` may be set anew; `update` makes them count.
    `rounds` is how many a run wants at the most; 0 leaves it to the limits.
    """

    progress: RunState
    model_speed: ModelSpeed
    settings: Settings
    _: KW_ONLY
    thinks: bool = False
    rounds: int = 0

    def __post_init__(self) -> None:
        self._extra_s = THINKING_S if self.thinks else 0.0
        self._round_began = self._now()
        self._round_s = ROUND_S
        self.is_short = False
        """Whether time, and not the settings, has kept evidence from the model."""
        self.on_change: Callable[[float], None] = ignore
        self.update()

    def update(self) -> None:
        """Set the ends by what is known now. A limit that the user has set stays what it is."""
        whole_s = (
            self.settings.limits.run_timeout_s or wall_clock_s(self.model_speed)
        ) + self._extra_s
        # However slow the writing is: without research there is nothing to write, or to quote.
        writing_s = min(self._writing_s, MOST_FOR_WRITING * whole_s)
        reserve_s = max(min(ANSWER_RESERVE_S, MOST_RESERVED * whole_s), writing_s) + self._extra_s
        before = self.progress.research_ends_at
        self.progress.set_ends(whole_s, reserve_s)
        # The timeout of the research is running by then: it is moved, not begun anew.
        if self.progress.research_ends_at != before:
            self.on_change(self.progress.research_ends_at)

    def has_time_for_plan(self, limit_s: float) -> bool:
        """Whether a plan can be there within its limit."""
        needed_s = self.model_speed.busy_s() + self.model_speed.call_s(PLAN, PLAN_REPLY)
        return self._is_in_time(needed_s, min(limit_s, self._research_left_s))

    def is_worth_judging_snippets(self) -> bool:
        """Whether an opinion on the snippets costs less than it may save."""
        return self._is_in_time(self.model_speed.call_s(self._task, JUDGE_REPLY), SNIPPET_JUDGE_S)

    def has_time_to_judge(self, fresh_tokens: int) -> bool:
        """Whether a verdict on a prompt with so many new tokens comes before the research ends."""
        model_speed = self.model_speed
        # Where no prefix is kept the writer's prompt is taken in from its beginning, too.
        tokens = fresh_tokens + model_speed.again(fresh_tokens)
        needed_s = model_speed.busy_s() + model_speed.call_s(tokens, JUDGE_REPLY)
        return self._is_in_time(needed_s, self._research_left_s)

    def is_worth_a_verdict(self, evidence_tokens: int, step_tokens: float) -> bool:
        """Whether a brief verdict on evidence that has entered costs less than it saves of the next step."""
        model_speed = self.model_speed
        tokens = BRIEF_TASK + model_speed.again(evidence_tokens)
        saved_s = BRIEF_GAIN * model_speed.prompt_s(step_tokens)
        return model_speed.call_s(tokens, BRIEF_REPLY) <= saved_s

    def begin_round(self) -> None:
        """Note that a round of searching and reading begins."""
        self._round_began = self._now()

    def end_reading(self) -> None:
        """Note that the pages of a round are there."""
        self._round_s = self._now() - self._round_began

    def has_time_for_round(self) -> bool:
        """Whether another round, with its share of evidence, ends before the research does."""
        model_speed, tokens = self.model_speed, self.settings.evidence.later_round_tokens
        taking_in = min(LATER_S, model_speed.prompt_s(tokens)) + model_speed.prompt_s(self._task)
        needed_s = self._round_s + model_speed.wait_s + taking_in
        return self._is_in_time(needed_s, self._research_left_s)

    @property
    def most_rounds(self) -> int:
        """How many rounds there may be."""
        return self.rounds or self.settings.limits.rounds

    def allows_round(self, number: int) -> bool:
        """Whether the limits allow a round of this number; warns if not."""
        progress = self.progress
        if number > self.most_rounds:
            progress.warn(
                WarningCode.ROUND_LIMIT,
                Message(
                    "After {n} rounds (limits.rounds) the evidence may still be incomplete.",
                    n=number - 1,
                ),
            )
        elif progress.tokens >= MAX_MODEL_TOKENS:
            progress.warn(
                WarningCode.TOKEN_LIMIT,
                Message("The limit of {n} model tokens was reached.", n=MAX_MODEL_TOKENS),
            )
        elif not self.has_time_for_round():
            progress.warn(
                WarningCode.TIME_LIMIT,
                Message("There was no time for another round; the evidence may be incomplete."),
            )
        else:
            return True
        return False

    def has_time_to_write(self, fresh_tokens: int) -> bool:
        """Whether at least the first sentence of an answer would still come."""
        writing_s = self.model_speed.call_s(fresh_tokens, SHORT_ANSWER / 3)
        return self._is_in_time(self.model_speed.busy_s() + writing_s, self._left_s)

    def snippet_tokens(self, most: int) -> int:
        """How many tokens of snippets to show the model."""
        return max(self.model_speed.tokens_in(SNIPPETS_S, most), min(most, LEAST_SNIPPETS))

    def evidence_tokens(self, fresh_tokens: int, most: int, *, first: bool) -> int:
        """How many tokens of passages a round may bring, so that an answer can be written from them.

        `fresh_tokens` of the prompt are still to be taken in. However little time there is, what a
        person would be shown in place of an answer is chosen.
        """
        model_speed = self.model_speed
        # The first evidence may take longer: with it a reader gets an answer at all.
        tokens = model_speed.tokens_in(FIRST_S if first else LATER_S, most)
        if model_speed.is_known:
            left_s = self._left_s - self._writing_s - model_speed.busy_s()
            # What is still to be taken in of the prompt comes before the evidence, and costs the
            # same time.
            tokens = min(tokens, model_speed.tokens_in(left_s, most + fresh_tokens) - fresh_tokens)
        # Once short, always short: a later round does not show what an earlier one has kept back.
        self.is_short = self.is_short or tokens < most
        return max(tokens, min(most, LEAST_EVIDENCE))

    def length(self, wanted: AnswerLength) -> AnswerLength:
        """How long an answer the writer can finish: a short one that ends beats a long one cut."""
        is_finished = self._is_in_time(MARGIN * self.model_speed.reply_s(ANSWER), self._left_s)
        return wanted if is_finished else AnswerLength.SHORT

    def _is_in_time(self, needed_s: float, left_s: float) -> bool:
        """Whether what takes so long can be done; where the pace is not known nothing is put off."""
        return not self.model_speed.is_known or needed_s <= left_s

    @property
    def _writing_s(self) -> float:
        """What an answer takes, once its evidence is taken in."""
        model_speed = self.model_speed
        return model_speed.call_s(self._task, SHORT_ANSWER) if model_speed.is_known else 0.0

    @property
    def _task(self) -> int:
        """What a call has evaluated beside new evidence."""
        return TASK + self.model_speed.speed.usual_again()

    @property
    def _left_s(self) -> float:
        return self.progress.ends_at - self._now()

    @property
    def _research_left_s(self) -> float:
        return self.progress.research_ends_at - self._now()

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()


def wall_clock_s(model_speed: ModelSpeed) -> float:
    """Return how long a run may take where the user has set no limit."""
    evidence = min(SNIPPETS_S, model_speed.prompt_s(750))
    evidence += min(FIRST_S, model_speed.prompt_s(1600)) + min(LATER_S, model_speed.prompt_s(1100))
    # Verdicts and the writer each take in all of it where no prefix is kept.
    evidence *= 1 if model_speed.keeps_prefix else PROMPTS_WITHOUT_PREFIX
    tasks = PLAN + 3 * (TASK + model_speed.speed.usual_again())
    calls = model_speed.prompt_s(tasks) + model_speed.reply_s(
        PLAN_REPLY + 2 * JUDGE_REPLY + ANSWER + 4 * model_speed.speed.thought_tokens
    )
    needed = MARGIN * (2 * ROUND_S + evidence + calls + 4 * model_speed.wait_s) + model_speed.load_s
    return min(max(NORMAL_S, needed), LONGEST_S)


@dataclass(frozen=True, slots=True)
class EngineParts:
    """What runs are made of, and searches for evidence.

    `own_names` are those of this machine and its user: no query has them of itself. `user_language` tells
    the language of the front end, by its code. `queue` lets one run after the other to the model's server.
    `evaluated` knows what was measured of the model: what nobody has set fits it. `library` is asked before the
    web, and keeps what was read. `attached` holds the attached files of a conversation, and takes the place of the
    library where they are asked. `transcript` is what the model's server has read of the conversation. `entailment`
    decides what the check of citations leaves open, where one is set.
    """

    model: ChatModel | None
    search: WebSearch
    reader: PageReader
    prompts: Prompts
    settings: Settings
    today: Callable[[], date]
    ledger: OutboundLedger | None = None
    own_names: tuple[str, ...] = ()
    user_language: Callable[[], str] = str
    queue: ModelQueue | None = None
    model_speed: ModelSpeed = field(default_factory=ModelSpeed)
    evaluated: Evaluated = not_evaluated
    library: LocalLibrary | None = None
    attached: LocalLibrary | None = None
    transcript: Transcript = field(default_factory=Transcript)
    entailment: Entailment | None = None

    def system(self) -> str:
        """Return what all prompts begin with."""
        return self.prompts.render("system", today=self.today().isoformat())


@dataclass(slots=True)
class RunContext:
    """What all stages of one run share. Where request and settings differ, its properties say which counts.

    The question of `request` is what is searched, and its `about` all that stands beside it; `message` are both as
    they were read. `settings` are made to fit the model once it is known, and `calls` are there once it can be
    asked. Nothing is left to the word of a model alone that `is_doubted`: it was measured to invent answers, or has
    contradicted itself in this run, or talked nonsense.
    """

    request: RunRequest
    message: MessageParts
    settings: Settings
    prompts: Prompts
    progress: RunState
    model_speed: ModelSpeed
    time_budget: TimeBudget
    private: PrivateWords
    today: date
    calls: ModelSession | None = None
    is_doubted: bool = False
    first_portion_tokens: int = field(default_factory=lambda: FIRST_PORTION_TOKENS)
    """The usual portion, or the one that an evaluation of the model has found."""
    entailment: Entailment | None = None

    def steps(self) -> list[float]:
        """Return the portions of the first round, in tokens; what they leave is its rest.

        What is compared needs a page for each side, and a portion that is small already is not cut once more.
        """
        portion, first = self.first_portion_tokens, FIRST_STEP_TOKENS
        is_whole = portion < first + LEAST_EVIDENCE or compared(self.question)
        return [portion or math.inf] if is_whole else [first, portion - first]

    def later_steps(self) -> list[float]:
        """Return the portions, in tokens, of a later round that has read a page of what is missing."""
        rest = self.settings.evidence.later_round_tokens - FIRST_STEP_TOKENS
        return [math.inf] if rest < LEAST_EVIDENCE else [FIRST_STEP_TOKENS, rest]

    @property
    def question(self) -> str:
        """What is searched."""
        return self.request.question

    @property
    def about(self) -> str:
        """What stands beside the question, and is not searched."""
        return self.request.about

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns before the question."""
        return self.request.conversation.turns

    @property
    def is_narrowed(self) -> bool:
        """Whether only a part of the web, or of the library, is to answer."""
        return self.request.scope != WHOLE_WEB

    @property
    def lookup(self) -> LibraryLookup:
        """What the library has to do with the question."""
        request, chosen = self.request, self.settings.library.recall
        # Documents that were chosen are an order, whatever the settings say of the library.
        if request.scope.documents:
            return LibraryLookup.ONLY
        if request.asks_library is False:
            return LibraryLookup.NEVER
        # Who asks for the library by hand means it more than a setting does.
        if request.asks_library and chosen is LibraryLookup.NEVER:
            return LibraryLookup.FIRST
        return chosen

    @property
    def searches_web(self) -> bool:
        """Whether the web may be searched at all."""
        return self.settings.search.enabled and self.lookup is not LibraryLookup.ONLY

    @property
    def is_fresh(self) -> bool:
        """Whether the web is searched whatever is at hand."""
        return self.request.fresh and self.searches_web

    @property
    def thinks(self) -> bool:
        """Whether the model reasons before it writes."""
        return self.request.think or self.settings.llm.think

    @property
    def rounds(self) -> int:
        """How many rounds there may be."""
        return self.request.rounds or self.settings.limits.rounds

    @property
    def completeness(self) -> float:
        """How far the library must have the answer, 0 to 1."""
        wanted = self.request.completeness
        return self.settings.library.completeness_threshold if wanted is None else wanted

    @property
    def reply_tokens(self) -> int:
        """How long the written reply may get."""
        return reply_tokens(self.settings, think=self.thinks, most=self.request.answer_tokens)

    def fit(self, settings: Settings, first_portion_tokens: int | None = None) -> None:
        """Go on with other settings, which fit the model, and with the portion that it takes in soon."""
        self.settings = settings
        if first_portion_tokens is not None:
            self.first_portion_tokens = first_portion_tokens
        self.time_budget.settings = settings
