"""Planning: may the question be searched as it is, and for what?"""

from __future__ import annotations

import asyncio
import re
from typing import Any

from askance.domain.errors import UNUSABLE_MODEL, PromptTooLong
from askance.domain.events import Planned, WarningCode
from askance.domain.messages import Message
from askance.domain.phases import Action, Phase, Plan, Sufficiency
from askance.engine.context import RunContext
from askance.engine.model_session import Fields, MalformedReply, ModelSession
from askance.engine.progress import RunState
from askance.engine.prompts import Prompts
from askance.engine.replies import choice_in, is_nothing, question_in, texts_in

MAX_TOKENS = 300
LONGEST_QUERY = 300
MOST_QUERIES = 3
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["proceed", "clarify"]},
        "history_sufficiency": {
            "type": "string",
            "enum": ["insufficient", "partial", "sufficient"],
        },
        "optimized_query": {"type": "string"},
        "clarifying_question": {"type": "string"},
    },
    "required": ["action", "history_sufficiency", "optimized_query", "clarifying_question"],
}


async def plan_in_time(run: RunContext, limit_s: float, *, stands_alone: bool = False) -> Plan:
    """Make a plan within its limit; where that is not to be had the question is searched as it stands."""
    calls, progress = run.calls, run.progress
    if calls is None:
        return Plan(fallback=True)
    if progress.phase is not Phase.PLANNING:
        progress.move(Phase.PLANNING)
    # A plan that cannot come in time would keep the model busy while its verdict is waited for.
    if not run.time_budget.has_time_for_plan(limit_s):
        problem = Message("there was no time for it.")
    else:
        try:
            async with asyncio.timeout(limit_s):
                return await make_plan(calls, run.prompts, progress, stands_alone=stands_alone)
        except TimeoutError:
            problem = Message("it took longer than {n} s.", n=limit_s)
        except (PromptTooLong, *UNUSABLE_MODEL) as exc:
            problem = exc.problem
    progress.warn(
        WarningCode.PLAN_FAILED, Message("The model gave no plan: {problem}", problem=problem)
    )
    return Plan(fallback=True)


async def make_plan(
    calls: ModelSession, prompts: Prompts, progress: RunState, *, stands_alone: bool = False
) -> Plan:
    """Ask the model for a plan; without a readable one the question is searched as it stands.

    A question that `stands_alone` is searched as it is anyway: whether to ask back is all that is
    waited for.

    Raises:
        ServiceError, InputError: the model cannot be used at all.
    """
    started = asyncio.get_running_loop().time()
    try:
        fields = await calls.ask(
            "",
            prompts.render("plan"),
            SCHEMA,
            max_tokens=MAX_TOKENS,
            decided=_is_decided_alone if stands_alone else _is_decided,
            drain=True,
        )
        plan = _read(fields, has_history=calls.has_history)
    except MalformedReply:
        progress.warn(
            WarningCode.PLAN_FAILED,
            Message("The model gave no usable plan, so the question was searched as it is."),
        )
        plan = Plan(fallback=True)
    progress.emit(
        Planned(
            plan.action,
            plan.history_sufficiency,
            plan.queries,
            plan.fallback,
            progress.ms_since(started),
        )
    )
    return plan


def split_queries(value: Any) -> tuple[str, ...]:
    """Return the queries in a field: models put several on lines, between semicolons or into a list."""
    text = "\n".join(texts_in(value))
    parts = (" ".join(part.split()) for part in re.split(r"[\n;]+", text))
    found = [part.strip(" -*\"'") for part in parts]
    queries = [q for q in found if len(q) <= LONGEST_QUERY and not is_nothing(q)]
    return tuple(dict.fromkeys(queries))[:MOST_QUERIES]


def _is_decided(fields: Fields) -> bool:
    """A search needs no clarifying question: the rest of the reply is not waited for."""
    wanted = "clarifying_question" if _action(fields) is Action.CLARIFY else "optimized_query"
    return "action" in fields and wanted in fields


def _is_decided_alone(fields: Fields) -> bool:
    return _action(fields) is Action.PROCEED or _is_decided(fields)


def _action(fields: Fields) -> Action | None:
    try:
        return choice_in(fields.get("action"), Action)
    except ValueError:
        return None


def _read(fields: Fields, *, has_history: bool) -> Plan:
    action = _action(fields)
    if action is None:
        raise MalformedReply(Message("The plan does not follow its schema."))
    history = choice_in(
        fields.get("history_sufficiency"), Sufficiency, otherwise=Sufficiency.INSUFFICIENT
    )
    question = question_in(fields.get("clarifying_question"))
    queries = split_queries(fields.get("optimized_query"))
    if action is Action.CLARIFY and not question:
        action = Action.PROCEED
    # A model that claims to know the answer from a conversation that has not begun is wrong.
    return Plan(action, question, history if has_history else Sufficiency.INSUFFICIENT, queries)
