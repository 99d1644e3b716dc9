"""Bringing folders into the library, and keeping it in step with them."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import aclosing, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from askance.adapters.library.files.collected import (
    DocumentBatch,
    Many,
    ManyDocuments,
    NoKnownFormat,
    collection_of,
)
from askance.adapters.library.files.file_process import HERE, FileCalls
from askance.adapters.library.files.opening import (
    FileChanged,
    FoundFile,
    is_blank,
    read_file,
    read_files,
    too_large,
)
from askance.adapters.library.files.parsing import (
    Beginning,
    Extractor,
    NotRead,
    pages_read,
    parse,
    prepared_of,
)
from askance.adapters.library.files.walking import (
    FORMAT,
    REMOVED,
    absent_disks,
    empty_file,
    unreadable,
    walk_of,
)
from askance.config.settings import LibrarySettings
from askance.domain.errors import InputError
from askance.domain.file_formats import DOCUMENT_LINES, MAILBOX
from askance.domain.library import (
    Added,
    AddOutcome,
    Document,
    DocumentKind,
    FileRecord,
    FileState,
    Folder,
    Prepared,
)
from askance.domain.messages import Message
from askance.domain.ports.storage import FolderIndex, Library

_MIB = 1_048_576
_T = TypeVar("_T")
_SEARCHABLE = (FileState.INDEXED, FileState.UNCHANGED)

OnRecord = Callable[[FileRecord], None]
"""Called for each file once its outcome is stored."""
Counted = Callable[[int], None]
"""Called with the number of files, before the first is read."""


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What came of looking at a folder: the addresses of the documents that are gone from it, how many
    documents and passages are new or changed, and how many documents have only another address.
    """

    gone: tuple[str, ...] = ()
    documents: int = 0
    passages: int = 0
    moved: int = 0


# Small files are read so many, or so many bytes of them, at a time.
_SMALL_BYTES = 65_536
_TOGETHER, _TOGETHER_BYTES = 32, 1_048_576
# So many files for each process that takes them apart are under way, so that none waits for this one.
_QUEUED = 3


def _is_small(file: FoundFile) -> bool:
    """Whether a file is a document, and small enough to be read together with others."""
    return (
        file.size <= _SMALL_BYTES
        and file.form is not None
        and file.form.content_type != MAILBOX
        and file.path.suffix.lower() not in DOCUMENT_LINES
    )


class _ReadAhead:
    """Gives files to several tasks, small ones with what is in them, or what reading raised; None where that is unknown."""

    def __init__(self, files: Iterator[FoundFile], calls: FileCalls) -> None:
        self._files, self._calls = files, calls
        self._reading = asyncio.Lock()
        self._found: list[tuple[FoundFile, bytes | Exception | None]] = []
        self._is_slow = False

    def __aiter__(self) -> _ReadAhead:
        return self

    async def __anext__(self) -> tuple[FoundFile, bytes | Exception | None]:
        async with self._reading:
            if not self._found:
                self._found = await self._some()
            return self._found.pop()

    async def _some(self) -> list[tuple[FoundFile, bytes | Exception | None]]:
        some: list[FoundFile] = []
        for file in self._files:
            some.append(file)
            is_full = len(some) == _TOGETHER or sum(f.size for f in some) > _TOGETHER_BYTES
            if is_full or self._is_slow or not _is_small(file):
                break
        if not some:
            raise StopAsyncIteration
        small = [file for file in some if _is_small(file)]
        known = dict[Path, bytes | Exception]()
        if len(small) > 1:
            try:
                read = partial(self._calls.call, str(small[0].root), read_files)
                parts = await asyncio.to_thread(read, small, _SMALL_BYTES)
                # One that has grown is read by itself.
                known = {
                    file.path: part
                    for file, part in zip(small, parts, strict=True)
                    if isinstance(part, Exception) or len(part) <= _SMALL_BYTES
                }
            except OSError:  # one of them does not answer: each is read by itself
                self._is_slow = True
        return [(file, known.get(file.path)) for file in reversed(some)]


