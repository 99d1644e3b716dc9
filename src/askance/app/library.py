"""The library as front ends use it: search it, ask about what was found, fill it, see what it holds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from time import monotonic
from typing import Protocol

from askance.adapters.library.formats import is_read
from askance.adapters.library.walking import taken_out
from askance.app.commands import LONGEST_SEARCHED_ABOUT
from askance.app.stores import OpenLibrary, folder_reader, library_router, open_library
from askance.config.folders import Folders
from askance.config.settings import Settings
from askance.domain.errors import AskanceError, InputError
from askance.domain.library import (
    EVERY,
    DocumentRecord,
    FileRecord,
    FileState,
    Folder,
    LibraryHit,
    LibraryMatches,
    LibraryStats,
    Origin,
    Removed,
    document_of,
)
from askance.domain.messages import Message
from askance.domain.ports.web import OutboundLedger, PageReader
from askance.domain.web import PageStatus
from askance.engine.progress import recorded
from askance.presentation.library import path_of
from askance.presentation.sanitizing import one_line
from askance.text.ranking.fences import without_fences
from askance.text.ranking.snippets import cut_around

MOST_FOUND = 8
"""So many passages are shown: all of them can be asked about, and each then gets a sentence or two."""
OCCASION = "askance library add"
"""Under which name the ledger has the pages that are read into the library."""
# Progress is told this often: each file by itself would keep a window busy.
_REPORT_INTERVAL_S = 0.05
_TITLE_CHARACTERS = 40


@dataclass(frozen=True, slots=True)
class LookUp:
    """What was found, and whether the library holds nothing at all."""

    found: LibraryMatches
    is_empty: bool = False


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


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far reading is: so many of the files or pages, of so many, and the name of the last."""

    done: int
    of: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What came of reading: what became of the files and pages, what is new, what is gone."""

    records: tuple[FileRecord, ...] = ()
    documents: int = 0
    gone: int = 0

    @property
    def failed(self) -> tuple[FileRecord, ...]:
        """What could not be read."""
        return tuple(r for r in self.records if r.state is FileState.FAILED)

    def __add__(self, other: ImportResult) -> ImportResult:
        """Return both as one."""
        return ImportResult(
            self.records + other.records,
            self.documents + other.documents,
            self.gone + other.gone,
        )


OnProgress = Callable[[ImportProgress], None]


class PageParts(Protocol):
    """What reads web pages."""

    @property
    def reader(self) -> PageReader:
        """Reads them."""
        ...

    @property
    def ledger(self) -> OutboundLedger | None:
        """Takes note of what leaves this machine."""
        ...

    @property
    def noticed(self) -> Callable[[], None]:
        """Is to be called after something was added."""
        ...


# Search


async def look_up(settings: Settings, folders: Folders, words: str) -> LookUp:
    """Search the library; no model is asked, and nothing leaves this machine.

    Raises:
        StorageError: it cannot be read.
    """
    with closing(open_library(settings, folders)) as library:
        async with library_router(settings, library) as router:
            found = await router.find(words, MOST_FOUND)
        is_empty = not found.hits and not await asyncio.to_thread(library.documents, EVERY, 1)
    return LookUp(found, is_empty)


def about_text(hits: Sequence[LibraryHit]) -> str:
    """Return what stands for these passages beside a question: of each its title and what was found.

    A question is answered from their documents; this is what is shown of them, and what a text command works
    on. They share the room that a quoted text has.
    """
    if not hits:
        return ""
    share = LONGEST_SEARCHED_ABOUT // len(hits) - 2  # the break between two
    return "\n\n".join(_piece(hit, share) for hit in hits)


def _piece(hit: LibraryHit, characters: int) -> str:
    title = one_line(hit.title)[:_TITLE_CHARACTERS].strip()
    head = f"{title}: " if title else ""
    text = " ".join(without_fences(hit.text).split())
    room = characters - len(head) - 2  # the dots at both ends
    if len(text) > room:
        text = cut_around(hit.snippet.strip("…"), (), characters=room).text
    return f"{head}{text}"


def document_text(settings: Settings, folders: Folders, document: str) -> str | None:
    """Return the text of a document; None if it is not there any more. Blocks.

    Raises:
        StorageError: the library cannot be read.
    """
    with closing(open_library(settings, folders)) as library:
        return library.text(document)


def indexed_file(settings: Settings, folders: Folders, url: str) -> DocumentRecord | None:
    """Return the document of a file that the library has read itself, of a kind that it reads; None of any other.

    It blocks.

    Raises:
        StorageError: the library cannot be read.
    """
    with closing(open_library(settings, folders)) as library:
        found = library.find(url)
    # An import can bring documents of files that no library has read.
    is_opened = is_read(Path(path_of(url)))
    return next((r for r in found if is_opened and r.url == url and r.origin is Origin.FILE), None)


# What it holds


def contents(settings: Settings, folders: Folders) -> LibraryContents:
    """Return what the library holds. Blocks.

    Raises:
        StorageError: it cannot be read.
    """
    with closing(open_library(settings, folders)) as library:
        stats = library.stats()
        records: dict[str, list[FileRecord]] = {}
        for record in library.book.files():
            records.setdefault(record.folder, []).append(record)
        shelves = tuple(
            FolderContents(folder, tuple(records.get(folder.path, ())))
            for folder in library.book.folders()
        )
        of_files = {r.document for shelf in shelves for r in shelf.files if r.document}
        all_records = library.documents(EVERY, max(1, stats.documents))
        others = tuple(r for r in all_records if r.id not in of_files)
    return LibraryContents(stats, shelves, others)


def take_out(
    library: OpenLibrary,
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
    held = {path: library.book.documents_of(path) for path in files}
    wanted = dict.fromkeys(chain(documents, *held.values()))
    removed = library.remove(list(wanted))
    gone = [r for r in library.book.files() if r.document in wanted or held.get(r.path)]
    library.book.note([taken_out(record) for record in gone])
    for path in folders:
        library.book.drop_folder(path)
    return removed


# What comes into it


def folders_of(paths: Iterable[str], known: Iterable[Folder]) -> tuple[Folder, ...]:
    """Return folders and files that are to be added; one that is known keeps its patterns.

    Raises:
        InputError: one of them is not there.
    """
    before = {folder.path: folder for folder in known}
    found = dict.fromkeys(_resolved(path) for path in paths)
    return tuple(before.get(path, Folder(path)) for path in found)


async def read_folders(
    settings: Settings,
    folders: Folders,
    choose: Callable[[tuple[Folder, ...]], Sequence[Folder]],
    on_progress: OnProgress,
    *,
    again: bool = False,
) -> ImportResult:
    """Bring the library into line with folders and files that `choose` picks of those that are known.

    Raises:
        AskanceError: what `choose` raises, or the library cannot be written.
    """
    reading = ImportResult()
    with closing(open_library(settings, folders)) as library:
        known = await asyncio.to_thread(library.book.folders)
        wanted = await asyncio.to_thread(choose, known)
        async with folder_reader(settings, library) as reader:
            for folder in wanted:
                reporter = _ReadReporter(on_progress)
                try:
                    looked = await reader.look(folder, reporter.file, reporter.count, again=again)
                except InputError as exc:  # the others are looked at even so
                    lost = FileRecord(folder.path, folder.path, FileState.FAILED, exc.message)
                    reading += ImportResult((lost,))
                    continue
                reporter.end()
                reading += ImportResult(tuple(reporter.records), looked.documents, len(looked.gone))
    return reading


async def read_pages(
    parts: PageParts,
    settings: Settings,
    folders: Folders,
    urls: Sequence[str],
    on_progress: OnProgress,
) -> ImportResult:
    """Read web pages into the library, one after the other.

    Raises:
        StorageError: the library cannot be written.
    """
    sent = recorded(parts.ledger, OCCASION, lambda _event: None, lambda _code, _message: None)
    records: list[FileRecord] = []
    with closing(open_library(settings, folders)) as library:
        for number, url in enumerate(urls):
            on_progress(ImportProgress(number, len(urls), url))
            try:
                page = await parts.reader.read(url, sent=sent)
            except AskanceError as exc:
                records.append(FileRecord(url, "", FileState.FAILED, exc.message))
                continue
            if page.status is not PageStatus.OK:
                why = page.detail or Message.verbatim(page.reason)
                records.append(FileRecord(url, "", FileState.FAILED, why))
                continue
            (added,) = await asyncio.to_thread(library.add, [document_of(page)])
            records.append(FileRecord(url, "", FileState.INDEXED, document=added.id))
    return ImportResult(tuple(records), sum(r.state is FileState.INDEXED for r in records))


class _ReadReporter:
    """Tells of files as they are kept, a few times a second."""

    def __init__(self, on_progress: OnProgress) -> None:
        self.records: list[FileRecord] = []
        self._on_progress, self._of, self._reported_s = on_progress, 0, 0.0

    def count(self, n: int) -> None:
        self._of = n
        self._on_progress(ImportProgress(0, n))

    def file(self, record: FileRecord) -> None:
        self.records.append(record)
        if (now := monotonic()) - self._reported_s >= _REPORT_INTERVAL_S:
            self._reported_s = now
            self.end()

    def end(self) -> None:
        name = Path(self.records[-1].path).name if self.records else ""
        self._on_progress(ImportProgress(len(self.records), self._of, name))


def with_patterns(folder: Folder, exclude: str) -> Folder:
    """Return a folder with other exclusions, as they are typed: separated by commas."""
    patterns = (part.strip() for part in exclude.split(","))
    return replace(folder, exclude=tuple(dict.fromkeys(filter(None, patterns))))


def _resolved(place: str) -> str:
    if not place.strip():  # which would be the folder where the program was started
        raise InputError(
            Message("An empty path was given."), fix=Message("Name a folder or a file.")
        )
    try:
        return str(Path(place).expanduser().resolve(strict=True))
    except (OSError, RuntimeError, ValueError) as exc:
        raise InputError(
            Message("{file} cannot be read: {problem}.", file=place, problem=exc),
            fix=Message("Check that it is there, and that you may read it."),
        ) from exc
