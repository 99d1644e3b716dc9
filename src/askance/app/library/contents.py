"""What the library holds, what became of the files of its folders, and taking out of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from askance.adapters.library.lines import as_line
from askance.adapters.library.walking import FileExplanation, explain, taken_out
from askance.app.container import Container
from askance.domain.errors import InputError
from askance.domain.library import (
    EVERY,
    DocumentRecord,
    FileRecord,
    Folder,
    LibraryStats,
    Removed,
)
from askance.presentation.i18n import counted
from askance.presentation.sanitizing import one_line


@dataclass(frozen=True, slots=True)
class FolderContents:
    """A folder that was added, or a single file, and what became of each of its files."""

    folder: Folder
    files: tuple[FileRecord, ...]


@dataclass(frozen=True, slots=True)
class LibraryContents:
    """What the library holds: its folders, and the documents that came from no folder."""

    stats: LibraryStats
    folders: tuple[FolderContents, ...]
    others: tuple[DocumentRecord, ...]


def contents(container: Container) -> LibraryContents:
    """Return what the library holds. Blocks.

    Raises:
        StorageError: it cannot be read.
    """
    library = container.library
    stats, shelves = library.stats(), folder_contents(container)
    of_files = {r.document for shelf in shelves for r in shelf.files if r.document}
    all_records = library.documents(EVERY, max(1, stats.documents))
    others = tuple(r for r in all_records if r.id not in of_files)
    return LibraryContents(stats, shelves, others)


def folder_contents(container: Container) -> tuple[FolderContents, ...]:
    """Return the folders that were added, with what became of their files. Blocks.

    Raises:
        StorageError: the library cannot be read.
    """
    book = container.library.book
    records: dict[str, list[FileRecord]] = {}
    for record in book.files():
        records.setdefault(record.folder, []).append(record)
    return tuple(
        FolderContents(folder, tuple(records.get(folder.path, ()))) for folder in book.folders()
    )


def explained(container: Container, paths: Iterable[str]) -> Iterator[FileExplanation]:
    """Say of each path whether it is in the library, and why not. Blocks."""
    book, settings = container.library.book, container.settings.library
    return (explain(Path(path), book, settings) for path in paths)


def export_lines(container: Container) -> Iterator[str]:
    """Return all documents as lines of JSON that can be imported again. Blocks."""
    return (as_line(record, text) for record, text in container.library.every())


def found_one(container: Container, reference: str) -> DocumentRecord:
    """Return the document that an address, a path, an ID or the beginning of an ID means. Blocks.

    Raises:
        InputError: there is none, or more than one.
    """
    library = container.library
    found = library.find(reference)
    path = Path(os.path.normpath(Path(reference).expanduser().absolute()))
    if not found and not reference.startswith(("http://", "https://")):
        found = library.find(Path(reference).expanduser().resolve().as_uri())
    match found:
        case [record]:
            return record
        case [] if (known := library.book.file(str(path))) and known.detail:
            raise InputError(
                f"The library does not hold {one_line(reference)!r}: {one_line(known.detail)}",
                fix="`askance library status PATH` says more.",
            )
        case []:
            raise InputError(
                f"The library holds no document {one_line(reference)!r}.",
                fix="`askance library list` shows what it holds.",
            )
        case _:
            raise InputError(
                f"{counted(len(found), 'document')} begin so.", fix="Give more of the ID."
            )


def remove(container: Container, references: Sequence[str]) -> Removed:
    """Delete what is named from the library: documents, files and folders. Blocks.

    Raises:
        InputError: something is not there.
        StorageError: the library cannot be written.
    """
    book = container.library.book
    documents: dict[str, None] = {}
    folders: list[str] = []
    files: list[str] = []
    for reference in references:
        path = str(Path(reference).expanduser().resolve())
        below = [r for r in book.files() if _is_below(r.path, path)]
        is_folder = path in {folder.path for folder in book.folders()}
        if is_folder:
            folders.append(path)
        files += [record.path for record in below]
        found = [record.document for record in below if record.document]
        if not below and not is_folder:
            found = [found_one(container, reference).id]
        documents |= dict.fromkeys(found)
    return take_out(container, documents, folders, files=files)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def take_out(
    container: Container,
    documents: Iterable[str],
    folders: Iterable[str] = (),
    *,
    files: Iterable[str] = (),
) -> Removed:
    """Delete documents from the library, and folders with them. Their files stay as they are. Blocks.

    `files` are the paths of files all of whose documents go: a mailbox has many.

    Raises:
        StorageError: the library cannot be written.
    """
    library = container.library
    held = {path: library.book.documents_of(path) for path in files}
    wanted = dict.fromkeys(chain(documents, *held.values()))
    removed = library.remove(list(wanted))
    gone = [r for r in library.book.files() if r.document in wanted or held.get(r.path)]
    library.book.note([taken_out(record) for record in gone])
    for path in folders:
        library.book.drop_folder(path)
    return removed
