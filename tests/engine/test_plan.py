"""Plans: read as far as they can be, and never fatal."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest

from askance.domain.conversation import Turn
from askance.domain.errors import ServiceDown
from askance.domain.events import Planned, RunEvent, WarningCode
from askance.domain.phases import Action, Plan, Sufficiency
from askance.domain.ports.model import Timing
from askance.engine.judge import make_plan, split_queries
from askance.engine.model_speed import ModelSpeed
from askance.engine.run_progress import RunState
from engine.contexts import session_of
from fakes.model import ScriptedModel

TURNS = (Turn("Who was Abel Moss?", "A keeper."),)


@pytest.mark.parametrize(
    ("reply", "plan"),
    [
        (
            {
                "action": "proceed",
                "history_sufficiency": "insufficient",
                "optimized_query": "Abel Moss born",
                "clarifying_question": "",
            },
            Plan(queries=("Abel Moss born",)),
        ),
        (
            {"action": "proceed", "history_sufficiency": "sufficient", "optimized_query": ""},
            Plan(history_sufficiency=Sufficiency.SUFFICIENT),
        ),
        (
            {"action": "clarify", "optimized_query": "x", "clarifying_question": " Which one? "},
            Plan(Action.CLARIFY, "Which one?", queries=("x",)),
        ),
        (
            {"action": "clarify", "optimized_query": "x", "clarifying_question": "  "},
            Plan(queries=("x",)),
        ),
        (
            {"optimized_query": "in another order", "action": "proceed"},
            Plan(queries=("in another order",)),
        ),
    ],
)
async def test_a_plan_is_read_as_the_model_meant_it(
    reply: dict[str, Any], plan: Plan, progress: RunState
) -> None:
    assert await make_plan(session_of(progress, ScriptedModel(reply), turns=TURNS)) == plan


async def test_a_plan_is_told(progress: RunState, events: list[RunEvent]) -> None:
    model = ScriptedModel({"action": "proceed", "optimized_query": "a; b"})
    await make_plan(session_of(progress, model, turns=TURNS))
    (planned,) = [e for e in events if isinstance(e, Planned)]
    assert planned.queries == ("a", "b")
    assert not planned.fallback


async def test_the_rest_of_a_plan_is_not_waited_for(progress: RunState) -> None:
    never = "this would be said if anybody listened"
    model = ScriptedModel(['{"action": "proceed", "optimized_query": "q"', ", ", never])
    known = ModelSpeed()
    known.saw_prompt(1000, 1.0, Timing(1000, 1.0))
    await make_plan(session_of(progress, model, turns=TURNS, model_speed=known))
    assert model.left_early == 1


async def test_asking_back_is_heard(
    progress: RunState,
) -> None:
    reply = {"action": "clarify", "optimized_query": "", "clarifying_question": "Which one?"}
    calls = session_of(progress, ScriptedModel(reply), turns=TURNS)
    plan = await make_plan(calls)
    assert plan == Plan(Action.CLARIFY, "Which one?")


async def test_the_rest_of_a_slow_first_plan_is_heard_for_the_counters_at_its_end(
    progress: RunState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askance.engine.model_speed.FAST_TPS", math.inf)
    plan = ['{"action": "proceed", "optimized_query": "q"', ", ", '"clarifying_question": ""}']
    counted = Timing(evaluated_tokens=200, prompt_s=1e-9, output_s=1e-9)
    pace = ModelSpeed()
    model = ScriptedModel([*plan, counted])
    await make_plan(session_of(progress, model, turns=TURNS, model_speed=pace))
    assert model.left_early == 0
    assert pace.is_known


async def test_a_plan_that_never_ends_is_not_heard_out_for_long(
    progress: RunState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askance.engine.model_speed.FAST_TPS", math.inf)
    monkeypatch.setattr("askance.engine.model_session.END_OF_REPLY_S", 0.01)
    begun = '{"action": "proceed", "optimized_query": "q", "'
    model = ScriptedModel([begun, asyncio.Event()])
    plan = await make_plan(session_of(progress, model, turns=TURNS))
    assert plan.queries == ("q",)
    assert model.open_replies == 0


async def test_a_conversation_that_has_not_begun_holds_no_answer(progress: RunState) -> None:
    reply = {"action": "proceed", "history_sufficiency": "sufficient", "optimized_query": "q"}
    plan = await make_plan(session_of(progress, ScriptedModel(reply)))
    assert plan.history_sufficiency is Sufficiency.INSUFFICIENT


@pytest.mark.parametrize(
    "replies",
    [
        ["I would rather not.", "No."],
        [{"action": "dance", "optimized_query": "q"}],
        [{"action": {"a": 1}, "optimized_query": "q"}],
        ['{"action": ' + "[" * 5000, ""],
    ],
)
async def test_without_a_usable_plan_the_question_is_searched_as_it_stands(
    replies: list[Any], progress: RunState, events: list[RunEvent]
) -> None:
    plan = await make_plan(session_of(progress, ScriptedModel(*replies), turns=TURNS))
    assert plan == Plan(fallback=True)
    assert progress.warned == {WarningCode.PLAN_FAILED}
    assert [e.fallback for e in events if isinstance(e, Planned)] == [True]


async def test_a_server_that_fails_is_not_hidden(progress: RunState) -> None:
    model = ScriptedModel(ServiceDown("model", "", "Nothing answers."))
    with pytest.raises(ServiceDown):
        await make_plan(session_of(progress, model, turns=TURNS))


@pytest.mark.parametrize(
    ("text", "queries"),
    [
        ("one query", ("one query",)),
        ("a;b ; c;d", ("a", "b", "c")),
        ("- one\n- two\n", ("one", "two")),
        ('"quoted"', ("quoted",)),
        ("twice; twice", ("twice",)),
        ("  much   space ", ("much space",)),
        ("x" * 301 + ";short", ("short",)),
        ("", ()),
        (" ; \n - ", ()),
    ],
)
def test_one_string_may_hold_several_queries(text: str, queries: tuple[str, ...]) -> None:
    assert split_queries(text) == queries


@pytest.mark.parametrize(
    ("fields", "plan"),
    [
        ({"action": "clarify", "clarifying_question": None}, Plan()),
        ({"action": "clarify", "clarifying_question": "None"}, Plan()),
        ({"action": "clarify", "clarifying_question": "N/A"}, Plan()),
        ({"action": "CLARIFY ", "clarifying_question": "Which?"}, Plan(Action.CLARIFY, "Which?")),
        ({"action": "Proceed", "optimized_query": "lamp"}, Plan(queries=("lamp",))),
        ({"action": "proceed", "optimized_query": None}, Plan()),
        ({"action": "proceed", "optimized_query": ["a", "b"]}, Plan(queries=("a", "b"))),
        ({"action": "proceed", "optimized_query": {"query": "a"}}, Plan(queries=("a",))),
        ({"action": "proceed", "optimized_query": "None; N/A; a"}, Plan(queries=("a",))),
        (
            {"history_sufficiency": None, "action": "proceed", "optimized_query": "a"},
            Plan(queries=("a",)),
        ),
        (
            {"history_sufficiency": "very", "action": "proceed", "optimized_query": "a"},
            Plan(queries=("a",)),
        ),
        (
            {"history_sufficiency": "Sufficient", "action": "proceed", "optimized_query": "a"},
            Plan(history_sufficiency=Sufficiency.SUFFICIENT, queries=("a",)),
        ),
    ],
)
async def test_a_plan_is_read_by_the_types_of_its_fields(
    fields: dict[str, Any], plan: Plan, progress: RunState
) -> None:
    fields = {**fields, "optimized_query": fields.get("optimized_query", "")}
    calls = session_of(progress, ScriptedModel(fields), turns=TURNS)
    assert await make_plan(calls) == plan