class FolderReader:
    """Reads folders into a library, `at_once` large files at a time; `files` looks at them, `extractor` takes them apart."""

    def __init__(
        self,
        library: Library,
        book: FolderIndex,
        settings: LibrarySettings,
        extractor: Extractor,
        at_once: int,
        files: FileCalls = HERE,
    ) -> None:
        self._files = files
        self._library = library
        self._book = book
        self._settings = settings
        self._extractor = extractor
        self._at_once = at_once
        # SQLite has one writer, and a file's record is written after its documents.
        self._storing = asyncio.Lock()
        self._preparing = asyncio.Lock()
        self._batch = DocumentBatch()
        self._documents = self._passages = self._moved = 0

    async def look(
        self, folder: Folder, on_record: OnRecord, counted: Counted, *, again: bool = False
    ) -> ScanResult:
        """Bring what the library holds of a folder into line with it.

        A file that has not changed since this version of the readers read it is not read, except
        `again`. What a rule excludes now, and what is
        gone, is deleted from the library. The folder is stored, to be looked at again.

        Raises:
            InputError: the folder is not there, or cannot be read.
            StorageError: the library cannot be written.
            ServiceDown: the processes that take files apart do not start.
        """
        root = Path(folder.path)
        others = {f.path for f in self._book.folders() if f.path != folder.path}
        records = self._book.files()
        known = _belonging(records, folder.path, others)
        walk = walk_of(folder, self._settings, known.values(), others, self._files)
        try:
            entries = await asyncio.to_thread(lambda: list(walk.entries()))
        except OSError as exc:
            raise _not_there(root, exc) from exc
        away = await asyncio.to_thread(absent_disks, known.values(), entries, self._files)
        if folder.path in {record.path for record in away}:
            raise _not_there(root, OSError("its disk is not there"))
        entries += away
        # Only now, so that a folder that cannot be read is not added.
        self._book.store_folder(folder)
        counted(len(entries))
        self._documents = self._passages = self._moved = 0
        moved = _Moves(records)
        files: list[FoundFile] = []
        settled: list[FileRecord] = []
        for entry in entries:
            before = known.get(str(entry.path))
            if isinstance(entry, FileRecord):
                settled.append(before if before and not _is_news(entry, before) else entry)
            elif before is not None and before.rule == REMOVED and str(entry.path) != folder.path:
                settled.append(replace(before, folder=folder.path))
            elif before is not None and _is_same(before, entry) and not again:
                state = before.state if _is_out(before) else FileState.UNCHANGED
                is_as_before = (before.state, before.folder) == (state, folder.path)
                settled.append(
                    before if is_as_before else replace(before, state=state, folder=folder.path)
                )
            else:
                files.append(entry)
        gone = await asyncio.to_thread(self._drop_excluded, known, entries)
        await asyncio.to_thread(self._settle, settled, known, on_record)
        await self._read_all(iter(files), _FolderScan(folder, known, moved, on_record, again))
        gone += await asyncio.to_thread(self._drop_gone, known, entries)
        await asyncio.to_thread(self._library.prune)
        return ScanResult(tuple(gone), self._documents, self._passages, self._moved)

    async def _read_all(self, files: Iterator[FoundFile], looking: _FolderScan) -> None:
        ahead = _ReadAhead(files, self._files)
        large = asyncio.Semaphore(self._at_once)

        async def some() -> None:
            async for file, data in ahead:
                async with nullcontext() if _is_small(file) else large:
                    await self._take(file, data, looking)

        async with asyncio.TaskGroup() as group:
            # All take from one iterator, so that a file that takes long holds up one of them only.
            for _ in range(_QUEUED * self._at_once):
                group.create_task(some())
        await self._flush(looking.on_record)

    async def _take(
        self, file: FoundFile, data: bytes | Exception | None, looking: _FolderScan
    ) -> None:
        """Read a file, or what was read of it, and keep it with the next batch."""
        before = looking.known.get(str(file.path))
        record = FileRecord(
            str(file.path),
            looking.folder.path,
            FileState.INDEXED,
            size=file.size,
            changed_ns=file.changed_ns,
            identity=file.identity,
            # What was read of it last stays, if it cannot be read now.
            document=before.document if before else "",
        )
        document = None
        try:
            if isinstance(data, Exception):
                raise data
            if many := await self._many(file, data):
                record = await self._take_many(file, record, many, looking)
            else:
                record, document = await self._read(file, data, record, looking)
        except (NotRead, FileChanged, OSError) as exc:
            record = await self._unread(file, record, exc)
        self._batch.records.append((record, document))
        if document is not None:
            self._batch.add(document)
        if self._batch.is_full:
            await self._flush(looking.on_record)

    async def _many(self, file: FoundFile, data: bytes | None) -> Many | None:
        if data is not None:
            return collection_of(file, self._files, data)
        if file.form is None or file.form.kind is DocumentKind.PAGE:  # its beginning says that
            return await asyncio.to_thread(collection_of, file, self._files)
        return collection_of(file, self._files)

    async def _unread(
        self, file: FoundFile, record: FileRecord, error: NotRead | FileChanged | OSError
    ) -> FileRecord:
        """Return a file that was not read: one of blanks is empty, and what was read of it before goes."""
        if isinstance(error, NoKnownFormat):
            await asyncio.to_thread(self._drop_but, record.path, ())
            detail, state = error.detail, FileState.EXCLUDED
            return replace(record, state=state, detail=detail, rule=FORMAT, document="")
        is_small = file.size <= self._settings.max_file_mb * _MIB
        with suppress(OSError, FileChanged):
            if isinstance(error, NotRead) and is_small and await self._call(file, is_blank):
                await asyncio.to_thread(self._drop_but, record.path, ())
                return replace(empty_file(file.path, record.folder), size=file.size)
        return replace(record, state=FileState.FAILED, detail=_why(error))

    async def _call(self, file: FoundFile, function: Callable[..., _T], *arguments: Any) -> _T:
        place = str(file.root)
        return await asyncio.to_thread(self._files.call, place, function, file, *arguments)

    async def _read(
        self, file: FoundFile, data: bytes | None, record: FileRecord, looking: _FolderScan
    ) -> tuple[FileRecord, Document | None]:
        """Return a file as a document; none where the library holds the same bytes of it."""
        limit = self._settings.max_file_mb
        if file.size > limit * _MIB:
            raise NotRead(too_large(limit))
        if data is None:
            data = await self._call(file, read_file, limit * _MIB)
        if len(data) > limit * _MIB:
            raise NotRead(Message("It grew while it was read."))
        digest = hashlib.sha256(data).hexdigest()
        before = looking.known.get(record.path)
        if (
            before
            and before.state in _SEARCHABLE
            and before.content_hash == digest
            and not before.is_cut
            and not looking.again
        ):
            unchanged = replace(before, state=FileState.UNCHANGED, changed_ns=file.changed_ns)
            return replace(unchanged, identity=file.identity, folder=record.folder), None
        form = file.form
        assert form is not None, "what is told by its content is a mailbox"
        begun = Beginning()
        if before and before.content_hash == digest and before.is_cut and not looking.again:
            text = await asyncio.to_thread(self._library.text, before.document)
            begun = Beginning(text, before.detail) if text else begun
        try:
            document, detail = await parse(self._extractor, file.path, data, form, begun)
        except NotRead:
            if before is None or not begun.text:
                raise
            return replace(before, state=FileState.UNCHANGED), None
        moved_from = looking.moves.origin(digest) if before is None else ""
        is_cut = form.is_in_parts and pages_read(detail) is not None
        record = replace(record, content_hash=digest, detail=detail, is_cut=is_cut)
        tags = (*looking.folder.tags, *document.tags)
        return record, replace(document, moved_from=moved_from, tags=tags)

    async def _take_many(
        self, file: FoundFile, record: FileRecord, many: Many, looking: _FolderScan
    ) -> FileRecord:
        """Keep the documents of a file of many, and delete those that it holds no more."""
        tags = looking.folder.tags
        documents_in = ManyDocuments(file, many, tags, self._extractor, self._settings, self._files)
        self._book.note([_interrupted(record)])
        held = set[str]()
        async with aclosing(documents_in.batches()) as batches:
            async for documents in batches:
                prepared = await self._prepared(documents)
                added = await asyncio.to_thread(self._library.add, documents, prepared)
                self._count(added)
                held |= {one.id for one in added}
        if not held:
            raise NotRead(documents_in.detail)
        # Of a file that was read in part only, what was not reached may still be in it.
        if not documents_in.is_cut:
            await asyncio.to_thread(self._drop_but, record.path, held)
        return replace(record, detail=documents_in.detail, is_cut=documents_in.is_cut)

    def _drop_but(self, path: str, held: Collection[str]) -> None:
        if dead := [d for d in self._book.documents_of(path) if d not in held]:
            self._library.remove(dead)

    async def _flush(self, on_record: OnRecord) -> None:
        # Here, in the thread that fills it.
        batch, self._batch = self._batch, DocumentBatch()
        batch.prepared = await self._prepared(batch.documents)
        async with self._storing:
            await asyncio.to_thread(self._store, batch, on_record)

    async def _prepared(self, documents: Sequence[Document]) -> Sequence[Prepared]:
        # By one at a time, which knows the words of the texts before.
        async with self._preparing:
            return await prepared_of(documents, self._files)

    def _store(self, batch: DocumentBatch, on_record: OnRecord) -> None:
        """Keep what was read, then say so."""
        added: tuple[Added, ...] = ()
        if batch.documents:
            # Whatever ends this program in between, the next look knows of the files.
            self._book.note([_interrupted(r) for r, document in batch.records if document])
            added = self._library.add(batch.documents, batch.prepared)
        self._count(added)
        ids = iter(added)
        records = [
            replace(r, document=next(ids).id) if document else r for r, document in batch.records
        ]
        self._book.note(records)
        for record in records:
            on_record(record)

    def _settle(
        self, records: Sequence[FileRecord], known: dict[str, FileRecord], on_record: OnRecord
    ) -> None:
        """Keep what became of files that need not be read, where that is news, and say it of all."""
        self._book.note([r for r in records if r != known.get(r.path)])
        for record in records:
            on_record(record)

    def _count(self, added: Sequence[Added]) -> None:
        news = [a for a in added if a.outcome in {AddOutcome.ADDED, AddOutcome.CHANGED}]
        self._documents += len(news)
        self._moved += sum(a.outcome is AddOutcome.MOVED for a in added)
        self._passages += sum(a.passages for a in news)

    def _drop_excluded(
        self, known: dict[str, FileRecord], entries: Sequence[FoundFile | FileRecord]
    ) -> list[str]:
        """Delete from the library what is excluded now, before anything else is stored of this look."""
        out = {entry.path for entry in entries if isinstance(entry, FileRecord) and _is_out(entry)}
        return self._remove(
            [r for r in known.values() if not out.isdisjoint(_above(r.path))], set()
        )

    def _drop_gone(
        self, known: dict[str, FileRecord], entries: Sequence[FoundFile | FileRecord]
    ) -> list[str]:
        """Delete from the library what is not in the folder any more."""
        seen = {str(entry.path) for entry in entries}
        # What lies in a folder that cannot be read just now may still be there.
        hidden = {e.path for e in entries if isinstance(e, FileRecord) and not _is_out(e)}
        gone = {p: r for p, r in known.items() if p not in seen and hidden.isdisjoint(_above(p))}
        # All records are read once more, which is as long as the rest of a look that finds nothing new.
        if not gone:
            return []
        # A document that was moved belongs to its new file.
        held: set[str] = {r.document for r in self._book.files() if r.path not in gone}
        removed = self._remove(list(gone.values()), held)
        self._book.note((), list(gone))
        return removed

    def _remove(self, records: Sequence[FileRecord], held: Collection[str]) -> list[str]:
        """Delete the documents of files; return the paths of those that had one."""
        documents = {r.path: [d for d in self._held_by(r) if d not in held] for r in records}
        if dead := dict.fromkeys(d for found in documents.values() for d in found):
            self._library.remove(list(dead))
        return [path for path, found in documents.items() if found]

    def _held_by(self, record: FileRecord) -> Sequence[str]:
        """Return the documents of a file: one, many, or that of which nothing more was noted."""
        if record.document:
            return (record.document,)
        return () if _is_out(record) else self._book.documents_of(record.path)


