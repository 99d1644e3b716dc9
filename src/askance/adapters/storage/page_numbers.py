"""On which page of a document a passage was found."""

from __future__ import annotations

from askance.domain.library import PAGE_BREAK
from askance.text.ranking.passages import Snippet

_WORDS_OF_PLACE = 4
_LONGEST_PLACE = 400


def page_of(text: str, start: int, passage: str, shown: Snippet) -> int:
    """Return the page of what a snippet marks first in a passage; 0 in a text without pages.

    `start` is the place of the passage in the text.
    """
    return page_within(first_page(text, start), passage, shown)


def first_page(text: str, start: int) -> int:
    """Return the page of a place in a text; 0 in a text without pages."""
    return text.count(PAGE_BREAK, 0, start) + 1 if PAGE_BREAK in text else 0


def page_within(first: int, passage: str, shown: Snippet) -> int:
    """Return the page of what a snippet marks first in a passage that begins on the page `first`."""
    if not first:
        return 0
    marked = shown.marks[0][0] if shown.marks else 0
    words = shown.text[marked:].strip("…").split()[:_WORDS_OF_PLACE]
    return first + passage.count(PAGE_BREAK, 0, _place_of(words, passage))


def _place_of(words: list[str], passage: str) -> int:
    """Return where words stand one behind the other, whatever the space between them; 0 if nowhere."""
    place = passage.find(words[0]) if words else -1
    while place >= 0:
        if passage[place : place + _LONGEST_PLACE].split()[: len(words)] == words:
            return place
        place = passage.find(words[0], place + 1)
    return 0
