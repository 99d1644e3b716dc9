"""Selective reading: the model scores the addresses of a round, and only promising ones are read."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, cast

from askance.config.settings import ReaderSettings
from askance.domain.errors import UNUSABLE_MODEL, PromptTooLong
from askance.domain.events import PagesChosen, WarningCode
from askance.domain.messages import Message
from askance.engine.evidence_set import EvidenceSet
from askance.engine.model_session import Fields, MalformedReply, ModelSession
from askance.engine.progress import RunState
from askance.engine.prompts import Prompts
from askance.engine.search import SearchCandidate
from askance.engine.time_budget import TimeBudget

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


class PageChooser:
    """Chooses pages by one call a round. Where that fails, the ranking alone decides."""

    def __init__(
        self,
        settings: ReaderSettings,
        calls: ModelSession,
        prompts: Prompts,
        progress: RunState,
        time_budget: TimeBudget,
    ) -> None:
        self._settings = settings
        self._calls = calls
        self._prompts = prompts
        self._progress = progress
        self._time_budget = time_budget

    async def choose(
        self, offers: Sequence[SearchCandidate], ledger: EvidenceSet, round_number: int
    ) -> list[SearchCandidate]:
        """Return the offers worth reading, best first: those that reach the threshold, and no more than set.

        A result that the model gives no score is as good as it can be. Where nothing was read yet the first
        are read even if it finds none worth that: nothing can be answered from nothing. All offers come
        back, in their order, where there is no time to ask, no room in the context, or no reply that could
        be read.
        """
        started = asyncio.get_running_loop().time()
        offers = list(offers)[:MOST_OFFERS]
        shown, first = ledger.listing([offer.result for offer in offers])
        task = self._prompts.render("choose", results=shown)
        if not offers or not self._is_possible(ledger.text, task):
            return offers
        try:
            fields = await self._calls.ask(
                ledger.text, task, SCHEMA, max_tokens=MAX_TOKENS, decided=_is_decided
            )
        except (MalformedReply, PromptTooLong, *UNUSABLE_MODEL) as exc:
            self._progress.warn(
                WarningCode.JUDGE_FAILED,
                Message("The model has not chosen the pages: {problem}", problem=exc.problem),
            )
            return offers
        least = self._settings.url_score_threshold
        scored = {n - first: score for n, score in _read(fields) if 0 <= n - first < len(offers)}
        best = sorted((i for i in scored if scored[i] >= least), key=lambda i: -scored[i])
        if not best and all(source.snippet_only for source in ledger.sources):
            best = list(range(len(offers)))
        chosen = best[: self._settings.max_urls_per_round]
        self._progress.emit(
            PagesChosen(
                tuple(offers[i].result.url for i in chosen),
                tuple(scored.get(i, 0.0) for i in chosen),
                len(offers),
                round_number,
                self._progress.ms_since(started),
            )
        )
        return [offers[i] for i in chosen]

    def _is_possible(self, evidence: str, task: str) -> bool:
        fresh = self._calls.fresh_tokens(evidence, task)
        has_room = self._calls.budget.room(self._calls.messages(evidence, task)) > 0
        return has_room and self._time_budget.has_time_to_judge(fresh)


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
