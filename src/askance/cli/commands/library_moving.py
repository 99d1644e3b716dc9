"""`askance library move`: all documents from the file to a Qdrant server, or back."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path

from askance.adapters.library.moving import Moved, delete_all, move, state_of, verify
from askance.app.stores import OpenLibrary, open_library_file, open_library_server
from askance.cli.exits import Exit
from askance.cli.shell import Shell
from askance.config.private_files import replace_file
from askance.domain.addresses import bare_address
from askance.domain.errors import InputError
from askance.domain.library import EVERY
from askance.presentation.i18n import counted
from askance.presentation.sanitizing import clean, one_line


class Place(StrEnum):
    """Where a library is kept."""

    QDRANT = "qdrant"
    SQLITE = "sqlite"


def move_all(
    shell: Shell, to: str, *, again: bool = False, delete_old: bool = False, as_json: bool = False
) -> Exit:
    """Move all documents, verify that they are there, and say what becomes of the old ones.

    Raises:
        InputError: there is no such place, or no server is set.
    """
    if to not in set(Place):
        raise InputError(f"{to!r} keeps no library.", fix="Say --to qdrant or --to sqlite.")
    settings = shell.settings()
    url = settings.library.qdrant_url
    if not url:
        raise InputError(
            "No Qdrant server is set.",
            fix="`askance config set library.qdrant_url http://127.0.0.1:6333` does it.",
        )
    with closing(open_library_file(settings, shell.folders, shell.complain)) as file:
        server = open_library_server(settings, shell.folders, file, shell.complain)
        with closing(server):
            places: dict[str, OpenLibrary] = {Place.QDRANT: server, Place.SQLITE: file}
            target = places.pop(to)
            (source,) = places.values()
            going = _LibraryMove(shell, source, target, f"{to} {bare_address(url)}", as_json)
            moved = going.finished() if not again else None
            if moved is None:
                moved = going.go()
            elif delete_old:
                going.verify(moved)
            if not moved.wrong and delete_old:
                # Whoever deletes on the server means the file as well; here it is what was moved to.
                remove = file.remove if source is file else server.remove_from_server
                going.deleted = delete_all(source, remove)
            going.report(moved, to, url)
    return Exit.SERVICE_FAILED if moved.wrong else Exit.DONE


class _LibraryMove:
    """One move on its way. That it was finished is kept beside the library's file."""

    def __init__(
        self, shell: Shell, source: OpenLibrary, target: OpenLibrary, to: str, as_json: bool
    ) -> None:
        self._shell, self._as_json = shell, as_json
        self._source, self._target, self._to = source, target, to
        self._was_finished = False
        self.deleted: int | None = None

    @property
    def _note(self) -> Path:
        return self._shell.folders.library.with_name("library-moved.json")

    def finished(self) -> Moved | None:
        """Return what an earlier call did, if it was finished and nothing was added since."""
        try:
            note = json.loads(self._note.read_text(encoding="utf-8"))
            is_it = note["to"] == self._to and note["state"] == state_of(self._source)
            self._was_finished = bool(is_it)
            return Moved(**note["moved"]) if is_it else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def go(self) -> Moved:
        """Bring over what is not there yet, and verify all of it."""
        documents = self._source.stats().documents
        with self._shell.bar("Moving", documents, as_json=self._as_json) as advance:
            moved = move(self._source, self._target, lambda by: advance(by=by))
        self.verify(moved)
        if not moved.wrong:
            note = {"to": self._to, "state": state_of(self._source), "moved": asdict(moved)}
            replace_file(self._note, json.dumps(note).encode())
        return moved

    def verify(self, moved: Moved) -> None:
        """See anew whether all is there."""
        moved.verified, moved.wrong = 0, []
        with self._shell.bar("Verifying", moved.documents, as_json=self._as_json) as advance:
            verify(self._source, self._target, moved, lambda by: advance(by=by))

    def report(self, moved: Moved, to: str, url: str) -> None:
        """Say what came of it, and what is to be done now."""
        write_line = self._shell.stdout.line
        if self._as_json:
            left = len(self._source.documents(EVERY, 1)) > 0
            record = {"type": "move", "to": to, "url": url, **asdict(moved)}
            write_line(json.dumps(record | {"deleted": self.deleted, "old_kept": left}))
            return
        if self._was_finished:
            write_line("All was moved before, and nothing was added since; --again moves it anew.")
        new = moved.documents - moved.there
        write_line(
            f"{counted(new, 'document')} moved, {moved.there:,} there before; "
            f"{moved.verified:,} of {moved.documents:,} verified."
        )
        for address in moved.wrong:
            write_line(f"  not as it should be: {one_line(address)}")
        if moved.wrong:
            write_line("Nothing is deleted. --again moves what is not there.")
            return
        old = clean(str(self._shell.folders.library)) if to == Place.QDRANT else url
        if self.deleted is not None:
            write_line(f"{counted(self.deleted, 'document')} deleted in {old}.")
        else:
            write_line(f"The old ones stay in {old} until --delete-old.")
        if to == Place.SQLITE:
            write_line('`askance config set library.qdrant_url ""` uses the file from now on.')
