"""`askance library move`: all documents from the file to a Qdrant server, or back."""

from __future__ import annotations

import json
from dataclasses import asdict

from askance.app.library import LibraryMove, LibraryPlace, Moved
from askance.cli.exits import Exit
from askance.cli.shell import Shell
from askance.domain.errors import InputError
from askance.presentation.i18n import counted
from askance.presentation.sanitizing import clean, one_line


def move_all(
    shell: Shell, to: str, *, again: bool = False, delete_old: bool = False, as_json: bool = False
) -> Exit:
    """Move all documents, verify that they are there, and say what becomes of the old ones.

    Raises:
        InputError: there is no such place, or no server is set.
    """
    if to not in set(LibraryPlace):
        raise InputError(f"{to!r} keeps no library.", fix="Say --to qdrant or --to sqlite.")
    with shell.container() as parts:
        url = parts.settings.library.qdrant_url
        if not url:
            raise InputError(
                "No Qdrant server is set.",
                fix="`askance config set library.qdrant_url http://127.0.0.1:6333` does it.",
            )
        moving = LibraryMove(parts, LibraryPlace(to))
        before = None if again else moving.finished()
        moved = before or _moved(shell, moving, as_json=as_json)
        if before is not None and delete_old:
            _verify(shell, moving, moved, as_json=as_json)
        deleted = moving.delete_old() if delete_old and not moved.wrong else None
        if as_json:
            record = {"type": "move", "to": to, "url": url, **asdict(moved)}
            outcome = {"deleted": deleted, "old_kept": moving.has_old}
            shell.stdout.line(json.dumps(record | outcome))
        else:
            if before is not None:
                shell.stdout.line(
                    "All was moved before, and nothing was added since; --again moves it anew."
                )
            _report(shell, moved, to, url, deleted)
    return Exit.SERVICE_FAILED if moved.wrong else Exit.DONE


def _moved(shell: Shell, moving: LibraryMove, *, as_json: bool) -> Moved:
    with shell.bar("Moving", moving.documents, as_json=as_json) as advance:
        moved = moving.go(lambda by: advance(by=by))
    _verify(shell, moving, moved, as_json=as_json)
    moving.store(moved)
    return moved


def _verify(shell: Shell, moving: LibraryMove, moved: Moved, *, as_json: bool) -> None:
    with shell.bar("Verifying", moved.documents, as_json=as_json) as advance:
        moving.verify(moved, lambda by: advance(by=by))


def _report(shell: Shell, moved: Moved, to: str, url: str, deleted: int | None) -> None:
    """Say what came of it, and what is to be done now."""
    write_line = shell.stdout.line
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
    old = clean(str(shell.folders.library)) if to == LibraryPlace.QDRANT else url
    if deleted is not None:
        write_line(f"{counted(deleted, 'document')} deleted in {old}.")
    else:
        write_line(f"The old ones stay in {old} until --delete-old.")
    if to == LibraryPlace.SQLITE:
        write_line('`askance config set library.qdrant_url ""` uses the file from now on.')
