"""What a trace is made of: rows of lines of cells, each with a tone beside its words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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
