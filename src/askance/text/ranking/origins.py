"""Whether texts have one origin: one is a copy of the other, or a sentence stands word for word in both."""

from __future__ import annotations

from collections.abc import Sequence

from askance.text.languages.language import ENGLISH
from askance.text.languages.sentences import sentence_spans
from askance.text.ranking.index_terms import count_words
from askance.text.ranking.scoring import NEAR_COPY, SHORTEST_COPY_WORDS, CopyIndex, shingles

# Set on the passages of the harness and on made copies, see `tests/ranking/test_origins.py`.
LEAST_SHARE = 0.6
"""Share of the shorter text's words, in sentences that the longer one has too, from which on it is a copy."""
_LEAST_RUNS = 0.4
"""Texts that have less than this share of their runs of words in common are not compared by sentences."""
SHORTEST_QUOTE_WORDS = 10
"""A shorter sentence may be that of two who know nothing of each other: "It was nominated for an Academy Award"."""
MOST_CHARACTERS = 60_000
"""So much of a text is compared: its runs of words take a hundred times the room of its characters."""


class ComparedText:
    """A text that is ready to be compared with others, sentence by sentence.

    `words` is how many words its sentences have that are long enough, `runs` are the runs of words in them.
    """

    def __init__(self, text: str) -> None:
        self._index = CopyIndex(NEAR_COPY)
        self._sentences: dict[str, int] = {}
        for line in text[:MOST_CHARACTERS].splitlines():
            # In one language for all: both texts are parted at the same places, right or wrong.
            for start, end in sentence_spans(line, ENGLISH):
                self._index.add(sentence := line[start:end])
                if (length := count_words(sentence)) >= SHORTEST_COPY_WORDS:
                    self._sentences[sentence] = length
        self.words = sum(self._sentences.values())
        self.runs = frozenset[int]().union(*map(shingles, self._sentences))

    def states(self, sentence: str) -> bool:
        """Say whether a sentence stands in it word for word, or nearly so. Of a short one that tells nothing."""
        return count_words(sentence) >= SHORTEST_QUOTE_WORDS and self._index.is_copy(sentence)

    def stands_in(self, other: ComparedText) -> bool:
        """Say whether another text has most of this one."""
        if len(self.runs & other.runs) < max(1, _LEAST_RUNS * len(self.runs)):
            return False
        copied = sum(n for text, n in self._sentences.items() if other._index.is_copy(text))
        return copied >= LEAST_SHARE * self.words

    def is_copy_of(self, other: ComparedText) -> bool:
        """Say whether the longer of the two texts has most of the shorter one."""
        return self.stands_in(other) if self.words <= other.words else other.stands_in(self)


def have_one_origin(
    one: ComparedText, other: ComparedText, quotes: Sequence[tuple[str, str]] = ()
) -> bool:
    """Say whether two texts are no independent sources.

    `quotes` are what each of the two, in this order, says to claims that both are to carry: if one of each pair stands in the
    other text word for word, that is a quotation.
    """
    if one.is_copy_of(other):
        return True
    return bool(quotes) and all(other.states(a) or one.states(b) for a, b in quotes)
