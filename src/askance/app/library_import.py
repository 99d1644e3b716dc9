"""What comes into the library: folders and files, web pages, exported lines.

Each use case takes the open `Container` and reports how far it is; front ends only choose and show.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic

from askance.adapters.library.files.collected import DocumentLines, detail_of, store_all
from askance.adapters.library.files.file_process import FileCalls, FileProcesses
from askance.adapters.library.files.opening import real_path
from askance.adapters.library.files.walking import FORMAT
from askance.app.container import Container
from askance.config.private_files import open_regular
from askance.domain.errors import AskanceError, InputError
from askance.domain.events import ignore
from askance.domain.library import (
    AddOutcome,
    Document,
    FileRecord,
    FileState,
    Folder,
    Origin,
    document_of,
)
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.storage import Library
from askance.domain.ports.web import PageReader, Sent
from askance.domain.web_pages import PageStatus

OCCASION = "askance library add"
"""Under which name the ledger has the pages that are read into the library."""
# A window gets progress this often: each file by itself would keep it busy.
_REPORT_INTERVAL_S = 0.05
_OF_OUTCOME = {AddOutcome.UNCHANGED: FileState.UNCHANGED}


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far reading is: so many of the files or pages, of so many.

    `name` is the last file, or the page that is being read; `record` what became of the last, where one has
    just ended.
    """

    done: int
    of: int
    name: str = ""
    record: FileRecord | None = None


@dataclass(frozen=True, slots=True)
class FolderResult:
    """What came of one folder: what became of its files, what is new, moved, gone; or why it cannot be read."""

    folder: Folder
    records: tuple[FileRecord, ...] = ()
    documents: int = 0
    passages: int = 0
    moved: int = 0
    gone: int = 0
    error: InputError | None = None


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
OnFolder = Callable[[FolderResult], None]


def is_of_unread_kind(record: FileRecord) -> bool:
    """Whether a file was left out because files of its kind are not read."""
    return record.rule == FORMAT


def folders_of(paths: Iterable[str], known: Iterable[Folder]) -> tuple[Folder, ...]:
    """Return folders and files that are to be added; one that is known keeps its patterns.

    Raises:
        InputError: one of them is not there.
    """
    before = {folder.path: folder for folder in known}
    files = FileProcesses()
    try:
        # The same folder named twice is read once.
        found = dict.fromkeys(_resolved(path, files) for path in paths)
    finally:
        files.close()
    return tuple(before.get(path, Folder(path)) for path in found)


def with_patterns(folder: Folder, exclude: str) -> Folder:
    """Return a folder with other exclusions, as they are typed: separated by commas."""
    patterns = (part.strip() for part in exclude.split(","))
    return replace(folder, exclude=tuple(dict.fromkeys(filter(None, patterns))))


def _resolved(place: str, files: FileCalls) -> str:
    # An empty one would be the folder where the program was started.
    if not place.strip():
        raise InputError(
            Message("An empty path was given."), fix=Message("Name a folder or a file.")
        )
    try:
        return str(files.call(place, real_path, Path(place).expanduser()))
    except TimeoutError:
        # The look says that it does not answer, and reads the others.
        return os.path.abspath(os.path.expanduser(place))  # noqa: PTH100, PTH111 - ask for nothing
    # RuntimeError: `~name` of nobody. ValueError: a null character.
    except (OSError, RuntimeError, ValueError) as exc:
        if "://" in place:
            raise InputError(
                Message("Only http:// and https:// addresses are read."),
                fix=Message("Name a file by its path."),
            ) from exc
        raise InputError(
            Message("{file} cannot be read: {problem}.", file=place, problem=exc),
            fix=Message("Check that it is there, and that you may read it."),
        ) from exc


async def read_folders(
    container: Container,
    folders: Sequence[Folder],
    on_progress: OnProgress,
    on_folder: OnFolder = ignore,
    *,
    again: bool = False,
) -> ImportResult:
    """Bring the library into line with folders and files, one after the other.

    `on_folder` gets what came of each, one that cannot be read included: the others are read even so, unless
    it raises. A file that has not changed is not read, except `again`.

    Raises:
        StorageError: the library cannot be written.
        ServiceDown: the processes that take files apart do not start.
    """
    result = ImportResult()
    if not folders:
        return result
    async with container.folder_reader() as reader:
        for folder in folders:
            scan = _FolderScan(on_progress)
            try:
                found = await reader.look(folder, scan.add, scan.begin, again=again)
            except InputError as exc:
                # A record for the folder itself, so that a missing folder counts as a failure.
                lost = FileRecord(folder.path, folder.path, FileState.FAILED, exc.message)
                result += ImportResult((lost,))
                on_folder(FolderResult(folder, (lost,), error=exc))
                continue
            records, gone = tuple(scan.records), len(found.gone)
            result += ImportResult(records, found.documents, gone)
            on_folder(
                FolderResult(folder, records, found.documents, found.passages, found.moved, gone)
            )
    return result


