"""Recalling: whether what the web said earlier in a conversation answers the next question too.

Where the model's server still has the evidence of earlier answers in its cache, the judge is asked first, and
a search begins with what it misses. Otherwise a model that claims to know from the conversation is not
taken at its word: the earlier quotes enter the evidence and are judged as any evidence is. The answer
cites what it rests on either way. A conversation in which nothing was read holds none.
"""

from __future__ import annotations

from collections.abc import Sequence

from askance.domain.conversation import Turn
from askance.domain.events import Judging
from askance.domain.evidence import ExtractKind, Passage, Quote
from askance.domain.phases import Phase, Sufficiency, Verdict
from askance.engine.context import RunContext
from askance.engine.context_budget import ContextBudget
from askance.engine.evidence_text import NumberedEvidence
from askance.engine.judge import LEAST_WORDS_OF_FEW, Judge, is_plain, share_covered
from askance.engine.names import compared, content_words_of, holds, missing_from, named
from askance.engine.transcript import PromptedTurn
from askance.text.languages.recognition import recognise

# Of a question with so few content words a passage must have them all.
MOST_WORDS_IN_FULL = 2


def is_in_hand(
    question: str, turns: Sequence[Turn], prompted: Sequence[PromptedTurn | None]
) -> bool:
    """Say whether the evidence of earlier answers has, at a glance, what a follow-up asks for.

    One passage must have its names and half of its other words, of two words both. A question that names
    nothing itself speaks of what was named last: the passage, or its page's title, must name that.
    """
    retained = [turn for turn in prompted if turn is not None]
    extracts = [extract for turn in retained for extract in turn.extracts]
    sources = [source for turn in retained for source in turn.sources]
    code = recognise(question)
    if not content_words_of(question, code) or missing_from(
        question, " ".join(extract.text for extract in extracts)
    ):
        return False
    if compared(question):
        return is_plain(question, extracts, sources)
    named_before = (names for turn in reversed(turns) if (names := named(turn.question)))
    names = " ".join(named(question) or next(named_before, ()))
    wanted = content_words_of(question, code) - content_words_of(names, code)
    least = LEAST_WORDS_OF_FEW if len(wanted) > MOST_WORDS_IN_FULL else 1.0
    titles = {source.n: source.title for source in sources}
    stated = [
        f"{titles[e.n]}\n{e.heading}\n{e.text}" for e in extracts if e.kind is ExtractKind.PASSAGE
    ]
    return any(
        holds(text, names, code) and share_covered(wanted, text, code) >= least for text in stated
    )


async def ask_evidence(run: RunContext, evidence: NumberedEvidence, judge: Judge) -> Verdict | None:
    """Have the evidence of earlier answers judged for the next question; None if the judge failed."""
    run.progress.move(Phase.RECALLING)
    return await judge.judge(evidence, Judging.PASSAGES, 1)


def enter_quotes(run: RunContext, turns: Sequence[Turn], evidence: NumberedEvidence) -> bool:
    """Enter what was quoted in these turns, newest first, and return whether there is any."""
    if run.calls is None:
        return False
    quotes = _newest(turns, run.calls.budget, run.settings.evidence.first_round_tokens)
    passages = [Passage(q.source.url, q.source.title, q.text, q.offset) for q in quotes]
    sources = {q.source.url: q.source for q in quotes}
    evidence.add_passages(
        passages,
        {url: source.published for url, source in sources.items()},
        {url: source.origin for url, source in sources.items() if source.kept},
    )
    return bool(quotes)


def is_enough(verdict: Verdict | None) -> bool:
    """Say whether a verdict lets the answer be written."""
    return verdict is not None and verdict.sufficiency is Sufficiency.SUFFICIENT


def _newest(turns: Sequence[Turn], budget: ContextBudget, most_tokens: int) -> list[Quote]:
    newest: dict[tuple[str, str], Quote] = {}
    for turn in reversed(turns):
        for quote in turn.quoted:
            most_tokens -= budget.cost(quote.text)
            if most_tokens < 0:
                return list(newest.values())
            newest.setdefault((quote.source.url, quote.text), quote)
    return list(newest.values())
