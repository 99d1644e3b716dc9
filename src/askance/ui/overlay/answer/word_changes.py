"""Two versions of a text word by word: what stayed, what came in, and what went."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from enum import Enum, auto

from askance.ui.design.labels import span
from askance.ui.design.theme import Look

# A word with the blanks behind it: a change takes its blank along.
_WORD = re.compile(r"\S+\s*|\s+")
# `SequenceMatcher` takes the square of them in the worst case; longer texts are compared as far as that.
_MOST_WORDS = 2_000


class Change(Enum):
    """What became of words."""

    SAME = auto()
    ADDED = auto()
    REMOVED = auto()


def changed_words(before: str, after: str) -> Iterator[tuple[Change, str]]:
    """Yield stretches of two texts in order, those that went before those that came in their place."""
    old, new = _WORD.findall(before.strip()), _WORD.findall(after.strip())
    a, b = old[:_MOST_WORDS], new[:_MOST_WORDS]
    # Without their blanks: a line that breaks elsewhere is no change.
    matcher = SequenceMatcher(
        None, [word.rstrip() for word in a], [word.rstrip() for word in b], autojunk=False
    )
    for step, i, j, k, m in matcher.get_opcodes():
        if step == "equal":
            yield Change.SAME, "".join(b[k:m])
            continue
        if i < j:
            # The last word of a text has no blank behind it.
            yield Change.REMOVED, "".join(a[i:j]).rstrip() + " "
        if k < m:
            yield Change.ADDED, "".join(b[k:m])
    if rest := "".join(new[_MOST_WORDS:]):
        yield Change.SAME, rest


def marked_changes(look: Look, before: str, after: str) -> str:
    """Return markup of both texts: what went is struck out, what came in is lit."""
    colours, marked = look.colours, list[str]()
    for change, words in changed_words(before, after):
        ink = colours.ink_3 if change is Change.REMOVED else colours.ink
        ground = colours.accent_soft if change is Change.ADDED else ""
        marked.append(span(words, ink, ground=ground, is_struck=change is Change.REMOVED))
    return "".join(marked)
