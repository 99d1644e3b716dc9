"""Patterns for files and folders, as people know them from `.gitignore`.

Case does not matter, nor how an accent is written: an exclusion that misses a folder for that is none.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

_ANY_DEPTH = "**"


@dataclass(frozen=True, slots=True)
class Rules:
    """What of a folder is read: its own patterns, and those that hold everywhere.

    A pattern without a slash is a name of a file or folder at any depth. One with a slash is a path
    below the folder, `**` standing for folders in between, or a path from the root of the disk;
    what is below an excluded folder is excluded. Where there are patterns to include, a file must
    match one of them.
    """

    root: Path
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def excluding(self, path: Path) -> str:
        """Return the pattern that excludes a file or folder; empty if none does."""
        below = _parts(path.relative_to(self.root))
        whole = _parts(path)
        return next((p for p in self.exclude if _excludes(p, below, whole)), "")

    def includes(self, path: Path) -> bool:
        """Whether a file is among those that are asked for."""
        below = _parts(path.relative_to(self.root)) or _parts(PurePath(path.name))
        return not self.include or any(_names(p, below) for p in self.include)


def _excludes(pattern: str, below: Sequence[str], whole: Sequence[str]) -> bool:
    if any(_names(pattern, below[:n]) for n in range(1, len(below) + 1)):
        return True
    anchored = _absolute(pattern)
    return bool(anchored) and any(_fits(anchored, whole[:n]) for n in range(1, len(whole) + 1))


def _names(pattern: str, parts: Sequence[str]) -> bool:
    """Whether a pattern means what these parts of a path lead to."""
    wanted = _split(pattern)
    if not wanted or not parts:
        return False
    if "/" not in pattern.strip("/") and not pattern.startswith("/"):
        return fnmatchcase(parts[-1], wanted[0])
    return _fits(wanted, parts)


def _fits(wanted: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether parts of a pattern match those of a path, one by one; `**` matches any number."""
    reached = {0}
    for part in parts:
        reached = _passing(wanted, reached)
        reached = {
            place if wanted[place] == _ANY_DEPTH else place + 1
            for place in reached
            if place < len(wanted)
            and (wanted[place] == _ANY_DEPTH or fnmatchcase(part, wanted[place]))
        }
    return len(wanted) in _passing(wanted, reached)


def _passing(wanted: Sequence[str], reached: Iterable[int]) -> set[int]:
    """Return the places that are reached where `**` may match nothing."""
    found: set[int] = set()
    for place in reached:
        found.add(place)
        while place < len(wanted) and wanted[place] == _ANY_DEPTH:
            place += 1
            found.add(place)
    return found


def _absolute(pattern: str) -> list[str]:
    """Return the parts of a pattern that is a whole path; none of another one."""
    if pattern.startswith("~"):
        return list(_parts(Path(pattern).expanduser()))
    path = PurePath(pattern)
    return list(_parts(path)) if path.is_absolute() and path.name else []


def _split(pattern: str) -> list[str]:
    return [_plain(part) for part in pattern.strip().split("/") if part]


def _parts(path: PurePath) -> tuple[str, ...]:
    return tuple(_plain(part) for part in path.parts)


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()
