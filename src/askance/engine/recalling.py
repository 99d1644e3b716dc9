"""Recalling: whether what the web said earlier in a conversation answers the next question too.

A model that claims so is not taken at its word: the earlier quotes enter the evidence and are judged
as any evidence is, and the answer cites them. A conversation in which nothing was read holds none.
"""

from __future__ import annotations

from collections.abc import Sequence

from askance.domain.conversation import Turn
from askance.domain.events import Judging
from askance.domain.evidence import Passage, Quote
from askance.domain.phases import Phase, Sufficiency
from askance.engine.budget import Governor
from askance.engine.calls import Calls
from askance.engine.judge import Judge
from askance.engine.ledger import Ledger
from askance.engine.progress import Progress
from askance.engine.prompts import Prompts
from askance.engine.schedule import Schedule


async def recall(
    question: str,
    turns: Sequence[Turn],
    ledger: Ledger,
    calls: Calls,
    prompts: Prompts,
    progress: Progress,
    schedule: Schedule,
    *,
    most_tokens: int,
) -> bool:
    """Enter what was quoted before, newest first, and say whether it is enough to answer from.

    Raises:
        ServiceError, InputError: the model cannot be used at all.
    """
    quotes = _newest(turns, calls.governor, most_tokens)
    if not quotes:
        return False
    progress.move(Phase.RECALLING)
    passages = [Passage(q.source.url, q.source.title, q.text, q.offset) for q in quotes]
    ledger.add_passages(passages, {q.source.url: q.source.published for q in quotes})
    verdict = await Judge(calls, prompts, progress, schedule, question).judge(
        ledger, Judging.PASSAGES, 1
    )
    return verdict is not None and verdict.sufficiency is Sufficiency.SUFFICIENT


def _newest(turns: Sequence[Turn], governor: Governor, most_tokens: int) -> list[Quote]:
    kept: dict[tuple[str, str], Quote] = {}
    for turn in reversed(turns):
        for quote in turn.quoted:
            most_tokens -= governor.cost(quote.text)
            if most_tokens < 0:
                return list(kept.values())
            kept.setdefault((quote.source.url, quote.text), quote)
    return list(kept.values())
