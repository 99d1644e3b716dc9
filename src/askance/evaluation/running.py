"""Asking the sample web's questions within a time, in an order that any beginning of is a fair sample."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from askance.engine.run import Engine
from askance.evaluation.figures import Measured, Verified
from askance.evaluation.grading import LEAST_ASKED
from askance.evaluation.measuring import ask
from askance.evaluation.verification import Batch, ask_batch
from askance.sample_web.server import Question

LIMIT_S = 600.0


def in_fair_order(questions: Sequence[Question]) -> tuple[Question, ...]:
    """Return all questions so that each beginning has of each kind and language what is its share."""
    rows: dict[tuple[str, str], list[Question]] = {}
    for question in questions:
        rows.setdefault((question.kind, question.language), []).append(question)
    placed = [
        ((i + 0.5) / len(row), n, question)
        for n, row in enumerate(rows.values())
        for i, question in enumerate(row)
    ]
    return tuple(question for _, _, question in sorted(placed, key=lambda place: place[:2]))


def in_order(
    questions: Sequence[Question], batches: Sequence[Batch]
) -> tuple[Question | Batch, ...]:
    """Return all that is asked: the sentences once enough questions were asked for a grade, on a slow machine
    too."""
    ordered = in_fair_order(questions)
    return (*ordered[:LEAST_ASKED], *batches, *ordered[LEAST_ASKED:])


async def ask_all(
    engine: Engine,
    asked: Sequence[Question | Batch],
    keep: Callable[[Measured | Verified], None],
    *,
    limit_s: float = LIMIT_S,
) -> bool:
    """Ask one question after the other, and say whether all were asked within the time.

    Each is handed to `keep` as it is done; the one that the limit cuts off is not. So are batches
    of sentences.

    Raises:
        AskanceError: the model server failed, or has the model no more.
    """
    limit = asyncio.timeout(limit_s)
    try:
        async with limit:
            for item in asked:
                if isinstance(item, Batch):
                    keep(await ask_batch(engine, item))
                else:
                    keep(await ask(engine, item))
    except TimeoutError:
        if not limit.expired():
            raise
        return False
    return True
