"""The library as front ends use it: what comes into it, what it holds, taking out, embedding, watching, moving.

Each use case takes the open `Container` and reports how far it is; front ends only choose and show.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from itertools import chain
from pathlib import Path
from time import monotonic

from askance.adapters.library.collected import detail_of, fuller
from askance.adapters.library.lines import DocumentLines, as_line, store_all
from askance.adapters.library.moving import Moved, delete_all, move, state_of, verify
from askance.adapters.library.walking import FORMAT, FileExplanation, explain, taken_out
from askance.app.container import App, Container
from askance.config.choices import EmbeddingsApi
from askance.config.private_files import replace_file
from askance.config.regular_files import open_regular
from askance.domain.addresses import bare_address
from askance.domain.embeddings import EmbeddingProgress
from askance.domain.errors import AskanceError, InputError
from askance.domain.events import ignore
from askance.domain.library import (
    EVERY,
    AddOutcome,
    Document,
    DocumentRecord,
    FileRecord,
    FileState,
    Folder,
    LibraryStats,
    Listeners,
    Origin,
    Removed,
    document_of,
)
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.storage import Library
from askance.domain.ports.web import PageReader, Sent
from askance.domain.web import PageStatus
from askance.presentation.i18n import counted
from askance.presentation.sanitizing import one_line

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
    found = dict.fromkeys(_resolved(path) for path in paths)
    return tuple(before.get(path, Folder(path)) for path in found)


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
    """How many documents became what; `bad_lines` held none, and `detail` says so; `held` says how many a
    library had already.
    """

    outcomes: Counter[AddOutcome] = field(default_factory=Counter[AddOutcome])
    bad_lines: int = 0
    detail: Message = NOTHING
    held: int = 0
    documents: int = 0


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
    if held is None or library.text(held.id) == document.text:
        return False
    library.tag(held.id, document.tags, ())
    counts[AddOutcome.UNCHANGED] += 1
    return True


def browser_histories(browser: str) -> list[Path]:
    """Return the files of a kind of browsers, `firefox` or `chromium`, or the one that is named.

    Those that are there.
    """
    from askance.adapters.storage.browser_history import (  # noqa: PLC0415 - rarely wanted
        BROWSERS,
        histories_of,
    )

    if browser in BROWSERS:
        return histories_of(browser, Path.home())
    file = Path(browser).expanduser().absolute()
    return [file] if os.path.exists(file) else []  # noqa: PTH110 - raises nothing


def add_browser_history(container: Container, file: Path, tags: Sequence[str]) -> DocumentCounts:
    """Add the pages that a browser remembers, without what is secret in their addresses. Blocks.

    Raises:
        InputError: it is no history of a browser.
        StorageError: the library cannot be written.
    """
    from askance.adapters.storage.browser_history import (  # noqa: PLC0415 - rarely wanted
        visited_pages,
    )

    pages = visited_pages(file, container.folders.cache)
    counts, library = Counter[AddOutcome](), container.library
    news = [page for page in pages if not fuller(library, page)]
    tagged = (replace(page, tags=(*page.tags, *tags)) for page in news)
    for added in store_all(library, tagged):
        counts.update(one.outcome for one in added)
    return DocumentCounts(counts, held=len(pages) - len(news), documents=len(pages))


# What the library holds, what became of the files of its folders, and taking out of it.


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
    removed = library.remove(list(wanted))
    gone = [r for r in library.book.files() if r.document in wanted or held.get(r.path)]
    library.book.note([taken_out(record) for record in gone])
    for path in folders:
        library.book.drop_folder(path)
    return removed


# Passages of the library get their vectors, and its folders are followed.

OnEmbedded = Callable[[EmbeddingProgress], None]


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
            from askance.engine.library_embedding import ContextLines  # noqa: PLC0415 - rare
            from askance.engine.prompts import load_prompts  # noqa: PLC0415

            app = await stack.enter_async_context(open_model())
            if app.model is not None:
                shared = container.settings.library.share_with_remote_model
                line = ContextLines(app.model, load_prompts(), shared)
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


# All documents from the file to a Qdrant server, or back.

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
    def has_old(self) -> bool:
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
