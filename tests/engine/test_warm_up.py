"""The model is ready before a question is there, where that helps and harms nobody."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

import pytest

from askance.config.settings import Settings
from askance.domain.conversation import Conversation, RunRequest, Turn
from askance.domain.errors import ServiceDown
from askance.domain.messages import Message
from askance.domain.ports.model import ChatModel, ModelInfo, Role, Timing
from askance.engine.model_session import ReplyOpener
from askance.engine.prompts import ContextBudget, Prompts, prompted
from askance.engine.run import Engine
from engine.test_turns import ScriptedQueue
from fakes.model import Reply, ScriptedModel
from fakes.reader import ScriptedReader
from fakes.search import ScriptedSearch
from servers.model_script import plan

STAYS_S = 1800.0
DOWN = ServiceDown("Ollama", "http://127.0.0.1:1", Message("It does not answer."))


class DistantModel(ScriptedModel):
    """A model on another machine."""

    async def info(self) -> ModelInfo:
        return replace(await super().info(), host="gpu.example")


def engine_of(prompts: Prompts, model: ChatModel, queue: ScriptedQueue | None = None) -> Engine:
    return Engine(
        model,
        ScriptedSearch({}),
        ScriptedReader({}),
        prompts,
        Settings(),
        lambda: date(2026, 11, 22),
        queue=queue,
    )


async def test_the_text_that_all_prompts_begin_with_is_taken_in_once(prompts: Prompts) -> None:
    model = ScriptedModel("", plan("lamp", history_sufficiency="sufficient"), "Because.")
    engine = engine_of(prompts, model)
    await engine.warm_up(STAYS_S)
    await engine.warm_up(STAYS_S)
    (call,) = model.calls
    assert (call.max_tokens, model.open_replies) == (1, 0)
    await engine.run(
        RunRequest("Why?", Conversation().with_turn(Turn("What is it?", "A lamp."))),
        emit=lambda _: None,
    )
    assert model.calls[1].messages[0] == call.messages[0]
    assert call.messages[0].role is Role.SYSTEM


async def test_what_was_taken_in_is_not_expected_to_be_taken_in_again(prompts: Prompts) -> None:
    model = ScriptedModel("", plan("lamp", history_sufficiency="sufficient"), "Because.")
    engine = engine_of(prompts, model)
    await engine.warm_up(STAYS_S)
    asking = ReplyOpener(model, engine.model_speed, ContextBudget(8192, 900))
    (call,) = model.calls
    question = (call.messages[0], prompted(Role.USER, "Why?"))
    assert asking.fresh_tokens(question) < 10
    engine.model_speed.held = ""
    assert asking.fresh_tokens(question) > 90


async def test_what_a_token_is_worth_is_known_to_the_next_question(prompts: Prompts) -> None:
    counted: Reply = [Timing(prompt_tokens=1000), json.dumps(plan("lamp"))]
    model = ScriptedModel(counted, *["Because."] * 8)
    engine = engine_of(prompts, model)
    await engine.run(RunRequest("Why? " * 100), emit=lambda _: None)
    assert engine.model_speed.token_factor > 1.5


async def test_after_a_question_the_cache_is_left_alone_until_the_model_may_be_gone(
    prompts: Prompts,
) -> None:
    model = ScriptedModel("Hello.", "")
    engine = engine_of(prompts, model)
    await engine.chat(RunRequest("Hi"), emit=lambda _: None)
    await engine.warm_up(STAYS_S)
    assert len(model.calls) == 1
    await engine.warm_up(0.0)
    assert len(model.calls) == 2


@pytest.mark.parametrize("ahead", [(), (1,)], ids=["free", "in use"])
async def test_others_who_use_the_model_are_not_disturbed(
    prompts: Prompts, ahead: tuple[int, ...]
) -> None:
    model = ScriptedModel("")
    await engine_of(prompts, model, ScriptedQueue(*ahead)).warm_up(STAYS_S)
    assert len(model.calls) == (0 if ahead else 1)


async def test_nothing_goes_to_another_machine_before_it_is_asked(prompts: Prompts) -> None:
    model = DistantModel()
    await engine_of(prompts, model).warm_up(STAYS_S)
    assert model.calls == []


@pytest.mark.parametrize("failure", ["info", "reply"])
async def test_why_it_fails_is_left_for_the_question(prompts: Prompts, failure: str) -> None:
    replies: list[Reply] = [DOWN] if failure == "reply" else []
    model = ScriptedModel(*replies, info_error=DOWN if failure == "info" else None)
    await engine_of(prompts, model).warm_up(STAYS_S)
    assert model.open_replies == 0


async def test_a_server_that_does_not_count_is_left_at_its_first_token(prompts: Prompts) -> None:
    model = ScriptedModel(["Well", ", there", " once was"])
    await engine_of(prompts, model).warm_up(STAYS_S)
    assert (model.left_early, model.open_replies) == (1, 0)
