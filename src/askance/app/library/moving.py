"""All documents from the file to a Qdrant server, or back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path

from askance.adapters.library.moving import Moved, delete_all, move, state_of, verify
from askance.app.container import Container
from askance.config.private_files import replace_file
from askance.domain.addresses import bare_address
from askance.domain.library import EVERY

Advance = Callable[[int], None]


class LibraryPlace(StrEnum):
    """Where a library is stored."""

    QDRANT = "qdrant"
    SQLITE = "sqlite"


class LibraryMove:
    """One move on its way, all of which blocks. That it was finished is stored beside the library's file.

    Raises:
        InputError: what speaks to a Qdrant server is not installed.
    """

    def __init__(self, container: Container, to: LibraryPlace) -> None:
        self._container = container
        file, server = container.library_file, container.library_server
        is_going_out = to is LibraryPlace.QDRANT
        self._source, self._target = (file, server) if is_going_out else (server, file)
        # Whoever deletes on the server means the file as well; here it is what was moved to.
        self._remove = file.remove if is_going_out else server.remove_from_server
        self._to = f"{to} {bare_address(container.settings.library.qdrant_url)}"

    @property
    def documents(self) -> int:
        """How many documents are to be moved."""
        return self._source.stats().documents

    @property
    def old_are_kept(self) -> bool:
        """Whether there are still documents where they were moved from."""
        return len(self._source.documents(EVERY, 1)) > 0

    @property
    def _note(self) -> Path:
        return self._container.folders.library.with_name("library-moved.json")

    def finished(self) -> Moved | None:
        """Return what an earlier call did, if it was finished and nothing was added since."""
        try:
            note = json.loads(self._note.read_text(encoding="utf-8"))
            is_it = note["to"] == self._to and note["state"] == state_of(self._source)
            return Moved(**note["moved"]) if is_it else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def go(self, advance: Advance) -> Moved:
        """Bring over what is not there yet."""
        return move(self._source, self._target, advance)

    def verify(self, moved: Moved, advance: Advance) -> None:
        """See anew whether all is there."""
        moved.verified, moved.wrong = 0, []
        verify(self._source, self._target, moved, advance)

    def store(self, moved: Moved) -> None:
        """Keep that the move is finished, unless something is wrong."""
        if not moved.wrong:
            note = {"to": self._to, "state": state_of(self._source), "moved": asdict(moved)}
            replace_file(self._note, json.dumps(note).encode())

    def delete_old(self) -> int:
        """Delete the documents where they were moved from, and return how many they were."""
        return delete_all(self._source, self._remove)
