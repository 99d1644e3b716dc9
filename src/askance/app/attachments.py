"""The files of a conversation: read one at a time in the confined processes, asked by passage, never in the library.

What is read of them is searched as a small library of its own, in a private folder that is deleted with the
conversation. Nothing of it, not even a name, is made into a query.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
import weakref
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from askance.config.diagnostics import report
from askance.config.private_files import (
    claim_folder,
    make_path,
    open_lock,
    replace_file,
    try_lock,
)
from askance.config.settings import Bar, Settings
from askance.domain.attached_files import Attachment, AttachmentState, FilesRead
from askance.domain.characters import one_line
from askance.domain.conversation import Picture
from askance.domain.errors import AskanceError, StorageError
from askance.domain.events import ignore
from askance.domain.messages import NOTHING, Message
from askance.presentation.i18n import plural, spoken, tr, translated

if TYPE_CHECKING:
    from askance.adapters.library.files.attaching import AttachedFileReader, OnPage, PictureOf
    from askance.app.container import App
    from askance.config.folders import Folders
    from askance.engine.local_library import LocalLibrary

# What reads files is imported with the first of them: most conversations have none.
# ruff: noqa: PLC0415

# What a token is worth in most languages, on the safe side.
_TOKEN_CHARACTERS = 3
_TESSERACT_CODES = {"en": "eng", "de": "deu"}
_STORE, _LOCK = "files.sqlite3", "lock"
# A folder of another process that is younger may not be locked yet.
_BEGINNING_S = 60.0

OnChange = Callable[[Attachment], None]


@dataclass(frozen=True, slots=True)
class AskedFiles:
    """What a question is asked about: the library that holds it, its documents, the pictures, and the names of all."""

    library: LocalLibrary
    documents: tuple[str, ...]
    pictures: tuple[Picture, ...]
    names: tuple[str, ...]


class Attachments:
    """The files of one conversation, for one event loop. Close it: what was read goes with it.

    `on_change` is called with each attachment whenever more is known of it. `picture_of` makes pictures of files, no
    larger than a model needs them; without it they are shown as they are.
    """

    def __init__(
        self,
        settings: Settings,
        folders: Folders,
        on_change: OnChange = ignore,
        picture_of: PictureOf | None = None,
    ) -> None:
        self._settings = settings
        self._folders = folders
        self._on_change = on_change
        self._picture_of = picture_of
        self._numbers = count(1)
        self._attachments: dict[int, Attachment] = {}
        self._reading: dict[int, asyncio.Task[None]] = {}
        self._is_reading = False
        self._store: _Store | None = None

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """All of them, in the order in which they came."""
        return tuple(self._attachments.values())

    def add(self, path: Path) -> Attachment:
        """Attach a file or folder, which `read` reads. One that is attached already stays as it is."""
        known = next((one for one in self.attachments if one.path == path), None)
        # A name may hold line feeds, and marks that turn its ending round.
        name = one_line(path.name or str(path))
        if name in {one.name for one in self.attachments}:
            # Their chips would look and sound the same.
            name = one_line(str(Path(path.parent.name, path.name)))
        return known or self._added(Attachment(next(self._numbers), name, path))

    def add_bytes(self, data: bytes, name: str) -> Attachment:
        """Attach what was pasted, under a name that tells of which kind it is. It blocks.

        Raises:
            StorageError: there is no place for it.
        """
        store = self._opened()
        try:
            # Each in a folder of its own, since two may have one name.
            folder = store.folder / token_hex(4)
            make_path(folder)
            replace_file(folder / name, data)
        except OSError as exc:
            raise _no_place(store.folder, exc) from exc
        return self._added(Attachment(next(self._numbers), name, folder / name))

    def add_picture(self, picture: Picture) -> Attachment:
        """Attach a picture that was pasted."""
        number, ready = next(self._numbers), AttachmentState.READY
        return self._added(Attachment(number, picture.name, state=ready, picture=picture))

    def remove(self, number: int) -> None:
        """Take one out, whether or not it is being read."""
        if task := self._reading.pop(number, None):
            task.cancel()
        if one := self._attachments.pop(number, None):
            self._delete(one)

    def restore(self, removed: Attachment) -> None:
        """Attach again what was taken out, at its place; it is read anew."""
        again = replace(removed, state=AttachmentState.WAITING, documents=(), files=())
        if removed.path is None:
            again = replace(removed, documents=())
        self._attachments[again.number] = again
        self._attachments = dict(sorted(self._attachments.items()))
        self._on_change(again)

    def drop_failed(self) -> tuple[Attachment, ...]:
        """Take out what could not be read, and return it: a question is asked without it."""
        failed = tuple(one for one in self.attachments if one.is_failed)
        for one in failed:
            self.remove(one.number)
        return failed

    async def read(self, context_tokens: int = 0) -> None:
        """Read what waits, one after the other, until nothing does. Called while it reads, it returns at once.

        What is longer than so many tokens is asked by passage; 0 is not known.
        """
        if self._is_reading:
            return
        self._is_reading = True
        try:
            # Once more behind the end of the processes, which takes a moment in which something may be attached.
            while self._first_waiting:
                async with self._reader() as reader:
                    while one := self._first_waiting:
                        assert one.path is not None, (
                            "what was pasted as a picture waits for nothing"
                        )
                        on_file = self._progress(one, is_folder=True)
                        reading = reader.read(one.path, self._progress(one), on_file)
                        await self._in_task(one, reading, context_tokens)
        finally:
            self._is_reading = False

    @property
    def _first_waiting(self) -> Attachment | None:
        return next((a for a in self.attachments if a.state is AttachmentState.WAITING), None)

    async def recognise(self, number: int, context_tokens: int = 0) -> None:
        """Read a file that holds only pictures, or a picture, by Tesseract."""
        one = self._attachments[number]
        async with self._reader() as reader:
            codes = dict.fromkeys((_TESSERACT_CODES.get(spoken().code, ""), "eng"))
            on_page = self._progress(one)
            reading = reader.recognised(one.path, one.picture, one.name, tuple(codes), on_page)
            await self._in_task(one, reading, context_tokens)

    def asked(self) -> AskedFiles | None:
        """Return what a question is asked about now; None where nothing is attached that could be read."""
        ready = [one for one in self.attachments if one.documents or one.picture]
        if not ready:
            return None
        documents = tuple(document for one in ready for document in one.documents)
        pictures = tuple(one.picture for one in ready if one.picture and not one.documents)
        names = tuple(one.name for one in ready)
        return AskedFiles(self._opened().local_library(), documents, pictures, names)

    def text(self) -> str:
        """Return all that was read, file by file. It blocks."""
        asked = self.asked()
        texts = map(asked.library.documents.text, asked.documents) if asked else ()
        return "\n\n".join(filter(None, texts))

    def close(self) -> None:
        """Delete all that was read. It blocks for a moment."""
        for number in tuple(self._attachments):
            if task := self._reading.pop(number, None):
                task.cancel()
        self._attachments.clear()
        if self._store is not None:
            self._store.close()
            self._store = None

    def _opened(self) -> _Store:
        self._store = self._store or _Store(self._folders)
        return self._store

    @asynccontextmanager
    async def _reader(self) -> AsyncGenerator[AttachedFileReader]:
        self._settings.refuse_if_barred(Bar.FILES)
        from askance.adapters.library.files.attaching import AttachedFileReader, picture_as_it_is
        from askance.adapters.library.files.file_process import FileProcesses
        from askance.adapters.library.files.parsing import FILE_TIMEOUT_S
        from askance.adapters.reader.workers import WORKER_MEMORY_MB, WorkerPool

        files = FileProcesses()
        try:
            async with WorkerPool(1, WORKER_MEMORY_MB, page_cpu_s=FILE_TIMEOUT_S) as pool:
                picture_of = self._picture_of or picture_as_it_is
                yield AttachedFileReader(self._settings.library, pool, files, picture_of)
        finally:
            files.close()

    async def _in_task(
        self, one: Attachment, reading: Coroutine[object, object, FilesRead], context_tokens: int
    ) -> None:
        """Read one in a task of its own, which ends where it is taken out."""
        async with asyncio.TaskGroup() as group:
            task = group.create_task(self._read(one, reading, context_tokens))
            self._reading[one.number] = task
        self._reading.pop(one.number, None)

    async def _read(
        self, one: Attachment, reading: Coroutine[object, object, FilesRead], context_tokens: int
    ) -> None:
        from askance.adapters.library.files.attaching import problem_of
        from askance.adapters.library.files.opening import FileChanged
        from askance.adapters.library.files.parsing import NotRead

        self._set(replace(one, state=AttachmentState.READING))
        try:
            found = await reading
            self._set(await asyncio.to_thread(self._stored, one, found, context_tokens))
        except (OSError, FileChanged, NotRead) as exc:
            self._set(replace(one, state=AttachmentState.FAILED, problem=problem_of(exc)))
        except AskanceError as exc:
            self._set(replace(one, state=AttachmentState.FAILED, problem=exc.problem))
        except Exception as exc:  # noqa: BLE001 - a bug costs this file, and not those behind it
            report(exc)
            problem = Message("It cannot be read: {problem}.", problem=type(exc).__name__)
            self._set(replace(one, state=AttachmentState.FAILED, problem=problem))
        except asyncio.CancelledError:
            # The next look reads it from the beginning, unless it was taken out.
            self._set(replace(one, state=AttachmentState.WAITING))
            raise

    def _stored(self, one: Attachment, found: FilesRead, context_tokens: int) -> Attachment:
        """Return an attachment as it was read, its text stored. It blocks."""
        if one.number not in self._attachments:
            return one
        store = self._opened()
        added = store.library.add(found.documents, found.prepared) if found.documents else ()
        store.left_out |= found.left_out
        is_long = 0 < context_tokens < found.characters / _TOKEN_CHARACTERS
        is_by_passage = is_long and found.state is AttachmentState.READY
        return replace(
            one,
            state=AttachmentState.PASSAGES if is_by_passage else found.state,
            problem=found.problem,
            page=0,
            pages=found.pages,
            files=found.files,
            is_folder=found.is_folder,
            picture=found.picture or one.picture,
            documents=tuple(dict.fromkeys(one.id for one in added)),
        )

    def _set(self, one: Attachment) -> None:
        # One that was taken out meanwhile stays out, and what was stored of it goes.
        if one.number not in self._attachments:
            self._delete(one)
        elif self._attachments[one.number] != one:
            self._attachments[one.number] = one
            self._on_change(one)

    def _added(self, one: Attachment) -> Attachment:
        self._attachments[one.number] = one
        self._on_change(one)
        return one

    def _delete(self, one: Attachment) -> None:
        """Delete what was read of one, but for files that are attached a second time, as those of a folder may be."""
        others = {document for other in self.attachments for document in other.documents}
        if self._store and (alone := [d for d in one.documents if d not in others]):
            self._store.library.remove(alone)

    def _progress(self, one: Attachment, *, is_folder: bool = False) -> OnPage:
        def on_page(page: int, pages: int) -> None:
            reading = replace(one, state=AttachmentState.READING, is_folder=is_folder)
            self._set(replace(reading, page=page, pages=pages))

        return on_page


@dataclass(frozen=True, slots=True)
class Sight:
    """Whether a model sees, None where nobody knows; the name of one that does, and whether Tesseract is installed."""

    model: str
    sees: bool | None
    other: str = ""
    can_recognise: bool = False


async def sight_of(app: App, model: str) -> Sight:
    """Return whether the model that answers sees, and what to do where it does not; empty is that of the settings.

    Raises:
        AskanceError: there is no model, or its server failed.
    """
    from askance.adapters.library.files.attaching import find_tesseract

    if app.model is None:
        return Sight("", None)
    name = model or (await app.model.info()).name
    known = {info.name: info for info in await app.model.models()}
    sees = known[name].sees if name in known else None
    other = next((info.name for info in known.values() if info.sees), "")
    return Sight(name, sees, other, bool(await asyncio.to_thread(find_tesseract)))


async def context_tokens(app: App, model: str) -> int:
    """Return how much the model that answers takes in, in tokens; 0 where that is not known."""
    if app.model is None:
        return 0
    with suppress(AskanceError):
        # Of another model of the server it is not asked: each has what the settings say, or more.
        return (await app.model.info()).context_tokens if not model else 0
    return 0


@asynccontextmanager
async def attached(app: App, paths: Iterable[Path]) -> AsyncGenerator[Attachments]:
    """Give files and folders that are read, for a question that is asked once."""
    attachments = Attachments(app.settings, app.folders)
    try:
        for path in paths:
            attachments.add(path.expanduser().absolute())
        await attachments.read()
        yield attachments
    finally:
        attachments.close()


class _Store:
    """What was read of the files of one conversation, in a folder that goes with it.

    `left_out` says by an address what of that file could not be read. Folders that a crash has left are deleted, too.
    """

    def __init__(self, folders: Folders) -> None:
        from askance.adapters.library.sqlite_library import SqliteLibrary

        above = folders.runtime / "attached"
        try:
            claim_folder(folders.runtime)
            make_path(above)
            _delete_left(above)
            self.folder = above / token_hex(8)
            make_path(self.folder)
            self._lock = open_lock(self.folder / _LOCK)
        except OSError as exc:
            raise _no_place(above, exc) from exc
        try_lock(self._lock)
        # At the end of the program, too, and where whoever had it forgets to close it.
        self._delete = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self.library = SqliteLibrary(self.folder / _STORE, 0, ignore)
        self.left_out = dict[str, Message]()

    def local_library(self) -> LocalLibrary:
        """Return it as runs ask a library."""
        from askance.engine.library_router import LibraryRouter
        from askance.engine.local_library import LocalLibrary

        return LocalLibrary(
            LibraryRouter(self.library),
            self.library,
            self.library.answers,
            left_out=lambda url: self.left_out.get(url, NOTHING),
        )

    def close(self) -> None:
        """Delete it."""
        self.library.close()
        os.close(self._lock)
        self._delete()


def _delete_left(above: Path) -> None:
    """Delete the folders whose process has ended without deleting them."""
    for folder in above.iterdir():
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime < _BEGINNING_S:
                continue
            lock = open_lock(folder / _LOCK)
            is_left = try_lock(lock)
            os.close(lock)
            if is_left:
                shutil.rmtree(folder, ignore_errors=True)


def _no_place(folder: Path, error: OSError) -> StorageError:
    return StorageError(
        Message("{file} cannot be written: {problem}.", file=folder, problem=error),
        fix=Message("Check its disk and your quota."),
    )


def fact_of(one: Attachment) -> str:
    """Return what there is to say of an attachment, in one short line."""
    match one.state:
        case AttachmentState.WAITING:
            return tr("Waiting")
        case AttachmentState.READING if one.pages and not one.is_folder:
            return tr("Reading page {k} of {n}", k=one.page, n=one.pages)
        case AttachmentState.READING:
            return tr("Reading")
        case AttachmentState.PASSAGES if not one.is_folder:
            return tr("{n} pages, searched by passage", n=one.pages)
        case AttachmentState.TOO_MANY:
            return tr("{n} files. Keep them in the library?", n=len(one.files))
        case AttachmentState.QUESTION | AttachmentState.FAILED:
            return translated(one.problem)
        case AttachmentState.READY | AttachmentState.PASSAGES:
            return _fact_of_read(one)


def _fact_of_read(one: Attachment) -> str:
    if one.is_folder:
        files = plural("{n} file", "{n} files", len(one.files))
        if not one.failed_files:
            return files
        return tr("{files}, {f} could not be read", files=files, f=one.failed_files)
    if one.picture is not None and not one.documents:
        width, height = one.picture.width, one.picture.height
        return tr("{n} \u00d7 {m}", n=width, m=height) if width else ""
    return plural("{n} page", "{n} pages", one.pages)
