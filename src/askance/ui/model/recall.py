"""What was typed before, and what is half typed: Arrow-up, Arrow-down, and drafts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from askance.ui.model.chips import Chip

MOST = 200
MOST_DRAFTS = 20


class Recall:
    """The questions of the past behind the field, newest nearest. The draft waits below them."""

    def __init__(self, asked: Iterable[str] = ()) -> None:
        self._asked: list[str] = []
        self._draft = ""
        self._at = 0
        for text in asked:
            self.add(text)

    def add(self, text: str) -> None:
        """Note what was just asked; the way up begins at it again."""
        text = text.strip()
        if text and (not self._asked or self._asked[-1] != text):
            self._asked = [*self._asked, text][-MOST:]
        self._draft, self._at = "", len(self._asked)

    def up(self, shown: str) -> str | None:
        """Return the text to show instead of what is in the field, or None at the oldest.

        A field that was changed since it was recalled becomes the draft.
        """
        if self._at == len(self._asked) or shown != self._asked[self._at]:
            self._draft, self._at = shown, len(self._asked)
        above = self._at - 1
        while above >= 0 and self._asked[above] == shown.strip():
            above -= 1
        if above < 0:
            return None
        self._at = above
        return self._asked[above]

    def down(self, shown: str) -> str | None:
        """Return the text to show instead: a newer question, the draft at last, then None."""
        if self._at == len(self._asked) or shown != self._asked[self._at]:
            return None
        self._at += 1
        return self._draft if self._at == len(self._asked) else self._asked[self._at]


@dataclass(frozen=True, slots=True)
class Draft:
    """What stands in the field and was not sent: its text, its cursor, and the texts quoted."""

    text: str = ""
    cursor: int = 0
    quotes: tuple[Chip, ...] = ()


class Drafts:
    """The drafts of the conversations; None is the one that has not begun."""

    def __init__(self, kept: Mapping[int | None, Draft] | None = None) -> None:
        self._kept: dict[int | None, Draft] = dict(kept or {})

    @property
    def kept(self) -> Mapping[int | None, Draft]:
        """All drafts by their conversations, the one that was changed last at the end."""
        return dict(self._kept)

    def keep(self, conversation: int | None, draft: Draft) -> None:
        """Keep a draft; an empty one is forgotten, and the oldest of too many."""
        self._kept.pop(conversation, None)
        if draft.text.strip() or draft.quotes:
            self._kept[conversation] = draft
        while len(self._kept) > MOST_DRAFTS:
            del self._kept[next(iter(self._kept))]

    def move(self, old: int | None, new: int | None) -> None:
        """Note that a conversation has another number now: it had none before it was kept."""
        if old != new and (draft := self._kept.pop(old, None)) is not None:
            self._kept[new] = draft

    def of(self, conversation: int | None) -> Draft:
        """Return the draft of a conversation, empty if there is none."""
        return self._kept.get(conversation, Draft())
