"""Confinement of child processes that work on foreign bytes, as far as the system offers it: what holds, and why not more.

What a caller of such a process needs; how it is confined is in `confine`, which loads `ctypes`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Protection(StrEnum):
    """One way in which the system holds a process, in the words of its own documentation."""

    MEMORY = "memory limit"
    LIMITS = "no new files or processes (resource limits)"
    NAMESPACE = "network namespace"
    LANDLOCK = "Landlock"
    SECCOMP = "seccomp"


@dataclass(frozen=True, slots=True)
class Protections:
    """What holds for a process.

    `missing` gives the reason for each protection that does not hold. `landlock` is the version of
    its interface, 0 without it.
    """

    missing: Mapping[Protection, str] = field(default_factory=dict[Protection, str])
    landlock: int = 0

    @property
    def held(self) -> tuple[Protection, ...]:
        """The protections that hold."""
        return tuple(protection for protection in Protection if protection not in self.missing)


NONE = Protections(dict.fromkeys(Protection, "it was not asked for"))
