"""Asking the sample web's questions within a time, in an order that any beginning of is a fair sample."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from askance.engine.run import Engine
from askance.evaluation.figures import Measured
from askance.evaluation.measuring import ask
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


async def ask_all(
    engine: Engine,
    questions: Sequence[Question],
    keep: Callable[[Measured], None],
    *,
    limit_s: float = LIMIT_S,
) -> bool:
    """Ask one question after the other, and say whether all were asked within the time.

    Each is handed to `keep` as it is done; the one that the limit cuts off is not.

    Raises:
        AskanceError: the model server failed, or has the model no more.
    """
    limit = asyncio.timeout(limit_s)
    try:
        async with limit:
            for question in questions:
                keep(await ask(engine, question))
    except TimeoutError:
        if not limit.expired():
            raise
        return False
    return True