def _above(path: str) -> list[str]:
    """Return a path and all folders above it."""
    found = [path]
    # Not by `Path`, which takes ten times as long: it is asked of each file that is known.
    while (above := os.path.dirname(found[-1])) != found[-1]:  # noqa: PTH120
        found.append(above)
    return found


@dataclass(frozen=True, slots=True)
class _FolderScan:
    """One look at a folder: what was known of it before, and its callbacks."""

    folder: Folder
    known: dict[str, FileRecord]
    moves: _Moves
    on_record: OnRecord
    again: bool


class _Moves:
    """Which files are gone that the library still holds, by what was in them."""

    def __init__(self, records: Sequence[FileRecord]) -> None:
        self._records = {r.content_hash: r for r in records if r.content_hash and r.document}

    def origin(self, digest: str) -> str:
        """Return the address of a file that held the same and is gone; each is given once."""
        record = self._records.get(digest)
        # One whose file is still there was copied and not moved.
        if record is None or os.path.lexists(record.path):
            return ""
        del self._records[digest]
        return Path(record.path).as_uri()


def _belonging(
    records: Sequence[FileRecord], folder: str, others: Collection[str]
) -> dict[str, FileRecord]:
    """Return what is known of the files of a folder: some may have been read as those of one above."""

    def is_below(path: str, above: str) -> bool:
        return path == above or path.startswith(above.rstrip(os.sep) + os.sep)

    inner = [other for other in others if is_below(other, folder)]
    return {
        r.path: r
        for r in records
        if r.folder == folder
        or (is_below(r.path, folder) and not any(is_below(r.path, i) for i in inner))
    }


