"""Bringing folders into the library, and keeping it in step with them."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from askance.adapters.library.formats import DOCUMENT_LINES, format_of
from askance.adapters.library.lines import DocumentLines
from askance.adapters.library.parsing import Extractor, NotRead, parse
from askance.adapters.library.patterns import Rules
from askance.adapters.library.walking import REMOVED, FoundFile, Walk, unreadable
from askance.config.settings import LibrarySettings
from askance.domain.errors import InputError
from askance.domain.library import (
    Added,
    Document,
    FileRecord,
    FileState,
    Folder,
    Outcome,
)
from askance.domain.messages import Message
from askance.ports.library import FolderBook, Library

# So many documents, or characters of them, are kept at once: the more, the faster, and the more is
# read again after a kill.
_BATCH_DOCUMENTS = 64
_BATCH_CHARACTERS = 1_000_000
_MIB = 1_048_576
_KEPT = (FileState.INDEXED, FileState.UNCHANGED)

Told = Callable[[FileRecord], None]
"""Is told of each file once what became of it is kept."""
Counted = Callable[[int], None]
"""Is told of how many files there are, before the first is read."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What came of looking at a folder: the addresses of the documents that are gone from it."""

    gone: tuple[str, ...] = ()
    documents: int = 0
    passages: int = 0


@dataclass(slots=True)
class _Batch:
    """Documents on their way into the library, and the files that they came from."""

    documents: list[Document] = field(default_factory=list[Document])
    records: list[FileRecord] = field(default_factory=list[FileRecord])

    @property
    def is_full(self) -> bool:
        characters = sum(len(document.text) for document in self.documents)
        return len(self.records) >= _BATCH_DOCUMENTS or characters >= _BATCH_CHARACTERS


