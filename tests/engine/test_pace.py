"""What is learned of a model's speed, and how a prompt goes to a slow one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager

import pytest
from bench.clock import simulate

from askance.domain.ports.model import (
    Finished,
    FinishReason,
    ModelCall,
    ModelInfo,
    ReplyPart,
    Role,
    Speed,
    Text,
    Timing,
)
from askance.engine.model_session import ReplyOpener
from askance.engine.model_speed import MOST_REPLY_TPS, ModelSpeed
from askance.engine.prompts import ContextBudget, prompted


class SpeedsInMemory:
    """A store in memory."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], Speed] = {}

    async def known(self, server: str, model: str) -> Speed:
        return self.rows.get((server, model), Speed())

    async def store(self, server: str, model: str, speed: Speed) -> None:
        self.rows[server, model] = speed


class Server:
    """Takes in 50 tokens a second of what is new to it; says so if it `counts`."""

    def __init__(self, *, counts: bool = True) -> None:
        self.calls: list[ModelCall] = []
        self._counts = counts
        self._held = ""

    async def info(self) -> ModelInfo:
        return ModelInfo("m", 8192)

    async def models(self) -> tuple[ModelInfo, ...]:
        return (await self.info(),)

    @asynccontextmanager
    async def reply(self, call: ModelCall) -> AsyncGenerator[AsyncIterator[ReplyPart]]:
        self.calls.append(call)
        yield self._parts(call)

    async def _parts(self, call: ModelCall) -> AsyncGenerator[ReplyPart]:
        text = "".join(m.content for m in call.messages)
        shared = next(
            (i for i, (a, b) in enumerate(zip(text, self._held, strict=False)) if a != b),
            min(len(text), len(self._held)),
        )
        fresh = (len(text) - shared) // 4 + 4
        self._held = text
        await asyncio.sleep(fresh / 50)
        yield Text("Yes.")
        if self._counts:
            yield Timing(evaluated_tokens=fresh, prompt_s=fresh / 50, output_s=0.1)
        yield Finished(FinishReason.STOP, len(text) // 4, 1)


def call(words: int, system: str = "You are good.") -> ModelCall:
    text = " ".join(f"word{n}" for n in range(words))
    return ModelCall((prompted(Role.SYSTEM, system), prompted(Role.USER, text)), 100)


async def parts_of(asking: ReplyOpener, asked: ModelCall) -> list[ReplyPart]:
    async with aclosing(asking.parts(asked)) as parts:
        return [part async for part in parts]


def asking_of(server: Server, pace: ModelSpeed) -> ReplyOpener:
    return ReplyOpener(server, pace, ContextBudget(8192, 500))


def known(prompt_tps: float) -> ModelSpeed:
    pace = ModelSpeed()
    pace.saw_prompt(1000, 1000 / prompt_tps, Timing(1000, 1000 / prompt_tps))
    return pace


def test_what_a_server_counts_is_learned_and_kept_for_the_next_start() -> None:
    async def learn() -> tuple[SpeedsInMemory, ModelSpeed]:
        retained = SpeedsInMemory()
        first = ModelSpeed(retained, "http://one")
        await first.recall("m")
        assert not first.is_known
        await parts_of(asking_of(Server(), first), call(200))
        await first.remember(42.0)
        second = ModelSpeed(retained, "http://one")
        await second.recall("m")
        return retained, second

    stored, second = simulate(learn())
    assert second.is_known
    assert second.speed == stored.rows["http://one", "m"]
    assert second.speed.prompt_tps == pytest.approx(50, rel=0.05)
    assert second.speed.runs_s == (42.0,)


def test_without_counters_the_second_call_is_measured_by_the_clock() -> None:
    async def learn() -> ModelSpeed:
        pace = ModelSpeed()
        asking = asking_of(Server(counts=False), pace)
        await parts_of(asking, call(100))
        assert not pace.is_known
        await parts_of(asking, call(400, system="You are another."))
        return pace

    assert simulate(learn()).speed.prompt_tps == pytest.approx(50, rel=0.2)


def test_no_server_took_longer_than_it_was_waited_for() -> None:
    pace = ModelSpeed()
    pace.saw_prompt(300, 1.0, Timing(300, 10.0))
    assert pace.speed.prompt_tps == pytest.approx(300)


def test_a_large_sample_counts_more_than_a_small_one() -> None:
    large, small = known(100), known(100)
    large.saw_prompt(2000, 100.0, Timing(2000, 100.0))
    small.saw_prompt(60, 3.0, Timing(60, 3.0))
    assert 20 < large.speed.prompt_tps < 30 < 50 < small.speed.prompt_tps < 100


def test_a_guess_is_kept_for_nobody() -> None:
    async def guess() -> SpeedsInMemory:
        stored = SpeedsInMemory()
        pace = ModelSpeed(stored, "s")
        await pace.recall("m")
        pace.saw_nothing(300, 25.0)
        assert pace.prompt_s(120) == pytest.approx(10)
        assert not pace.is_known
        await pace.remember(90.0)
        return stored

    assert simulate(guess()).rows == {}


def test_a_long_prompt_goes_to_a_slow_server_in_beginnings_of_it_that_take_a_moment_each() -> None:
    async def ask() -> tuple[Server, list[ReplyPart]]:
        server = Server()
        parts = await parts_of(asking_of(server, known(50)), call(500))
        return server, parts

    server, parts = simulate(ask())
    *portions, last = server.calls
    assert len(portions) > 5
    assert last == call(500)
    assert all(portion.max_tokens == 1 for portion in portions)
    assert all(portion.messages[-1].role is Role.USER for portion in portions)
    texts = [portion.messages[-1].content for portion in portions]
    for shorter, longer in zip(texts, [*texts[1:], last.messages[-1].content], strict=True):
        assert longer.startswith(shorter)
        assert len(longer) - len(shorter) <= 4 * 3 * 50
    # Nobody hears the portions: the reply is that of the whole prompt alone.
    assert [type(part) for part in parts] == [Text, Finished]


@pytest.mark.parametrize("tps", [0, 1000])
def test_a_prompt_goes_whole_where_nothing_is_known_or_it_takes_no_time(tps: float) -> None:
    async def ask() -> Server:
        server = Server()
        await parts_of(asking_of(server, known(tps) if tps else ModelSpeed()), call(500))
        return server

    assert len(simulate(ask()).calls) == 1


def test_a_long_system_text_and_a_script_without_spaces_have_portions_too() -> None:
    async def ask() -> Server:
        server = Server()
        system, text = "Be good. " * 200, "灯台" * 600
        asked = ModelCall((prompted(Role.SYSTEM, system), prompted(Role.USER, text)), 100)
        await parts_of(asking_of(server, known(50)), asked)
        return server

    calls = simulate(ask()).calls
    assert len(calls) > 10
    assert all(asked.messages[-1].role is Role.USER for asked in calls)


def test_a_reply_that_was_held_back_on_its_way_is_not_taken_for_one_without_end() -> None:
    pace = ModelSpeed()
    pace.saw_reply(200, 1e-6)
    assert pace.speed.reply_tps == MOST_REPLY_TPS
    pace.saw_reply(200, 10.0)
    assert pace.speed.reply_tps == pytest.approx(26, rel=0.1)
