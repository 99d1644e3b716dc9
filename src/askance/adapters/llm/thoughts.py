"""Reasoning that a model writes into its reply between `<think>` tags, taken out of it."""

from __future__ import annotations

import re

from askance.ports.model import Text, Thought

_TAGS = ("<think>", "</think>")
_TAG = re.compile("|".join(_TAGS))
Piece = Text | Thought


class ThoughtFilter:
    """Sorts the pieces of one reply into text and thought.

    Tags may be split over pieces, and the last one may never be closed. A closing tag without an
    opening one is dropped: its reasoning has been passed on by then. A tag right behind a backtick
    is text about a tag.
    """

    def __init__(self) -> None:
        self._held = ""
        self._before = ""
        self._thinking = False
        self._skip_space = False

    def feed(self, piece: str) -> list[Piece]:
        """Return what this piece settles; what may be the beginning of a tag is held back."""
        self._held += piece
        found: list[Piece] = []
        start = 0
        while match := _TAG.search(self._held, start):
            opens = match[0] == _TAGS[0]
            if self._is_plain(match.start(), opens=opens):
                start = match.end()
                continue
            found += self._take(match.start())
            self._held = self._held[len(match[0]) :]
            self._thinking = opens
            self._skip_space = not opens
            start = 0
        return found + self._take(max(start, len(self._held) - self._tag_begun()))

    def end(self) -> list[Piece]:
        """Return what was held back."""
        return self._take(len(self._held))

    def _is_plain(self, position: int, *, opens: bool) -> bool:
        if self._thinking:
            return opens
        return self._held[position - 1 : position] == "`" if position else self._before == "`"

    def _take(self, length: int) -> list[Piece]:
        taken, self._held = self._held[:length], self._held[length:]
        if self._skip_space:
            taken = taken.lstrip()
            self._skip_space = not taken
        if not taken:
            return []
        self._before = taken[-1]
        return [Thought(taken) if self._thinking else Text(taken)]

    def _tag_begun(self) -> int:
        """Return how many characters at the end may be the beginning of a tag."""
        for length in range(min(len(_TAGS[1]) - 1, len(self._held)), 0, -1):
            if any(tag.startswith(self._held[-length:]) for tag in _TAGS):
                return length
        return 0