class FolderReader:
    """Reads folders into a library, `at_once` files at a time; `extractor` takes them apart."""

    def __init__(
        self,
        library: Library,
        book: FolderBook,
        settings: LibrarySettings,
        extractor: Extractor,
        at_once: int,
    ) -> None:
        self._library = library
        self._book = book
        self._settings = settings
        self._extractor = extractor
        self._at_once = at_once
        self._storing = asyncio.Lock()
        self._batch = _Batch()
        self._documents = self._passages = 0

    async def look(
        self, folder: Folder, told: Told, counted: Counted, *, again: bool = False
    ) -> Looked:
        """Bring what the library holds of a folder into line with it.

        A file that has not changed is not read, except `again`. What a rule excludes now, and what is
        gone, is deleted from the library. The folder is kept, to be looked at again.

        Raises:
            InputError: the folder is not there, or cannot be read.
            StoreUnusable: the library cannot be written.
            ServiceDown: the processes that take files apart do not start.
        """
        root = Path(folder.path)
        others = {f.path for f in self._book.folders() if f.path != folder.path}
        known = _belonging(self._book.files(), folder.path, others)
        rules = Rules(root, folder.include, (*self._settings.exclude, *folder.exclude))
        excluded = {r.identity: r for r in known.values() if r.identity and not r.content_hash}
        walk = Walk(rules, others, {k: r for k, r in excluded.items() if _is_out(r)})
        try:
            entries = await asyncio.to_thread(lambda: list(walk.entries()))
        except OSError as exc:
            raise _not_there(root, exc) from exc
        self._book.keep_folder(folder)
        counted(len(entries))
        self._documents = self._passages = 0
        moved = _Moves(self._book.files())
        files: list[FoundFile] = []
        settled: list[FileRecord] = []
        for entry in entries:
            before = known.get(str(entry.path))
            if isinstance(entry, FileRecord):
                settled.append(entry)
            elif before is not None and before.rule == REMOVED and str(entry.path) != folder.path:
                settled.append(replace(before, folder=folder.path))
            elif before is not None and _is_same(before, entry) and not again:
                settled.append(replace(before, state=FileState.UNCHANGED, folder=folder.path))
            else:
                files.append(entry)
        gone = await asyncio.to_thread(self._drop_excluded, known, entries)
        await asyncio.to_thread(self._store, _Batch(records=settled), told)
        await self._read_all(iter(files), _Looking(folder, known, moved, told, again))
        gone += await asyncio.to_thread(self._drop_gone, known, entries)
        await asyncio.to_thread(self._library.prune)
        return Looked(tuple(gone), self._documents, self._passages)

    async def _read_all(self, files: Iterator[FoundFile], looking: _Looking) -> None:
        async def some() -> None:
            for file in files:
                await self._take(file, looking)

        async with asyncio.TaskGroup() as group:
            for _ in range(self._at_once):
                group.create_task(some())
        await self._flush(looking.told)

    async def _take(self, file: FoundFile, looking: _Looking) -> None:
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
        if file.path.suffix.lower() in DOCUMENT_LINES:
            await self._take_lines(file, record, looking)
            return
        try:
            record, document = await self._read(file, record, looking)
        except NotRead as exc:
            record, document = replace(record, state=FileState.FAILED, detail=exc.detail), None
        self._batch.records.append(record)
        if document is not None:
            self._batch.documents.append(
                replace(document, tags=(*looking.folder.tags, *document.tags))
            )
        if self._batch.is_full:
            await self._flush(looking.told)

    async def _read(
        self, file: FoundFile, record: FileRecord, looking: _Looking
    ) -> tuple[FileRecord, Document | None]:
        """Return a file as a document; none where the library holds the same bytes of it."""
        limit = self._settings.max_file_mb
        if file.size > limit * _MIB:
            raise NotRead(Message("It is larger than {n} MiB (library.max_file_mb).", n=limit))
        try:
            data = await asyncio.to_thread(_bytes, file.path, limit * _MIB)
        except FileNotFoundError:
            raise NotRead(Message("It vanished while the folder was read.")) from None
        except OSError as exc:
            raise NotRead(unreadable(exc)) from exc
        if len(data) > limit * _MIB:
            raise NotRead(Message("It grew while it was read."))
        digest = hashlib.sha256(data).hexdigest()
        record = replace(record, content_hash=digest)
        before = looking.known.get(record.path)
        if before and before.state in _KEPT and before.content_hash == digest and not looking.again:
            kept = replace(before, state=FileState.UNCHANGED, changed_ns=file.changed_ns)
            return replace(kept, identity=file.identity, folder=record.folder), None
        form = format_of(file.path)
        assert form is not None, "the walk has asked for its format"
        document, detail = await parse(
            self._extractor, file.path, data, form, timeout_s=self._settings.file_timeout_s
        )
        moved_from = looking.moves.origin(digest) if before is None else ""
        return replace(record, detail=detail), replace(document, moved_from=moved_from)

    async def _take_lines(self, file: FoundFile, record: FileRecord, looking: _Looking) -> None:
        lines = DocumentLines(file.path, looking.folder.tags)
        try:
            found = await asyncio.to_thread(self._keep_lines, lines)
        except OSError as exc:
            record = replace(record, state=FileState.FAILED, detail=unreadable(exc))
        else:
            record = replace(record, detail=detail_of(lines))
            if not found:
                record = replace(record, state=FileState.FAILED)
        self._batch.records.append(record)

    def _keep_lines(self, lines: DocumentLines) -> int:
        kept = 0
        for added in keep_all(self._library, lines.documents()):
            kept += len(added)
            self._count(added)
        return kept

    async def _flush(self, told: Told) -> None:
        # Here, in the thread that fills it.
        batch, self._batch = self._batch, _Batch()
        async with self._storing:
            await asyncio.to_thread(self._store, batch, told)

    def _store(self, batch: _Batch, told: Told) -> None:
        """Keep what was read, then say so."""
        added: tuple[Added, ...] = ()
        if batch.documents:
            # Whatever ends this program in between, the next look knows of the files.
            half = Message("Reading it was interrupted.")
            urls = {document.url for document in batch.documents}
            self._book.note([
                replace(r, state=FileState.FAILED, detail=half, content_hash="")
                for r in batch.records
                if Path(r.path).as_uri() in urls
            ])  # fmt: skip
            added = self._library.add(batch.documents)
        self._count(added)
        ids = {d.url: a.id for d, a in zip(batch.documents, added, strict=True)}
        records = [
            replace(r, document=ids.get(Path(r.path).as_uri(), r.document)) for r in batch.records
        ]
        self._book.note(records)
        for record in records:
            told(record)

    def _count(self, added: Sequence[Added]) -> None:
        news = [a for a in added if a.outcome in {Outcome.ADDED, Outcome.CHANGED}]
        self._documents += len(news)
        self._passages += sum(a.passages for a in news)

    def _drop_excluded(
        self, known: dict[str, FileRecord], entries: Sequence[FoundFile | FileRecord]
    ) -> list[str]:
        """Delete from the library what is excluded now, before anything else is kept of this look."""
        out = {entry.path for entry in entries if isinstance(entry, FileRecord) and _is_out(entry)}
        return self._remove(
            [r for r in known.values() if r.document and not out.isdisjoint(_above(r.path))], set()
        )

    def _drop_gone(
        self, known: dict[str, FileRecord], entries: Sequence[FoundFile | FileRecord]
    ) -> list[str]:
        """Delete from the library what is not in the folder any more."""
        seen = {str(entry.path) for entry in entries}
        # What lies in a folder that cannot be read just now may still be there.
        hidden = {e.path for e in entries if isinstance(e, FileRecord) and not _is_out(e)}
        gone = {p: r for p, r in known.items() if p not in seen and hidden.isdisjoint(_above(p))}
        # A document that was moved belongs to its new file.
        held = {r.document for r in self._book.files() if r.path not in gone}
        removed = self._remove(list(gone.values()), held)
        self._book.note((), list(gone))
        return removed

    def _remove(self, records: Sequence[FileRecord], held: Collection[str]) -> list[str]:
        """Delete the documents of files; return the paths of those that had one."""
        documents = {r.path: r.document or self._interrupted(r) for r in records}
        dead = {path: d for path, d in documents.items() if d and d not in held}
        if dead:
            self._library.remove(list(dict.fromkeys(dead.values())))
        return list(dead)

    def _interrupted(self, record: FileRecord) -> str:
        """Return the document of a file of which nothing more was noted when it was read."""
        if record.state is not FileState.FAILED:
            return ""
        found = self._library.find(Path(record.path).as_uri())
        return found[0].id if found else ""


