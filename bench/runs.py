"""One question through the real engine, and what it came to."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import date

from askance.app.evaluation.running import GoldCoverage, look
from askance.config.settings import Settings
from askance.domain.conversation import RunRequest
from askance.domain.events import Answered, RunEvent, TokenArrived
from askance.domain.ports.model import ChatModel
from askance.engine.prompts import load_prompts
from askance.engine.run import Engine
from askance.sample_web.sample_pages import Question
from bench.clock import simulate
from bench.costs import Speed
from bench.levers import without
from bench.model import AttentiveModel, ScriptedModel
from bench.script import Manner
from bench.web import SampleReader, SampleSearch

# The day on which the sample web is looked at.
TODAY = date(2026, 3, 2)


@dataclass(frozen=True, slots=True)
class Setup:
    """What a run makes use of."""

    shared_prefix: bool = True
    early_stop: bool = True
    read_ahead: bool = True
    without: tuple[str, ...] = ()
    """Rules of `bench.levers` that it does without."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run. Times are simulated seconds since its beginning, tokens those of all its calls."""

    question: Question
    end: Answered
    shown: GoldCoverage
    calls: int
    sent: int
    evaluated: int
    written: int
    first_token_s: float
    total_s: float


def run_question(
    question: Question,
    setup: Setup,
    speed: Speed,
    *,
    manner: Manner = Manner.RIGHT,
    seed: int = 0,
) -> Run:
    """Answer a question in a simulated loop of its own, from a cold start."""
    with without(setup.without):
        return simulate(_run(question, setup, speed, manner, seed))


async def _run(question: Question, setup: Setup, speed: Speed, manner: Manner, seed: int) -> Run:
    scripted = ScriptedModel(
        question, speed, keeps_prompt=setup.shared_prefix, manner=manner, seed=seed
    )
    model: ChatModel = scripted if setup.early_stop else AttentiveModel(scripted)
    engine = Engine(
        model,
        SampleSearch(),
        SampleReader(),
        load_prompts(),
        Settings(),
        lambda: TODAY,
    )
    request = RunRequest(question.question, reads_ahead=setup.read_ahead)
    tokens_at: list[float] = []
    loop = asyncio.get_running_loop()

    def note(event: RunEvent) -> None:
        if isinstance(event, TokenArrived):
            tokens_at.append(loop.time())

    end = await engine.run(request, emit=note)
    assert isinstance(end, Answered), f"{question.id} ended with {end}"
    calls = scripted.calls
    return Run(
        question,
        end,
        look(question, calls[-1].prompt),
        len(calls),
        sum(call.sent for call in calls),
        sum(call.evaluated for call in calls),
        sum(call.written for call in calls),
        # Of a model that says nothing of use the passages are shown at the end.
        tokens_at[0] if tokens_at else loop.time(),
        loop.time(),
    )
