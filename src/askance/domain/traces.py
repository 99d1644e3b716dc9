"""Past runs as they are traced."""

from __future__ import annotations

from dataclasses import dataclass

from askance.domain.events import RunEvent


@dataclass(frozen=True, slots=True)
class TraceSummary:
    """A trace in the list. `seconds` is how long the run took.

    `outcome` is that of the answer (`web`, `library`, …), or `clarify_asked` or `failed`. `damage`
    is empty, or says what is wrong with the file; the fields that cannot be read are then empty.
    """

    id: str
    question: str = ""
    started: str = ""
    outcome: str = ""
    seconds: float = 0.0
    damage: str = ""


@dataclass(frozen=True, slots=True)
class StoredTrace:
    """A whole trace: what was asked, when (ISO, UTC), and each event with its second in the run."""

    id: str
    question: str
    started: str
    events: tuple[tuple[float, RunEvent], ...]
