"""Invisible marks that let code and addresses be read from left to right whatever letters are in them.

Where two words from right to left have only signs between them, they and the signs are drawn in reverse:
`["a", "b"]` as `["b", "a"]`. A mark behind the first one ends that. What is copied comes without.
"""

from __future__ import annotations

import re

LEFT_TO_RIGHT_MARK = "\N{LEFT-TO-RIGHT MARK}"
_LEFT_TO_RIGHT_ISOLATE = "\N{LEFT-TO-RIGHT ISOLATE}"
_FIRST_STRONG_ISOLATE = "\N{FIRST STRONG ISOLATE}"
_POP = "\N{POP DIRECTIONAL ISOLATE}"
WITHOUT_MARKS = dict.fromkeys(
    map(ord, (LEFT_TO_RIGHT_MARK, _LEFT_TO_RIGHT_ISOLATE, _FIRST_STRONG_ISOLATE, _POP))
)
"""A table for `str.translate` that takes the marks out."""

_LETTERS = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
_FROM_RIGHT = re.compile(_LETTERS)
# In code every sign parts. In plain text those of sentences do not: `a, b` is one list of words there.
_BEFORE_SIGN = re.compile(rf"{_LETTERS}(?=[ \t]{{0,40}}[!-/:-@\[-`{{-~])")
_BEFORE_OPERATOR = re.compile(rf'{_LETTERS}(?=[ \t]{{0,40}}["#/;<=>\[\\\]`{{|}}])')


def holds_right(text: str) -> bool:
    """Return whether any letter of a text is written from right to left."""
    return _FROM_RIGHT.search(text) is not None


def code_line(text: str, *, is_whole: bool, is_plain: bool = False) -> str:
    """Return a stretch of a line of code with the marks that it needs.

    `is_whole` says that it is a string or a comment, whose own words stay together. `is_plain` says that
    nothing is known of its signs.
    """
    if not holds_right(text):
        return text
    if not is_whole:
        parts = _BEFORE_OPERATOR if is_plain else _BEFORE_SIGN
        text = parts.sub(rf"\g<0>{LEFT_TO_RIGHT_MARK}", text)
    return f"{text}{LEFT_TO_RIGHT_MARK}"


def isolated_code(text: str) -> str:
    """Return code that stands within words from right to left, so that its own order stays."""
    return f"{_LEFT_TO_RIGHT_ISOLATE}{text}{_POP}"


def isolated_link(text: str) -> str:
    """Return the words or the address of a link within words from right to left, read by its first letter."""
    return f"{_FIRST_STRONG_ISOLATE}{text}{_POP}"