def _interrupted(record: FileRecord) -> FileRecord:
    """Return a file as one of which no more is known: the next look reads it."""
    half = Message("Reading it was interrupted.")
    return replace(record, state=FileState.FAILED, detail=half, content_hash="")


def _why(error: NotRead | FileChanged | OSError) -> Message:
    """Return why a file was not read."""
    match error:
        case NotRead():
            return error.detail
        case FileChanged():
            return Message("It changed while it was read; it will be read again.")
        case FileNotFoundError():
            return Message("It vanished while the folder was read.")
        case _:
            return unreadable(error)


def _is_out(record: FileRecord) -> bool:
    return record.state is FileState.EXCLUDED


def _is_news(record: FileRecord, before: FileRecord) -> bool:
    """Whether it must be stored. Of an excluded folder the moment is: its name may change from then on."""
    # `changed_ns` alone is no news: otherwise each look would write a row for each such file.
    return bool(record.identity) or replace(record, changed_ns=before.changed_ns) != before


def _is_same(record: FileRecord, file: FoundFile) -> bool:
    is_settled = record.state in _SEARCHABLE or record.rule == FORMAT
    if not is_settled or record.is_cut:
        return False
    stamp = (record.size, record.changed_ns, record.identity)
    return stamp == (file.size, file.changed_ns, file.identity)


def _not_there(root: Path, error: OSError) -> InputError:
    return InputError(
        Message("{file} cannot be read: {problem}.", file=root, problem=error),
        fix=Message("Check that it is there, and that you may read it."),
    )
