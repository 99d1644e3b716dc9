"""Single rules of the engine that a run of the benchmark can do without."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from askance.config.settings import EvidenceSettings
from askance.engine import context, question_run, research
from askance.engine.context import RunContext
from askance.engine.judge import Judge
from askance.engine.model_session import ModelSession
from askance.engine.page_reads import PageReads
from askance.engine.research import Research


def _ignore(*_: object) -> None:
    pass


async def _never(*_: object, **__: object) -> bool:
    return False


LEVERS: dict[str, tuple[Any, str, Any]] = {
    "no portions": (context, "FIRST_PORTION_TOKENS", 0),
    "no first step": (context, "FIRST_STEP_TOKENS", 1_000_000),
    "no verdict on the first step": (Research, "_ask_before_step", _never),
    "the missing page at once": (RunContext, "later_steps", lambda _run: [math.inf]),
    "judge before writer": (Judge, "could_answer", _never),
    "a verdict on the missing page": (Research, "_brought_missing", lambda *_: False),
    "gaps searched afterwards": (Research, "_search_early", _ignore),
    "nothing evaluated ahead": (ModelSession, "warm", _ignore),
    "rounds in vain go on": (research, "has_more", lambda *_: True),
    "late pages left out": (PageReads, "are_late", _never),
    "plan for every question": (question_run, "stands_alone", lambda _question: False),
    "1,100 tokens a later round": (EvidenceSettings, "later_round_tokens", 1100),
    "names of a gap alone": (research, "asked_of", lambda *_: ""),
}
"""By what a run does then: what holds the rule, its name, and what takes its place."""


@contextmanager
def without(names: Sequence[str]) -> Iterator[None]:
    """Do without these rules."""
    before = [(owner, name, owner.__dict__[name]) for owner, name, _ in (LEVERS[n] for n in names)]
    try:
        for owner, name, other in (LEVERS[n] for n in names):
            setattr(owner, name, other)
        yield
    finally:
        for owner, name, old in before:
            setattr(owner, name, old)
