"""Whether a file is in the library, and why not: of any path, seen before or not."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from askance.adapters.library.walking import Rules, shown, walk_of
from askance.config.settings import LibrarySettings
from askance.domain.addresses import path_of
from askance.domain.library import FileRecord, FileState, Folder
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.storage import FolderIndex


class FileStatus(StrEnum):
    """How a path stands to the library. Stable codes: other programs read them."""

    INDEXED = "indexed"
    EXCLUDED = "excluded"
    FAILED = "failed"
    NEW = "new"
    OUTSIDE = "outside"
    MISSING = "missing"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class FileExplanation:
    """How a path stands, with the reason for it; `folder` is the one that was added, which it is in."""

    path: str
    standing: FileStatus
    detail: Message = NOTHING
    rule: str = ""
    folder: str = ""
    documents: tuple[str, ...] = ()


def explain(path: Path, book: FolderIndex, settings: LibrarySettings) -> FileExplanation:
    """Return how a path stands to the library. No link on the way is followed that a look would not follow.

    What a look would say of it now comes before what the last one said.
    """
    place = Path(os.path.normpath(path.expanduser().absolute()))
    name = shown(place)
    folders = {folder.path: folder for folder in book.folders()}
    within = [root for root in folders if place.is_relative_to(root)]
    real = Path(os.path.realpath(place))
    if not within and any(real.is_relative_to(root) for root in folders):
        return explain(real, book, settings)  # it was added by its own path, and is named by a link
    if not within:
        return _outside(place, name, settings)
    folder = folders[max(within, key=len)]
    known = {record.path: record for record in book.files()}
    documents = book.documents_of(str(place)) if name == str(place) else ()
    if found := _now(place, folder, settings, known):
        return FileExplanation(name, *found, folder.path, documents)
    return _then(place, folder, known.get(name), documents)


def _outside(place: Path, name: str, settings: LibrarySettings) -> FileExplanation:
    if not os.path.lexists(place):
        return FileExplanation(name, FileStatus.MISSING, Message("It is not there."))
    real = Path(os.path.realpath(place))
    rule = Rules(Path(real.anchor), (), settings.exclude).excluding(real)
    if rule:
        detail = Message(
            "It is in no folder that was added, and {rule} (library.exclude) would exclude it.",
            rule=rule,
        )
        return FileExplanation(name, FileStatus.OUTSIDE, detail, rule)
    detail = Message("It is in no folder that was added. `askance library add` adds it.")
    return FileExplanation(name, FileStatus.OUTSIDE, detail)


def _now(
    place: Path, folder: Folder, settings: LibrarySettings, known: Mapping[str, FileRecord]
) -> tuple[FileStatus, Message, str] | None:
    """Return why a look would not read a file now; None if it would, or has."""
    root = Path(folder.path)
    walk = walk_of(folder, settings, known.values())
    steps = [p for p in (place, *place.parents) if p != root and p.is_relative_to(root)]
    for step in reversed(steps):
        if not os.path.lexists(step):
            return FileStatus.MISSING, Message("It is not there."), ""
        entry = walk.entry(step)
        if isinstance(entry, FileRecord):
            message = entry.detail
            if step != place:
                message = Message("{file}: {problem}", file=shown(step), problem=entry.detail)
            return FileStatus(entry.state.value), message, entry.rule
    return None


def _then(
    place: Path, folder: Folder, record: FileRecord | None, documents: Sequence[str]
) -> FileExplanation:
    """Return what the last look said of a file that it could read."""
    name, held = shown(place), tuple(documents)
    if record is None and place.is_dir():
        detail = Message("It is a folder. `askance library status --all` names its files.")
        return FileExplanation(name, FileStatus.FOLDER, detail, "", folder.path)
    if record is None:
        detail = Message("It was not read yet. `askance library reindex` reads it.")
        return FileExplanation(name, FileStatus.NEW, detail, "", folder.path, held)
    if record.state is FileState.EXCLUDED or record.state is FileState.FAILED:
        standing = FileStatus(record.state.value)
        return FileExplanation(name, standing, record.detail, record.rule, folder.path, held)
    status = place.stat()
    detail = record.detail
    if (status.st_size, status.st_mtime_ns) != (record.size, record.changed_ns):
        detail = Message("It has changed since it was read. `askance library reindex` reads it.")
    return FileExplanation(name, FileStatus.INDEXED, detail, "", folder.path, held)


def left_out_of(book: FolderIndex, url: str) -> Message:
    """Return what of a file could not be read, by its address; nothing where it is whole, or no file."""
    path = path_of(url)
    record = book.file(path) if path else None
    return record.detail if record is not None and record.is_partly_lost else NOTHING
