"""The decisions of the planner and of the judge."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from askance.domain.messages import NOTHING, Message


class Action(StrEnum):
    """What the plan asks for."""

    PROCEED = "proceed"
    CLARIFY = "clarify"


class Sufficiency(StrEnum):
    """How far the evidence, or the history, answers the question."""

    SUFFICIENT = "sufficient"
    PARTIAL = "partial"
    INSUFFICIENT = "insufficient"


@dataclass(frozen=True, slots=True)
class Plan:
    """How to go about a question. `queries` are what to search beside the question itself."""

    action: Action = Action.PROCEED
    clarifying_question: str = ""
    history_sufficiency: Sufficiency = Sufficiency.INSUFFICIENT
    queries: tuple[str, ...] = ()
    fallback: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's opinion of the evidence.

    `doubt` is set where code did not believe the model's word, and says why; `sufficiency` is then
    what the code made of it.
    """

    sufficiency: Sufficiency
    reasoning: str = ""
    gap_queries: tuple[str, ...] = ()
    doubt: Message = NOTHING
