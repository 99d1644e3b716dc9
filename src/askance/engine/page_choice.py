"""Selective reading: the model scores the addresses of a round, and only promising ones are read."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, cast

from askance.domain.errors import UNUSABLE_MODEL, PromptTooLong
from askance.domain.events import PagesChosen, WarningCode
from askance.domain.messages import Message
from askance.domain.requests import PageChoice
from askance.engine.context import RunContext
from askance.engine.evidence_set import NumberedEvidence
from askance.engine.model_session import Fields, MalformedReply
from askance.engine.search import SearchCandidate

MAX_TOKENS = 200
MOST_OFFERS = 10
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "relevant": {"type": "array", "items": {"type": "integer"}, "maxItems": MOST_OFFERS},
        "scores": {"type": "array", "items": {"type": "number"}, "maxItems": MOST_OFFERS},
    },
    "required": ["relevant", "scores"],
}


async def choose_pages(
    run: RunContext,
    choice: PageChoice,
    offers: Sequence[SearchCandidate],
    evidence: NumberedEvidence,
    round_number: int,
) -> list[SearchCandidate]:
    """Return the offers worth reading, best first: those that reach the threshold, and no more than wanted.

    A result that the model gives no score is as good as it can be. Where nothing was read yet the first
    are read even if it finds none worth that: nothing can be answered from nothing. All offers come
    back, in their order, where there is no model or no time to ask it, no room in the context, or no reply
    that could be read.
    """
    calls, progress = run.calls, run.progress
    if calls is None:
        return list(offers)
    started = asyncio.get_running_loop().time()
    offers = list(offers)[:MOST_OFFERS]
    shown, first = evidence.listing([offer.result for offer in offers])
    task = run.prompts.render("choose", results=shown)
    has_room = calls.budget.room(calls.messages(evidence.text, task)) > 0
    is_in_time = run.time_budget.has_time_to_judge(calls.fresh_tokens(evidence.text, task))
    if not (offers and has_room and is_in_time):
        return offers
    try:
        fields = await calls.ask(
            evidence.text, task, SCHEMA, max_tokens=MAX_TOKENS, decided=_is_decided
        )
    except (MalformedReply, PromptTooLong, *UNUSABLE_MODEL) as exc:
        progress.warn(
            WarningCode.JUDGE_FAILED,
            Message("The model has not chosen the pages: {problem}", problem=exc.problem),
        )
        return offers
    scored = {n - first: score for n, score in _read(fields) if 0 <= n - first < len(offers)}
    best = sorted((i for i in scored if scored[i] >= choice.least_score), key=lambda i: -scored[i])
    if not best and all(source.snippet_only for source in evidence.sources):
        best = list(range(len(offers)))
    chosen = best[: choice.most]
    progress.emit(
        PagesChosen(
            tuple(offers[i].result.url for i in chosen),
            tuple(scored.get(i, 0.0) for i in chosen),
            len(offers),
            round_number,
            progress.ms_since(started),
        )
    )
    return [offers[i] for i in chosen]


def _is_decided(fields: Fields) -> bool:
    return all(name in fields for name in SCHEMA["required"])


def _read(fields: Fields) -> list[tuple[int, float]]:
    """Return numbers with their scores; the first of a number counts."""
    numbers = [int(n) for n in _numbers(fields.get("relevant"))]
    scores = [min(max(score, 0.0), 1.0) for score in _numbers(fields.get("scores"))]
    scored: dict[int, float] = {}
    for number, score in zip_longest(numbers, scores[: len(numbers)], fillvalue=1.0):
        scored.setdefault(int(number), score)
    return list(scored.items())


def _numbers(value: object) -> list[float]:
    listed = cast("list[object]", value) if isinstance(value, list) else []
    read = [_number(n) for n in listed]
    return [n for n in read if n is not None]


def _number(value: object) -> float | None:
    """A number, also one that the model put in quotes; None for everything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
