"""What is said where a file of ours is out of reach."""

from __future__ import annotations

from pathlib import Path

from askance.domain.errors import StorageError
from askance.domain.messages import Message


def out_of_reach(error: OSError, name: str, file: Path) -> StorageError:
    """Return what a person can do where the file system itself refuses."""
    problem = Message(
        "{name}, {file}, cannot be opened: {problem}.", name=name, file=file, problem=error
    )
    fix = Message("Make its folder writable, or set ASKANCE_HOME to a folder of yours.")
    return StorageError(problem, fix=fix)
