"""Many runs in a few figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from askance.domain.conversation import Outcome
from bench.runs import Run

_NO_ANSWER = frozenset({Outcome.INSUFFICIENT, Outcome.PASSAGES_ONLY})


@dataclass(frozen=True, slots=True)
class Figures:
    """Means over runs. `recall` is the share of all gold quotes that reached the writer.

    It is None where the questions have none. `pages_read` counts readable pages only.
    """

    questions: int
    recall: float | None
    pages_read: float
    pages_offered: float
    calls: float
    sent: float
    evaluated: float
    written: float
    first_token_s: float
    total_s: float


def sum_up(runs: Sequence[Run]) -> Figures:
    """Return the figures of at least one run."""
    count = len(runs)
    gold = sum(len(run.question.gold) for run in runs)
    return Figures(
        questions=count,
        recall=sum(run.shown.found for run in runs) / gold if gold else None,
        pages_read=sum(run.end.usage.pages_read for run in runs) / count,
        pages_offered=sum(run.end.usage.pages_offered for run in runs) / count,
        calls=sum(run.calls for run in runs) / count,
        sent=sum(run.sent for run in runs) / count,
        evaluated=sum(run.evaluated for run in runs) / count,
        written=sum(run.written for run in runs) / count,
        first_token_s=sum(run.first_token_s for run in runs) / count,
        total_s=sum(run.total_s for run in runs) / count,
    )


@dataclass(frozen=True, slots=True)
class Honesty:
    """What became of the questions of a model that errs, as shares.

    Of those that have an answer: `answered` from all of the evidence, `guessed` without it, and `quoted` where
    passages stand in the place of an answer. Of those that have none, `declined` ones ended without an answer.
    """

    answered: float
    guessed: float
    quoted: float
    declined: float


def honesty_of(runs: Sequence[Run]) -> Honesty:
    """Return what became of the questions."""
    with_gold = [run for run in runs if run.question.gold]
    without = [run for run in runs if not run.question.gold]
    answers = [run for run in with_gold if run.end.outcome not in _NO_ANSWER]
    quoted = [run for run in with_gold if run.end.outcome is Outcome.PASSAGES_ONLY]
    found = sum(run.shown.complete for run in answers)
    declined = sum(run.end.outcome in _NO_ANSWER for run in without)
    count = max(1, len(with_gold))
    return Honesty(
        answered=found / count,
        guessed=(len(answers) - found) / count,
        quoted=len(quoted) / count,
        declined=declined / max(1, len(without)),
    )