def _above(path: str) -> list[str]:
    """Return a path and all folders above it."""
    return [path, *map(str, Path(path).parents)]


@dataclass(frozen=True, slots=True)
class _Looking:
    """One look at a folder: what was known of it before, and who is told."""

    folder: Folder
    known: dict[str, FileRecord]
    moves: _Moves
    told: Told
    again: bool


class _Moves:
    """Which files are gone that the library still holds, by what was in them."""

    def __init__(self, records: Sequence[FileRecord]) -> None:
        self._records = {r.content_hash: r for r in records if r.content_hash and r.document}

    def origin(self, digest: str) -> str:
        """Return the address of a file that held the same and is gone; each is given once."""
        record = self._records.get(digest)
        if record is None or os.path.lexists(record.path):
            return ""
        del self._records[digest]
        return Path(record.path).as_uri()


def keep_all(library: Library, documents: Iterator[Document]) -> Iterator[tuple[Added, ...]]:
    """Keep documents in batches, and yield what became of each batch once it is kept."""
    batch = _Batch()
    for document in documents:
        batch.documents.append(document)
        if len(batch.documents) >= _BATCH_DOCUMENTS or batch.is_full:
            yield library.add(batch.documents)
            batch = _Batch()
    if batch.documents:
        yield library.add(batch.documents)


def detail_of(lines: DocumentLines) -> Message:
    """Return what of a file of documents was left out; nothing where nothing was."""
    if not lines.bad:
        return Message("It holds no document.") if not lines.lines else Message.verbatim("")
    return Message(
        "{n} of {available} lines hold no document; the first of them is line {number}.",
        n=lines.bad,
        available=lines.lines,
        number=lines.first_bad,
    )


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


def _bytes(path: Path, limit: int) -> bytes:
    """Return what is in a file that was one when the folder was walked; no link has taken its place."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as stream:
        return stream.read(limit + 1)


def _is_out(record: FileRecord) -> bool:
    return record.state is FileState.EXCLUDED


def _is_same(record: FileRecord, file: FoundFile) -> bool:
    stamp = (record.size, record.changed_ns, record.identity)
    return record.state in _KEPT and stamp == (file.size, file.changed_ns, file.identity)


def _not_there(root: Path, error: OSError) -> InputError:
    return InputError(
        Message("{file} cannot be read: {problem}.", file=root, problem=error),
        fix=Message("Check that it is there, and that you may read it."),
    )
