"""The library as front ends use it: searched, listed, added to, taken out of, embedded, watched.

Each use case takes the open `Container` and reports how far it is; front ends only choose and show.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from askance.app.commands import LONGEST_SEARCHED_ABOUT
from askance.config.choices import EmbeddingsApi
from askance.domain.addresses import path_of
from askance.domain.characters import one_line
from askance.domain.errors import AskanceError, InputError
from askance.domain.events import ignore
from askance.domain.file_formats import is_read
from askance.domain.library import (
    EVERY,
    AddOutcome,
    Document,
    DocumentRecord,
    FileRecord,
    FileState,
    Filters,
    Folder,
    LibraryHit,
    LibraryMatches,
    LibraryStats,
    Listeners,
    Origin,
    Removed,
    SearchMode,
    document_of,
)
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.model import EmbeddingProgress
from askance.domain.ports.storage import Library
from askance.domain.ports.web import PageReader, Sent
from askance.domain.web_pages import PageStatus
from askance.presentation.i18n import counted
from askance.text.ranking.passages import cut_around, without_fences

if TYPE_CHECKING:
    from askance.adapters.library.files.file_process import FileCalls
    from askance.adapters.library.files.walking import FileExplanation
    from askance.app.container import App, Container

# What a search of the library does not need is imported where it is: files and moves.
# ruff: noqa: PLC0415

MOST_FOUND = 8
"""So many passages are shown: all of them can be asked about, and each then gets a sentence or two."""
_TITLE_CHARACTERS = 40

OnEmbedded = Callable[[EmbeddingProgress], None]


@dataclass(frozen=True, slots=True)
class LookUp:
    """What was found, and whether the library holds nothing at all.

    Where nothing was found, `searchable` of the `files` of its folders were read; excluded ones are not counted.
    """

    found: LibraryMatches
    is_empty: bool = False
    searchable: int = 0
    files: int = 0


async def look_up(
    container: Container,
    words: str,
    limit: int = MOST_FOUND,
    filters: Filters = EVERY,
    *,
    mode: SearchMode = SearchMode.AUTO,
    with_copies: bool = False,
) -> LookUp:
    """Search the library; no chat model is asked, and nothing is searched on the web.

    `with_copies`: other documents with the text of a hit follow behind the hits, where there is room.

    Raises:
        StorageError: it cannot be read.
    """
    library = container.library
    async with container.router() as router:
        found = await replace(router, ledger=container.ledger).find(
            words, limit, filters, mode=mode
        )
    if with_copies:
        # In a thread: SQLite would block the event loop, in which a run may be under way.
        hits = await asyncio.to_thread(_with_copies, library, found.hits, limit)
        found = replace(found, hits=hits)
    return LookUp(found) if found.hits else await asyncio.to_thread(_nothing, container, found)


def _nothing(container: Container, found: LibraryMatches) -> LookUp:
    library = container.library
    states = [r.state for r in library.book.files() if r.state is not FileState.EXCLUDED]
    searchable = len(states) - states.count(FileState.FAILED)
    return LookUp(found, not library.documents(EVERY, 1), searchable, len(states))


def _with_copies(
    library: Library, hits: Sequence[LibraryHit], limit: int
) -> tuple[LibraryHit, ...]:
    shown = {hit.document for hit in hits}
    more: list[LibraryHit] = []
    for hit in hits:
        if len(hits) + len(more) >= limit:
            break
        for copy in library.copies(hit.document):
            if copy.id not in shown:
                shown.add(copy.id)
                known = replace(hit, document=copy.id, url=copy.url, title=copy.title)
                more.append(replace(known, tags=copy.tags))
    return (*hits, *more)[:limit]


def about_text(hits: Sequence[LibraryHit]) -> str:
    """Return what stands for these passages beside a question: of each its title and what was found.

    A question is answered from their documents; this is what is shown of them, and what a text command works
    on. They share the room that a quoted text has.
    """
    if not hits:
        return ""
    # Two are for the break between one and the next.
    share = LONGEST_SEARCHED_ABOUT // len(hits) - 2
    return "\n\n".join(_piece(hit, share) for hit in hits)


def _piece(hit: LibraryHit, characters: int) -> str:
    title = one_line(hit.title)[:_TITLE_CHARACTERS].strip()
    head = f"{title}: " if title else ""
    text = " ".join(without_fences(hit.text).split())
    # Two are for the dots at both ends.
    room = characters - len(head) - 2
    if len(text) > room:
        # The snippet and not the beginning of the passage: it has the words that were found.
        text = cut_around(hit.snippet.strip("…"), (), characters=room).text
    return f"{head}{text}"


def indexed_file(library: Library, url: str) -> DocumentRecord | None:
    """Return the document of a file that the library has read itself, of a kind that it reads; None of any other.

    It blocks.

    Raises:
        StorageError: the library cannot be read.
    """
    # An import can bring documents of files that no library has read.
    is_opened = is_read(Path(path_of(url)))
    found = library.find(url)
    return next((r for r in found if is_opened and r.url == url and r.origin is Origin.FILE), None)


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
    from askance.adapters.library.files.walking import explain

    book, settings = container.library.book, container.settings.library
    return (explain(Path(path), book, settings) for path in paths)


def export_lines(container: Container) -> Iterator[str]:
    """Return all documents as lines of JSON that can be imported again. Blocks."""
    from askance.adapters.library.files.collected import as_line

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
        # A file's URL is that of its resolved path.
        found = library.find(Path(reference).expanduser().resolve().as_uri())
    match found:
        case [record]:
            return record
        # For a file that was left out the reason is recorded.
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
        # With its separator, or `/notes` would take `/notes-old` along.
        inside = path.rstrip(os.sep) + os.sep
        below = [r for r in book.files() if r.path == path or r.path.startswith(inside)]
        is_folder = path in {folder.path for folder in book.folders()}
        if is_folder:
            folders.append(path)
        files += [record.path for record in below]
        found = [record.document for record in below if record.document]
        if not below and not is_folder:
            found = [found_one(container, reference).id]
        documents |= dict.fromkeys(found)
    return take_out(container, documents, folders, files=files)


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
    from askance.adapters.library.files.walking import taken_out

    removed = library.remove(list(wanted))
    gone = [r for r in library.book.files() if r.document in wanted or held.get(r.path)]
    library.book.note([taken_out(record) for record in gone])
    for path in folders:
        library.book.drop_folder(path)
    return removed


def embeds(container: Container) -> bool:
    """Whether an embedding model is set."""
    return container.settings.embeddings.api is not EmbeddingsApi.NONE


async def embed(
    container: Container,
    open_model: Callable[[], AbstractAsyncContextManager[App]],
    on_progress: OnEmbedded,
    *,
    anew: bool = False,
) -> EmbeddingProgress:
    """Embed what has no vector; with `anew` everything if the model is another one than before.

    `open_model` opens the chat model, which is used only if it is to put each passage into a line.

    Raises:
        InputError: the embedding model is not there.
        ServiceError: it does not answer.
    """
    async with AsyncExitStack() as stack:
        line = None
        if container.settings.embeddings.context_lines:
            from askance.app.container import line_of_context

            # Opened only here: an embedded chat model takes seconds to load.
            app = await stack.enter_async_context(open_model())
            line = line_of_context(container, app.engine)
        embedding = await stack.enter_async_context(
            container.embedding(on_progress=on_progress, line=line)
        )
        return EmbeddingProgress(0, 0) if embedding is None else await embedding.embed(anew=anew)


async def watch(container: Container, listeners: Listeners) -> None:
    """Follow all folders that were added, until it is cancelled.

    Raises:
        InputError: none was added.
    """
    if not container.library.book.folders():
        raise InputError(
            "There is no folder to watch.", fix="`askance library add FOLDER` adds one."
        )
    await container.folder_watch(listeners).run()


OCCASION = "askance library add"
"""Under which name the ledger has the pages that are read into the library."""
# A window gets progress this often: each file by itself would keep it busy.
_REPORT_INTERVAL_S = 0.05


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
    from askance.adapters.library.files.walking import FORMAT

    return record.rule == FORMAT


def folders_of(paths: Iterable[str], known: Iterable[Folder]) -> tuple[Folder, ...]:
    """Return folders and files that are to be added; one that is known keeps its patterns.

    Raises:
        InputError: one of them is not there.
    """
    from askance.adapters.library.files.file_process import FileProcesses

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
    from askance.adapters.library.files.opening import real_path

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
        name = record.path.rpartition(os.sep)[2]
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
    is_known = added.outcome is AddOutcome.UNCHANGED
    state = FileState.UNCHANGED if is_known else FileState.INDEXED
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
    from askance.adapters.library.files.collected import DocumentLines, detail_of, store_all
    from askance.config.private_files import open_regular

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
