"""The words of Askance itself in an answer that no model wrote, in the reader's language."""

from __future__ import annotations

from dataclasses import replace

from askance.domain.events import Answered
from askance.domain.evidence import Citation
from askance.presentation.words import translated


def in_own_words(end: Answered) -> tuple[str, tuple[Citation, ...]]:
    """Return the text of an answer and its citations, whose places move along.

    A model's words stay as they are.
    """
    told = translated(end.opening)
    moved = len(told) - len(end.opening)
    return f"{told}{end.answer[len(end.opening) :]}", tuple(
        replace(citation, start=citation.start + moved, end=citation.end + moved)
        for citation in end.citations
    )