class _FolderScan:
    """Counts the files of one folder as what became of them is stored."""

    def __init__(self, on_progress: OnProgress) -> None:
        self.records: list[FileRecord] = []
        self._on_progress, self._of = on_progress, 0

    def begin(self, files: int) -> None:
        self._of = files
        self._on_progress(ImportProgress(0, files))

    def add(self, record: FileRecord) -> None:
        self.records.append(record)
        name = Path(record.path).name
        self._on_progress(ImportProgress(len(self.records), self._of, name, record))


def throttled(on_progress: OnProgress) -> OnProgress:
    """Return what passes progress on a few times a second, and always its beginning and its end."""
    reported_s = 0.0

    def report(step: ImportProgress) -> None:
        nonlocal reported_s
        now_s = monotonic()
        if step.done in {0, step.of} or now_s - reported_s >= _REPORT_INTERVAL_S:
            reported_s = now_s
            on_progress(step)

    return report


async def read_pages(
    container: Container,
    reader: PageReader,
    urls: Sequence[str],
    on_progress: OnProgress,
    *,
    sent: Sent,
    tags: tuple[str, ...] = (),
) -> ImportResult:
    """Read web pages into the library, one after the other; `sent` is called with every host before a request goes to it.

    Raises:
        StorageError: the library cannot be written.
    """
    library, records = container.library, list[FileRecord]()
    for number, url in enumerate(urls):
        on_progress(ImportProgress(number, len(urls), url))
        record = await _read_page(library, reader, url, sent, tags)
        records.append(record)
        on_progress(ImportProgress(number, len(urls), url, record))
    return ImportResult(tuple(records), sum(record.is_found for record in records))


async def _read_page(
    library: Library, reader: PageReader, url: str, sent: Sent, tags: tuple[str, ...]
) -> FileRecord:
    try:
        page = await reader.read(url, sent=sent)
    except AskanceError as exc:
        return FileRecord(url, "", FileState.FAILED, exc.message)
    if page.status is not PageStatus.OK:
        why = page.detail or Message.verbatim(page.reason)
        return FileRecord(url, "", FileState.FAILED, why)
    (added,) = await asyncio.to_thread(library.add, [document_of(page, tags)])
    state = _OF_OUTCOME.get(added.outcome, FileState.INDEXED)
    return FileRecord(url, "", state, document=added.id)


@dataclass(frozen=True, slots=True)
class DocumentCounts:
    """How many documents became what; `bad_lines` held none, and `detail` says so."""

    outcomes: Counter[AddOutcome] = field(default_factory=Counter[AddOutcome])
    bad_lines: int = 0
    detail: Message = NOTHING


def import_lines(
    container: Container,
    file: Path,
    tags: Sequence[str],
    on_bytes: Callable[[int, int], None],
) -> DocumentCounts:
    """Add the documents of a file, one a line, with the addresses and origins that it tells. Blocks.

    Whoever imports a file vouches for it, as for an own export; only what was read from the web since stays.
    `on_bytes` is called with the number of bytes read, and of all.

    Raises:
        OSError: the file cannot be read.
        StorageError: the library cannot be written.
    """
    lines = DocumentLines(file.expanduser().absolute(), tuple(tags))
    counts = Counter[AddOutcome]()
    library = container.library
    with open_regular(lines.path) as stream:
        size = os.fstat(stream.fileno()).st_size
        on_bytes(0, size)
        # A generator: an export may be larger than the memory.
        news = (d for d in lines.documents(stream) if not _is_read(library, d, counts))
        for added in store_all(library, news):
            on_bytes(lines.read_bytes, size)
            counts.update(one.outcome for one in added)
    return DocumentCounts(counts, lines.bad, detail_of(lines))


def _is_read(library: Library, document: Document, counts: Counter[AddOutcome]) -> bool:
    """Whether the library has read a page of the web itself: then what an export says of it adds its tags alone."""
    if document.origin is not Origin.WEB:
        return False
    held = next((r for r in library.find(document.url) if r.origin is Origin.WEB), None)
    # The text of an export may be old or forged; the page that was read here is kept.
    if held is None or library.text(held.id) == document.text:
        return False
    library.tag(held.id, document.tags, ())
    counts[AddOutcome.UNCHANGED] += 1
    return True
