"""How long a text is, in a way that holds for scripts without spaces."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_UNSPACED = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
# A Chinese or Japanese word has about two characters.
CHARACTERS_PER_WORD = 2


def count_words(text: str) -> int:
    """Return the number of words; in scripts without spaces, half the number of characters."""
    spaced, characters = _UNSPACED.subn(" ", text)
    return len(_WORD.findall(spaced)) + (characters + 1) // CHARACTERS_PER_WORD
