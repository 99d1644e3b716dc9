"""The words of Askance itself in an answer that no model wrote, in the reader's language."""

from __future__ import annotations

from dataclasses import replace

from askance.domain.conversation import Outcome
from askance.domain.events import Answered
from askance.domain.evidence import Citation
from askance.telling.retelling import retold


def in_own_words(end: Answered) -> tuple[str, tuple[Citation, ...]]:
    """Return the text of an answer and its citations, whose places move along.

    Where passages stand for an answer, a sentence of ours comes before them; where nothing was
    found, all of it is ours. A model's words stay as they are.
    """
    text = end.answer
    if end.outcome is Outcome.PASSAGES_ONLY:
        ours, gap, quoted = text.partition("\n\n")
    elif end.outcome is Outcome.INSUFFICIENT and not end.sources:
        ours, gap, quoted = text, "", ""
    else:
        return text, end.citations
    told = retold(ours)
    moved = len(told) - len(ours)
    return f"{told}{gap}{quoted}", tuple(
        replace(citation, start=citation.start + moved, end=citation.end + moved)
        for citation in end.citations
    )
