"""Downloads: how far they are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PullStep:
    """How far a model is: the bytes of all layers that are known by now."""

    done_bytes: int = 0
    total_bytes: int = 0
