"""What a trace is made of: rows of lines of cells, each with a tone beside its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

# A page, a service or a model may say as much as it wants; the window lays a row out at once.
_LONGEST_CELL = 250
_LONGEST_ROW = 800
_LONGEST_LINK = 2_000


class Tone(StrEnum):
    """How a text is shown. Its words say the same: a tone is never the only sign."""

    PLAIN = "plain"
    GOOD = "good"
    AMBER = "amber"
    QUIET = "quiet"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Cell:
    """A text in one tone. `url` is opened by a click, if it is not empty."""

    text: str
    tone: Tone = Tone.PLAIN
    url: str = ""


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One step of a run: its name, what came of it, and how long it took (empty if not known).

    The cells of a line follow each other, parted by a dot; in a row that `is_tabular` they stand in
    columns. `round` is 0 for what belongs to no round.
    """

    label: str
    lines: tuple[tuple[Cell, ...], ...]
    elapsed: str = ""
    round: int = 0
    is_tabular: bool = False

    @property
    def length(self) -> int:
        """How many characters its lines have."""
        return sum(len(cell.text) + 1 for line in self.lines for cell in line)


def shortened(text: str, characters: int = _LONGEST_CELL) -> str:
    """Return a text, or its beginning and an ellipsis where it is longer."""
    return text if len(text) <= characters else f"{text[: characters - 1].rstrip()}…"


def bounded(lines: Sequence[tuple[Cell, ...]]) -> tuple[tuple[Cell, ...], ...]:
    """Return the lines of a row as far as they are shown, their texts as long as they may be.

    A link that is longer than any that a person follows is left out.
    """
    kept: list[tuple[Cell, ...]] = []
    room = _LONGEST_ROW
    for line in lines:
        if room <= 0:
            return (*kept, (Cell("…", Tone.QUIET),))
        kept.append(tuple(map(_bounded, line)))
        room -= sum(len(cell.text) + 1 for cell in kept[-1])
    return tuple(kept)


def _bounded(cell: Cell) -> Cell:
    url = cell.url if len(cell.url) <= _LONGEST_LINK else ""
    return replace(cell, text=shortened(cell.text), url=url)
