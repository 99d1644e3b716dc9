"""What is learned of a model's speed, by its server's counters or without, and how a prompt goes to a slow one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
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
from askance.engine.model_speed import MOST_REPLY_TPS, Latencies, Latency, ModelSpeed, Sample
from askance.engine.prompts import ContextBudget, prompted
from sampled import each_row


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
    assert all(portion.max_tokens == 0 for portion in portions)
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


# New tokens, and all: a plan, two portions, a verdict, an answer, the next question.
LENGTHS = [(350, 350), (40, 240), (120, 360), (900, 1500), (120, 1650), (300, 500)]
Seconds = Callable[[float, float], float]


def explained(
    seconds: Seconds, *, load_s: float = 0.0, lengths: Sequence[tuple[int, int]] = LENGTHS
) -> tuple[Latency | None, bool | None]:
    latencies = Latencies()
    for n, (fresh, whole) in enumerate(lengths):
        waited_s = seconds(fresh, whole) + (load_s if n == 0 else 0)
        latencies.add(Sample(fresh, whole, waited_s, is_first=n == 0))
    keeps = latencies.keeps_prefix()
    return latencies.explain(keeps_prefix=keeps is not False), keeps


@each_row("load_s", [0.0, 5.0, 40.0])
@each_row("tps", [60.0, 150.0, 300.0])
@each_row("wait_s", [0.0, 1.0, 3.0])
@each_row("keeps", [True, False])
def test_a_wait_the_tokens_and_a_kept_prefix_are_told_apart(
    keeps: bool, wait_s: float, tps: float, load_s: float
) -> None:
    def seconds(fresh: float, whole: float) -> float:
        return wait_s + (fresh if keeps else whole) / tps

    found, is_stored = explained(seconds, load_s=load_s)
    assert found is not None
    assert found.is_clear
    assert is_stored is keeps
    assert found.wait_s == pytest.approx(wait_s, abs=0.1)
    assert 1 / found.token_s == pytest.approx(tps, rel=0.1)


@pytest.mark.parametrize("wait_s", [0.5, 3.0, 10.0])
def test_a_portion_that_takes_as_long_as_a_whole_prompt_proves_a_wait(wait_s: float) -> None:
    found, _ = explained(lambda _fresh, _whole: wait_s, lengths=LENGTHS[:2])
    assert found is not None
    assert found.is_clear
    assert found.wait_s == pytest.approx(wait_s)
    assert found.token_s == 0


@pytest.mark.parametrize("tps", [25.0, 60.0, 300.0])
def test_of_requests_of_one_length_all_time_is_taken_for_their_tokens(tps: float) -> None:
    lengths = [(100 + n % 30, 100 * n) for n in range(1, 20)]
    found, _ = explained(lambda _fresh, _whole: 110 / tps, lengths=lengths)
    assert found is not None
    assert not found.is_clear
    assert 1 / found.safe_token_s == pytest.approx(tps, rel=0.15)


def test_portions_of_one_size_do_not_drive_out_what_tells_more() -> None:
    lengths = [(600, 800), (30, 830), *((100, 900 + 100 * n) for n in range(30))]
    found, _ = explained(lambda fresh, _: 1 + fresh / 60, lengths=lengths)
    assert found is not None
    assert found.is_clear
    assert found.wait_s == pytest.approx(1, abs=0.05)


def test_one_request_tells_nothing() -> None:
    assert explained(lambda fresh, _: fresh / 60, lengths=LENGTHS[:1]) == (None, None)


def test_a_server_that_became_slower_is_explained_anew() -> None:
    latencies = Latencies()
    for tps in (300, 60):
        for _ in range(4):
            for fresh, whole in LENGTHS:
                latencies.add(Sample(fresh, whole, fresh / tps))
                latencies.explain(keeps_prefix=True)
    found = latencies.explain(keeps_prefix=True)
    assert found is not None
    assert 1 / found.token_s == pytest.approx(60, rel=0.05)
