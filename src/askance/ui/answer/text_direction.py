"""From which side a block of an answer is read: by most of its own letters."""

from __future__ import annotations

from itertools import islice
from unicodedata import bidirectional

from askance.ui.model.inline import Style
from askance.ui.model.markup import MarkupParagraph, Piece

_MOST_CHARACTERS = 2_000
# Fewer foreign words in an answer from right to left are names: they stand where the rest does.
_FEWEST_WORDS = 4
_RIGHT = frozenset({"R", "AL"})


def has_letters_from_right(paragraph: MarkupParagraph) -> bool:
    """Say whether any letter of a paragraph is written from right to left."""
    text = "".join(run.text for run in paragraph.runs)[:_MOST_CHARACTERS]
    return any(bidirectional(character) in _RIGHT for character in text)


def reads_from_right(piece: Piece, *, in_answer_from_right: bool) -> bool:
    """Say whether a block is read from right to left. Code, addresses and numbers of sources do not count.

    In an answer from right to left, a block from left to right has a few words at least.
    """
    if piece.code is not None:
        return False
    runs = (run for paragraph in piece.paragraphs for run in paragraph.runs)
    words = " ".join(run.text for run in runs if not (run.style & Style.CODE or run.url or run.n))
    directions = [bidirectional(character) for character in islice(words, _MOST_CHARACTERS)]
    right, left = sum(d in _RIGHT for d in directions), directions.count("L")
    if not in_answer_from_right:
        return right > left
    foreign = sum(
        any(bidirectional(c) == "L" for c in word) for word in words.split()[:_MOST_CHARACTERS]
    )
    return left <= right or foreign < _FEWEST_WORDS
