"""What passages of the library have to do with a question, by their words, at a glance."""

from __future__ import annotations

from collections.abc import Sequence

from askance.domain.evidence import Extract
from askance.domain.library import LibraryHit
from askance.domain.phases import Sufficiency
from askance.engine.judge import (
    FEW_WORDS,
    LEAST_WORDS_IN_SNIPPET,
    LEAST_WORDS_OF_FEW,
    share_covered,
)
from askance.engine.names import compared, content_words_of, holds, named
from askance.text.languages.recognition import language_of, recognise

# What a verdict is worth by itself; the rest is told by the words of the question that were found.
_WORTH = {
    Sufficiency.SUFFICIENT: (0.8, 0.2),
    Sufficiency.PARTIAL: (0.4, 0.3),
    Sufficiency.INSUFFICIENT: (0.0, 0.3),
}


def relevant(question: str, hits: Sequence[LibraryHit]) -> tuple[LibraryHit, ...]:
    """Return the passages that have, at a glance, what a question asks for.

    Of what is compared, each side has a document of its own. Otherwise a passage, with its titles, has
    every name of the question and enough of its other words: half of a few, nearly all of many or where
    nothing is named. A library that grows has much that speaks of the same things.
    """
    if sides := compared(question):
        of_side = [[hit for hit in hits if holds(hit.title, side)] for side in sides]
        return tuple(hit for of in of_side for hit in of) if all(of_side) else ()
    code = recognise(question)
    wanted, names = content_words_of(question, code), " ".join(named(question))
    is_short = bool(names) and len(wanted) <= FEW_WORDS
    least = LEAST_WORDS_OF_FEW if is_short else LEAST_WORDS_IN_SNIPPET

    def is_relevant(hit: LibraryHit) -> bool:
        text = f"{hit.title}\n{hit.heading}\n{hit.text}"
        return share_covered(wanted, text, code) >= least and holds(text, names, code)

    return tuple(hit for hit in hits if is_relevant(hit)) if wanted else ()


def related(question: str, hits: Sequence[LibraryHit]) -> tuple[LibraryHit, ...]:
    """Return the passages that have, with their titles, half of a question's content words at least.

    Where no model judges them, and nothing else is to be had, these are shown, and no others.
    """
    code = language_of([hit.text for hit in hits])
    wanted = content_words_of(question, code)
    return tuple(
        hit
        for hit in hits
        if share_covered(wanted, f"{hit.title}\n{hit.heading}\n{hit.text}", code)
        >= LEAST_WORDS_OF_FEW
    )


def completeness(question: str, sufficiency: Sufficiency, extracts: Sequence[Extract]) -> float:
    """Return how far evidence answers a question, 0 to 1: by a verdict, and by the question's words in it.

    A verdict of "sufficient" alone is .8, and .4 the half of it: no number is asked of the model.
    """
    texts = [extract.text for extract in extracts]
    code = language_of(texts)
    wanted = content_words_of(question, code)
    least, more = _WORTH[sufficiency]
    return least + more * max((share_covered(wanted, text, code) for text in texts), default=0.0)
