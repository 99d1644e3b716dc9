"""The phases of a run, the moves between them, and the decisions of planner and judge."""

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
    what the code made of it. `completeness`, 0 to 1, is the judge's own score, where one was asked for.
    """

    sufficiency: Sufficiency
    gap_queries: tuple[str, ...] = ()
    doubt: Message = NOTHING
    completeness: float | None = None


class Phase(StrEnum):
    """Where a run stands."""

    PLANNING = "planning"
    CLARIFYING = "clarifying"
    RECALLING = "recalling"
    SEARCHING = "searching"
    RANKING = "ranking"
    JUDGING_SNIPPETS = "judging_snippets"
    READING = "reading"
    SELECTING = "selecting"
    JUDGING_PASSAGES = "judging_passages"
    ANSWERING = "answering"
    CHECKING = "checking"
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


P = Phase
MOVES: dict[Phase, frozenset[Phase]] = {
    # Research may be ended by its time in any of these phases: each can go straight to the answer.
    P.PLANNING: frozenset({P.CLARIFYING, P.RECALLING, P.SEARCHING, P.ANSWERING}),
    P.CLARIFYING: frozenset({P.DONE}),
    P.RECALLING: frozenset({P.ANSWERING, P.PLANNING, P.SEARCHING}),
    P.SEARCHING: frozenset({P.RANKING, P.ANSWERING}),
    P.RANKING: frozenset({P.JUDGING_SNIPPETS, P.READING, P.ANSWERING}),
    P.JUDGING_SNIPPETS: frozenset({P.READING, P.ANSWERING}),
    P.READING: frozenset({P.SELECTING, P.ANSWERING}),
    P.SELECTING: frozenset({P.JUDGING_PASSAGES, P.SEARCHING, P.ANSWERING}),
    # Back to selecting: the rest of a first portion enters, or more where time had held it back.
    P.JUDGING_PASSAGES: frozenset({P.SEARCHING, P.SELECTING, P.ANSWERING}),
    # A writer that finds nothing in evidence which was held to be enough is believed: more of it, a plan or
    # a verdict follows, and the search goes on.
    P.ANSWERING: frozenset({P.PLANNING, P.SELECTING, P.JUDGING_PASSAGES, P.CHECKING}),
    P.CHECKING: frozenset({P.DONE}),
    P.DONE: frozenset(),
    P.CANCELLED: frozenset(),
    P.FAILED: frozenset(),
}
ENDS = frozenset({P.DONE, P.CANCELLED, P.FAILED})
INTERRUPTIONS = frozenset({P.CANCELLED, P.FAILED})
# Short for the table alone: no other module is to import it.
del P


class IllegalMove(AssertionError):
    """A run tried a move that the table does not list: a bug."""


def advance(current: Phase, to: Phase) -> Phase:
    """Return `to` if the table allows the move, or any running phase is interrupted.

    Raises:
        IllegalMove: the table has no such move.
    """
    if to in MOVES[current] or (to in INTERRUPTIONS and current not in ENDS):
        return to
    raise IllegalMove(f"no move from {current} to {to}")
