"""A model that took the place of a deleted one: whoever asked is told."""

from __future__ import annotations

import json
from datetime import date

from askance.config.settings import Settings
from askance.domain.conversation import Conversation, RunRequest, Turn
from askance.domain.events import Answered, RunEvent, TokenArrived, Warned, WarningCode
from askance.domain.messages import Message
from askance.domain.ports.model import ModelChanged, Text
from askance.engine.prompts import Prompts
from askance.engine.run import Engine
from fakes.model import ScriptedModel
from fakes.reader import ScriptedReader
from fakes.search import ScriptedSearch
from servers.model_script import plan as the_plan


async def test_another_model_in_place_of_a_deleted_one_is_told_of_once(
    prompts: Prompts, events: list[RunEvent]
) -> None:
    engine = Engine(
        ScriptedModel([ModelChanged("wren:8b", "robin:4b"), Text("Because.")]),
        ScriptedSearch({}),
        ScriptedReader({}),
        prompts,
        Settings(),
        lambda: date(2026, 11, 22),
    )
    end = await engine.chat(RunRequest("Why?"), emit=events.append)
    text = "The model wren:8b is gone; robin:4b was asked instead."
    assert events == [
        Warned(WarningCode.MODEL_CHANGED, Message.verbatim(text)),
        TokenArrived("Because."),
        end,
    ]


async def test_a_search_tells_of_another_model_among_its_warnings(
    prompts: Prompts, events: list[RunEvent]
) -> None:
    plan = the_plan("lamp", history_sufficiency="sufficient")
    change = ModelChanged("wren:8b", "robin:4b")
    model = ScriptedModel.by_role(plan=[[change, Text(json.dumps(plan))]], answer=["Because."])
    engine = Engine(
        model,
        ScriptedSearch({}),
        ScriptedReader({}),
        prompts,
        Settings(),
        lambda: date(2026, 11, 22),
    )
    conversation = Conversation().with_turn(Turn("What is it?", "A lamp."))
    end = await engine.run(RunRequest("Why?", conversation), emit=events.append)
    assert isinstance(end, Answered)
    text = "The model wren:8b is gone; robin:4b was asked instead."
    assert end.warnings.count(text) == 1
