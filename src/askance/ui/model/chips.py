"""Long texts beside the field: what was pasted or selected stands there as a chip, not as a wall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from askance.ranking.tokens import count_words
from askance.telling.cleaning import one_line
from askance.telling.words import plural

LONG_CHARACTERS = 400
LONG_LINES = 6
_PREVIEW_CHARACTERS = 120


class Origin(StrEnum):
    """Where a quoted text comes from."""

    PASTED = "pasted"
    SELECTED = "selected"


@dataclass(frozen=True, slots=True)
class Chip:
    """A quoted text, whole."""

    origin: Origin
    text: str

    @property
    def label(self) -> str:
        """What stands on the chip."""
        n = count_words(self.text)
        match self.origin:
            case Origin.PASTED:
                return plural("Pasted text, {n} word", "Pasted text, {n} words", n)
            case Origin.SELECTED:
                return plural("Selected text, {n} word", "Selected text, {n} words", n)

    @property
    def preview(self) -> str:
        """Its beginning, on one line, for the tooltip."""
        line = one_line(self.text)
        if len(line) <= _PREVIEW_CHARACTERS:
            return line
        return line[:_PREVIEW_CHARACTERS].rstrip() + "…"


def chip_of_paste(text: str) -> Chip | None:
    """Return the chip that a pasted text becomes, or None where it goes into the field itself."""
    is_long = len(text) > LONG_CHARACTERS or len(text.strip().splitlines()) > LONG_LINES
    return Chip(Origin.PASTED, text.strip()) if is_long and text.strip() else None


def chip_of_selection(text: str) -> Chip | None:
    """Return the chip of a text that was selected in another window; None if there was none."""
    return Chip(Origin.SELECTED, text.strip()) if text.strip() else None


def quote_of(chips: Sequence[Chip]) -> str:
    """Return the texts of all chips as the one text that a question is asked about."""
    return "\n\n".join(chip.text for chip in chips)
