from __future__ import annotations

import asyncio

import pytest
from bench.clock import simulate
from bench.costs import PromptCache, Speed, count_tokens, flatten
from bench.model import AttentiveModel, ScriptedModel

from askance.domain.ports.model import (
    ChatMessage,
    ChatModel,
    Finished,
    FinishReason,
    ModelCall,
    Role,
    Text,
)
from askance.engine.judge import PLAN_SCHEMA as PLAN
from askance.engine.judge import VERDICT_SCHEMA as VERDICT
from askance.engine.prompts import shared_chars
from askance.sample_web.sample_pages import load_questions

QUESTION = load_questions()[0]
SPEED = Speed(prefill=100, decode=10)


def prompt(text: str) -> tuple[ChatMessage, ...]:
    return (ChatMessage(Role.SYSTEM, "You judge."), ChatMessage(Role.USER, text))


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [("", "abc", 0), ("abc", "abc", 3), ("abc", "abd", 2), ("abc", "abcd", 3), ("xbc", "abc", 0)],
)
def test_the_common_prefix_ends_at_the_first_difference(one: str, other: str, shared: int) -> None:
    assert shared_chars(one, other) == shared
    assert shared_chars(other, one) == shared


@pytest.mark.parametrize(
    ("held", "asked", "evaluated"),
    [
        pytest.param((), "x" * 400, 100, id="nothing is known"),
        pytest.param((("a" * 400, ""),), "a" * 400 + "b" * 40, 10, id="what is added"),
        pytest.param((("a" * 400, "b" * 40),), "a" * 400 + "b" * 40 + "c" * 8, 2, id="a reply"),
        pytest.param((("a" * 400, ""),), "b" + "a" * 399, 100, id="a difference in front"),
        pytest.param((("a" * 400, "b" * 400),), "a" * 400, 1, id="its last token at least"),
        pytest.param(
            (("a" * 400, ""), ("b" * 400, "")), "a" * 400, 100, id="the last prompt alone"
        ),
    ],
)
def test_what_the_cache_does_not_hold_is_evaluated(
    held: tuple[tuple[str, str], ...], asked: str, evaluated: int
) -> None:
    cache = PromptCache()
    for prompt_text, reply in held:
        cache.hold(prompt_text, reply)
    assert cache.unknown_tokens(asked) == evaluated


async def hear(model: ChatModel, call: ModelCall, *, most: int = 10_000) -> tuple[str, float]:
    """Listen to at most so many pieces; return them and when the reply was left."""
    text = ""
    async with model.reply(call) as parts:
        async for part in parts:
            if isinstance(part, Text):
                text += part.text
                most -= 1
            if not most:
                break
    return text, asyncio.get_running_loop().time()


def test_a_reply_takes_the_time_of_its_prompt_and_of_its_tokens() -> None:
    model = ScriptedModel(QUESTION, SPEED)
    call = ModelCall(prompt("Question: " + "x" * 4000), 300, schema=PLAN)
    text, left_at = simulate(hear(model, call))
    sent = count_tokens(flatten(call.messages))
    assert left_at == pytest.approx(sent / 100 + count_tokens(text) / 10)
    assert [(c.sent, c.evaluated, c.written) for c in model.calls] == [
        (sent, sent, count_tokens(text))
    ]


@pytest.mark.parametrize("keeps", [True, False])
def test_a_second_call_pays_for_what_it_adds_where_the_prompt_is_kept(keeps: bool) -> None:
    model = ScriptedModel(QUESTION, SPEED, keeps_prompt=keeps)

    async def twice() -> None:
        await hear(model, ModelCall(prompt("x" * 4000), 300, schema=PLAN))
        await hear(model, ModelCall(prompt("x" * 4000 + "y" * 400), 300, schema=PLAN))

    simulate(twice())
    first, second = model.calls
    assert first.evaluated == first.sent
    # The template's own end differs, too.
    assert 100 <= second.evaluated <= 103 if keeps else second.evaluated == second.sent > 1100


def test_a_reply_that_is_left_is_paid_for_up_to_there() -> None:
    model = ScriptedModel(QUESTION, SPEED)
    text, left_at = simulate(hear(model, ModelCall(prompt("x"), 300, schema=VERDICT), most=3))
    assert len(text) == 12
    assert model.calls[0].written == 3
    assert left_at == pytest.approx(model.calls[0].sent / 100 + 0.3)


def test_an_attentive_listener_pays_for_the_whole_reply() -> None:
    call = ModelCall(prompt("x"), 300, schema=VERDICT)
    whole = ScriptedModel(QUESTION, SPEED)
    _, at_the_end = simulate(hear(whole, call))
    model = ScriptedModel(QUESTION, SPEED)
    text, left_at = simulate(hear(AttentiveModel(model), call, most=3))
    assert len(text) == 12
    assert model.calls[0].written == whole.calls[0].written > 3
    assert left_at == at_the_end


def test_calls_wait_for_the_one_slot() -> None:
    model = ScriptedModel(QUESTION, SPEED)
    call = ModelCall(prompt("x" * 4000), 300, schema=PLAN)

    async def both() -> list[float]:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(hear(model, call)) for _ in range(2)]
        return [task.result()[1] for task in tasks]

    first, second = simulate(both())
    assert second > first > 0
    assert model.calls[1].evaluated == 1


def test_a_reply_is_cut_at_its_length_limit() -> None:
    model = ScriptedModel(QUESTION, SPEED)

    async def last_part() -> object:
        async with model.reply(ModelCall(prompt("x"), 5, schema=PLAN)) as parts:
            return [part async for part in parts][-1]

    end = simulate(last_part())
    assert end == Finished(FinishReason.LENGTH, model.calls[0].sent, 5)
