"""Runs on a machine that takes in 60, or 25, prompt tokens a second, on a clock that timers move."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from bench.clock import simulate
from bench.costs import Speed
from bench.slow_model import ServerHabits, SlowModel
from bench.web import SampleReader, SampleSearch

from askance.adapters.llm.model_queue import SpeedFile
from askance.config.settings import Settings
from askance.domain.conversation import Conversation, Outcome, RunRequest
from askance.domain.events import Answered, Cancelled, PassagesSelected, RunEvent, Warned
from askance.engine.context import LONGEST_S, NORMAL_S
from askance.engine.model_speed import FAST_TPS, HANG_UP_S, ModelSpeed
from askance.engine.prompts import load_prompts
from askance.engine.run import Engine
from askance.sample_web.sample_pages import Question, load_questions
from sampled import sampled

NORMAL, SLOW, SLOWER = Speed(300, 25), Speed(60, 9), Speed(25, 5)
QUESTIONS = load_questions()[:20]
NOBODY = Conversation()


@dataclass
class RecordedEvents:
    """What came of a run, and when."""

    model: SlowModel
    events: list[RunEvent] = field(default_factory=list[RunEvent])
    ended_s: float = 0.0

    @property
    def end(self) -> Any:
        return self.events[-1]

    def of(self, kind: type[RunEvent]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def has_sources(self) -> bool:
        quoted = self.end.outcome is Outcome.PASSAGES_ONLY and "\n> " in self.end.answer
        return bool(self.end.citations) or quoted


def run(
    question: Question,
    speed: Speed,
    *,
    pace: ModelSpeed | None = None,
    limits: dict[str, Any] | None = None,
    stop_after_s: float | None = None,
    **habits: Any,
) -> RecordedEvents:
    """One run in a simulated loop of its own; without `pace` nothing is known of the model."""

    async def ask() -> RecordedEvents:
        reported = RecordedEvents(SlowModel(question, speed, ServerHabits(**habits)))
        settings = Settings.model_validate({"limits": limits or {}})
        engine = Engine(
            reported.model,
            SampleSearch(),
            SampleReader(),
            load_prompts(),
            settings,
            lambda: date(2026, 3, 2),
            model_speed=pace or ModelSpeed(),
        )
        with suppress(TimeoutError):
            async with asyncio.timeout(stop_after_s):
                await engine.run(RunRequest(question.question), emit=reported.events.append)
        reported.ended_s = asyncio.get_running_loop().time()
        return reported

    return simulate(ask())


def paced(speed: Speed) -> ModelSpeed:
    """What an earlier run has learned."""
    pace = ModelSpeed()
    run(QUESTIONS[0], speed, pace=pace)
    return pace


@pytest.mark.parametrize("speed", sampled([SLOW, SLOWER], every=2), ids=["60/s", "25/s"])
def test_every_question_ends_with_sources_within_its_limit(speed: Speed) -> None:
    pace = ModelSpeed()
    for question in QUESTIONS:
        reported = run(question, speed, pace=pace)
        assert isinstance(reported.end, Answered), question.id
        assert reported.has_sources, question.id
        assert reported.ended_s <= LONGEST_S


@pytest.mark.parametrize("speed", sampled([SLOW, SLOWER], every=2), ids=["60/s", "25/s"])
def test_the_model_writes_the_answer_even_of_a_first_run(speed: Speed) -> None:
    for question in QUESTIONS[:6]:
        assert run(question, speed).end.outcome is not Outcome.PASSAGES_ONLY


@pytest.mark.parametrize("run_timeout_s", sampled([60, 90], every=2))
def test_a_limit_that_the_user_has_set_is_kept_and_still_brings_sources(run_timeout_s: int) -> None:
    pace = paced(SLOWER)
    for question in QUESTIONS[:6]:
        reported = run(question, SLOWER, pace=pace, limits={"run_timeout_s": run_timeout_s})
        assert reported.has_sources
        assert reported.ended_s <= run_timeout_s + 1


def test_a_machine_too_slow_to_write_still_searches_and_quotes() -> None:
    pace = paced(SLOWER)
    pace.saw_reply(1000, 5000.0)
    reported = run(QUESTIONS[0], Speed(5, 0.2), pace=pace)
    assert reported.has_sources


def test_the_slower_the_machine_the_smaller_the_first_portion() -> None:
    sizes = [
        run(QUESTIONS[0], speed, pace=paced(speed)).of(PassagesSelected)[0].tokens
        for speed in (NORMAL, SLOW, SLOWER)
    ]
    # A portion ends with a passage, so that one of the same limit may be a tenth longer.
    assert all(slower <= 1.12 * faster for faster, slower in pairwise(sizes))
    assert sizes[0] > sizes[-1]
    fast = Speed(3000, 250)
    unlimited = run(QUESTIONS[0], fast, pace=paced(fast)).of(PassagesSelected)[0].tokens
    assert sizes[0] == pytest.approx(unlimited, rel=0.03)  # estimated by what each had learned


@pytest.mark.parametrize(
    "speed", sampled([NORMAL, SLOW, SLOWER], every=3), ids=["300/s", "60/s", "25/s"]
)
def test_whenever_a_run_is_stopped_the_server_is_free_within_a_moment(speed: Speed) -> None:
    pace = paced(speed)

    async def stop_at(seconds: float) -> float:
        model = SlowModel(QUESTIONS[1], speed)
        engine = Engine(
            model,
            SampleSearch(),
            SampleReader(),
            load_prompts(),
            Settings(),
            lambda: date(2026, 3, 2),
            model_speed=pace,
        )
        pace.held = ""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await engine.run(RunRequest(QUESTIONS[1].question), emit=lambda _: None)
        return max(model.remainders, default=0.0)

    left = [simulate(stop_at(seconds)) for seconds in range(1, 40)]
    assert max(left) > 0
    assert max(left) <= HANG_UP_S


def test_what_a_stopped_run_has_learned_is_known_to_the_next_start(tmp_path: Path) -> None:
    def fresh() -> ModelSpeed:
        return ModelSpeed(SpeedFile(tmp_path / "speeds.json"), "http://slow.example")

    reported = run(QUESTIONS[0], SLOW, pace=fresh(), stop_after_s=12.0)
    assert isinstance(reported.end, Cancelled)
    after = fresh()
    simulate(after.recall("slow"))
    assert after.is_known
    assert after.speed.prompt_tps < FAST_TPS


def test_portions_cost_next_to_nothing() -> None:
    pace = paced(SLOW)
    portioned = run(QUESTIONS[0], SLOW, pace=pace)
    assert sum(call.max_tokens == 0 for call in portioned.model.calls) > 3
    whole = paced(SLOW)
    whole.hang_up_s = float("inf")
    unportioned = run(QUESTIONS[0], SLOW, pace=whole)
    assert portioned.ended_s < 1.1 * unportioned.ended_s


def test_a_server_that_keeps_no_prefix_gets_whole_prompts() -> None:
    pace = paced(SLOW)
    reported = run(QUESTIONS[0], SLOW, pace=pace, keeps_prompt=False)
    assert not pace.keeps_prefix
    assert sum(call.max_tokens == 0 for call in reported.model.calls) <= 3
    assert reported.has_sources


def test_a_model_that_must_be_loaded_first_is_not_taken_for_a_slow_one() -> None:
    pace = ModelSpeed()
    reported = run(QUESTIONS[0], NORMAL, pace=pace, load_s=20.0)
    assert reported.end.outcome is Outcome.WEB
    assert pace.speed.prompt_tps > 200


def test_nothing_of_this_shows_on_a_machine_that_is_fast_enough() -> None:
    reported = run(QUESTIONS[0], NORMAL, pace=paced(NORMAL))
    assert not reported.of(Warned)
    assert reported.ended_s < NORMAL_S / 4
