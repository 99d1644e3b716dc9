"""The figures of the window: percentiles, and the gaps between the turns of its event loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil, inf

from bench.ui_processes import Memory, Usage

LONG_MS = 50.0
FRAME_MS = 16.0


@dataclass(frozen=True, slots=True)
class Gaps:
    """Milliseconds from one heartbeat to the next, and how much of each no processor was free."""

    ms: tuple[float, ...] = ()
    starved_ms: tuple[float, ...] = ()

    @classmethod
    def joined(cls, one: Gaps, other: Gaps) -> Gaps:
        """Return both as one."""
        return cls(one.ms + other.ms, one.starved_ms + other.starved_ms)

    @property
    def own_ms(self) -> tuple[float, ...]:
        """The gaps as they would be on a machine that always has a processor free."""
        return tuple(max(0.0, a - b) for a, b in zip(self.ms, self.starved_ms, strict=True))

    @property
    def longest(self) -> float:
        """The longest."""
        return max(self.ms, default=0.0)

    @property
    def under_a_frame(self) -> float:
        """The share of them that is under 16 ms."""
        return sum(gap < FRAME_MS for gap in self.ms) / max(1, len(self.ms))


@dataclass(slots=True)
class Measured:
    """All that was measured. Seconds for starts, milliseconds for paints."""

    are_articles: bool
    icons: list[float] = field(default_factory=list[float])
    icon_cpu_s: list[float] = field(default_factory=list[float])
    turns: list[float] = field(default_factory=list[float])
    first_paint: float = 0.0
    paints: list[float] = field(default_factory=list[float])
    commands: list[float] = field(default_factory=list[float])
    sources: list[float] = field(default_factory=list[float])
    fresh: Memory = field(default_factory=lambda: Memory(0, 0, 0, 0))
    shown: Memory = field(default_factory=lambda: Memory(0, 0, 0, 0))
    warm: Memory = field(default_factory=lambda: Memory(0, 0, 0, 0))
    asked: Memory = field(default_factory=lambda: Memory(0, 0, 0, 0))
    rested: Memory = field(default_factory=lambda: Memory(0, 0, 0, 0))
    idle: Usage = field(default_factory=lambda: Usage(0, 0, 0))
    characters: int = 0
    pages_extracted: int = 0
    pages_ranked: int = 0
    citations: int = 0
    streaming: Gaps = field(default_factory=Gaps)
    rendering: Gaps = field(default_factory=Gaps)
    searching: Gaps = field(default_factory=Gaps)
    citing: Gaps = field(default_factory=Gaps)
    checking: Gaps = field(default_factory=Gaps)
    resuming: Gaps = field(default_factory=Gaps)
    resumed_s: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    pasting: Gaps = field(default_factory=Gaps)
    widening: Gaps = field(default_factory=Gaps)
    downloading: Gaps = field(default_factory=Gaps)
    reading: Gaps = field(default_factory=Gaps)
    pdf_pages: int = 0


def gaps_of(
    beats: Iterable[tuple[float, float, float]], after_s: float = 0.0, until_s: float = inf
) -> Gaps:
    """Return the gaps that ended between two moments."""
    chosen = [(gap, starved) for at, gap, starved in beats if after_s < at <= until_s]
    return Gaps(tuple(g for g, _ in chosen), tuple(s for _, s in chosen))


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that so many are not above: the nearest rank."""
    ordered = sorted(values)
    if not ordered:
        return 0.0
    return ordered[max(1, ceil(share * len(ordered))) - 1]
